//! Blocks along an axis (quantization.md, Blocks).

use super::axis_size;
use crate::bytes::math;
use crate::descriptor::facts::Padding;
use crate::descriptor::shape;
use crate::error::{Error, ErrorKind, Result};

/// Blocks of a power of two elements along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    axis: u32,
    block_size: u32,
}

impl Blocks {
    /// Blocks of `block_size` elements, a power of two in `min` to `max`.
    pub(super) fn new(axis: u32, block_size: u32, min: u32, max: u32) -> Result<Self> {
        let (what, value) = ("block_size", block_size.into());
        if !block_size.is_power_of_two() {
            return Err(Error::new(ErrorKind::PowerOfTwo { what, value }));
        }
        if block_size < min || block_size > max {
            let (min, max) = (min.into(), max.into());
            return Err(Error::new(ErrorKind::Limits { what, value, min, max }));
        }
        Ok(Self { axis, block_size })
    }

    /// The dimension along which blocks follow one another.
    pub fn axis(self) -> u32 {
        self.axis
    }

    /// Elements of a block.
    pub fn block_size(self) -> u32 {
        self.block_size
    }

    /// The blocks are not longer than the axis, unless that is empty.
    pub(super) fn check_fits(self, shape: &[u64]) -> Result<()> {
        let max = axis_size(self.axis, shape)?;
        let value = u64::from(self.block_size);
        if max == 0 || value <= max {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Limits { what: "block_size", value, min: 1, max }))
    }

    /// The blocks fill the axis.
    pub(super) fn check_whole(self, shape: &[u64]) -> Result<()> {
        let (what, value) = ("shape[axis] in this layout or scheme", axis_size(self.axis, shape)?);
        let alignment = self.block_size.into();
        match math::is_aligned(value, alignment) {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Misaligned { what, value, alignment })),
        }
    }

    /// Blocks in one line along the axis.
    pub(super) fn per_line(self, shape: &[u64]) -> Result<u64> {
        Ok(math::div_ceil(axis_size(self.axis, shape)?, self.block_size.into()))
    }

    /// Blocks of a tensor; `None` when a dimension is dynamic.
    pub(super) fn count(self, shape: &[u64]) -> Result<Option<u64>> {
        if shape::is_dynamic(shape) {
            return Ok(None);
        }
        if shape.contains(&0) {
            return Ok(Some(0));
        }
        let lines = (0u32..).zip(shape).filter(|(k, _)| *k != self.axis);
        lines
            .map(|(_, &n)| n)
            .try_fold(self.per_line(shape)?, |a, b| math::mul(a, b, "count of blocks"))
            .map(Some)
    }

    /// How the axis is stored when its last block is partial: padded to whole blocks. An empty
    /// tensor stores nothing.
    pub(super) fn padding(self, shape: &[u64]) -> Result<Option<Padding>> {
        let size = axis_size(self.axis, shape)?;
        if shape.contains(&0) || math::is_aligned(size, self.block_size.into()) {
            return Ok(None);
        }
        let axis = math::to_usize(self.axis.into(), "axis")?;
        let size = math::align_up(size, self.block_size.into(), "padded axis")?;
        Ok(Some(Padding { axis, size }))
    }
}
