//! Lists of ascending indices behind pointers: CSR, CSC, and the levels of CSF (layouts.md).

use super::numbers::Numbers;
use super::place::Place;
use super::pointers::Pointers;
use super::{Pass, limit};
use crate::bytes::math;
use crate::descriptor::layout::{Csc, Csr};
use crate::error::{EntryFault, Result};

/// Pointers, and the lists of indices that they make.
pub(super) struct Lists {
    pub(super) pointers: Place,
    pub(super) indices: Place,
    /// How many lists; a dynamic dimension hides it.
    pub(super) lists: Option<u64>,
    /// Indices in all of them.
    pub(super) entries: u64,
    /// What indices are below, unless nobody knows.
    pub(super) limit: Option<u64>,
}

pub(super) fn check_csr(pass: &mut Pass<'_, '_, '_>, layout: &Csr) -> Result<()> {
    check_matrix(pass, layout.nnz(), 0, 1)
}

pub(super) fn check_csc(pass: &mut Pass<'_, '_, '_>, layout: &Csc) -> Result<()> {
    check_matrix(pass, layout.nnz(), 1, 0)
}

/// `lines` is the dimension that the pointers are for, `within` that of the indices.
fn check_matrix(pass: &mut Pass<'_, '_, '_>, nnz: u64, lines: usize, within: usize) -> Result<()> {
    let shape = pass.tensor.descriptor().shape();
    let lists = Lists {
        lists: limit(shape.get(lines)),
        limit: limit(shape.get(within)),
        entries: nnz,
        indices: Place::words(pass, 1)?,
        pointers: Place::words(pass, 2)?,
    };
    lists.check(pass).map(drop)
}

impl Lists {
    /// Checks them. Gives whether the pointers are right.
    pub(super) fn check(mut self, pass: &mut Pass<'_, '_, '_>) -> Result<bool> {
        if !self.indices.holds(pass, self.entries)? {
            return Ok(false);
        }
        let mut indices = Numbers::new(&self.indices, self.entries)?;
        let mut sound = false;
        let mut seen = 0;
        if let Some(lists) = self.lists {
            let count = math::add(lists, 1, "count of pointers")?;
            if self.pointers.holds(pass, count)? {
                let mut pointers = Pointers::new(lists, self.entries);
                let mut numbers = Numbers::new(&self.pointers, count)?;
                while let Some(value) = numbers.next_u64(pass)? {
                    let length = pointers.take(pass, &mut self.pointers, value);
                    let mut previous = None;
                    for _ in 0..length.unwrap_or(0) {
                        let Some(value) = indices.next_u64(pass)? else { break };
                        self.check_bound(pass, seen, value);
                        if let Some(previous) = previous.filter(|&previous| value <= previous) {
                            let fault = EntryFault::NotAbove { value, previous };
                            self.indices.report(pass, seen, fault);
                        }
                        previous = Some(value);
                        seen = seen.saturating_add(1);
                    }
                }
                sound = pointers.are_sound();
            }
        }
        // What no sound pointer leads to.
        while let Some(value) = indices.next_u64(pass)? {
            self.check_bound(pass, seen, value);
            seen = seen.saturating_add(1);
        }
        Ok(sound)
    }

    #[inline]
    fn check_bound(&mut self, pass: &mut Pass<'_, '_, '_>, index: u64, value: u64) {
        if let Some(limit) = self.limit.filter(|&limit| value >= limit) {
            self.indices.report(pass, index, EntryFault::Bound { value, limit });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{int8, problems, words};
    use super::*;
    use crate::descriptor::DYNAMIC;

    /// The check of layouts.md.
    const COLUMNS: [u64; 5] = [0, 3, 2, 1, 4];
    const ROWS: [u64; 5] = [0, 2, 3, 5, 5];

    fn csr(shape: [u64; 2], columns: &[u64], rows: &[u64]) -> Vec<String> {
        let nnz = columns.len();
        let buffers = [vec![1; nnz], words(columns), words(rows)];
        problems(int8(&shape, Csr::new(nnz as u64)), &buffers)
    }

    #[test]
    fn rows_and_columns() {
        assert!(csr([4, 5], &COLUMNS, &ROWS).is_empty());
        let buffers = [vec![1; 5], words(&COLUMNS), words(&ROWS)];
        assert!(problems(int8(&[5, 4], Csc::new(5)), &buffers).is_empty());
        let buffers = [vec![1; 5], words(&[0, 3, 2, 1, 5]), words(&ROWS)];
        assert_eq!(
            problems(int8(&[5, 4], Csc::new(5)), &buffers),
            ["row_indices[4] is 5, must be below 5, at byte 8224"]
        );
        assert!(csr([0, 4], &[], &[0]).is_empty());
        assert!(csr([3, 0], &[], &[0; 4]).is_empty());
        // What follows in a larger buffer belongs to nobody.
        assert!(csr([4, 5], &COLUMNS, &[0, 2, 3, 5, 5, 99]).is_empty());
    }

    #[test]
    fn pointers() {
        for (rows, text) in [
            ([1, 2, 3, 5, 5], "row_ptr[0] is 1, must be 0, at byte 12288"),
            ([0, 2, 1, 5, 5], "row_ptr[2] is 1, must not be below 2, at byte 12304"),
            ([0, 2, 3, 5, 4], "row_ptr[4] is 4, must not be below 5, at byte 12320"),
            ([0, 2, 3, 5, 6], "row_ptr[4] is 6, must be 5, at byte 12320"),
            ([0, 2, 9, 5, 5], "row_ptr[3] is 5, must not be below 9, at byte 12312"),
        ] {
            assert_eq!(csr([4, 5], &COLUMNS, &rows)[0], text);
        }
        // Behind a wrong one nobody knows where rows begin, but what columns there are.
        assert_eq!(
            csr([4, 5], &[4, 3, 2, 1, 7], &[0, 9, 9, 9, 5]),
            [
                "row_ptr[4] is 5, must not be below 9, at byte 12320",
                "col_indices[4] is 7, must be below 5, at byte 8224",
            ]
        );
    }

    #[test]
    fn ascending_in_each_row() {
        for (columns, text) in [
            ([3, 3, 2, 1, 4], "col_indices[1] is 3, must be above 3, at byte 8200"),
            ([0, 3, 2, 4, 1], "col_indices[4] is 1, must be above 4, at byte 8224"),
        ] {
            assert_eq!(csr([4, 5], &columns, &ROWS), [text]);
        }
    }

    #[test]
    fn what_a_dynamic_dimension_hides() {
        // decisions.md row 23.
        assert!(csr([DYNAMIC, 5], &[4, 3, 2, 1, 0], &[7, 1]).is_empty());
        assert_eq!(csr([DYNAMIC, 5], &[5], &[]).len(), 1);
        assert!(csr([4, DYNAMIC], &[0, 9, 2, 1, 1 << 60], &ROWS).is_empty());
        assert_eq!(csr([4, DYNAMIC], &[9, 9, 2, 1, 4], &ROWS).len(), 1);
    }
}
