#![allow(clippy::cast_possible_truncation, reason = "numbers of tests are small")]

use super::super::oracle::{self, Exact, Random};
use super::*;
use crate::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};

fn per_tensor() -> Quantization {
    PerTensor::new(1.0, 0).unwrap().into()
}

fn type_of(name: &str) -> ElementType {
    ElementType::find(name).unwrap()
}

/// Every target's bits of one run.
fn run(
    scheme: &Quantization,
    storage: ElementType,
    codes: &[u64],
    scales: &[f32],
    zero_points: &[i32],
) -> [Vec<u64>; 4] {
    let width = storage.bits().unwrap().div_ceil(8) as usize;
    let bytes = oracle::bytes(codes, width);
    let bits = |to, width: usize| -> Vec<u64> {
        let mut out = vec![0xaa; codes.len() * width];
        let dequantize = Dequantize::new(scheme, storage, to).unwrap();
        dequantize.run(&bytes, scales, zero_points, &mut out);
        oracle::numbers(&out, width)
    };
    [bits(Target::F32, 4), bits(Target::F16, 2), bits(Target::Bf16, 2), bits(Target::F64, 8)]
}

/// Holds a run against scale * number, rounded to float32 and then to the targets.
fn check(found: &[Vec<u64>; 4], numbers: impl Iterator<Item = Exact>, scales: &[f32]) {
    let [f32s, f16s, bf16s, f64s] = found;
    let mut count = 0;
    for (k, (number, scale)) in numbers.zip(scales).enumerate() {
        // The number becomes a float32 first.
        let number = oracle::F32.decode(oracle::F32.encode(number));
        let scale = oracle::F32.decode(scale.to_bits().into());
        let single = oracle::F32.encode(number.times(scale));
        assert_eq!(f32s[k], single, "{number:?} times {scale:?}");
        let single = oracle::F32.decode(single);
        assert_eq!(f16s[k], oracle::F16.encode(single), "{number:?} times {scale:?}");
        assert_eq!(bf16s[k], oracle::BF16.encode(single), "{number:?} times {scale:?}");
        assert_eq!(f64s[k], oracle::F64.encode(single), "{number:?} times {scale:?}");
        count += 1;
    }
    assert_eq!(count, f32s.len());
}

#[test]
fn affine_of_every_storage_type() {
    let mut random = Random(1);
    let schemes: [Quantization; 3] = [
        per_tensor(),
        PerChannel::new(0, 1, Some(2)).into(),
        PerBlock::new(0, 2, ElementType::FLOAT32, 1, Some(2)).unwrap().into(),
    ];
    for name in
        ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32"]
    {
        let storage = type_of(name);
        let bits = storage.bits().unwrap();
        let number = |code| oracle::decode(storage, code).and_then(Exact::i64).unwrap();
        // Extremes of the type, and anything between; scales of every size.
        let any = |random: &mut Random| match random.below(4) {
            0 => [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1][random.below(5)],
            _ => random.next() & ((1 << bits) - 1),
        };
        let (mut codes, mut scales, mut zero_points) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..5000 {
            codes.push(any(&mut random));
            let zero_point = number(any(&mut random));
            zero_points.push(i32::try_from(zero_point).unwrap_or(i32::MAX));
            let scale = f32::from_bits(random.next() as u32);
            scales.push(if scale.is_finite() { scale } else { 0.1 });
        }
        for scheme in &schemes {
            let found = run(scheme, storage, &codes, &scales, &zero_points);
            let differences = codes.iter().zip(&zero_points);
            let differences = differences.map(|(&code, &zero_point)| {
                Exact::integer((number(code) - i64::from(zero_point)).into())
            });
            check(&found, differences, &scales);
            let found = run(scheme, storage, &codes, &scales, &[]);
            check(&found, codes.iter().map(|&code| Exact::integer(number(code).into())), &scales);
        }
    }
}

#[test]
fn differences_that_leave_32_bits() {
    let found = |name, codes: [u32; 2], zero_points: &[i32]| {
        let codes = codes.map(u64::from);
        let [singles, ..] = run(&per_tensor(), type_of(name), &codes, &[1.0; 2], zero_points);
        singles.into_iter().map(|bits| f32::from_bits(bits.try_into().unwrap())).collect()
    };
    // 2^32 - 1, which becomes 2^32.
    let singles: Vec<f32> = found("int32", [0x7fff_ffff, 0x8000_0000], &[i32::MIN, i32::MAX]);
    assert_eq!(singles, [4_294_967_296.0, -4_294_967_296.0]);
    // 2^32 + 2^31 - 1, and 2^32 - 1 - 128, which is nearer to 2^32 - 256.
    let singles: Vec<f32> = found("uint32", [u32::MAX; 2], &[i32::MIN, 128]);
    assert_eq!(singles, [6_442_450_944.0, 4_294_967_040.0]);
}

#[test]
fn nf4() {
    // As quantization.md prints them: each the shortest float64 of a float32.
    let printed = "-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, \
        -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0, \
        0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, \
        0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0";
    let numbers: Vec<f64> = printed.split(", ").map(|text| text.trim().parse().unwrap()).collect();
    let scheme = Nf4::new(0, 8, 1).unwrap().into();
    let codes: Vec<u64> = (0..16).collect();
    for scale in [1.0, 0.0, 0.3, f32::MAX, 1e-45] {
        let scales = [scale; 16];
        let found = run(&scheme, ElementType::UINT4, &codes, &scales, &[]);
        let exact = numbers.iter().map(|number| {
            assert_eq!(f64::from(*number as f32), *number);
            oracle::F64.decode(number.to_bits())
        });
        check(&found, exact, &scales);
    }
}

#[test]
fn mxfp_of_every_code_and_every_scale() {
    let scheme = Mxfp::new(0, 32, 1).unwrap().into();
    for name in
        ["float8_e4m3", "float8_e5m2", "float4_e2m1", "float6_e2m3", "float6_e3m2", "int8", "int4"]
    {
        let storage = type_of(name);
        let codes: Vec<u64> = (0..1 << storage.bits().unwrap()).collect();
        for e in 1..=254_u8 {
            let mut scale = [0.0];
            super::super::widen_scales(super::super::ScaleKind::E8m0, &[e], &mut scale).unwrap();
            let scales = vec![scale[0]; codes.len()];
            assert_eq!(f64::from(scale[0]), 2_f64.powi(i32::from(e) - 127));
            let found = run(&scheme, storage, &codes, &scales, &[]);
            check(
                &found,
                codes.iter().map(|&code| oracle::decode(storage, code).unwrap()),
                &scales,
            );
        }
    }
}

#[test]
fn what_is_refused() {
    for to in [Target::Stored, Target::Bytes, Target::I64] {
        assert!(Dequantize::new(&per_tensor(), ElementType::INT8, to).is_err());
    }
    let taken = |scheme: Quantization| -> Vec<&str> {
        let takes = |known: &&ElementType| Dequantize::new(&scheme, **known, Target::F32).is_ok();
        ElementType::ALL.iter().filter(takes).map(|known| known.name()).collect()
    };
    let integers =
        ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int4", "uint4", "int2", "uint2"];
    assert_eq!(taken(per_tensor()), integers);
    assert_eq!(taken(PerChannel::new(0, 1, None).into()), integers);
    assert_eq!(taken(Nf4::new(0, 8, 1).unwrap().into()), ["uint4"]);
    let narrow =
        ["int8", "float8_e4m3", "float8_e5m2", "float4_e2m1", "float6_e2m3", "float6_e3m2", "int4"];
    assert_eq!(taken(Mxfp::new(0, 32, 1).unwrap().into()), narrow);
}
