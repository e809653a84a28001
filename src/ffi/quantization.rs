//! Quantization.

use std::ffi::c_void;
use std::ptr;

use super::arguments::{self, Versioned};
use super::descriptor::hrry_descriptor;
use super::error::{Failure, hrry_error, hrry_status};
use super::names::{hrry_scheme, hrry_type};
use super::sections::get;
use crate::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};
use crate::descriptor::{Descriptor, ElementType, Quantization};
use crate::{Error, ErrorKind};

/// There are no zero points: every one is 0.
pub const HRRY_QUANTIZATION_SYMMETRIC: u32 = 1;

/// No buffer of the table.
pub const HRRY_NO_BUFFER: u32 = 0xFFFF_FFFF;

/// How stored codes become values. What a scheme does not have is 0 when it is read and ignored
/// when it is set.
///
/// Affine: scale * (code - zero point). NF4: scale * one of sixteen numbers. MXFP: the code as a
/// number of its type * a power of two. All in float32.
/// Per channel there is one scale for each index of the axis. In blocks there is one for each
/// block_size elements along the axis, the blocks of one line after another and the lines in
/// row-major order of the other dimensions. Where the last block of a line is not full, dense
/// row-major and column-major tensors store it whole: the data is that of a tensor whose axis is as
/// long as its blocks, and zero where there is no element. Zero points are int32, as many as scales.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_quantization {
    /// sizeof(hrry_quantization).
    pub struct_size: usize,
    /// HRRY_SCHEME_*.
    pub scheme: hrry_scheme,
    /// HRRY_QUANTIZATION_SYMMETRIC or 0: per channel and per block.
    pub flags: u32,
    /// The dimension along which channels or blocks follow one another.
    pub axis: u32,
    /// Elements of a block: a power of two.
    pub block_size: u32,
    /// The scale: per tensor.
    pub scale: f32,
    /// The zero point: per tensor.
    pub zero_point: i32,
    /// HRRY_TYPE_* of the scales: float32 per channel and with NF4, float8_e8m0 with MXFP; to be
    /// chosen only per block, among float16, bfloat16 and float32.
    pub scale_type: hrry_type,
    /// The buffer of the scales, by its place in the buffer table; HRRY_NO_BUFFER per tensor.
    pub scale_buffer: u32,
    /// The buffer of the zero points, which may be that of the scales and then follow them;
    /// HRRY_NO_BUFFER when there are none.
    pub zero_point_buffer: u32,
    /// Zero.
    pub reserved: u32,
    /// The payload of a scheme that is not known (permissive only), its header first, borrowed from
    /// the descriptor; else NULL.
    pub payload: *const c_void,
    /// Bytes of the payload.
    pub payload_len: usize,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_quantization {
    const NAME: &'static str = "hrry_quantization";
    const FIRST: usize = 64;
}

/// How stored codes become values.
///
/// Parameters: `quantization` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_NOT_FOUND when the tensor is not quantized, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_quantization(
    descriptor: *const hrry_descriptor,
    quantization: *mut hrry_quantization,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |d: &Descriptor| d.quantization().map(hrry_quantization::of);
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, quantization, error, "quantization section", ask) }
}

impl hrry_quantization {
    fn of(scheme: &Quantization) -> Self {
        let parameters = scheme.parameters();
        let blocks = scheme.blocks();
        let mut out = Self {
            struct_size: 0,
            scheme: scheme.tag().tag().into(),
            flags: scheme.flags().into(),
            axis: blocks.map_or(0, |blocks| blocks.axis()),
            block_size: blocks.map_or(0, |blocks| blocks.block_size()),
            scale: 0.0,
            zero_point: 0,
            scale_type: 0,
            scale_buffer: parameters.scales.unwrap_or(HRRY_NO_BUFFER),
            zero_point_buffer: parameters.zero_points.unwrap_or(HRRY_NO_BUFFER),
            reserved: 0,
            payload: ptr::null(),
            payload_len: 0,
        };
        match scheme {
            Quantization::PerTensor(scheme) => {
                (out.scale, out.zero_point) = (scheme.scale(), scheme.zero_point());
            }
            Quantization::PerChannel(scheme) => {
                (out.axis, out.scale_type) = (scheme.axis(), ElementType::FLOAT32.tag().into());
            }
            Quantization::PerBlock(scheme) => out.scale_type = scheme.scale_type().tag().into(),
            Quantization::Nf4(_) => out.scale_type = ElementType::FLOAT32.tag().into(),
            Quantization::Mxfp(_) => out.scale_type = ElementType::FLOAT8_E8M0.tag().into(),
            Quantization::Opaque(scheme) => {
                out.payload = scheme.payload().as_ptr().cast();
                out.payload_len = scheme.payload().len();
            }
        }
        out
    }

    /// The scheme that the caller describes.
    pub(super) fn rust(&self) -> Result<Quantization, Failure> {
        arguments::reserved(self.reserved)?;
        let symmetric = match self.flags {
            0 => false,
            HRRY_QUANTIZATION_SYMMETRIC => true,
            flags => return Err(ErrorKind::Unknown { what: "flags", value: flags.into() }.into()),
        };
        let zero_points = (!symmetric).then_some(self.zero_point_buffer);
        let (axis, block_size, scales) = (self.axis, self.block_size, self.scale_buffer);
        let built = match u8::try_from(self.scheme) {
            Ok(0x01) => PerTensor::new(self.scale, self.zero_point).map(Quantization::from),
            Ok(0x02) => Ok(PerChannel::new(axis, scales, zero_points).into()),
            Ok(0x03) => {
                let scale_type = u8::try_from(self.scale_type).ok().and_then(ElementType::from_tag);
                let unknown =
                    ErrorKind::Unknown { what: "scale_type", value: self.scale_type.into() };
                let scale_type = scale_type.ok_or(unknown)?;
                PerBlock::new(axis, block_size, scale_type, scales, zero_points)
                    .map(Quantization::from)
            }
            Ok(0x04) => Nf4::new(axis, block_size, scales).map(Quantization::from),
            Ok(0x05) => Mxfp::new(axis, block_size, scales).map(Quantization::from),
            _ => {
                let (what, value) = ("scheme", self.scheme.into());
                return Err(ErrorKind::Unknown { what, value }.into());
            }
        };
        Ok(built.map_err(Error::by_caller)?)
    }
}
