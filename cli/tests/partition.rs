//! `hrry convert --partition`: shards of one tensor, joined.

#![allow(missing_docs)]

mod common;

use std::fs;

use common::{Bench, Model, Said, names, tensor};
use hurray::composite::Membership;

/// The rows and columns of a matrix whose element at [r, c] is 10 r + c.
fn block(rows: std::ops::Range<u8>, columns: std::ops::Range<u8>) -> Vec<u8> {
    rows.flat_map(|r| columns.clone().map(move |c| 10 * r + c)).collect()
}

fn convert(bench: &Bench, model: &Model, options: &[&str]) -> Said {
    model.write(&bench.path("model.safetensors"));
    bench.hrry(&[&["convert", "model.safetensors", "model.hrry"], options].concat())
}

/// Demands that the file is valid and that the whole of this name and shape reads as `data`.
fn reads_as(bench: &Bench, name: &str, shape: &[u64], data: &[u8]) {
    let said = bench.hrry(&["verify", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let file = bench.open("model.hrry");
    let head = file.find(name.as_bytes()).expect(name);
    let composite = Membership::of(&file).unwrap().open(head).unwrap();
    assert_eq!(composite.head().unwrap().shape(), shape);
    let mut found = vec![0xAA; data.len()];
    composite.read(&vec![0; shape.len()], shape, &mut found).unwrap();
    assert_eq!(found, data);
}

#[test]
fn shards_become_a_partition() {
    let bench = Bench::new();
    let model = Model::new()
        .tensor("first", "U8", &[1], &[1])
        // Not in order, in two dimensions, and of unequal width.
        .tensor("layers.0.w.rank_2", "U8", &[4, 1], &block(0..4, 5..6))
        .tensor("layers.0.bias", "F32", &[1], &[0; 4])
        .tensor("layers.0.w.rank_0", "U8", &[4, 2], &block(0..4, 0..2))
        .tensor("layers.1.w.rank_1", "U8", &[2, 6], &block(1..3, 0..6))
        .tensor("layers.0.w.rank_1", "U8", &[4, 3], &block(0..4, 2..5))
        .tensor("layers.1.w.rank_0", "U8", &[1, 6], &block(0..1, 0..6));
    let said = convert(&bench, &model, &["--partition", r".*\.rank_(\d+)"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let out = "model.hrry: 7 tensors, 47 bytes of data\n5 of them joined into 2 partition(s)\n";
    assert_eq!(said.out, out);
    let file = bench.open("model.hrry");
    assert_eq!(
        names(&file),
        [
            "first",
            "layers.0.w.rank",
            "layers.0.w.rank_0",
            "layers.0.w.rank_1",
            "layers.0.w.rank_2",
            "layers.0.bias",
            "layers.1.w.rank",
            "layers.1.w.rank_0",
            "layers.1.w.rank_1",
        ]
    );
    assert_eq!(file.header().tensor_count_hint(), Some(9));
    assert_eq!(tensor(&file, "layers.0.w.rank_1"), ("uint8", vec![4, 3], block(0..4, 2..5)));
    reads_as(&bench, "layers.0.w.rank", &[4, 6], &block(0..4, 0..6));
    reads_as(&bench, "layers.1.w.rank", &[3, 6], &block(0..3, 0..6));
}

/// Files of a rank each, whose names carry it.
#[test]
fn shards_in_several_files() {
    let bench = Bench::new();
    let file = |k: u8| format!("rank{k}.safetensors");
    for k in 0..12 {
        let (rows, name) = (block(k..k + 1, 0..3), format!("{k:02}/w"));
        Model::new().tensor(&name, "U8", &[1, 3], &rows).write(&bench.path(&file(k)));
    }
    let map: Vec<_> = (0..12).map(|k| format!(r#""{k:02}/w":"{}""#, file(k))).collect();
    let index = format!(r#"{{"weight_map":{{{}}}}}"#, map.join(","));
    fs::write(bench.path("model.safetensors.index.json"), index).unwrap();
    let said = bench.hrry(&[
        "convert",
        "--partition=(\\d\\d)/.*",
        "--axis=0",
        "model.safetensors.index.json",
        "model.hrry",
    ]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    reads_as(&bench, "w", &[12, 3], &block(0..12, 0..3));
}

#[test]
fn the_axis() {
    let halves = || {
        Model::new().tensor("w.0", "U8", &[2, 2], &block(0..2, 0..2)).tensor(
            "w.1",
            "U8",
            &[2, 2],
            &block(0..2, 2..4),
        )
    };
    let bench = Bench::new();
    let one = r"w\.(\d)";
    let said = convert(&bench, &halves(), &["-q", "--partition", one, "--axis", "1"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    reads_as(&bench, "w", &[2, 4], &block(0..2, 0..4));
    let said = convert(&bench, &halves(), &["--partition", one, "--axis", "0"]);
    assert_eq!(said.code, 0);
    reads_as(&bench, "w", &[4, 2], &[block(0..2, 0..2), block(0..2, 2..4)].concat());

    // In a vector there is but one.
    let vector = Model::new().tensor("w.1", "U8", &[2], &[1, 2]).tensor("w.2", "U8", &[2], &[3, 4]);
    assert_eq!(convert(&bench, &vector, &["--partition", one]).code, 0);
    reads_as(&bench, "w", &[4], &[1, 2, 3, 4]);

    // An empty shard among others; a single one, whatever its rank.
    let one_empty = Model::new()
        .tensor("w.0", "U8", &[2, 2], &block(0..2, 0..2))
        .tensor("w.1", "U8", &[2, 0], &[])
        .tensor("w.2", "U8", &[2, 1], &block(0..2, 2..3));
    assert_eq!(convert(&bench, &one_empty, &["--partition", one]).code, 0);
    reads_as(&bench, "w", &[2, 3], &block(0..2, 0..3));
    let single = Model::new().tensor("w.0", "U8", &[], &[7]);
    assert_eq!(convert(&bench, &single, &["--partition", one]).code, 0);
    reads_as(&bench, "w", &[], &[7]);

    // One for all, or each its own.
    let two = || {
        halves().tensor("v.0", "U8", &[2, 2], &block(0..2, 0..2)).tensor(
            "v.1",
            "U8",
            &[2, 2],
            &block(2..4, 0..2),
        )
    };
    let options = ["--partition", one, "--axis=1", "--partition", r"v\.(\d)", "--axis=0"];
    assert_eq!(convert(&bench, &two(), &options).code, 0);
    reads_as(&bench, "w", &[2, 4], &block(0..2, 0..4));
    reads_as(&bench, "v", &[4, 2], &block(0..4, 0..2));
    let options = ["--axis=0", "--partition", one, "--partition", r"v\.(\d)"];
    assert_eq!(convert(&bench, &two(), &options).code, 0);
    reads_as(&bench, "v", &[4, 2], &block(0..4, 0..2));
    reads_as(&bench, "w", &[4, 2], &[block(0..2, 0..2), block(0..2, 2..4)].concat());
}

/// Elements of less than a byte are packed in each member for itself.
#[test]
fn shards_of_packed_elements() {
    let bench = Bench::new();
    let model =
        Model::new().tensor("m.0", "BOOL", &[3], &[1, 0, 1]).tensor("m.1", "BOOL", &[2], &[0, 1]);
    assert_eq!(convert(&bench, &model, &["--partition", r"m\.(\d)"]).code, 0);
    let said = bench.hrry(&["verify", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let file = bench.open("model.hrry");
    assert_eq!(tensor(&file, "m.0"), ("bool", vec![3], vec![0b101]));
    assert_eq!(tensor(&file, "m.1"), ("bool", vec![2], vec![0b10]));
    let head = file.tensor(file.find(b"m").unwrap()).unwrap();
    assert_eq!(head.descriptor().shape(), [5]);
}

#[test]
fn what_cannot_be_joined() {
    let model = |tensors: &[(&str, &str, &[u64])]| {
        let mut model = Model::new();
        for &(name, dtype, shape) in tensors {
            let bytes = shape.iter().product::<u64>() * if dtype == "F16" { 2 } else { 1 };
            let data = vec![0; usize::try_from(bytes).unwrap()];
            model = model.tensor(name, dtype, shape, &data);
        }
        model
    };
    let one = r"w\.(.*)";
    let huge: &[u64] = &[1 << 63, 0];
    let refusals: [(&str, &[&str], Model, &str); 15] = [
        (
            one,
            &[],
            model(&[("w.a", "U8", &[1])]),
            r#"tensor "w.a": "a" is not the number of a shard"#,
        ),
        (
            one,
            &[],
            model(&[("w.-1", "U8", &[1])]),
            r#"tensor "w.-1": "-1" is not the number of a shard"#,
        ),
        (
            one,
            &[],
            model(&[("w.+1", "U8", &[1])]),
            r#"tensor "w.+1": "+1" is not the number of a shard"#,
        ),
        (
            r"w\.?(\d)?",
            &[],
            model(&[("w", "U8", &[1])]),
            r#"tensor "w": "" is not the number of a shard"#,
        ),
        (
            one,
            &[],
            model(&[("w.1", "U8", &[1]), ("w.0", "U8", &[1]), ("w.01", "U8", &[1])]),
            r#""w.1" and "w.01" are both shard 1 of "w""#,
        ),
        (
            one,
            &[],
            model(&[("w.0", "U8", &[1]), ("w.1", "U8", &[1]), ("w.3", "U8", &[1])]),
            r#"shard 2 of "w" is missing: the last is 3"#,
        ),
        (one, &[], model(&[("w.2", "U8", &[1])]), r#"shard 1 of "w" is missing: the last is 2"#),
        (
            one,
            &[],
            model(&[("w.0", "U8", &[2]), ("w.1", "F16", &[2])]),
            r#"shards differ in type: "w.0" is U8, "w.1" is F16"#,
        ),
        (
            one,
            &[],
            model(&[("w.0", "U8", &[2]), ("w.1", "U8", &[2, 1])]),
            r#"shards differ in rank: "w.0" is of shape [2], "w.1" of [2, 1]"#,
        ),
        (
            one,
            &[],
            model(&[("w.0", "U8", &[2, 2]), ("w.1", "U8", &[1, 2]), ("w.2", "U8", &[2, 3])]),
            r#"shards differ in more than one dimension: "w.0" is of shape [2, 2], "w.2" of [2, 3]"#,
        ),
        (
            one,
            &["--axis=1"],
            model(&[("w.0", "U8", &[2, 2]), ("w.1", "U8", &[1, 2])]),
            "shards differ in dimension 0, which is not the axis 1: \"w.0\" is of shape [2, 2], \
             \"w.1\" of [1, 2]",
        ),
        (
            one,
            &["--axis=2"],
            model(&[("w.0", "U8", &[2, 2]), ("w.1", "U8", &[2, 2])]),
            r#"tensor "w.0" of shape [2, 2] has no dimension 2 for --axis"#,
        ),
        (
            one,
            &[],
            model(&[("w.0", "U8", &[2, 2]), ("w.1", "U8", &[2, 2])]),
            "shards do not differ: \"w.0\" and the others are of shape [2, 2]; --axis has to say \
             along which dimension they follow each other",
        ),
        (
            one,
            &[],
            model(&[("w.0", "U8", &[]), ("w.1", "U8", &[])]),
            r#"tensor "w.0" is a scalar, no shard of another"#,
        ),
        (
            one,
            &["--axis=0"],
            model(&[("w.0", "U8", huge), ("w.1", "U8", huge)]),
            r#"the whole "w": shape does not fit 64 bits"#,
        ),
    ];
    let names = [
        (
            r".*w.?(\d)",
            model(&[("w", "U8", &[1]), ("w.0", "U8", &[1])]),
            r#"the whole of "w.0" would be called "w", as another tensor is"#,
        ),
        (
            r".*w.?(\d)",
            model(&[("w.0", "U8", &[1]), ("w_0", "U8", &[1])]),
            r#"the whole of "w_0" would be called "w", as another tensor is"#,
        ),
        (r"(\d)", model(&[("0", "U8", &[1])]), r#"tensor "0": nothing is left to call the whole"#),
    ];
    let names = names.into_iter().map(|(one, model, message)| (one, &[][..], model, message));
    for (expression, options, model, message) in refusals.into_iter().chain(names) {
        let bench = Bench::new();
        fs::write(bench.path("model.hrry"), "what was here before").unwrap();
        let options = [&["--partition", expression], options].concat();
        let said = convert(&bench, &model, &options);
        assert_eq!(said.err, format!("hrry: model.safetensors: {message}\n"));
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert_eq!(fs::read(bench.path("model.hrry")).unwrap(), b"what was here before");
    }
}

#[test]
fn command_lines_that_say_nothing() {
    let bench = Bench::new();
    let model = Model::new().tensor("w.0", "U8", &[1], &[1]).tensor("w.1", "U8", &[1], &[2]);
    let usage = |options: &[&str], message: &str| {
        let said = convert(&bench, &model, options);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
        assert!(said.err.contains(message), "{said:?}");
        assert_eq!(bench.names(), ["model.safetensors"]);
    };
    usage(&["--partition", r"w\.\d"], "has no group");
    usage(&["--partition", r"(w)\.(\d)"], "has 2 groups");
    usage(&["--partition", "("], "regex parse error");
    usage(&["--axis", "0"], "--partition");
    usage(&["--partition", r"w\.(\d)", "--axis=-1"], "invalid value '-1'");
    usage(&["--partition", r"v\.(\d)"], r#"has no tensor that --partition "v\\.(\\d)" matches"#);
    // The whole name, not a part of it.
    usage(&["--partition", r"\.(\d)"], "has no tensor");
    let two = ["--partition", r"w\.(\d)", "--axis=0", "--axis=0"];
    usage(&two, "needs one --axis for each --partition, or one for all: there are 2 and 1");
    let said = convert(&bench, &model, &["--partition", r"w\.(\d)", "--partition", r".*(\d)"]);
    assert_eq!(said.code, 1);
    assert!(said.err.ends_with("tensor \"w.0\": two expressions match it\n"), "{said:?}");
}
