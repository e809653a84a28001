//! `hrry stats`, and `hrry verify --statistics`: numbers computed, and beside them what a file says.

#![allow(missing_docs)]

mod common;

use std::fs;

use common::{Bench, Model};
use hurray::container::{Writer, WriterOptions};
use hurray::descriptor::{Builder, ElementType, NmSparsity, Statistics, ValueRange};
use serde_json::{Value, json};

const VALUES: [f32; 8] = [2.0, 0.0, 4.0, -6.0, 0.0, 0.0, 0.0, 8.0];

fn bytes() -> Vec<u8> {
    VALUES.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A file with the tensor "x", and statistics of which some are wrong.
fn with_statistics(bench: &Bench) {
    let mut statistics = Statistics::new();
    statistics.set_nnz(4);
    statistics.set_range(ValueRange { min: -6.0, max: 9.0, abs_max: 9.0 });
    statistics.set_nm(NmSparsity { n: 1, m: 2 }).unwrap();
    let mut builder = Builder::new(ElementType::FLOAT32, &[2, 4]).unwrap();
    builder.statistics(statistics);
    let path = bench.path("said.hrry");
    let mut writer = Writer::create(&path, &WriterOptions::default()).unwrap();
    writer.tensor("x", &builder.build().unwrap(), &[&bytes()]).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_row_a_tensor() {
    let bench = Bench::new();
    let model = Model::new().tensor("x", "F32", &[2, 4], &bytes()).tensor("u", "U8", &[2], &[3, 5]);
    bench.converted(&model);
    let said = bench.hrry(&["stats", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    // The mean of the squares of x is 15, its mean 1.
    let deviation = 14.0_f64.sqrt();
    let x = format!("x\t4\t0.5\t-6.0\t8.0\t1.0\t{deviation:?}\t3:4\tnone\n");
    let u = "u\t2\t0.0\t3.0\t5.0\t4.0\t1.0\t2:4\tnone\n";
    assert_eq!(said.out, format!("{x}{u}"));
    assert_eq!(bench.hrry(&["stats", "model.hrry", "u"]).out, u);

    let said = bench.hrry(&["stats", "model.hrry", "u", "y"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert_eq!(said.err, "hrry: model.hrry: has no tensor \"y\"\n");
}

#[test]
fn what_the_file_says_else() {
    let bench = Bench::new();
    with_statistics(&bench);
    let said = bench.hrry(&["stats", "said.hrry"]);
    let deviation = 14.0_f64.sqrt();
    let row = format!("x\t4\t0.5\t-6.0\t8.0 (9.0)\t1.0\t{deviation:?}\t2:2 (1:2)\tnone\n");
    assert_eq!((said.code, said.out, said.err.as_str()), (0, row, ""));

    let said = bench.hrry(&["stats", "--json", "said.hrry"]);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let tensor = &document["tensors"][0];
    assert_eq!(tensor["name"], "x");
    assert_eq!(tensor["computed"]["value_abs_max"], 8.0);
    assert_eq!(tensor["file"]["value_abs_max"], 9.0);
    assert_eq!(tensor["differing"], json!(["value_max", "value_abs_max", "nm_n"]));
}

#[test]
fn verify_holds_them_against_the_values_when_asked() {
    let bench = Bench::new();
    with_statistics(&bench);
    assert_eq!(bench.hrry(&["verify", "said.hrry"]).code, 0);
    let said = bench.hrry(&["verify", "--statistics", "said.hrry"]);
    let place = "hrry: said.hrry: tensor 0 \"x\": descriptor: ";
    let lines: Vec<&str> =
        said.err.lines().map(|line| line.strip_prefix(place).unwrap_or(line)).collect();
    assert_eq!(
        lines,
        ["value_max is 9, must be 8", "value_abs_max is 9, must be 8", "nm_n 1 is not in 2 to 2"]
    );
    assert_eq!(said.code, 1);
    assert!(said.out.trim_end().ends_with(", statistics"), "{said:?}");
}

#[test]
fn tensors_without_numbers() {
    let bench = Bench::new();
    let path = bench.path("complex.hrry");
    let mut writer = Writer::create(&path, &WriterOptions::default()).unwrap();
    let builder = Builder::new(ElementType::COMPLEX64, &[1]).unwrap();
    writer.tensor("z", &builder.build().unwrap(), &[&[0; 8]]).unwrap();
    writer.finish().unwrap();
    let said = bench.hrry(&["stats", "complex.hrry"]);
    let row = "z\t-\t-\t-\t-\t-\t-\t-\t-\n";
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, row, ""));

    fs::write(bench.path("bad.hrry"), "HRRYFILE").unwrap();
    assert_eq!(bench.hrry(&["stats", "bad.hrry"]).code, 1);
    assert_eq!(bench.hrry(&["stats", "-"]).code, 2);
}
