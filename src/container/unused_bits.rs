//! The bits behind the last of packed elements (types.md, "Packing below a byte").

use crate::bytes::math;
use crate::descriptor::ElementType;
use crate::error::Result;

/// Packed elements, cut where the last byte, or group of bytes, has bits that belong to none.
pub(super) struct Packed<'a> {
    whole: &'a [u8],
    last: [u8; 4],
    /// Bytes of `last` that count.
    unit: usize,
}

impl<'a> Packed<'a> {
    /// Cuts `data`, which holds the elements of `shape` and nothing else.
    pub(super) fn cut(element_type: ElementType, shape: &[u64], data: &'a [u8]) -> Result<Self> {
        // Bits of an element, bytes of a group, and what counts elements within a group.
        let (bits, unit, within) = match element_type.bits() {
            Some(1) => (1, 1, 0b111),
            Some(2) => (2, 1, 0b11),
            Some(4) => (4, 1, 0b1),
            Some(6) => (6, 3, 0b11),
            _ => return Ok(Self::uncut(data)),
        };
        let beyond = math::product(shape, "element count")? & within;
        if beyond == 0 {
            return Ok(Self::uncut(data));
        }
        let (whole, last) = data.split_at(data.len().saturating_sub(unit));
        let mut word = [0; 4];
        word.iter_mut().zip(last).for_each(|(to, from)| *to = *from);
        let used = u32::try_from(beyond).unwrap_or(0).saturating_mul(bits);
        let unused = u32::MAX.checked_shl(used).unwrap_or(0);
        Ok(Self { whole, last: (u32::from_le_bytes(word) & !unused).to_le_bytes(), unit })
    }

    fn uncut(whole: &'a [u8]) -> Self {
        Self { whole, last: [0; 4], unit: 0 }
    }

    /// The bytes as they are.
    pub(super) fn whole(&self) -> &'a [u8] {
        self.whole
    }

    /// The last few, in which the bits of no element are 0.
    pub(super) fn last(&self) -> &[u8] {
        self.last.get(..self.unit).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleared(name: &str, count: u64, data: &[u8]) -> Vec<u8> {
        let element_type = ElementType::find(name).unwrap();
        let packed = Packed::cut(element_type, &[count], data).unwrap();
        [packed.whole(), packed.last()].concat()
    }

    #[test]
    fn only_what_belongs_to_no_element() {
        assert_eq!(cleared("bool", 5, &[0xFF]), [0x1F]);
        assert_eq!(cleared("bool", 16, &[0xFF, 0xFF]), [0xFF, 0xFF]);
        assert_eq!(cleared("bool", 9, &[0xFF, 0xFF]), [0xFF, 0x01]);
        assert_eq!(cleared("int2", 3, &[0xFF]), [0x3F]);
        assert_eq!(cleared("uint4", 3, &[0xC5, 0xF3]), [0xC5, 0x03]);
        assert_eq!(cleared("float6_e2m3", 1, &[0xFF; 3]), [0x3F, 0, 0]);
        assert_eq!(cleared("float6_e2m3", 4, &[0xFF; 3]), [0xFF; 3]);
        assert_eq!(cleared("float6_e3m2", 7, &[0xFF; 6]), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03]);
        assert_eq!(cleared("float16", 1, &[0xFF; 2]), [0xFF; 2]);
        assert_eq!(cleared("bool", 0, &[]), []);
    }
}
