//! CSR and CSC (layouts.md): lines of a matrix, each with the indices of what is stored in it.

use super::super::indices::{Indices, Window};
use super::super::values::Values;
use super::{Batch, Sides};
use crate::error::{EntryFault, Result};

/// A matrix by lines.
pub(super) struct Lines<'v> {
    nnz: u64,
    /// The dimension along which lines follow one another, and that along a line.
    dimensions: [usize; 2],
    /// How many lines there are, and how long they are.
    sizes: [u64; 2],
    indices: Indices<'v>,
    pointers: Indices<'v>,
}

/// A CSR matrix.
pub(super) fn rows<'v>(values: &Values<'v>, nnz: u64) -> Result<Lines<'v>> {
    Lines::new(values, nnz, [0, 1], ["col_indices", "row_ptr"])
}

/// A CSC matrix.
pub(super) fn columns<'v>(values: &Values<'v>, nnz: u64) -> Result<Lines<'v>> {
    Lines::new(values, nnz, [1, 0], ["row_indices", "col_ptr"])
}

impl<'v> Lines<'v> {
    fn new(
        values: &Values<'v>,
        nnz: u64,
        dimensions: [usize; 2],
        [indices, pointers]: [&'static str; 2],
    ) -> Result<Self> {
        let shape = values.descriptor().shape();
        let size = |k: usize| shape.get(k).copied().unwrap_or_default();
        Ok(Self {
            nnz,
            dimensions,
            sizes: dimensions.map(size),
            indices: Indices::new(values.buffer(1)?, indices, None, 8),
            pointers: Indices::new(values.buffer(2)?, pointers, None, 8),
        })
    }

    pub(super) fn find(&self, index: &[u64]) -> Result<Option<u64>> {
        let [line, along] = self.dimensions.map(|k| index.get(k).copied().unwrap_or_default());
        let (begin, end) = self.pointers.range(line, self.nnz)?;
        let place = self.indices.lower_bound(begin, end, 1, along)?;
        Ok((place < end && self.indices.at(place)? == along).then_some(place))
    }

    pub(super) fn bring(&self, sides: &Sides, batch: &mut Batch<'_, '_, '_, '_>) -> Result<()> {
        let [lines, along] = self.dimensions.map(|k| sides.side(k));
        let [_, length] = self.sizes;
        let mut pointers = Window::new(self.pointers, 1);
        let mut indices = Window::new(self.indices, 1);
        let mut begin = pointers.at(lines.lower)?;
        for line in lines.lower..lines.upper {
            let end = pointers.at(line.saturating_add(1))?;
            self.pointers.check_range(line, begin, end, self.nnz)?;
            let spot = lines.add(sides.start, line);
            let mut place = begin;
            if along.lower > 0 {
                place = self.indices.lower_bound(begin, end, 1, along.lower)?;
            }
            let mut previous = None;
            while place < end {
                let x = self.indices.check(place, indices.at(place)?, length)?;
                if let Some(previous) = previous.filter(|&previous| previous >= x) {
                    let fault = EntryFault::NotAbove { value: x, previous };
                    return Err(self.indices.fault(place, fault));
                }
                previous = Some(x);
                if x >= along.upper {
                    break;
                }
                if x >= along.lower {
                    batch.push(place, along.add(spot, x))?;
                }
                place = place.saturating_add(1);
            }
            begin = end;
        }
        Ok(())
    }
}
