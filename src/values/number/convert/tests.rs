#![allow(clippy::cast_possible_truncation, reason = "numbers of tests are small")]

use super::super::oracle::{self, Exact, Random};
use super::super::{Value, value_of};
use super::*;

const FLOATS: [Target; 4] = [Target::F16, Target::Bf16, Target::F32, Target::F64];

fn format(to: Target) -> oracle::Format {
    match to {
        Target::F16 => oracle::F16,
        Target::Bf16 => oracle::BF16,
        Target::F32 => oracle::F32,
        _ => oracle::F64,
    }
}

fn convert(from: ElementType, to: Target, codes: &[u64]) -> Result<Vec<u64>, Misfit> {
    let convert = Convert::new(from, from.bits().unwrap(), to).unwrap();
    let bytes = oracle::bytes(codes, convert.source_bytes());
    let mut out = vec![0xaa; codes.len() * convert.target_bytes()];
    convert.run(&bytes, &mut out)?;
    Ok(oracle::numbers(&out, convert.target_bytes()))
}

/// All codes up to 16 bits; of wider types those at and around powers of two, those halfway
/// between the numbers of a target and next to it, and random ones.
fn codes(from: ElementType) -> Vec<u64> {
    let bits = from.bits().unwrap();
    if bits <= 16 {
        return (0..1 << bits).collect();
    }
    let mask = u64::MAX >> (64 - bits);
    let mut random = Random(bits.into());
    let mut codes = Vec::new();
    let format = oracle::Format::of(from.name());
    for _ in 0..20_000 {
        let wide = random.next();
        // Some bits at the top, anything or nothing below, or all ones but for the top.
        let cut = random.below(64) as u32;
        let around = match random.below(3) {
            0 => wide >> cut << cut,
            1 => wide >> cut,
            _ => 1 << cut,
        };
        let near = random.below(3) as u64;
        codes.push(around.wrapping_add(near).wrapping_sub(1));
        let Some(format) = format else { continue };
        for to in FLOATS {
            // The numbers of the target, and their sums' halves, as this type has them.
            let target = self::format(to);
            let code = random.next() % target.codes();
            if let Exact::Finite(sign, m, e) = target.decode(code)
                && m < 1 << 53
            {
                let halfway = format.encode(Exact::Finite(sign, 2 * m + 1, e - 1));
                codes.push(halfway.wrapping_add(near).wrapping_sub(1));
                codes.push(halfway);
            }
        }
    }
    codes.iter_mut().for_each(|code| *code &= mask);
    codes
}

fn is_number(known: &ElementType) -> bool {
    oracle::decode(*known, 1).is_some()
}

/// The code that is the same number, bits kept.
fn kept(from: ElementType, to: Target, code: u64) -> Option<u64> {
    match (from, to) {
        (ElementType::FLOAT16, Target::F16)
        | (ElementType::BFLOAT16, Target::Bf16)
        | (ElementType::FLOAT32, Target::F32)
        | (ElementType::FLOAT64, Target::F64) => Some(code),
        (ElementType::BFLOAT16, Target::F32) => Some(code << 16),
        _ => None,
    }
}

#[test]
fn every_type_to_every_float() {
    for &from in ElementType::ALL.iter().filter(|known| is_number(known)) {
        let mut codes = codes(from);
        codes.retain(|&code| oracle::decode(from, code).is_some());
        for to in FLOATS {
            let found = convert(from, to, &codes).unwrap();
            assert_eq!(found.len(), codes.len());
            for (&code, found) in codes.iter().zip(found) {
                let exact = oracle::decode(from, code).unwrap();
                let wanted = kept(from, to, code).unwrap_or_else(|| format(to).encode(exact));
                assert_eq!(found, wanted, "{from} {code:#x} to {to:?}: {exact:?}");
            }
        }
    }
}

#[test]
fn every_type_to_int64() {
    for &from in ElementType::ALL.iter().filter(|known| is_number(known)) {
        let (mut whole, mut others) = (Vec::new(), Vec::new());
        for code in codes(from) {
            match oracle::decode(from, code).and_then(Exact::i64) {
                Some(integer) => whole.push((code, integer)),
                None => others.push(code),
            }
        }
        let (codes, integers): (Vec<u64>, Vec<i64>) = whole.into_iter().unzip();
        let found = convert(from, Target::I64, &codes).unwrap();
        assert!(found.iter().copied().eq(integers.iter().map(|&n| n.cast_unsigned())));
        let mut random = Random(1);
        for &other in &others {
            let mut codes = [1, 0, 1, 0, 1, 0, 1];
            if from == ElementType::FLOAT8_E8M0 {
                codes = [127; 7];
            } else if oracle::Format::of(from.name()).is_some() {
                codes = [0; 7];
            }
            let place = random.below(codes.len());
            codes[place..].fill(other);
            let (found, kind) = convert(from, Target::I64, &codes).unwrap_err();
            assert_eq!(found, place, "{from} {other:#x}");
            let value = match oracle::decode(from, other) {
                None => {
                    let kind_of = ErrorKind::Value { what: "float8_e8m0", value: other };
                    assert_eq!(kind, kind_of);
                    continue;
                }
                Some(exact) => oracle::F64.encode(exact),
            };
            match kind {
                ErrorKind::Limits { value, max, .. } => {
                    assert_eq!((value, max), (other, (1 << 63) - 1));
                    assert_eq!(from, ElementType::UINT64);
                }
                // A float64 is told as it is, also one that is no number.
                ErrorKind::Float { value: told, .. } => {
                    let same = from == ElementType::FLOAT64;
                    assert_eq!(told.to_bits(), if same { other } else { value });
                }
                kind => panic!("{kind:?}"),
            }
        }
    }
}

#[test]
fn halves_there_and_back() {
    let there = |from, to, codes: &[u64]| convert(from, to, codes).unwrap();
    for (half, target) in
        [(ElementType::FLOAT16, Target::F16), (ElementType::BFLOAT16, Target::Bf16)]
    {
        let codes: Vec<u64> = (0..1 << 16).collect();
        // A signaling not-a-number comes back quiet.
        let quiet: Vec<u64> = codes
            .iter()
            .map(|&c| format(target).encode(oracle::decode(half, c).unwrap()))
            .collect();
        let singles = there(half, Target::F32, &codes);
        assert_eq!(there(ElementType::FLOAT32, target, &singles), quiet);
        let doubles = there(half, Target::F64, &codes);
        assert_eq!(there(ElementType::FLOAT64, target, &doubles), quiet);
        let whole: Vec<u64> = codes
            .into_iter()
            .filter(|&code| oracle::decode(half, code).and_then(Exact::i64).is_some())
            // There is one zero.
            .filter(|&code| code != 0x8000)
            .collect();
        assert!(whole.len() > 10_000);
        let integers = there(half, Target::I64, &whole);
        assert_eq!(there(ElementType::INT64, target, &integers), whole);
    }
}

#[test]
fn no_number_is_rounded_twice() {
    // 1 + 2^-11 lies halfway between float16 numbers; what is added shows in float64 alone.
    let above = (1.0 + 2_f64.powi(-11) + 2_f64.powi(-40)).to_bits();
    assert_eq!(convert(ElementType::FLOAT64, Target::F16, &[above]), Ok(vec![0x3c01]));
    let above = (1.0 + 2_f64.powi(-8) + 2_f64.powi(-40)).to_bits();
    assert_eq!(convert(ElementType::FLOAT64, Target::Bf16, &[above]), Ok(vec![0x3f81]));
    let above = (1 << 62) + (1 << 54) + 1;
    assert_eq!(convert(ElementType::INT64, Target::Bf16, &[above]), Ok(vec![0x5e81]));
    assert_eq!(convert(ElementType::UINT64, Target::Bf16, &[above]), Ok(vec![0x5e81]));
    let above = (1 << 62) + (1 << 38) + 1;
    assert_eq!(convert(ElementType::UINT64, Target::F32, &[above]), Ok(vec![0x5e80_0001]));
}

#[test]
fn as_stored_and_a_byte_each() {
    let run = |from: ElementType, to, codes: &[u8]| {
        let mut out = vec![0; codes.len()];
        let convert = Convert::new(from, from.bits().unwrap(), to).unwrap();
        assert_eq!(convert.source_bytes(), convert.target_bytes());
        convert.run(codes, &mut out).unwrap();
        out
    };
    let nibbles: Vec<u8> = (0..16).collect();
    for &from in ElementType::ALL {
        assert_eq!(run(from, Target::Stored, &nibbles), nibbles);
        let bytes = run(from, Target::Bytes, &nibbles);
        match from {
            ElementType::INT4 => {
                let signed: Vec<i8> = bytes.iter().map(|byte| byte.cast_signed()).collect();
                assert_eq!(signed, [0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1]);
            }
            ElementType::INT2 => assert_eq!(bytes[..4], [0, 1, 0xfe, 0xff]),
            _ => assert_eq!(bytes, nibbles),
        }
    }
    let private = ElementType::from_tag(0xf0).unwrap();
    let convert = Convert::new(private, 24, Target::Bytes).unwrap();
    assert_eq!((convert.source_bytes(), convert.target_bytes()), (3, 3));
    assert_eq!(Convert::new(private, 4, Target::Stored).unwrap().source_bytes(), 1);
}

#[test]
fn what_has_no_number() {
    let names = |to| -> Vec<&str> {
        let refused =
            |known: &&ElementType| Convert::new(**known, known.bits().unwrap(), to).is_err();
        ElementType::ALL.iter().filter(refused).map(|known| known.name()).collect()
    };
    for to in FLOATS.into_iter().chain([Target::I64]) {
        assert_eq!(names(to), ["float128", "complex64", "complex128"]);
        for tag in [0xf0, 0x05] {
            assert!(Convert::new(ElementType::from_tag(tag).unwrap(), 8, to).is_err());
        }
    }
    for code in [0, 0xff] {
        for to in FLOATS {
            let codes = [127, 1, code, code];
            let error = convert(ElementType::FLOAT8_E8M0, to, &codes).unwrap_err();
            let kind = ErrorKind::Value { what: "float8_e8m0", value: code };
            assert_eq!(error, (2, kind));
        }
    }
}

#[test]
fn one_element_as_its_kind_of_number() {
    let value = |name: &str, code: u64| {
        let element_type = ElementType::find(name).unwrap();
        let bytes = (element_type.bits().unwrap() as usize).div_ceil(8);
        value_of(element_type, &code.to_le_bytes()[..bytes])
    };
    for &from in ElementType::ALL.iter().filter(|known| is_number(known)) {
        for code in codes(from) {
            let exact = oracle::decode(from, code);
            match value(from.name(), code) {
                Value::Float(found) => {
                    assert!(
                        oracle::Format::of(from.name()).is_some()
                            || from == ElementType::FLOAT8_E8M0
                    );
                    let bits = oracle::F64.encode(exact.unwrap());
                    // A float64 is told as it is.
                    let wanted = kept(from, Target::F64, code).unwrap_or(bits);
                    assert_eq!(found.to_bits(), wanted, "{from} {code:#x}");
                }
                Value::Int(found) => {
                    assert!(from.name().starts_with("int"));
                    assert_eq!(exact.unwrap().i64(), Some(found));
                }
                Value::Uint(found) => {
                    assert!(from.name().starts_with("uint"));
                    assert_eq!(exact, Some(Exact::Finite(false, found, 0)));
                }
                Value::Bool(found) => {
                    assert_eq!((from.name(), u64::from(found)), ("bool", code));
                }
                Value::Opaque => assert_eq!(exact, None),
                Value::Complex(..) => panic!("{from}"),
            }
        }
    }
    let parts: Vec<u8> = [1.5_f32, -0.25].iter().flat_map(|part| part.to_le_bytes()).collect();
    assert_eq!(value_of(ElementType::COMPLEX64, &parts), Value::Complex(1.5, -0.25));
    let parts: Vec<u8> = [0.1_f64, -1e300].iter().flat_map(|part| part.to_le_bytes()).collect();
    assert_eq!(value_of(ElementType::COMPLEX128, &parts), Value::Complex(0.1, -1e300));
    assert_eq!(value_of(ElementType::FLOAT128, &[0; 16]), Value::Opaque);
    assert_eq!(value_of(ElementType::from_tag(0xf0).unwrap(), &[0; 8]), Value::Opaque);
}
