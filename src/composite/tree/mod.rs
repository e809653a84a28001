//! Which boxes hold an index or meet a box: a search tree over boxes of any form.
//!
//! Every inner node has two children and the smallest box around its members. Where the members
//! lie so that a plane cuts between them, one child holds what is inside a box and the other what
//! is outside it, and a search follows one of them. Tilings made by such cuts (grids among them)
//! have a tree whose depth is at most some three times the logarithm of their number, whatever
//! the order of the cuts; see [`build`]. Where no plane does, both children have to be looked at
//! if the boxes around them say so. A search never makes more than twice the tests of a scan.
//!
//! Memory: one box and 20 bytes a member, beside the boxes themselves.

mod build;
mod cuts;

use super::boxes::{self, Boxes, Span};
use crate::error::Result;

/// A search tree over boxes, which it does not hold. Empty ones are not in it.
#[derive(Debug)]
pub(super) struct Tree {
    root: Option<Child>,
    nodes: Vec<Node>,
    /// The smallest box around the members of each node.
    around: Boxes,
}

#[derive(Clone, Copy, Debug)]
enum Child {
    /// A box, by its place in the list.
    Member(u32),
    Node(u32),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: Child,
    second: Child,
    /// Whether the box around `first` meets no member of `second`.
    cut: bool,
}

impl Tree {
    /// A tree over these boxes, in O(r n log^2 n) for n boxes of rank r that cuts divide, and at
    /// most O(r^2 n log^2 n) for any.
    pub(super) fn new(boxes: &Boxes) -> Result<Self> {
        build::build(boxes)
    }

    /// A box that holds `index`; the only one where boxes do not overlap.
    pub(super) fn find(&self, boxes: &Boxes, index: &[u64]) -> Option<u32> {
        self.find_below(self.root?, boxes, index)
    }

    fn find_below(&self, mut child: Child, boxes: &Boxes, index: &[u64]) -> Option<u32> {
        let holds = |child| boxes::contains(self.around(child, boxes), index);
        loop {
            child = match child {
                Child::Member(k) => return holds(child).then_some(k),
                Child::Node(n) => {
                    let &Node { first, second, cut } = self.nodes.get(to_usize(n))?;
                    match holds(first) {
                        true if cut => first,
                        true => match self.find_below(first, boxes, index) {
                            None => second,
                            found => return found,
                        },
                        false if !cut && !holds(second) => return None,
                        false => second,
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
            let around = self.around(child, boxes);
            if !boxes::meet(around, query) {
                return Ok(());
            }
            child = match child {
                Child::Member(k) => return visit(k),
                Child::Node(n) => {
                    let Some(&Node { first, second, cut }) = self.nodes.get(to_usize(n)) else {
                        return Ok(());
                    };
                    if cut && boxes::holds(self.around(first, boxes), query) {
                        first
                    } else {
                        self.each_below(first, boxes, query, visit)?;
                        second
                    }
                }
            }
        }
    }

    /// Bytes that it costs.
    pub(super) fn memory_bytes(&self) -> usize {
        self.nodes
            .capacity()
            .saturating_mul(size_of::<Node>())
            .saturating_add(self.around.memory_bytes())
    }

    fn around<'b>(&'b self, child: Child, boxes: &'b Boxes) -> &'b [Span] {
        match child {
            Child::Member(k) => boxes.get(to_usize(k)),
            Child::Node(n) => self.around.get(to_usize(n)),
        }
    }
}

/// The place in a list of what 32 bits number.
fn to_usize(k: u32) -> usize {
    usize::try_from(k).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
