//! Sections of a descriptor.

use super::arguments::{self, Room, Versioned};
use super::descriptor::{descriptor, hrry_descriptor, property};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use crate::descriptor::{
    Descriptor, ExtensionType, Format, MemberRole, NmSparsity, SpecialValues, Statistics,
    ValueRange, ValueSpread,
};
use crate::{Error, ErrorKind};

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
pub(super) unsafe fn get<T: Versioned>(
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
            room.fill(&found.ok_or(ErrorKind::Absent { what })?);
            Ok(())
        })
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
    pub(super) fn of(statistics: &Statistics) -> Self {
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
