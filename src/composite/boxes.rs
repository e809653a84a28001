//! Boxes in the index space of a head: where its members lie.

use crate::bytes::{math, memory};
use crate::error::Result;

/// One dimension of a box: indices from `lower` up to but not including `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) lower: u64,
    pub(super) upper: u64,
}

impl Span {
    pub(super) fn contains(self, x: u64) -> bool {
        self.lower <= x && x < self.upper
    }
}

/// A list of boxes of one rank, 16 bytes a dimension each.
#[derive(Debug)]
pub struct Boxes {
    rank: usize,
    count: usize,
    spans: Vec<Span>,
}

impl Boxes {
    /// No boxes yet, of `rank` dimensions.
    pub fn new(rank: usize) -> Self {
        Self { rank, count: 0, spans: Vec::new() }
    }

    /// Appends the box of `extent` indices a dimension from `lower` on. Both have `rank` elements.
    ///
    /// Fails when an upper bound leaves 64 bits, or when memory is short.
    pub fn push(&mut self, lower: &[u64], extent: &[u64]) -> Result<()> {
        debug_assert!(lower.len() == self.rank && extent.len() == self.rank);
        memory::reserve(&mut self.spans, self.rank)?;
        let before = self.spans.len();
        for (&lower, &extent) in lower.iter().zip(extent) {
            match math::add(lower, extent, "upper bound") {
                Ok(upper) => self.spans.push(Span { lower, upper }),
                Err(error) => {
                    self.spans.truncate(before);
                    return Err(error);
                }
            }
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Dimensions of every box.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Box `k`; an empty list when there is none.
    pub(super) fn get(&self, k: usize) -> &[Span] {
        let start = k.saturating_mul(self.rank);
        self.spans.get(start..start.saturating_add(self.rank)).unwrap_or_default()
    }

    /// All boxes in order, in runs of at most `length`.
    pub(super) fn runs(
        &self,
        length: usize,
    ) -> impl Iterator<Item = std::slice::ChunksExact<'_, Span>> {
        // A box of no dimension leaves no spans behind.
        let rank = self.rank.max(1);
        self.spans.chunks(rank.saturating_mul(length.max(1))).map(move |run| run.chunks_exact(rank))
    }
}
