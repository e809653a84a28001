//! Elements as the numbers that types.md makes of their bits, and as the manifests give them.

use hurray::descriptor::ElementType;
use serde_json::Value;

/// A number that a manifest gives, or that bits stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Float(f64),
    Int(i128),
    Complex(f64, f64),
}

impl PartialEq for Number {
    /// -0 and +0 are equal, and so is any NaN to any other.
    fn eq(&self, other: &Self) -> bool {
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        match (*self, *other) {
            (Self::Float(a), Self::Float(b)) => same(a, b),
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Complex(a, b), Self::Complex(c, d)) => same(a, c) && same(b, d),
            _ => false,
        }
    }
}

/// The numbers of an entry of a manifest.
pub(crate) fn wanted(entry: &Value) -> Vec<Number> {
    let float = |value: &Value| match value.as_str().unwrap() {
        "nan" => f64::NAN,
        bits => f64::from_bits(u64::from_str_radix(bits, 16).unwrap()),
    };
    let number = |value: &Value| match entry["kind"].as_str().unwrap() {
        "float" => Number::Float(float(value)),
        "int" => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Number::Int(text.parse().unwrap())
        }
        "complex" => Number::Complex(float(&value[0]), float(&value[1])),
        other => panic!("values of kind {other}"),
    };
    entry["v"].as_array().unwrap().iter().map(number).collect()
}

/// The bytes of one element, below 8 bits of its own byte.
pub(crate) fn width(element_type: ElementType) -> usize {
    element_type.bits().unwrap().div_ceil(8) as usize
}

/// The numbers of elements, each in bytes of its own.
pub(crate) fn of(element_type: ElementType, bytes: &[u8]) -> Vec<Number> {
    bytes.chunks(width(element_type)).map(|code| number(element_type, code)).collect()
}

fn number(element_type: ElementType, code: &[u8]) -> Number {
    let bits = element_type.bits().unwrap();
    let raw = code.iter().rev().fold(0_u128, |raw, byte| raw << 8 | u128::from(*byte));
    let raw = raw & (u128::MAX >> (128 - bits));
    // Exponent bits, mantissa bits, bias, and whether all ones is infinity or not a number.
    let small = |exponent: u32, mantissa: u32, bias: i32, ieee: bool| {
        let raw = u32::try_from(raw).unwrap();
        Number::Float(float(raw, exponent, mantissa, bias, ieee))
    };
    let part = |range: std::ops::Range<usize>| match range.len() {
        4 => f64::from(f32::from_le_bytes(code[range].try_into().unwrap())),
        _ => f64::from_le_bytes(code[range].try_into().unwrap()),
    };
    match element_type {
        ElementType::FLOAT16 => small(5, 10, 15, true),
        ElementType::BFLOAT16 => small(8, 7, 127, true),
        ElementType::FLOAT8_E5M2 => small(5, 2, 15, true),
        ElementType::FLOAT8_E4M3 if raw & 0x7f == 0x7f => Number::Float(f64::NAN),
        ElementType::FLOAT8_E4M3 => small(4, 3, 7, false),
        ElementType::FLOAT4_E2M1 => small(2, 1, 1, false),
        ElementType::FLOAT6_E2M3 => small(2, 3, 1, false),
        ElementType::FLOAT6_E3M2 => small(3, 2, 3, false),
        // What a sparse tensor does not store: as data this code is not valid.
        ElementType::FLOAT8_E8M0 if raw == 0 => Number::Float(0.0),
        ElementType::FLOAT8_E8M0 => Number::Float(2_f64.powi(i32::from(code[0]) - 127)),
        ElementType::FLOAT32 => Number::Float(part(0..4)),
        ElementType::FLOAT64 => Number::Float(part(0..8)),
        ElementType::COMPLEX64 => Number::Complex(part(0..4), part(4..8)),
        ElementType::COMPLEX128 => Number::Complex(part(0..8), part(8..16)),
        _ => {
            let signed = element_type.name().starts_with("int");
            let raw = raw.cast_signed();
            let negative = signed && raw >> (bits - 1) == 1;
            Number::Int(if negative { raw - (1 << bits) } else { raw })
        }
    }
}

fn float(raw: u32, exponent_bits: u32, mantissa_bits: u32, bias: i32, ieee: bool) -> f64 {
    let mantissa = f64::from(raw & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
    let exponent = raw >> mantissa_bits & ((1 << exponent_bits) - 1);
    let magnitude = match exponent {
        0 => mantissa * 2_f64.powi(1 - bias),
        e if ieee && e == (1 << exponent_bits) - 1 => {
            if mantissa == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        e => (1.0 + mantissa) * 2_f64.powi(e.cast_signed() - bias),
    };
    if raw >> (exponent_bits + mantissa_bits) & 1 == 1 { -magnitude } else { magnitude }
}

/// A byte for each packed element, with zeros above (types.md, Packing below a byte). Elements of
/// whole bytes stay as they are.
pub(crate) fn unpacked(element_type: ElementType, packed: &[u8], count: usize) -> Vec<u8> {
    let bits = element_type.bits().unwrap() as usize;
    if bits >= 8 {
        return packed.to_vec();
    }
    let bit = |k: usize| packed[k / 8] >> (k % 8) & 1;
    let code = |k: usize| (0..bits).map(|b| bit(k * bits + b) << b).sum();
    (0..count).map(code).collect()
}

/// The numbers of a list of float32 in the order of the machine.
pub(crate) fn of_f32(bytes: &[u8]) -> Vec<Number> {
    let number = |b: &[u8; 4]| Number::Float(f32::from_ne_bytes(*b).into());
    bytes.as_chunks().0.iter().map(number).collect()
}

/// The numbers of a list of float64 in the order of the machine.
pub(crate) fn of_f64(bytes: &[u8]) -> Vec<Number> {
    bytes.as_chunks().0.iter().map(|b| Number::Float(f64::from_ne_bytes(*b))).collect()
}

/// The numbers of a list of int64 in the order of the machine.
pub(crate) fn of_i64(bytes: &[u8]) -> Vec<Number> {
    bytes.as_chunks().0.iter().map(|b| Number::Int(i64::from_ne_bytes(*b).into())).collect()
}
