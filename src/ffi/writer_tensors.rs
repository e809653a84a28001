//! Tensors of a writer.

use std::ffi::{c_char, c_void};

use super::arguments;
use super::descriptor::{descriptor, hrry_descriptor};
use super::error::{Failure, hrry_error, hrry_status};
use super::names::hrry_type;
use super::writer::{hrry_writer, write};
use crate::bytes::memory;

/// Bytes that belong to somebody else. 16 bytes where pointers have 8, for the life of the ABI.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_bytes {
    /// The bytes; NULL when there are none.
    pub data: *const c_void,
    /// How many.
    pub len: usize,
}

/// Writes a dense row-major tensor in one call: the common case.
///
/// Parameters: `name_len` bytes at `name`: UTF-8, not empty, not given before; `type` HRRY_TYPE_*;
/// `shape` rank numbers, dimension 0 first; `data_len` bytes at `data`: the elements, packed as the
/// format says, exactly as many as they take (bits behind the last element of a type below a byte
/// are written as 0). All for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_ROOM for a wrong `data_len`, HRRY_ERROR_FORBIDDEN,
/// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_dense(
    writer: *mut hrry_writer,
    name: *const c_char,
    name_len: usize,
    r#type: hrry_type,
    rank: u32,
    shape: *const u64,
    data: *const c_void,
    data_len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let name = arguments::utf8(name, name_len, "name")?;
            let element = arguments::element_type(r#type)?;
            let shape = arguments::shape(shape, rank)?;
            let data = arguments::slice(data.cast(), data_len, "data")?;
            Ok(writer.dense(name, element, shape, data)?)
        })
    }
}

/// The buffers that the caller lends.
///
/// # Safety
/// As the manual asks: `buffers` is NULL or points to `count` of them, and each of them to its
/// bytes, for `'a`.
unsafe fn buffers<'a>(buffers: *const hrry_bytes, count: usize) -> Result<Vec<&'a [u8]>, Failure> {
    // SAFETY: as promised by the caller.
    let given = unsafe { arguments::slice(buffers, count, "buffers") }?;
    let mut taken = memory::vec(given.len())?;
    for buffer in given {
        // SAFETY: as promised by the caller.
        taken.push(unsafe { arguments::slice(buffer.data.cast(), buffer.len, "buffer") }?);
    }
    Ok(taken)
}

/// Writes a tensor of any kind in one call. The head of a composite is announced with its members:
/// `hrry_writer_composite_begin`.
///
/// Parameters: `name` as for `hrry_writer_dense`; `descriptor` yours or borrowed; `count` buffers
/// at `buffers`, in the order of the buffer table and each as long as the descriptor says. All for
/// the call only.
/// Status: HRRY_ERROR_ROOM for buffers of the wrong size or number, HRRY_ERROR_FORBIDDEN,
/// HRRY_ERROR_STATE also for a head that is not announced, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_tensor(
    writer: *mut hrry_writer,
    name: *const c_char,
    name_len: usize,
    descriptor: *const hrry_descriptor,
    buffers: *const hrry_bytes,
    count: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let name = arguments::utf8(name, name_len, "name")?;
            let descriptor = self::descriptor(descriptor)?;
            let buffers = self::buffers(buffers, count)?;
            Ok(writer.tensor(name, descriptor, &buffers)?)
        })
    }
}

/// As `hrry_writer_tensor`, with the descriptor as bytes, which are checked and then written as
/// they are. Also for heads of composites that are not announced, for programs that copy files
/// tensor by tensor: whether its members follow such a head nobody checks.
///
/// Parameters: `descriptor_len` bytes at `descriptor`, what a strict reader accepts; the others as
/// for `hrry_writer_tensor`.
/// Status: HRRY_ERROR_ROOM for buffers of the wrong size or number, HRRY_ERROR_FORBIDDEN,
/// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_tensor_raw(
    writer: *mut hrry_writer,
    name: *const c_char,
    name_len: usize,
    descriptor: *const c_void,
    descriptor_len: usize,
    buffers: *const hrry_bytes,
    count: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let name = arguments::utf8(name, name_len, "name")?;
            let bytes = arguments::slice(descriptor.cast(), descriptor_len, "descriptor")?;
            let buffers = self::buffers(buffers, count)?;
            Ok(writer.tensor_raw(name, bytes, &buffers)?)
        })
    }
}

/// Begins a tensor whose data comes in pieces, by `hrry_writer_write`, until `hrry_writer_end`.
///
/// Parameters: `name` as for `hrry_writer_dense`; `descriptor` yours or borrowed; for the call
/// only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE also for the head of a composite that is not
/// announced, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_begin(
    writer: *mut hrry_writer,
    name: *const c_char,
    name_len: usize,
    descriptor: *const hrry_descriptor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let name = arguments::utf8(name, name_len, "name")?;
            Ok(writer.begin(name, self::descriptor(descriptor)?)?)
        })
    }
}

/// As `hrry_writer_begin`, with the descriptor as bytes, which are checked and then written as they
/// are; heads as for `hrry_writer_tensor_raw`.
///
/// Parameters: `name` as for `hrry_writer_dense`; `descriptor_len` bytes at `descriptor`, what a
/// strict reader accepts; for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_begin_raw(
    writer: *mut hrry_writer,
    name: *const c_char,
    name_len: usize,
    descriptor: *const c_void,
    descriptor_len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let name = arguments::utf8(name, name_len, "name")?;
            let bytes = arguments::slice(descriptor.cast(), descriptor_len, "descriptor")?;
            Ok(writer.begin_raw(name, bytes)?)
        })
    }
}

/// Writes the next bytes of the tensor that was begun. They fill its buffers in order and may run
/// from one into the next; the padding between buffers is the library's.
///
/// Parameters: `data_len` bytes at `data`, for the call only.
/// Status: HRRY_ERROR_RANGE when there is no room for so many (none is taken then),
/// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_write(
    writer: *mut hrry_writer,
    data: *const c_void,
    data_len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            Ok(writer.write(arguments::slice(data.cast(), data_len, "data")?)?)
        })
    }
}

/// Ends the tensor that was begun.
///
/// Status: HRRY_ERROR_FORBIDDEN while bytes of it are missing (they can still come),
/// HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_end(
    writer: *mut hrry_writer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { write(writer, error, |writer| Ok(writer.end()?)) }
}
