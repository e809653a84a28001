//! CSF (layouts.md): a tree of coordinates, a level for each dimension.

use super::super::indices::{Indices, Window};
use super::super::values::Values;
use super::{Batch, Side, Sides, Spot};
use crate::bytes::{Few, math};
use crate::descriptor::layout::Csf;
use crate::error::{EntryFault, Error, ErrorKind, Result};

/// The tree of a tensor.
pub(super) struct Tree<'t, 'v> {
    values: &'t Values<'v>,
    layout: &'t Csf,
}

/// Nodes that follow one another under one parent, and what is known of where they lead.
#[derive(Clone, Copy, Debug, Default)]
struct Nodes {
    next: u64,
    end: u64,
    spot: Spot,
    previous: Option<u64>,
}

impl<'t, 'v> Tree<'t, 'v> {
    pub(super) fn new(values: &'t Values<'v>, layout: &'t Csf) -> Result<Self> {
        Ok(Self { values, layout })
    }

    /// The dimension of a level.
    fn dimension(&self, level: usize) -> usize {
        let mode = self.layout.mode_order().get(level).copied();
        mode.and_then(|mode| usize::try_from(mode).ok()).unwrap_or(usize::MAX)
    }

    fn last(&self) -> usize {
        self.layout.mode_order().len().saturating_sub(1)
    }

    fn indices(&self, level: usize, name: &'static str, after: u64) -> Result<Indices<'v>> {
        let number = math::wide(level).saturating_mul(2).saturating_add(after);
        let level = u32::try_from(level).ok();
        Ok(Indices::new(self.values.buffer(number)?, name, level, 8))
    }

    fn pos(&self, level: usize) -> Result<Indices<'v>> {
        self.indices(level, "pos", 1)
    }

    fn crd(&self, level: usize) -> Result<Indices<'v>> {
        self.indices(level, "crd", 2)
    }

    /// How many nodes a level may have.
    fn limit(&self, level: usize) -> Result<u64> {
        if level == self.last() { Ok(self.layout.nnz()) } else { Ok(self.crd(level)?.len()) }
    }

    pub(super) fn find(&self, index: &[u64]) -> Result<Option<u64>> {
        let mut node = 0;
        for level in 0..=self.last() {
            let x = index.get(self.dimension(level)).copied().unwrap_or_default();
            let (begin, end) = self.pos(level)?.range(node, self.limit(level)?)?;
            let crd = self.crd(level)?;
            node = crd.lower_bound(begin, end, 1, x)?;
            if node >= end || crd.at(node)? != x {
                return Ok(None);
            }
        }
        Ok(Some(node))
    }

    pub(super) fn bring(&self, sides: &Sides, batch: &mut Batch<'_, '_, '_, '_>) -> Result<()> {
        let last = self.last();
        let mut levels = Few::<Nodes, 4>::with_capacity(last.saturating_add(1))?;
        for _ in 0..=last {
            levels.push(Nodes::default())?;
        }
        let levels = levels.as_mut_slice();
        // Most nodes are those of the last level, and most pointers those to them.
        let mut leaves = Window::new(self.crd(last)?, 1);
        let mut to_leaves = Window::new(self.pos(last)?, 1);
        let (mut level, mut parent, mut spot) = (0, 0, sides.start);
        // Whether a level is entered, from `parent` in the one above, or gone on with.
        let mut enters = true;
        loop {
            let side = sides.side(self.dimension(level));
            if enters {
                let nodes = if level == last {
                    let range = (to_leaves.at(parent)?, to_leaves.at(parent.saturating_add(1))?);
                    let limit = self.layout.nnz();
                    to_leaves.indices.check_range(parent, range.0, range.1, limit)?;
                    range
                } else {
                    self.pos(level)?.range(parent, self.limit(level)?)?
                };
                let (mut next, end) = nodes;
                if side.lower > 0 {
                    next = self.crd(level)?.lower_bound(next, end, 1, side.lower)?;
                }
                *at(levels, level)? = Nodes { next, end, spot, previous: None };
            }
            let nodes = at(levels, level)?;
            if level == last {
                leaf(nodes, side, &mut leaves, batch)?;
            } else if let Some((node, x)) = next(nodes, side, &self.crd(level)?)? {
                (parent, spot) = (node, side.add(nodes.spot, x));
                (level, enters) = (level.saturating_add(1), true);
                continue;
            }
            // All of this level is done: on with the one above.
            enters = false;
            match level.checked_sub(1) {
                Some(above) => level = above,
                None => return Ok(()),
            }
        }
    }
}

fn at(levels: &mut [Nodes], level: usize) -> Result<&mut Nodes> {
    let what = "a level that the tree does not have";
    levels.get_mut(level).ok_or_else(|| Error::new(ErrorKind::Internal { what }))
}

/// The next node in the box, and its coordinate.
fn next(nodes: &mut Nodes, side: Side, crd: &Indices<'_>) -> Result<Option<(u64, u64)>> {
    while nodes.next < nodes.end {
        let node = nodes.next;
        nodes.next = node.saturating_add(1);
        let x = crd.check(node, crd.at(node)?, side.size)?;
        ascends(nodes, node, x, crd)?;
        if x >= side.upper {
            nodes.next = nodes.end;
        } else if x >= side.lower {
            return Ok(Some((node, x)));
        }
    }
    Ok(None)
}

/// Brings the values under one parent of the last level.
fn leaf(
    nodes: &mut Nodes,
    side: Side,
    crd: &mut Window<'_>,
    batch: &mut Batch<'_, '_, '_, '_>,
) -> Result<()> {
    while nodes.next < nodes.end {
        let node = nodes.next;
        let x = crd.at(node)?;
        crd.indices.check(node, x, side.size)?;
        ascends(nodes, node, x, &crd.indices)?;
        if x >= side.upper {
            return Ok(());
        }
        if x >= side.lower {
            batch.push(node, side.add(nodes.spot, x))?;
        }
        nodes.next = node.saturating_add(1);
    }
    Ok(())
}

fn ascends(nodes: &mut Nodes, node: u64, x: u64, crd: &Indices<'_>) -> Result<()> {
    if let Some(previous) = nodes.previous.filter(|&previous| previous >= x) {
        return Err(crd.fault(node, EntryFault::NotAbove { value: x, previous }));
    }
    nodes.previous = Some(x);
    Ok(())
}
