//! One element as a number.

use super::convert::{int2, int4};
use super::narrow::{self, look_up};
use super::{half, rounding};
use crate::descriptor::ElementType;

/// What an element stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of every floating-point type up to 64 bits, exactly.
    Float(f64),
    /// Of signed integer types.
    Int(i64),
    /// Of unsigned integer types.
    Uint(u64),
    /// Of bool.
    Bool(bool),
    /// Of complex types: real part, imaginary part.
    Complex(f64, f64),
    /// Of types whose values are not interpreted (float128, private, not known), and of the
    /// float8_e8m0 codes 00 and FF, which are not valid.
    Opaque,
}

/// The value of an element whose bits are these: little-endian, below 8 bits in one byte.
pub(crate) fn value_of(element_type: ElementType, code: &[u8]) -> Value {
    let single = |value: f32| Value::Float(rounding::widen(value));
    let value = match element_type {
        ElementType::FLOAT16 => {
            first(code).map(|code| single(half::widen_f16(u16::from_le_bytes(code))))
        }
        ElementType::BFLOAT16 => {
            first(code).map(|code| single(half::widen_bf16(u16::from_le_bytes(code))))
        }
        ElementType::FLOAT32 => first(code).map(|code| single(f32::from_le_bytes(code))),
        ElementType::FLOAT64 => first(code).map(|code| Value::Float(f64::from_le_bytes(code))),
        ElementType::INT8 => first(code).map(|code| Value::Int(i8::from_le_bytes(code).into())),
        ElementType::UINT8 => first(code).map(|code| Value::Uint(u8::from_le_bytes(code).into())),
        ElementType::INT16 => first(code).map(|code| Value::Int(i16::from_le_bytes(code).into())),
        ElementType::UINT16 => first(code).map(|code| Value::Uint(u16::from_le_bytes(code).into())),
        ElementType::INT32 => first(code).map(|code| Value::Int(i32::from_le_bytes(code).into())),
        ElementType::UINT32 => first(code).map(|code| Value::Uint(u32::from_le_bytes(code).into())),
        ElementType::INT64 => first(code).map(|code| Value::Int(i64::from_le_bytes(code))),
        ElementType::UINT64 => first(code).map(|code| Value::Uint(u64::from_le_bytes(code))),
        ElementType::BOOL => first(code).map(|[code]| Value::Bool(code & 1 != 0)),
        ElementType::INT4 => first(code).map(|[code]| Value::Int(int4(code).into())),
        ElementType::UINT4 => first(code).map(|[code]| Value::Uint((code & 15).into())),
        ElementType::INT2 => first(code).map(|[code]| Value::Int(int2(code).into())),
        ElementType::UINT2 => first(code).map(|[code]| Value::Uint((code & 3).into())),
        ElementType::FLOAT8_E4M3 => first(code).map(|[code]| single(look_up(&narrow::E4M3, code))),
        ElementType::FLOAT8_E5M2 => first(code).map(|[code]| single(look_up(&narrow::E5M2, code))),
        ElementType::FLOAT4_E2M1 => first(code).map(|[code]| single(look_up(&narrow::E2M1, code))),
        ElementType::FLOAT6_E2M3 => first(code).map(|[code]| single(look_up(&narrow::E2M3, code))),
        ElementType::FLOAT6_E3M2 => first(code).map(|[code]| single(look_up(&narrow::E3M2, code))),
        ElementType::FLOAT8_E8M0 => first(code)
            .filter(|code| narrow::check_e8m0(code).is_ok())
            .map(|[code]| single(narrow::e8m0(code))),
        ElementType::COMPLEX64 => pair(code)
            .map(|parts| parts.map(|part| rounding::widen(f32::from_le_bytes(part))))
            .map(|[real, imaginary]| Value::Complex(real, imaginary)),
        ElementType::COMPLEX128 => pair(code)
            .map(|parts| parts.map(f64::from_le_bytes))
            .map(|[real, imaginary]| Value::Complex(real, imaginary)),
        _ => None,
    };
    value.unwrap_or(Value::Opaque)
}

fn first<const N: usize>(code: &[u8]) -> Option<[u8; N]> {
    code.first_chunk().copied()
}

fn pair<const N: usize>(code: &[u8]) -> Option<[[u8; N]; 2]> {
    code.as_chunks().0.first_chunk().copied()
}
