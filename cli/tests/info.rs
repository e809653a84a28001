//! `hrry info`: the plain form, and files that are partly at fault. JSON is held against the test
//! vectors in every_vector.rs.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::process::Stdio;

use common::{Bench, Model};
use serde_json::Value;

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
