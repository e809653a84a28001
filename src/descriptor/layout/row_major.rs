//! Row-major (layouts.md, Row-major, column-major): the last dimension is contiguous.

use super::{Fields, Need, PartialBlock, Rules};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::descriptor::shape::MAX_RANK;
use crate::error::Result;

/// The row-major layout; it has no fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowMajor;

impl Fields for RowMajor {
    const RANKS: std::ops::RangeInclusive<u32> = 0..=MAX_RANK;

    fn read(_cursor: &mut Cursor<'_>, _shape: &[u64], _mode: Mode) -> Result<Self> {
        Ok(Self)
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for RowMajor {
    fn encoded_len(&self) -> u64 {
        0
    }

    fn write(&self, _sink: &mut Sink) -> Result<()> {
        Ok(())
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        facts.room(facts.stored_elements()?)
    }

    fn partial_block(&self) -> PartialBlock {
        PartialBlock::Padded
    }
}
