//! Strided (layouts.md, Strided): any stride a dimension, negative and zero ones too.

use super::span::{self, Span, StrideList};
use super::{Fields, Need, Rules};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::error::{Error, ErrorKind, Result};

/// The strided layout.
#[derive(Debug, PartialEq)]
pub struct Strided {
    strides: StrideList,
}

impl Strided {
    /// Strides in elements, one a dimension.
    pub fn new(strides: &[i64]) -> Result<Self> {
        Ok(Self { strides: StrideList::copy(strides)? })
    }

    /// Strides in elements, one a dimension.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }
}

impl Fields for Strided {
    fn read(cursor: &mut Cursor<'_>, shape: &[u64], _mode: Mode) -> Result<Self> {
        Ok(Self { strides: span::read_strides(cursor, shape.len(), "strides")? })
    }

    fn try_clone(&self) -> Result<Self> {
        Self::new(&self.strides)
    }
}

impl Rules for Strided {
    fn encoded_len(&self) -> u64 {
        math::wide(self.strides.len()).saturating_mul(8)
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        span::write_strides(&self.strides, sink)
    }

    fn check(&self, shape: &[u64], _mode: Mode) -> Result<()> {
        let (found, expected) = (math::wide(self.strides.len()), math::wide(shape.len()));
        match found == expected {
            true => Ok(()),
            false => {
                Err(Error::new(ErrorKind::Mismatch { what: "count of strides", found, expected }))
            }
        }
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        if facts.is_dynamic() {
            return Ok(Need::Unknown);
        }
        if facts.is_empty() {
            return facts.room(Some(0));
        }
        Span::strided(&self.strides, facts.shape.iter().copied())?.need(facts)
    }

    fn heap_bytes(&self) -> usize {
        self.strides.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{builder, round_trips, sizes};
    use crate::descriptor::{DYNAMIC, ElementType};

    fn strided(strides: &[i64]) -> Strided {
        Strided::new(strides).unwrap()
    }

    #[test]
    fn room_below_and_above() {
        // decisions.md row 46: [3, 4] with strides [-4, 1] takes 12 elements, 8 of them below.
        let mut reversed = builder(ElementType::FLOAT32, &[3, 4], strided(&[-4, 1]));
        let d = reversed.byte_offset(32).build().unwrap();
        assert_eq!(d.buffers()[0].byte_size, 48);
        round_trips(&d);
        let error = reversed.byte_offset(31).build().unwrap_err();
        assert_eq!(
            error.to_string(),
            "descriptor: buffer 0: byte_offset too small: need 32 bytes, have 31"
        );

        assert_eq!(sizes(&[3, 4], strided(&[0, 0])), Ok(vec![4]));
        assert_eq!(sizes(&[3, 4], strided(&[10, 2])), Ok(vec![108]));
        assert_eq!(sizes(&[3, 0], strided(&[i64::MIN, i64::MAX])), Ok(vec![0]));
        assert_eq!(sizes(&[1, 1], strided(&[i64::MIN, i64::MAX])), Ok(vec![4]));
    }

    #[test]
    fn below_a_byte_what_lies_below_takes_whole_bytes_or_groups() {
        // Offsets down to -3: byte -1 of bools, byte -2 of nibbles, the group before for 6 bits.
        for (element_type, below, size) in [
            (ElementType::BOOL, 1, 2),
            (ElementType::INT2, 1, 2),
            (ElementType::INT4, 2, 3),
            (ElementType::FLOAT6_E3M2, 3, 6),
            (ElementType::INT8, 3, 4),
        ] {
            let mut b = builder(element_type, &[4], strided(&[-1]));
            assert!(b.byte_offset(below - 1).build().is_err());
            assert_eq!(b.byte_offset(below).build().unwrap().buffers()[0].byte_size, size);
        }
    }

    #[test]
    fn offsets_stay_in_64_bits() {
        let overflow = "descriptor: buffer 0: offset by strides does not fit 64 bits";
        assert_eq!(sizes(&[3], strided(&[i64::MAX])).unwrap_err(), overflow);
        assert_eq!(sizes(&[2, 2], strided(&[i64::MAX, 1])).unwrap_err(), overflow);
        assert_eq!(sizes(&[u64::MAX - 1], strided(&[i64::MIN])).unwrap_err(), overflow);
        // The first element below them all is at -2^63, which an i64 holds; no buffer does.
        let error = sizes(&[2], strided(&[i64::MIN])).unwrap_err();
        assert_eq!(error, "descriptor: buffer 0: required size does not fit 64 bits");
    }

    #[test]
    fn one_stride_a_dimension() {
        assert_eq!(sizes(&[2, 2], strided(&[1])).unwrap_err(), "count of strides is 1, must be 2");
        let mut dynamic = builder(ElementType::FLOAT32, &[DYNAMIC, 2], strided(&[-5, 1]));
        round_trips(&dynamic.buffer_size(0, 0).unwrap().build().unwrap());
    }
}
