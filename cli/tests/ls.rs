//! `hrry ls`: what it prints, where, and how it ends.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::process::Stdio;

use common::{Bench, Model};

#[test]
fn one_line_a_tensor() {
    let bench = Bench::new();
    let file = bench.converted(
        &Model::new()
            .tensor("layer.weight", "BF16", &[2, 3], &[7; 12])
            .tensor("scale", "F64", &[], &[7; 8])
            .tensor("none", "I8", &[0, 5], &[])
            .tensor("tab\there\0\u{1b}[2J", "BOOL", &[9], &[1; 9]),
    );
    let place = |name: &[u8]| file.entry(file.find(name).unwrap()).unwrap().data_offset;
    let expected = format!(
        "layer.weight\tbfloat16\t[2,3]\trow_major\t12\t{}\n\
         scale\tfloat64\t[]\trow_major\t8\t{}\n\
         none\tint8\t[0,5]\trow_major\t0\t{}\n\
         tab\\there\\0\\u{{1b}}[2J\tbool\t[9]\trow_major\t2\t{}\n",
        place(b"layer.weight"),
        place(b"scale"),
        place(b"none"),
        place(b"tab\there\0\x1b[2J"),
    );
    let said = bench.hrry(&["ls", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, expected);
}

#[test]
fn standard_input_lists_the_same() {
    let bench = Bench::new();
    bench.converted(&Model::new().tensor("a", "U8", &[3], &[1; 3]).tensor(
        "b",
        "I16",
        &[1],
        &[2; 2],
    ));
    let mut command = bench.command();
    command.args(["ls", "-"]).stdin(fs::File::open(bench.path("model.hrry")).unwrap());
    let said: common::Said = command.output().unwrap().into();
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, "a\tuint8\t[3]\trow_major\t3\t4096\nb\tint16\t[1]\trow_major\t2\t12288\n");
}

#[test]
fn a_file_without_tensors() {
    let bench = Bench::new();
    bench.converted(&Model::new());
    let said = bench.hrry(&["ls", "model.hrry"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let bench = Bench::new();
    let mut model = Model::new();
    for k in 0..5_000 {
        model = model.tensor(&format!("a rather long name of a tensor {k}"), "U8", &[1], &[1]);
    }
    bench.converted(&model);
    let mut command = bench.command();
    command.args(["ls", "model.hrry"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let said: common::Said = child.wait_with_output().unwrap().into();
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

#[test]
fn files_that_cannot_be_listed() {
    let bench = Bench::new();
    let said = bench.hrry(&["ls", "none.hrry"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.starts_with("hrry: none.hrry: "), "{said:?}");
    fs::write(bench.path("short.hrry"), "HRRYFILE").unwrap();
    let said = bench.hrry(&["ls", "short.hrry"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    assert!(said.err.starts_with("hrry: short.hrry: "), "{said:?}");
}

#[test]
fn a_bad_descriptor_hides_no_other_tensor() {
    let bench = Bench::new();
    let model = Model::new().tensor("bad", "U8", &[1], &[1]).tensor("good", "U8", &[1], &[2]);
    let file = bench.converted(&model);
    let entry = file.entry(file.find(b"bad").unwrap()).unwrap();
    let place = usize::try_from(entry.descriptor_offset).unwrap() + 15;
    let mut bytes = fs::read(bench.path("model.hrry")).unwrap();
    bytes[place] = 0;
    fs::write(bench.path("model.hrry"), bytes).unwrap();
    let said = bench.hrry(&["ls", "model.hrry"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.starts_with("bad\t-\t-\t-\t1\t"), "{said:?}");
    assert!(said.out.contains("\ngood\tuint8\t[1]\trow_major\t1\t"), "{said:?}");
    assert!(said.err.starts_with("hrry: model.hrry: tensor 0 \"bad\": "), "{said:?}");
}
