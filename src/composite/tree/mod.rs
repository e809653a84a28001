//! Which boxes hold an index or meet a box: a search tree over boxes of any form.
//!
//! Every inner node has two children and something that is so for the members of the first: the
//! smallest box around them, or that box in one dimension. Where the members lie so that a plane
//! cuts between them, that is not so for the members of the second, and a search for an index
//! follows one of the two. Tilings made by such cuts (grids among them) have a tree whose depth is
//! at most some three times the logarithm of their number, whatever the order of the cuts; see
//! [`build`]. Where no plane does, both children may have to be looked at. A search never makes
//! more than twice the tests of a scan.
//!
//! Memory: 32 bytes a member; and one box for a node that needs one whole, of which grids and
//! tilings by random cuts have few.

mod build;
mod cuts;

use super::boxes::{self, Boxes, Span};
use crate::error::Result;

/// A search tree over boxes, which it does not hold. Empty ones are not in it.
#[derive(Debug)]
pub struct Tree {
    root: Option<Child>,
    nodes: Vec<Node>,
    /// The boxes around the first children of nodes that need them whole.
    whole: Boxes,
}

#[derive(Clone, Copy, Debug)]
enum Child {
    /// A box, by its place in the list.
    Member(u32),
    Node(u32),
}

/// 32 bytes, because a search waits for every piece of memory that it looks at.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The box around the first child in `dimension`; or, if that is `WHOLE`, its place in the
    /// list of whole ones.
    span: Span,
    first: u32,
    second: u32,
    dimension: u8,
    first_is_node: bool,
    second_is_node: bool,
    /// Whether no member of the second child meets that box.
    cut: bool,
}

/// In place of a dimension.
const WHOLE: u8 = u8::MAX;

const _: () = assert!(size_of::<Node>() == 32);

impl Tree {
    /// A tree over these boxes, in O(r n log^2 n) for n boxes of rank r that cuts divide, and at
    /// most O(r^2 n log^2 n) for any.
    pub fn new(boxes: &Boxes) -> Result<Self> {
        build::build(boxes)
    }

    /// A box of these that holds `index`, by its place in the list; the only one where boxes do
    /// not overlap.
    pub fn find(&self, boxes: &Boxes, index: &[u64]) -> Option<u32> {
        self.find_below(self.root?, boxes, index)
    }

    fn find_below(&self, mut child: Child, boxes: &Boxes, index: &[u64]) -> Option<u32> {
        loop {
            child = match child {
                Child::Member(k) => {
                    return boxes::contains(boxes.get(to_usize(k)), index).then_some(k);
                }
                Child::Node(n) => {
                    let node = self.nodes.get(to_usize(n))?;
                    let inside = match node.dimension {
                        WHOLE => boxes::contains(self.whole(node), index),
                        dimension => node.span.contains(*index.get(usize::from(dimension))?),
                    };
                    match inside {
                        true if node.cut => node.first(),
                        true => match self.find_below(node.first(), boxes, index) {
                            None => node.second(),
                            found => return found,
                        },
                        false => node.second(),
                    }
                }
            }
        }
    }

    /// Every box that has an index in common with `query`, which is not empty; in no order.
    pub(super) fn each_meeting(
        &self,
        boxes: &Boxes,
        query: &[Span],
        visit: &mut dyn FnMut(u32) -> Result<()>,
    ) -> Result<()> {
        match self.root {
            Some(root) => self.each_below(root, boxes, query, visit),
            None => Ok(()),
        }
    }

    fn each_below(
        &self,
        mut child: Child,
        boxes: &Boxes,
        query: &[Span],
        visit: &mut dyn FnMut(u32) -> Result<()>,
    ) -> Result<()> {
        loop {
            child = match child {
                Child::Member(k) if boxes::meet(boxes.get(to_usize(k)), query) => return visit(k),
                Child::Member(_) => return Ok(()),
                Child::Node(n) => {
                    let Some(node) = self.nodes.get(to_usize(n)) else { return Ok(()) };
                    let (meets, holds) = match node.dimension {
                        WHOLE => {
                            let around = self.whole(node);
                            (boxes::meet(around, query), boxes::holds(around, query))
                        }
                        dimension => match query.get(usize::from(dimension)) {
                            Some(&query) => (node.span.meets(query), node.span.holds(query)),
                            None => (true, false),
                        },
                    };
                    if node.cut && holds {
                        node.first()
                    } else {
                        if meets {
                            self.each_below(node.first(), boxes, query, visit)?;
                        }
                        node.second()
                    }
                }
            }
        }
    }

    /// Bytes that it costs on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        let nodes = self.nodes.capacity().saturating_mul(size_of::<Node>());
        nodes.saturating_add(self.whole.memory_bytes())
    }

    fn whole(&self, node: &Node) -> &[Span] {
        self.whole.get(usize::try_from(node.span.lower).unwrap_or(usize::MAX))
    }
}

impl Node {
    fn first(&self) -> Child {
        Child::new(self.first, self.first_is_node)
    }

    fn second(&self) -> Child {
        Child::new(self.second, self.second_is_node)
    }
}

impl Child {
    fn new(number: u32, is_node: bool) -> Self {
        if is_node { Self::Node(number) } else { Self::Member(number) }
    }

    fn parts(self) -> (u32, bool) {
        match self {
            Self::Member(k) => (k, false),
            Self::Node(n) => (n, true),
        }
    }
}

/// The place in a list of what 32 bits number.
fn to_usize(k: u32) -> usize {
    usize::try_from(k).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
