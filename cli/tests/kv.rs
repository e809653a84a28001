//! `hrry kv`: reading keys, and changing them without touching anything else.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use common::{Bench, Model};
use hurray::container::File;
use hurray::validate::{ValidateOptions, validate};

fn keyed(bench: &Bench) {
    let model = Model::new().raw(r#""__metadata__":{"first":"1","second":"two\nlines"}"#).tensor(
        "a",
        "U8",
        &[1],
        &[1],
    );
    bench.converted(&model);
}

fn done(bench: &Bench, arguments: &[&str]) -> String {
    let said = bench.hrry(&[&["kv"], arguments].concat());
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{arguments:?}");
    said.out
}

#[test]
fn values_of_every_type() {
    let bench = Bench::new();
    keyed(&bench);
    for (kind, value, plain) in [
        ("string", "x y", "x y\n"),
        ("i64", "-9223372036854775808", "-9223372036854775808\n"),
        ("u64", "18446744073709551615", "18446744073709551615\n"),
        ("f64", "-inf", "-inf\n"),
        ("bool", "true", "true\n"),
        ("bytes", "00ff", "00ff\n"),
        ("string-array", r#"["a", "b c"]"#, "a\nb c\n"),
        ("i64-array", "[-1, 2]", "-1\n2\n"),
        ("u64-array", "[]", ""),
        ("f64-array", r#"[0.1, "nan"]"#, "0.1\nnan\n"),
        ("bool-array", "[true, false]", "true\nfalse\n"),
        ("bytes-array", r#"["", "0a"]"#, "\n0a\n"),
    ] {
        let key = format!("of {kind}");
        assert_eq!(done(&bench, &["set", "model.hrry", &key, value, "--type", kind]), "");
        assert_eq!(done(&bench, &["get", "model.hrry", &key]), plain, "{kind}");
        // What --json prints can be set again.
        let json = done(&bench, &["get", "--json", "model.hrry", &key]);
        if kind.ends_with("-array") {
            done(&bench, &["set", "model.hrry", &key, &json]);
            assert_eq!(done(&bench, &["get", "--json", "model.hrry", &key]), json, "{kind}");
        }
    }
    let list = done(&bench, &["list", "model.hrry"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 14);
    assert_eq!(lines[1], "second\tstring\t\"two\\nlines\"");
    assert_eq!(lines[11], "of f64-array\tarray of f64\t[0.1, nan]");
}

#[test]
fn options_stand_anywhere_and_values_may_begin_with_a_dash() {
    let bench = Bench::new();
    keyed(&bench);
    done(&bench, &["set", "--type", "i64", "model.hrry", "a", "-1"]);
    done(&bench, &["set", "model.hrry", "--type", "i64", "b", "-2"]);
    done(&bench, &["set", "model.hrry", "c", "--type", "i64", "-3"]);
    done(&bench, &["set", "model.hrry", "d", "-x y"]);
    let list = done(&bench, &["list", "model.hrry"]);
    assert!(list.ends_with("a\ti64\t-1\nb\ti64\t-2\nc\ti64\t-3\nd\tstring\t\"-x y\"\n"), "{list}");
}

#[test]
fn keys_keep_their_places_and_types() {
    let bench = Bench::new();
    keyed(&bench);
    done(&bench, &["set", "model.hrry", "number", "7", "--type", "u64"]);
    done(&bench, &["set", "model.hrry", "number", "8"]);
    done(&bench, &["set", "model.hrry", "first", "9"]);
    let list = done(&bench, &["list", "model.hrry"]);
    assert_eq!(list, "first\tstring\t\"9\"\nsecond\tstring\t\"two\\nlines\"\nnumber\tu64\t8\n");
    done(&bench, &["set", "model.hrry", "number", "-8", "--type", "i64"]);
    done(&bench, &["delete", "model.hrry", "first"]);
    done(&bench, &["delete", "model.hrry", "second"]);
    assert_eq!(done(&bench, &["list", "model.hrry"]), "number\ti64\t-8\n");
    done(&bench, &["delete", "model.hrry", "number"]);
    assert_eq!(done(&bench, &["list", "model.hrry"]), "");
    assert!(bench.open("model.hrry").trailer().kv.is_none());
}

#[test]
fn a_stream_has_keys_too() {
    let bench = Bench::new();
    keyed(&bench);
    let mut command = bench.command();
    command.args(["kv", "get", "-", "second"]);
    command.stdin(fs::File::open(bench.path("model.hrry")).unwrap());
    let said: common::Said = command.output().unwrap().into();
    assert_eq!((said.code, said.out.as_str()), (0, "two\nlines\n"));
}

#[test]
fn what_is_refused_changes_nothing() {
    let bench = Bench::new();
    keyed(&bench);
    let before = fs::read(bench.path("model.hrry")).unwrap();
    let long = "k".repeat(70_000);
    for (code, arguments, message) in [
        (2, &["get", "model.hrry", "none"][..], "model.hrry: has no key \"none\""),
        (2, &["delete", "model.hrry", "none"], "model.hrry: has no key \"none\""),
        (
            2,
            &["set", "model.hrry", "k", "x", "--type", "u64"],
            "model.hrry: key \"k\": \"x\" is not of type u64: ",
        ),
        (2, &["set", "model.hrry", "", "x"], "model.hrry: key \"\": "),
        (2, &["set", "model.hrry", &long, "x"], "model.hrry: key \"kkkk"),
        (2, &["set", "-", "k", "x"], "standard input: changing keys needs a file"),
        (3, &["set", "none.hrry", "k", "x"], "none.hrry: open failed: "),
    ] {
        let said = bench.hrry(&[&["kv"], arguments].concat());
        assert_eq!((said.code, said.out.as_str()), (code, ""), "{said:?}");
        assert!(said.err.starts_with(&format!("hrry: {message}")), "{said:?}");
    }
    assert_eq!(bench.hrry(&["kv", "set", "model.hrry", "k", "x", "--type", "text"]).code, 2);
    assert_eq!(bench.hrry(&["kv"]).code, 2);
    assert_eq!(fs::read(bench.path("model.hrry")).unwrap(), before);
    assert_eq!(bench.names(), ["model.hrry", "model.safetensors"]);
}

#[test]
fn rights_stay() {
    let bench = Bench::new();
    keyed(&bench);
    let path = bench.path("model.hrry");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    done(&bench, &["set", "model.hrry", "k", "v"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

/// A file in which nothing but keys may change: all tensors in the order of the file.
fn tensors(file: &File) -> Vec<(String, Vec<u8>, Vec<Vec<u8>>)> {
    let tensor = |k| {
        let tensor = file.tensor(file.in_file_order(k).unwrap()).unwrap();
        let buffer = |k| {
            let mut data = vec![0; usize::try_from(tensor.buffer(k).unwrap().size).unwrap()];
            tensor.read(k, 0, &mut data).unwrap();
            data
        };
        let buffers = (0..tensor.buffer_count()).map(buffer).collect();
        (tensor.name().to_owned(), tensor.descriptor_bytes().to_vec(), buffers)
    };
    (0..file.tensor_count()).map(tensor).collect()
}

fn valid_vectors() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/generated");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_valid =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("valid_");
    entries.filter(is_valid).collect()
}

#[test]
fn every_tensor_stays_as_it_is() {
    let bench = Bench::new();
    let (mut changed, mut refused) = (0, 0);
    for vector in valid_vectors() {
        fs::copy(&vector, bench.path("model.hrry")).unwrap();
        let before = bench.open("model.hrry");
        let said = bench.hrry(&["kv", "set", "model.hrry", "a new key", "value"]);
        if said.code == 1 {
            // The one thing that readers take and writers do not (decisions.md row 49).
            assert!(said.err.contains("alignment"), "{}: {said:?}", vector.display());
            assert_eq!(fs::read(&vector).unwrap(), fs::read(bench.path("model.hrry")).unwrap());
            refused += 1;
            continue;
        }
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", vector.display());
        let set = bench.open("model.hrry");
        same_but_keys(&before, &set);
        assert_eq!(set.kv().len(), before.kv().len() + 1);
        let said = bench.hrry(&["kv", "delete", "model.hrry", "a new key"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", vector.display());
        let deleted = bench.open("model.hrry");
        same_but_keys(&before, &deleted);
        assert_eq!(deleted.kv().len(), before.kv().len());
        for i in 0..before.kv().len() {
            let (old, new) = (before.kv().get(i).unwrap(), deleted.kv().get(i).unwrap());
            assert_eq!((old.key(), old.type_name()), (new.key(), new.type_name()));
            assert_eq!(old.data(), new.data());
        }
        changed += 1;
    }
    assert!(changed > 50, "{changed} changed, {refused} refused");
}

fn same_but_keys(before: &File, after: &File) {
    assert_eq!(tensors(before), tensors(after));
    let (old, new) = (before.header(), after.header());
    assert_eq!(old.alignment(), new.alignment());
    assert_eq!(old.flags().sorted(), new.flags().sorted());
    assert_eq!(old.flags().has_crc(), new.flags().has_crc());
    assert_eq!(old.tensor_count_hint().is_some(), new.tensor_count_hint().is_some());
    // The data is what it was, whatever is in it.
    let options = ValidateOptions { content: false, ..ValidateOptions::default() };
    let summary = validate(after, options, &mut |problem| panic!("{problem}"));
    assert_eq!(summary.unwrap().problems, 0);
}
