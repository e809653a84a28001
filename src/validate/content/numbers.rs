//! The numbers of a place, read one after the other through a bounded piece of memory.

use super::Pass;
use super::place::Place;
use crate::bytes::{math, memory};
use crate::error::Result;

/// Bytes read at once, at most; less by what a group of numbers leaves over.
const PIECE: u64 = 64 << 10;

/// A reader of the numbers of a place, in groups that are never cut.
pub(super) struct Numbers {
    buffer: u64,
    /// Bytes of the buffer: where the next piece begins, and where the last one ends.
    next: u64,
    end: u64,
    piece: Vec<u8>,
    /// Bytes of the piece that were taken, and that there are.
    taken: usize,
    filled: usize,
}

impl Numbers {
    /// `groups` groups of `size` numbers each, which the buffer holds ([`Place::holds`]).
    pub(super) fn groups(place: &Place, groups: u64, size: u64) -> Result<Self> {
        let group = math::mul(size, place.width, "bytes of a group of numbers")?.max(1);
        let length = math::mul(groups, group, "bytes of numbers")?;
        let end = math::add(place.start, length, "end of numbers")?;
        let whole = math::div(PIECE, group).max(1).saturating_mul(group);
        let piece = memory::filled(0, math::to_usize(whole.min(length), "piece of a buffer")?)?;
        Ok(Self { buffer: place.buffer, next: place.start, end, piece, taken: 0, filled: 0 })
    }

    /// `count` numbers, which the buffer holds ([`Place::holds`]).
    pub(super) fn new(place: &Place, count: u64) -> Result<Self> {
        Self::groups(place, count, 1)
    }

    /// The bytes of the next groups, of which there are whole ones only; none at the end.
    pub(super) fn piece(&mut self, pass: &mut Pass<'_, '_, '_>) -> Result<Option<&[u8]>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let left = usize::try_from(self.end.saturating_sub(self.next)).unwrap_or(usize::MAX);
        self.filled = left.min(self.piece.len());
        let piece = self.piece.get_mut(..self.filled).unwrap_or_default();
        pass.read(self.buffer, self.next, piece)?;
        self.next = self.next.saturating_add(math::wide(self.filled));
        self.taken = self.filled;
        Ok(Some(piece))
    }

    /// The next number, of `W` bytes.
    #[inline]
    pub(super) fn next<const W: usize>(
        &mut self,
        pass: &mut Pass<'_, '_, '_>,
    ) -> Result<Option<[u8; W]>> {
        if self.taken >= self.filled {
            if self.piece(pass)?.is_none() {
                return Ok(None);
            }
            self.taken = 0;
        }
        let rest = self.piece.get(self.taken..self.filled).unwrap_or_default();
        self.taken = self.taken.saturating_add(W);
        Ok(rest.first_chunk().copied())
    }

    /// The next u64.
    #[inline]
    pub(super) fn next_u64(&mut self, pass: &mut Pass<'_, '_, '_>) -> Result<Option<u64>> {
        Ok(self.next(pass)?.map(u64::from_le_bytes))
    }
}
