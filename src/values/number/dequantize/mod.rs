//! Runs of quantized codes as the numbers they stand for (quantization.md, Dequantization).
//!
//! Every step is a float32 operation of its own; other targets are made of the float32.

#[cfg(test)]
mod tests;

use super::convert::{int2, int4};
use super::narrow::{self, Table};
use super::rounding::{self, Number};
use crate::descriptor::ElementType;
use crate::descriptor::quantization::Quantization;
use crate::error::{Error, ErrorKind, Result};
use crate::values::Target;

/// Dequantization by one scheme.
#[derive(Clone, Copy)]
pub(crate) struct Dequantize {
    kind: Kind,
    to: Target,
}

#[derive(Clone, Copy)]
enum Kind {
    /// scale * f32(q - zero_point).
    Affine(ElementType),
    /// scale * table[q].
    Table(&'static Table),
}

impl Dequantize {
    /// Of codes of a type that the scheme may be stored in, to a float.
    pub(crate) fn new(scheme: &Quantization, storage: ElementType, to: Target) -> Result<Self> {
        let refused = |what| Err(Error::new(ErrorKind::Unsupported { what }));
        if !matches!(to, Target::F16 | Target::Bf16 | Target::F32 | Target::F64) {
            return refused("dequantizing to anything but a float");
        }
        let kind = match (scheme, storage) {
            (Quantization::Opaque(_), _) => {
                return refused("dequantizing by a scheme that is not known");
            }
            (Quantization::Nf4(_), ElementType::UINT4) => Kind::Table(&NF4),
            (Quantization::Mxfp(_), ElementType::FLOAT8_E4M3) => Kind::Table(&narrow::E4M3),
            (Quantization::Mxfp(_), ElementType::FLOAT8_E5M2) => Kind::Table(&narrow::E5M2),
            (Quantization::Mxfp(_), ElementType::FLOAT4_E2M1) => Kind::Table(&narrow::E2M1),
            (Quantization::Mxfp(_), ElementType::FLOAT6_E2M3) => Kind::Table(&narrow::E2M3),
            (Quantization::Mxfp(_), ElementType::FLOAT6_E3M2) => Kind::Table(&narrow::E3M2),
            (Quantization::Mxfp(_), ElementType::INT8 | ElementType::INT4) => Kind::Affine(storage),
            (
                Quantization::PerTensor(_)
                | Quantization::PerChannel(_)
                | Quantization::PerBlock(_),
                ElementType::INT2
                | ElementType::UINT2
                | ElementType::INT4
                | ElementType::UINT4
                | ElementType::INT8
                | ElementType::UINT8
                | ElementType::INT16
                | ElementType::UINT16
                | ElementType::INT32
                | ElementType::UINT32,
            ) => Kind::Affine(storage),
            _ => return refused("dequantizing codes of a type that the scheme has none of"),
        };
        Ok(Self { kind, to })
    }

    /// Dequantizes as many codes as all have room for: one scale each, and one zero point each
    /// where there are any. MXFP scales come as numbers.
    pub(crate) fn run(&self, codes: &[u8], scales: &[f32], zero_points: &[i32], out: &mut [u8]) {
        match self.to {
            Target::F32 => self.each(codes, scales, zero_points, out, f32::to_ne_bytes),
            Target::F64 => self.each(codes, scales, zero_points, out, |x| x.f64().to_ne_bytes()),
            Target::F16 => self.each(codes, scales, zero_points, out, |x| x.f16().to_ne_bytes()),
            Target::Bf16 => self.each(codes, scales, zero_points, out, |x| x.bf16().to_ne_bytes()),
            Target::Stored | Target::Bytes | Target::I64 => {}
        }
    }

    #[inline(always)]
    fn each<const M: usize>(
        &self,
        codes: &[u8],
        scales: &[f32],
        zero_points: &[i32],
        out: &mut [u8],
        target: impl Fn(f32) -> [u8; M] + Copy,
    ) {
        let parameters = Parameters { scales, zero_points };
        let (out, _) = out.as_chunks_mut::<M>();
        let storage = match self.kind {
            Kind::Table(table) => {
                for ((out, &code), &scale) in out.iter_mut().zip(codes).zip(scales) {
                    *out = target(scale * narrow::look_up(table, code));
                }
                return;
            }
            Kind::Affine(storage) => storage,
        };
        match storage {
            ElementType::INT2 => parameters.affine(codes, out, |[code]| int2(code).into(), target),
            ElementType::INT4 => parameters.affine(codes, out, |[code]| int4(code).into(), target),
            ElementType::INT8 => {
                parameters.affine(codes, out, |code| i8::from_le_bytes(code).into(), target);
            }
            ElementType::INT16 => {
                parameters.affine(codes, out, |code| i16::from_le_bytes(code).into(), target);
            }
            ElementType::UINT16 => {
                parameters.affine(codes, out, |code| u16::from_le_bytes(code).into(), target);
            }
            ElementType::INT32 => {
                parameters.wide(codes, out, |code| i32::from_le_bytes(code).into(), target);
            }
            ElementType::UINT32 => {
                parameters.wide(codes, out, |code| u32::from_le_bytes(code).into(), target);
            }
            _ => parameters.affine(codes, out, |code| u8::from_le_bytes(code).into(), target),
        }
    }
}

#[derive(Clone, Copy)]
struct Parameters<'p> {
    scales: &'p [f32],
    zero_points: &'p [i32],
}

impl Parameters<'_> {
    /// Codes of at most 16 bits.
    #[inline(always)]
    fn affine<const N: usize, const M: usize>(
        self,
        codes: &[u8],
        out: &mut [[u8; M]],
        code: impl Fn([u8; N]) -> i32,
        target: impl Fn(f32) -> [u8; M],
    ) {
        let (codes, _) = codes.as_chunks::<N>();
        let elements = out.iter_mut().zip(codes).zip(self.scales);
        if self.zero_points.is_empty() {
            for ((out, &bytes), &scale) in elements {
                *out = target(scale * float(code(bytes)));
            }
        } else {
            for (((out, &bytes), &scale), &zero_point) in elements.zip(self.zero_points) {
                *out = target(scale * float(code(bytes).wrapping_sub(zero_point)));
            }
        }
    }

    /// Codes of 32 bits. Their difference takes 34: a float64 holds it.
    #[inline(always)]
    fn wide<const N: usize, const M: usize>(
        self,
        codes: &[u8],
        out: &mut [[u8; M]],
        code: impl Fn([u8; N]) -> f64,
        target: impl Fn(f32) -> [u8; M],
    ) {
        let (codes, _) = codes.as_chunks::<N>();
        let elements = out.iter_mut().zip(codes).zip(self.scales);
        if self.zero_points.is_empty() {
            for ((out, &bytes), &scale) in elements {
                *out = target(scale * rounding::nearest_f32(code(bytes)));
            }
        } else {
            for (((out, &bytes), &scale), &zero_point) in elements.zip(self.zero_points) {
                let difference = code(bytes) - f64::from(zero_point);
                *out = target(scale * rounding::nearest_f32(difference));
            }
        }
    }
}

/// The nearest float32, of two the even one.
#[inline(always)]
#[allow(clippy::as_conversions, reason = "rounds once, to the nearest even")]
fn float(difference: i32) -> f32 {
    difference as f32
}

/// The values of NF4, by code. Bits above a code's own are ignored.
static NF4: Table = {
    #[allow(clippy::excessive_precision, reason = "as the specification writes them")]
    const VALUES: [f32; 16] = [
        -1.0,
        -0.696_192_800_998_687_7,
        -0.525_073_051_452_636_7,
        -0.394_917_488_098_144_53,
        -0.284_441_381_692_886_35,
        -0.184_773_430_228_233_34,
        -0.091_050_036_251_544_95,
        0.0,
        0.079_580_299_556_255_34,
        0.160_930_201_411_247_25,
        0.246_112_301_945_686_34,
        0.337_915_241_718_292_24,
        0.440_709_829_330_444_34,
        0.562_617_003_917_694_1,
        0.722_956_836_223_602_3,
        1.0,
    ];
    let mut table = [0.0; 256];
    let mut code = 0_usize;
    while code < 256 {
        #[allow(clippy::indexing_slicing, reason = "the compiler computes it")]
        {
            table[code] = VALUES[code & 15];
        }
        code = code.wrapping_add(1);
    }
    table
};
