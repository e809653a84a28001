//! COO (layouts.md, COO): coordinates inside the shape, none of them twice, in order if they say
//! so.

use super::numbers::Numbers;
use super::place::Place;
use super::{Pass, limit};
use crate::bytes::{math, memory};
use crate::composite::{Key, Keyed, Method};
use crate::descriptor::layout::Coo;
use crate::error::{EntryFault, Result};

/// The buffer of the coordinates.
const INDICES: u64 = 1;

/// The u64 coordinates, a tuple of `rank` for each of `nnz` elements.
struct Coordinates<'a> {
    place: Place,
    shape: &'a [u64],
    rank: u64,
    nnz: u64,
}

pub(super) fn check(pass: &mut Pass<'_, '_, '_>, layout: &Coo) -> Result<()> {
    let tensor = pass.tensor;
    let shape = tensor.descriptor().shape();
    let (rank, nnz) = (math::wide(shape.len()), layout.nnz());
    let mut all = Coordinates { place: Place::words(pass, INDICES)?, shape, rank, nnz };
    if !all.place.holds(pass, math::mul(nnz, rank, "count of coordinates")?)? {
        return Ok(());
    }
    if layout.is_sorted() { all.check_sorted(pass) } else { all.check_unsorted(pass) }
}

impl Coordinates<'_> {
    /// Bounds and order, which shows what stands there twice.
    fn check_sorted(&mut self, pass: &mut Pass<'_, '_, '_>) -> Result<()> {
        let mut numbers = Numbers::groups(&self.place, self.nnz, self.rank)?;
        let mut before = memory::filled(0u64, self.shape.len())?;
        let mut tuple = memory::filled(0u64, self.shape.len())?;
        for element in 0..self.nnz {
            let first = element.saturating_mul(self.rank);
            for (k, to) in (0u64..).zip(&mut tuple) {
                *to = numbers.next_u64(pass)?.unwrap_or_default();
                self.check_bound(pass, first, k, *to);
            }
            if element > 0 && tuple == before {
                let before = first.saturating_sub(self.rank);
                self.place.report(pass, first, EntryFault::Repeated { first: before });
            } else if element > 0 && tuple < before {
                self.place.report(pass, first, EntryFault::Unsorted);
            }
            std::mem::swap(&mut tuple, &mut before);
        }
        Ok(())
    }

    /// Bounds, and a hash of every tuple. Equal tuples have equal hashes, so whatever stands there
    /// twice is among neighbours when the hashes are sorted; the tuples themselves decide. The key
    /// of the hash is random: no file can know which tuples will look alike.
    fn check_unsorted(&mut self, pass: &mut Pass<'_, '_, '_>) -> Result<()> {
        let keyed = Keyed::new(Key::draw()?, Method::Fastest);
        let mut numbers = Numbers::groups(&self.place, self.nnz, self.rank)?;
        let mut hashes = memory::vec(math::to_usize(self.nnz, "count of coordinates")?)?;
        let (mut column, mut sums) = (Vec::new(), Vec::new());
        let mut element = 0u64;
        while let Some(piece) = numbers.piece(pass)? {
            let (words, _) = piece.as_chunks::<8>();
            let rank = self.shape.len().max(1);
            let tuples = words.chunks_exact(rank);
            let count = tuples.len();
            for (element, tuple) in (element..).zip(tuples) {
                let first = element.saturating_mul(self.rank);
                for (k, word) in (0u64..).zip(tuple) {
                    self.check_bound(pass, first, k, u64::from_le_bytes(*word));
                }
            }
            sums.clear();
            memory::reserve(&mut sums, count)?;
            sums.resize(count, 0u64);
            for (k, start) in (0u64..).zip(0..rank) {
                column.clear();
                memory::reserve(&mut column, count)?;
                let words = words.iter().skip(start).step_by(rank);
                column.extend(words.map(|word| u64::from_le_bytes(*word)));
                keyed.fill(k, &mut column);
                sums.iter_mut().zip(&column).for_each(|(sum, hash)| *sum ^= hash);
            }
            hashes.extend(sums.iter().copied().zip(element..));
            element = element.saturating_add(math::wide(count));
        }
        drop(numbers);
        hashes.sort_unstable();
        if let Some((first, second)) = self.first_repeated(pass, &hashes)? {
            let first = first.saturating_mul(self.rank);
            let second = second.saturating_mul(self.rank);
            self.place.report(pass, second, EntryFault::Repeated { first });
        }
        Ok(())
    }

    #[inline]
    fn check_bound(&mut self, pass: &mut Pass<'_, '_, '_>, first: u64, k: u64, value: u64) {
        let size = usize::try_from(k).ok().and_then(|k| self.shape.get(k));
        if let Some(limit) = limit(size).filter(|&limit| value >= limit) {
            let fault = EntryFault::Bound { value, limit };
            self.place.report(pass, first.saturating_add(k), fault);
        }
    }

    /// The first element, in the order of the file, whose tuple another before it has, behind that
    /// one. `hashes` holds hash and number of each, sorted.
    fn first_repeated(
        &self,
        pass: &mut Pass<'_, '_, '_>,
        hashes: &[(u64, u64)],
    ) -> Result<Option<(u64, u64)>> {
        let size = self.shape.len().saturating_mul(8);
        let (mut one, mut other) = (memory::filled(0, size)?, memory::filled(0, size)?);
        let mut found: Option<(u64, u64)> = None;
        for alike in hashes.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            for (k, &(_, second)) in alike.iter().enumerate().skip(1) {
                if found.is_some_and(|(_, best)| best <= second) {
                    break;
                }
                self.read(pass, second, &mut other)?;
                // Nearly always the first of them is the same.
                for &(_, first) in alike.iter().take(k) {
                    self.read(pass, first, &mut one)?;
                    if one == other {
                        found = Some((first, second));
                        break;
                    }
                }
            }
        }
        Ok(found)
    }

    fn read(&self, pass: &mut Pass<'_, '_, '_>, element: u64, tuple: &mut [u8]) -> Result<()> {
        let bytes = math::mul(self.rank, self.place.width, "bytes of a tuple")?;
        let offset = math::mul(element, bytes, "offset of a tuple")?;
        pass.read(self.place.buffer, offset, tuple)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{int8, problems, words};
    use super::*;
    use crate::descriptor::DYNAMIC;

    fn of(shape: &[u64], sorted: bool, tuples: &[u64]) -> Vec<String> {
        let nnz = tuples.len() / shape.len();
        let buffers = [vec![1; nnz], words(tuples)];
        problems(int8(shape, Coo::new(nnz as u64, sorted)), &buffers)
    }

    #[test]
    fn coordinates_inside_the_shape() {
        for sorted in [true, false] {
            assert!(of(&[4, 5], sorted, &[0, 0, 0, 4, 3, 0]).is_empty());
            assert!(of(&[4, 5], sorted, &[]).is_empty());
            assert_eq!(
                of(&[4, 5], sorted, &[0, 0, 0, 5, 4, 0]),
                ["indices[3] is 5, must be below 5, at byte 8216"]
            );
            assert_eq!(
                of(&[4], sorted, &[u64::MAX]),
                ["indices[0] is 18446744073709551615, must be below 4, at byte 8192"]
            );
            // decisions.md row 23.
            assert!(of(&[4, DYNAMIC], sorted, &[0, 1 << 63, 3, 0]).is_empty());
            assert_eq!(of(&[4, DYNAMIC], sorted, &[0, 1 << 63, 4, 0]).len(), 1);
            assert!(of(&[1 << 40, 1 << 40], sorted, &[(1 << 40) - 1; 2]).is_empty());
        }
    }

    #[test]
    fn order_where_it_is_promised() {
        assert!(of(&[4, 5], true, &[0, 4, 1, 0, 1, 1]).is_empty());
        assert!(of(&[4, 5], false, &[1, 1, 1, 0, 0, 4]).is_empty());
        assert_eq!(
            of(&[4, 5], true, &[0, 4, 1, 1, 1, 0]),
            ["indices[4] begins coordinates that do not come after those before, at byte 8224"]
        );
    }

    #[test]
    fn none_twice() {
        for sorted in [true, false] {
            assert_eq!(
                of(&[4, 5], sorted, &[0, 4, 1, 1, 1, 1]),
                ["indices[4] begins coordinates that begin at 2 already, at byte 8224"]
            );
        }
        // The first in the order of the file, whatever the key of the hash.
        for _ in 0..20 {
            assert_eq!(
                of(&[9, 9, 9], false, &[1, 2, 3, 3, 2, 1, 8, 8, 8, 3, 2, 1, 1, 2, 3, 8, 8, 8]),
                ["indices[9] begins coordinates that begin at 3 already, at byte 8264"]
            );
        }
        assert_eq!(
            of(&[DYNAMIC; 2], false, &[5; 2000]),
            ["indices[2] begins coordinates that begin at 0 already, at byte 8208"]
        );
    }

    #[test]
    fn many_and_far_apart() {
        // Several pieces; tuples of 7 do not fill one.
        let tuple = |k: u64| (0..7).map(move |d| (k >> (2 * d)) & 3);
        let shape = [4; 7];
        let mut tuples: Vec<u64> = (0..1 << 14).rev().flat_map(tuple).collect();
        assert!(of(&shape, false, &tuples).is_empty());
        let last = tuples.len() - 7;
        let seventh: Vec<u64> = tuples[49..56].to_vec();
        tuples[last..].copy_from_slice(&seventh);
        assert_eq!(
            of(&shape, false, &tuples),
            [format!(
                "indices[{last}] begins coordinates that begin at 49 already, at byte {}",
                // The values fill four pages.
                5 * 4096 + last * 8
            )]
        );
    }
}
