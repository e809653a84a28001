//! AES-128 of a dimension and a coordinate, on processors that have its rounds.

#![allow(unsafe_code, reason = "instructions that not every processor has")]

use std::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_aeskeygenassist_si128, _mm_cvtsi128_si64,
    _mm_set_epi64x, _mm_shuffle_epi32, _mm_slli_si128, _mm_xor_si128,
};

/// The function under one key. There is one only where the processor has the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Aes {
    round_keys: [__m128i; 11],
}

impl Aes {
    /// The function, if this processor can run it.
    pub(super) fn new(key: [u64; 2]) -> Option<Self> {
        if !is_x86_feature_detected!("aes") {
            return None;
        }
        // SAFETY: the processor has the instructions, as was just found.
        Some(Self { round_keys: unsafe { expand(key) } })
    }

    /// Replaces every coordinate by the lower half of the block that dimension (upper half) and
    /// coordinate (lower half) are encrypted to.
    pub(super) fn fill(&self, dimension: u64, coordinates: &mut [u64]) {
        // SAFETY: `new` makes a value of this type only where the processor has the instructions.
        unsafe { encrypt(&self.round_keys, dimension, coordinates) }
    }
}

#[target_feature(enable = "aes")]
fn expand([low, high]: [u64; 2]) -> [__m128i; 11] {
    macro_rules! expand {
        ($first:expr, $($constant:literal)*) => {{
            let key = $first;
            let mut last = key;
            [key, $({
                let assist = _mm_aeskeygenassist_si128::<$constant>(last);
                last = next(last, assist);
                last
            }),*]
        }};
    }
    let first = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
    expand!(first, 0x01 0x02 0x04 0x08 0x10 0x20 0x40 0x80 0x1b 0x36)
}

#[target_feature(enable = "aes")]
fn next(key: __m128i, assist: __m128i) -> __m128i {
    let word = _mm_shuffle_epi32::<0xff>(assist);
    let key = _mm_xor_si128(key, _mm_slli_si128::<4>(key));
    let key = _mm_xor_si128(key, _mm_slli_si128::<8>(key));
    _mm_xor_si128(key, word)
}

#[target_feature(enable = "aes")]
fn encrypt(round_keys: &[__m128i; 11], dimension: u64, coordinates: &mut [u64]) {
    // A round takes several cycles, but two or more can start in each: so many blocks at a time.
    let (eights, rest) = coordinates.as_chunks_mut::<8>();
    for eight in eights {
        encrypt_together(round_keys, dimension, eight);
    }
    for one in rest {
        encrypt_together(round_keys, dimension, std::array::from_mut(one));
    }
}

#[target_feature(enable = "aes")]
#[inline]
fn encrypt_together<const N: usize>(
    round_keys: &[__m128i; 11],
    dimension: u64,
    values: &mut [u64; N],
) {
    let [first, middle @ .., last] = round_keys;
    let mut blocks = [*first; N];
    for (block, &mut value) in blocks.iter_mut().zip(&mut *values) {
        let text = _mm_set_epi64x(dimension.cast_signed(), value.cast_signed());
        *block = _mm_xor_si128(*block, text);
    }
    for key in middle {
        for block in &mut blocks {
            *block = _mm_aesenc_si128(*block, *key);
        }
    }
    for (block, value) in blocks.into_iter().zip(values) {
        *value = _mm_cvtsi128_si64(_mm_aesenclast_si128(block, *last)).cast_unsigned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_value() {
        // FIPS 197, appendix C.1. Blocks and keys are strings of bytes there.
        let words = |text: u128| {
            let bytes = text.to_be_bytes();
            let word = |k: usize| u64::from_le_bytes(bytes[k..k + 8].try_into().unwrap());
            [word(0), word(8)]
        };
        let Some(aes) = Aes::new(words(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)) else {
            return;
        };
        let [low, high] = words(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff);
        let [wanted, _] = words(0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a);
        // Through the loop of eight and through the rest.
        let mut values = [low; 9];
        aes.fill(high, &mut values);
        assert_eq!(values, [wanted; 9]);
    }
}
