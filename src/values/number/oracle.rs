//! What the tests hold the kernels against: numbers as m * 2^e, rounded by a search among the codes
//! of the target.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "numbers of tests are small"
)]

use std::cmp::Ordering;

use crate::descriptor::ElementType;

/// A number, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exact {
    /// Sign, m and e: m * 2^e.
    Finite(bool, u64, i32),
    Infinite(bool),
    /// Sign, and the mantissa as that of a float64.
    Nan(bool, u64),
}

/// Exponent and mantissa bits of a float with a sign, its bias, and what exponents of all ones are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format(i32, i32, i32, Ones);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ones {
    Special,
    /// Numbers, but for the last one.
    LastIsNan,
    Numbers,
}

pub(super) const F16: Format = Format(5, 10, 15, Ones::Special);
pub(super) const BF16: Format = Format(8, 7, 127, Ones::Special);
pub(super) const F32: Format = Format(8, 23, 127, Ones::Special);
pub(super) const F64: Format = Format(11, 52, 1023, Ones::Special);

impl Format {
    /// The floats of types.md, by name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "float16" => F16,
            "bfloat16" => BF16,
            "float32" => F32,
            "float64" => F64,
            "float8_e4m3" => Self(4, 3, 7, Ones::LastIsNan),
            "float8_e5m2" => Self(5, 2, 15, Ones::Special),
            "float6_e2m3" => Self(2, 3, 1, Ones::Numbers),
            "float6_e3m2" => Self(3, 2, 3, Ones::Numbers),
            "float4_e2m1" => Self(2, 1, 1, Ones::Numbers),
            _ => return None,
        })
    }

    /// Codes of numbers that are not negative, infinity and what follows it included.
    pub(super) fn codes(self) -> u64 {
        1 << (self.0 + self.1)
    }

    pub(super) fn decode(self, code: u64) -> Exact {
        let Self(exponent_bits, mantissa_bits, _, ones) = self;
        let sign = code >> (exponent_bits + mantissa_bits) & 1 == 1;
        let mantissa = code & ((1 << mantissa_bits) - 1);
        let exponent = (code >> mantissa_bits & ((1 << exponent_bits) - 1)) as i32;
        let is_last = exponent == (1 << exponent_bits) - 1;
        let last_mantissa = (1 << mantissa_bits) - 1;
        match (is_last, ones) {
            (true, Ones::Special) if mantissa == 0 => return Exact::Infinite(sign),
            // Of a float8 that is no number the sign alone is kept.
            (true, Ones::Special) if exponent_bits + mantissa_bits == 7 => {
                return Exact::Nan(sign, 0);
            }
            (true, Ones::Special) => return Exact::Nan(sign, mantissa << (52 - mantissa_bits)),
            (true, Ones::LastIsNan) if mantissa == last_mantissa => return Exact::Nan(sign, 0),
            _ => {}
        }
        let (m, e) = self.magnitude(code);
        Exact::Finite(sign, m, e)
    }

    /// The number of a code without its sign, exponents of all ones being like others.
    fn magnitude(self, code: u64) -> (u64, i32) {
        let Self(exponent_bits, mantissa_bits, bias, _) = self;
        let mantissa = code & ((1 << mantissa_bits) - 1);
        match (code >> mantissa_bits & ((1 << exponent_bits) - 1)) as i32 {
            0 => (mantissa, 1 - bias - mantissa_bits),
            exponent => (mantissa | 1 << mantissa_bits, exponent - bias - mantissa_bits),
        }
    }

    /// The nearest code, of two the even one, for floats with infinity.
    pub(super) fn encode(self, number: Exact) -> u64 {
        let Self(exponent_bits, mantissa_bits, bias, _) = self;
        let signed = |sign, code| u64::from(sign) << (exponent_bits + mantissa_bits) | code;
        let infinity = ((1 << exponent_bits) - 1) << mantissa_bits;
        match number {
            Exact::Infinite(sign) => signed(sign, infinity),
            Exact::Nan(sign, mantissa) => {
                let quiet = infinity | 1 << (mantissa_bits - 1);
                signed(sign, quiet | mantissa >> (52 - mantissa_bits))
            }
            Exact::Finite(sign, m, e) => {
                // Halfway between code c and the next lies 2c + 1 of the format with one bit more.
                let finer = Self(exponent_bits, mantissa_bits + 1, bias, Ones::Numbers);
                let halfway = |code: u64| finer.magnitude(2 * code + 1);
                let (mut low, mut high) = (0, infinity);
                while low < high {
                    let code = low.midpoint(high);
                    let is_here = match compare((m, e), halfway(code)) {
                        Ordering::Less => true,
                        Ordering::Equal => code % 2 == 0,
                        Ordering::Greater => false,
                    };
                    if is_here { high = code } else { low = code + 1 }
                }
                signed(sign, low)
            }
        }
    }
}

/// Compares m * 2^e with n * 2^f.
fn compare((m, e): (u64, i32), (n, f): (u64, i32)) -> Ordering {
    if m == 0 || n == 0 {
        return m.cmp(&n);
    }
    let top = |m: u64, e| e + m.ilog2() as i32;
    let least = e.min(f);
    // With the same highest bit, neither is moved by more than 63.
    top(m, e)
        .cmp(&top(n, f))
        .then_with(|| (u128::from(m) << (e - least)).cmp(&(u128::from(n) << (f - least))))
}

impl Exact {
    pub(super) fn integer(value: i128) -> Self {
        Self::Finite(value < 0, value.unsigned_abs().try_into().unwrap(), 0)
    }

    /// The integer that it is.
    pub(super) fn i64(self) -> Option<i64> {
        let Self::Finite(sign, m, e) = self else { return None };
        if m == 0 {
            return Some(0);
        }
        let (m, e) = (m >> m.trailing_zeros(), e + m.trailing_zeros() as i32);
        if !(0..=63).contains(&e) {
            return None;
        }
        let magnitude = i128::from(m) << e;
        (if sign { -magnitude } else { magnitude }).try_into().ok()
    }

    pub(super) fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Finite(s, m, e), Self::Finite(t, n, f)) => Self::Finite(s ^ t, m * n, e + f),
            (Self::Infinite(s), Self::Finite(t, ..)) => Self::Infinite(s ^ t),
            (nan, _) => nan,
        }
    }
}

/// The number of an element: None where it has none.
pub(super) fn decode(element_type: ElementType, code: u64) -> Option<Exact> {
    let name = element_type.name();
    if let Some(format) = Format::of(name) {
        return Some(format.decode(code));
    }
    let bits = element_type.bits()?;
    Some(match name {
        "bool" => Exact::integer((code & 1).into()),
        "float8_e8m0" if code == 0 || code == 0xff => return None,
        "float8_e8m0" => Exact::Finite(false, 1, code as i32 - 127),
        _ if name.starts_with("uint") => Exact::integer(code.into()),
        _ if name.starts_with("int") => {
            let sign = i128::from(code >> (bits - 1) & 1);
            Exact::integer(i128::from(code) - (sign << bits))
        }
        _ => return None,
    })
}

/// Codes as they are stored, so many bytes each.
pub(super) fn bytes(codes: &[u64], width: usize) -> Vec<u8> {
    codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(width)).collect()
}

/// The bits of numbers in the byte order of the machine, 2, 4 or 8 bytes each.
pub(super) fn numbers(bytes: &[u8], width: usize) -> Vec<u64> {
    let number = |bytes: &[u8]| match *bytes {
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        _ => u64::from_ne_bytes(bytes.try_into().unwrap()),
    };
    bytes.chunks(width).map(number).collect()
}

/// Random numbers, the same ones in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

#[test]
fn the_oracle_itself() {
    for value in [0.0_f64, 1.0, -1.5, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.1, f64::INFINITY] {
        let bits = value.to_bits();
        assert_eq!(F64.encode(F64.decode(bits)), bits);
    }
    assert_eq!(F32.encode(F64.decode(0.1_f64.to_bits())), u64::from(0.1_f32.to_bits()));
    // Halfway between 2048 and 2050, and above 65504.
    assert_eq!(F16.encode(Exact::integer(2049)), 0x6800);
    assert_eq!(F16.encode(Exact::integer(2051)), 0x6802);
    assert_eq!(F16.encode(Exact::integer(65519)), 0x7bff);
    assert_eq!(F16.encode(Exact::integer(-65520)), 0xfc00);
    assert_eq!(Exact::Finite(true, 3, -1).i64(), None);
    assert_eq!(Exact::Finite(true, 1, 63).i64(), Some(i64::MIN));
    assert_eq!(Exact::Finite(false, 1, 63).i64(), None);
}
