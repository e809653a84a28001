//! Sections of a descriptor.

use std::ffi::c_void;
use std::ptr;

use super::arguments::{self, Room, Versioned};
use super::descriptor::{descriptor, hrry_descriptor, property};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use super::names::{hrry_scheme, hrry_type};
use crate::descriptor::quantization::{Mxfp, Nf4, PerBlock, PerChannel, PerTensor};
use crate::descriptor::{
    Descriptor, ElementType, ExtensionType, Format, MemberRole, NmSparsity, Quantization,
    SpecialValues, Statistics, ValueRange, ValueSpread,
};
use crate::{Error, ErrorKind};

/// There are no zero points: every one is 0.
pub const HRRY_QUANTIZATION_SYMMETRIC: u32 = 1;

/// No buffer of the table.
pub const HRRY_NO_BUFFER: u32 = 0xFFFF_FFFF;

/// How stored codes become values. What a scheme does not have is 0 when it is read and ignored
/// when it is set.
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
    /// Elements of a block.
    pub block_size: u32,
    /// The scale: per tensor.
    pub scale: f32,
    /// The zero point: per tensor.
    pub zero_point: i32,
    /// HRRY_TYPE_* of the scales: float32 per channel and with NF4, float8_e8m0 with MXFP; to be
    /// chosen only per block.
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

/// The box of a larger tensor that a tensor is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_shard {
    /// sizeof(hrry_shard).
    pub struct_size: usize,
    /// The shape of the larger tensor: rank numbers, borrowed from the descriptor.
    pub parent_shape: *const u64,
    /// Where in the larger tensor this one begins: rank numbers, borrowed from the descriptor.
    pub shard_offset: *const u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_shard {
    const NAME: &'static str = "hrry_shard";
    const FIRST: usize = 24;
}

/// nnz is known.
pub const HRRY_STATISTICS_NNZ: u32 = 1;
/// sparsity_ratio is known.
pub const HRRY_STATISTICS_SPARSITY: u32 = 2;
/// value_min, value_max and value_abs_max are known.
pub const HRRY_STATISTICS_VALUE_RANGE: u32 = 4;
/// value_mean and value_stddev are known.
pub const HRRY_STATISTICS_VALUE_STATS: u32 = 8;
/// nm_n and nm_m are known.
pub const HRRY_STATISTICS_NM_SPARSITY: u32 = 16;
/// has_nan and has_inf are known.
pub const HRRY_STATISTICS_NAN_INF: u32 = 32;

const STATISTICS: u32 = HRRY_STATISTICS_NNZ
    | HRRY_STATISTICS_SPARSITY
    | HRRY_STATISTICS_VALUE_RANGE
    | HRRY_STATISTICS_VALUE_STATS
    | HRRY_STATISTICS_NM_SPARSITY
    | HRRY_STATISTICS_NAN_INF;

/// What the writer knew of the values; advisory. What is not known is 0 when it is read and ignored
/// when it is set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_statistics {
    /// sizeof(hrry_statistics).
    pub struct_size: usize,
    /// HRRY_STATISTICS_* of what is known, or-ed.
    pub computed_mask: u32,
    /// Zero.
    pub reserved: u32,
    /// Elements that are not zero.
    pub nnz: u64,
    /// The share of elements that are zero, 0 to 1.
    pub sparsity_ratio: f64,
    /// The smallest value.
    pub value_min: f64,
    /// The largest value.
    pub value_max: f64,
    /// The largest magnitude.
    pub value_abs_max: f64,
    /// The mean.
    pub value_mean: f64,
    /// The standard deviation of the population.
    pub value_stddev: f64,
    /// At most nm_n of every nm_m consecutive elements are not zero.
    pub nm_n: u8,
    /// See nm_n.
    pub nm_m: u8,
    /// 1 when some value is not a number.
    pub has_nan: u8,
    /// 1 when some value is infinite.
    pub has_inf: u8,
    /// Zero.
    pub padding: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_statistics {
    const NAME: &'static str = "hrry_statistics";
    const FIRST: usize = 80;
}

/// What a private element type is made of; the library records it and does not interpret it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_extension_type {
    /// sizeof(hrry_extension_type).
    pub struct_size: usize,
    /// Bits of an element: 1, 2, 4 or a multiple of 8.
    pub bit_width: u32,
    /// What the exponent is stored with; floats only, as all that follows but is_signed.
    pub exponent_bias: u32,
    /// 1 for a float, 0 for an integer.
    pub is_float: u8,
    /// 1 for a signed integer.
    pub is_signed: u8,
    /// 1 when there is a sign bit.
    pub sign_bits: u8,
    /// Bits of the exponent.
    pub exponent_bits: u8,
    /// Bits of the mantissa.
    pub mantissa_bits: u8,
    /// 1 when some code is not a number.
    pub has_nan: u8,
    /// 1 when some code is infinite.
    pub has_inf: u8,
    /// Elements in a byte below 8 bits, else 1; ignored when it is set.
    pub packing_factor: u8,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_extension_type {
    const NAME: &'static str = "hrry_extension_type";
    const FIRST: usize = 24;
}

/// The role of a member of an overlay: member_role, as the format has it.
pub type hrry_member_role = u32;
/// Changes what lies below it.
pub const HRRY_MEMBER_CORRECTION: hrry_member_role = 0;
/// Lies below everything and spans the head.
pub const HRRY_MEMBER_BASE: hrry_member_role = 1;
/// There is no composite member section.
pub const HRRY_MEMBER_NONE: hrry_member_role = 0xFFFF_FFFF;

/// Fills in `section` with what a descriptor has, or says that it has none.
///
/// # Safety
/// As the manual asks of the caller.
unsafe fn get<T: Versioned>(
    descriptor: *const hrry_descriptor,
    section: *mut T,
    error: *mut hrry_error,
    what: &'static str,
    ask: impl FnOnce(&Descriptor) -> Option<T>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        guard::call(error, || {
            let room = Room::at(section)?;
            let found = ask(self::descriptor(descriptor)?);
            room.fill(&found.ok_or(ErrorKind::NotFound { what })?);
            Ok(())
        })
    }
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

/// The box of a larger tensor that this one is.
///
/// Ownership: what `shard` then points to is borrowed from the descriptor.
/// Parameters: `shard` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_NOT_FOUND when there is no such section, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_shard(
    descriptor: *const hrry_descriptor,
    shard: *mut hrry_shard,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |d: &Descriptor| {
        let shard = d.shard()?;
        Some(hrry_shard {
            struct_size: 0,
            parent_shape: shard.parent_shape().as_ptr(),
            shard_offset: shard.offset().as_ptr(),
        })
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, shard, error, "shard section", ask) }
}

/// What the writer knew of the values.
///
/// Parameters: `statistics` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_NOT_FOUND when there is no such section, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_statistics(
    descriptor: *const hrry_descriptor,
    statistics: *mut hrry_statistics,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |d: &Descriptor| d.statistics().map(hrry_statistics::of);
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, statistics, error, "statistics section", ask) }
}

impl hrry_statistics {
    fn of(statistics: &Statistics) -> Self {
        let range = statistics.range();
        let spread = statistics.spread();
        let nm = statistics.nm();
        let special = statistics.special();
        Self {
            struct_size: 0,
            computed_mask: statistics.mask(),
            reserved: 0,
            nnz: statistics.nnz().unwrap_or(0),
            sparsity_ratio: statistics.sparsity_ratio().unwrap_or(0.0),
            value_min: range.map_or(0.0, |range| range.min),
            value_max: range.map_or(0.0, |range| range.max),
            value_abs_max: range.map_or(0.0, |range| range.abs_max),
            value_mean: spread.map_or(0.0, |spread| spread.mean),
            value_stddev: spread.map_or(0.0, |spread| spread.stddev),
            nm_n: nm.map_or(0, |nm| nm.n),
            nm_m: nm.map_or(0, |nm| nm.m),
            has_nan: special.map_or(0, |special| special.has_nan.into()),
            has_inf: special.map_or(0, |special| special.has_inf.into()),
            padding: 0,
        }
    }

    /// The statistics that the caller describes.
    pub(super) fn rust(&self) -> Result<Statistics, Failure> {
        let known = |bit: u32| self.computed_mask & bit != 0;
        if self.computed_mask & !STATISTICS != 0 {
            let (what, value) = ("computed_mask", self.computed_mask.into());
            return Err(ErrorKind::Unknown { what, value }.into());
        }
        arguments::reserved(self.reserved)?;
        arguments::reserved(self.padding)?;
        let mut statistics = Statistics::new();
        if known(HRRY_STATISTICS_NNZ) {
            statistics.set_nnz(self.nnz);
        }
        if known(HRRY_STATISTICS_SPARSITY) {
            statistics.set_sparsity_ratio(self.sparsity_ratio).map_err(Error::by_caller)?;
        }
        if known(HRRY_STATISTICS_VALUE_RANGE) {
            let (min, max, abs_max) = (self.value_min, self.value_max, self.value_abs_max);
            statistics.set_range(ValueRange { min, max, abs_max });
        }
        if known(HRRY_STATISTICS_VALUE_STATS) {
            let (mean, stddev) = (self.value_mean, self.value_stddev);
            statistics.set_spread(ValueSpread { mean, stddev }).map_err(Error::by_caller)?;
        }
        if known(HRRY_STATISTICS_NM_SPARSITY) {
            let (n, m) = (self.nm_n, self.nm_m);
            statistics.set_nm(NmSparsity { n, m }).map_err(Error::by_caller)?;
        }
        if known(HRRY_STATISTICS_NAN_INF) {
            let (has_nan, has_inf) = (self.has_nan != 0, self.has_inf != 0);
            statistics.set_special(SpecialValues { has_nan, has_inf });
        }
        Ok(statistics)
    }
}

/// What a private element type is made of.
///
/// Parameters: `extension_type` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_NOT_FOUND when there is no such section, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_extension_type(
    descriptor: *const hrry_descriptor,
    extension_type: *mut hrry_extension_type,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |d: &Descriptor| d.extension_type().map(hrry_extension_type::of);
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, extension_type, error, "extension type section", ask) }
}

impl hrry_extension_type {
    fn of(section: &ExtensionType) -> Self {
        let mut out = Self {
            struct_size: 0,
            bit_width: section.bit_width(),
            exponent_bias: 0,
            is_float: 0,
            is_signed: 0,
            sign_bits: 0,
            exponent_bits: 0,
            mantissa_bits: 0,
            has_nan: 0,
            has_inf: 0,
            packing_factor: section.packing_factor(),
        };
        match section.format() {
            Format::Integer { is_signed } => out.is_signed = is_signed.into(),
            Format::Float {
                has_sign,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            } => {
                out.is_float = 1;
                out.exponent_bias = exponent_bias;
                out.sign_bits = has_sign.into();
                out.exponent_bits = exponent_bits;
                out.mantissa_bits = mantissa_bits;
                out.has_nan = has_nan.into();
                out.has_inf = has_inf.into();
            }
        }
        out
    }

    /// The section that the caller describes.
    pub(super) fn rust(&self) -> Result<ExtensionType, Failure> {
        let format = match self.is_float {
            0 => Format::Integer { is_signed: self.is_signed != 0 },
            _ => Format::Float {
                has_sign: self.sign_bits != 0,
                exponent_bits: self.exponent_bits,
                mantissa_bits: self.mantissa_bits,
                exponent_bias: self.exponent_bias,
                has_nan: self.has_nan != 0,
                has_inf: self.has_inf != 0,
            },
        };
        Ok(ExtensionType::new(self.bit_width, format).map_err(Error::by_caller)?)
    }
}

/// The role of the tensor in an overlay.
///
/// Returns HRRY_MEMBER_NONE when there is no such section and for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_member_role(
    descriptor: *const hrry_descriptor,
) -> hrry_member_role {
    let ask = |d: &Descriptor| {
        d.member_role().map_or(HRRY_MEMBER_NONE, |role| MemberRole::tag(role).into())
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, HRRY_MEMBER_NONE, ask) }
}
