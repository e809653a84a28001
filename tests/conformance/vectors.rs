//! The test vectors: three folders, each with a manifest that says what every file in it is.
//!
//! `generated` and `edges` lie in this repository, so that a bare clone tests itself. `reference`
//! is read from the folder of shared vectors, where that exists.

use std::path::{Path, PathBuf};

/// The folder of copies in this repository.
pub(crate) fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// The folder of shared vectors, where it exists: beside the repository, or where HURRAY_SHARED
/// says that the shared folder is.
pub(crate) fn shared() -> Option<PathBuf> {
    let shared = match std::env::var_os("HURRAY_SHARED") {
        Some(place) => PathBuf::from(place),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    Some(shared.join("vectors")).filter(|vectors| vectors.is_dir())
}
