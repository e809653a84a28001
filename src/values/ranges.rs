//! Ranges of a row-major list of elements, as boxes of its shape.

use crate::bytes::{Few, math};
use crate::error::Result;

/// One number a dimension.
type Index = Few<u64, 8>;

/// What takes a box: its lower bound, its extent, and how many elements came before it.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&[u64], &[u64], u64) -> Result<()>;

/// Takes `count` elements from the `first` on apart into boxes, at most two a dimension, that
/// follow one another. They lie in the shape, whose elements fit 64 bits.
pub(super) fn boxes(shape: &[u64], first: u64, count: u64, visit: Visit<'_>) -> Result<()> {
    let mut steps = Index::map(shape, |_| 0)?;
    let mut step = 1_u64;
    for (place, &size) in steps.as_mut_slice().iter_mut().zip(shape).rev() {
        *place = step;
        step = step.saturating_mul(size);
    }
    let (mut lower, mut extent) = (Index::map(shape, |_| 0)?, Index::map(shape, |_| 1)?);
    let mut done = 0;
    while done < count {
        let (at, left) = (first.saturating_add(done), count.saturating_sub(done));
        // The outermost dimension of which whole indices begin here.
        let whole = |&step: &u64| math::rem(at, step.max(1)) == 0 && step <= left;
        let along = steps.iter().position(whole).unwrap_or(shape.len());
        let mut rest = at;
        let mut taken = 1;
        let bounds = lower.as_mut_slice().iter_mut().zip(extent.as_mut_slice());
        for (k, ((lower, extent), (&step, &size))) in
            bounds.zip(steps.iter().zip(shape)).enumerate()
        {
            (*lower, rest) = (math::div(rest, step.max(1)), math::rem(rest, step.max(1)));
            *extent = match k.cmp(&along) {
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => {
                    math::div(left, step.max(1)).min(size.saturating_sub(*lower))
                }
                std::cmp::Ordering::Greater => size,
            };
            taken = extent.saturating_mul(taken);
        }
        visit(&lower, &extent, done)?;
        done = done.saturating_add(taken);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(shape: &[u64], first: u64, count: u64) -> Vec<(Vec<u64>, Vec<u64>, u64)> {
        let mut parts = Vec::new();
        boxes(shape, first, count, &mut |lower, extent, start| {
            parts.push((lower.to_vec(), extent.to_vec(), start));
            Ok(())
        })
        .unwrap();
        parts
    }

    #[test]
    fn every_range_of_a_shape() {
        for shape in [&[][..], &[7], &[3, 1, 4], &[2, 3, 2, 2], &[1, 1]] {
            let total: u64 = shape.iter().product();
            for first in 0..=total {
                for count in 0..=total - first {
                    let parts = parts(shape, first, count);
                    assert!(parts.len() <= 2 * shape.len().max(1), "{parts:?}");
                    let mut next = 0;
                    for (lower, extent, start) in parts {
                        assert_eq!(start, next);
                        let at = lower.iter().zip(shape).fold(0, |at, (x, n)| at * n + x);
                        assert_eq!(at, first + start);
                        // All dimensions inside the longest one are whole.
                        let long = extent.iter().position(|&n| n != 1).unwrap_or(extent.len());
                        assert!(extent.iter().zip(shape).skip(long + 1).all(|(n, s)| n == s));
                        next += extent.iter().product::<u64>();
                    }
                    assert_eq!(next, count);
                }
            }
        }
    }
}
