//! Where a tensor stands in a file, by the arithmetic of container.md, "Placement, as written".

use super::header::PLACE_ALIGNMENT;
use crate::bytes::math;
use crate::descriptor::Descriptor;
use crate::error::Result;

/// Offsets and lengths of a tensor, in bytes, as its index entry has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) descriptor_offset: u64,
    pub(super) descriptor_length: u32,
    pub(super) data_offset: u64,
    pub(super) data_length: u64,
}

impl Place {
    /// The place of a tensor whose descriptor stands at `descriptor_offset`: its data follows at
    /// the next multiple of the file's `alignment`. Fails when the place has no end in 64 bits.
    pub(super) fn at(
        descriptor_offset: u64,
        descriptor_length: u32,
        descriptor: &Descriptor,
        alignment: u32,
    ) -> Result<Self> {
        let end = math::add(descriptor_offset, descriptor_length.into(), "descriptor_offset")?;
        let data_offset =
            math::align_up(end, data_alignment(descriptor, alignment), "data_offset")?;
        let data_length = descriptor.data_length(alignment.into())?;
        math::add(data_offset, data_length, "data_length")?;
        Ok(Self { descriptor_offset, descriptor_length, data_offset, data_length })
    }

    /// The first byte behind the tensor's data, or behind its descriptor when it has none: such
    /// data could lie anywhere (decisions.md row 57).
    pub(super) fn end(&self) -> u64 {
        match self.data_length {
            0 => self.descriptor_offset.saturating_add(self.descriptor_length.into()),
            length => self.data_offset.saturating_add(length),
        }
    }
}

/// What a tensor's data begins and ends at multiples of. A composite head has no buffers, and is
/// followed by zeros up to a multiple of 8 only (decisions.md row 4).
pub(super) fn data_alignment(descriptor: &Descriptor, alignment: u32) -> u64 {
    if descriptor.buffers().is_empty() { PLACE_ALIGNMENT } else { alignment.into() }
}
