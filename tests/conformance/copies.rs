//! The vectors in this repository are the shared ones, byte for byte.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use libtest_mimic::{Completion, Trial};

use crate::vectors;

pub(crate) fn trials() -> Vec<Trial> {
    ["generated", "edges"]
        .into_iter()
        .map(|folder| {
            Trial::ignorable_test(format!("copies/{folder}"), move || {
                let Some(shared) = vectors::shared() else {
                    return Ok(Completion::ignored_with("skipped: no shared vectors here"));
                };
                same_files(&shared.join(folder), &vectors::own().join(folder));
                Ok(Completion::Completed)
            })
        })
        .collect()
}

fn names(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

fn same_files(shared: &Path, own: &Path) {
    let wanted = names(shared);
    assert_eq!(wanted, names(own));
    for name in wanted {
        let same = fs::read(shared.join(&name)).unwrap() == fs::read(own.join(&name)).unwrap();
        assert!(same, "{} differs", name.display());
    }
}
