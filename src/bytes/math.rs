//! The one place where sizes and offsets are added, multiplied, aligned and converted.
//!
//! Every function names the quantity it computes (`what`), so that an overflow says which.

use crate::error::{Error, ErrorKind, Result};

#[cold]
fn overflow(what: &'static str) -> Error {
    Error::new(ErrorKind::Overflow { what })
}

/// `a + b`, or an error that names the sum.
pub fn add(a: u64, b: u64, what: &'static str) -> Result<u64> {
    a.checked_add(b).ok_or_else(|| overflow(what))
}

/// `a - b`, or an error when b is larger.
pub fn sub(a: u64, b: u64, what: &'static str) -> Result<u64> {
    a.checked_sub(b).ok_or_else(|| overflow(what))
}

/// `a * b`, or an error that names the product.
pub fn mul(a: u64, b: u64, what: &'static str) -> Result<u64> {
    a.checked_mul(b).ok_or_else(|| overflow(what))
}

/// `base + stride * count`, which is not negative, or an error that names the sum.
pub fn step(base: u64, stride: i64, count: u64, what: &'static str) -> Result<u64> {
    let reach = mul(stride.unsigned_abs(), count, what)?;
    if stride < 0 { sub(base, reach, what) } else { add(base, reach, what) }
}

/// The product of all factors; 1 for none.
///
/// A factor of 0 makes the product 0 even where the other factors alone would overflow
/// (decisions.md row 53).
pub fn product(factors: &[u64], what: &'static str) -> Result<u64> {
    match factors.iter().try_fold(1u64, |product, &factor| product.checked_mul(factor)) {
        Some(product) => Ok(product),
        None if factors.contains(&0) => Ok(0),
        None => Err(overflow(what)),
    }
}

/// `ceil(a / b)`; b is not 0.
pub const fn div_ceil(a: u64, b: u64) -> u64 {
    debug_assert!(b != 0);
    if b == 0 { 0 } else { a.div_ceil(b) }
}

/// `floor(a / b)`; b is not 0.
pub const fn div(a: u64, b: u64) -> u64 {
    debug_assert!(b != 0);
    match a.checked_div(b) {
        Some(quotient) => quotient,
        None => 0,
    }
}

/// `a - b * floor(a / b)`; b is not 0.
pub const fn rem(a: u64, b: u64) -> u64 {
    debug_assert!(b != 0);
    match a.checked_rem(b) {
        Some(remainder) => remainder,
        None => 0,
    }
}

/// The smallest multiple of `alignment`, a power of two, that is at least `offset`.
pub fn align_up(offset: u64, alignment: u64, what: &'static str) -> Result<u64> {
    debug_assert!(alignment.is_power_of_two());
    let mask = alignment.wrapping_sub(1);
    Ok(add(offset, mask, what)? & !mask)
}

/// Whether `offset` is a multiple of `alignment`, a power of two.
pub fn is_aligned(offset: u64, alignment: u64) -> bool {
    offset & alignment.wrapping_sub(1) == 0
}

/// Whether `[offset, offset + length)` lies inside `[0, limit)`, computed without wrapping.
pub fn fits(offset: u64, length: u64, limit: u64) -> bool {
    offset.checked_add(length).is_some_and(|end| end <= limit)
}

/// A size in memory as a size on disk. Never loses anything: `usize` has at most 64 bits.
#[allow(clippy::as_conversions)]
pub const fn wide(size: usize) -> u64 {
    size as u64
}

/// A size on disk as a size in memory, or an error where the address space is smaller.
pub fn to_usize(size: u64, what: &'static str) -> Result<usize> {
    usize::try_from(size).map_err(|_| overflow(what))
}

/// Bytes that `count` contiguous elements of `bits` bits take (types.md, Sizes): whole bytes at 8
/// bits and above, the last byte filled up below, and whole groups of four for 6 bits. No type has
/// another width below 8 than 1, 2, 4 and 6.
pub fn packed_size(count: u64, bits: u32, what: &'static str) -> Result<u64> {
    match bits {
        1 => Ok(div_ceil(count, 8)),
        2 => Ok(div_ceil(count, 4)),
        4 => Ok(div_ceil(count, 2)),
        6 => mul(div_ceil(count, 4), 3, what),
        _ => mul(count, u64::from(bits / 8), what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_hides_what_would_overflow() {
        assert_eq!(product(&[0, 1 << 40, 1 << 40], "elements").unwrap(), 0);
        assert_eq!(product(&[], "elements").unwrap(), 1);
        let error = product(&[1 << 40, 1 << 40], "elements").unwrap_err();
        assert_eq!(error.to_string(), "elements does not fit 64 bits");
    }

    #[test]
    fn steps_up_and_down() {
        assert_eq!(step(10, -3, 3, "x").unwrap(), 1);
        assert!(step(10, -3, 4, "x").is_err());
        assert_eq!(step(10, 3, 4, "x").unwrap(), 22);
        assert_eq!(step(u64::MAX, i64::MIN, 1, "x").unwrap(), i64::MAX as u64);
        assert!(step(1, i64::MAX, 3, "x").is_err());
    }

    #[test]
    fn alignment_at_the_end_of_the_range() {
        assert_eq!(align_up(0, 4096, "x").unwrap(), 0);
        assert_eq!(align_up(1, 4096, "x").unwrap(), 4096);
        assert_eq!(align_up(4096, 4096, "x").unwrap(), 4096);
        assert!(align_up(u64::MAX, 8, "x").is_err());
        assert_eq!(align_up(u64::MAX - 7, 8, "x").unwrap(), u64::MAX - 7);
    }

    #[test]
    fn ranges_do_not_wrap() {
        assert!(fits(8, 2, 10));
        assert!(!fits(8, 3, 10));
        assert!(!fits(u64::MAX, 2, 10));
        assert!(fits(10, 0, 10));
    }

    #[test]
    fn packed_sizes_of_every_width() {
        // types.md: 6-bit elements take whole groups of three bytes.
        assert_eq!(packed_size(1, 6, "x").unwrap(), 3);
        assert_eq!(packed_size(5, 6, "x").unwrap(), 6);
        assert_eq!(packed_size(5, 1, "x").unwrap(), 1);
        assert_eq!(packed_size(9, 1, "x").unwrap(), 2);
        assert_eq!(packed_size(3, 4, "x").unwrap(), 2);
        assert_eq!(packed_size(5, 2, "x").unwrap(), 2);
        assert_eq!(packed_size(3, 128, "x").unwrap(), 48);
        assert_eq!(packed_size(0, 6, "x").unwrap(), 0);
        assert!(packed_size(u64::MAX, 16, "x").is_err());
        assert_eq!(packed_size(u64::MAX, 1, "x").unwrap(), 1 << 61);
    }
}
