//! `hrry verify` and `hrry info --json` on every file of the test vectors.

#![allow(missing_docs)]

#[path = "../../tests/conformance/compare.rs"]
#[allow(dead_code, reason = "the conformance tests use the rest")]
mod compare;
#[path = "../../tests/conformance/vectors.rs"]
#[allow(dead_code, reason = "the conformance tests use the rest")]
mod vectors;

use std::ffi::OsStr;
use std::fs::File;
use std::process::{Command, Output};

use compare::{same, without_unknown};
use serde_json::Value;
use vectors::Vector;

fn files() -> Vec<Vector> {
    let mut all = vectors::copied("generated");
    all.extend(vectors::copied("edges"));
    match vectors::reference() {
        Some(reference) => all.extend(reference),
        None => println!("SKIPPED: reference vectors: no shared vectors here"),
    }
    all.retain(|vector| !vector.is_descriptor());
    assert!(all.len() > 300, "{}", all.len());
    all
}

fn hrry(arguments: &[&OsStr]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_hrry")).args(arguments).output().unwrap();
    assert!(!output.stdout.contains(&0x1B) && !output.stderr.contains(&0x1B), "{arguments:?}");
    output
}

fn info(vector: &Vector, options: &[&str]) -> Value {
    let mut arguments = vec![OsStr::new("info"), OsStr::new("--json"), vector.path.as_ref()];
    arguments.extend(options.iter().map(OsStr::new));
    let output = hrry(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""), "{}", vector.id);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn exit_codes_are_the_verdicts() {
    let mut wrong = Vec::new();
    for vector in files() {
        let output = hrry(&[OsStr::new("verify"), vector.path.as_ref()]);
        let expected = if vector.accepted { 0 } else { 1 };
        let said = String::from_utf8(output.stderr).unwrap();
        let messages = said.lines().count();
        let name = format!("hrry: {}: ", vector.path.display());
        let named = said.lines().all(|line| line.starts_with(&name));
        if output.status.code() != Some(expected) || (messages > 0) != (expected == 1) || !named {
            wrong.push(format!(
                "{}: {:?}, not {expected}: {said}",
                vector.id,
                output.status.code()
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn json_holds_every_field_of_the_manifests() {
    let mut held = 0;
    for vector in files().iter().filter(|vector| vector.accepted) {
        let Some(content) = vector.entry.get("content") else { continue };
        let mut content = content.clone();
        for tensor in content["tensors"].as_array_mut().unwrap() {
            if let Some(statistics @ Value::Object(_)) = tensor.get_mut("stats") {
                without_unknown(statistics);
            }
        }
        same(&vector.id, &info(vector, &["--hash"]), &content);
        held += 1;
    }
    assert!(held > 100, "{held}");
}

/// The reference gives its trees in another form: every node with its name and kind.
#[test]
fn json_holds_the_composites_of_the_reference() {
    let Some(reference) = vectors::reference() else { return };
    let mut held = 0;
    for vector in reference.iter().filter(|vector| vector.accepted) {
        let Some(wanted) = vector.entry["expect"]["composites"].as_array() else { continue };
        let info = info(vector, &[]);
        let found = info["composites"].as_array().unwrap();
        assert_eq!(found.len(), wanted.len(), "{}", vector.id);
        found.iter().zip(wanted).for_each(|(found, wanted)| same_node(&vector.id, found, wanted));
        held += wanted.len();
    }
    assert!(held > 10, "{held}");
}

fn same_node(id: &str, found: &Value, wanted: &Value) {
    if wanted["kind"] == "tensor" {
        return assert_eq!(*found, wanted["name"], "{id}");
    }
    assert_eq!((&found["head"], &found["complete"]), (&wanted["name"], &true.into()), "{id}");
    for field in ["composition_rule", "combine_op", "member_count"] {
        assert_eq!(found[field], wanted["layout"][field], "{id}");
    }
    let members = |node: &Value| node["members"].as_array().unwrap().clone();
    assert_eq!(members(found).len(), members(wanted).len(), "{id}");
    for (found, wanted) in members(found).iter().zip(&members(wanted)) {
        same_node(id, found, wanted);
    }
}

#[test]
fn hashes_come_only_when_asked_for() {
    for vector in files().iter().filter(|vector| vector.accepted).take(40) {
        let (without, with) = (info(vector, &[]), info(vector, &["--hash"]));
        let buffers = |info: &Value| {
            let tensors = info["tensors"].as_array().unwrap().clone();
            tensors
                .iter()
                .flat_map(|t| t["buffers"].as_array().unwrap().clone())
                .collect::<Vec<_>>()
        };
        assert!(buffers(&without).iter().all(|buffer| buffer.get("sha256").is_none()));
        assert!(buffers(&with).iter().all(|buffer| buffer["sha256"].is_string()));
    }
}

/// Files that no reader in passing takes are left to the tests of the library.
#[test]
fn a_stream_gives_what_the_file_gives() {
    let mut compared = 0;
    for vector in files().iter().filter(|vector| vector.accepted) {
        let input = File::open(&vector.path).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hrry"));
        command.args(["info", "--json", "--hash", "-"]).stdin(input);
        let output = command.output().unwrap();
        if !output.status.success() {
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.starts_with("hrry: standard input: "), "{}: {said}", vector.id);
            continue;
        }
        let mut passed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut whole = info(vector, &["--hash"]);
        assert_eq!(passed["file"].take(), "-");
        whole["file"].take();
        assert_eq!(passed, whole, "{}", vector.id);
        compared += 1;
    }
    assert!(compared > 150, "{compared}");
}
