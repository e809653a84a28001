//! Runs of codes as numbers of another kind.

#[cfg(test)]
mod tests;

use super::rounding::Number;
use super::{Misfit, half, narrow};
use crate::bytes::math;
use crate::descriptor::ElementType;
use crate::error::{Error, ErrorKind, Result};
use crate::values::Target;

/// A conversion of codes of one element type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convert {
    from: ElementType,
    to: Target,
    source_bytes: usize,
    target_bytes: usize,
}

impl Convert {
    /// From a type whose elements have so many bits. Numbers are refused where the elements are
    /// complex, float128, private or not known.
    pub(crate) fn new(from: ElementType, bits: u32, to: Target) -> Result<Self> {
        let source_bytes = math::to_usize(u64::from(bits / 8).max(1), "bytes of an element")?;
        let target_bytes = match to {
            Target::Stored | Target::Bytes => source_bytes,
            Target::F16 | Target::Bf16 => 2,
            Target::F32 => 4,
            Target::F64 | Target::I64 => 8,
        };
        let refused = |what| Err(Error::new(ErrorKind::Unsupported { what }));
        match (to, from) {
            (Target::Stored | Target::Bytes, _) => {}
            (_, ElementType::COMPLEX64 | ElementType::COMPLEX128) => {
                return refused("converting complex elements to real numbers");
            }
            (_, ElementType::FLOAT128) => return refused("converting elements of float128"),
            (_, from) if !from.is_known() => {
                return refused("converting elements of a private or unknown type");
            }
            _ => {}
        }
        Ok(Self { from, to, source_bytes, target_bytes })
    }

    /// Bytes of one code: 1 below 8 bits.
    pub(crate) fn source_bytes(&self) -> usize {
        self.source_bytes
    }

    /// Bytes of what one code becomes; of a code below 8 bits that stays as stored: 1.
    pub(crate) fn target_bytes(&self) -> usize {
        self.target_bytes
    }

    /// Converts as many codes as `out` has room for; both hold whole elements, and as many. When
    /// it fails, `out` may be filled in part.
    pub(crate) fn run(&self, codes: &[u8], out: &mut [u8]) -> Result<(), Misfit> {
        match self.to {
            Target::Stored => copy(codes, out),
            Target::Bytes => match self.from {
                ElementType::INT4 => each(codes, out, |[code]| [int4(code).cast_unsigned()]),
                ElementType::INT2 => each(codes, out, |[code]| [int2(code).cast_unsigned()]),
                _ => copy(codes, out),
            },
            _ => return self.numbers(codes, out),
        }
        Ok(())
    }

    fn numbers(&self, codes: &[u8], out: &mut [u8]) -> Result<(), Misfit> {
        let table = |table| move |[code]: [u8; 1]| narrow::look_up(table, code);
        match self.from {
            ElementType::FLOAT16 if self.to == Target::F16 => same::<2>(codes, out),
            ElementType::BFLOAT16 if self.to == Target::Bf16 => same::<2>(codes, out),
            ElementType::FLOAT32 if self.to == Target::F32 => same::<4>(codes, out),
            ElementType::FLOAT64 if self.to == Target::F64 => same::<8>(codes, out),
            ElementType::FLOAT16 => {
                self.each(codes, out, |code| half::widen_f16(u16::from_le_bytes(code)))
            }
            ElementType::BFLOAT16 => {
                self.each(codes, out, |code| half::widen_bf16(u16::from_le_bytes(code)))
            }
            ElementType::FLOAT32 => self.each(codes, out, f32::from_le_bytes),
            ElementType::FLOAT64 => self.each(codes, out, f64::from_le_bytes),
            ElementType::INT8 => self.each(codes, out, i8::from_le_bytes),
            ElementType::UINT8 => self.each(codes, out, u8::from_le_bytes),
            ElementType::INT16 => self.each(codes, out, i16::from_le_bytes),
            ElementType::UINT16 => self.each(codes, out, u16::from_le_bytes),
            ElementType::INT32 => self.each(codes, out, i32::from_le_bytes),
            ElementType::UINT32 => self.each(codes, out, u32::from_le_bytes),
            ElementType::INT64 => self.each(codes, out, i64::from_le_bytes),
            ElementType::UINT64 => self.each(codes, out, u64::from_le_bytes),
            ElementType::BOOL | ElementType::UINT4 | ElementType::UINT2 => {
                self.each(codes, out, u8::from_le_bytes)
            }
            ElementType::INT4 => self.each(codes, out, |[code]| int4(code)),
            ElementType::INT2 => self.each(codes, out, |[code]| int2(code)),
            ElementType::FLOAT8_E4M3 => self.each(codes, out, table(&narrow::E4M3)),
            ElementType::FLOAT8_E5M2 => self.each(codes, out, table(&narrow::E5M2)),
            ElementType::FLOAT4_E2M1 => self.each(codes, out, table(&narrow::E2M1)),
            ElementType::FLOAT6_E2M3 => self.each(codes, out, table(&narrow::E2M3)),
            ElementType::FLOAT6_E3M2 => self.each(codes, out, table(&narrow::E3M2)),
            ElementType::FLOAT8_E8M0 => {
                narrow::check_e8m0(codes)?;
                self.each(codes, out, |[code]| narrow::e8m0(code))
            }
            _ => Err((0, ErrorKind::Internal { what: "a type without numbers is converted" })),
        }
    }

    #[inline(always)]
    fn each<const N: usize, T: Number>(
        &self,
        codes: &[u8],
        out: &mut [u8],
        number: impl Fn([u8; N]) -> T,
    ) -> Result<(), Misfit> {
        match self.to {
            Target::F16 => each(codes, out, |code| number(code).f16().to_ne_bytes()),
            Target::Bf16 => each(codes, out, |code| number(code).bf16().to_ne_bytes()),
            Target::F32 => each(codes, out, |code| number(code).f32().to_ne_bytes()),
            Target::F64 => each(codes, out, |code| number(code).f64().to_ne_bytes()),
            Target::I64 => return integers(codes, out, number),
            Target::Stored | Target::Bytes => {}
        }
        Ok(())
    }
}

/// int64 of numbers; an error for the first that is none.
#[inline(always)]
fn integers<const N: usize, T: Number>(
    codes: &[u8],
    out: &mut [u8],
    number: impl Fn([u8; N]) -> T,
) -> Result<(), Misfit> {
    let ((codes, _), (out, _)) = (codes.as_chunks::<N>(), out.as_chunks_mut::<8>());
    let mut fits = true;
    for (out, &code) in out.iter_mut().zip(codes) {
        let integer = number(code).i64();
        fits &= integer.is_some();
        *out = integer.unwrap_or_default().to_ne_bytes();
    }
    if fits {
        return Ok(());
    }
    let misfit = |(place, &code)| {
        let number = number(code);
        number.i64().is_none().then(|| (place, number.misfit()))
    };
    codes.iter().enumerate().find_map(misfit).map_or(Ok(()), Err)
}

#[inline(always)]
fn each<const N: usize, const M: usize>(
    codes: &[u8],
    out: &mut [u8],
    value: impl Fn([u8; N]) -> [u8; M],
) {
    let ((codes, _), (out, _)) = (codes.as_chunks::<N>(), out.as_chunks_mut::<M>());
    for (out, &code) in out.iter_mut().zip(codes) {
        *out = value(code);
    }
}

/// The same number, in the byte order of the machine.
fn same<const N: usize>(codes: &[u8], out: &mut [u8]) -> Result<(), Misfit> {
    each::<N, N>(codes, out, |mut code| {
        if cfg!(target_endian = "big") {
            code.reverse();
        }
        code
    });
    Ok(())
}

fn copy(codes: &[u8], out: &mut [u8]) {
    each::<1, 1>(codes, out, |code| code);
}

/// The number of an int4 code, two's complement.
#[inline(always)]
pub(super) fn int4(code: u8) -> i8 {
    (code << 4).cast_signed() >> 4
}

/// The number of an int2 code, two's complement.
#[inline(always)]
pub(super) fn int2(code: u8) -> i8 {
    (code << 6).cast_signed() >> 6
}
