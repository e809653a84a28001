//! Keys of a writer.

use std::ffi::{c_char, c_void};

use super::arguments;
use super::error::{Failure, hrry_error, hrry_status};
use super::kv::{
    HRRY_VALUE_BOOL, HRRY_VALUE_BYTES, HRRY_VALUE_F64, HRRY_VALUE_I64, HRRY_VALUE_STRING,
    HRRY_VALUE_U64, hrry_value_type,
};
use super::kv_values::hrry_text;
use super::writer::{hrry_writer, write};
use crate::ErrorKind;
use crate::bytes::memory;
use crate::container::KvValue;

/// Adds a text to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `len` bytes of UTF-8
/// at `data`; all for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_string(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    data: *const c_char,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            let text = arguments::utf8(data, len, "data")?;
            Ok(writer.kv(key, KvValue::String(text))?)
        })
    }
}

/// Adds a signed number to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` as it is; all
/// for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_i64(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    value: i64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            Ok(writer.kv(key, KvValue::I64(value))?)
        })
    }
}

/// Adds an unsigned number to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` as it is; all
/// for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_u64(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    value: u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            Ok(writer.kv(key, KvValue::U64(value))?)
        })
    }
}

/// Adds a float to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` with its bits;
/// all for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_f64(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    value: f64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            Ok(writer.kv(key, KvValue::F64(value))?)
        })
    }
}

/// Adds a truth value to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `value` true or false;
/// all for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_bool(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    value: bool,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            Ok(writer.kv(key, KvValue::Bool(value))?)
        })
    }
}

/// Adds opaque bytes to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `len` bytes at `data`;
/// all for the call only.
/// Status: HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_bytes(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    data: *const c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            let bytes = arguments::slice(data.cast(), len, "data")?;
            Ok(writer.kv(key, KvValue::Bytes(bytes))?)
        })
    }
}

/// Adds an array to the key-value section. Only before the first tensor.
///
/// Parameters: `key_len` bytes at `key`: UTF-8, not empty, not given before; `count` elements at
/// `elements`: hrry_text for HRRY_VALUE_STRING and HRRY_VALUE_BYTES, else int64_t, uint64_t, double
/// or bool; all for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_STATE, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_kv_array(
    writer: *mut hrry_writer,
    key: *const c_char,
    key_len: usize,
    element_type: hrry_value_type,
    elements: *const c_void,
    count: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let key = arguments::utf8(key, key_len, "key")?;
            array(element_type, elements, count, |value| Ok(writer.kv(key, value)?))
        })
    }
}

/// Hands the array that the caller describes to `put`.
///
/// # Safety
/// As the manual asks: `elements` is NULL or points to `count` of what the type says.
unsafe fn array(
    element_type: hrry_value_type,
    elements: *const c_void,
    count: usize,
    put: impl FnOnce(KvValue<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    const WHAT: &str = "elements";
    // SAFETY: as promised by the caller.
    unsafe {
        match element_type {
            HRRY_VALUE_I64 => put(KvValue::I64s(arguments::slice(elements.cast(), count, WHAT)?)),
            HRRY_VALUE_U64 => put(KvValue::U64s(arguments::slice(elements.cast(), count, WHAT)?)),
            HRRY_VALUE_F64 => put(KvValue::F64s(arguments::slice(elements.cast(), count, WHAT)?)),
            HRRY_VALUE_BOOL => {
                let given: &[u8] = arguments::slice(elements.cast(), count, WHAT)?;
                let mut values = memory::vec(given.len())?;
                values.extend(given.iter().map(|&byte| byte != 0));
                put(KvValue::Bools(&values))
            }
            HRRY_VALUE_STRING => {
                let given: &[hrry_text] = arguments::slice(elements.cast(), count, WHAT)?;
                let mut values = memory::vec(given.len())?;
                for text in given {
                    values.push(arguments::utf8(text.data, text.len, "element")?);
                }
                put(KvValue::Strings(&values))
            }
            HRRY_VALUE_BYTES => {
                let given: &[hrry_text] = arguments::slice(elements.cast(), count, WHAT)?;
                let mut values = memory::vec(given.len())?;
                for bytes in given {
                    values.push(arguments::slice(bytes.data.cast(), bytes.len, "element")?);
                }
                put(KvValue::ByteStrings(&values))
            }
            value => Err(ErrorKind::Unknown { what: "element_type", value: value.into() }.into()),
        }
    }
}
