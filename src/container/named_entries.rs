//! Records that begin with a name of their own, as index and KV section hold them, being put
//! together by the writer.

use super::names::{NameKey, Names};
use crate::bytes::{math, memory};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the field that holds a name's length.
pub(super) const LENGTH_FIELD: usize = 2;

/// Records back to back, as they will stand in the file, with what finds them by name.
pub(super) struct NamedEntries {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    names: Names,
}

/// What the fields of such records are called in errors.
pub(super) struct Fields {
    /// The name itself.
    pub(super) name: &'static str,
    /// Its length.
    pub(super) length: &'static str,
}

impl NamedEntries {
    /// No records.
    pub(super) fn new() -> Result<Self> {
        let names = Names::new(NameKey::draw()?, 0)?;
        Ok(Self { bytes: Vec::new(), starts: Vec::new(), names })
    }

    pub(super) fn len(&self) -> u64 {
        math::wide(self.starts.len())
    }

    /// All records, in the order in which they came.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends a record: its name, then the `rest` bytes that `write` puts. Refuses a name that
    /// cannot be; a refusal leaves everything as it was.
    pub(super) fn push(
        &mut self,
        fields: &Fields,
        name: &str,
        rest: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        let length =
            u16::try_from(name.len()).ok().filter(|&length| length > 0).ok_or_else(|| {
                let (value, max) = (math::wide(name.len()), u64::from(u16::MAX));
                Error::new(ErrorKind::Limits { what: fields.length, value, min: 1, max })
                    .by_caller()
            })?;
        let position = u32::try_from(self.starts.len())
            .map_err(|_| Error::new(ErrorKind::Unsupported { what: "more than 2^32 entries" }))?;
        let Self { bytes, starts, names } = self;
        memory::reserve(bytes, LENGTH_FIELD.saturating_add(name.len()).saturating_add(rest))?;
        memory::reserve(starts, 1)?;
        names.reserve(|k| name_at(bytes, starts, k))?;
        names.insert(name.as_bytes(), position, |k| name_at(bytes, starts, k)).map_err(
            |first| {
                let first = first.into();
                Error::new(ErrorKind::Duplicate { what: fields.name, first }).by_caller()
            },
        )?;
        // There was room for everything.
        starts.push(bytes.len());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(name.as_bytes());
        write(bytes);
        Ok(())
    }

    /// The name of a record.
    pub(super) fn name(&self, position: u64) -> Option<&str> {
        let start = usize::try_from(position).ok().and_then(|at| self.starts.get(at))?;
        str::from_utf8(name_from(&self.bytes, *start)).ok()
    }

    /// The records, and where each begins.
    pub(super) fn into_parts(self) -> (Vec<u8>, Vec<usize>) {
        (self.bytes, self.starts)
    }
}

/// The name of the record that begins at `start`.
pub(super) fn name_from(bytes: &[u8], start: usize) -> &[u8] {
    let record = bytes.get(start..).unwrap_or_default();
    let (length, rest) = record.split_first_chunk().unwrap_or((&[0; LENGTH_FIELD], &[]));
    rest.get(..usize::from(u16::from_le_bytes(*length))).unwrap_or_default()
}

fn name_at<'a>(bytes: &'a [u8], starts: &[usize], position: u32) -> &'a [u8] {
    let start = usize::try_from(position).ok().and_then(|position| starts.get(position));
    start.map_or(&[], |&start| name_from(bytes, start))
}
