//! Private layouts (layouts.md, Private): permissive mode hands them out and interprets nothing.

use super::{Need, Rules};
use crate::bytes::{Cursor, Sink, math, memory};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::error::{Error, ErrorKind, Result};

/// A layout of somebody's own. Only decoding in permissive mode makes one.
#[derive(Debug, PartialEq)]
pub struct Private {
    tag: u8,
    id: u64,
    data: Vec<u8>,
}

impl Private {
    pub(super) fn read(tag: u8, cursor: &mut Cursor<'_>) -> Result<Self> {
        let id = cursor.u64("extension_layout_id")?;
        let length = cursor.u32("extension_data_length")?;
        let data = cursor.take_wide(length.into(), "extension layout data")?;
        Ok(Self { tag, id, data: memory::copy(data)? })
    }

    pub(super) fn try_clone(&self) -> Result<Self> {
        Ok(Self { tag: self.tag, id: self.id, data: memory::copy(&self.data)? })
    }

    /// The tag, 0xF0 to 0xFE.
    pub fn tag(&self) -> u8 {
        self.tag
    }

    /// `extension_layout_id`.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The layout's own bytes.
    pub fn data(&self) -> &[u8] {
        &self.data
    }
}

impl Rules for Private {
    fn encoded_len(&self) -> u64 {
        math::wide(self.data.len()).saturating_add(12)
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        let length = u32::try_from(self.data.len())
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "extension_data_length" }))?;
        sink.u64(self.id)?;
        sink.u32(length)?;
        sink.bytes(&self.data)
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn need(&self, _buffer: u64, _facts: &Facts<'_>) -> Result<Need> {
        Ok(Need::Unknown)
    }

    fn heap_bytes(&self) -> usize {
        self.data.capacity()
    }
}
