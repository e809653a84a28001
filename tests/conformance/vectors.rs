//! The test vectors: three folders, each with a manifest that says what every file in it is.
//!
//! `generated` and `edges` lie in this repository, so that a bare clone tests itself. `reference`
//! is read from the folder of shared vectors, where that exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One vector: a file, or a descriptor alone.
#[derive(Clone)]
pub(crate) struct Vector {
    /// Folder and file, as in `generated/valid_0001.hrry`: what tests are called.
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    /// Whether strict mode accepts it.
    pub(crate) accepted: bool,
    /// The rule that a reject breaks, in the vectors' own words; empty for most accepts.
    pub(crate) rule: String,
    /// The whole entry of the manifest.
    pub(crate) entry: Value,
}

impl Vector {
    fn new(folder: &str, root: &Path, entry: &Value) -> Self {
        let file = text(entry, "file");
        Self {
            id: format!("{folder}/{file}"),
            path: root.join(file),
            accepted: match text(entry, "strict") {
                "accept" => true,
                "reject" => false,
                other => panic!("{folder}/{file}: verdict {other:?}"),
            },
            rule: entry["rule"].as_str().unwrap_or_default().to_owned(),
            entry: entry.clone(),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// A descriptor alone, not a file.
    pub(crate) fn is_descriptor(&self) -> bool {
        self.id.ends_with(".bin")
    }
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry[key].as_str().unwrap_or_else(|| panic!("no {key:?} in {entry}"))
}

/// The repository, from whichever of its packages the tests are.
fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut around = package.ancestors();
    around.find(|folder| folder.join("tests/vectors").is_dir()).expect("a folder of vectors")
}

/// The folder of copies in this repository.
pub(crate) fn own() -> PathBuf {
    repository().join("tests/vectors")
}

/// The folder of shared vectors, where it exists: beside the repository, or where HURRAY_SHARED
/// says that the shared folder is.
pub(crate) fn shared() -> Option<PathBuf> {
    let shared = match std::env::var_os("HURRAY_SHARED") {
        Some(place) => PathBuf::from(place),
        None => repository().join("../shared"),
    };
    Some(shared.join("vectors")).filter(|vectors| vectors.is_dir())
}

fn manifest(root: &Path) -> Value {
    let path = root.join("manifest.json");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list(folder: &str, root: &Path, entries: &Value) -> Vec<Vector> {
    let entries = entries.as_array().unwrap_or_else(|| panic!("{folder}: no list"));
    entries.iter().map(|entry| Vector::new(folder, root, entry)).collect()
}

/// The vectors of one of the folders in this repository.
pub(crate) fn copied(folder: &str) -> Vec<Vector> {
    let root = own().join(folder);
    list(folder, &root, &manifest(&root))
}

/// The vectors of the public reference writer, where they exist: descriptors, files, and files
/// broken by hand.
pub(crate) fn reference() -> Option<Vec<Vector>> {
    let root = shared()?.join("reference");
    let manifest = manifest(&root);
    let lists = ["descriptors", "files", "crafted"];
    Some(lists.iter().flat_map(|key| list("reference", &root, &manifest[*key])).collect())
}

/// Demands that a list names nothing that is not there, `reference` excepted where it is missing.
pub(crate) fn known(list: &str, name: &str, ids: &BTreeSet<String>, complete: bool) {
    let absent = !complete && name.starts_with("reference/");
    assert!(absent || ids.contains(name), "{list}: there is no {name}");
}
