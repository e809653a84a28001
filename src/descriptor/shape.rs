//! Shapes: sizes of dimensions, some of which may be dynamic (descriptor.md, Core).

use crate::bytes::{Cursor, Few, Sink, math};
use crate::error::{Error, ErrorKind, Result};

/// A dimension whose size is not known: nothing is computed from it.
pub const DYNAMIC: u64 = u64::MAX;

/// The largest rank.
pub const MAX_RANK: u32 = 64;

/// One number a dimension; those of most tensors need no allocation.
pub(crate) type Dims = Few<u64, 4>;

/// Reads one u64 a dimension.
pub(super) fn read(cursor: &mut Cursor<'_>, rank: usize, what: &'static str) -> Result<Dims> {
    let mut dims = Dims::new();
    read_into(&mut dims, cursor, rank, what)?;
    Ok(dims)
}

/// Reads one u64 a dimension into an empty list.
#[inline]
pub(super) fn read_into(
    dims: &mut Dims,
    cursor: &mut Cursor<'_>,
    rank: usize,
    what: &'static str,
) -> Result<()> {
    let (words, _) = cursor.take(rank.saturating_mul(8), what)?.as_chunks();
    dims.fill(words, |word| u64::from_le_bytes(*word))
}

/// Writes one u64 a dimension.
pub(super) fn write(dims: &[u64], sink: &mut Sink) -> Result<()> {
    dims.iter().try_for_each(|&size| sink.u64(size))
}

/// Whether any dimension is dynamic.
pub(crate) fn is_dynamic(shape: &[u64]) -> bool {
    shape.contains(&DYNAMIC)
}

/// The elements of a shape, `None` when a dimension is dynamic.
pub(crate) fn elements(shape: &[u64]) -> Result<Option<u64>> {
    if is_dynamic(shape) {
        return Ok(None);
    }
    math::product(shape, "element count").map(Some)
}

/// The error for a size asked of a dynamic shape.
pub(crate) fn dynamic() -> Error {
    Error::new(ErrorKind::Rule {
        rule: "shape has a dynamic dimension: nothing is computed from it",
    })
}
