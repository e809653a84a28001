//! The extension type section: what a private element type is made of (descriptor.md, Extension
//! type section).

use crate::bytes::{Cursor, Sink};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the section.
pub(super) const LENGTH: u64 = 20;

/// A private element type: its width, and how its values are built, which this library records
/// and does not interpret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionType {
    bit_width: u32,
    format: Format,
}

/// How the values of a private type are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A whole number.
    Integer {
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// A floating-point number.
    Float {
        /// Whether it has a sign bit.
        has_sign: bool,
        /// Bits of the exponent.
        exponent_bits: u8,
        /// Bits of the mantissa.
        mantissa_bits: u8,
        /// What the exponent is stored with.
        exponent_bias: u32,
        /// Whether some code is not a number.
        has_nan: bool,
        /// Whether some code is an infinity.
        has_inf: bool,
    },
}

impl ExtensionType {
    /// A type of `bit_width` bits: 1, 2, 4 or a multiple of 8.
    pub fn new(bit_width: u32, format: Format) -> Result<Self> {
        match bit_width {
            1 | 2 | 4 => Ok(Self { bit_width, format }),
            _ if bit_width != 0 && bit_width.is_multiple_of(8) => Ok(Self { bit_width, format }),
            _ => {
                let (what, value) = ("bit_width", bit_width.into());
                Err(Error::new(ErrorKind::Value { what, value }))
            }
        }
    }

    /// Bits of one element: 1, 2, 4 or a multiple of 8.
    pub fn bit_width(&self) -> u32 {
        self.bit_width
    }

    /// Elements in one byte below 8 bits, else 1.
    pub fn packing_factor(&self) -> u8 {
        match self.bit_width {
            1 => 8,
            2 => 4,
            4 => 2,
            _ => 1,
        }
    }

    /// How its values are built.
    pub fn format(&self) -> Format {
        self.format
    }

    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let start = cursor.offset();
        let bit_width = cursor.u32("bit_width")?;
        let packing = cursor.u8("packing_factor")?;
        let is_float = boolean(cursor, "is_float")?;
        let is_signed = boolean(cursor, "is_signed")?;
        let has_sign = boolean(cursor, "sign_bits")?;
        let exponent_bits = cursor.u8("exponent_bits")?;
        let mantissa_bits = cursor.u8("mantissa_bits")?;
        cursor.reserved(2, "extension type reserved")?;
        let exponent_bias = cursor.u32("exponent_bias")?;
        let has_nan = boolean(cursor, "has_nan")?;
        let has_inf = boolean(cursor, "has_inf")?;
        cursor.reserved(2, "extension type reserved")?;

        // What belongs to the other kind of number must be zero.
        let foreign: &[(&'static str, u64, u32)] = match is_float {
            true => &[("is_signed of a float type", 6, is_signed.into())],
            false => &[
                ("sign_bits of an integer type", 7, has_sign.into()),
                ("exponent_bits of an integer type", 8, exponent_bits.into()),
                ("mantissa_bits of an integer type", 9, mantissa_bits.into()),
                ("exponent_bias of an integer type", 12, exponent_bias),
                ("has_nan of an integer type", 16, has_nan.into()),
                ("has_inf of an integer type", 17, has_inf.into()),
            ],
        };
        if let Some(&(what, place, value)) = foreign.iter().find(|(_, _, value)| *value != 0) {
            let kind = ErrorKind::Reserved { what, value: value.into() };
            return Err(Error::new(kind).at(start.saturating_add(place)));
        }
        let format = match is_float {
            true => Format::Float {
                has_sign,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            },
            false => Format::Integer { is_signed },
        };
        let section = Self::new(bit_width, format).map_err(|error| error.at(start))?;
        if packing != section.packing_factor() {
            return Err(Error::new(ErrorKind::Mismatch {
                what: "packing_factor",
                found: packing.into(),
                expected: section.packing_factor().into(),
            })
            .at(start.saturating_add(4)));
        }
        Ok(section)
    }

    pub(super) fn write(&self, sink: &mut Sink) -> Result<()> {
        let (float, signed, sign, exponent, mantissa, bias, nan, inf) = match self.format {
            Format::Integer { is_signed } => (false, is_signed, false, 0, 0, 0, false, false),
            Format::Float {
                has_sign,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            } => (
                true,
                false,
                has_sign,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            ),
        };
        sink.u32(self.bit_width)?;
        let packing = self.packing_factor();
        sink.bytes(&[packing, float.into(), signed.into(), sign.into(), exponent, mantissa, 0, 0])?;
        sink.u32(bias)?;
        sink.bytes(&[nan.into(), inf.into(), 0, 0])
    }
}

fn boolean(cursor: &mut Cursor<'_>, what: &'static str) -> Result<bool> {
    let at = cursor.offset();
    match cursor.u8(what)? {
        0 => Ok(false),
        1 => Ok(true),
        value => Err(Error::new(ErrorKind::Value { what, value: value.into() }).at(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FP4: [u8; 20] = [4, 0, 0, 0, 2, 1, 0, 1, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];

    fn verdict(change: impl Fn(&mut [u8; 20])) -> String {
        let mut bytes = FP4;
        change(&mut bytes);
        match ExtensionType::read(&mut Cursor::new(&bytes, 100)) {
            Err(error) => error.to_string(),
            Ok(section) => {
                let mut sink = Sink::new();
                section.write(&mut sink).unwrap();
                assert_eq!(sink.as_bytes(), &bytes);
                String::from("ok")
            }
        }
    }

    #[test]
    fn fields_and_their_rules() {
        assert_eq!(verdict(|_| ()), "ok");
        assert_eq!(verdict(|b| (b[16], b[17]) = (1, 1)), "ok");
        assert_eq!(verdict(|b| b[5] = 9), "is_float 9 is not valid, at byte 105");
        assert_eq!(verdict(|b| b[7] = 3), "sign_bits 3 is not valid, at byte 107");
        assert_eq!(verdict(|b| b[6] = 1), "is_signed of a float type must be 0, is 1, at byte 106");
        assert_eq!(
            verdict(|b| (b[5], b[7]) = (0, 0)),
            "exponent_bits of an integer type must be 0, is 3, at byte 108"
        );
        assert_eq!(verdict(|b| b[10] = 1), "extension type reserved must be 0, is 1, at byte 110");
        assert_eq!(verdict(|b| b[19] = 1), "extension type reserved must be 0, is 1, at byte 119");
        assert_eq!(verdict(|b| b[4] = 1), "packing_factor is 1, must be 2, at byte 104");
        for (width, packing) in [(1, 8), (2, 4), (8, 1), (24, 1), (248, 1)] {
            assert_eq!(verdict(|b| (b[0], b[4]) = (width, packing)), "ok");
        }
        for width in [0, 3, 6, 12] {
            let message = format!("bit_width {width} is not valid, at byte 100");
            assert_eq!(verdict(|b| b[0] = width), message);
        }
    }
}
