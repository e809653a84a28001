//! Boxes in blocks, and the offsets of the elements of a block, listed.

use super::{LISTED, Part};
use crate::bytes::{Few, math};
use crate::error::Result;

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
/// the box lets them be, longer along the first dimensions: as Morton codes follow one another.
pub(super) fn sides(extent: &[u64]) -> Result<Axes> {
    let mut sides = Axes::map(extent, |_| 1)?;
    let mut elements = 1_usize;
    while elements < LISTED {
        let sides = sides.as_mut_slice().iter_mut().zip(extent);
        let may_grow = sides.filter(|(side, extent)| **side < **extent);
        let Some((side, _)) = may_grow.min_by_key(|(side, _)| **side) else { break };
        *side = side.wrapping_mul(2);
        elements = elements.wrapping_mul(2);
    }
    Ok(sides)
}

/// Room for the offsets of the elements of one block.
pub(super) struct List {
    offsets: [i64; LISTED],
    /// Those along one dimension.
    steps: [i64; LISTED],
}

impl List {
    pub(super) fn new() -> Self {
        Self { offsets: [0; LISTED], steps: [0; LISTED] }
    }

    /// The offsets of a block of at most [`LISTED`] elements in row-major order, where each is the
    /// sum of `first` and of what every dimension adds. `along(k, index, out)` is asked for what
    /// the indices of dimension k add, from `index` on.
    pub(super) fn fill(
        &mut self,
        first: i64,
        lower: &[u64],
        extent: &[u64],
        along: impl Fn(usize, u64, &mut [i64]),
    ) -> &mut [i64] {
        let (mut base, mut length) = (first, 1);
        for ((k, &lower), &extent) in lower.iter().enumerate().zip(extent).rev() {
            let count = usize::try_from(extent).unwrap_or(LISTED).min(LISTED);
            if length == 1 {
                let Some(offsets) = self.offsets.get_mut(..count) else { break };
                along(k, lower, offsets);
                if let [only] = offsets {
                    base = base.wrapping_add(*only);
                    *only = 0;
                }
                length = count;
                continue;
            }
            // What the inner dimensions made is repeated for each further index.
            let Some(steps) = self.steps.get_mut(..count) else { break };
            along(k, lower, steps);
            let Some((&mut first, steps)) = steps.split_first_mut() else { break };
            base = base.wrapping_add(first);
            let Some((inner, rest)) = self.offsets.split_at_mut_checked(length) else { break };
            for (copy, step) in rest.chunks_exact_mut(length).zip(steps) {
                let step = step.wrapping_sub(first);
                for (offset, inner) in copy.iter_mut().zip(&*inner) {
                    *offset = inner.wrapping_add(step);
                }
            }
            length = length.wrapping_mul(count);
        }
        let offsets = self.offsets.get_mut(..length).unwrap_or_default();
        for offset in &mut *offsets {
            *offset = offset.wrapping_add(base);
        }
        offsets
    }
}

/// Numbers from `first` on in steps.
pub(super) fn steps(first: i64, step: i64, out: &mut [i64]) {
    let mut next = first;
    for out in out {
        *out = next;
        next = next.wrapping_add(step);
    }
}

/// Lists the elements of a box, block by block, where an offset is a sum over the dimensions, as in
/// [`List::fill`]. Blocks of these sides have at most [`LISTED`] elements.
pub(super) fn sums(
    lower: &[u64],
    extent: &[u64],
    sides: &[u64],
    along: impl Fn(usize, u64, &mut [i64]),
    visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
) -> Result<()> {
    let mut list = List::new();
    blocks(lower, extent, sides, |lower, extent| {
        let offsets = list.fill(0, lower, extent, &along);
        visit(Part::Listed { lower, extent, offsets })
    })
}
