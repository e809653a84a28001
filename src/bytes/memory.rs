//! Fallible allocation: everything whose size depends on a file or a caller is reserved here, and
//! a refusal is an error, never an abort.
//!
//! `Vec::into_boxed_slice`, `shrink_to_fit`, `clone` and `push` beyond the capacity abort when
//! memory is short; what is reserved here is used as it was reserved.

use super::math;
use crate::error::{Error, ErrorKind, Result};

fn refused<T>(count: usize) -> Error {
    let bytes = math::wide(count).saturating_mul(math::wide(size_of::<T>()));
    Error::new(ErrorKind::Memory { bytes })
}

/// Makes room for `extra` more elements, growing by doubling.
pub fn reserve<T>(vec: &mut Vec<T>, extra: usize) -> Result<()> {
    vec.try_reserve(extra).map_err(|_| refused::<T>(vec.len().saturating_add(extra)))
}

/// An empty vector with room for exactly `capacity` elements.
pub fn vec<T>(capacity: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity).map_err(|_| refused::<T>(capacity))?;
    Ok(vec)
}

/// `count` copies of `value`.
pub fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>> {
    let mut vec = vec(count)?;
    vec.resize(count, value);
    Ok(vec)
}

/// A copy of `values`.
pub fn copy<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut vec = vec(values.len())?;
    vec.extend_from_slice(values);
    Ok(vec)
}

/// A copy of `text`.
pub fn string(text: &str) -> Result<String> {
    let mut string = String::new();
    string.try_reserve_exact(text.len()).map_err(|_| refused::<u8>(text.len()))?;
    string.push_str(text);
    Ok(string)
}

/// Appends one element.
pub fn push<T>(vec: &mut Vec<T>, value: T) -> Result<()> {
    reserve(vec, 1)?;
    vec.push(value);
    Ok(())
}
