//! What is decided before a file is written.

use super::header::{Flags, Header, MIN_ALIGNMENT};
use crate::error::{Error, ErrorKind, Result};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// `data_buffer_alignment`: every buffer begins at a multiple of it. A power of two from 4096
    /// to 2 MiB.
    pub alignment: u32,
    /// Whether the index is sorted by the bytes of the names; else it keeps the order of writing.
    pub sorted: bool,
    /// Whether the trailer holds a checksum of the index.
    pub crc: bool,
    /// How many tensors there will be, for those who read the file in order. Another number of
    /// tensors at the end is an error.
    pub count_hint: Option<u64>,
    /// Whether the alignment that a descriptor declares for its buffers is lowered to the file's,
    /// when it is higher; else such a descriptor is refused (decisions.md row 49). Descriptors that
    /// are given as bytes are never changed.
    pub lower_alignment: bool,
    /// Whether the end waits until the file, and the folder that it is put into, are on disk.
    pub sync: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            alignment: MIN_ALIGNMENT,
            sorted: false,
            crc: true,
            count_hint: None,
            lower_alignment: false,
            sync: true,
        }
    }
}

impl WriterOptions {
    /// The header of a file that is written so, if one can be.
    pub(super) fn header(&self, has_kv: bool) -> Result<Header> {
        if self.count_hint == Some(u64::MAX) {
            let kind = ErrorKind::Value { what: "tensor_count_hint", value: u64::MAX };
            return Err(Error::new(kind).by_caller());
        }
        let flags = Flags::new(has_kv, self.sorted, self.crc);
        Header::new(flags, self.alignment, self.count_hint)
    }
}
