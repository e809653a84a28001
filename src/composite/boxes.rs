//! Boxes in the index space of a head: where its members lie.

use crate::bytes::{math, memory};
use crate::error::Result;

/// One dimension of a box: indices from `lower` up to but not including `upper`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) lower: u64,
    pub(crate) upper: u64,
}

impl Span {
    pub(super) fn contains(self, x: u64) -> bool {
        self.lower <= x && x < self.upper
    }

    pub(super) fn is_empty(self) -> bool {
        self.upper <= self.lower
    }

    /// What lies in `outer`, counted from where that begins.
    pub(super) fn within(self, outer: Self) -> Self {
        let from =
            |x: u64| x.clamp(outer.lower, outer.upper.max(outer.lower)).saturating_sub(outer.lower);
        Self { lower: from(self.lower), upper: from(self.upper) }
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.lower < other.upper && other.lower < self.upper
    }

    pub(super) fn holds(self, other: Self) -> bool {
        self.lower <= other.lower && other.upper <= self.upper
    }
}

/// Whether a box holds an index. All ranks are the same here and below.
pub(super) fn contains(spans: &[Span], index: &[u64]) -> bool {
    spans.iter().zip(index).all(|(span, &x)| span.contains(x))
}

/// Whether two boxes, neither of them empty, have an index in common.
pub(super) fn meet(a: &[Span], b: &[Span]) -> bool {
    a.iter().zip(b).all(|(a, &b)| a.meets(b))
}

/// Whether box `a` holds all of box `b`.
pub(super) fn holds(a: &[Span], b: &[Span]) -> bool {
    a.iter().zip(b).all(|(a, &b)| a.holds(b))
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

    /// No boxes yet, with room for `capacity` of them.
    pub(super) fn with_capacity(rank: usize, capacity: usize) -> Result<Self> {
        Ok(Self { spans: memory::vec(capacity.saturating_mul(rank))?, ..Self::new(rank) })
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

    /// Appends a box.
    pub(super) fn push_spans(&mut self, spans: &[Span]) -> Result<()> {
        debug_assert!(spans.len() == self.rank);
        memory::reserve(&mut self.spans, self.rank)?;
        self.spans.extend_from_slice(spans);
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Bytes that they cost on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        self.spans.capacity().saturating_mul(size_of::<Span>())
    }
}
