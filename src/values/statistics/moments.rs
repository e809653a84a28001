//! Mean and standard deviation of numbers that come in pieces.
//!
//! Of each piece they are found in passes over it: the sum in twice the precision, the mean, and then
//! the distances from that. Pieces are put together by their means (Chan, Golub and LeVeque), and
//! their sums stay in twice the precision. So nothing is lost where the mean is large and the numbers
//! lie close around it: equal numbers have a deviation of exactly 0.

use crate::bytes::math;

/// The finite numbers seen so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    count: u64,
    /// The sum is that of both; `low` is what rounding `high` left over.
    high: f64,
    low: f64,
    squares: Squares,
}

/// A sum of squares of distances, `sum` times 4 to the power of `exponent`: squares of small numbers
/// do not vanish, and those of large ones do not become infinite.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    sum: f64,
    exponent: i32,
}

impl Moments {
    /// Of a piece of finite numbers: a few thousand at most, so that their squares add up
    /// accurately.
    pub(super) fn of(numbers: &[f64]) -> Self {
        let count = math::wide(numbers.len());
        if count == 0 {
            return Self::default();
        }
        let mut moments = Self { count, ..Self::default() };
        let mut lanes = [Self::default(); 8];
        each(numbers, &mut lanes, |lane, x| lane.add(x));
        for lane in lanes {
            moments.add(lane.high);
            moments.add(lane.low);
        }
        let mean = moments.mean();
        let farthest = numbers.iter().fold(0.0, |far: f64, x| far.max((x - mean).abs()));
        let exponent = exponent(farthest);
        let scale = power(exponent.wrapping_neg());
        let mut squares = [0.0; 8];
        each(numbers, &mut squares, |lane, x| {
            let distance = (x - mean) * scale;
            *lane += distance * distance;
        });
        moments.squares = Squares { sum: squares.iter().sum(), exponent };
        moments
    }

    /// Of so many zeros.
    pub(super) fn zeros(count: u64) -> Self {
        Self { count, ..Self::default() }
    }

    /// Takes in others.
    pub(super) fn merge(&mut self, other: &Self) {
        if self.count == 0 || other.count == 0 {
            if self.count == 0 {
                *self = *other;
            }
            return;
        }
        let distance = other.mean() - self.mean();
        let (here, there) = (float(self.count), float(other.count));
        let weight = here / (here + there) * there;
        let exponent = exponent(distance);
        let distance = distance * power(exponent.wrapping_neg());
        self.squares.merge(other.squares);
        self.squares.merge(Squares { sum: distance * distance * weight, exponent });
        self.count = self.count.saturating_add(other.count);
        self.add(other.high);
        self.add(other.low);
    }

    /// The mean; not finite where the sum of the numbers leaves a float64.
    pub(super) fn mean(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => {
                let n = float(count);
                let rough = self.high / n;
                // What rounding left over.
                let left = rough.mul_add(-n, self.high) + self.low;
                rough + left / n
            }
        }
    }

    /// The standard deviation of the population.
    pub(super) fn deviation(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => (self.squares.sum / float(count)).sqrt() * power(self.squares.exponent),
        }
    }

    /// Adds to the sum; exactly, but for the last bits of `low`.
    fn add(&mut self, x: f64) {
        let sum = self.high + x;
        let rounded = sum - self.high;
        self.low += (self.high - (sum - rounded)) + (x - rounded);
        self.high = sum;
    }
}

impl Squares {
    fn merge(&mut self, other: Self) {
        if other.sum == 0.0 {
            return;
        }
        if self.sum == 0.0 {
            *self = other;
            return;
        }
        let exponent = self.exponent.max(other.exponent);
        let at = |squares: Self| {
            // What is too small to be seen beside the other becomes 0.
            let scale = power(squares.exponent.saturating_sub(exponent));
            squares.sum * scale * scale
        };
        *self = Self { sum: at(*self) + at(other), exponent };
    }
}

/// Takes numbers in, in eight lanes.
#[inline(always)]
fn each<T>(numbers: &[f64], lanes: &mut [T; 8], take: impl Fn(&mut T, f64)) {
    let (whole, rest) = numbers.as_chunks::<8>();
    for chunk in whole {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            take(lane, x);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        take(lane, x);
    }
}

/// The power of two that a number has, held where 2 to its power and to minus it are normal.
fn exponent(x: f64) -> i32 {
    let biased = i32::try_from(x.to_bits() >> 52 & 0x7FF).unwrap_or_default();
    biased.saturating_sub(1023).clamp(-1000, 1000)
}

/// 2 to a power; 0 far below what a float64 holds.
fn power(exponent: i32) -> f64 {
    let biased = u64::try_from(exponent.saturating_add(1023)).unwrap_or_default();
    f64::from_bits(biased.min(0x7FE) << 52)
}

/// The nearest float64.
#[allow(clippy::as_conversions, clippy::cast_precision_loss, reason = "rounds once")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In pieces of so many.
    fn moments(numbers: &[f64], piece: usize) -> (f64, f64) {
        let mut all = Moments::default();
        for piece in numbers.chunks(piece) {
            all.merge(&Moments::of(piece));
        }
        (all.mean(), all.deviation())
    }

    fn near(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() <= 1e-14 * wanted.abs()
    }

    #[test]
    fn equal_numbers_do_not_deviate() {
        for x in [0.1, -1e300, 5e-324, 1e-170, 16_777_217.0] {
            for piece in [1, 7, 1000] {
                assert_eq!(moments(&[x; 1003], piece), (x, 0.0), "{x} {piece}");
            }
        }
    }

    #[test]
    fn whole_numbers_from_one_on() {
        // The variance of 1 to n is (n^2 - 1) / 12.
        let n = 5000.0_f64;
        let wanted = ((n * n - 1.0) / 12.0).sqrt();
        for offset in [0.0, 1e9, 1e12] {
            let numbers: Vec<f64> = (1..=5000).map(|x| offset + f64::from(x)).collect();
            for piece in [1, 3, 1024, 5000] {
                let (mean, deviation) = moments(&numbers, piece);
                assert_eq!(mean, offset + 2500.5, "{offset} {piece}");
                assert!(near(deviation, wanted), "{offset} {piece}: {deviation} {wanted}");
            }
        }
    }

    #[test]
    fn the_smallest_and_the_largest() {
        for scale in [1e-160, 1e-300, 1e150, 1e300] {
            let numbers = [scale, 3.0 * scale, 5.0 * scale];
            for piece in [1, 2, 3] {
                let (mean, deviation) = moments(&numbers, piece);
                assert!(near(mean, 3.0 * scale), "{mean}");
                assert!(near(deviation, (8.0_f64 / 3.0).sqrt() * scale), "{deviation} {scale}");
            }
        }
        // Of different sizes.
        let (mean, deviation) = moments(&[1e200, 1e-200], 1);
        assert!(near(mean, 5e199) && near(deviation, 5e199), "{mean} {deviation}");
    }

    #[test]
    fn zeros_by_their_number() {
        let mut all = Moments::of(&[1.0, 2.0, 3.0]);
        all.merge(&Moments::zeros(5));
        assert_eq!(
            (all.mean(), all.deviation()),
            moments(&[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0], 8)
        );
        assert_eq!((Moments::default().mean(), Moments::default().deviation()), (0.0, 0.0));
    }
}
