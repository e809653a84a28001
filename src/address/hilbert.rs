//! Hilbert (layouts.md, Hilbert): Skilling's transform, a cube at a time.

use std::ops::Range;

use super::listed::{Axes, List, blocks, steps};
use super::{LISTED, Part};
use crate::error::Result;

/// Bits of a tag below a coordinate.
const TAG: u32 = 8;

/// The index of a table entry, at most.
const LAST: u64 = 1023;

/// Places on the curve through one small cube.
type Table = [u16; LISTED];

#[derive(Clone, Copy)]
pub(super) struct Hilbert {
    order: u32,
    rank: u32,
}

/// How the curve runs through one aligned cube of side 2^bits.
///
/// What the transform does to the low bits of the coordinates for the sake of their high bits is
/// the same for all of the cube: it permutes the dimensions, inverts some of them, and inverts the
/// outcome or does not. Between lies the transform of a curve of order `bits`, which is the same
/// for all cubes.
struct Cube {
    /// The first place of the curve in the cube.
    first: u64,
    /// Which bits of the outcome are inverted.
    inverted: u64,
    /// The number made of the coordinates as they come out, `bits` bits each, the first dimension
    /// highest: that of the cube's [0, .., 0]. The strides of the others are in the [`Room`].
    origin: i64,
}

/// Room for what a cube needs a dimension, at most 63.
struct Room {
    x: [u64; 64],
    strides: [i64; 64],
}

impl Room {
    fn new() -> Self {
        Self { x: [0; 64], strides: [0; 64] }
    }
}

/// The first loop of the transform: each bit of `bits`, the highest first, exchanges or inverts
/// those below it.
fn exchange(x: &mut [u64], bits: Range<u32>) {
    let Some((first, others)) = x.split_first_mut() else { return };
    for bit in bits.rev() {
        let below = 1_u64.wrapping_shl(bit).wrapping_sub(1);
        // All ones where the bit is set.
        let set = |x: u64| (x.wrapping_shr(bit) & 1).wrapping_neg();
        *first ^= below & set(*first);
        for other in &mut *others {
            let set = set(*other);
            let exchanged = (*first ^ *other) & below & !set;
            *first ^= exchanged | (below & set);
            *other ^= exchanged;
        }
    }
}

/// Each bit becomes the parity of itself and those above it.
fn parities(mut x: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        x ^= x.wrapping_shr(distance);
    }
    x
}

impl Hilbert {
    pub(super) fn new(order: u32, rank: u32) -> Self {
        Self { order, rank }
    }

    /// The cube of side 2^bits that an index lies in; `bits` is at most the order.
    fn cube(&self, bits: u32, index: &[u64], room: &mut Room) -> Cube {
        let x = room.x.get_mut(..index.len()).unwrap_or_default();
        // Below each coordinate the number of its dimension takes part as the low bits would, and
        // shows what became of them.
        for ((x, index), tag) in x.iter_mut().zip(index).zip(0..) {
            *x = index.wrapping_shr(bits).wrapping_shl(TAG) | tag;
        }
        exchange(x, TAG..TAG.saturating_add(self.order.saturating_sub(bits)));

        let mut cube = Cube { first: 0, inverted: 0, origin: 0 };
        let last = 1_i64.wrapping_shl(bits).wrapping_sub(1);
        let mut unit = 1_i64;
        for x in x.iter_mut().rev() {
            let [tag, ..] = x.to_le_bytes();
            let is_inverted = tag > u8::MAX / 2;
            let stride = if is_inverted { unit.wrapping_neg() } else { unit };
            let dimension = usize::from(if is_inverted { !tag } else { tag });
            if let Some(place) = room.strides.get_mut(dimension) {
                *place = stride;
            }
            if is_inverted {
                cube.origin = cube.origin.wrapping_add(unit.wrapping_mul(last));
            }
            unit = unit.wrapping_shl(bits);
            *x = x.wrapping_shr(TAG);
        }

        let mut above = 0;
        for x in &mut *x {
            *x ^= above;
            above = *x;
        }
        let turned = parities(above.wrapping_shr(1));
        let mut place = 0_u64;
        for bit in (0..self.order.saturating_sub(bits)).rev() {
            for x in &*x {
                place = place.wrapping_shl(1) | ((x ^ turned).wrapping_shr(bit) & 1);
            }
        }
        let inner = bits.wrapping_mul(self.rank);
        cube.first = place.wrapping_shl(inner);
        if above.count_ones() & 1 == 1 {
            cube.inverted = 1_u64.wrapping_shl(inner).wrapping_sub(1);
        }
        cube
    }

    pub(super) fn offset(&self, index: &[u64]) -> i64 {
        // A cube of one element.
        self.cube(0, index, &mut Room::new()).first.cast_signed()
    }

    /// Cubes of side 2^bits, cut to the box; in more than ten dimensions, parts of them.
    fn cubes(
        &self,
        bits: u32,
        lower: &[u64],
        extent: &[u64],
        within: impl Fn(u64) -> u64,
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        let (mut list, mut room) = (List::new(), Room::new());
        let side = 1_u64.wrapping_shl(bits);
        let mut sides = Axes::map(extent, |_| 1)?;
        let mut elements = 1_u64;
        for own in sides.as_mut_slice().iter_mut().rev() {
            elements = elements.saturating_mul(side);
            if elements <= LAST.saturating_add(1) {
                *own = side;
            }
        }
        blocks(lower, extent, &sides, |lower, extent| {
            let cube = self.cube(bits, lower, &mut room);
            let offsets = list.fill(cube.origin, lower, extent, |k, index, out| {
                let stride = room.strides.get(k).copied().unwrap_or_default();
                let local = (index & side.wrapping_sub(1)).cast_signed();
                steps(stride.wrapping_mul(local), stride, out);
            });
            for offset in &mut *offsets {
                let place = within(offset.cast_unsigned()) ^ cube.inverted;
                *offset = (cube.first | place).cast_signed();
            }
            visit(Part::Listed { lower, extent, offsets })
        })
    }

    pub(super) fn parts(
        &self,
        lower: &[u64],
        extent: &[u64],
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        let elements = extent.iter().fold(1, |product: u64, &n| product.saturating_mul(n));
        // A table for as large a cube as there is room for; for a small box a small one, that it
        // is not filled for nothing.
        let fits = |bits: u32| {
            let places = bits.saturating_mul(self.rank);
            bits <= self.order
                && places <= LAST.count_ones()
                && elements.checked_shr(places) > Some(0)
        };
        let bits = (2..=self.order).take_while(|&bits| fits(bits)).last().unwrap_or(1);
        if self.rank > LAST.count_ones() {
            return self.cubes(1, lower, extent, parities, visit);
        }
        let table = self.table(bits)?;
        self.cubes(bits, lower, extent, |place| at(&table, place), visit)
    }

    /// The places of the curve of order `bits`, for each number made of coordinates: grown order by
    /// order, as a curve is made of cubes with the curve of the order below.
    fn table(&self, bits: u32) -> Result<Table> {
        let mut table = [0; LISTED];
        for (place, number) in table.iter_mut().zip(0..) {
            *place = low_16(parities(number));
        }
        for order in 2..=bits {
            let zero = Axes::map(&[0; 64], |_| 0)?;
            let lower =
                zero.get(..usize::try_from(self.rank).unwrap_or_default()).unwrap_or_default();
            let extent = Axes::map(lower, |_| 1_u64.wrapping_shl(order))?;
            let curve = Self { order, rank: self.rank };
            let mut strides = [0; 64];
            for (stride, k) in strides.iter_mut().take(lower.len()).rev().zip(0..) {
                *stride = 1_i64.wrapping_shl(order.wrapping_mul(k));
            }
            let mut grown = [0; LISTED];
            let mut numbers = List::new();
            let within = |place| at(&table, place);
            curve.cubes(order.saturating_sub(1), lower, &extent, within, &mut |part| {
                let Part::Listed { lower, extent, offsets } = part else { return Ok(()) };
                let numbers = numbers.fill(0, lower, extent, |k, index, out| {
                    let stride = strides.get(k).copied().unwrap_or_default();
                    steps(stride.wrapping_mul(index.cast_signed()), stride, out);
                });
                for (number, offset) in numbers.iter().zip(offsets) {
                    if let Ok(number) = usize::try_from(*number)
                        && let Some(place) = grown.get_mut(number)
                    {
                        *place = low_16(offset.cast_unsigned());
                    }
                }
                Ok(())
            })?;
            table = grown;
        }
        Ok(table)
    }
}

fn at(table: &Table, place: u64) -> u64 {
    let place = usize::try_from(place & LAST).unwrap_or_default();
    table.get(place).copied().unwrap_or_default().into()
}

fn low_16(number: u64) -> u16 {
    let [low, high, ..] = number.to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use crate::address::tests::{check_parts, offset, on_curve, parted, tensor};
    use crate::address::{Addresses, locate};
    use crate::descriptor::layout::Hilbert;
    use crate::descriptor::{Descriptor, ElementType};

    fn cube(order: u32, rank: u32) -> Descriptor {
        let shape = vec![1 << order; rank as usize];
        tensor(ElementType::INT8, &shape, Hilbert::new(order, rank)).unwrap()
    }

    #[test]
    fn the_table_of_the_text() {
        let table = [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
            [0, 2],
            [0, 3],
            [1, 3],
            [1, 2],
            [2, 2],
            [2, 3],
            [3, 3],
            [3, 2],
            [3, 1],
            [2, 1],
            [2, 0],
            [3, 0],
        ];
        for (place, index) in (0..).zip(table) {
            assert_eq!(offset(&[4, 4], Hilbert::new(2, 2), &index), place);
            assert_eq!(on_curve(2, 2, place.cast_unsigned()), index);
        }
    }

    /// Every place once, each one step from the one before.
    #[test]
    fn a_curve_through_the_cube() {
        for (order, rank) in [(1, 2), (5, 2), (7, 2), (4, 3), (3, 4), (2, 5), (2, 6), (1, 12)] {
            let d = cube(order, rank);
            let mut along = parted(&d, &vec![0; rank as usize], d.shape());
            along.sort_by_key(|(_, place)| *place);
            assert_eq!(along.len(), 1 << (order * rank));
            for (wanted, (index, place)) in (0..).zip(&along) {
                assert_eq!(*place, wanted);
                assert_eq!(&on_curve(order, rank as usize, place.cast_unsigned()), index);
            }
            for pair in along.windows(2) {
                let steps = pair[0].0.iter().zip(&pair[1].0).map(|(a, b)| a.abs_diff(*b));
                assert_eq!(steps.sum::<u64>(), 1, "{pair:?}");
            }
        }
    }

    #[test]
    fn far_out() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random >> 20
        };
        for (order, rank) in [
            (31, 2),
            (13, 2),
            (21, 3),
            (15, 4),
            (10, 6),
            (6, 10),
            (5, 11),
            (5, 12),
            (2, 31),
            (1, 63),
        ] {
            let d = cube(order, rank);
            let addresses = Addresses::new(&d).unwrap();
            let n = d.shape()[0];
            for _ in 0..200 {
                let index: Vec<u64> = (0..rank).map(|_| next() % n).collect();
                let place = addresses.offset(&index);
                assert_eq!(on_curve(order, rank as usize, place.cast_unsigned()), index);
            }
            // Boxes across the middle, where cubes of every size meet.
            for reach in [1, 2, 20, 45] {
                let reach = (n / 2).min(reach);
                let mut extent = vec![1; rank as usize];
                let mut elements = 1;
                for own in extent.iter_mut().step_by(2).rev() {
                    if elements * 2 * reach < 10_000 {
                        *own = 2 * reach;
                        elements *= *own;
                    }
                }
                check_parts(&d, &vec![n / 2 - reach; rank as usize], &extent);
            }
        }
        let last = (1 << 31) - 1;
        assert_eq!(locate(&cube(31, 2), &[last, 0]).unwrap().element, (1 << 62) - 1);
    }
}
