//! What the rules of layouts and schemes are asked with, and what they answer.

use super::shape;
use crate::bytes::math;
use crate::error::Result;

/// How large a buffer has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// This many bytes; more are fine.
    AtLeast(u64),
    /// This many bytes, no more.
    Exactly(u64),
    /// The content says how large: at least `least` bytes, a multiple of `unit` bytes.
    Content {
        /// Bytes that no content does without.
        least: u64,
        /// Bytes of one entry.
        unit: u64,
    },
    /// Nothing can be said: a dimension is dynamic, or the type or layout is not known.
    Unknown,
}

/// An axis whose lines are stored longer than the shape says, padded to whole blocks
/// (quantization.md, Blocks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The dimension.
    pub axis: usize,
    /// Its stored size: a multiple of the block size.
    pub size: u64,
}

/// What decides sizes beside the fields of a layout itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) shape: &'a [u64],
    pub(crate) byte_offset: u64,
    /// Width of an element; `None` when nobody knows.
    pub(crate) bits: Option<u32>,
    pub(crate) padding: Option<Padding>,
}

impl Facts<'_> {
    /// Whether the tensor has no element. Such a tensor addresses nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether a dimension is dynamic.
    pub(crate) fn is_dynamic(&self) -> bool {
        shape::is_dynamic(self.shape)
    }

    /// Elements as stored, padding to whole blocks included; `None` when a dimension is dynamic.
    pub(crate) fn stored_elements(&self) -> Result<Option<u64>> {
        let Some(Padding { axis, size }) = self.padding else {
            return shape::elements(self.shape);
        };
        if self.is_dynamic() {
            return Ok(None);
        }
        if self.is_empty() {
            return Ok(Some(0));
        }
        let others = self.shape.iter().enumerate().filter(|(k, _)| *k != axis);
        others.map(|(_, &n)| n).try_fold(size, |a, b| math::mul(a, b, "element count")).map(Some)
    }

    /// Room for `elements` elements from byte_offset on.
    pub(crate) fn room(&self, elements: Option<u64>) -> Result<Need> {
        match (elements, self.bits) {
            (Some(0), _) => Ok(Need::AtLeast(self.byte_offset)),
            (Some(elements), Some(bits)) => {
                let size = math::packed_size(elements, bits, "required size")?;
                math::add(self.byte_offset, size, "required size").map(Need::AtLeast)
            }
            _ => Ok(Need::Unknown),
        }
    }
}
