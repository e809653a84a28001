//! Arithmetic in the field of integers modulo the prime 2^61 - 1.
//!
//! An element is a `u64` below the prime; every function takes such elements and gives one.

/// The prime.
pub(super) const PRIME: u64 = u64::MAX >> (u64::BITS - BITS);

const BITS: u32 = 61;

/// The element that the lower 61 bits name. Both 0 and the prime name 0: of random bits, no element
/// is more likely than 2^-60.
pub(super) fn from_bits(bits: u64) -> u64 {
    below_prime(bits & PRIME)
}

pub(super) fn add(a: u64, b: u64) -> u64 {
    below_prime(a.wrapping_add(b))
}

pub(super) fn sub(a: u64, b: u64) -> u64 {
    let difference = a.wrapping_sub(b);
    // A negative difference is a number near 2^64, which the prime brings back.
    difference.min(difference.wrapping_add(PRIME))
}

pub(super) fn mul(a: u64, b: u64) -> u64 {
    let (low, high) = a.carrying_mul(b, 0);
    // 2^61 is 1 here, so the product's bits from 61 up count as they stand.
    let upper = (high << (u64::BITS - BITS)) | (low >> BITS);
    below_prime((low & PRIME).wrapping_add(upper))
}

/// Takes the prime off a number below twice the prime, where it is in there.
fn below_prime(number: u64) -> u64 {
    // Without the prime in there the difference wraps to a number near 2^64.
    number.min(number.wrapping_sub(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_as_the_integers_say() {
        let edges = [0, 1, 2, 3, 1 << 30, 1 << 31, 1 << 60, PRIME / 2, PRIME - 2, PRIME - 1];
        let prime = u128::from(PRIME);
        for a in edges {
            for b in edges {
                let (wide_a, wide_b) = (u128::from(a), u128::from(b));
                assert_eq!(u128::from(add(a, b)), (wide_a + wide_b) % prime);
                assert_eq!(u128::from(sub(a, b)), (wide_a + prime - wide_b) % prime);
                assert_eq!(u128::from(mul(a, b)), wide_a * wide_b % prime, "{a} * {b}");
            }
        }
    }

    #[test]
    fn bits_name_elements() {
        assert_eq!(from_bits(PRIME), 0);
        assert_eq!(from_bits(u64::MAX), 0);
        assert_eq!(from_bits(PRIME - 1), PRIME - 1);
        assert_eq!(from_bits(1 << 61 | 5), 5);
    }
}
