//! Key-value section.

use std::ffi::c_char;

use super::arguments::{self, Out};
use super::error::{Failure, hrry_error, hrry_status, not_found};
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
pub(super) unsafe fn entry<'a>(kv: *const hrry_kv) -> Result<KvEntry<'a>, Failure> {
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
            let found = file.rust().kv().find(key);
            let found = found.ok_or_else(|| not_found("key", key, error))?;
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
