//! Elements as text, and the forms they are copied in.

use std::fmt::{self, Display, Write as _};

use hurray::descriptor::ElementType;
use hurray::values::Target;

use crate::describe::digits;

/// What the bytes of a copied element are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    F32,
    F64,
    I64,
    U64,
    Bool,
    Complex64,
    Complex128,
    /// So many bytes of what is not interpreted.
    Bits(usize),
}

impl Number {
    /// How elements of a type are copied to be printed.
    pub(super) fn of(element_type: ElementType, bits: u32) -> (Target, Self) {
        match element_type {
            ElementType::FLOAT64 => (Target::F64, Self::F64),
            ElementType::FLOAT32
            | ElementType::FLOAT16
            | ElementType::BFLOAT16
            | ElementType::FLOAT8_E4M3
            | ElementType::FLOAT8_E5M2
            | ElementType::FLOAT8_E8M0
            | ElementType::FLOAT6_E2M3
            | ElementType::FLOAT6_E3M2
            | ElementType::FLOAT4_E2M1 => (Target::F32, Self::F32),
            ElementType::INT64
            | ElementType::INT32
            | ElementType::INT16
            | ElementType::INT8
            | ElementType::INT4
            | ElementType::INT2
            | ElementType::UINT32
            | ElementType::UINT16
            | ElementType::UINT8
            | ElementType::UINT4
            | ElementType::UINT2 => (Target::I64, Self::I64),
            ElementType::UINT64 => (Target::Stored, Self::U64),
            ElementType::BOOL => (Target::Bytes, Self::Bool),
            ElementType::COMPLEX64 => (Target::Stored, Self::Complex64),
            ElementType::COMPLEX128 => (Target::Stored, Self::Complex128),
            _ if bits < 8 => (Target::Bytes, Self::Bits(1)),
            _ => (Target::Stored, Self::Bits(bits as usize / 8)),
        }
    }

    /// Bytes of one.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::F32 => 4,
            Self::F64 | Self::I64 | Self::U64 | Self::Complex64 => 8,
            Self::Complex128 => 16,
            Self::Bits(width) => width,
        }
    }

    /// Appends one to a text: floats with the fewest digits that give the same number again.
    pub(super) fn print(self, bytes: &[u8], text: &mut String) {
        let done = match self {
            Self::F32 => write!(text, "{}", Float(f32::from_ne_bytes(part(bytes, 0)))),
            Self::F64 => write!(text, "{}", Float(f64::from_ne_bytes(part(bytes, 0)))),
            Self::I64 => write!(text, "{}", i64::from_ne_bytes(part(bytes, 0))),
            Self::U64 => write!(text, "{}", u64::from_le_bytes(part(bytes, 0))),
            Self::Bool => write!(text, "{}", u8::from_le_bytes(part(bytes, 0))),
            Self::Complex64 => {
                let [real, imaginary] = [0, 4].map(|at| f32::from_le_bytes(part(bytes, at)));
                write!(text, "{}{:+}j", Float(real), Float(imaginary))
            }
            Self::Complex128 => {
                let [real, imaginary] = [0, 8].map(|at| f64::from_le_bytes(part(bytes, at)));
                write!(text, "{}{:+}j", Float(real), Float(imaginary))
            }
            // As one number: the last byte is the highest.
            Self::Bits(_) => {
                let high_first: Vec<u8> = bytes.iter().rev().copied().collect();
                write!(text, "0x{}", digits(&high_first))
            }
        };
        debug_assert!(done.is_ok());
    }
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|k| bytes.get(at + k).copied().unwrap_or_default())
}

/// A float as text that reads back as the same number, also in Python and C.
pub(crate) struct Float<T>(pub(crate) T);

impl<T: Copy + Into<f64> + fmt::Debug> Display for Float<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value: f64 = self.0.into();
        let sign = if f.sign_plus() && !value.is_sign_negative() { "+" } else { "" };
        if value.is_nan() {
            write!(f, "{}nan", if f.sign_plus() { "+" } else { "" })
        } else if value.is_infinite() {
            write!(f, "{}inf", if value < 0.0 { "-" } else { sign })
        } else {
            write!(f, "{sign}{:?}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: Number, bytes: &[u8]) -> String {
        let mut text = String::new();
        number.print(bytes, &mut text);
        text
    }

    #[test]
    fn floats_read_back() {
        for (value, wanted) in [
            (0.1_f32, "0.1"),
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e-45, "1e-45"),
            (f32::MAX, "3.4028235e38"),
            (f32::NAN, "nan"),
            (f32::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(Number::F32, &value.to_ne_bytes()), wanted);
        }
        assert_eq!(text(Number::F64, &(0.1_f64 + 0.2).to_ne_bytes()), "0.30000000000000004");
    }

    #[test]
    fn other_numbers() {
        assert_eq!(text(Number::I64, &i64::MIN.to_ne_bytes()), "-9223372036854775808");
        assert_eq!(text(Number::U64, &[255; 8]), "18446744073709551615");
        assert_eq!(text(Number::Bool, &[1]), "1");
        assert_eq!(text(Number::Bits(3), &[1, 2, 0xF0]), "0xf00201");
        let pair = [1.5_f32, -2.0].map(f32::to_le_bytes).concat();
        assert_eq!(text(Number::Complex64, &pair), "1.5-2.0j");
        let pair = [f64::NAN, f64::INFINITY].map(f64::to_le_bytes).concat();
        assert_eq!(text(Number::Complex128, &pair), "nan+infj");
    }
}
