//! `hrry convert` from a model in several files.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;

use common::{Bench, Model, names, tensor};

const INDEX: &str = "model.safetensors.index.json";

/// Two files with two tensors each and an index with this `weight_map`.
fn bench(index: &str) -> Bench {
    let bench = Bench::new();
    let format = r#""__metadata__":{"format":"pt"}"#;
    Model::new()
        .raw(format)
        .tensor("a", "U8", &[1], &[1])
        .tensor("b", "BOOL", &[2], &[1, 1])
        .write(&bench.path("1-of-2.safetensors"));
    Model::new()
        .raw(format)
        .tensor("d", "U8", &[1], &[4])
        .tensor("c", "U8", &[1], &[3])
        .write(&bench.path("2-of-2.safetensors"));
    fs::write(bench.path(INDEX), index).unwrap();
    bench
}

const WHOLE: &str = r#"{
    "metadata": {"total_size": 5, "made_by": "us", "version": 3},
    "weight_map": {
        "c": "2-of-2.safetensors", "a": "1-of-2.safetensors",
        "b": "1-of-2.safetensors", "d": "2-of-2.safetensors"
    }
}"#;

/// Converts, which must fail with this message about the file of this name and leave no file.
fn refused(bench: &Bench, code: i32, path: &str, expected: &str) {
    let before = bench.names();
    let said = bench.hrry(&["convert", INDEX, "model.hrry"]);
    assert_eq!(said.err, format!("hrry: {path}: {expected}\n"));
    assert_eq!(said.code, code);
    assert_eq!(bench.names(), before);
}

#[test]
fn files_become_one() {
    let bench = bench(WHOLE);
    let said = bench.hrry(&["convert", INDEX, "model.hrry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, "model.hrry: 4 tensors, 5 bytes of data\n");
    let file = bench.open("model.hrry");
    assert_eq!(names(&file), ["a", "b", "d", "c"]);
    assert_eq!(tensor(&file, "b"), ("bool", vec![2], vec![3]));
    assert_eq!(tensor(&file, "c"), ("uint8", vec![1], vec![3]));
    let kv = file.kv();
    let text = |key: &str| {
        kv.find(key.as_bytes()).map(|k| kv.get(k).unwrap().string(0).unwrap().to_owned())
    };
    assert_eq!(text("format").as_deref(), Some("pt"));
    assert_eq!(text("made_by").as_deref(), Some("us"));
    assert_eq!(text("version").as_deref(), Some("3"));
    assert_eq!(kv.len(), 3);
}

#[test]
fn files_may_lie_below_and_be_links() {
    let bench = bench(&WHOLE.replace("2-of-2", "more/2-of-2"));
    fs::create_dir(bench.path("more")).unwrap();
    symlink("../2-of-2.safetensors", bench.path("more/2-of-2.safetensors")).unwrap();
    assert_eq!(bench.hrry(&["convert", INDEX, "model.hrry"]).code, 0);
    // From another folder: names count from where the index lies.
    let index = bench.path(INDEX);
    let said: common::Said = bench
        .command()
        .current_dir("/")
        .arg("convert")
        .arg(index)
        .arg(bench.path("2.hrry"))
        .output()
        .unwrap()
        .into();
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn a_missing_file() {
    let bench = bench(WHOLE);
    fs::remove_file(bench.path("2-of-2.safetensors")).unwrap();
    refused(&bench, 1, INDEX, "names \"2-of-2.safetensors\", which is missing");
}

#[test]
fn names_that_leave_the_folder() {
    let outside = tempfile::tempdir().unwrap();
    let place = outside.path().join("x");
    Model::new().tensor("a", "U8", &[1], &[1]).write(&place);
    let place = place.to_str().unwrap();
    for name in [place, "../x", "more/../../x", "./x", ".."] {
        let index = format!(r#"{{"weight_map":{{"a":"{name}"}}}}"#);
        let expected = format!("\"{name}\" leaves the folder of the index");
        refused(&bench(&index), 1, INDEX, &expected);
    }
    for (name, shown) in [("", ""), ("a\\u0000", "a\\0"), ("more/", "more/")] {
        let index = format!(r#"{{"weight_map":{{"a":"{name}"}}}}"#);
        refused(&bench(&index), 1, INDEX, &format!("\"{shown}\" is not the name of a file"));
    }
}

#[test]
fn promises_that_are_not_kept() {
    let index = WHOLE.replace("\"a\": ", "\"e\": \"2-of-2.safetensors\", \"a\": ");
    let expected =
        "promises tensor \"e\" in \"2-of-2.safetensors\", which does not hold it; nor does another";
    refused(&bench(&index), 1, INDEX, expected);
    let index = WHOLE.replace("\"a\": \"1", "\"a\": \"2");
    let expected = "promises tensor \"a\" in \"2-of-2.safetensors\", which does not hold it; \
                    \"1-of-2.safetensors\" does";
    refused(&bench(&index), 1, INDEX, expected);
}

#[test]
fn a_tensor_in_two_files() {
    let bench = bench(WHOLE);
    Model::new()
        .tensor("c", "U8", &[1], &[1])
        .tensor("d", "U8", &[1], &[1])
        .tensor("a", "U8", &[1], &[1])
        .write(&bench.path("2-of-2.safetensors"));
    let expected = "holds tensor \"a\", and so does \"1-of-2.safetensors\"";
    refused(&bench, 1, "2-of-2.safetensors", expected);
}

#[test]
fn a_tensor_that_the_index_does_not_name() {
    let bench = bench(&WHOLE.replace(r#""a": "1-of-2.safetensors","#, ""));
    let said = bench.hrry(&["convert", INDEX, "model.hrry"]);
    assert_eq!(said.code, 0);
    assert!(said.out.ends_with("\nnote: 1 of them are not in the index\n"), "{said:?}");
    assert_eq!(tensor(&bench.open("model.hrry"), "a").2, [1]);
}

#[test]
fn metadata_that_differs() {
    let bench = bench(&WHOLE.replace("made_by", "format"));
    let expected = "metadata \"format\" is \"pt\", another file of the model says \"us\"";
    refused(&bench, 1, "1-of-2.safetensors", expected);
}

#[test]
fn a_broken_file_is_named() {
    let bench = bench(WHOLE);
    fs::write(bench.path("2-of-2.safetensors"), b"x").unwrap();
    let expected = "not a safetensors file: 1 bytes, 8 are the least";
    refused(&bench, 1, "2-of-2.safetensors", expected);
}

#[test]
fn indexes_that_are_none() {
    for (index, expected) in [
        ("", "EOF while parsing"),
        ("{}", "missing field `weight_map`"),
        (r#"{"weight_map":{"a":1}}"#, "invalid type: integer `1`, expected a string"),
        (r#"{"weight_map":{"a":"x","a":"x"}}"#, "\"a\" appears twice"),
        (r#"{"weight_map":{},"weight_map":{}}"#, "duplicate field `weight_map`"),
    ] {
        let said = bench(index).hrry(&["convert", INDEX, "model.hrry"]);
        assert_eq!(said.code, 1, "{said:?}");
        let expected = format!("hrry: {INDEX}: not a valid index: {expected}");
        assert!(said.err.starts_with(&expected), "{said:?}");
    }
}

#[test]
fn the_target_is_none_of_the_sources() {
    let bench = bench(WHOLE);
    for name in [INDEX, "1-of-2.safetensors", "2-of-2.safetensors"] {
        let before = fs::read(bench.path(name)).unwrap();
        let said = bench.hrry(&["convert", INDEX, name]);
        assert_eq!(said.code, 2, "{said:?}");
        assert_eq!(fs::read(bench.path(name)).unwrap(), before);
    }
}
