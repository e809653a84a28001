//! Boxes in blocks, and the offsets of the elements of a block, listed.

use super::{LISTED, Part};
use crate::bytes::{Few, math};
use crate::error::Result;

/// Offsets of the elements of one block.
pub(super) type Offsets = [i64; LISTED];

/// One number a dimension, of which there are at most 64: never on the heap.
pub(super) type Axes = Few<u64, 64>;

/// Takes a box, which is not empty, apart at the multiples of `sides`, in row-major order.
pub(super) fn blocks(
    lower: &[u64],
    extent: &[u64],
    sides: &[u64],
    mut visit: impl FnMut(&[u64], &[u64]) -> Result<()>,
) -> Result<()> {
    // Up to the next multiple, at most to the end of the box, which an u64 holds.
    let first =
        |lower, extent: u64, side: u64| extent.min(side.wrapping_sub(math::rem(lower, side)));
    let mut at = Axes::copy(lower)?;
    let mut size = Axes::copy(extent)?;
    for ((size, &lower), &side) in size.as_mut_slice().iter_mut().zip(lower).zip(sides) {
        *size = first(lower, *size, side);
    }
    loop {
        visit(&at, &size)?;
        let moving = at.as_mut_slice().iter_mut().zip(size.as_mut_slice());
        let mut is_last = true;
        for ((((at, size), &lower), &extent), &side) in
            moving.zip(lower).zip(extent).zip(sides).rev()
        {
            let next = at.wrapping_add(*size);
            let rest = extent.wrapping_sub(next.wrapping_sub(lower));
            if rest > 0 {
                (*at, *size) = (next, rest.min(side));
                is_last = false;
                break;
            }
            (*at, *size) = (lower, first(lower, extent, side));
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Sides of blocks of at most [`LISTED`] elements for a box: powers of two, as near to a cube as
/// the box lets them be, longer along the last dimensions.
fn sides(extent: &[u64]) -> Result<Axes> {
    let mut sides = Axes::map(extent, |_| 1)?;
    let mut elements = 1_usize;
    while elements < LISTED {
        let sides = sides.as_mut_slice().iter_mut().zip(extent).rev();
        let may_grow = sides.filter(|(side, extent)| **side < **extent);
        let Some((side, _)) = may_grow.min_by_key(|(side, _)| **side) else { break };
        *side = side.wrapping_mul(2);
        elements = elements.wrapping_mul(2);
    }
    Ok(sides)
}

/// The offsets of a block of at most [`LISTED`] elements in row-major order, where each dimension
/// adds its own to `first`, that of the first element: `step(k, x)` for the x-th index of
/// dimension k, from 1 on, asked in ascending order.
pub(super) fn list<'o>(
    offsets: &'o mut Offsets,
    extent: &[u64],
    first: i64,
    mut step: impl FnMut(usize, u64) -> i64,
) -> &'o mut [i64] {
    let mut length = 1;
    if let Some(offset) = offsets.first_mut() {
        *offset = first;
    }
    // What the inner dimensions made is repeated for each further index.
    for (k, &extent) in extent.iter().enumerate().rev() {
        let Some((inner, rest)) = offsets.split_at_mut_checked(length) else { break };
        let mut copies = 1_usize;
        for (x, copy) in (1..extent).zip(rest.chunks_exact_mut(length)) {
            let step = step(k, x);
            for (offset, inner) in copy.iter_mut().zip(&*inner) {
                *offset = inner.wrapping_add(step);
            }
            copies = copies.wrapping_add(1);
        }
        length = length.wrapping_mul(copies);
    }
    offsets.get_mut(..length).unwrap_or_default()
}

/// Lists the elements of a box, block by block, where an offset is a sum over the dimensions of
/// `along(k, index[k], before)`; `before` is what the index before gives, where that was asked.
pub(super) fn sums(
    lower: &[u64],
    extent: &[u64],
    along: impl Fn(usize, u64, Option<i64>) -> i64,
    visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
) -> Result<()> {
    let mut offsets = [0; LISTED];
    blocks(lower, extent, &sides(extent)?, |lower, extent| {
        let at = |k: usize| lower.get(k).copied().unwrap_or_default();
        let firsts = (0..lower.len()).map(|k| along(k, at(k), None));
        let first = firsts.fold(0, i64::wrapping_add);
        let (mut start, mut before) = (0, 0);
        let offsets = list(&mut offsets, extent, first, |k, x| {
            if x == 1 {
                start = along(k, at(k), None);
                before = start;
            }
            before = along(k, at(k).wrapping_add(x), Some(before));
            before.wrapping_sub(start)
        });
        visit(Part::Listed { lower, extent, offsets })
    })
}
