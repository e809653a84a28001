//! The buffers of a tensor, gone through in order: which one takes or gives the next bytes.

use crate::bytes::{math, memory};
use crate::error::Result;

/// A place in the data of one tensor.
#[derive(Default)]
pub(super) struct InOrder {
    sizes: Vec<u64>,
    /// How many buffers were come to, this one included.
    reached: usize,
    /// Bytes of this buffer that have passed, and that have not.
    offset: u64,
    left: u64,
    /// Bytes of all buffers that have not passed, and all of them.
    remaining: u64,
    total: u64,
}

impl InOrder {
    /// Stands before the first byte of buffers of these sizes.
    pub(super) fn restart(&mut self, sizes: impl Iterator<Item = Result<u64>>) -> Result<()> {
        *self = Self { sizes: std::mem::take(&mut self.sizes), ..Self::default() };
        self.sizes.clear();
        for size in sizes {
            let size = size?;
            self.total = math::add(self.total, size, "data_length")?;
            memory::push(&mut self.sizes, size)?;
        }
        self.remaining = self.total;
        self.next_buffer();
        Ok(())
    }

    /// Goes on to the next buffer, which begins after padding. To be called when nothing is left of
    /// this one.
    pub(super) fn next_buffer(&mut self) {
        self.offset = 0;
        self.left = self.sizes.get(self.reached).copied().unwrap_or(0);
        self.reached = self.reached.saturating_add(1);
    }

    /// Which buffer this is.
    pub(super) fn buffer(&self) -> u64 {
        math::wide(self.reached.saturating_sub(1))
    }

    /// Bytes of this buffer that have passed.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of this buffer that have not passed.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Bytes of all buffers that have not passed.
    pub(super) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Bytes of all buffers, padding not counted.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of all buffers that have passed.
    pub(super) fn passed(&self) -> u64 {
        self.total.saturating_sub(self.remaining)
    }

    /// `count` bytes of this buffer pass; at most what is left of it.
    pub(super) fn pass(&mut self, count: u64) {
        self.offset = self.offset.saturating_add(count);
        self.left = self.left.saturating_sub(count);
        self.remaining = self.remaining.saturating_sub(count);
    }
}
