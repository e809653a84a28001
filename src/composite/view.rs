//! One composite of a file, checked, and where its elements are.

use super::boxes::{Boxes, Span};
use super::pieces::{Depth, Visit};
use super::rules;
use super::sequence::{MAX_LEVELS, Part, Sequence};
use super::tree::Tree;
use crate::address::{check_box, check_index, check_rank};
use crate::bytes::{Few, math, memory};
use crate::container::File;
use crate::descriptor::Descriptor;
use crate::descriptor::layout::Composition;
use crate::error::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::OnceLock;

/// A composite of an open file. Never changes, keeps the file open, and can be used from any
/// number of threads at a time.
///
/// It keeps 8 bytes for every member, and for those that have a place in the head their box, 16
/// bytes a dimension. The first question about places adds 32 bytes a member, and at most one box.
/// No descriptors are kept but those of heads.
#[derive(Debug)]
pub struct Composite {
    file: File,
    /// The composite and those nested in it, inner ones first.
    parts: Vec<Placed>,
    complete: bool,
}

/// One head in it, with its members.
#[derive(Debug)]
pub(super) struct Placed {
    part: Part,
    /// Made when it is first needed.
    tree: OnceLock<Tree>,
}

impl Placed {
    pub(super) fn tree(&self) -> Result<&Tree> {
        match self.tree.get() {
            Some(tree) => Ok(tree),
            None => {
                let tree = Tree::new(&self.part.boxes)?;
                Ok(self.tree.get_or_init(|| tree))
            }
        }
    }

    pub(super) fn composition(&self) -> Option<Composition> {
        rules::composition(&self.part.head)
    }

    pub(super) fn boxes(&self) -> &Boxes {
        &self.part.boxes
    }

    pub(super) fn box_of(&self, member: u32) -> &[Span] {
        self.part.boxes.get(usize::try_from(member).unwrap_or(usize::MAX))
    }

    pub(super) fn tensor_of(&self, member: u32) -> Result<u64> {
        let tensor = usize::try_from(member).ok().and_then(|k| self.part.members.get(k));
        let what = "member of no number";
        tensor.copied().ok_or_else(|| Error::new(ErrorKind::Internal { what }))
    }
}

impl Composite {
    /// Opens the composite that takes up these places of the file, its head first.
    pub(super) fn open(
        file: &File,
        places: Range<u64>,
        level: u32,
        complete: bool,
    ) -> Result<Self> {
        let above = usize::try_from(level).unwrap_or(MAX_LEVELS).saturating_sub(1);
        let mut sequence = Sequence::keeping(file, above);
        let mut first = None;
        for place in places {
            let tensor = file.tensor(file.in_file_order(place)?)?;
            sequence.add(tensor.index(), tensor.descriptor(), &mut |error| {
                first.get_or_insert(error);
            })?;
            if let Some(error) = first {
                return Err(error);
            }
        }
        if !file.mode().is_permissive() {
            sequence.finish(&mut |error| {
                first.get_or_insert(error);
            });
        }
        if let Some(error) = first {
            return Err(error);
        }
        let (mut kept, torn) = sequence.into_parts();
        if let Some(torn) = torn {
            memory::push(&mut kept, torn)?;
        }
        let mut parts = memory::vec(kept.len())?;
        parts.extend(kept.into_iter().map(|part| Placed { part, tree: OnceLock::new() }));
        match parts.is_empty() {
            true => Err(Error::new(ErrorKind::Internal { what: "composite without a head" })),
            false => Ok(Self { file: file.clone(), parts, complete }),
        }
    }

    /// The file it is in.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The head, by its place in the index.
    pub fn tensor(&self) -> u64 {
        self.root().map_or(0, |root| root.part.tensor)
    }

    /// The head.
    pub fn head(&self) -> Result<&Descriptor> {
        self.root().map(|root| &root.part.head).ok_or_else(no_head)
    }

    /// Whether all members are there. Without them, which only permissive mode gets to see, it is
    /// a list of members and has no view.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether the members of every partition in it tile their head. Always, but in permissive
    /// mode.
    pub fn is_exact(&self) -> bool {
        self.first_inexact().is_none()
    }

    /// The head of a partition in it whose members do not tile it, by its place in the index.
    pub(crate) fn first_inexact(&self) -> Option<u64> {
        self.parts.iter().find(|placed| !placed.part.exact).map(|placed| placed.part.tensor)
    }

    /// How many members it has itself.
    pub fn member_count(&self) -> u64 {
        self.root().map_or(0, |root| math::wide(root.part.members.len()))
    }

    /// Its `k`-th member, by the place in the index.
    pub fn member_at(&self, k: u64) -> Result<u64> {
        let member = usize::try_from(k).ok().and_then(|k| self.root()?.part.members.get(k));
        let count = self.member_count();
        let kind = ErrorKind::Index { what: "member", value: k, count };
        member.copied().ok_or_else(|| Error::new(kind))
    }

    /// Where the element at `index` is: the tensor, by its place in the index, and in `local` the
    /// index in it. Both lists have one number a dimension.
    ///
    /// Goes down through partitions to a plain tensor or to the head of an overlay, which is the
    /// answer for an overlay itself: [`members_in`](Self::members_in) tells what lies there.
    /// Groups have no places. Takes O(log n) steps for n members that cuts through whole boxes
    /// divide, as in a grid, and never more than twice the n of a scan.
    pub fn locate(&self, index: &[u64], local: &mut [u64]) -> Result<u64> {
        let mut placed = self.place_in_view()?;
        let shape = placed.part.head.shape();
        check_rank("index", index, shape)?;
        check_rank("local index", local, shape)?;
        check_index(index, shape)?;
        local.copy_from_slice(index);
        // Each level of nesting is one turn.
        loop {
            if placed.composition() != Some(Composition::Partition) {
                return Ok(placed.part.tensor);
            }
            let Some(member) = placed.tree()?.find(placed.boxes(), local) else {
                let error = Error::new(ErrorKind::Uncovered).at_index(index);
                return Err(self.in_tensor(error, placed.part.tensor));
            };
            for (x, span) in local.iter_mut().zip(placed.box_of(member)) {
                *x = x.saturating_sub(span.lower);
            }
            placed = match self.nested(placed, member) {
                Some(inner) => inner,
                None => return placed.tensor_of(member),
            };
        }
    }

    /// The tensors that a box touches, from `lower` on with `extent` indices a dimension: plain
    /// tensors and heads of overlays, through nested partitions, by their places in the index and
    /// in the order of their descriptors. In an overlay that is the order in which they apply; a
    /// box of one index tells which do there.
    ///
    /// Gives how many there are, and fills `out` with those from the `first` on.
    pub fn members_in(
        &self,
        lower: &[u64],
        extent: &[u64],
        first: u64,
        out: &mut [u64],
    ) -> Result<u64> {
        let mut count = 0_u64;
        self.pieces(lower, extent, Depth::Overlays, &mut |piece| {
            let place = count.checked_sub(first).and_then(|place| usize::try_from(place).ok());
            if let Some(room) = place.and_then(|place| out.get_mut(place)) {
                *room = piece.tensor;
            }
            count = count.saturating_add(1);
            Ok(())
        })?;
        Ok(count)
    }

    /// Whether the composite has a view, and the box lies in it.
    pub(crate) fn check_box(&self, lower: &[u64], extent: &[u64]) -> Result<()> {
        check_box(lower, extent, self.place_in_view()?.part.head.shape())
    }

    /// Takes a box of the view apart: see [`take_apart`](Self::take_apart).
    pub(crate) fn pieces(
        &self,
        lower: &[u64],
        extent: &[u64],
        depth: Depth,
        visit: Visit<'_>,
    ) -> Result<()> {
        let placed = self.place_in_view()?;
        match query(placed.part.head.shape(), lower, extent)? {
            Some(query) => {
                let start = Few::<u64, 4>::map(&query, |_| 0)?;
                self.take_apart(placed, &query, &start, depth, visit)
            }
            None => Ok(()),
        }
    }

    /// What a member that is itself a head has members of its own in.
    pub(super) fn nested(&self, placed: &Placed, member: u32) -> Option<&Placed> {
        let member = usize::try_from(member).ok()?;
        let nested = &placed.part.nested;
        let k = nested.binary_search_by_key(&member, |&(member, _)| member).ok()?;
        nested.get(k).and_then(|&(_, part)| self.parts.get(part))
    }

    /// Bytes of memory that it costs.
    pub fn memory_bytes(&self) -> usize {
        let sizes = self.parts.iter().map(|Placed { part, tree }| {
            let nested = part.nested.capacity().saturating_mul(size_of::<(usize, usize)>());
            size_of::<Placed>()
                .saturating_add(part.head.memory_bytes().saturating_sub(size_of::<Descriptor>()))
                .saturating_add(part.members.capacity().saturating_mul(size_of::<u64>()))
                .saturating_add(part.boxes.memory_bytes())
                .saturating_add(nested)
                .saturating_add(tree.get().map_or(0, Tree::memory_bytes))
        });
        sizes.fold(size_of::<Self>(), usize::saturating_add)
    }

    fn root(&self) -> Option<&Placed> {
        self.parts.last()
    }

    /// The outermost part, if it has places.
    fn place_in_view(&self) -> Result<&Placed> {
        let root = self.root().ok_or_else(no_head)?;
        if !self.complete {
            let what = "the composite is torn: it has members, but no view";
            return Err(self.in_tensor(Error::new(ErrorKind::State { what }), root.part.tensor));
        }
        let found = match root.composition() {
            Some(Composition::Partition | Composition::Overlay(_)) => return Ok(root),
            Some(Composition::Private(_)) => "a composite of a private rule",
            Some(Composition::Group) | None => "a group",
        };
        let wanted = "a partition or overlay";
        Err(self.in_tensor(Error::new(ErrorKind::WrongType { wanted, found }), root.part.tensor))
    }

    fn in_tensor(&self, error: Error, tensor: u64) -> Error {
        match self.file.entry(tensor) {
            Ok(entry) => error.in_tensor(tensor, entry.name),
            Err(_) => error.in_nameless_tensor(tensor),
        }
    }
}

fn no_head() -> Error {
    Error::new(ErrorKind::Internal { what: "composite without a head" })
}

/// A box that a caller asks about; `None` when it is empty.
fn query(shape: &[u64], lower: &[u64], extent: &[u64]) -> Result<Option<Few<Span, 4>>> {
    check_box(lower, extent, shape)?;
    let mut query = Few::new();
    for (&lower, &extent) in lower.iter().zip(extent) {
        query.push(Span { lower, upper: lower.saturating_add(extent) })?;
    }
    Ok((!extent.contains(&0)).then_some(query))
}
