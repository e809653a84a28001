//! Where a cover fails: the first index, in row-major order, that is in no member or in several.
//!
//! Let f be the number of members that hold an index, less one inside the head, and p the first
//! index where it is not 0. Then p_0 is the first x for which the slice of f at x in dimension 0
//! is not 0 everywhere. A slice is a cover of one dimension less, so the weights of cover.rs tell
//! whether it is 0, and it changes only where a member begins or ends in dimension 0: one sweep
//! over those bounds, adding and taking off weights, finds p_0. The members at p_0 are then swept
//! in dimension 1, and so on. That is exact but for the chance that cover.rs speaks of, and what
//! comes out is held against the members before it is told.
//!
//! A sweep takes as many random elements as the members have bounds in the dimensions that
//! remain. Boxes can be made for which no sweep leaves any of them out, so the sum is limited.

use super::boxes::Boxes;
use super::cover::{BATCH, weigh, weight_of_head};
use super::field;
use super::keyed::Keyed;
use crate::bytes::{math, memory};
use crate::error::Result;

/// What is wrong with a cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverFault {
    /// An index of the head that no member holds.
    Uncovered {
        /// The index.
        index: Vec<u64>,
    },
    /// An index that two members hold, perhaps more.
    Overlap {
        /// One of the members, by its place in the list.
        first: usize,
        /// The next.
        second: usize,
        /// The index.
        index: Vec<u64>,
    },
    /// There is such an index, but the search for it would take too long.
    NotFound,
}

/// Random elements that a search may take, and bounds that it may sort: one or two seconds of one
/// processor.
pub(super) const EFFORT: u64 = 1 << 28;

/// The first index that is wrong.
pub(super) fn first_fault(
    keyed: &Keyed,
    shape: &[u64],
    boxes: &Boxes,
    effort: u64,
) -> Result<CoverFault> {
    let mut members = memory::vec(boxes.len())?;
    members.extend((0..boxes.len()).filter(|&k| boxes.get(k).iter().all(|s| s.lower < s.upper)));
    let mut index = memory::vec(shape.len())?;
    let mut left = effort;
    for (dimension, &extent) in shape.iter().enumerate() {
        let remaining = math::wide(shape.len().saturating_sub(dimension));
        let cost = math::wide(members.len()).saturating_mul(remaining).saturating_mul(2);
        let Some(rest) = left.checked_sub(cost) else {
            return Ok(CoverFault::NotFound);
        };
        left = rest;
        let Some(x) = first_wrong_slice(keyed, shape, boxes, &members, dimension, extent)? else {
            return Ok(CoverFault::NotFound);
        };
        members.retain(|&k| boxes.get(k).get(dimension).is_some_and(|span| span.contains(x)));
        index.push(x);
    }
    Ok(judge(shape, index, &members))
}

/// The first x in `dimension` where the members that are left and the head have different
/// weights in the dimensions after it.
fn first_wrong_slice(
    keyed: &Keyed,
    shape: &[u64],
    boxes: &Boxes,
    members: &[usize],
    dimension: usize,
    extent: u64,
) -> Result<Option<u64>> {
    let after = dimension.saturating_add(1)..shape.len();
    let head = weight_of_head(keyed, shape, after.clone());
    // Where the weight changes, and by how much.
    let mut changes = memory::vec(members.len().saturating_add(1).saturating_mul(2))?;
    changes.push((0, field::sub(0, head)));
    changes.push((extent, head));
    for some in members.chunks(BATCH) {
        let rows = some.iter().map(|&k| boxes.get(k));
        for (&weight, row) in
            weigh(keyed, after.clone(), rows.clone(), &mut [0; BATCH]).iter().zip(rows)
        {
            if let Some(span) = row.get(dimension) {
                changes.push((span.lower, weight));
                changes.push((span.upper, field::sub(0, weight)));
            }
        }
    }
    changes.sort_unstable();
    let mut weight = 0;
    for changes in changes.chunk_by(|(a, _), (b, _)| a == b) {
        for &(_, change) in changes {
            weight = field::add(weight, change);
        }
        if weight != 0 {
            return Ok(changes.first().map(|&(x, _)| x));
        }
    }
    Ok(None)
}

/// What is wrong at `index`, which `members` hold.
fn judge(shape: &[u64], index: Vec<u64>, members: &[usize]) -> CoverFault {
    match *members {
        [] if index.iter().zip(shape).all(|(x, extent)| x < extent) => {
            CoverFault::Uncovered { index }
        }
        [first, second, ..] => CoverFault::Overlap { first, second, index },
        // A member outside the head, which the rules for single members refuse; or chance.
        _ => CoverFault::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyed::{Key, Method};
    use super::*;

    #[test]
    fn a_search_that_would_take_too_long_says_so() {
        let keyed = Keyed::new(Key::new([1, 2]), Method::Portable);
        let mut boxes = Boxes::new(2);
        boxes.push(&[0, 0], &[2, 3]).unwrap();
        boxes.push(&[0, 2], &[2, 2]).unwrap();
        let fault = |effort| first_fault(&keyed, &[2, 4], &boxes, effort).unwrap();
        // Two members with two bounds in two dimensions, then in one.
        assert_eq!(fault(7), CoverFault::NotFound);
        assert_eq!(fault(11), CoverFault::NotFound);
        let overlap = CoverFault::Overlap { first: 0, second: 1, index: vec![0, 2] };
        assert_eq!(fault(12), overlap);
    }
}
