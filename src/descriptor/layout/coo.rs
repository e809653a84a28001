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
