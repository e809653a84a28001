//! Builder of descriptors.

use super::arguments::{self, Out};
use super::descriptor::hrry_descriptor;
use super::error::{Failure, hrry_error, hrry_status};
use super::exclusive::Exclusive;
use super::guard;
use super::names::{hrry_device, hrry_type};
use super::quantization::hrry_quantization;
use super::sections::{hrry_extension_type, hrry_member_role, hrry_statistics};
use crate::ErrorKind;
use crate::bytes::math;
use crate::descriptor::{Builder, Device, MemberRole, Shard};

/// Puts a descriptor together: row-major at byte_offset 0 on the CPU with buffers aligned to 64,
/// unless told otherwise. Buffers get the size that they need.
///
/// Whether everything fits together is checked by `hrry_builder_build`, which builds nothing that
/// `hrry_descriptor_decode` would refuse. Belongs to one thread at a time.
pub struct hrry_builder(Exclusive<State>);

struct State {
    builder: Builder,
    rank: u32,
}

/// Changes a builder.
///
/// # Safety
/// As the manual asks of the caller.
pub(super) unsafe fn change(
    builder: *mut hrry_builder,
    error: *mut hrry_error,
    change: impl FnOnce(&mut Builder, usize) -> Result<(), Failure>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        guard::call(error, || {
            arguments::handle(builder, "builder")?.0.with(|state| {
                change(&mut state.builder, math::to_usize(state.rank.into(), "rank")?)
            })
        })
    }
}

/// Makes a builder for a tensor of this type and shape.
///
/// Ownership: `*out_builder` is yours, for `hrry_builder_free`.
/// Parameters: `type` HRRY_TYPE_* or a private tag; `shape` rank numbers, dimension 0 first,
/// HRRY_UNKNOWN for a dynamic one; for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_new(
    r#type: hrry_type,
    rank: u32,
    shape: *const u64,
    out_builder: *mut *mut hrry_builder,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_builder);
        guard::call(error, || {
            let out = out.needed("out_builder")?;
            let element = arguments::element_type(r#type)?;
            let shape = arguments::shape(shape, rank)?;
            let state = State { builder: Builder::new(element, shape)?, rank };
            out.put(Box::into_raw(Box::new(hrry_builder(Exclusive::new(state)))));
            Ok(())
        })
    }
}

/// Frees a builder.
///
/// Parameters: `builder` may be NULL.
/// Threads: any, but nobody may use it at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_free(builder: *mut hrry_builder) {
    if !builder.is_null() {
        // SAFETY: it came from a Box, and the caller gives it back.
        guard::value((), || drop(unsafe { Box::from_raw(builder) }));
    }
}

/// Where in the first buffer the first element stands.
///
/// Parameters: `byte_offset` in bytes.
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_byte_offset(
    builder: *mut hrry_builder,
    byte_offset: u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.byte_offset(byte_offset);
            Ok(())
        })
    }
}

/// Quantized.
///
/// Parameters: `quantization` for the call only; its payload is ignored.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_quantization(
    builder: *mut hrry_builder,
    quantization: *const hrry_quantization,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.quantization(arguments::required(quantization)?.rust()?);
            Ok(())
        })
    }
}

/// A box of a larger tensor.
///
/// Parameters: the shape of the larger tensor and where in it this one begins: rank numbers each;
/// for the call only.
/// Status: HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_shard(
    builder: *mut hrry_builder,
    parent_shape: *const u64,
    shard_offset: *const u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, rank| {
            let parent = arguments::slice(parent_shape, rank, "parent_shape")?;
            let offset = arguments::slice(shard_offset, rank, "shard_offset")?;
            builder.shard(Shard::new(parent, offset)?);
            Ok(())
        })
    }
}

/// With statistics.
///
/// Parameters: `statistics` for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_statistics(
    builder: *mut hrry_builder,
    statistics: *const hrry_statistics,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.statistics(arguments::required(statistics)?.rust()?);
            Ok(())
        })
    }
}

/// With the extension type section that a private type needs.
///
/// Parameters: `extension_type` for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_extension_type(
    builder: *mut hrry_builder,
    extension_type: *const hrry_extension_type,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.extension_type(arguments::required(extension_type)?.rust()?);
            Ok(())
        })
    }
}

/// A member of an overlay.
///
/// Parameters: `role` HRRY_MEMBER_CORRECTION or HRRY_MEMBER_BASE.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_member_role(
    builder: *mut hrry_builder,
    role: hrry_member_role,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            let known = u8::try_from(role).ok().and_then(MemberRole::from_tag);
            let unknown = ErrorKind::Unknown { what: "role", value: role.into() };
            builder.member_role(known.ok_or(unknown)?);
            Ok(())
        })
    }
}

/// The device of all buffers: a record, the data lies in the file all the same.
///
/// Parameters: `device` HRRY_DEVICE_*.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_device(
    builder: *mut hrry_builder,
    device: hrry_device,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            let known = u8::try_from(device).ok().map(Device::from_tag).filter(|d| d.is_valid());
            let unknown = ErrorKind::Unknown { what: "device", value: device.into() };
            builder.device(known.ok_or(unknown)?.tag());
            Ok(())
        })
    }
}

/// The declared alignment of all buffers that are not told their own.
///
/// Parameters: `alignment` in bytes, a power of two.
/// Status: HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_alignment(
    builder: *mut hrry_builder,
    alignment: u32,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.alignment(alignment);
            Ok(())
        })
    }
}

/// The declared alignment of one buffer.
///
/// Parameters: `buffer` by its place in the buffer table; `alignment` in bytes, a power of two.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_buffer_alignment(
    builder: *mut hrry_builder,
    buffer: u32,
    alignment: u32,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.buffer_alignment(place(buffer)?, alignment)?;
            Ok(())
        })
    }
}

/// The size of one buffer. Needed where only the content says it: a block table, the inner levels
/// of CSF, what depends on a dynamic dimension.
///
/// Parameters: `buffer` by its place in the buffer table; `byte_size` in bytes.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_buffer_size(
    builder: *mut hrry_builder,
    buffer: u32,
    byte_size: u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        change(builder, error, |builder, _| {
            builder.buffer_size(place(buffer)?, byte_size)?;
            Ok(())
        })
    }
}

/// A buffer's place in the table, whose count is a byte.
fn place(buffer: u32) -> Result<u8, Failure> {
    let (value, count) = (buffer.into(), u8::MAX.into());
    u8::try_from(buffer).map_err(|_| ErrorKind::Index { what: "buffer", value, count }.into())
}

/// Builds the descriptor. The builder keeps what it was told and can be changed and used again.
///
/// Ownership: `*out_descriptor` is yours, for `hrry_descriptor_free`.
/// Status: HRRY_ERROR_FORBIDDEN when the format does not allow it, HRRY_ERROR_INDEX for a buffer
/// that there is not, HRRY_ERROR_MEMORY, HRRY_ERROR_STATE.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_builder_build(
    builder: *mut hrry_builder,
    out_descriptor: *mut *mut hrry_descriptor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_descriptor);
        change(builder, error, |builder, _| {
            let out = out.needed("out_descriptor")?;
            let descriptor = builder.build()?;
            let bytes = descriptor.encode()?;
            out.put(hrry_descriptor::own(descriptor, bytes));
            Ok(())
        })
    }
}
