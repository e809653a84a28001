//! Morton (layouts.md, Morton): the bits of the coordinates interleaved.

use super::{Fields, Need, Rules};
use crate::bytes::{Cursor, Few, Sink, math};
use crate::descriptor::facts::Facts;
use crate::descriptor::{DYNAMIC, Mode};
use crate::error::{Error, ErrorKind, Result};

/// Bits that all codes must fit.
const MAX_BITS: u64 = 63;

/// The Morton layout.
#[derive(Debug, PartialEq, Eq)]
pub struct Morton {
    bits: Few<u32, 4>,
}

impl Morton {
    /// Bits of the coordinate of every dimension.
    pub fn new(bits: &[u32]) -> Result<Self> {
        Ok(Self { bits: Few::copy(bits)? })
    }

    /// `morton_bits`, one number a dimension.
    pub fn bits(&self) -> &[u32] {
        &self.bits
    }
}

/// The code of a coordinate: bit b of dimension k goes to bit b * rank + k. `None` when it needs
/// more than 63 bits.
pub(crate) fn code(coordinate: impl ExactSizeIterator<Item = u64>) -> Option<u64> {
    let rank = u32::try_from(coordinate.len()).ok()?;
    (0..).zip(coordinate).try_fold(0, |code, (k, number)| Some(code | spread(number, rank, k)?))
}

/// What dimension `k` of `rank` adds to a code. `None` when it needs more than 63 bits.
pub(crate) fn spread(number: u64, rank: u32, k: u32) -> Option<u64> {
    let (mut spread, mut rest) = (0, number);
    while rest != 0 {
        let bit = rest.trailing_zeros();
        let place = bit.checked_mul(rank)?.checked_add(k)?;
        if u64::from(place) >= MAX_BITS {
            return None;
        }
        spread |= 1u64.wrapping_shl(place);
        rest &= rest.wrapping_sub(1);
    }
    Some(spread)
}

fn codes_too_long() -> Error {
    Error::new(ErrorKind::Rule { rule: "morton codes of this shape do not fit 63 bits" })
}

impl Fields for Morton {
    fn read(cursor: &mut Cursor<'_>, shape: &[u64], _mode: Mode) -> Result<Self> {
        let (words, _) = cursor.take(shape.len().saturating_mul(4), "morton_bits")?.as_chunks();
        let bits = Few::map(words, |word| u32::from_le_bytes(*word))?;
        Ok(Self { bits })
    }

    fn try_clone(&self) -> Result<Self> {
        Self::new(&self.bits)
    }
}

impl Rules for Morton {
    fn encoded_len(&self) -> u64 {
        math::wide(self.bits.len()).saturating_mul(4)
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        self.bits.iter().try_for_each(|&bits| sink.u32(bits))
    }

    /// The bits hold the shape, and the codes 63 bits: their sum and the largest code of the shape,
    /// which passes it when the bits differ (decisions.md row 16).
    fn check(&self, shape: &[u64], _mode: Mode) -> Result<()> {
        let (found, expected) = (math::wide(self.bits.len()), math::wide(shape.len()));
        if found != expected {
            let what = "count of morton_bits";
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected }));
        }
        let sum = self.bits.iter().fold(0u64, |sum, &bits| sum.saturating_add(bits.into()));
        for &bits in &*self.bits {
            if bits == 0 {
                let (what, max) = ("morton_bits", MAX_BITS);
                return Err(Error::new(ErrorKind::Limits { what, value: 0, min: 1, max }));
            }
        }
        if sum > MAX_BITS {
            let (what, value, max) = ("sum of morton_bits", sum, MAX_BITS);
            return Err(Error::new(ErrorKind::Limits { what, value, min: 0, max }));
        }
        for (&size, &bits) in shape.iter().zip(&*self.bits) {
            let max = 1u64.checked_shl(bits).unwrap_or(u64::MAX);
            if size > max && size != DYNAMIC {
                let what = "shape within morton_bits";
                return Err(Error::new(ErrorKind::Limits { what, value: size, min: 0, max }));
            }
        }
        // A dynamic dimension adds nothing that is known, an empty tensor has no code.
        let last = shape.iter().map(|&size| if size == DYNAMIC { 0 } else { size.wrapping_sub(1) });
        if !shape.contains(&0) && code(last).is_none() {
            return Err(codes_too_long());
        }
        Ok(())
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        if facts.is_dynamic() {
            return Ok(Need::Unknown);
        }
        if facts.is_empty() {
            return facts.room(Some(0));
        }
        let sum = self.bits.iter().fold(0u32, |sum, &bits| sum.saturating_add(bits));
        let box_elements = 1u64.checked_shl(sum).ok_or_else(codes_too_long)?;
        let last = facts.shape.iter().map(|&size| size.saturating_sub(1));
        let largest = code(last).ok_or_else(codes_too_long)?;
        facts.room(Some(box_elements.max(math::add(largest, 1, "morton code")?)))
    }

    fn heap_bytes(&self) -> usize {
        self.bits.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::ElementType;
    use crate::descriptor::tests::{builder, round_trips, sizes, strict};

    fn morton(bits: &[u32]) -> Morton {
        Morton::new(bits).unwrap()
    }

    #[test]
    fn codes() {
        // The check of layouts.md.
        assert_eq!(code([2, 3].into_iter()), Some(14));
        assert_eq!(code([].into_iter()), Some(0));
        assert_eq!(code([u64::MAX >> 1].into_iter()), Some(u64::MAX >> 1));
        assert_eq!(code([1 << 63].into_iter()), None);
        assert_eq!(code([0, 1 << 31].into_iter()), None);
        assert_eq!(code([1 << 31, 0].into_iter()), Some(1 << 62));
        // Interleaved bit by bit, against the text's rule.
        for i in 0..8u64 {
            for j in 0..8u64 {
                let slow = (0..3).map(|b| (i >> b & 1) << (2 * b) | (j >> b & 1) << (2 * b + 1));
                assert_eq!(code([i, j].into_iter()), Some(slow.sum()));
            }
        }
    }

    #[test]
    fn room_for_the_box_and_for_the_largest_code() {
        assert_eq!(sizes(&[4, 4], morton(&[2, 2])), Ok(vec![64]));
        assert_eq!(sizes(&[3, 3], morton(&[3, 3])), Ok(vec![256]));
        // morton_anis of the reference vectors: codes pass 2^sum(bits) (decisions.md row 16).
        let largest = (1 << 6) | (1 << 1) | (1 << 4) | (1 << 2);
        assert_eq!(code([4, 2, 1].into_iter()), Some((1 << 6) | (1 << 4) | (1 << 2)));
        assert_eq!(code([4, 3, 1].into_iter()), Some(largest));
        assert_eq!(sizes(&[5, 3, 2], morton(&[3, 2, 1])), Ok(vec![(64 + 16 + 4 + 1) * 4]));
        assert_eq!(sizes(&[0, 4], morton(&[1, 2])), Ok(vec![0]));
    }

    #[test]
    fn fields_and_their_rules() {
        let d = builder(ElementType::INT8, &[4, 4], morton(&[2, 2])).build().unwrap();
        round_trips(&d);
        assert_eq!(strict(&d, 44, &[0]), "descriptor: morton_bits 0 is not in 1 to 63, at byte 44");
        assert_eq!(
            strict(&d, 44, &[1]),
            "descriptor: shape within morton_bits 4 is not in 0 to 2, at byte 44"
        );
        assert_eq!(
            strict(&d, 44, &[62]),
            "descriptor: sum of morton_bits 64 is not in 0 to 63, at byte 44"
        );
        assert_eq!(
            strict(&d, 44, &[0xFF; 8]),
            "descriptor: sum of morton_bits 8589934590 is not in 0 to 63, at byte 44"
        );
        let error = sizes(&[2, 1 << 32], morton(&[1, 32])).unwrap_err();
        assert_eq!(error, "morton codes of this shape do not fit 63 bits");
        assert_eq!(
            sizes(&[4], morton(&[2, 2])).unwrap_err(),
            "count of morton_bits is 2, must be 1"
        );
        // A dynamic dimension has no bound; the others have.
        assert_eq!(strict(&d, 20, &[0xFF; 8]), "ok");
        assert_eq!(
            strict(&d, 20, &[&[0xFF; 8][..], &[5]].concat()),
            "descriptor: shape within morton_bits 5 is not in 0 to 4, at byte 44"
        );
    }
}
