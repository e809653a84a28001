//! The shard section: which box of a larger tensor this one is (descriptor.md, Shard section).

use super::shape::{self, DYNAMIC, Dims};
use crate::bytes::{Cursor, Sink, math};
use crate::error::{Error, ErrorKind, Result};

/// The place of a tensor in a larger one.
#[derive(Debug, PartialEq, Eq)]
pub struct Shard {
    parent_shape: Dims,
    shard_offset: Dims,
}

impl Shard {
    /// The shape of the larger tensor, and where in it this one begins; one number a dimension.
    pub fn new(parent_shape: &[u64], shard_offset: &[u64]) -> Result<Self> {
        Ok(Self {
            parent_shape: Dims::copy(parent_shape)?,
            shard_offset: Dims::copy(shard_offset)?,
        })
    }

    /// The shape of the larger tensor.
    pub fn parent_shape(&self) -> &[u64] {
        &self.parent_shape
    }

    /// Where in the larger tensor this one begins.
    pub fn offset(&self) -> &[u64] {
        &self.shard_offset
    }

    pub(super) fn read(cursor: &mut Cursor<'_>, rank: usize) -> Result<Self> {
        Ok(Self {
            parent_shape: shape::read(cursor, rank, "parent_shape")?,
            shard_offset: shape::read(cursor, rank, "shard_offset")?,
        })
    }

    pub(super) fn write(&self, sink: &mut Sink) -> Result<()> {
        shape::write(&self.parent_shape, sink)?;
        shape::write(&self.shard_offset, sink)
    }

    pub(super) fn encoded_len(&self) -> u64 {
        math::wide(self.parent_shape.len()).saturating_mul(16)
    }

    /// The box of this shape lies inside the parent, and nothing is dynamic.
    pub(super) fn check(&self, shape: &[u64]) -> Result<()> {
        for (what, dims) in
            [("parent_shape", &self.parent_shape), ("shard_offset", &self.shard_offset)]
        {
            let (found, expected) = (math::wide(dims.len()), math::wide(shape.len()));
            if found != expected {
                return Err(Error::new(ErrorKind::Mismatch { what, found, expected }));
            }
        }
        for (what, dims) in [("shape", shape), ("parent_shape", &self.parent_shape)] {
            if let Some((index, _)) = (0..).zip(dims).find(|(_, size)| **size == DYNAMIC) {
                let rule = "dynamic dimension under a shard";
                return Err(Error::new(ErrorKind::RuleAt { what, index, rule }));
            }
        }
        for ((&size, &parent), &offset) in
            shape.iter().zip(&*self.parent_shape).zip(&*self.shard_offset)
        {
            let limits = |what, value, max| ErrorKind::Limits { what, value, min: 0, max };
            match parent.checked_sub(size) {
                None => return Err(Error::new(limits("shape of a shard", size, parent))),
                Some(max) if offset > max => {
                    return Err(Error::new(limits("shard_offset", offset, max)));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn try_clone(&self) -> Result<Self> {
        Self::new(&self.parent_shape, &self.shard_offset)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.parent_shape.heap_bytes().saturating_add(self.shard_offset.heap_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(shape: &[u64], parent: &[u64], offset: &[u64]) -> String {
        match Shard::new(parent, offset).unwrap().check(shape) {
            Ok(()) => String::from("ok"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn boxes_and_their_bounds() {
        assert_eq!(verdict(&[2, 4], &[8, 4], &[6, 0]), "ok");
        assert_eq!(verdict(&[2, 0], &[2, 4], &[0, 4]), "ok");
        assert_eq!(verdict(&[], &[], &[]), "ok");
        assert_eq!(verdict(&[2, 4], &[8, 4], &[7, 0]), "shard_offset 7 is not in 0 to 6");
        assert_eq!(verdict(&[2, 5], &[8, 4], &[0, 0]), "shape of a shard 5 is not in 0 to 4");
        // Offset and size would wrap.
        assert_eq!(
            verdict(&[2], &[8], &[u64::MAX]),
            format!("shard_offset {} is not in 0 to 6", u64::MAX)
        );
        assert_eq!(verdict(&[0], &[u64::MAX - 1], &[u64::MAX - 1]), "ok");
        assert_eq!(verdict(&[DYNAMIC], &[8], &[0]), "shape 0: dynamic dimension under a shard");
        assert_eq!(
            verdict(&[8], &[DYNAMIC], &[0]),
            "parent_shape 0: dynamic dimension under a shard"
        );
        assert_eq!(verdict(&[8], &[8, 1], &[0]), "parent_shape is 2, must be 1");
    }
}
