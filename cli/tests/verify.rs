//! `hrry verify`: what it says, where, and how it ends.

#![allow(missing_docs)]

mod common;

use std::fs;

use common::{Bench, Model};

fn two(bench: &Bench) -> Vec<u8> {
    let model = Model::new().tensor("a", "U8", &[1], &[1]).tensor("b", "U8", &[1], &[2]);
    bench.converted(&model);
    fs::read(bench.path("model.hrry")).unwrap()
}

#[test]
fn a_valid_file_and_what_was_checked() {
    let bench = Bench::new();
    two(&bench);
    let said = bench.hrry(&["verify", "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(
        said.out,
        "model.hrry: valid; checked: header, trailer, index with checksum, keys (0), \
         descriptors (2), overlaps, gaps, padding, composites, content (indices, page tables, scales, \
         zero points, float8_e8m0)\n"
    );
    let said = bench.hrry(&["verify", "--quiet", "model.hrry"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
}

#[test]
fn every_problem_up_to_max() {
    let bench = Bench::new();
    let mut bytes = two(&bench);
    let file = bench.open("model.hrry");
    for i in 0..2 {
        let place = usize::try_from(file.entry(i).unwrap().descriptor_offset).unwrap() + 15;
        bytes[place] = 0;
    }
    fs::write(bench.path("bad.hrry"), bytes).unwrap();
    let said = bench.hrry(&["verify", "bad.hrry"]);
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!((said.code, lines.len()), (1, 2), "{said:?}");
    assert!(lines[0].starts_with("hrry: bad.hrry: tensor 0 \"a\": "), "{said:?}");
    assert!(lines[1].starts_with("hrry: bad.hrry: tensor 1 \"b\": "), "{said:?}");
    assert!(said.out.starts_with("bad.hrry: invalid, 2 problems; checked: "), "{said:?}");

    let said = bench.hrry(&["verify", "--max", "1", "bad.hrry"]);
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!((said.code, lines.len()), (1, 2), "{said:?}");
    assert_eq!(lines[1], "hrry: bad.hrry: 1 more, see --max");
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let bench = Bench::new();
    two(&bench);
    fs::write(bench.path("short.hrry"), "HRRYFILE").unwrap();
    let said = bench.hrry(&["verify", "short.hrry", "model.hrry"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.starts_with("hrry: short.hrry: "), "{said:?}");
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(
        lines[0],
        "short.hrry: invalid, 1 problem; could not be opened, nothing else was checked"
    );
    assert!(lines[1].starts_with("model.hrry: valid; "), "{said:?}");

    let said = bench.hrry(&["verify", "short.hrry", "none.hrry", "model.hrry"]);
    assert_eq!((said.code, said.out.lines().count()), (3, 2), "{said:?}");
    assert!(said.err.contains("hrry: none.hrry: "), "{said:?}");
}

#[test]
fn a_newer_version_is_not_called_invalid() {
    let bench = Bench::new();
    let mut bytes = two(&bench);
    bytes[8] = 2;
    fs::write(bench.path("newer.hrry"), bytes).unwrap();
    let said = bench.hrry(&["verify", "newer.hrry"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.starts_with("newer.hrry: not supported, 1 problem; "), "{said:?}");
}

#[test]
fn usage() {
    let bench = Bench::new();
    let said = bench.hrry(&["verify", "-"]);
    let message = "standard input: verifying needs a file that can be read at any place";
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
    assert_eq!(said.err, format!("hrry: {message}\n"));
    assert_eq!(bench.hrry(&["verify"]).code, 2);
    assert_eq!(bench.hrry(&["verify", "--max", "-1", "x"]).code, 2);
    assert_eq!(bench.hrry(&["frobnicate"]).code, 2);
    assert_eq!(bench.hrry(&["help"]).code, 0);
    assert_eq!(bench.hrry(&["--version"]).code, 0);
}
