//! A box of the merged view in pieces: what of it lies in which tensor.

use super::boxes::Span;
use super::view::{Composite, Placed};
use crate::bytes::{Few, memory};
use crate::descriptor::layout::{Combine, Composition};
use crate::error::Result;

/// A part of one tensor that a box of the view takes in.
pub(crate) struct Piece<'p> {
    /// The tensor, by its place in the index.
    pub(crate) tensor: u64,
    /// The part, in the tensor's own index space.
    pub(crate) region: &'p [Span],
    /// Where it begins, counted from the lower bound of the box.
    pub(crate) at: &'p [u64],
    pub(crate) lies: Lies,
}

/// How a piece lies in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    /// Alone: as a part of a partition.
    Alone,
    /// At the bottom of an overlay.
    Below(Combine),
    /// Over the pieces of an overlay that came before it.
    Over(Combine),
}

/// Where pieces go.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(Piece<'_>) -> Result<()>;

/// How far down a box is taken apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// To plain tensors and to heads of overlays.
    Overlays,
    /// To plain tensors.
    Tensors,
}

impl Composite {
    /// Takes a box apart, in the order of the descriptors, which is that in which the members of
    /// overlays apply. The box is not empty and lies in the head that `placed` is of.
    pub(super) fn take_apart(
        &self,
        placed: &Placed,
        query: &[Span],
        at: &[u64],
        depth: Depth,
        visit: Visit<'_>,
    ) -> Result<()> {
        let boxes = placed.boxes();
        let mut met = Vec::new();
        placed.tree()?.each_meeting(boxes, query, &mut |member| memory::push(&mut met, member))?;
        met.sort_unstable();
        for member in met {
            let spans = placed.box_of(member);
            let mut region = Few::<Span, 4>::new();
            let mut start = Few::<u64, 4>::new();
            for ((query, span), at) in query.iter().zip(spans).zip(at) {
                region.push(query.within(*span))?;
                start.push(at.saturating_add(span.lower.saturating_sub(query.lower)))?;
            }
            let inner = self.nested(placed, member).filter(|inner| match inner.composition() {
                Some(Composition::Partition) => true,
                Some(Composition::Overlay(_)) => depth == Depth::Tensors,
                _ => false,
            });
            match inner {
                Some(inner) => self.take_apart(inner, &region, &start, depth, visit)?,
                None => visit(Piece {
                    tensor: placed.tensor_of(member)?,
                    region: &region,
                    at: &start,
                    lies: match placed.composition() {
                        Some(Composition::Overlay(combine)) if member > 0 => Lies::Over(combine),
                        Some(Composition::Overlay(combine)) => Lies::Below(combine),
                        _ => Lies::Alone,
                    },
                })?,
            }
        }
        Ok(())
    }
}
