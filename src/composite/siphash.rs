//! SipHash-2-4 of a dimension and a coordinate: the random function that every processor can run.
//!
//! Of those two words and nothing else: a message that always has two words needs no third that
//! tells its length.

/// The function under one key.
#[derive(Clone, Copy)]
pub(crate) struct SipHash(State);

#[derive(Clone, Copy)]
struct State([u64; 4]);

impl SipHash {
    pub(super) fn new(key: [u64; 2]) -> Self {
        let [k0, k1] = key;
        Self(State([
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ]))
    }

    /// Replaces every coordinate by the hash of the two words, dimension and coordinate.
    pub(super) fn fill(&self, dimension: u64, coordinates: &mut [u64]) {
        let prefix = self.0.absorb(dimension);
        for value in coordinates {
            *value = prefix.absorb(*value).finish();
        }
    }
}

impl State {
    #[inline(always)]
    fn absorb(self, word: u64) -> Self {
        let Self([a, b, c, d]) = self;
        let Self([a, b, c, d]) = Self([a, b, c, d ^ word]).round().round();
        Self([a ^ word, b, c, d])
    }

    #[inline(always)]
    fn finish(self) -> u64 {
        let Self([a, b, c, d]) = self;
        let Self([a, b, c, d]) = Self([a, b, c ^ 0xff, d]).round().round().round().round();
        a ^ b ^ c ^ d
    }

    #[inline(always)]
    fn round(self) -> Self {
        let Self([a, b, c, d]) = self;
        let a = a.wrapping_add(b);
        let b = b.rotate_left(13) ^ a;
        let a = a.rotate_left(32);
        let c = c.wrapping_add(d);
        let d = d.rotate_left(16) ^ c;
        let a = a.wrapping_add(d);
        let d = d.rotate_left(21) ^ a;
        let c = c.wrapping_add(b);
        let b = b.rotate_left(17) ^ c;
        Self([a, b, c.rotate_left(32), d])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_value() {
        // The reference implementation's vector for the 8 bytes 00 01 .. 07 under the key 00 01
        // .. 0f. Its second word is the length, in the last byte.
        let mut value = [8 << 56];
        SipHash::new([0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908])
            .fill(0x0706_0504_0302_0100, &mut value);
        assert_eq!(value, [0x93f5_f579_9a93_2462]);
    }
}
