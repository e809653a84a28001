//! What a statistics section says of a tensor, from its values (descriptor.md, Statistics section).

mod moments;
#[cfg(test)]
mod tests;

use super::target::Target;
use super::transfer::Work;
use super::values::Values;
use crate::bytes::{math, memory};
use crate::container::{Progress, Steps};
use crate::descriptor::layout::Kind;
use crate::descriptor::{
    Builder, Descriptor, NmSparsity, SpecialValues, Statistics, ValueRange, ValueSpread,
};
use crate::error::{Error, ErrorKind, Result};
use moments::{Moments, float};

/// Numbers that are brought at once.
const PIECE: u64 = 1 << 15;

/// Numbers whose moments are found at once.
const BATCH: usize = 1 << 12;

/// Bytes of a float64.
const WIDTH: u64 = 8;

/// What ranges of a tensor's elements come to. Each range is added to one, ranges that were added
/// to several are merged, and when all elements are there, they are what [`Statistics`] say: of
/// the values that elements stand for, those of a quantized tensor dequantized, bool as 0 and 1, in
/// float64.
///
/// How the ranges lie, and in which order they come, makes no difference but in the last digits of
/// mean and deviation. A value that is not a number counts as not zero.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Elements that the tensor has.
    total: u64,
    /// Those that are stored, in a sparse layout.
    stored: Option<u64>,
    /// Elements of a group, 0 for none.
    m: u8,
    elements: u64,
    nonzero: u64,
    nans: u64,
    positive_infinities: u64,
    negative_infinities: u64,
    low: f64,
    high: f64,
    moments: Moments,
    /// The most that are not zero in a group.
    fullest: u8,
}

impl Tally {
    /// No elements yet, of a tensor. With `m` above 0 it also finds n of its n:m pattern, the most
    /// elements that are not zero in any m that follow one another. Such groups are counted from the
    /// first element on, in row-major order; the last may be short.
    pub fn new(descriptor: &Descriptor, m: u8) -> Result<Self> {
        let stored = match descriptor.layout().kind() {
            Kind::Sparse => descriptor.layout().nnz(),
            _ => None,
        };
        Ok(Self {
            total: descriptor.element_count()?,
            stored,
            m,
            elements: 0,
            nonzero: 0,
            nans: 0,
            positive_infinities: 0,
            negative_infinities: 0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            moments: Moments::default(),
            fullest: 0,
        })
    }

    /// Adds `count` elements from the `first` on, in row-major order. Takes 512 KiB of memory while
    /// it runs. Groups belong to the range in which they begin, and up to m - 1 elements behind it
    /// are looked at for that.
    ///
    /// Fails as [`Values::dequantize`] does; the tally is of no use then.
    pub fn add(&mut self, values: &Values<'_>, first: u64, count: u64) -> Result<()> {
        self.add_steps(values, first, count, &mut |_| Ok(()))
    }

    /// Takes in another one of the same tensor and m.
    pub fn merge(&mut self, other: &Self) {
        self.elements = self.elements.saturating_add(other.elements);
        self.nonzero = self.nonzero.saturating_add(other.nonzero);
        self.nans = self.nans.saturating_add(other.nans);
        self.positive_infinities =
            self.positive_infinities.saturating_add(other.positive_infinities);
        self.negative_infinities =
            self.negative_infinities.saturating_add(other.negative_infinities);
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.moments.merge(&other.moments);
        self.fullest = self.fullest.max(other.fullest);
    }

    /// What the section says, when each element was added once.
    ///
    /// * `nnz`: elements that are not zero; in a sparse layout those that are stored (decisions.md
    ///   row 42). `sparsity_ratio` is the share of the others.
    /// * `value_min`, `value_max`, `value_abs_max`: of values that are numbers, infinities among
    ///   them. Not known when there are none.
    /// * `value_mean`, `value_stddev`: of all values, as float64 has it: NaN where one is NaN, and
    ///   with infinities what they make of sum and distances. Not known of no elements, and where
    ///   the sum of finite values does not fit a float64.
    /// * `nm_n`, `nm_m`: where m was asked for and there are elements.
    pub fn statistics(&self) -> Result<Statistics> {
        if self.elements != self.total {
            let (what, found, expected) = ("count of elements added", self.elements, self.total);
            return Err(Error::new(ErrorKind::Amount { what, found, expected }));
        }
        let mut statistics = Statistics::new();
        let nnz = self.stored.unwrap_or(self.nonzero);
        statistics.set_nnz(nnz);
        statistics.set_special(SpecialValues {
            has_nan: self.nans != 0,
            has_inf: self.positive_infinities != 0 || self.negative_infinities != 0,
        });
        if self.total == 0 {
            return Ok(statistics);
        }
        let zeros = self.total.saturating_sub(nnz);
        statistics.set_sparsity_ratio(float(zeros) / float(self.total))?;
        if self.nans != self.total {
            // A zero is +0, whichever came first.
            let (min, max) = (self.low + 0.0, self.high + 0.0);
            statistics.set_range(ValueRange { min, max, abs_max: min.abs().max(max.abs()) });
        }
        if let Some(spread) = self.spread() {
            statistics.set_spread(spread)?;
        }
        if self.m != 0 {
            statistics.set_nm(NmSparsity { n: self.fullest, m: self.m })?;
        }
        Ok(statistics)
    }

    fn spread(&self) -> Option<ValueSpread> {
        let mean = match (self.nans, self.negative_infinities, self.positive_infinities) {
            (0, 0, 0) => {
                let spread = ValueSpread {
                    mean: self.moments.mean() + 0.0,
                    stddev: self.moments.deviation(),
                };
                let is_known = spread.mean.is_finite() && spread.stddev.is_finite();
                return is_known.then_some(spread);
            }
            (0, 0, _) => f64::INFINITY,
            (0, _, 0) => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
        Some(ValueSpread { mean, stddev: f64::NAN })
    }

    /// As [`add`](Self::add); `step` hears how many elements more are done.
    fn add_steps(
        &mut self,
        values: &Values<'_>,
        first: u64,
        count: u64,
        step: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let end = first.saturating_add(count);
        // A group that begins inside ends behind.
        let group = u64::from(self.m.max(1));
        let looked_at = match count {
            0 => end,
            _ => math::div_ceil(end, group).saturating_mul(group).min(self.total).max(end),
        };
        let mut groups = Groups::new(self.m, first);
        let room = math::to_usize(PIECE.min(looked_at.saturating_sub(first)), "elements")?;
        let mut numbers = memory::filled(0.0, room)?;
        let mut bytes = memory::filled(0, room.saturating_mul(size_of::<f64>()))?;
        let mut at = first;
        while at < looked_at {
            // Pieces end where they would if the range began at 0.
            let next = math::div(at, PIECE).saturating_add(1).saturating_mul(PIECE);
            let now = next.min(looked_at).saturating_sub(at);
            let length = math::to_usize(now, "elements")?;
            let numbers = numbers.get_mut(..length).unwrap_or_default();
            let bytes = bytes.get_mut(..length.saturating_mul(size_of::<f64>()));
            let bytes = bytes.unwrap_or_default();
            values.dequantize(at, now, Target::F64, bytes)?;
            for (number, &bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
                *number = f64::from_ne_bytes(bytes);
            }
            groups.see(numbers);
            let inside = math::to_usize(end.saturating_sub(at).min(now), "elements")?;
            self.see(numbers.get_mut(..inside).unwrap_or_default());
            at = at.saturating_add(now);
            step(now)?;
        }
        groups.finish();
        self.fullest = self.fullest.max(groups.fullest);
        Ok(())
    }

    /// Adds numbers, which are put into another order.
    fn see(&mut self, numbers: &mut [f64]) {
        for batch in numbers.chunks_mut(BATCH) {
            self.elements = self.elements.saturating_add(math::wide(batch.len()));
            let (mut nonzero, mut finite) = (0_u64, 0_usize);
            let (mut low, mut high) = (self.low, self.high);
            for &x in &*batch {
                nonzero = nonzero.wrapping_add(u64::from(x != 0.0));
                finite = finite.wrapping_add(usize::from(x.is_finite()));
                // Not below and not above anything: a NaN.
                low = if x < low { x } else { low };
                high = if x > high { x } else { high };
            }
            (self.low, self.high) = (low, high);
            self.nonzero = self.nonzero.saturating_add(nonzero);
            if finite != batch.len() {
                self.see_others(batch);
            }
            let batch = batch.get(..finite).unwrap_or_default();
            self.moments.merge(&Moments::of(batch));
        }
    }

    /// Counts what is not finite, and brings what is to the front.
    fn see_others(&mut self, batch: &mut [f64]) {
        let mut kept = 0_usize;
        for k in 0..batch.len() {
            let Some(&x) = batch.get(k) else { return };
            let count = if x.is_nan() {
                &mut self.nans
            } else if x == f64::INFINITY {
                &mut self.positive_infinities
            } else if x == f64::NEG_INFINITY {
                &mut self.negative_infinities
            } else {
                batch.swap(k, kept);
                kept = kept.saturating_add(1);
                continue;
            };
            *count = count.saturating_add(1);
        }
    }

    /// Adds elements that are zero, by their number.
    fn add_zeros(&mut self, count: u64) {
        if count != 0 {
            self.elements = self.elements.saturating_add(count);
            (self.low, self.high) = (self.low.min(0.0), self.high.max(0.0));
            self.moments.merge(&Moments::zeros(count));
        }
    }
}

impl Values<'_> {
    /// What a statistics section says of this tensor: [`Tally::statistics`] of all its elements.
    /// With `m` above 0 its n:m pattern too: see [`Tally::new`].
    ///
    /// Of a sparse tensor that is not quantized the stored values are looked at and the others
    /// counted, unless `m` asks for what follows what. `progress` hears of 8 bytes an element. Takes
    /// 512 KiB of memory. Fails as [`dequantize`](Self::dequantize) does.
    pub fn statistics(&self, m: u8, progress: Option<Progress<'_>>) -> Result<Statistics> {
        let d = self.descriptor();
        let mut tally = Tally::new(d, m)?;
        // Elements that are no numbers are refused as such, whatever is made of the tensor below.
        Work::dequantize(self, Target::F64)?;
        let stored = tally.stored.filter(|_| m == 0 && d.quantization().is_none());
        let total = stored.unwrap_or(tally.total);
        let mut steps = Steps::begin(progress, total.saturating_mul(WIDTH), PIECE)?;
        let mut step = |elements: u64| steps.step(elements.saturating_mul(WIDTH));
        match stored {
            None => tally.add_steps(self, 0, total, &mut step)?,
            Some(stored) => {
                let list = list(d, stored)?;
                tally.add_steps(&self.described(&list), 0, stored, &mut step)?;
                tally.add_zeros(tally.total.saturating_sub(stored));
            }
        }
        steps.finish();
        tally.statistics()
    }
}

/// The stored values of a sparse tensor, as a tensor of their own.
fn list(d: &Descriptor, stored: u64) -> Result<Descriptor> {
    Builder::new(d.element_type(), &[stored])?.build()
}

/// Groups of elements that follow one another.
struct Groups {
    m: u8,
    /// Elements until the group ends, or, before the first one, until it begins.
    left: u8,
    /// Whether one has begun.
    begun: bool,
    nonzero: u8,
    fullest: u8,
}

impl Groups {
    /// Those that begin at this element or behind it.
    fn new(m: u8, first: u64) -> Self {
        let into = math::rem(first, u64::from(m.max(1)));
        let left = u64::from(m).saturating_sub(into);
        let left = u8::try_from(left).unwrap_or(m);
        Self { m, left, begun: into == 0, nonzero: 0, fullest: 0 }
    }

    fn see(&mut self, numbers: &[f64]) {
        let mut numbers = numbers;
        while self.m != 0 && !numbers.is_empty() {
            let (now, rest) = numbers.split_at(usize::from(self.left).min(numbers.len()));
            numbers = rest;
            for &x in now {
                self.nonzero = self.nonzero.wrapping_add(u8::from(x != 0.0));
            }
            let seen = u8::try_from(now.len()).unwrap_or(self.left);
            self.left = self.left.saturating_sub(seen);
            if self.left == 0 {
                self.finish();
            }
        }
    }

    /// Ends a group.
    fn finish(&mut self) {
        if self.begun {
            self.fullest = self.fullest.max(self.nonzero);
        }
        (self.left, self.begun, self.nonzero) = (self.m, true, 0);
    }
}
