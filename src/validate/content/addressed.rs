//! Which places of its buffer a dense tensor with strides, tiles or interleaved bits addresses, and
//! which are padding or gaps, which nobody reads (layouts.md).
//!
//! Every such layout takes the index along each dimension apart into digits and gives each digit a
//! stride; an offset is the sum over all. So the places are found a digit at a time, in one pass
//! over a bit for each place: in time that goes with the size of the buffer, however many indices
//! share a place.

use super::Pass;
use crate::bytes::{math, memory};
use crate::descriptor::Layout;
use crate::descriptor::layout::{Level, Order, morton_code};
use crate::error::{Error, ErrorKind, Result};

const WHAT: &str = "element offset";

/// One digit of the index along a dimension.
#[derive(Clone, Copy)]
struct Digit {
    /// What a step of it is worth in the index.
    worth: u64,
    /// How many values it takes.
    count: u64,
    /// What a step of it is worth in the buffer, in elements.
    stride: i64,
}

/// The digits of every dimension, the finest first.
pub(super) struct Digits<'d> {
    shape: &'d [u64],
    of: Vec<Vec<Digit>>,
    /// The reach below the first element, and above it.
    below: u64,
    above: u64,
}

impl<'d> Digits<'d> {
    /// Those of a layout, none for one whose elements fill their buffer without gaps; the shape is
    /// without zeros and dynamic dimensions.
    pub(super) fn of(layout: &Layout, shape: &'d [u64]) -> Result<Option<Self>> {
        let mut of = memory::vec(shape.len())?;
        for (k, &size) in shape.iter().enumerate() {
            of.push(match layout {
                Layout::Strided(layout) => {
                    let stride = layout.strides().get(k).copied().unwrap_or_default();
                    let mut digits = memory::vec(1)?;
                    digits.push(Digit { worth: 1, count: size, stride });
                    digits
                }
                Layout::Tiled(layout) => tiled(layout.levels(), shape, k)?,
                Layout::Morton(_) => interleaved(shape, k, size)?,
                _ => return Ok(None),
            });
        }
        let (mut below, mut above) = (0, 0);
        for digit in of.iter().flatten() {
            let last = digit.count.saturating_sub(1);
            let reach = math::mul(digit.stride.unsigned_abs(), last, WHAT)?;
            let side = if digit.stride < 0 { &mut below } else { &mut above };
            *side = math::add(*side, reach, WHAT)?;
        }
        // Codes of bits that are above the shape can lie behind the buffer. Nothing leads back.
        if let Layout::Morton(_) = layout {
            let last = shape.iter().map(|size| size.saturating_sub(1));
            above = morton_code(last).ok_or_else(overflow)?;
        }
        Ok(Some(Self { shape, of, below, above }))
    }

    /// Elements that can lie before the first.
    pub(super) fn below(&self) -> u64 {
        self.below
    }

    /// Places from the lowest to the highest.
    pub(super) fn span(&self) -> Result<u64> {
        math::add(math::add(self.below, self.above, WHAT)?, 1, WHAT)
    }

    /// The places that are addressed, counted from the lowest. Takes 3 bits of memory for each of
    /// the span.
    pub(super) fn places(&self, pass: &mut Pass<'_, '_, '_>) -> Result<Places> {
        let span = self.span()?;
        let (mut all, mut partial) = (Places::none(span)?, Places::none(span)?);
        let mut scratch = Places::none(span)?;
        all.insert(self.below);
        for (&size, digits) in self.shape.iter().zip(&self.of) {
            // `all` takes every value of the digits so far, `partial` those below the size's own.
            partial.clear();
            for (k, digit) in digits.iter().enumerate() {
                let is_last = k.saturating_add(1) == digits.len();
                let mut value = math::div(size, digit.worth);
                if !is_last {
                    value = math::rem(value, digit.count);
                }
                scratch.copy(&all);
                scratch.repeat(digit.stride, value);
                partial.shift(digit.stride, value);
                partial.join(&scratch);
                if !is_last {
                    all.repeat(digit.stride, digit.count);
                }
                pass.steps.again(span)?;
            }
            std::mem::swap(&mut all, &mut partial);
        }
        Ok(all)
    }
}

/// The digits of dimension `k`: where in the innermost tile, then which tile of each level.
fn tiled(levels: &[Level], shape: &[u64], k: usize) -> Result<Vec<Digit>> {
    let mut digits = memory::vec(levels.len().saturating_add(1))?;
    let at = |sizes: &[u64]| sizes.get(k).copied().unwrap_or(1);
    if let Some(last) = levels.last() {
        let tile = last.tile_shape();
        let order = last.inner().unwrap_or(&Order::RowMajor);
        let stride = stride(order, tile.iter().copied(), k)?;
        digits.push(Digit { worth: 1, count: at(tile), stride });
    }
    for (n, level) in levels.iter().enumerate().rev() {
        let tile = level.tile_shape();
        let above = n.checked_sub(1).and_then(|n| levels.get(n));
        let region = above.map_or(shape, Level::tile_shape);
        let grid = region.iter().zip(tile).map(|(&size, &tile)| math::div_ceil(size, tile));
        let elements = math::product(tile, "elements of a tile")?;
        let count = math::div_ceil(at(region), at(tile));
        let mut digit = Digit { worth: at(tile), count, stride: stride(level.outer(), grid, k)? };
        if count > 1 && digit.stride != 0 {
            let elements = i64::try_from(elements).map_err(|_| overflow())?;
            digit.stride = digit.stride.checked_mul(elements).ok_or_else(overflow)?;
        }
        digits.push(digit);
    }
    Ok(digits)
}

/// The stride of dimension `k` in a grid of these sizes; 0 along one index, where it means nothing.
fn stride(order: &Order, sizes: impl Iterator<Item = u64> + Clone, k: usize) -> Result<i64> {
    if sizes.clone().nth(k).is_none_or(|size| size <= 1) {
        return Ok(0);
    }
    let product = |a, b| math::mul(a, b, WHAT);
    let stride = match order {
        Order::RowMajor => sizes.skip(k.saturating_add(1)).try_fold(1, product)?,
        Order::ColumnMajor => sizes.take(k).try_fold(1, product)?,
        Order::Strided(_) => {
            let own = order.strides().and_then(|strides| strides.get(k));
            return Ok(own.copied().unwrap_or_default());
        }
    };
    i64::try_from(stride).map_err(|_| overflow())
}

/// The bits of the index along dimension `k`, of which every one has a bit of the code.
fn interleaved(shape: &[u64], k: usize, size: u64) -> Result<Vec<Digit>> {
    let bits = u64::BITS.saturating_sub(size.saturating_sub(1).leading_zeros());
    let mut digits = memory::vec(math::to_usize(bits.max(1).into(), "bits of an index")?)?;
    for bit in 0..bits.max(1) {
        let place = math::mul(bit.into(), math::wide(shape.len()), WHAT)?;
        let place = u32::try_from(math::add(place, math::wide(k), WHAT)?);
        let stride = place.ok().and_then(|place| 1_i64.checked_shl(place)).unwrap_or_default();
        let count = if bits == 0 { 1 } else { 2 };
        digits.push(Digit { worth: 1_u64.wrapping_shl(bit), count, stride });
    }
    Ok(digits)
}

fn overflow() -> Error {
    Error::new(ErrorKind::Overflow { what: WHAT })
}

/// A set of places.
pub(super) struct Places {
    /// How many there can be, in the units that the set keeps apart.
    span: u64,
    /// Places that one bit stands for.
    unit: u64,
    words: Vec<u64>,
}

impl Places {
    /// None of so many.
    pub(super) fn none(span: u64) -> Result<Self> {
        let words = math::to_usize(math::div_ceil(span, 64), "places of a buffer")?;
        Ok(Self { span, unit: 1, words: memory::filled(0, words)? })
    }

    /// Each of them as `unit` places that follow each other.
    pub(super) fn in_units_of(self, unit: u64) -> Self {
        Self { unit, ..self }
    }

    pub(super) fn contains(&self, place: u64) -> bool {
        self.has(math::div(place, self.unit))
    }

    fn has(&self, place: u64) -> bool {
        let word = usize::try_from(place >> 6).ok().and_then(|word| self.words.get(word));
        word.is_some_and(|word| word & 1_u64.wrapping_shl(bit(place)) != 0)
    }

    pub(super) fn insert(&mut self, place: u64) {
        if let Some(word) = usize::try_from(place >> 6).ok().and_then(|w| self.words.get_mut(w)) {
            *word |= 1_u64.wrapping_shl(bit(place));
        }
    }

    fn remove(&mut self, place: u64) {
        if let Some(word) = usize::try_from(place >> 6).ok().and_then(|w| self.words.get_mut(w)) {
            *word &= !1_u64.wrapping_shl(bit(place));
        }
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }

    fn copy(&mut self, other: &Self) {
        self.words.copy_from_slice(&other.words);
    }

    fn join(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// The places that `stride` reaches from those in the set in less than `count` steps.
    fn repeat(&mut self, stride: i64, count: u64) {
        let step = stride.unsigned_abs();
        if count == 0 {
            self.clear();
        } else if count > 1 && step != 0 {
            for first in 0..step.min(self.span) {
                let steps = math::div(self.span.saturating_sub(1).saturating_sub(first), step);
                let mut left = 0;
                for k in 0..=steps {
                    let k = if stride < 0 { steps.saturating_sub(k) } else { k };
                    let place = k.saturating_mul(step).saturating_add(first);
                    if self.has(place) {
                        left = count;
                    } else if left > 0 {
                        self.insert(place);
                    }
                    left = left.saturating_sub(1);
                }
            }
        }
    }

    /// The places `count` steps of `stride` on.
    fn shift(&mut self, stride: i64, count: u64) {
        let by = stride.unsigned_abs().saturating_mul(count);
        if by == 0 {
            return;
        }
        for k in 0..self.span {
            // Each is read before it is written.
            let to = if stride < 0 { k } else { self.span.saturating_sub(1).saturating_sub(k) };
            let from = if stride < 0 { to.checked_add(by) } else { to.checked_sub(by) };
            match from.is_some_and(|from| self.has(from)) {
                true => self.insert(to),
                false => self.remove(to),
            }
        }
    }
}

fn bit(place: u64) -> u32 {
    u32::try_from(place & 63).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::tests::{of_type, problems};
    use super::*;
    use crate::address::locate;
    use crate::descriptor::ElementType;
    use crate::descriptor::layout::{Morton, Strided, Tiled};

    /// Every index of a shape.
    fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
        shape.iter().fold(vec![vec![]], |all, &size| {
            let with = |index: &Vec<u64>| {
                let index = index.clone();
                (0..size).map(move |i| [index.clone(), vec![i]].concat()).collect::<Vec<_>>()
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// Codes of a tensor that has numbers in its elements and none elsewhere are right; with one
    /// element that is no number, that one is wrong.
    fn check(shape: &[u64], layout: impl Fn() -> Layout) {
        let Some(digits) = Digits::of(&layout(), shape).unwrap() else { panic!("no digits") };
        let below = digits.below();
        let builder = || {
            let mut builder = of_type(ElementType::FLOAT8_E8M0, shape, layout());
            builder.byte_offset(below + 3);
            builder
        };
        let d = builder().build().unwrap();
        let at = |index: &Vec<u64>| usize::try_from(locate(&d, index).unwrap().byte).unwrap();
        let places: BTreeSet<usize> = indices(shape).iter().map(at).collect();
        let mut codes = vec![0; usize::try_from(d.buffers()[0].byte_size).unwrap()];
        for &place in &places {
            codes[place] = 127;
        }
        assert_eq!(problems(builder(), &[codes.clone()]), [""; 0]);
        for &place in &places {
            let mut codes = codes.clone();
            codes[place] = 255;
            let found = problems(builder(), &[codes]);
            assert!(found.len() == 1 && found[0].ends_with(&format!("byte {}", 4096 + place)));
        }
    }

    fn order() -> impl Strategy<Value = Option<[i64; 2]>> {
        proptest::option::of([-4..5_i64, -4..5_i64])
    }

    fn as_order(strides: Option<[i64; 2]>, column: bool) -> Order {
        match strides {
            Some(strides) => Order::strided(&strides).unwrap(),
            None if column => Order::ColumnMajor,
            None => Order::RowMajor,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn any_strides(shape in [1..5u64, 1..5u64, 1..5u64], strides in [-9..9i64, -9..9i64, -9..9i64]) {
            check(&shape, || Strided::new(&strides).unwrap().into());
        }

        #[test]
        fn any_tiles(
            shape in [1..8u64, 1..8u64],
            innermost in [1..4u64, 1..4u64],
            factors in proptest::collection::vec([1..3u64, 1..3u64], 0..3),
            orders in proptest::collection::vec((order(), any::<bool>()), 4),
        ) {
            let mut tiles = vec![innermost];
            for factor in &factors {
                let last = *tiles.last().unwrap();
                tiles.push([last[0] * factor[0], last[1] * factor[1]]);
            }
            tiles.reverse();
            let last = tiles.len() - 1;
            check(&shape, || {
                let level = |(k, tile): (usize, &[u64; 2])| {
                    let inner = (k == last).then(|| as_order(orders[3].0, orders[3].1));
                    Level::new(tile, as_order(orders[k].0, orders[k].1), inner).unwrap()
                };
                Tiled::nested(tiles.iter().enumerate().map(level).collect()).unwrap().into()
            });
        }

        #[test]
        fn any_bits(shape in [1..9u64, 1..6u64], more in [0..2u32, 0..2u32]) {
            let bits = |k: usize| (shape[k] - 1).checked_ilog2().map_or(1, |bits| bits + 1);
            let bits = [bits(0) + more[0], bits(1) + more[1]];
            check(&shape, || Morton::new(&bits).unwrap().into());
        }
    }

    #[test]
    fn as_many_indices_as_there_are_cost_only_their_places() {
        // 2^60 elements in 2^21 places.
        let strided = Strided::new(&[1, 1, 0]).unwrap();
        let shape = [1 << 20, 1 << 20, 1 << 20];
        let mut codes = vec![127; (1 << 21) - 1];
        codes[1 << 20] = 0;
        let builder = of_type(ElementType::FLOAT8_E8M0, &shape, strided);
        assert_eq!(problems(builder, &[codes]).len(), 1);
    }
}
