//! What a caller asks for, held against a shape: an index, a box.

use crate::bytes::math;
use crate::error::{Error, ErrorKind, Result};

/// Whether a list of the caller's has one number a dimension.
pub(crate) fn check_rank(what: &'static str, list: &[u64], shape: &[u64]) -> Result<()> {
    let (count, rank) = (math::wide(list.len()), math::wide(shape.len()));
    match count == rank {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Rank { what, count, rank })),
    }
}

/// Whether an index, one number a dimension, lies in a shape.
pub(crate) fn check_index(index: &[u64], shape: &[u64]) -> Result<()> {
    match (0..).zip(index.iter().zip(shape)).find(|(_, (value, size))| value >= size) {
        None => Ok(()),
        Some((dimension, (&value, &size))) => {
            Err(Error::new(ErrorKind::IndexIn { dimension, value, size }))
        }
    }
}

/// Whether a box, `extent` indices a dimension from `lower` on, lies in a shape.
pub(crate) fn check_box(lower: &[u64], extent: &[u64], shape: &[u64]) -> Result<()> {
    check_rank("lower bound", lower, shape)?;
    check_rank("extent", extent, shape)?;
    for (dimension, ((&lower, &extent), &size)) in (0..).zip(lower.iter().zip(extent).zip(shape)) {
        if !math::fits(lower, extent, size) {
            return Err(Error::new(ErrorKind::Box { dimension, lower, extent, size }));
        }
    }
    Ok(())
}
