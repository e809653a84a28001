//! The 16-bit floats, widened to float32 and narrowed from it (quantization.md, last section).

/// The value of a float16, exactly. Not-a-number keeps its sign and payload, and is quiet.
pub(crate) fn widen_f16(half: u16) -> f32 {
    const SUBNORMAL: f32 = 1.0 / 16_777_216.0;
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7fff);
    let bits = match magnitude {
        0..0x0400 => (f32::from(half & 0x03ff) * SUBNORMAL).to_bits(),
        0x7c01.. => (magnitude << 13) | 0x7fc0_0000,
        0x7c00 => 0x7f80_0000,
        _ => (magnitude << 13).wrapping_add(112 << 23),
    };
    f32::from_bits(sign | bits)
}

/// The nearest float16, of two the even one; what is too large becomes infinity.
pub(crate) fn narrow_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let half = match magnitude {
        0x7f80_0001.. => 0x7e00 | ((magnitude >> 13) & 0x03ff),
        // Halfway from the largest on, and infinity.
        0x477f_f000.. => 0x7c00,
        // Subnormal: adding 0.5 leaves steps of 2^-24 in the last place.
        0..0x3880_0000 => {
            (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits())
        }
        _ => {
            let even = (magnitude >> 13) & 1;
            magnitude.wrapping_sub(112 << 23).wrapping_add(0x0fff).wrapping_add(even) >> 13
        }
    };
    low_16(bits >> 16 & 0x8000 | half)
}

/// The value of a bfloat16, bits kept.
pub(crate) fn widen_bf16(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// The nearest bfloat16, of two the even one.
pub(crate) fn narrow_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return low_16(bits >> 16 | 0x0040);
    }
    let even = bits >> 16 & 1;
    low_16(bits.wrapping_add(0x7fff).wrapping_add(even) >> 16)
}

fn low_16(bits: u32) -> u16 {
    let [low, high, ..] = bits.to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value by its definition.
    fn exact(half: u16, exponent_bits: i32, mantissa_bits: i32) -> f64 {
        let sign = if half >> 15 == 0 { 1.0 } else { -1.0 };
        let mantissa = f64::from(half & ((1 << mantissa_bits) - 1)) / 2_f64.powi(mantissa_bits);
        let exponent = i32::from(half >> mantissa_bits) & ((1 << exponent_bits) - 1);
        let bias = (1 << (exponent_bits - 1)) - 1;
        sign * match exponent {
            0 => mantissa * 2_f64.powi(1 - bias),
            e if e == (1 << exponent_bits) - 1 && mantissa == 0.0 => f64::INFINITY,
            e if e == (1 << exponent_bits) - 1 => f64::NAN,
            e => (1.0 + mantissa) * 2_f64.powi(e - bias),
        }
    }

    #[test]
    fn every_pattern_there_and_back() {
        type Pair = (fn(u16) -> f32, fn(f32) -> u16, i32, i32);
        let pairs: [Pair; 2] = [(widen_f16, narrow_f16, 5, 10), (widen_bf16, narrow_bf16, 8, 7)];
        for (widen, narrow, exponent_bits, mantissa_bits) in pairs {
            for half in 0..=u16::MAX {
                let (found, wanted) = (widen(half), exact(half, exponent_bits, mantissa_bits));
                if wanted.is_nan() {
                    assert!(found.is_nan());
                    // Only the quiet bit is new.
                    let quiet = 1 << (mantissa_bits - 1);
                    assert_eq!(narrow(found), half | quiet);
                } else {
                    assert_eq!(f64::from(found).to_bits(), wanted.to_bits(), "{half:#06x}");
                    assert_eq!(narrow(found), half);
                }
            }
        }
    }

    #[test]
    fn halfway_goes_to_the_even_one() {
        for (narrow, widen) in
            [(narrow_f16 as fn(f32) -> u16, widen_f16 as fn(u16) -> f32), (narrow_bf16, widen_bf16)]
        {
            for half in (0..0x7b00).step_by(7) {
                // Exact: both have few bits.
                let middle = widen(half).midpoint(widen(half + 1));
                let even = half + (half & 1);
                assert_eq!(narrow(middle), even);
                assert_eq!(narrow(-middle), even | 0x8000);
                assert_eq!(narrow(middle.next_up()), half + 1);
                assert_eq!(narrow(middle.next_down()), half);
            }
        }
        assert_eq!(narrow_f16(65_520.0), 0x7c00);
        assert_eq!(narrow_f16(65_519.99), 0x7bff);
        assert_eq!(narrow_bf16(f32::MAX), 0x7f80);
        assert_eq!(narrow_f16(f32::INFINITY), 0x7c00);
        assert_eq!(narrow_f16(f32::MIN_POSITIVE), 0);
    }
}
