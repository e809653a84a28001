//! `hrry convert` from a single file: what is kept, what is refused, what is left behind.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use common::{Bench, Model, names, tensor};

/// `count` bytes, all different from their neighbours.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|k| u8::try_from(k * 7 % 251).unwrap()).collect()
}

#[test]
fn every_type_with_a_counterpart() {
    let types = [
        ("U8", "uint8", 8),
        ("I8", "int8", 8),
        ("U16", "uint16", 16),
        ("I16", "int16", 16),
        ("U32", "uint32", 32),
        ("I32", "int32", 32),
        ("U64", "uint64", 64),
        ("I64", "int64", 64),
        ("F16", "float16", 16),
        ("BF16", "bfloat16", 16),
        ("F32", "float32", 32),
        ("F64", "float64", 64),
        ("C64", "complex64", 64),
        ("F8_E4M3", "float8_e4m3", 8),
        ("F8_E5M2", "float8_e5m2", 8),
        ("F4", "float4_e2m1", 4),
    ];
    let mut model = Model::new();
    for (dtype, _, bits) in types {
        model = model.tensor(&format!("t.{dtype}"), dtype, &[3, 4], &bytes(12 * bits / 8));
    }
    model = model.tensor("t.F8_E8M0", "F8_E8M0", &[2], &[1, 0xFE]);
    let bench = Bench::new();
    let file = bench.converted(&model);
    for (dtype, name, bits) in types {
        let expected = (name, vec![3, 4], bytes(12 * bits / 8));
        assert_eq!(tensor(&file, &format!("t.{dtype}")), expected);
    }
    assert_eq!(tensor(&file, "t.F8_E8M0"), ("float8_e8m0", vec![2], vec![1, 0xFE]));
}

#[test]
fn bool_becomes_bits() {
    let thirteen = [1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1];
    let long: Vec<u8> = (0..9_000_001).map(|k| u8::from(k % 3 == 0)).collect();
    let bench = Bench::new();
    let file = bench.converted(
        &Model::new()
            .tensor("few", "BOOL", &[13], &thirteen)
            .tensor("none", "BOOL", &[0], &[])
            .tensor("one", "BOOL", &[], &[1])
            .tensor("many", "BOOL", &[9_000_001], &long),
    );
    assert_eq!(tensor(&file, "few"), ("bool", vec![13], vec![0b1000_1101, 0b0001_0010]));
    assert_eq!(tensor(&file, "none"), ("bool", vec![0], vec![]));
    assert_eq!(tensor(&file, "one"), ("bool", vec![], vec![1]));
    let (_, _, packed) = tensor(&file, "many");
    assert_eq!(packed.len(), 1_125_001);
    for (k, &value) in long.iter().enumerate() {
        assert_eq!(packed[k / 8] >> (k % 8) & 1, value, "{k}");
    }
}

#[test]
fn metadata_and_order_are_kept() {
    let bench = Bench::new();
    let file = bench.converted(
        &Model::new()
            .raw(r#""__metadata__":{"format":"pt","empty":"","z\u0000":"\u00e9\n"}"#)
            .entry("second", "U8", &[2], 1, 3)
            .entry("first", "U8", &[1], 0, 1)
            .entry("third", "U8", &[1], 3, 4)
            .data(&[10, 11, 12, 13]),
    );
    assert_eq!(names(&file), ["first", "second", "third"]);
    assert_eq!(tensor(&file, "second").2, [11, 12]);
    let kv = file.kv();
    let entries: Vec<_> = (0..kv.len())
        .map(|k| kv.get(k).unwrap())
        .map(|entry| (entry.key().to_owned(), entry.string(0).unwrap().to_owned()))
        .collect();
    let expected = [("format", "pt"), ("empty", ""), ("z\0", "é\n")];
    assert_eq!(entries, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
}

#[test]
fn shapes_at_the_edge() {
    let ones = [1; 64];
    let bench = Bench::new();
    let file = bench.converted(
        &Model::new()
            .tensor("scalar", "F32", &[], &[1, 2, 3, 4])
            .tensor("empty", "F32", &[0], &[])
            .tensor("empty beside huge", "F32", &[1 << 40, 0, 1 << 40], &[])
            .tensor("deep", "U8", &ones, &[9]),
    );
    assert_eq!(tensor(&file, "scalar"), ("float32", vec![], vec![1, 2, 3, 4]));
    assert_eq!(tensor(&file, "empty"), ("float32", vec![0], vec![]));
    assert_eq!(tensor(&file, "empty beside huge").1, [1 << 40, 0, 1 << 40]);
    assert_eq!(tensor(&file, "deep"), ("uint8", ones.to_vec(), vec![9]));

    let none = Bench::new();
    assert_eq!(none.converted(&Model::new()).tensor_count(), 0);

    let message = Bench::new().refused(1, &Model::new().tensor("t", "U8", &[1; 65], &[9]));
    assert_eq!(message, "tensor \"t\": rank 65 is not in 0 to 64");
    let endless = Model::new().tensor("t", "U8", &[0, u64::MAX], &[]);
    let message = Bench::new().refused(1, &endless);
    assert_eq!(message, "tensor \"t\": a dimension of 2^64 - 1 has another meaning in .hrry");
}

#[test]
fn names_at_the_edge() {
    let longest = "n".repeat(65_535);
    let odd = "a\0b\n\"\\ 权重 \u{1F600}";
    let bench = Bench::new();
    let file = bench.converted(&Model::new().tensor(&longest, "U8", &[1], &[1]).tensor(
        odd,
        "U8",
        &[1],
        &[2],
    ));
    assert_eq!(tensor(&file, &longest).2, [1]);
    assert_eq!(tensor(&file, odd).2, [2]);

    let message = Bench::new().refused(1, &Model::new().tensor("", "U8", &[1], &[1]));
    assert!(message.starts_with("tensor 0 \"\": name_length 0 "), "{message}");
    let longer = "n".repeat(65_536);
    let message = Bench::new().refused(1, &Model::new().tensor(&longer, "U8", &[1], &[1]));
    assert!(message.contains("name_length 65536 "), "{message}");
    assert!(message.len() < 500, "{message}");
    let message = Bench::new().refused(1, &Model::new().raw(r#""__metadata__":{"":"x"}"#));
    assert!(message.starts_with("metadata \"\": key_length 0 "), "{message}");
}

#[test]
fn a_header_of_many_tensors() {
    let mut model = Model::new();
    for k in 0..20_000u32 {
        model = model.tensor(&format!("layers.{k}.weight"), "U32", &[1], &k.to_le_bytes());
    }
    let bench = Bench::new();
    let file = bench.converted(&model);
    assert_eq!(file.tensor_count(), 20_000);
    assert_eq!(tensor(&file, "layers.12345.weight").2, 12_345u32.to_le_bytes());
}

#[test]
fn types_without_a_counterpart_are_all_listed() {
    let message = Bench::new().refused(
        1,
        &Model::new()
            .tensor("fine", "F32", &[1], &[0; 4])
            .tensor("a", "F8_E4M3FNUZ", &[1], &[0])
            .tensor("b\n", "F6_E2M3", &[4], &[0; 3])
            .tensor("c", "F99", &[1], &[0; 5]),
    );
    assert_eq!(
        message,
        "3 tensor(s) of a type that .hrry does not have:\n  F8_E4M3FNUZ  a\n  F6_E2M3      b\\n\n  \
         F99          c"
    );
}

#[test]
fn values_without_a_counterpart() {
    let message = Bench::new().refused(1, &Model::new().tensor("mask", "BOOL", &[3], &[0, 1, 255]));
    assert_eq!(message, "tensor \"mask\": element 2 of BOOL is 255, not 0 or 1");
    let message = Bench::new().refused(1, &Model::new().tensor("s", "F8_E8M0", &[2], &[127, 0]));
    assert_eq!(
        message,
        "tensor \"s\": element 1 of F8_E8M0 is 0x00, which float8_e8m0 does not have"
    );
}

#[test]
fn headers_that_break_the_format() {
    let cases: &[(Model, &str)] = &[
        (
            Model::new().entry("a", "U8", &[1], 0, 1).entry("a", "U8", &[1], 1, 2).data(&[0; 2]),
            "tensor \"a\": appears twice",
        ),
        (
            Model::new().entry("a", "U8", &[1], 1, 2).data(&[0; 2]),
            "tensor \"a\": data_offsets [1, 2] leave a gap: byte 0 comes next",
        ),
        (
            Model::new().entry("a", "U8", &[2], 0, 2).entry("b", "U8", &[2], 1, 3).data(&[0; 3]),
            "tensor \"b\": data_offsets [1, 3] overlap the data before: byte 2 comes next",
        ),
        (
            Model::new().entry("a", "U8", &[2], 0, 2).data(&[0; 5]),
            "tensor \"a\": data ends at byte 2, the file goes on to 5",
        ),
        (
            Model::new().entry("a", "U8", &[2], 0, 2).data(&[0; 1]),
            "tensor \"a\": data_offsets [0, 2] are not inside the 1 bytes of data",
        ),
        (
            Model::new().entry("a", "U8", &[0], 2, 1).data(&[0; 2]),
            "tensor \"a\": data_offsets [2, 1] are not inside the 2 bytes of data",
        ),
        (
            Model::new().entry("a", "F32", &[2, 3], 0, 23).data(&[0; 23]),
            "tensor \"a\": F32 of shape [2, 3] takes 24 bytes, data_offsets give 23",
        ),
        (
            Model::new().entry("a", "F64", &[1 << 40, 1 << 40], 0, 1).data(&[0]),
            "tensor \"a\": F64 of shape [1099511627776, 1099511627776] is no whole number of \
             bytes below 2^64",
        ),
        (
            Model::new().entry("a", "F4", &[3], 0, 2).data(&[0; 2]),
            "tensor \"a\": F4 of shape [3] is no whole number of bytes below 2^64",
        ),
        (
            Model::new().raw(r#""__metadata__":{"k":"1","k":"2"}"#),
            "header is not valid: \"k\" appears twice",
        ),
        (
            Model::new().raw(r#""__metadata__":{}"#).raw(r#""__metadata__":{}"#),
            "header is not valid: __metadata__ appears twice",
        ),
        (
            Model::new().raw(r#""__metadata__":{"k":1}"#),
            "header is not valid: invalid type: integer `1`, expected a string",
        ),
        (
            Model::new().raw(r#""a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}"#),
            "header is not valid: invalid value: integer `-1`, expected u64",
        ),
        (
            Model::new().raw(r#""a":{"dtype":"U8","shape":[0]}"#),
            "header is not valid: missing field `data_offsets`",
        ),
        (
            Model::new().raw(r#""a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}"#),
            "header is not valid: duplicate field `dtype`",
        ),
    ];
    for (model, expected) in cases {
        let message = Bench::new().refused(1, model);
        assert!(message.starts_with(expected), "{message}\n{expected}");
    }
}

#[test]
fn bytes_that_are_no_safetensors_file() {
    let with_header = |header: &[u8]| {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header);
        bytes
    };
    let cases: &[(&[u8], &str)] = &[
        (b"", "not a safetensors file: 0 bytes"),
        (b"1234567", "not a safetensors file: 7 bytes"),
        (b"HRRYFILE and so on", "not a safetensors file, or cut short: a header of "),
        (
            &[200, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'],
            "not a safetensors file, or cut short: a header of 200 bytes in a file of 10",
        ),
        (&with_header(b""), "not a safetensors file: the header does not begin with {"),
        (&with_header(b" {}"), "not a safetensors file: the header does not begin with {"),
        (&with_header(b"{"), "header is not valid: EOF"),
        (&with_header(b"{}x"), "header is not valid: trailing characters"),
        (&with_header(b"{\"\xFF\":1}"), "header is not valid: "),
        (&with_header(b"{\"\\ud800\":1}"), "header is not valid: "),
    ];
    for (bytes, expected) in cases {
        let message = Bench::new().refused_bytes(1, bytes);
        assert!(message.starts_with(expected), "{message}\n{expected}");
    }
    // Spaces after the object are the format's own padding.
    let bench = Bench::new();
    fs::write(bench.path("a"), with_header(b"{}   ")).unwrap();
    assert_eq!(bench.hrry(&["convert", "a", "b"]).code, 0);
}

#[test]
fn a_header_beyond_the_limit_is_not_read() {
    let bench = Bench::new();
    let file = fs::File::create(bench.path("model.safetensors")).unwrap();
    file.set_len(200_000_000).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &100_000_001u64.to_le_bytes(), 0).unwrap();
    let said = bench.hrry(&["convert", "model.safetensors", "model.hrry"]);
    assert_eq!(said.code, 1);
    assert_eq!(
        said.err,
        "hrry: model.safetensors: header of 100000001 bytes, the format allows 100000000\n"
    );
}

#[test]
fn sources_that_cannot_be_read() {
    let bench = Bench::new();
    let said = bench.hrry(&["convert", "none.safetensors", "model.hrry"]);
    assert_eq!(said.code, 3);
    assert_eq!(said.err, "hrry: none.safetensors: No such file or directory (os error 2)\n");
    fs::create_dir(bench.path("folder")).unwrap();
    let said = bench.hrry(&["convert", "folder", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (3, "hrry: folder: not a regular file\n"));
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    let said = bench.hrry(&["convert", "pipe", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (3, "hrry: pipe: not a regular file\n"));
    assert_eq!(bench.names(), ["folder", "pipe"]);
}

#[test]
fn targets_that_cannot_be_written() {
    let bench = Bench::new();
    Model::new().tensor("t", "U8", &[1], &[1]).write(&bench.path("a"));
    let said = bench.hrry(&["convert", "a", "none/b"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.starts_with("hrry: none/b: "), "{said:?}");
    let said = bench.hrry(&["convert", "a", "/dev/null"]);
    assert_eq!(said.code, 3, "{said:?}");

    // The source by any of its names.
    fs::hard_link(bench.path("a"), bench.path("hard")).unwrap();
    symlink("a", bench.path("soft")).unwrap();
    for name in ["a", "./a", "hard", "soft"] {
        let said = bench.hrry(&["convert", "a", name]);
        assert_eq!(said.code, 2, "{said:?}");
        assert_eq!(said.err, format!("hrry: {name}: is a file that the model is read from\n"));
    }
}

#[test]
fn options() {
    let bench = Bench::new();
    let model = Model::new().tensor("a", "U8", &[1], &[1]).tensor("b", "U8", &[1], &[2]);
    model.write(&bench.path("m"));
    let said = bench.hrry(&["convert", "m", "m.hrry"]);
    assert_eq!(said.out, "m.hrry: 2 tensors, 2 bytes of data\n");
    let said = bench.hrry(&["convert", "-q", "--align", "65536", "m", "m.hrry"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    let file = bench.open("m.hrry");
    assert_eq!(file.header().alignment(), 65_536);
    assert_eq!(file.entry(file.find(b"b").unwrap()).unwrap().data_offset % 65_536, 0);
    for bad in ["0", "2048", "4097", "4194304", "x", "-1"] {
        let said = bench.hrry(&["convert", "m", "m.hrry", &format!("--align={bad}")]);
        assert_eq!(said.code, 2, "{said:?}");
    }
    for bad in [&["convert"][..], &["convert", "a"], &["nothing"], &[]] {
        assert_eq!(bench.hrry(bad).code, 2);
    }
}

#[test]
fn a_large_tensor_in_little_memory() {
    let bench = Bench::new();
    let size = 256 << 20;
    let header = format!(r#"{{"t":{{"dtype":"U8","shape":[{size}],"data_offsets":[0,{size}]}}}}"#);
    let file = fs::File::create(bench.path("large")).unwrap();
    let mut start = (header.len() as u64).to_le_bytes().to_vec();
    start.extend_from_slice(header.as_bytes());
    std::os::unix::fs::FileExt::write_all_at(&file, &start, 0).unwrap();
    // All zero and not on the disk.
    file.set_len(start.len() as u64 + size).unwrap();
    // 16 MiB of data and the program itself.
    let limited = format!(
        "ulimit -v 49152 && exec '{}' convert -q large large.hrry",
        env!("CARGO_BIN_EXE_hrry")
    );
    let said: common::Said = Command::new("sh")
        .args(["-c", &limited])
        .current_dir(bench.path(""))
        .output()
        .unwrap()
        .into();
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let file = bench.open("large.hrry");
    assert_eq!(file.entry(0).unwrap().data_length, size);
}
