//! Key-value section.

use std::ffi::{c_char, c_void};

use super::arguments::{self, Empty, Out, OutBytes};
use super::error::{Failure, hrry_error, hrry_status};
use super::file::hrry_file;
use super::guard;
use crate::bytes::{math, memory};
use crate::container::{Kv, KvEntry};
use crate::{ErrorKind, Result};

/// One entry of a file's key-value section, borrowed from the file.
pub struct hrry_kv {
    section: *const Kv,
    position: u64,
}

// SAFETY: the section is immutable and outlives its handles, which lie in the same hrry_file.
unsafe impl Send for hrry_kv {}
// SAFETY: as above.
unsafe impl Sync for hrry_kv {}

/// The type of a value: value_tag, as the format has it.
pub type hrry_value_type = u32;
/// UTF-8 text.
pub const HRRY_VALUE_STRING: hrry_value_type = 0x01;
/// A signed 64-bit number.
pub const HRRY_VALUE_I64: hrry_value_type = 0x02;
/// An unsigned 64-bit number.
pub const HRRY_VALUE_U64: hrry_value_type = 0x03;
/// A 64-bit float.
pub const HRRY_VALUE_F64: hrry_value_type = 0x04;
/// True or false.
pub const HRRY_VALUE_BOOL: hrry_value_type = 0x05;
/// Opaque bytes.
pub const HRRY_VALUE_BYTES: hrry_value_type = 0x06;
/// An array of one of the others.
pub const HRRY_VALUE_ARRAY: hrry_value_type = 0x07;

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

impl hrry_kv {
    /// A handle for each entry.
    pub(super) fn handles(section: &Kv) -> Result<Vec<Self>> {
        let count = section.len();
        let mut handles = memory::vec(math::to_usize(count, "kv_count")?)?;
        handles.extend((0..count).map(|position| Self { section, position }));
        Ok(handles)
    }

    fn entry(&self) -> Option<KvEntry<'_>> {
        // SAFETY: the section outlives its handles.
        unsafe { &*self.section }.get(self.position)
    }
}

/// # Safety
/// `kv` is NULL or was given out by a file that is open for `'a`.
unsafe fn entry<'a>(kv: *const hrry_kv) -> Result<KvEntry<'a>, Failure> {
    // SAFETY: as promised by the caller.
    let kv = unsafe { arguments::handle(kv, "kv") }?;
    kv.entry().ok_or(Failure::Plain(ErrorKind::Internal { what: "a key that its file lacks" }))
}

/// What `ask` says of an entry, or `none` for NULL.
///
/// # Safety
/// As for `entry`.
unsafe fn property<T: Copy>(kv: *const hrry_kv, none: T, ask: impl FnOnce(KvEntry) -> T) -> T {
    // SAFETY: as promised by the caller.
    guard::value(none, || unsafe { entry(kv) }.map_or(none, ask))
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
        return Err(crate::Error::new(kind));
    }
    Ok(entry)
}

/// How many entries the key-value section has; 0 when there is none.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_kv_count(file: *const hrry_file) -> u64 {
    // SAFETY: the manual says what the caller owes.
    let file = unsafe { file.as_ref() };
    guard::value(0, || file.map_or(0, |file| file.rust().kv().len()))
}

/// An entry by its place in the section.
///
/// Ownership: `*out_kv` is borrowed from the file.
/// Parameters: `index` below `hrry_file_kv_count`.
/// Status: HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_kv_at(
    file: *const hrry_file,
    index: u64,
    out_kv: *mut *const hrry_kv,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_kv);
        guard::call(error, || {
            let out = out.needed("out_kv")?;
            out.put(arguments::handle(file, "file")?.kv(index)?);
            Ok(())
        })
    }
}

/// An entry by its key.
///
/// Ownership: `*out_kv` is borrowed from the file.
/// Parameters: `key_len` bytes at `key`, for the call only.
/// Status: HRRY_ERROR_NOT_FOUND.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_kv_find(
    file: *const hrry_file,
    key: *const c_char,
    key_len: usize,
    out_kv: *mut *const hrry_kv,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_kv);
        guard::call(error, || {
            let out = out.needed("out_kv")?;
            let file = arguments::handle(file, "file")?;
            let key = arguments::slice(key.cast(), key_len, "key")?;
            let found = file.rust().kv().find(key).ok_or(ErrorKind::NotFound { what: "key" })?;
            out.put(file.kv(found)?);
            Ok(())
        })
    }
}

/// The key.
///
/// Returns a text borrowed from the file, its length in `*out_len`; no zero byte at its end. NULL
/// for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_key(kv: *const hrry_kv, out_len: *mut usize) -> *const c_char {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_len);
        property(kv, std::ptr::null(), |entry| {
            out.put(entry.key().len());
            entry.key().as_ptr().cast()
        })
    }
}

/// The type of the value.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_type(kv: *const hrry_kv) -> hrry_value_type {
    let kind = |entry: KvEntry<'_>| match entry.is_array() {
        true => HRRY_VALUE_ARRAY,
        false => entry.kind().tag().into(),
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { property(kv, 0, kind) }
}

/// The type of the elements of an array; that of the value when it is none.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_element_type(kv: *const hrry_kv) -> hrry_value_type {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(kv, 0, |entry| entry.kind().tag().into()) }
}

/// How many elements an array has; 1 for a value that is none.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_kv_count(kv: *const hrry_kv) -> u64 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(kv, 0, |entry| entry.count()) }
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

/// The opaque bytes that is the value.
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
/// Status: only HRRY_ERROR_ARGUMENT.
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
