//! Scales and zero points in buffers (quantization.md).

use super::numbers::Numbers;
use super::place::Place;
use super::{Pass, e8m0};
use crate::descriptor::quantization::integer_range;
use crate::descriptor::{ElementType, Quantization};
use crate::error::{EntryFault, Result};
use crate::values::half::{widen_bf16, widen_f16};

/// Bytes of one zero point.
const ZERO_POINT: u64 = 4;

/// What holds for scales.
#[derive(Clone, Copy)]
struct Rule {
    text: &'static str,
    holds: fn(f32) -> bool,
}

const AFFINE: Rule =
    Rule { text: "finite and not 0", holds: |scale| scale.is_finite() && scale != 0.0 };
const NF4: Rule =
    Rule { text: "finite and at least 0", holds: |scale| scale.is_finite() && scale >= 0.0 };

pub(super) fn check(pass: &mut Pass<'_, '_, '_>) -> Result<()> {
    let descriptor = pass.tensor.descriptor();
    // Without a count nobody knows what in the buffers is a parameter (decisions.md row 23).
    let (Some(scheme), Some(count)) = (descriptor.quantization(), descriptor.parameter_count()?)
    else {
        return Ok(());
    };
    let parameters = scheme.parameters();
    let width = u64::from(parameters.scale_bytes);
    if let Some(buffer) = parameters.scales {
        let mut place = Place::new(pass, buffer.into(), "scales", 0, width)?;
        if place.holds(pass, count)? {
            let mut numbers = Numbers::new(&place, count)?;
            let float32 = f32::from_le_bytes;
            match scheme {
                Quantization::Mxfp(_) => e8m0::check_codes(pass, &mut place, numbers)?,
                Quantization::Nf4(_) => check_scales(pass, &mut place, &mut numbers, NF4, float32)?,
                Quantization::PerBlock(scheme) => match scheme.scale_type() {
                    ElementType::FLOAT16 => {
                        let widen = |bytes| widen_f16(u16::from_le_bytes(bytes));
                        check_scales(pass, &mut place, &mut numbers, AFFINE, widen)?;
                    }
                    ElementType::BFLOAT16 => {
                        let widen = |bytes| widen_bf16(u16::from_le_bytes(bytes));
                        check_scales(pass, &mut place, &mut numbers, AFFINE, widen)?;
                    }
                    _ => check_scales(pass, &mut place, &mut numbers, AFFINE, float32)?,
                },
                _ => check_scales(pass, &mut place, &mut numbers, AFFINE, float32)?,
            }
        }
    }
    // Those of blocks are not held against the storage type (decisions.md row 61).
    if let Quantization::PerChannel(_) = scheme
        && let Some(buffer) = parameters.zero_points
        && let Some(range) = integer_range(descriptor.element_type())
    {
        let shared = parameters.scales == parameters.zero_points;
        let start = if shared { count.saturating_mul(width) } else { 0 };
        let mut place = Place::new(pass, buffer.into(), "zero_points", start, ZERO_POINT)?;
        if place.holds(pass, count)? {
            check_zero_points(pass, &mut place, count, range)?;
        }
    }
    Ok(())
}

fn check_scales<const W: usize>(
    pass: &mut Pass<'_, '_, '_>,
    place: &mut Place,
    numbers: &mut Numbers,
    rule: Rule,
    value: impl Fn([u8; W]) -> f32,
) -> Result<()> {
    let mut index = 0u64;
    while let Some(bytes) = numbers.next(pass)? {
        let scale = value(bytes);
        if !(rule.holds)(scale) {
            let fault = EntryFault::Float { value: scale.into(), rule: rule.text };
            place.report(pass, index, fault);
        }
        index = index.saturating_add(1);
    }
    Ok(())
}

fn check_zero_points(
    pass: &mut Pass<'_, '_, '_>,
    place: &mut Place,
    count: u64,
    (min, max): (i64, i64),
) -> Result<()> {
    let mut numbers = Numbers::new(place, count)?;
    let mut index = 0u64;
    while let Some(bytes) = numbers.next(pass)? {
        let value = i64::from(i32::from_le_bytes(bytes));
        if !(min..=max).contains(&value) {
            place.report(pass, index, EntryFault::Limits { value, min, max });
        }
        index = index.saturating_add(1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_type, problems};
    use super::*;
    use crate::descriptor::DYNAMIC;
    use crate::descriptor::layout::RowMajor;
    use crate::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel};

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn ints(values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn of(
        element_type: ElementType,
        shape: &[u64],
        scheme: impl Into<Quantization>,
        buffers: &[Vec<u8>],
    ) -> Vec<String> {
        let mut builder = of_type(element_type, shape, RowMajor);
        builder.quantization(scheme);
        problems(builder, buffers)
    }

    fn channels(element_type: ElementType, scales: &[f32], zero_points: &[i32]) -> Vec<String> {
        let scheme = PerChannel::new(0, 1, Some(2));
        let bytes = element_type.bits().unwrap() as usize / 8;
        let data = vec![1; 3 * 4 * bytes];
        of(element_type, &[3, 4], scheme, &[data, floats(scales), ints(zero_points)])
    }

    #[test]
    fn scales_of_channels() {
        let tiny = f32::from_bits(1);
        assert!(channels(ElementType::INT8, &[1.0, -2.5, tiny], &[0; 3]).is_empty());
        for (scale, shown) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (f32::NAN, "NaN"),
            (f32::INFINITY, "inf"),
            (f32::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(
                channels(ElementType::INT8, &[1.0, scale, scale], &[0; 3]),
                [format!("scales[1] is {shown}, must be finite and not 0, at byte 8196")]
            );
        }
    }

    #[test]
    fn zero_points_of_channels_fit_the_storage_type() {
        let of = |element_type, zero_points| channels(element_type, &[1.0; 3], zero_points);
        assert!(of(ElementType::INT8, &[-128, 0, 127]).is_empty());
        assert!(of(ElementType::UINT8, &[0, 0, 255]).is_empty());
        assert!(of(ElementType::INT32, &[i32::MIN, 0, i32::MAX]).is_empty());
        assert!(of(ElementType::UINT32, &[0, 0, i32::MAX]).is_empty());
        assert_eq!(
            of(ElementType::UINT32, &[0, -1, -2]),
            ["zero_points[1] is -1, must be in 0 to 4294967295, at byte 12292"]
        );
        assert_eq!(
            of(ElementType::INT8, &[0, -128, 128]),
            ["zero_points[2] is 128, must be in -128 to 127, at byte 12296"]
        );
    }

    #[test]
    fn scales_and_zero_points_in_one_buffer() {
        let scheme = || PerChannel::new(0, 1, Some(1));
        let shared = |zero: i32| [floats(&[1.0, 2.0, 3.0]), ints(&[0, zero, 0])].concat();
        let of = |zero| of(ElementType::INT8, &[3, 1], scheme(), &[vec![1; 3], shared(zero)]);
        // The zero 0 is no scale.
        assert!(of(0).is_empty());
        assert_eq!(of(200), ["zero_points[1] is 200, must be in -128 to 127, at byte 8208"]);
    }

    #[test]
    fn scales_of_blocks_in_every_type() {
        let blocks = |scale_type, scales: Vec<u8>| {
            let scheme = PerBlock::new(0, 4, scale_type, 1, Some(2)).unwrap();
            // Zero points of blocks may leave the storage type (decisions.md row 61).
            let zero_points = ints(&[i32::MIN, i32::MAX]);
            of(ElementType::UINT8, &[8], scheme, &[vec![1; 8], scales, zero_points])
        };
        let half = |first: u16, second: u16| [first.to_le_bytes(), second.to_le_bytes()].concat();
        // The largest and the smallest numbers, then what is none or not finite.
        assert!(blocks(ElementType::FLOAT16, half(0x7BFF, 0x8001)).is_empty());
        assert!(blocks(ElementType::BFLOAT16, half(0x7F7F, 0x8001)).is_empty());
        assert!(blocks(ElementType::FLOAT32, floats(&[f32::MAX, -1e-45])).is_empty());
        for (scale_type, wrong) in [
            (ElementType::FLOAT16, [0x0000, 0x8000, 0x7C00, 0xFC00, 0x7C01]),
            (ElementType::BFLOAT16, [0x0000, 0x8000, 0x7F80, 0xFF80, 0x7F81]),
        ] {
            for wrong in wrong {
                let found = blocks(scale_type, half(0x1234, wrong));
                assert!(
                    found.len() == 1
                        && found[0].starts_with("scales[1] is ")
                        && found[0].ends_with(", must be finite and not 0, at byte 8194"),
                    "{found:?}"
                );
            }
        }
        assert_eq!(blocks(ElementType::FLOAT32, floats(&[0.0, 1.0])).len(), 1);
    }

    #[test]
    fn scales_of_nf4_and_mxfp() {
        let nf4 = |scales: &[f32]| {
            let scheme = Nf4::new(0, 8, 1).unwrap();
            of(ElementType::UINT4, &[16], scheme, &[vec![0; 8], floats(scales)])
        };
        assert!(nf4(&[0.0, 3.0]).is_empty());
        assert_eq!(
            nf4(&[1.0, -0.5]),
            ["scales[1] is -0.5, must be finite and at least 0, at byte 8196"]
        );
        assert_eq!(nf4(&[f32::NAN, f32::INFINITY]).len(), 1);
        let mxfp = |scales: &[u8]| {
            let scheme = Mxfp::new(0, 16, 1).unwrap();
            of(ElementType::INT8, &[32], scheme, &[vec![0; 32], scales.to_vec()])
        };
        assert!(mxfp(&[1, 254]).is_empty());
        assert_eq!(
            mxfp(&[127, 255]),
            ["scales[1] is 0xff, which float8_e8m0 does not have, at byte 8193"]
        );
        assert_eq!(
            mxfp(&[0, 0]),
            ["scales[0] is 0x00, which float8_e8m0 does not have, at byte 8192"]
        );
    }

    #[test]
    fn how_many_there_are_can_be_hidden() {
        // decisions.md row 23.
        let scheme = || PerBlock::new(1, 4, ElementType::FLOAT32, 1, None).unwrap();
        let buffers = [vec![1; 8], floats(&[0.0])];
        assert!(of(ElementType::UINT8, &[DYNAMIC, 4], scheme(), &buffers).is_empty());
        let scheme = PerChannel::new(1, 1, None);
        let buffers = [vec![1; 8], floats(&[1.0, 0.0])];
        assert_eq!(of(ElementType::UINT8, &[DYNAMIC, 2], scheme, &buffers).len(), 1);
    }
}
