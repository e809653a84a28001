//! `hrry extract`: the bytes, and where they go.

#![allow(missing_docs)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Bench, Model};
use hurray::container::{File, OpenOptions};

fn vectors() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/generated");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_valid =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("valid_000");
    entries.filter(is_valid).collect()
}

#[test]
fn every_buffer_of_some_files() {
    let mut compared = 0;
    for path in vectors() {
        let file = File::open(&path, &OpenOptions::default()).unwrap();
        for i in 0..file.tensor_count() {
            let tensor = file.tensor(i).unwrap();
            for k in 0..tensor.buffer_count() {
                let size = tensor.buffer(k).unwrap().size;
                let mut wanted = vec![0; usize::try_from(size).unwrap()];
                tensor.read(k, 0, &mut wanted).unwrap();
                let mut command = Command::new(env!("CARGO_BIN_EXE_hrry"));
                command.arg("extract").arg(&path).arg(tensor.name());
                command.args(["--buffer", &k.to_string()]);
                let output = command.output().unwrap();
                assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
                assert_eq!(output.stdout, wanted, "{} {i} {k}", path.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn into_a_file() {
    let bench = Bench::new();
    bench.converted(&Model::new().tensor("a", "U8", &[3], b"xyz"));
    fs::write(bench.path("out"), "longer than it will be").unwrap();
    let said = bench.hrry(&["extract", "model.hrry", "a", "-o", "out"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert_eq!(fs::read(bench.path("out")).unwrap(), b"xyz");
    let said = bench.hrry(&["extract", "model.hrry", "a", "-o", "-"]);
    assert_eq!((said.code, said.out.as_str()), (0, "xyz"));
}

#[test]
fn what_is_refused() {
    let bench = Bench::new();
    bench.converted(&Model::new().tensor("a", "U8", &[3], b"xyz"));
    let before = fs::read(bench.path("model.hrry")).unwrap();
    std::os::unix::fs::symlink("model.hrry", bench.path("link")).unwrap();
    for (code, arguments, message) in [
        (2, &["model.hrry", "b"][..], "model.hrry: has no tensor \"b\""),
        (2, &["model.hrry", "b", "-o", "new"], "model.hrry: has no tensor \"b\""),
        (
            2,
            &["model.hrry", "a", "--buffer", "1"],
            "model.hrry: tensor \"a\" has no buffer 1, there are 1",
        ),
        (2, &["model.hrry", "a", "-o", "model.hrry"], "model.hrry: is the file that is read"),
        (2, &["model.hrry", "a", "-o", "link"], "link: is the file that is read"),
        (2, &["-", "a"], "standard input: extracting needs a file that can be read at any place"),
        (3, &["model.hrry", "a", "-o", "no/x"], "no/x: No such file or directory (os error 2)"),
        (3, &["none.hrry", "a"], "none.hrry: open failed: No such file or directory (os error 2)"),
    ] {
        let said = bench.hrry(&[&["extract"], arguments].concat());
        let wanted = (code, "", format!("hrry: {message}\n"));
        assert_eq!((said.code, said.out.as_str(), said.err), wanted);
    }
    assert_eq!(fs::read(bench.path("model.hrry")).unwrap(), before);
    assert!(!bench.path("new").exists());
}
