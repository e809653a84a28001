//! COO (layouts.md): values with their coordinates, perhaps in order.

use std::cmp::Ordering;

use super::super::indices::{Indices, Window};
use super::super::values::Values;
use super::{Batch, Sides};
use crate::bytes::{Few, math};
use crate::descriptor::layout::Coo;
use crate::error::{EntryFault, Result};

fn indices<'v>(values: &Values<'v>) -> Result<Indices<'v>> {
    Ok(Indices::new(values.buffer(1)?, "indices", None, 8))
}

pub(super) fn find(values: &Values<'_>, layout: &Coo, index: &[u64]) -> Result<Option<u64>> {
    let mut tuples = Window::new(indices(values)?, index.len());
    let (mut low, mut high) = (0, layout.nnz());
    if !layout.is_sorted() {
        while low < high {
            if tuples.get(low)? == index {
                return Ok(Some(low));
            }
            low = low.saturating_add(1);
        }
        return Ok(None);
    }
    while low < high {
        let middle = low.midpoint(high);
        match tuples.get(middle)?.cmp(index) {
            Ordering::Less => low = middle.saturating_add(1),
            Ordering::Equal => return Ok(Some(middle)),
            Ordering::Greater => high = middle,
        }
    }
    Ok(None)
}

pub(super) fn bring(
    values: &Values<'_>,
    layout: &Coo,
    sides: &Sides,
    batch: &mut Batch<'_, '_, '_, '_>,
) -> Result<()> {
    let rank = sides.list.len();
    let indices = indices(values)?;
    let mut tuples = Window::new(indices, rank);
    let first = sides.side(0);
    let mut at = 0;
    if layout.is_sorted() && first.lower > 0 {
        at = indices.lower_bound(0, layout.nnz(), math::wide(rank), first.lower)?;
    }
    let mut previous = Few::<u64, 8>::map(sides.list.as_slice(), |_| 0)?;
    let mut has_previous = false;
    while at < layout.nnz() {
        let tuple = tuples.get(at)?;
        let mut spot = sides.start;
        let mut is_inside = true;
        for ((side, &x), k) in sides.list.iter().zip(tuple).zip(0..) {
            if x >= side.size {
                let entry = at.saturating_mul(math::wide(rank)).saturating_add(k);
                let fault = EntryFault::Bound { value: x, limit: side.size };
                return Err(indices.fault(entry, fault));
            }
            is_inside &= side.holds(x);
            spot = side.add(spot, x);
        }
        if layout.is_sorted() {
            if has_previous && tuple <= previous.as_slice() {
                let entry = at.saturating_mul(math::wide(rank));
                return Err(indices.fault(entry, EntryFault::Unsorted));
            }
            previous.as_mut_slice().copy_from_slice(tuple);
            has_previous = true;
            if tuple.first().is_some_and(|&x| x >= first.upper) {
                break;
            }
        }
        if is_inside {
            batch.push(at, spot)?;
        }
        at = at.saturating_add(1);
    }
    Ok(())
}
