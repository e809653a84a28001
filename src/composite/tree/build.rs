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
use super::{Child, Node, Tree, WHOLE, to_usize};
use crate::bytes::{math, memory};
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
    let rank = boxes.rank();
    let mut builder = Builder {
        boxes,
        nodes: memory::vec(inner)?,
        whole: Boxes::new(rank),
        around: Boxes::with_capacity(rank, inner)?,
        spans: memory::vec(rank)?,
    };
    let root = match members.is_empty() {
        true => None,
        false => Some(builder.subtree(&members, Fixed(0))?),
    };
    Ok(Tree { root, nodes: builder.nodes, whole: builder.whole })
}

struct Builder<'b> {
    boxes: &'b Boxes,
    nodes: Vec<Node>,
    whole: Boxes,
    /// The smallest box around the members of each node.
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
    /// The dimension across which it was cut off from what came after it.
    dimension: usize,
}

/// Members, part after part; where each part ends, and the dimension across which it was cut off.
struct Peeled {
    members: Vec<u32>,
    ends: Vec<(usize, usize)>,
}

/// How the first child of a node is told from the second.
#[derive(Clone, Copy)]
enum Told {
    /// By a plane across one dimension.
    Across(usize),
    /// By planes across several.
    Within,
    /// Not at all.
    Mixed,
}

impl Builder<'_> {
    /// A tree over at least one box.
    fn subtree(&mut self, members: &[u32], fixed: Fixed) -> Result<Child> {
        if members.len() <= FEW {
            return self.halve(members);
        }
        let fixed = self.fix(members, fixed);
        let Peeled { members, ends } = self.peel(members, fixed)?;
        let mut parts = memory::vec(ends.len())?;
        let mut start = 0;
        for (k, &(end, dimension)) in ends.iter().enumerate() {
            let part = members.get(start..end).unwrap_or_default();
            // The last is what no plane divides.
            let child = match k.saturating_add(1) == ends.len() {
                true => self.split(part, fixed)?,
                false => self.subtree(part, fixed)?,
            };
            parts.push(Part { child, weight: end, dimension });
            start = end;
        }
        self.chain(&parts, 0)
    }

    /// Adds the dimensions in which all members have an index in common: no plane goes across them.
    fn fix(&self, members: &[u32], fixed: Fixed) -> Fixed {
        let free = (0..self.boxes.rank()).filter(|&dimension| fixed.is_free(dimension));
        free.fold(fixed, |fixed, dimension| {
            let spans = members
                .iter()
                .filter_map(|&member| self.boxes.get(to_usize(member)).get(dimension));
            let (mut lower, mut upper) = (0, u64::MAX);
            for span in spans {
                (lower, upper) = (span.lower.max(lower), span.upper.min(upper));
            }
            if lower < upper { fixed.and(dimension) } else { fixed }
        })
    }

    /// Peels members off, part after part.
    fn peel(&self, members: &[u32], fixed: Fixed) -> Result<Peeled> {
        let free = (0..self.boxes.rank()).filter(|&dimension| fixed.is_free(dimension));
        let mut cuts = Cuts::new(self.boxes, members, free)?;
        let mut peeled = memory::vec(members.len())?;
        let mut ends = Vec::new();
        while cuts.left() > FEW
            && let Some(cut) = cuts.smallest()
        {
            cuts.take(cut, &mut peeled);
            memory::push(&mut ends, (peeled.len(), cut.dimension))?;
        }
        cuts.take_rest(&mut peeled);
        memory::push(&mut ends, (peeled.len(), 0))?;
        Ok(Peeled { members: peeled, ends })
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
        let told = match outer {
            [part, rest @ ..] if rest.iter().all(|other| other.dimension == part.dimension) => {
                Told::Across(part.dimension)
            }
            _ => Told::Within,
        };
        self.node(first, second, told)
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
        // All of them hold x: the dimension is fixed for them.
        let at = self.subtree(at, fixed.and(dimension))?;
        let sides = match (below.is_empty(), above.is_empty()) {
            (true, true) => return Ok(at),
            (true, false) => self.subtree(above, fixed)?,
            (false, true) => self.subtree(below, fixed)?,
            (false, false) => {
                let first = self.subtree(below, fixed)?;
                let second = self.subtree(above, fixed)?;
                self.node(first, second, Told::Across(dimension))?
            }
        };
        self.node(sides, at, Told::Mixed)
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

    /// A tree over at least one box, split as they come.
    fn halve(&mut self, members: &[u32]) -> Result<Child> {
        match *members {
            [] => Err(Error::new(ErrorKind::Internal { what: "tree of no boxes" })),
            [one] => Ok(Child::Member(one)),
            _ => {
                let (first, second) = members.split_at(members.len() / 2);
                let (first, second) = (self.halve(first)?, self.halve(second)?);
                let around = |child| around(self.boxes, &self.around, child);
                let mut pairs = around(first).iter().zip(around(second));
                match pairs.position(|(a, &b)| !a.meets(b)) {
                    Some(dimension) => self.node(first, second, Told::Across(dimension)),
                    None => self.node(first, second, Told::Mixed),
                }
            }
        }
    }

    fn node(&mut self, first: Child, second: Child, told: Told) -> Result<Child> {
        let place = u32::try_from(self.nodes.len())
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "members" }))?;
        let around_first = around(self.boxes, &self.around, first);
        let across = match told {
            Told::Across(dimension) => {
                around_first.get(dimension).zip(u8::try_from(dimension).ok())
            }
            Told::Within | Told::Mixed => None,
        };
        let (span, dimension) = match across {
            Some((&span, dimension)) => (span, dimension),
            None => {
                let lower = math::wide(self.whole.len());
                self.whole.push_spans(around_first)?;
                (Span { lower, upper: 0 }, WHOLE)
            }
        };
        let pairs = around_first.iter().zip(around(self.boxes, &self.around, second));
        self.spans.clear();
        self.spans.extend(
            pairs.map(|(a, b)| Span { lower: a.lower.min(b.lower), upper: a.upper.max(b.upper) }),
        );
        self.around.push_spans(&self.spans)?;
        let cut = !matches!(told, Told::Mixed);
        let ((first, first_is_node), (second, second_is_node)) = (first.parts(), second.parts());
        let node = Node { span, first, second, dimension, first_is_node, second_is_node, cut };
        memory::push(&mut self.nodes, node)?;
        Ok(Child::Node(place))
    }
}

/// The smallest box around the members of a child.
fn around<'b>(boxes: &'b Boxes, nodes: &'b Boxes, child: Child) -> &'b [Span] {
    match child {
        Child::Member(k) => boxes.get(to_usize(k)),
        Child::Node(n) => nodes.get(to_usize(n)),
    }
}
