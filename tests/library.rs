//! The shared library as it was built: what it exports, what it is called, how it ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The shared library that cargo built beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.with_file_name("libhurray.so");
    assert!(library.exists(), "{} was not built", library.display());
    library
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).arg(library()).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn committed(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn exactly_the_committed_symbols_are_exported() {
    let printed = run("nm", &["-D", "--defined-only", "--format=posix"]);
    let exported: BTreeSet<&str> =
        printed.lines().map(|line| line.split_once(' ').unwrap().0).collect();
    if std::env::var_os("HURRAY_BLESS").is_some() {
        let list: String = exported.iter().map(|symbol| format!("{symbol}\n")).collect();
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symbols.txt"), list)
            .unwrap();
    }
    let committed = committed("tests/symbols.txt");
    let committed: BTreeSet<&str> = committed.lines().collect();
    assert_eq!(exported, committed, "tests/symbols.txt lists what may be exported");
    assert!(exported.iter().all(|symbol| symbol.starts_with("hrry_")), "{exported:?}");

    let header = committed_functions();
    assert_eq!(exported, header.iter().map(String::as_str).collect(), "header and library differ");
}

/// The functions that `include/hurray.h` declares.
fn committed_functions() -> BTreeSet<String> {
    let header = committed("include/hurray.h");
    let declarations = header.lines().filter(|line| !line.starts_with([' ', '#', '/']));
    declarations
        .filter_map(|line| {
            let name = line.split_once('(')?.0.rsplit([' ', '*']).next()?;
            name.starts_with("hrry_").then(|| name.to_owned())
        })
        .collect()
}

#[test]
fn the_library_bears_its_abi_number_and_stays_loaded() {
    let printed = run("readelf", &["--dynamic", "--wide"]);
    let abi = env!("CARGO_PKG_VERSION_MAJOR");
    assert!(printed.contains(&format!("Library soname: [libhurray.so.{abi}]")), "{printed}");
    assert!(printed.contains("NODELETE"), "{printed}");
}

#[test]
fn a_panic_unwinds_in_every_profile() {
    // Where it aborts instead, no panic can become a status.
    const { assert!(cfg!(panic = "unwind")) };
    let manifest = committed("Cargo.toml");
    assert!(!manifest.contains("\"abort\""), "a profile of Cargo.toml aborts");
    assert_eq!(manifest.matches("panic = \"unwind\"").count(), 2, "release and dev say so");
}
