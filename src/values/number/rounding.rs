//! Numbers as other kinds of numbers: rounded once, to the nearest, of two the even one.

use super::half;
use crate::error::ErrorKind;

/// A number that an element stands for.
pub(super) trait Number: Copy {
    fn f16(self) -> u16;
    fn bf16(self) -> u16;
    fn f32(self) -> f32;
    fn f64(self) -> f64;
    /// None where the number is not whole or out of range.
    fn i64(self) -> Option<i64>;
    /// Why there is no int64.
    fn misfit(self) -> ErrorKind {
        ErrorKind::Float { what: "element", value: self.f64(), rule: "a whole number of 64 bits" }
    }
}

impl Number for f32 {
    #[inline(always)]
    fn f16(self) -> u16 {
        half::narrow_f16(self)
    }

    #[inline(always)]
    fn bf16(self) -> u16 {
        half::narrow_bf16(self)
    }

    #[inline(always)]
    fn f32(self) -> f32 {
        self
    }

    #[inline(always)]
    fn f64(self) -> f64 {
        widen(self)
    }

    #[inline(always)]
    fn i64(self) -> Option<i64> {
        whole(self.into())
    }
}

impl Number for f64 {
    #[inline(always)]
    fn f16(self) -> u16 {
        half::narrow_f16(odd(self))
    }

    #[inline(always)]
    fn bf16(self) -> u16 {
        half::narrow_bf16(odd(self))
    }

    #[inline(always)]
    fn f32(self) -> f32 {
        narrow(self)
    }

    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }

    #[inline(always)]
    fn i64(self) -> Option<i64> {
        whole(self)
    }
}

/// Whole numbers that a float holds exactly.
macro_rules! integers {
    ($($integer:ty as $float:ty,)*) => {$(
        impl Number for $integer {
            #[inline(always)]
            fn f16(self) -> u16 {
                <$float>::from(self).f16()
            }

            #[inline(always)]
            fn bf16(self) -> u16 {
                <$float>::from(self).bf16()
            }

            #[inline(always)]
            fn f32(self) -> f32 {
                <$float>::from(self).f32()
            }

            #[inline(always)]
            fn f64(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn i64(self) -> Option<i64> {
                Some(self.into())
            }
        }
    )*};
}

integers! {
    i8 as f32,
    u8 as f32,
    i16 as f32,
    u16 as f32,
    i32 as f64,
    u32 as f64,
}

impl Number for i64 {
    #[inline(always)]
    fn f16(self) -> u16 {
        // Infinity begins far below these; up to them a float32 is exact.
        half::narrow_f16(self.clamp(-1 << 20, 1 << 20).f32())
    }

    #[inline(always)]
    fn bf16(self) -> u16 {
        let sign = if self < 0 { 0x8000 } else { 0 };
        sign | self.unsigned_abs().bf16()
    }

    #[inline(always)]
    #[allow(clippy::as_conversions, reason = "rounds once, to the nearest even")]
    fn f32(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    #[allow(clippy::as_conversions, reason = "rounds once, to the nearest even")]
    fn f64(self) -> f64 {
        self as f64
    }

    #[inline(always)]
    fn i64(self) -> Option<i64> {
        Some(self)
    }
}

impl Number for u64 {
    #[inline(always)]
    fn f16(self) -> u16 {
        // Infinity begins far below this; up to it a float32 is exact.
        self.min(1 << 20).cast_signed().f16()
    }

    #[inline(always)]
    fn bf16(self) -> u16 {
        // A float64 is exact when the lowest 11 of 64 bits are 0. What they held counts only as
        // some or none for a number of 8 bits.
        let lost = (self & 0x07ff).wrapping_add(0x07ff) & 0x0800;
        let exact = if self >> 53 == 0 { self } else { self & !0x07ff | lost };
        exact.f64().bf16()
    }

    #[inline(always)]
    #[allow(clippy::as_conversions, reason = "rounds once, to the nearest even")]
    fn f32(self) -> f32 {
        self as f32
    }

    #[inline(always)]
    #[allow(clippy::as_conversions, reason = "rounds once, to the nearest even")]
    fn f64(self) -> f64 {
        self as f64
    }

    #[inline(always)]
    fn i64(self) -> Option<i64> {
        self.try_into().ok()
    }

    fn misfit(self) -> ErrorKind {
        let max = i64::MAX.cast_unsigned();
        ErrorKind::Limits { what: "element", value: self, min: 0, max }
    }
}

/// A float32 as float64, exactly. Not-a-number keeps its sign and payload, and is quiet, on every
/// machine.
#[inline(always)]
pub(super) fn widen(value: f32) -> f64 {
    let bits = u64::from(value.to_bits());
    let nan = (bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x003f_ffff) << 29;
    if value.is_nan() { f64::from_bits(nan) } else { f64::from(value) }
}

/// The nearest float32. Not-a-number keeps its sign and the upper payload, and is quiet.
#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "takes bits out")]
pub(super) fn narrow(value: f64) -> f32 {
    let bits = value.to_bits();
    let nan = (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x003f_ffff;
    if value.is_nan() { f32::from_bits(nan) } else { nearest_f32(value) }
}

/// The nearest float32 of a number.
#[inline(always)]
#[allow(clippy::as_conversions, clippy::cast_possible_truncation, reason = "rounds once, to even")]
pub(super) fn nearest_f32(number: f64) -> f32 {
    number as f32
}

/// A float32 next to the number: the number itself where there is one, else the odd one of the two
/// around it. Rounded further, to two bits less or fewer, it becomes what the number becomes.
#[inline(always)]
fn odd(value: f64) -> f32 {
    let near = narrow(value);
    let found = f64::from(near);
    let is_above = u32::from(found.abs() > value.abs());
    let is_other = u32::from(found != value);
    f32::from_bits(near.to_bits().wrapping_sub(is_above) | is_other)
}

/// The whole number that a float is.
#[inline(always)]
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "checked by the way back"
)]
fn whole(value: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    let integer = value as i64;
    (value < END && integer as f64 == value).then_some(integer)
}
