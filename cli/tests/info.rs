//! `hrry info`: the plain form, and files that are partly at fault. JSON is held against the test
//! vectors in every_vector.rs.

#![allow(missing_docs)]

mod common;
#[path = "../../tests/conformance/compare.rs"]
#[allow(dead_code, reason = "the conformance tests use the rest")]
mod compare;

use std::fs;
use std::process::Stdio;

use common::{Bench, Model};
use hurray::container::{Writer, WriterOptions};
use hurray::descriptor::layout::{Combine, Composite, Composition};
use hurray::descriptor::{Builder, Descriptor, ElementType, MemberRole, Shard};
use serde_json::{Value, json};

fn small(bench: &Bench) {
    let model = Model::new()
        .raw(r#""__metadata__":{"format":"pt\tx"}"#)
        .tensor("layer.weight", "BF16", &[2, 3], &[7; 12])
        .tensor("esc\u{1b}[2J", "BOOL", &[9], &[1; 9]);
    bench.converted(&model);
}

#[test]
fn one_fact_a_line() {
    let bench = Bench::new();
    small(&bench);
    let said = bench.hrry(&["info", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.lines().all(|line| line.split('\t').count() == 2), "{}", said.out);
    assert!(said.out.starts_with("file\tmodel.hrry\nsize\t"), "{}", said.out);
    let file = bench.open("model.hrry");
    let place = |i| file.entry(i).unwrap().data_offset;
    let (first, second) = (place(0), place(1));
    let end = format!(
        "key\tformat\ntype\tstring\nvalue\t\"pt\\tx\"\n\
         tensor\tlayer.weight\ntype\tbfloat16 (0x02)\nshape\t[2,3]\nlayout\trow_major (0x01)\n\
         buffer 0\tdata: 12 bytes at {first}, alignment 64\n\
         tensor\tesc\\u{{1b}}[2J\ntype\tbool (0x20)\nshape\t[9]\nlayout\trow_major (0x01)\n\
         buffer 0\tdata: 2 bytes at {second}, alignment 64\n"
    );
    assert!(said.out.ends_with(&end), "{}\n--\n{end}", said.out);
}

#[test]
fn a_bad_descriptor_hides_no_other_tensor() {
    let bench = Bench::new();
    small(&bench);
    let place = usize::try_from(bench.open("model.hrry").entry(0).unwrap().descriptor_offset);
    let mut bytes = fs::read(bench.path("model.hrry")).unwrap();
    bytes[place.unwrap() + 15] = 0;
    fs::write(bench.path("model.hrry"), bytes).unwrap();
    for options in [&["info", "model.hrry"][..], &["info", "--json", "model.hrry"]] {
        let said = bench.hrry(options);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.out.contains("row_major"), "{said:?}");
        assert!(said.err.starts_with("hrry: model.hrry: tensor 0 \"layer.weight\": "), "{said:?}");
    }
    let said = bench.hrry(&["info", "--json", "model.hrry"]);
    let info: Value = serde_json::from_str(&said.out).unwrap();
    assert!(info["tensors"][0]["error"].as_str().unwrap().starts_with("tensor 0"));
    assert_eq!(info["tensors"][1]["dtype"], "bool");
}

fn float(shape: &[u64]) -> Builder {
    Builder::new(ElementType::FLOAT32, shape).unwrap()
}

fn head(rule: Composition, shape: &[u64], count: u32) -> Descriptor {
    float(shape).layout(Composite::new(rule, count).unwrap()).build().unwrap()
}

fn part(parent: &[u64], offset: &[u64], shape: &[u64]) -> Builder {
    let mut part = float(shape);
    part.shard(Shard::new(parent, offset).unwrap());
    part
}

/// Writes tensors one by one, whatever they are together.
fn write(bench: &Bench, tensors: &[(&str, Descriptor)]) {
    let mut writer = Writer::create(&bench.path("model.hrry"), &WriterOptions::default()).unwrap();
    for (name, descriptor) in tensors {
        let size = descriptor.buffers().first().map_or(0, |buffer| buffer.byte_size);
        let data = vec![0; usize::try_from(size).unwrap()];
        let buffers: &[&[u8]] = if descriptor.is_composite_head() { &[] } else { &[&data] };
        writer.tensor_raw(name, &descriptor.encode().unwrap(), buffers).unwrap();
    }
    writer.finish().unwrap();
}

/// The lines about composites, and the list of them in JSON.
fn composites(bench: &Bench) -> (String, Value) {
    let said = bench.hrry(&["info", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.lines().all(|line| line.split('\t').count() == 2), "{}", said.out);
    let lines = said.out.lines().skip_while(|line| !line.starts_with("composite\t"));
    let lines = lines.take_while(|line| !line.starts_with("tensor\t"));
    let text = lines.map(|line| format!("{line}\n")).collect();
    let said = bench.hrry(&["info", "--json", "model.hrry"]);
    let info: Value = serde_json::from_str(&said.out).unwrap();
    (text, info["composites"].clone())
}

#[test]
fn composites_are_trees() {
    let bench = Bench::new();
    let shape = [4, 6];
    let role = |role, offset: &[u64], extent: &[u64]| {
        part(&shape, offset, extent).member_role(role).build().unwrap()
    };
    write(
        &bench,
        &[
            ("before", float(&[2]).build().unwrap()),
            ("layer", head(Composition::Group, &[], 3)),
            ("layer.w", head(Composition::Partition, &shape, 2)),
            ("layer.w.\t0", part(&shape, &[0, 0], &[4, 4]).build().unwrap()),
            ("layer.w.1", part(&shape, &[0, 4], &[4, 2]).build().unwrap()),
            ("layer.o", head(Composition::Overlay(Combine::Add), &shape, 2)),
            ("layer.o.base", role(MemberRole::Base, &[0, 0], &shape)),
            ("layer.o.more", role(MemberRole::Correction, &[1, 2], &[1, 1])),
            ("layer.b", float(&[2]).build().unwrap()),
            ("between", float(&[0]).build().unwrap()),
            ("torn", head(Composition::Group, &[], 3)),
            ("torn.0", float(&[2]).build().unwrap()),
        ],
    );
    let (text, json) = composites(&bench);
    assert_eq!(
        text,
        "composite\tlayer\n\
         rule\tgroup, 3 members\n\
         member\tlayer.w  partition of [4,6], 2 members\n\
         member\t  layer.w.\\t0  [4,4] at [0,0]\n\
         member\t  layer.w.1  [4,2] at [0,4]\n\
         member\tlayer.o  overlay (add) of [4,6], 2 members\n\
         member\t  layer.o.base  base [4,6] at [0,0]\n\
         member\t  layer.o.more  correction [1,1] at [1,2]\n\
         member\tlayer.b\n\
         composite\ttorn\n\
         rule\tgroup, 1 of 3 members: torn\n\
         member\ttorn.0\n"
    );
    let names = |tag: u8, name: &str, op: u8, op_name: &str, count: u32| {
        json!({
            "composition_rule": tag, "composition_rule_name": name,
            "combine_op": op, "combine_op_name": op_name, "member_count": count,
        })
    };
    let tree = |name: &str, fields: Value, complete: bool, members: Value| {
        compare::merged(
            compare::merged(json!({ "head": name }), fields),
            json!({ "complete": complete, "members": members }),
        )
    };
    let w = tree(
        "layer.w",
        names(1, "partition", 0, "none", 2),
        true,
        json!(["layer.w.\t0", "layer.w.1"]),
    );
    let o = tree(
        "layer.o",
        names(2, "overlay", 2, "add", 2),
        true,
        json!(["layer.o.base", "layer.o.more"]),
    );
    let layer = tree("layer", names(3, "group", 0, "none", 3), true, json!([w, o, "layer.b"]));
    let torn = tree("torn", names(3, "group", 0, "none", 3), false, json!(["torn.0"]));
    assert_eq!(json, json!([layer, torn]));
}

/// What nests deeper than the format has it ends at its eighth level, however deep it goes.
#[test]
fn composites_end_at_their_eighth_level() {
    let bench = Bench::new();
    let names: Vec<_> = (0..20_000).map(|k| format!("g{k}")).collect();
    let mut tensors: Vec<_> =
        names.iter().map(|name| (name.as_str(), head(Composition::Group, &[], 2))).collect();
    tensors.push(("last", head(Composition::Group, &[], 0)));
    write(&bench, &tensors);
    let (text, mut json) = composites(&bench);
    let last = text.lines().last().unwrap();
    assert_eq!(last, format!("member\t{}g8", "  ".repeat(7)), "{text}");
    for k in 0..8 {
        json = json[0].take();
        assert_eq!(json["head"], format!("g{k}"));
        json = json["members"].take();
    }
    assert_eq!(json, json!(["g8"]));
}

#[test]
fn what_is_no_file() {
    let bench = Bench::new();
    let said = bench.hrry(&["info", "none.hrry"]);
    assert_eq!((said.code, said.out.as_str()), (3, ""), "{said:?}");
    assert!(said.err.starts_with("hrry: none.hrry: "), "{said:?}");
    fs::write(bench.path("short.hrry"), "HRRYFILE").unwrap();
    let said = bench.hrry(&["info", "short.hrry"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    let mut command = bench.command();
    command.args(["info", "-"]).stdin(fs::File::open(bench.path("short.hrry")).unwrap());
    let said: common::Said = command.output().unwrap().into();
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    assert!(said.err.starts_with("hrry: standard input: "), "{said:?}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let bench = Bench::new();
    let mut model = Model::new();
    for k in 0..2_000 {
        model = model.tensor(&format!("a rather long name of a tensor {k}"), "U8", &[1], &[1]);
    }
    bench.converted(&model);
    for options in [&["info", "model.hrry"][..], &["info", "--json", "model.hrry"]] {
        let mut command = bench.command();
        command.args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let said: common::Said = child.wait_with_output().unwrap().into();
        assert_eq!((said.code, said.err.as_str()), (0, ""));
    }
}
