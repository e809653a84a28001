//! Hilbert (layouts.md, Hilbert): along a space-filling curve through a cube.

use super::{Fields, Need, Rules, Traits};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::facts::Facts;
use crate::descriptor::shape::MAX_RANK;
use crate::descriptor::{DYNAMIC, Mode};
use crate::error::{Error, ErrorKind, Result};

/// Bits that all places on the curve must fit.
const MAX_BITS: u64 = 63;

/// The Hilbert layout of a cube with sides of 2^order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hilbert {
    order: u32,
    rank: u32,
}

impl Hilbert {
    /// A curve of this order through a cube of this rank.
    pub fn new(order: u32, rank: u32) -> Self {
        Self { order, rank }
    }

    /// `hilbert_order`.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// `hilbert_rank`: that of the tensor.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    fn bits(&self) -> u64 {
        u64::from(self.order).saturating_mul(self.rank.into())
    }
}

impl Fields for Hilbert {
    const TRAITS: Traits = Traits { ranks: (2, MAX_RANK), ..Traits::DENSE };

    fn read(cursor: &mut Cursor<'_>, _shape: &[u64], _mode: Mode) -> Result<Self> {
        Ok(Self { order: cursor.u32("hilbert_order")?, rank: cursor.u32("hilbert_rank")? })
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for Hilbert {
    fn encoded_len(&self) -> u64 {
        8
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u32(self.order)?;
        sink.u32(self.rank)
    }

    fn check(&self, shape: &[u64], _mode: Mode) -> Result<()> {
        let (found, expected) = (self.rank.into(), math::wide(shape.len()));
        if found != expected {
            let what = "hilbert_rank";
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected }));
        }
        if self.order == 0 {
            let (what, max) = ("hilbert_order", MAX_BITS);
            return Err(Error::new(ErrorKind::Limits { what, value: 0, min: 1, max }));
        }
        if self.bits() > MAX_BITS {
            let (what, value) = ("hilbert_order * rank", self.bits());
            return Err(Error::new(ErrorKind::Limits { what, value, min: 2, max: MAX_BITS }));
        }
        let expected = 1u64.checked_shl(self.order).unwrap_or(u64::MAX);
        match shape.iter().find(|&&size| size != expected && size != DYNAMIC) {
            None => Ok(()),
            Some(&found) => {
                let what = "shape with this hilbert_order";
                Err(Error::new(ErrorKind::Mismatch { what, found, expected }))
            }
        }
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        if facts.is_dynamic() {
            return Ok(Need::Unknown);
        }
        let bits = u32::try_from(self.bits()).ok();
        let elements = bits.and_then(|bits| 1u64.checked_shl(bits)).ok_or_else(|| {
            Error::new(ErrorKind::Overflow { what: "elements of the hilbert cube" })
        })?;
        facts.room(Some(elements))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::ElementType;
    use crate::descriptor::tests::{builder, round_trips, sizes, strict};

    #[test]
    fn fields_and_their_rules() {
        let d = builder(ElementType::INT16, &[4, 4, 4], Hilbert::new(2, 3)).build().unwrap();
        assert_eq!(d.buffers()[0].byte_size, 128);
        round_trips(&d);
        assert_eq!(
            strict(&d, 52, &[0]),
            "descriptor: hilbert_order 0 is not in 1 to 63, at byte 52"
        );
        assert_eq!(
            strict(&d, 52, &[3]),
            "descriptor: shape with this hilbert_order is 4, must be 8, at byte 52"
        );
        assert_eq!(
            strict(&d, 52, &[22]),
            "descriptor: hilbert_order * rank 66 is not in 2 to 63, at byte 52"
        );
        assert_eq!(strict(&d, 56, &[2]), "descriptor: hilbert_rank is 2, must be 3, at byte 52");
        assert_eq!(strict(&d, 20, &[0xFF; 8]), "ok");
        assert!(strict(&d, 20, &[0]).contains("is 0, must be 4"));
        assert_eq!(
            sizes(&[1 << 21; 3], Hilbert::new(21, 3)).unwrap_err(),
            "descriptor: buffer 0: required size does not fit 64 bits"
        );
        assert_eq!(sizes(&[4], Hilbert::new(2, 1)).unwrap_err(), "rank 1 is not in 2 to 64");
    }
}
