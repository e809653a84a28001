//! Reading of safetensors models: one file, or several with an index beside them.
//!
//! Held against the format before anything is converted: sizes, offsets, coverage, names. Data is
//! read in pieces, by position, and never kept.

mod dtype;
mod header;
mod sharded;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::escape::quoted;
use crate::failure::{Failure, Result};

pub(crate) use dtype::{Dtype, Stored};
pub(crate) use header::Tensor;

/// A model: its metadata and the files that hold its tensors.
pub(crate) struct Model {
    /// Keys and values of `__metadata__`, of all files together.
    pub metadata: Vec<(String, String)>,
    /// The files, each with its tensors, in order.
    pub parts: Vec<Part>,
    /// The index that joins the files, when there is one.
    pub index: Option<PathBuf>,
    /// Tensors that files hold and the index does not name.
    pub unlisted: usize,
}

/// One safetensors file, open.
pub(crate) struct Part {
    pub path: PathBuf,
    file: File,
    data_start: u64,
    /// In the order of their data.
    pub tensors: Vec<Tensor>,
}

impl Model {
    /// Opens the model at `path`: an index when the name ends in `.json`, else a single file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return sharded::open(path);
        }
        let (part, metadata) = Part::open(path)?;
        Ok(Self { metadata, parts: vec![part], index: None, unlisted: 0 })
    }

    /// How many tensors there are.
    pub(crate) fn tensor_count(&self) -> usize {
        self.parts.iter().map(|part| part.tensors.len()).sum()
    }

    /// How many bytes of data there are.
    pub(crate) fn data_length(&self) -> u64 {
        self.parts.iter().flat_map(|part| &part.tensors).map(Tensor::length).sum()
    }

    /// Whether one of the files that were read is the one at `path`, by whatever name.
    pub(crate) fn is_read_from(&self, path: &Path) -> bool {
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let Ok(other) = path.metadata().map(identity) else { return false };
        let index = self.index.iter().map(|path| path.metadata());
        let parts = self.parts.iter().map(|part| part.file.metadata());
        index.chain(parts).any(|found| found.is_ok_and(|found| identity(found) == other))
    }
}

impl Part {
    /// Opens one file and checks its header; also gives its metadata.
    fn open(path: &Path) -> Result<(Self, Vec<(String, String)>)> {
        let (file, size) = open_file(path)?;
        let header = header::read(&file, size, path)?;
        let part = Self {
            path: path.to_owned(),
            file,
            data_start: header.data_start,
            tensors: header.tensors,
        };
        Ok((part, header.metadata))
    }

    /// Fills `dst` with the bytes of `tensor` from its byte `offset` on.
    pub(crate) fn read(&self, tensor: &Tensor, offset: u64, dst: &mut [u8]) -> Result<()> {
        // No overflow: the header's offsets were held against the size of the file.
        let at = self.data_start + tensor.begin + offset;
        self.file.read_exact_at(dst, at).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                let message = format!("shrank while tensor {} was read", quoted(&tensor.name));
                Failure::io(&self.path, &io::Error::other(message))
            }
            _ => Failure::io(&self.path, &error),
        })
    }
}

/// Opens a regular file for reading; also gives its size.
///
/// Asked before the file is opened as well: opening a pipe would wait for a writer.
fn open_file(path: &Path) -> Result<(File, u64)> {
    let io = |error: io::Error| Failure::io(path, &error);
    let regular = |metadata: &std::fs::Metadata| {
        let what = "not a regular file";
        if metadata.is_file() { Ok(()) } else { Err(Failure::io(path, &io::Error::other(what))) }
    };
    regular(&path.metadata().map_err(io)?)?;
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    regular(&metadata)?;
    Ok((file, metadata.len()))
}

/// Adds `from` to `all`. A key may come again only with the same value.
fn merge(
    all: &mut Vec<(String, String)>,
    from: impl IntoIterator<Item = (String, String)>,
    path: &Path,
) -> Result<()> {
    let mut known: HashMap<String, String> = all.iter().cloned().collect();
    for (key, value) in from {
        match known.get(&key) {
            None => {
                known.insert(key.clone(), value.clone());
                all.push((key, value));
            }
            Some(other) if *other == value => {}
            Some(other) => {
                return Err(Failure::invalid(
                    path,
                    format_args!(
                        "metadata {} is {}, another file of the model says {}",
                        quoted(&key),
                        quoted(&value),
                        quoted(other),
                    ),
                ));
            }
        }
    }
    Ok(())
}
