//! A file written anew with other keys.

use std::path::Path;

use hurray::container::{File, Tensor, Writer, WriterOptions};

use super::value::Typed;
use crate::escape::quoted;
use crate::failure::{Failure, Result};
use crate::progress::Progress;

/// Data held at a time.
const PIECE: u64 = 4 << 20;

/// The keys of a file with their values, in its order.
pub(super) fn keys(file: &File) -> hurray::Result<Vec<(String, Typed)>> {
    let entries = (0..file.kv().len()).filter_map(|i| file.kv().get(i));
    entries.map(|entry| Ok((entry.key().to_owned(), Typed::of(&entry)?))).collect()
}

/// Puts a file with these keys and the tensors of `file` in the place of the one at `path`.
/// Alignment, order of the tensors, sorting and checksum stay as they are.
pub(super) fn rewrite(path: &Path, file: &File, keys: &[(String, Typed)]) -> Result<()> {
    let failed = |error: hurray::Error| Failure::library(path, &error);
    let header = file.header();
    let options = WriterOptions {
        alignment: header.alignment(),
        sorted: header.flags().sorted(),
        crc: header.flags().has_crc(),
        count_hint: header.tensor_count_hint().map(|_| file.tensor_count()),
        ..WriterOptions::default()
    };
    let mut writer = Writer::create(path, &options).map_err(failed)?;
    for (key, value) in keys {
        value.put(&mut writer, key).map_err(|error| {
            let what = format!("key {}: {error}", quoted(key));
            if Failure::is_io(&error) { failed(error) } else { Failure::usage(path, what) }
        })?;
    }
    let progress = Progress::new(file.size(), false);
    for k in 0..file.tensor_count() {
        let tensor = file.in_file_order(k).and_then(|i| file.tensor(i)).map_err(failed)?;
        copy(&tensor, &mut writer, &progress).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}

fn copy(tensor: &Tensor, writer: &mut Writer, progress: &Progress) -> hurray::Result<()> {
    writer.begin_raw(tensor.name(), tensor.descriptor_bytes())?;
    for k in 0..tensor.buffer_count() {
        let size = tensor.buffer(k)?.size;
        let mut memory = vec![0; usize::try_from(size.min(PIECE)).unwrap_or_default()];
        let mut at = 0;
        while at < size {
            let now = usize::try_from(size - at).unwrap_or(memory.len()).min(memory.len());
            let piece = &mut memory[..now];
            tensor.read(k, at, piece)?;
            writer.write(piece)?;
            at += now as u64;
            progress.advance(now as u64);
        }
    }
    writer.end()
}
