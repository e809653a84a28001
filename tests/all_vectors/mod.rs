//! The files among the test vectors, whatever their verdict.

use std::path::{Path, PathBuf};

/// All that are here; says which folders are not.
pub(crate) fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("HURRAY_SHARED").map_or(root.join("../shared"), PathBuf::from);
    let own = root.join("tests/vectors");
    let mut found = Vec::new();
    for folder in [
        own.join("generated"),
        own.join("edges"),
        shared.join("vectors/reference/files"),
        shared.join("vectors/reference/crafted"),
    ] {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: no {}", folder.display());
            continue;
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "hrry")));
    }
    found.sort();
    found
}
