//! Elements below a byte, packed as the format packs them (types.md): a stream of bits, the lowest
//! first.

/// Packs elements that come one a byte.
pub(super) struct Packing {
    bits: u32,
    held: u32,
    /// Bits that are held.
    count: u32,
    /// Bytes written.
    written: usize,
}

impl Packing {
    /// Of elements of 1, 2, 4 or 6 bits.
    pub(super) fn new(bits: u32) -> Self {
        Self { bits, held: 0, count: 0, written: 0 }
    }

    /// Packs more; bits above an element's own are ignored.
    pub(super) fn put(&mut self, elements: &[u8], out: &mut Vec<u8>) {
        let mask = (1 << self.bits) - 1;
        for &element in elements {
            self.held |= (u32::from(element) & mask) << self.count;
            self.count += self.bits;
            if self.count >= 8 {
                self.byte(out);
            }
        }
    }

    /// Fills the last byte up; of 6 bits the last group of three.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        while self.count > 0 {
            self.byte(out);
        }
        while self.bits == 6 && !self.written.is_multiple_of(3) {
            self.byte(out);
        }
    }

    fn byte(&mut self, out: &mut Vec<u8>) {
        let [low, ..] = self.held.to_le_bytes();
        out.push(low);
        self.held >>= 8;
        self.count = self.count.saturating_sub(8);
        self.written += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bits: u32, elements: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut packing = Packing::new(bits);
        for element in elements.chunks(3) {
            packing.put(element, &mut out);
        }
        packing.finish(&mut out);
        out
    }

    #[test]
    fn the_lowest_bits_first() {
        assert_eq!(packed(4, &[1, 2, 0xFF]), [0x21, 0x0F]);
        assert_eq!(packed(2, &[1, 2, 3, 0, 0xFE]), [0b0011_1001, 0b10]);
        assert_eq!(packed(1, &[1, 0, 0, 0, 0, 0, 0, 1, 1]), [0x81, 1]);
        // Element 1 lies in bits 6 to 11 of a group of three bytes.
        assert_eq!(packed(6, &[0, 0x3F]), [0xC0, 0x0F, 0]);
        assert_eq!(packed(6, &[1, 0, 0, 0x20, 5]), [1, 0, 0x80, 5, 0, 0]);
        assert!(packed(6, &[]).is_empty());
    }
}
