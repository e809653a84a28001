//! A part of a tensor as a grid: where its elements are, where they go, which parameters are theirs.

use super::parameters::Map;
use crate::bytes::{Few, math};
use crate::error::Result;

/// Short lists of dimensions: most grids have few once joined.
pub(super) type Dims = Few<Dim, 6>;

/// One dimension. The steps are those from one element to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dim {
    pub(super) count: u64,
    /// In elements of the source; in a list of offsets, in places of it.
    pub(super) source: i64,
    /// In elements of the target.
    pub(super) target: u64,
    /// In entries of the parameter buffers; along the axis of a scheme, from block to block.
    pub(super) parameter: u64,
    pub(super) is_axis: bool,
}

/// A box of elements. The dimensions are the outermost first; where elements of two follow one
/// another as in one, they are one.
pub(super) struct Grid {
    pub(super) dims: Dims,
    pub(super) first: i64,
    pub(super) target: u64,
    pub(super) parameter: u64,
    /// Elements along the axis that share their parameters.
    pub(super) block: u64,
    /// Of those, how many lie before the first element.
    pub(super) phase: u64,
}

/// Where the elements of a box are, before it is a grid.
pub(super) struct Shape<'s> {
    pub(super) extent: &'s [u64],
    pub(super) first: i64,
    /// One a dimension; `None`: in a list, in row-major order.
    pub(super) strides: Option<&'s [i64]>,
    pub(super) target: u64,
    pub(super) target_steps: &'s [u64],
    /// The parameters of its elements, and its first index along each dimension.
    pub(super) parameters: Option<(&'s Map, &'s [u64])>,
}

impl Grid {
    pub(super) fn new(shape: &Shape<'_>) -> Result<Self> {
        let mut grid = Self {
            dims: Dims::new(),
            first: shape.first,
            target: shape.target,
            parameter: 0,
            block: 1,
            phase: 0,
        };
        let mut axis = usize::MAX;
        if let Some((map, lower)) = shape.parameters {
            (grid.parameter, grid.phase) = map.place(lower);
            (grid.block, axis) = (map.block, map.axis);
        }
        // In a list one dimension steps over all that come after it.
        let mut listed = shape.extent.iter().fold(1_u64, |all, &n| all.saturating_mul(n));
        for (k, (&count, &target)) in shape.extent.iter().zip(shape.target_steps).enumerate() {
            listed = math::div(listed, count.max(1));
            let source = match shape.strides {
                Some(strides) => strides.get(k).copied().unwrap_or_default(),
                None => listed.cast_signed(),
            };
            let parameter = shape.parameters.map_or(0, |(map, _)| map.step(k));
            if count != 1 {
                grid.push(Dim { count, source, target, parameter, is_axis: k == axis })?;
            }
        }
        if grid.dims.is_empty() {
            grid.dims.push(Dim { count: 1, source: 1, target: 1, ..Dim::default() })?;
        }
        Ok(grid)
    }

    /// Adds a dimension inside those that are there, as one with the last where that makes no
    /// difference.
    fn push(&mut self, inner: Dim) -> Result<()> {
        if let Some(&outer) = self.dims.last()
            && let Some(joined) = self.joined(outer, inner)
            && let Some(place) = self.dims.as_mut_slice().last_mut()
        {
            *place = joined;
            return Ok(());
        }
        self.dims.push(inner)
    }

    fn joined(&mut self, outer: Dim, inner: Dim) -> Option<Dim> {
        let count = inner.count;
        let follows = inner.source.checked_mul(i64::try_from(count).ok()?) == Some(outer.source)
            && inner.target.checked_mul(count) == Some(outer.target);
        let joined = Dim { count: outer.count.checked_mul(count)?, ..inner };
        match (outer.is_axis, inner.is_axis) {
            _ if !follows => None,
            (false, false) => {
                (inner.parameter.checked_mul(count) == Some(outer.parameter)).then_some(joined)
            }
            // Lines of whole blocks.
            (false, true) => (self.phase == 0
                && outer.parameter.checked_mul(self.block) == Some(count))
            .then_some(joined),
            // All that lies at one index of the axis has the same parameters.
            (true, _) if inner.parameter == 0 => {
                (self.block, self.phase) =
                    (self.block.checked_mul(count)?, self.phase.checked_mul(count)?);
                Some(Dim { is_axis: true, parameter: outer.parameter, ..joined })
            }
            (true, _) => None,
        }
    }

    /// How many elements there are.
    pub(super) fn elements(&self) -> u64 {
        self.dims.iter().fold(1, |all: u64, dim| all.saturating_mul(dim.count))
    }

    /// Takes the grid apart into such of at most `most` elements.
    pub(super) fn chunks(
        &self,
        most: u64,
        visit: &mut impl FnMut(&Self) -> Result<()>,
    ) -> Result<()> {
        if self.elements() <= most {
            return visit(self);
        }
        let sizes = self.sizes(most)?;
        match self.blocks()? {
            Some((blocks, dense)) => {
                self.cuts(&blocks, dense, &mut |block| block.cuts(&sizes, dense, visit))
            }
            None => self.cuts(&sizes, usize::MAX, visit),
        }
    }

    /// Takes the grid apart into such of at most these sizes: one after another along the dimension
    /// `inner`, if there is one, then in row-major order.
    fn cuts(
        &self,
        sizes: &[u64],
        inner: usize,
        visit: &mut impl FnMut(&Self) -> Result<()>,
    ) -> Result<()> {
        let mut at = Few::<u64, 6>::map(&self.dims, |_| 0)?;
        let mut chunk = Self { dims: self.dims.try_clone()?, ..*self };
        // Whether there is a next one along a dimension; if not, that begins anew.
        let next = |at: &mut [u64], k: usize| match (at.get_mut(k), sizes.get(k), self.dims.get(k))
        {
            (Some(at), Some(&size), Some(dim)) => {
                *at = at.saturating_add(size);
                let is_inside = *at < dim.count;
                *at = if is_inside { *at } else { 0 };
                is_inside
            }
            _ => false,
        };
        loop {
            self.cut(&at, sizes, &mut chunk);
            visit(&chunk)?;
            let at = at.as_mut_slice();
            let mut others = (0..at.len()).rev().filter(|&k| k != inner);
            if !next(at, inner) && !others.any(|k| next(at, k)) {
                return Ok(());
            }
        }
    }

    /// Makes `chunk` the part from `at` on, of at most these sizes.
    fn cut(&self, at: &[u64], sizes: &[u64], chunk: &mut Self) {
        (chunk.first, chunk.target) = (self.first, self.target);
        (chunk.parameter, chunk.phase) = (self.parameter, self.phase);
        let parts = chunk.dims.as_mut_slice().iter_mut().zip(self.dims.iter());
        for ((part, dim), (&at, &size)) in parts.zip(at.iter().zip(sizes)) {
            part.count = size.min(dim.count.saturating_sub(at));
            // Offsets of elements that there are: none of these sums leaves 64 bits.
            chunk.first = chunk.first.wrapping_add(dim.source.wrapping_mul(at.cast_signed()));
            chunk.target = chunk.target.wrapping_add(dim.target.wrapping_mul(at));
            let mut steps = at;
            if dim.is_axis {
                let along = self.phase.wrapping_add(at);
                steps = math::div(along, self.block);
                chunk.phase = math::rem(along, self.block);
            }
            chunk.parameter = chunk.parameter.wrapping_add(dim.parameter.wrapping_mul(steps));
        }
    }

    /// How large blocks are that chunks are taken from, where neighbours in the source are far from
    /// one another in the target: so large that both have whole lines and pages of memory in a
    /// block, and so small that the caches hold them until it is done.
    /// Gives the dimension too along which the source is densest.
    fn blocks(&self) -> Result<Option<(Few<u64, 6>, usize)>> {
        const ELEMENTS: u64 = 1 << 16;
        const SIDE: u64 = 256;
        let reach = |dim: &Dim| dim.source.unsigned_abs();
        if self.elements() <= ELEMENTS || self.dims.is_sorted_by(|a, b| reach(a) >= reach(b)) {
            return Ok(None);
        }
        let last = self.dims.len().saturating_sub(1);
        let mut sizes = Sizes::new(self, ELEMENTS)?;
        sizes.take(last, SIDE);
        let Some(dense) = self.densest(|k| k != last) else { return Ok(None) };
        sizes.take(dense, SIDE);
        Ok(Some((sizes.filled(), dense)))
    }

    /// The dimension along which elements of the source are nearest to one another.
    fn densest(&self, of: impl Fn(usize) -> bool) -> Option<usize> {
        let step = |k: &usize| self.dims.get(*k).map_or(u64::MAX, |dim| dim.source.unsigned_abs());
        (0..self.dims.len()).rev().filter(|k| of(*k) && step(k) != 0).min_by_key(step)
    }

    /// How large chunks are along each dimension: long along the last one; or over it and the one
    /// along which elements lie together, or else that along which they have the same parameters.
    fn sizes(&self, most: u64) -> Result<Few<u64, 6>> {
        /// Elements that lie together: some lines of memory.
        const RUN: u64 = 128;
        /// Elements along the axis of blocks, or in rows that have parameters.
        const BLOCK: u64 = 32;
        let last = self.dims.len().saturating_sub(1);
        let has_entries = self.dims.last().is_some_and(|inner| inner.parameter != 0);
        let axis = self.dims.iter().position(|dim| dim.is_axis).filter(|_| has_entries);
        // Parameters are found row by row: those must not be short.
        let run = if has_entries { BLOCK } else { RUN };
        let dense = self.densest(|_| true).filter(|&k| k != last).map(|k| (k, run));
        let second = dense.or(axis.map(|k| (k, BLOCK))).filter(|&(k, _)| k != last);
        let mut sizes = Sizes::new(self, most)?;
        if let Some((second, side)) = second {
            sizes.take(second, side);
            sizes.take(last, u64::MAX);
            sizes.take(second, u64::MAX);
        }
        Ok(sizes.filled())
    }
}

/// Sizes along each dimension of a grid, with room for more elements.
struct Sizes<'g> {
    dims: &'g [Dim],
    sizes: Few<u64, 6>,
    room: u64,
}

impl<'g> Sizes<'g> {
    fn new(grid: &'g Grid, room: u64) -> Result<Self> {
        Ok(Self { dims: &grid.dims, sizes: Few::map(&grid.dims, |_| 1)?, room })
    }

    /// Makes one as large as there is room for, at most `most`.
    fn take(&mut self, k: usize, most: u64) {
        if let (Some(size), Some(dim)) = (self.sizes.as_mut_slice().get_mut(k), self.dims.get(k)) {
            let room = self.room.saturating_mul(*size);
            *size = dim.count.min(room).min(most).max(*size);
            self.room = math::div(room, *size).max(1);
        }
    }

    /// Makes all as large as there is room for, from the last on.
    fn filled(mut self) -> Few<u64, 6> {
        for k in (0..self.dims.len()).rev() {
            self.take(k, u64::MAX);
        }
        self.sizes
    }
}
