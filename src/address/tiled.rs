//! Tiled (layouts.md, Tiled): an index is a digit a level, and each digit has a stride.

use super::affine::{Lines, Reach, StrideList};
use super::listed::{Axes, blocks, steps, sums};
use super::{LISTED, Part};
use crate::bytes::math;
use crate::descriptor::layout::{Level, Order};
use crate::error::Result;

/// Innermost tiles with fewer elements are not worth a part of their own each.
const SMALL: u64 = 256;

pub(super) struct Tiled<'d> {
    levels: &'d [Level],
    rank: usize,
    /// Strides of the digits in elements: those of the tiles of each level, the outermost first,
    /// then those of the elements of an innermost tile.
    strides: StrideList,
}

impl<'d> Tiled<'d> {
    pub(super) fn new(shape: &[u64], levels: &'d [Level]) -> Result<Self> {
        let rank = shape.len();
        let mut strides = StrideList::new();
        for _ in 0..levels.len().saturating_add(1).saturating_mul(rank) {
            strides.push(0)?;
        }
        let mut tiled = Self { levels, rank, strides };
        // An empty tensor addresses nothing, and its products may overflow (decisions.md row 53).
        if !shape.contains(&0) {
            tiled.fill(shape)?;
        }
        Ok(tiled)
    }

    fn fill(&mut self, shape: &[u64]) -> Result<()> {
        let mut rows = self.strides.as_mut_slice().chunks_exact_mut(self.rank);
        let mut reach = Reach::default();
        let (mut region, mut inner) = (shape, None);
        for (level, strides) in self.levels.iter().zip(&mut rows) {
            let tile = level.tile_shape();
            let elements = math::product(tile, "elements of a tile")?;
            let grid = region.iter().zip(tile).map(|(&n, &t)| math::div_ceil(n, t));
            Lines::from(level.outer()).strides(grid.clone(), elements, strides)?;
            reach.add(strides, grid)?;
            (region, inner) = (tile, level.inner());
        }
        if let Some(strides) = rows.next() {
            let order = inner.unwrap_or(&Order::RowMajor);
            Lines::from(order).strides(region.iter().copied(), 1, strides)?;
            reach.add(strides, region.iter().copied())?;
        }
        Ok(())
    }

    /// What dimension `k` adds to an offset, and the index within the innermost tile.
    fn along(&self, k: usize, index: u64) -> (i64, u64) {
        let (mut rest, mut offset, mut at) = (index, 0_i64, k);
        for level in self.levels {
            let tile = level.tile_shape().get(k).copied().unwrap_or(1);
            // Most sides are powers of two, and a division costs as much as ten shifts.
            let digit = match tile.is_power_of_two() {
                true => rest.wrapping_shr(tile.trailing_zeros()),
                false => math::div(rest, tile),
            };
            rest = rest.wrapping_sub(digit.wrapping_mul(tile));
            let stride = self.strides.get(at).copied().unwrap_or_default();
            offset = offset.wrapping_add(stride.wrapping_mul(digit.cast_signed()));
            at = at.wrapping_add(self.rank);
        }
        let stride = self.strides.get(at).copied().unwrap_or_default();
        (offset.wrapping_add(stride.wrapping_mul(rest.cast_signed())), rest)
    }

    pub(super) fn offset(&self, index: &[u64]) -> i64 {
        let terms = index.iter().enumerate().map(|(k, &index)| self.along(k, index).0);
        terms.fold(0, i64::wrapping_add)
    }

    /// Innermost tiles, cut to the box; small ones several at a time.
    pub(super) fn parts(
        &self,
        lower: &[u64],
        extent: &[u64],
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        let tile = self.levels.last().map(Level::tile_shape).unwrap_or_default();
        let (_, strides) = self.strides.split_at(self.strides.len().saturating_sub(self.rank));
        let cut = tile.iter().zip(extent).map(|(&tile, &extent)| tile.min(extent));
        if cut.fold(1, u64::saturating_mul) < SMALL {
            let along = |k: usize, index, out: &mut [i64]| {
                if let (Some(&tile), Some(&stride)) = (tile.get(k), strides.get(k)) {
                    self.run(k, index, tile, stride, out);
                }
            };
            return sums(lower, extent, &self.sides(tile, extent)?, along, visit);
        }
        blocks(lower, extent, tile, |lower, extent| {
            visit(Part::Affine { lower, extent, first: self.offset(lower), strides })
        })
    }

    /// Sides of blocks of small tiles: those that lie one after another make one stretch.
    fn sides(&self, tile: &[u64], extent: &[u64]) -> Result<Axes> {
        let mut sides = Axes::copy(tile)?;
        let mut elements = 1_u64;
        for (side, &extent) in sides.as_mut_slice().iter_mut().zip(extent) {
            *side = extent.min(*side).max(1);
            elements = elements.saturating_mul(*side);
        }
        let mut room = math::div(math::wide(LISTED), elements);
        let outer = self.strides.len().saturating_sub(self.rank.saturating_mul(2));
        let step = |k: &usize| self.strides.get(outer.saturating_add(*k)).map(|s| s.unsigned_abs());
        let nearest = (0..self.rank).rev().min_by_key(step);
        for k in nearest.into_iter().chain((0..self.rank).rev()) {
            if let (Some(side), Some(&extent)) = (sides.as_mut_slice().get_mut(k), extent.get(k)) {
                let tiles = math::div_ceil(extent, *side).min(room).max(1);
                *side = side.saturating_mul(tiles);
                room = math::div(room, tiles);
            }
        }
        Ok(sides)
    }

    /// What the indices of dimension `k` add, from `index` on, one innermost tile after another.
    fn run(&self, k: usize, mut index: u64, tile: u64, stride: i64, mut out: &mut [i64]) {
        while !out.is_empty() {
            let (first, within) = self.along(k, index);
            let left = tile.saturating_sub(within).max(1);
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(out.len());
            let Some((run, rest)) = out.split_at_mut_checked(count) else { return };
            steps(first, stride, run);
            index = index.wrapping_add(left);
            out = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::address::tests::{check_parts, offset, tensor};
    use crate::address::{Addresses, Part, locate};
    use crate::descriptor::ElementType;
    use crate::descriptor::layout::{Level, Order, Tiled};

    fn tiled(tile: &[u64]) -> Tiled {
        Tiled::new(tile, Order::RowMajor, Order::RowMajor).unwrap()
    }

    #[test]
    fn the_check_of_the_text() {
        assert_eq!(offset(&[6, 8], tiled(&[2, 4]), &[3, 5]), 29);
    }

    #[test]
    fn tiles_within_tiles() {
        // Tiles of 4 x 4 by columns, in them 2 x 2 by rows, in those elements by columns.
        let levels = vec![
            Level::new(&[4, 4], Order::ColumnMajor, None).unwrap(),
            Level::new(&[2, 2], Order::RowMajor, Some(Order::ColumnMajor)).unwrap(),
        ];
        // [5, 6] is in tile [1, 1] of 2 x 2, the fourth; there [1, 2] is in tile [0, 1], the
        // second; there [1, 0] is the second element.
        assert_eq!(offset(&[8, 7], Tiled::nested(levels).unwrap(), &[5, 6]), 3 * 16 + 4 + 1);
    }

    #[test]
    fn large_tiles_are_parts_and_small_ones_are_listed() {
        let kinds = |tile: &[u64], lower: &[u64], extent: &[u64]| {
            let d = tensor(ElementType::INT8, &[100, 100], tiled(tile)).unwrap();
            check_parts(&d, lower, extent);
            let (mut affine, mut listed) = (0, 0);
            let mut count = |part: Part<'_>| {
                match part {
                    Part::Affine { .. } => affine += 1,
                    Part::Listed { .. } => listed += 1,
                }
                Ok(())
            };
            Addresses::new(&d).unwrap().parts(lower, extent, &mut count).unwrap();
            (affine, listed)
        };
        assert_eq!(kinds(&[32, 32], &[30, 10], &[40, 80]), (9, 0));
        assert_eq!(kinds(&[1 << 30, 1 << 30], &[0, 0], &[100, 100]), (1, 0));
        assert_eq!(kinds(&[4, 4], &[0, 0], &[64, 64]), (0, 4));
        // Of large tiles, slivers.
        assert_eq!(kinds(&[32, 32], &[5, 0], &[1, 100]), (0, 1));
    }

    #[test]
    fn what_overflows_is_refused() {
        // As many bits as an u64 counts in one tile.
        let d = tensor(ElementType::BOOL, &[4], tiled(&[(1 << 63) + 8])).unwrap();
        let error = locate(&d, &[0]).unwrap_err().to_string();
        assert_eq!(error, "element offset does not fit 64 bits");
        assert_eq!(offset(&[4], tiled(&[1 << 62]), &[3]), 3);
        let mut shape = [1; 64];
        shape[63] = 9;
        let mut tile = [1; 64];
        tile[63] = 4;
        let mut index = [0; 64];
        index[63] = 7;
        assert_eq!(offset(&shape, tiled(&tile), &index), 7);
        let d = tensor(ElementType::INT8, &shape, tiled(&tile)).unwrap();
        check_parts(&d, &[0; 64], &shape);
    }
}
