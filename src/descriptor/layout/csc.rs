//! CSC (layouts.md, CSR, CSC): a matrix stored by columns.

use super::{Fields, Need, Rules, Traits, sparse};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::error::Result;

/// The CSC layout: buffer 0 holds the values, buffer 1 the u64 row index of each, buffer 2 where
/// each column begins, u64, and where the last one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csc {
    nnz: u64,
}

impl Csc {
    /// `nnz` stored elements.
    pub fn new(nnz: u64) -> Self {
        Self { nnz }
    }

    /// Stored elements.
    pub fn nnz(&self) -> u64 {
        self.nnz
    }
}

impl Fields for Csc {
    const TRAITS: Traits = Traits { ranks: (2, 2), ..Traits::SPARSE };

    fn read(cursor: &mut Cursor<'_>, _shape: &[u64], _mode: Mode) -> Result<Self> {
        let nnz = cursor.u64("nnz")?;
        cursor.reserved(8, "csc reserved")?;
        Ok(Self { nnz })
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for Csc {
    fn encoded_len(&self) -> u64 {
        16
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u64(self.nnz)?;
        sink.zeros(8)
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn own_buffers(&self, _rank: u32) -> u64 {
        3
    }

    fn buffer_name(&self, buffer: u64) -> &'static str {
        match buffer {
            0 => "values",
            1 => "row_indices",
            _ => "col_ptr",
        }
    }

    fn need(&self, buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        sparse::compressed(self.nnz, facts.shape.get(1), buffer, facts)
    }

    fn nnz(&self) -> Option<u64> {
        Some(self.nnz)
    }
}
