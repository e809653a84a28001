//! Blocks along an axis (quantization.md, Blocks).

use super::axis_size;
use crate::bytes::{Cursor, math};
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

    /// Reads axis and block_size.
    pub(super) fn read(cursor: &mut Cursor<'_>, min: u32, max: u32) -> Result<Self> {
        let axis = cursor.u32("axis")?;
        let at = cursor.offset();
        let block_size = cursor.u32("block_size")?;
        Self::new(axis, block_size, min, max).map_err(|error| error.at(at))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::DYNAMIC;

    fn blocks(axis: u32, block_size: u32) -> Blocks {
        Blocks::new(axis, block_size, 2, 1 << 31).unwrap()
    }

    #[test]
    fn blocks_of_whole_lines() {
        assert_eq!(blocks(1, 8).count(&[3, 10]).unwrap(), Some(6));
        assert_eq!(blocks(0, 8).count(&[3, 10]).unwrap(), Some(10));
        assert_eq!(blocks(0, 2).count(&[0, 10]).unwrap(), Some(0));
        assert_eq!(blocks(0, 2).count(&[4, 1 << 40, 1 << 40, 0]).unwrap(), Some(0));
        assert_eq!(blocks(0, 2).count(&[4, DYNAMIC]).unwrap(), None);
        assert!(blocks(0, 2).count(&[4, 1 << 40, 1 << 40]).is_err());
        assert!(blocks(0, 2).count(&[DYNAMIC, 4]).is_ok_and(|count| count.is_none()));
    }

    #[test]
    fn lines_are_stored_in_whole_blocks() {
        assert_eq!(blocks(1, 8).padding(&[3, 10]).unwrap(), Some(Padding { axis: 1, size: 16 }));
        assert_eq!(blocks(1, 8).padding(&[3, 16]).unwrap(), None);
        assert_eq!(blocks(1, 8).padding(&[0, 10]).unwrap(), None);
        assert!(blocks(0, 8).padding(&[u64::MAX - 1]).is_err());
    }

    #[test]
    fn sizes_of_blocks() {
        let message = |size, min, max| Blocks::new(0, size, min, max).unwrap_err().to_string();
        assert_eq!(message(24, 2, 64), "block_size 24 is not a power of two");
        assert_eq!(message(0, 2, 64), "block_size 0 is not a power of two");
        assert_eq!(message(8, 16, 2048), "block_size 8 is not in 16 to 2048");
        assert_eq!(message(4096, 16, 2048), "block_size 4096 is not in 16 to 2048");
        assert!(blocks(0, 1 << 31).check_fits(&[1 << 31]).is_ok());
        assert!(blocks(0, 4).check_fits(&[0]).is_ok());
        assert_eq!(
            blocks(0, 4).check_fits(&[3]).unwrap_err().to_string(),
            "block_size 4 is not in 1 to 3"
        );
    }
}
