//! Morton (layouts.md, Morton): each dimension owns every rank-th bit of the code.

use super::Part;
use super::listed::{Axes, sides, sums};
use crate::descriptor::layout::{morton_code, morton_spread};
use crate::error::Result;

pub(super) struct Morton {
    rank: u32,
}

impl Morton {
    pub(super) fn new(rank: u32) -> Self {
        Self { rank }
    }

    /// What dimension `k` adds to the code; the shape's rule is that the code fits 63 bits.
    fn along(&self, k: usize, index: u64) -> u64 {
        let k = u32::try_from(k).unwrap_or_default();
        morton_spread(index, self.rank, k).unwrap_or_default()
    }

    pub(super) fn offset(&self, index: &[u64]) -> i64 {
        morton_code(index.iter().copied()).unwrap_or_default().cast_signed()
    }

    pub(super) fn parts(
        &self,
        lower: &[u64],
        extent: &[u64],
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        // The bits that are not the dimension's.
        let mut others = Axes::map(extent, |_| 0)?;
        for (k, others) in (0..self.rank).zip(others.as_mut_slice()) {
            let own = (k..u64::BITS).step_by(usize::try_from(self.rank).unwrap_or(1).max(1));
            *others = !own.fold(0, |own, place| own | 1_u64.wrapping_shl(place));
        }
        let along = |k: usize, index, out: &mut [i64]| {
            let mut code = self.along(k, index);
            let others = others.get(k).copied().unwrap_or_default();
            for out in out {
                *out = code.cast_signed();
                // The carry runs through the bits of the other dimensions.
                code = (code | others).wrapping_add(1) & !others;
            }
        };
        sums(lower, extent, &sides(extent)?, along, visit)
    }
}

#[cfg(test)]
mod tests {
    use crate::address::tests::{check_parts, offset, tensor};
    use crate::descriptor::ElementType;
    use crate::descriptor::layout::Morton;

    fn morton(bits: &[u32]) -> Morton {
        Morton::new(bits).unwrap()
    }

    #[test]
    fn the_check_of_the_text() {
        assert_eq!(offset(&[4, 4], morton(&[2, 2]), &[2, 3]), 14);
    }

    #[test]
    fn far_out() {
        // Unequal bits: codes pass 2^sum(bits) (decisions.md row 16).
        assert_eq!(offset(&[5, 3, 2], morton(&[3, 2, 1]), &[4, 2, 1]), 64 + 16 + 4);
        let last = (1 << 31) - 1;
        let far = morton(&[32, 31]);
        assert_eq!(offset(&[1 << 31, 1 << 31], far, &[last, last]), (1 << 62) - 1);
        let d = tensor(ElementType::INT8, &[1 << 31; 2], morton(&[31, 31])).unwrap();
        check_parts(&d, &[(1 << 31) - 40, (1 << 30) - 20], &[40, 50]);
        let d = tensor(ElementType::INT8, &[1 << 62], morton(&[62])).unwrap();
        check_parts(&d, &[(1 << 61) - 700], &[3000]);
        // One bit for each of 63 dimensions.
        let d = tensor(ElementType::INT8, &[2; 63], morton(&[1; 63])).unwrap();
        let mut extent = [1; 63];
        for k in [0, 3, 5, 17, 30, 31, 32, 50, 55, 60, 61, 62] {
            extent[k] = 2;
        }
        check_parts(&d, &[0; 63], &extent);
    }
}
