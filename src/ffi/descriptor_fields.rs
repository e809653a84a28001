//! Fields of a descriptor.

use std::ptr;

use super::arguments::{Out, Room, Versioned};
use super::descriptor::{descriptor, hrry_descriptor, property};
use super::error::{hrry_error, hrry_status};
use super::guard;
use super::names::{hrry_device, hrry_layout, hrry_scheme, hrry_type};
use crate::ErrorKind;
use crate::bytes::math;

/// flags: there is a quantization section.
pub const HRRY_DESCRIPTOR_HAS_QUANTIZATION: u32 = 1;

/// flags: there is a shard section.
pub const HRRY_DESCRIPTOR_HAS_SHARD: u32 = 2;

/// flags: there is an extension type section.
pub const HRRY_DESCRIPTOR_HAS_EXTENSION_TYPE: u32 = 4;

/// flags: there is a statistics section.
pub const HRRY_DESCRIPTOR_HAS_STATISTICS: u32 = 8;

/// flags: there is a composite member section.
pub const HRRY_DESCRIPTOR_HAS_COMPOSITE_MEMBER: u32 = 16;

/// One entry of a buffer table.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_buffer_entry {
    /// sizeof(hrry_buffer_entry).
    pub struct_size: usize,
    /// Bytes of the buffer.
    pub byte_size: u64,
    /// The alignment of the producer's memory, a power of two.
    pub alignment: u32,
    /// HRRY_DEVICE_*, where the producer kept it.
    pub device: hrry_device,
    /// Bytes 13 to 15 of the entry as they stand there, then a zero; not zero only in what was read
    /// permissive.
    pub reserved: [u8; 4],
    /// Zero.
    pub padding: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_buffer_entry {
    const NAME: &'static str = "hrry_buffer_entry";
    const FIRST: usize = 32;
}

/// The type of the elements as they are stored: HRRY_TYPE_*.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_type(descriptor: *const hrry_descriptor) -> hrry_type {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.element_type().tag().into()) }
}

/// How the elements lie: HRRY_LAYOUT_*.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_layout(descriptor: *const hrry_descriptor) -> hrry_layout {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.layout_tag().into()) }
}

/// How the elements are quantized: HRRY_SCHEME_*, HRRY_SCHEME_NONE when they are not.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_scheme(descriptor: *const hrry_descriptor) -> hrry_scheme {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        property(descriptor, 0, |d| d.quantization().map_or(0, |scheme| scheme.tag().tag().into()))
    }
}

/// How many dimensions there are, 0 to 64.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_rank(descriptor: *const hrry_descriptor) -> u32 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.rank()) }
}

/// The size of each dimension; HRRY_UNKNOWN for a dynamic one.
///
/// Returns `hrry_descriptor_rank` numbers borrowed from the descriptor; NULL for NULL and for rank
/// 0.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_shape(descriptor: *const hrry_descriptor) -> *const u64 {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        property(descriptor, ptr::null(), |d| {
            if d.rank() == 0 { ptr::null() } else { d.shape().as_ptr() }
        })
    }
}

/// Bytes from the start of the first buffer to the first element.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_byte_offset(descriptor: *const hrry_descriptor) -> u64 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.byte_offset()) }
}

/// The flags field, which says what sections there are: HRRY_DESCRIPTOR_HAS_*.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_flags(descriptor: *const hrry_descriptor) -> u32 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.flags()) }
}

/// The minor version that the descriptor was written with; the major version is 1.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_version_minor(descriptor: *const hrry_descriptor) -> u32 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.version_minor().into()) }
}

/// The width of one element in bits: 1, 2, 4, 6 or a multiple of 8.
///
/// Returns 0 for a type that is not known and for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_element_bits(descriptor: *const hrry_descriptor) -> u32 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.element_bits().unwrap_or(0)) }
}

/// How many buffers there are: those of the layout, then those of the quantization scheme. 0 for a
/// composite head, and for a layout that is not known.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_buffer_count(descriptor: *const hrry_descriptor) -> u32 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| u32::try_from(d.buffers().len()).unwrap_or(u32::MAX)) }
}

/// Whether some dimension is dynamic: then nothing is computed from the shape.
///
/// Returns false for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_has_dynamic_dimension(
    descriptor: *const hrry_descriptor,
) -> bool {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, false, |d| d.has_dynamic_dimension()) }
}

/// Whether other tensors hold the elements.
///
/// Returns false for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_is_composite_head(
    descriptor: *const hrry_descriptor,
) -> bool {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, false, |d| d.is_composite_head()) }
}

/// Whether the layout is not known (permissive only): then type, shape and byte_offset were read,
/// and the data is one region without a meaning.
///
/// Returns false for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_is_opaque(descriptor: *const hrry_descriptor) -> bool {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, false, |d| d.is_opaque()) }
}

/// Bytes of memory that the descriptor takes, without the bytes it was read from.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_memory(descriptor: *const hrry_descriptor) -> usize {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(descriptor, 0, |d| d.memory_bytes()) }
}

/// How many elements the tensor has: the product of its shape.
///
/// Parameters: `*out_count` is 0 when the call fails.
/// Status: HRRY_ERROR_RULE when a dimension is dynamic, HRRY_ERROR_OVERFLOW when 64 bits do not
/// hold the product.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_element_count(
    descriptor: *const hrry_descriptor,
    out_count: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_count);
        guard::call(error, || {
            let out = out.needed("out_count")?;
            out.put(self::descriptor(descriptor)?.element_count()?);
            Ok(())
        })
    }
}

/// Bytes that the data takes in a file: from the start of the first buffer to the end of the last,
/// each at a multiple of `alignment`.
///
/// Parameters: `alignment` a power of two; `*out_len` is 0 when the call fails.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_OVERFLOW, HRRY_ERROR_UNSUPPORTED for a layout that is
/// not known.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_data_len(
    descriptor: *const hrry_descriptor,
    alignment: u64,
    out_len: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_len);
        guard::call(error, || {
            let out = out.needed("out_len")?;
            let descriptor = self::descriptor(descriptor)?;
            if !alignment.is_power_of_two() {
                return Err(ErrorKind::Argument { what: "alignment" }.into());
            }
            out.put(descriptor.data_length(alignment)?);
            Ok(())
        })
    }
}

/// One entry of the buffer table.
///
/// Parameters: `index` below `hrry_descriptor_buffer_count`; `entry` is filled in as far as its
/// struct_size goes.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_buffer_at(
    descriptor: *const hrry_descriptor,
    index: u32,
    entry: *mut hrry_buffer_entry,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(entry)?;
            let buffers = self::descriptor(descriptor)?.buffers();
            let buffer = usize::try_from(index).ok().and_then(|index| buffers.get(index));
            let (value, count) = (index.into(), math::wide(buffers.len()));
            let buffer = buffer.ok_or(ErrorKind::Index { what: "buffer", value, count })?;
            let [a, b, c] = buffer.reserved;
            room.fill(&hrry_buffer_entry {
                struct_size: 0,
                byte_size: buffer.byte_size,
                alignment: buffer.alignment,
                device: buffer.device.into(),
                reserved: [a, b, c, 0],
                padding: 0,
            });
            Ok(())
        })
    }
}
