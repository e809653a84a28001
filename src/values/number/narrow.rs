//! Floats of 8 bits and less: a table of all values for each (types.md, Values of the narrow
//! floats). Each is a float32 exactly.

use super::Misfit;
use crate::error::ErrorKind;

/// The value of every code, one byte each. Bits above a code's own are ignored.
pub(super) type Table = [f32; 256];

/// Not-a-number, as every float8 that is none becomes it but for the sign.
const NAN: u32 = 0x7fc0_0000;

pub(super) static E4M3: Table = {
    let mut table = table(4, 3, 7);
    table[0x7f] = f32::from_bits(NAN);
    table[0xff] = f32::from_bits(SIGN | NAN);
    table
};

pub(super) static E5M2: Table = {
    let mut table = table(5, 2, 15);
    let mut mantissa = 0;
    while mantissa < 4 {
        let bits = if mantissa == 0 { 0x7f80_0000 } else { NAN };
        #[allow(clippy::indexing_slicing, reason = "the compiler computes it")]
        {
            table[0x7c_usize.wrapping_add(mantissa)] = f32::from_bits(bits);
            table[0xfc_usize.wrapping_add(mantissa)] = f32::from_bits(SIGN | bits);
        }
        mantissa = mantissa.wrapping_add(1);
    }
    table
};

pub(super) static E2M3: Table = table(2, 3, 1);

pub(super) static E3M2: Table = table(3, 2, 3);

pub(super) static E2M1: Table = table(2, 1, 1);

const SIGN: u32 = 0x8000_0000;

/// The value of a float8_e8m0 that is valid: 2^(code - 127).
#[inline(always)]
pub(super) fn e8m0(code: u8) -> f32 {
    // The exponent of a float32, of the same bias.
    f32::from_bits(u32::from(code) << 23)
}

/// Refuses the first code that is no valid float8_e8m0.
pub(super) fn check_e8m0(codes: &[u8]) -> Result<(), Misfit> {
    // FF and 00 are followed by 00 and 01.
    let is_wrong = |code: &u8| code.wrapping_add(1) <= 1;
    // Looked at in full first: a search that may stop anywhere takes them one by one.
    if !codes.iter().fold(false, |wrong, code| wrong | is_wrong(code)) {
        return Ok(());
    }
    let found = codes.iter().enumerate().find(|(_, code)| is_wrong(code));
    found.map_or(Ok(()), |(place, &code)| {
        Err((place, ErrorKind::Value { what: "float8_e8m0", value: code.into() }))
    })
}

/// The values of a float with a sign, by sign, exponent and mantissa.
#[allow(clippy::indexing_slicing, reason = "the compiler computes it")]
const fn table(exponent_bits: u32, mantissa_bits: u32, bias: u32) -> Table {
    let mut table = [0.0; 256];
    let (mut place, mut code) = (0_usize, 0_u32);
    while place < 256 {
        let mantissa = code & low(mantissa_bits);
        let exponent = (code >> mantissa_bits) & low(exponent_bits);
        let sign = ((code >> mantissa_bits >> exponent_bits) & 1) << 31;
        table[place] = f32::from_bits(sign | magnitude(exponent, mantissa, mantissa_bits, bias));
        place = place.wrapping_add(1);
        code = code.wrapping_add(1);
    }
    table
}

/// The bits of a float32: (1 + mantissa / 2^m) * 2^(exponent - bias), or with exponent 0
/// mantissa / 2^m * 2^(1 - bias), whose highest bit is moved up to where the 1 stands.
const fn magnitude(exponent: u32, mantissa: u32, mantissa_bits: u32, bias: u32) -> u32 {
    let (mut exponent, mut mantissa) = (exponent.wrapping_add(127).wrapping_sub(bias), mantissa);
    if exponent == 127_u32.wrapping_sub(bias) {
        if mantissa == 0 {
            return 0;
        }
        exponent = exponent.wrapping_add(1);
        while mantissa >> mantissa_bits == 0 {
            mantissa <<= 1;
            exponent = exponent.wrapping_sub(1);
        }
    }
    exponent << 23 | (mantissa & low(mantissa_bits)) << 23_u32.wrapping_sub(mantissa_bits)
}

/// So many bits, all set.
const fn low(bits: u32) -> u32 {
    (1_u32 << bits).wrapping_sub(1)
}

/// The value of a code.
pub(super) fn look_up(table: &Table, code: u8) -> f32 {
    // A byte is always inside.
    table.get(usize::from(code)).copied().unwrap_or_default()
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of tests are small"
)]
mod tests {
    use super::*;

    /// The value by its sign, exponent and mantissa.
    fn by_definition(code: i32, exponent_bits: i32, mantissa_bits: i32, bias: i32) -> f64 {
        let sign = if code >> (exponent_bits + mantissa_bits) & 1 == 0 { 1.0 } else { -1.0 };
        let fraction = f64::from(code & ((1 << mantissa_bits) - 1)) / 2_f64.powi(mantissa_bits);
        match code >> mantissa_bits & ((1 << exponent_bits) - 1) {
            0 => sign * fraction * 2_f64.powi(1 - bias),
            exponent => sign * (1.0 + fraction) * 2_f64.powi(exponent - bias),
        }
    }

    #[test]
    fn every_code_of_every_type() {
        let types: [(&Table, i32, i32, i32); 5] = [
            (&E4M3, 4, 3, 7),
            (&E5M2, 5, 2, 15),
            (&E2M3, 2, 3, 1),
            (&E3M2, 3, 2, 3),
            (&E2M1, 2, 1, 1),
        ];
        for (table, exponent_bits, mantissa_bits, bias) in types {
            for code in 0..1 << (1 + exponent_bits + mantissa_bits) {
                let is_float8 = exponent_bits + mantissa_bits == 7;
                let found = look_up(table, code as u8).to_bits();
                let sign = (code as u32 & 0x80) << 24;
                let wanted = match code & 0x7f {
                    0x7f if is_float8 => sign | 0x7fc0_0000,
                    0x7c if exponent_bits == 5 => sign | 0x7f80_0000,
                    0x7d | 0x7e if exponent_bits == 5 => sign | 0x7fc0_0000,
                    _ => {
                        let value = by_definition(code, exponent_bits, mantissa_bits, bias);
                        assert_eq!(f64::from(value as f32), value);
                        (value as f32).to_bits()
                    }
                };
                assert_eq!(found, wanted, "code {code:#04x} of 1-{exponent_bits}-{mantissa_bits}");
            }
        }
    }

    #[test]
    fn what_types_md_prints() {
        let values: Vec<f32> = (0..8).map(|code| look_up(&E2M1, code)).collect();
        assert_eq!(values, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        let largest = |table: &Table| {
            table.iter().copied().filter(|value| value.is_finite()).fold(0.0, f32::max)
        };
        assert_eq!(largest(&E4M3), 448.0);
        assert_eq!(largest(&E5M2), 57344.0);
        assert_eq!(largest(&E2M3), 7.5);
        assert_eq!(largest(&E3M2), 28.0);
    }

    #[test]
    fn every_scale() {
        for code in 1..=254 {
            assert_eq!(f64::from(e8m0(code)), 2_f64.powi(i32::from(code) - 127));
            assert_eq!(check_e8m0(&[code; 3]), Ok(()));
        }
        for wrong in [0, 0xff] {
            let error = ErrorKind::Value { what: "float8_e8m0", value: wrong.into() };
            assert_eq!(check_e8m0(&[1, 254, wrong, 0, 255]), Err((2, error)));
        }
    }
}
