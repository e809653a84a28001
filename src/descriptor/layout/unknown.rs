//! Layouts that this version does not know (decisions.md row 27): type and shape are handed out,
//! the rest of the descriptor is opaque.

use super::{Need, Rules};
use crate::bytes::{Cursor, Sink, math, memory};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::error::Result;

/// A layout without a known meaning. Only decoding in permissive mode makes one.
#[derive(Debug, PartialEq)]
pub struct Unknown {
    tag: u8,
    rest: Vec<u8>,
}

impl Unknown {
    pub(super) fn read(tag: u8, cursor: &mut Cursor<'_>) -> Result<Self> {
        let rest = cursor.take(cursor.remaining(), "descriptor")?;
        Ok(Self { tag, rest: memory::copy(rest)? })
    }

    pub(super) fn try_clone(&self) -> Result<Self> {
        Ok(Self { tag: self.tag, rest: memory::copy(&self.rest)? })
    }

    /// The tag.
    pub fn tag(&self) -> u8 {
        self.tag
    }

    /// Everything in the descriptor after byte_offset: layout fields, buffer table, sections.
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }
}

impl Rules for Unknown {
    fn encoded_len(&self) -> u64 {
        math::wide(self.rest.len())
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.bytes(&self.rest)
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn own_buffers(&self, _rank: u32) -> u64 {
        0
    }

    fn need(&self, _buffer: u64, _facts: &Facts<'_>) -> Result<Need> {
        Ok(Need::Unknown)
    }

    fn heap_bytes(&self) -> usize {
        self.rest.capacity()
    }
}
