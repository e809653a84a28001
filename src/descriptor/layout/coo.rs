//! COO (layouts.md, COO): values with their coordinates.

use super::{Fields, Need, Rules, Traits, sparse};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::error::{Error, ErrorKind, Result};

/// The COO layout: buffer 0 holds the values, buffer 1 a tuple of rank u64 coordinates for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coo {
    nnz: u64,
    is_sorted: bool,
}

impl Coo {
    /// `nnz` stored elements, perhaps sorted by their coordinates.
    pub fn new(nnz: u64, is_sorted: bool) -> Self {
        Self { nnz, is_sorted }
    }

    /// Stored elements.
    pub fn nnz(&self) -> u64 {
        self.nnz
    }

    /// Whether the coordinates ascend lexicographically.
    pub fn is_sorted(&self) -> bool {
        self.is_sorted
    }
}

impl Fields for Coo {
    const TRAITS: Traits = Traits::SPARSE;

    fn read(cursor: &mut Cursor<'_>, _shape: &[u64], _mode: Mode) -> Result<Self> {
        let nnz = cursor.u64("nnz")?;
        let at = cursor.offset();
        let is_sorted = match cursor.u8("is_sorted")? {
            0 => false,
            1 => true,
            value => {
                let (what, value) = ("is_sorted", value.into());
                return Err(Error::new(ErrorKind::Value { what, value }).at(at));
            }
        };
        cursor.reserved(7, "coo reserved")?;
        Ok(Self { nnz, is_sorted })
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for Coo {
    fn encoded_len(&self) -> u64 {
        16
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u64(self.nnz)?;
        sink.u8(self.is_sorted.into())?;
        sink.zeros(7)
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn own_buffers(&self, _rank: u32) -> u64 {
        2
    }

    fn buffer_name(&self, buffer: u64) -> &'static str {
        match buffer {
            0 => "values",
            _ => "indices",
        }
    }

    fn need(&self, buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        match buffer {
            0 => sparse::values(self.nnz, facts),
            _ => {
                let rank = math::wide(facts.shape.len());
                sparse::indices(math::mul(self.nnz, rank, "count of coordinates")?)
            }
        }
    }

    fn nnz(&self) -> Option<u64> {
        Some(self.nnz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{builder, patched, round_trips, sizes, strict};
    use crate::descriptor::{ElementType, Statistics};

    #[test]
    fn sizes_do_not_depend_on_the_element_count() {
        assert_eq!(sizes(&[4, 5, 6], Coo::new(3, true)), Ok(vec![12, 72]));
        // decisions.md row 53: the count is an error only when it is asked for.
        let huge = builder(ElementType::INT8, &[1 << 40, 1 << 40], Coo::new(1, false));
        let huge = huge.build().unwrap();
        assert!(huge.element_count().is_err());
        round_trips(&huge);
        assert_eq!(
            sizes(&[u64::MAX - 1; 2], Coo::new(1 << 63, false)).unwrap_err(),
            "descriptor: buffer 0: required size does not fit 64 bits"
        );
    }

    #[test]
    fn fields_and_their_rules() {
        let mut b = builder(ElementType::FLOAT32, &[4], Coo::new(2, true));
        let mut statistics = Statistics::new();
        statistics.set_nnz(2);
        let d = b.statistics(statistics).build().unwrap();
        assert_eq!(strict(&d, 44, &[2]), "descriptor: is_sorted 2 is not valid, at byte 44");
        assert_eq!(strict(&d, 51, &[9]), "descriptor: coo reserved must be 0, is 9, at byte 51");
        assert_eq!(
            strict(&d, 28, &[1]),
            "descriptor: byte_offset with this layout is 1, must be 0, at byte 28"
        );
        assert_eq!(
            strict(&d, 36, &[1]),
            "descriptor: nnz in statistics is 2, must be 1, at byte 85"
        );
        // More elements than there are: strict mode only (decisions.md row 43).
        let mut b = builder(ElementType::FLOAT32, &[4], Coo::new(2, true));
        b.buffer_size(0, 4096).unwrap().buffer_size(1, 4096).unwrap();
        let d = b.build().unwrap();
        assert_eq!(strict(&d, 36, &[5]), "descriptor: nnz 5 is not in 0 to 4, at byte 36");
        assert_eq!(patched(&d, 36, &[5], Mode::Permissive), "ok");
        assert_eq!(strict(&d, 20, &[0xFF; 8]), "ok");
        assert_eq!(
            patched(&d, 36, &[0, 16], Mode::Permissive),
            "descriptor: buffer 0: values too small: need 16384 bytes, have 4096, at byte 53"
        );
    }
}
