//! Making of the tree.
//!
//! A set of boxes that planes divide is peeled: the smallest part that one plane cuts off, then
//! the smallest of what is left, and so on. Each part is built in the same way; it has at most
//! half the members, so a member is in at most log n of such chains. What was left at each step
//! lies in a box, each in the one before it, that meets none of the parts that were cut off
//! before: an index is looked for in the chain by halving, each half as heavy in members as the
//! other. A part of weight w in a chain of weight W then stands about log(W/w) + 2 below its top,
//! which adds up to 3 log n over all chains.
//!
//! A set of more than a few boxes that no plane divides (a pinwheel, or boxes that overlap) is
//! split at the median of its lower bounds in one dimension: what ends below, what begins above,
//! and what lies there, which no further plane across that dimension can divide. The first two
//! have at most half the members each, and the third is divided in the other dimensions. What is
//! left when there is none has a common index, and is split anyhow.

use super::cuts::Cuts;
use super::{Child, Node, Tree, to_usize};
use crate::bytes::memory;
use crate::composite::boxes::{Boxes, Span};
use crate::error::{Error, ErrorKind, Result};

/// So many boxes are not worth the search for a plane.
const FEW: usize = 4;

pub(super) fn build(boxes: &Boxes) -> Result<Tree> {
    let mut members = memory::vec(boxes.len())?;
    members.extend((0_u32..).zip(0..boxes.len()).filter_map(|(member, k)| {
        let empty = boxes.get(k).iter().any(|span| span.is_empty());
        (!empty).then_some(member)
    }));
    let inner = members.len().saturating_sub(1);
    let mut builder = Builder {
        boxes,
        nodes: memory::vec(inner)?,
        around: Boxes::with_capacity(boxes.rank(), inner)?,
        spans: memory::vec(boxes.rank())?,
    };
    let root = match members.is_empty() {
        true => None,
        false => Some(builder.subtree(&members, Fixed(0))?),
    };
    Ok(Tree { root, nodes: builder.nodes, around: builder.around })
}

struct Builder<'b> {
    boxes: &'b Boxes,
    nodes: Vec<Node>,
    around: Boxes,
    /// Room for one box.
    spans: Vec<Span>,
}

/// The dimensions, as bits, in which all members of a set have an index in common.
#[derive(Clone, Copy)]
struct Fixed(u64);

impl Fixed {
    fn is_free(self, dimension: usize) -> bool {
        bit(dimension).is_some_and(|bit| self.0 & bit == 0)
    }

    fn and(self, dimension: usize) -> Self {
        Self(self.0 | bit(dimension).unwrap_or(0))
    }
}

fn bit(dimension: usize) -> Option<u64> {
    1_u64.checked_shl(u32::try_from(dimension).ok()?)
}

/// A part of a chain.
struct Part {
    child: Child,
    /// The members of this part and of those before it.
    weight: usize,
}

impl Builder<'_> {
    /// A tree over at least one box.
    fn subtree(&mut self, members: &[u32], fixed: Fixed) -> Result<Child> {
        if members.len() <= FEW {
            return self.halve(members);
        }
        let (peeled, ends) = self.peel(members, fixed)?;
        let mut parts = memory::vec(ends.len())?;
        let mut start = 0;
        for (k, &end) in ends.iter().enumerate() {
            let part = peeled.get(start..end).unwrap_or_default();
            // The last is what no plane divides.
            let child = match k.saturating_add(1) == ends.len() {
                true => self.split(part, fixed)?,
                false => self.subtree(part, fixed)?,
            };
            parts.push(Part { child, weight: end });
            start = end;
        }
        self.chain(&parts, 0)
    }

    /// The members, part after part, and where each part ends.
    fn peel(&self, members: &[u32], fixed: Fixed) -> Result<(Vec<u32>, Vec<usize>)> {
        let free = (0..self.boxes.rank()).filter(|&dimension| fixed.is_free(dimension));
        let mut cuts = Cuts::new(self.boxes, members, free)?;
        let mut peeled = memory::vec(members.len())?;
        let mut ends = Vec::new();
        while cuts.left() > FEW
            && let Some(cut) = cuts.smallest()
        {
            cuts.take(cut, &mut peeled);
            memory::push(&mut ends, peeled.len())?;
        }
        cuts.take_rest(&mut peeled);
        memory::push(&mut ends, peeled.len())?;
        Ok((peeled, ends))
    }

    /// A tree over the parts of a chain; the parts before them have `before` members.
    fn chain(&mut self, parts: &[Part], before: usize) -> Result<Child> {
        let last = match parts {
            [] => return Err(Error::new(ErrorKind::Internal { what: "chain of no parts" })),
            [one] => return Ok(one.child),
            [.., last] => last,
        };
        let half = before.midpoint(last.weight);
        let most = parts.len().saturating_sub(1);
        let middle = parts.partition_point(|part| part.weight <= half).clamp(1, most);
        let (outer, inner) = parts.split_at(middle);
        let weight = outer.last().map_or(before, |part| part.weight);
        let second = self.chain(outer, before)?;
        let first = self.chain(inner, weight)?;
        self.node(Node { first, second, cut: true })
    }

    /// A tree over boxes that no plane divides.
    fn split(&mut self, members: &[u32], fixed: Fixed) -> Result<Child> {
        if members.len() <= FEW {
            return self.halve(members);
        }
        let Some((dimension, x)) = self.median(members, fixed)? else {
            return self.halve(members);
        };
        let span = |&member: &u32| self.boxes.get(to_usize(member)).get(dimension).copied();
        let mut sets = [const { Vec::new() }; 3];
        let [below, at, above] = &mut sets;
        for member in members {
            let set = match span(member) {
                Some(span) if span.upper <= x => &mut *below,
                Some(span) if span.lower > x => &mut *above,
                _ => &mut *at,
            };
            memory::push(set, *member)?;
        }
        let at = self.subtree(at, fixed.and(dimension))?;
        let sides = match (below.is_empty(), above.is_empty()) {
            (true, true) => return Ok(at),
            (true, false) => self.subtree(above, fixed)?,
            (false, true) => self.subtree(below, fixed)?,
            (false, false) => {
                let first = self.subtree(below, fixed)?;
                let second = self.subtree(above, fixed)?;
                self.node(Node { first, second, cut: true })?
            }
        };
        self.node(Node { first: sides, second: at, cut: false })
    }

    /// The free dimension in which the fewest boxes lie across the median of their lower bounds,
    /// and that median.
    fn median(&self, members: &[u32], fixed: Fixed) -> Result<Option<(usize, u64)>> {
        let mut lower = memory::vec(members.len())?;
        let mut best: Option<(usize, usize, u64)> = None;
        for dimension in (0..self.boxes.rank()).filter(|&dimension| fixed.is_free(dimension)) {
            let spans = members
                .iter()
                .filter_map(|&member| self.boxes.get(to_usize(member)).get(dimension).copied());
            lower.clear();
            lower.extend(spans.clone().map(|span| span.lower));
            let middle = lower.len() / 2;
            if middle < lower.len() {
                let (_, &mut x, _) = lower.select_nth_unstable(middle);
                let across = spans.filter(|span| span.contains(x)).count();
                if best.is_none_or(|(fewest, ..)| across < fewest) {
                    best = Some((across, dimension, x));
                }
            }
        }
        Ok(best.map(|(_, dimension, x)| (dimension, x)))
    }

    /// A tree over at least one box, split without a look at them.
    fn halve(&mut self, members: &[u32]) -> Result<Child> {
        match *members {
            [] => Err(Error::new(ErrorKind::Internal { what: "tree of no boxes" })),
            [one] => Ok(Child::Member(one)),
            _ => {
                let (first, second) = members.split_at(members.len() / 2);
                let (first, second) = (self.halve(first)?, self.halve(second)?);
                self.node(Node { first, second, cut: false })
            }
        }
    }

    fn node(&mut self, node: Node) -> Result<Child> {
        let around = |child| match child {
            Child::Member(k) => self.boxes.get(to_usize(k)),
            Child::Node(n) => self.around.get(to_usize(n)),
        };
        let pairs = around(node.first).iter().zip(around(node.second));
        self.spans.clear();
        self.spans.extend(
            pairs.map(|(a, b)| Span { lower: a.lower.min(b.lower), upper: a.upper.max(b.upper) }),
        );
        let place = u32::try_from(self.nodes.len())
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "members" }))?;
        self.around.push_spans(&self.spans)?;
        memory::push(&mut self.nodes, node)?;
        Ok(Child::Node(place))
    }
}
