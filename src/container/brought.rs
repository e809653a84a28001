//! What a caller brings for the buffers of a tensor, held against what the descriptor says of them.

use crate::bytes::math;
use crate::descriptor::Buffer;
use crate::error::{Error, ErrorKind, Result, Section};

/// Refuses buffers of another number or size than their table says.
pub(super) fn check_buffers(table: &[Buffer], buffers: &[&[u8]]) -> Result<()> {
    if buffers.len() != table.len() {
        let (found, expected) = (math::wide(buffers.len()), math::wide(table.len()));
        let kind = ErrorKind::Amount { what: "number of buffers", found, expected };
        return Err(Error::new(kind).by_caller().in_section(Section::Descriptor));
    }
    for (k, (entry, buffer)) in (0..).zip(table.iter().zip(buffers)) {
        let (found, expected) = (math::wide(buffer.len()), entry.byte_size);
        if found != expected {
            let kind = ErrorKind::Amount { what: "number of bytes", found, expected };
            return Err(Error::new(kind).by_caller().in_section(Section::Buffer(k)));
        }
    }
    Ok(())
}

/// Refuses buffers that ask for more than the file gives (decisions.md row 49).
pub(super) fn check_alignments(table: &[Buffer], alignment: u32) -> Result<()> {
    for (k, buffer) in (0..).zip(table) {
        if buffer.alignment > alignment {
            let (value, max) = (buffer.alignment.into(), alignment.into());
            let kind = ErrorKind::Limits { what: "alignment", value, min: 1, max };
            return Err(Error::new(kind).in_section(Section::Buffer(k)));
        }
    }
    Ok(())
}
