//! The rooms of `src/` and the way through them: bytes come in at the top, a C pointer leaves at
//! the bottom, and no file looks back up.

use std::path::{Path, PathBuf};

/// The order of the rooms. A room imports only from those before it.
const ORDER: [&str; 10] = [
    "error",
    "bytes",
    "descriptor",
    "address",
    "container",
    "composite",
    "values",
    "validate",
    "interop",
    "ffi",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The room that a file of `src/` belongs to, as a place in the order.
fn room_of(file: &Path) -> usize {
    let first = file.strip_prefix(source()).unwrap().iter().next().unwrap();
    let name = first.to_str().unwrap().trim_end_matches(".rs");
    ORDER.iter().position(|room| *room == name).unwrap_or_else(|| panic!("{name} has no place"))
}

/// Every path below `crate::` that a file names, but in its comments.
fn imports(code: &str) -> Vec<String> {
    let code: Vec<&str> =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let listed = match rest.strip_prefix('{') {
            // The names of a list that stand right below the crate.
            Some(list) => {
                let mut depth = 0;
                let end = list.find(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth < 0
                });
                let list = &list[..end.unwrap()];
                let mut depth = 0;
                list.split(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth == 0 && c == ','
                })
                .map(str::to_owned)
                .collect()
            }
            None => vec![rest.to_owned()],
        };
        for path in listed {
            let name: String =
                path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.push(name);
        }
    }
    names
}

#[test]
fn no_room_looks_back_up() {
    let mut found = Vec::new();
    files(&source(), &mut found);
    for file in found.iter().filter(|file| !file.ends_with("src/lib.rs")) {
        let room = room_of(file);
        for import in imports(&std::fs::read_to_string(file).unwrap()) {
            // Anything else is what the top re-exports, the public API: for the last room only.
            match ORDER.iter().position(|name| *name == import) {
                Some(other) => {
                    assert!(other <= room, "{} imports {import}", file.display());
                }
                None => assert!(
                    ORDER[room] == "ffi",
                    "{} imports {import} from the top, not from its room",
                    file.display()
                ),
            }
        }
    }
}

#[test]
fn unsafe_code_lives_where_it_may() {
    let may = [
        "bytes/foreign.rs",
        "ffi/mod.rs",
        "container/mapping.rs",
        "container/system.rs",
        "composite/aes.rs",
    ];
    let mut found = Vec::new();
    files(&source(), &mut found);
    for file in found {
        if std::fs::read_to_string(&file).unwrap().contains("allow(unsafe_code") {
            let allowed = may.iter().any(|name| file.ends_with(name));
            assert!(allowed, "{} allows itself", file.display());
        }
    }
}

/// Compiles `src/ffi/` as a crate of its own, in which `crate::` is what a Rust user of the library
/// sees: whatever is not public does not exist there.
#[test]
fn the_c_api_uses_what_a_rust_user_could_use() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("lib.rs");
    let ffi = source().join("ffi/mod.rs");
    let code = format!("pub use hurray::*;\n#[path = {ffi:?}]\npub mod ffi;\n");
    std::fs::write(&root, code).unwrap();
    let test = std::env::current_exe().unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata"])
        .args(["--error-format", "short", "--cap-lints", "allow", "--extern"])
        .arg(format!("hurray={}", test.with_file_name("libhurray.rlib").display()))
        .arg("-L")
        .arg(format!("dependency={}", test.parent().unwrap().display()))
        .arg("--out-dir")
        .arg(folder.path())
        .arg(&root)
        .env("CARGO_PKG_VERSION", env!("CARGO_PKG_VERSION"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    // The one thing that only the library itself can do: match every kind of error, so that a new
    // one has to choose its status.
    let errors: Vec<&str> = said.lines().filter(|line| line.contains("error[")).collect();
    assert!(
        matches!(errors[..], [error] if error.contains("ffi/error.rs") && error.contains("E0004")),
        "{said}"
    );
}

#[test]
fn imports_are_found_in_every_form() {
    let code = "use crate::bytes::{Cursor, math};\n// use crate::ffi::x;\nuse crate::{Error, descriptor::{A, B},\n ffi};\ncrate::values::f()";
    assert_eq!(imports(code), ["bytes", "Error", "descriptor", "ffi", "values"]);
}
