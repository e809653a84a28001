//! Values of keys.

use std::ffi::{c_char, c_void};

use super::arguments::{self, Empty, Out, OutBytes};
use super::error::{hrry_error, hrry_status};
use super::guard;
use super::kv::{entry, hrry_kv};
use crate::bytes::math;
use crate::container::KvEntry;
use crate::{Error, ErrorKind, Result};

/// A text, or opaque bytes, that belong to somebody else. 16 bytes where pointers have 8, for the
/// life of the ABI.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_text {
    /// The bytes; no zero byte at the end.
    pub data: *const c_char,
    /// How many.
    pub len: usize,
}

/// A fallible getter of one value.
///
/// # Safety
/// As for `entry`; `out` is NULL or may be written to, and so is `error`.
unsafe fn get<T: Empty>(
    kv: *const hrry_kv,
    out: *mut T,
    error: *mut hrry_error,
    ask: impl FnOnce(KvEntry) -> Result<T>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        let out = Out::at(out);
        guard::call(error, || {
            let out = out.needed("out_value")?;
            out.put(ask(entry(kv)?)?);
            Ok(())
        })
    }
}

/// A fallible getter of something that is lent.
///
/// # Safety
/// As for `get`.
unsafe fn lend<T>(
    kv: *const hrry_kv,
    out: (*mut *const T, *mut usize),
    error: *mut hrry_error,
    ask: impl for<'a> FnOnce(KvEntry<'a>) -> Result<&'a [u8]>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        let out = OutBytes::at(out.0, out.1);
        guard::call(error, || {
            let out = out.needed("out_data", "out_len")?;
            out.put(ask(entry(kv)?)?);
            Ok(())
        })
    }
}

/// An entry whose value is no array.
fn scalar(entry: KvEntry<'_>) -> Result<KvEntry<'_>> {
    if entry.is_array() {
        let kind = ErrorKind::WrongType { wanted: "a single value", found: entry.type_name() };
        return Err(Error::new(kind));
    }
    Ok(entry)
}

/// The text that is the value.
///
/// Ownership: `*out_data` is borrowed from the file.
/// Status: HRRY_ERROR_TYPE (of an array, too).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_string(
    kv: *const hrry_kv,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    let out = (out_data, out_len);
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(kv, out, error, |entry| scalar(entry)?.string(0).map(str::as_bytes)) }
}

/// The signed number that is the value.
///
/// Status: HRRY_ERROR_TYPE (of an array, too).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_i64(
    kv: *const hrry_kv,
    out_value: *mut i64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| scalar(entry)?.i64(0)) }
}

/// The unsigned number that is the value.
///
/// Status: HRRY_ERROR_TYPE (of an array, too).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_u64(
    kv: *const hrry_kv,
    out_value: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| scalar(entry)?.u64(0)) }
}

/// The float that is the value.
///
/// Status: HRRY_ERROR_TYPE (of an array, too).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_f64(
    kv: *const hrry_kv,
    out_value: *mut f64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| scalar(entry)?.f64(0)) }
}

/// The truth value that is the value.
///
/// Status: HRRY_ERROR_TYPE (of an array, too).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_bool(
    kv: *const hrry_kv,
    out_value: *mut bool,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| scalar(entry)?.bool(0)) }
}

/// The opaque bytes that are the value.
///
/// Ownership: `*out_data` is borrowed from the file.
/// Status: HRRY_ERROR_TYPE (of an array, too).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_bytes(
    kv: *const hrry_kv,
    out_data: *mut *const c_void,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    let out = (out_data, out_len);
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(kv, out, error, |entry| scalar(entry)?.bytes(0)) }
}

/// The text at place `index` of an array; place 0 is the value of what is no array.
///
/// Ownership: `*out_data` is borrowed from the file.
/// Parameters: `index` below `hrry_kv_count`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_string_at(
    kv: *const hrry_kv,
    index: u64,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    let out = (out_data, out_len);
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(kv, out, error, |entry| entry.string(index).map(str::as_bytes)) }
}

/// The signed number at place `index` of an array; place 0 is the value of what is no array.
///
/// Parameters: `index` below `hrry_kv_count`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_i64_at(
    kv: *const hrry_kv,
    index: u64,
    out_value: *mut i64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| entry.i64(index)) }
}

/// The unsigned number at place `index` of an array; place 0 is the value of what is no array.
///
/// Parameters: `index` below `hrry_kv_count`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_u64_at(
    kv: *const hrry_kv,
    index: u64,
    out_value: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| entry.u64(index)) }
}

/// The float at place `index` of an array; place 0 is the value of what is no array.
///
/// Parameters: `index` below `hrry_kv_count`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_f64_at(
    kv: *const hrry_kv,
    index: u64,
    out_value: *mut f64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| entry.f64(index)) }
}

/// The truth value at place `index` of an array; place 0 is the value of what is no array.
///
/// Parameters: `index` below `hrry_kv_count`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_bool_at(
    kv: *const hrry_kv,
    index: u64,
    out_value: *mut bool,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { get(kv, out_value, error, |entry| entry.bool(index)) }
}

/// The opaque bytes at place `index` of an array; place 0 is the value of what is no array.
///
/// Ownership: `*out_data` is borrowed from the file.
/// Parameters: `index` below `hrry_kv_count`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_bytes_at(
    kv: *const hrry_kv,
    index: u64,
    out_data: *mut *const c_void,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    let out = (out_data, out_len);
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(kv, out, error, |entry| entry.bytes(index)) }
}

/// The elements as they stand in the file: back to back, little-endian, not aligned; texts and
/// bytes each behind their length, a u32. Of a value that is no array, the value.
///
/// Ownership: `*out_data` is borrowed from the file.
/// Status: HRRY_ERROR_ARGUMENT for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_data(
    kv: *const hrry_kv,
    out_data: *mut *const c_void,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(kv, (out_data, out_len), error, |entry| Ok(entry.data())) }
}

/// Many elements of an array of texts or of bytes at once.
///
/// Ownership: what `out_texts` then points to is borrowed from the file.
/// Parameters: `count` elements from place `first` on go to the `count` structs at `out_texts`.
/// Status: HRRY_ERROR_TYPE, HRRY_ERROR_RANGE when they are not all there; nothing is written then.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_strings(
    kv: *const hrry_kv,
    first: u64,
    count: usize,
    out_texts: *mut hrry_text,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let entry = entry(kv)?;
            let out = arguments::slice_mut(out_texts, count, "out_texts")?;
            let (length, size) = (math::wide(count), entry.count());
            let values = entry.long_values(first.min(size))?;
            if !math::fits(first, length, size) {
                let what = "the array";
                return Err(ErrorKind::Range { what, offset: first, length, size }.into());
            }
            for (text, value) in out.iter_mut().zip(values) {
                *text = hrry_text { data: value.as_ptr().cast(), len: value.len() };
            }
            Ok(())
        })
    }
}
