//! Who belongs to which head in a file (composite.md, Binding). Whether the members obey the rules
//! is another matter: [`Membership::open`] asks.

use super::heads::{Bound, Heads};
use super::view::Composite;
use crate::bytes::{math, memory};
use crate::container::File;
use crate::descriptor::layout::Layout;
use crate::error::{Error, ErrorKind, Result};
use std::cmp::Ordering;

/// The composites of a file, found once. Never changes; any number of threads may use it.
///
/// Finding them takes a step for every tensor, and reads the descriptors of those that have no
/// data: a head has none. It keeps 48 bytes for each head, nothing for the other tensors, and the
/// file open.
#[derive(Debug)]
pub struct Membership {
    file: File,
    heads: Heads,
}

/// What is known of a head without a look at its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The head, by its place in the index.
    pub tensor: u64,
    /// member_count.
    pub promised: u32,
    /// Members in the file; fewer when the composite is torn.
    pub found: u32,
    /// Level of nesting; 1 for the outermost head. More than 8 is invalid.
    pub level: u32,
    /// Whether all members are there, and all of theirs.
    pub complete: bool,
    /// The head that binds it.
    pub outer: Option<u64>,
}

impl Membership {
    /// Finds the composites of a file. What breaks a rule is left for those who open it; fails
    /// only when the system or memory does.
    ///
    /// A head whose descriptor is not valid binds nothing.
    pub fn of(file: &File) -> Result<Self> {
        let mut heads = Heads::default();
        for place in 0..file.tensor_count() {
            let tensor = file.in_file_order(place)?;
            heads.add(tensor, promised(file, tensor)?)?;
        }
        heads.finish();
        Ok(Self { file: file.clone(), heads })
    }

    /// How many heads there are.
    pub fn head_count(&self) -> u64 {
        math::wide(self.heads.all().len())
    }

    /// The `k`-th head by its place in the file.
    pub fn head_at(&self, k: u64) -> Option<Head> {
        self.heads.all().get(usize::try_from(k).ok()?).map(|bound| self.head(bound))
    }

    /// What is known of a head, by its place in the index; `None` for another tensor.
    pub fn head_of(&self, tensor: u64) -> Result<Option<Head>> {
        let place = place_of(&self.file, tensor)?;
        Ok(self.heads.at(place).map(|bound| self.head(bound)))
    }

    /// The head that binds a tensor, by its place in the index.
    pub fn composite_of(&self, tensor: u64) -> Result<Option<u64>> {
        let place = place_of(&self.file, tensor)?;
        Ok(self.heads.around(place).map(|bound| bound.tensor))
    }

    /// The members that a head binds, by their place in the index and in order. Nothing about them
    /// was checked.
    pub fn members_of(&self, head: u64) -> Result<Vec<u64>> {
        let bound = self.find(head)?;
        let mut members = memory::vec(usize::try_from(bound.found).unwrap_or(usize::MAX))?;
        let mut place = bound.place.saturating_add(1);
        while place < bound.end {
            memory::push(&mut members, self.file.in_file_order(place)?)?;
            // A member that is a head is followed by its own.
            place = self.heads.at(place).map_or(place.saturating_add(1), |inner| inner.end);
        }
        Ok(members)
    }

    /// Opens a composite, by the place of its head in the index: checks it with all that is nested
    /// in it, rule by rule.
    ///
    /// In strict mode a composite that lacks members, or that breaks a rule, is an error. In
    /// permissive mode one that lacks members is opened as a list of those that are there, and the
    /// members of a partition may leave indices out or share them.
    pub fn open(&self, head: u64) -> Result<Composite> {
        let bound = self.find(head)?;
        Composite::open(&self.file, bound.place..bound.end, bound.level, bound.complete)
    }

    fn find(&self, tensor: u64) -> Result<&Bound> {
        let place = place_of(&self.file, tensor)?;
        if let Some(found) = self.heads.at(place) {
            return Ok(found);
        }
        // It may be a head that is not valid.
        let tensor = self.file.tensor(tensor)?;
        let (wanted, found) = ("a composite head", "a plain tensor");
        let error = Error::new(ErrorKind::WrongType { wanted, found });
        Err(error.in_tensor(tensor.index(), tensor.name()))
    }

    fn head(&self, bound: &Bound) -> Head {
        let &Bound { tensor, promised, found, level, complete, .. } = bound;
        let outer = self.heads.outer(bound).map(|outer| outer.tensor);
        Head { tensor, promised, found, level, complete, outer }
    }
}

/// The place of a tensor in the order of the descriptors; equal ones keep the order of the index.
fn place_of(file: &File, tensor: u64) -> Result<u64> {
    let wanted = (file.entry(tensor)?.descriptor_offset, tensor);
    let (mut low, mut high) = (0, file.tensor_count());
    while low < high {
        let middle = low.midpoint(high);
        let found = file.in_file_order(middle)?;
        match (file.entry(found)?.descriptor_offset, found).cmp(&wanted) {
            Ordering::Less => low = middle.saturating_add(1),
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(Error::new(ErrorKind::Internal { what: "tensor has no place in the file" }))
}

/// The member_count of a tensor that is a head.
fn promised(file: &File, tensor: u64) -> Result<Option<u32>> {
    if file.entry(tensor)?.data_length != 0 {
        return Ok(None);
    }
    match file.tensor(tensor) {
        Ok(tensor) => match tensor.descriptor().layout() {
            Layout::Composite(fields) => Ok(Some(fields.member_count())),
            _ => Ok(None),
        },
        Err(error) if error.kind().is_verdict() => Ok(None),
        Err(error) => Err(error),
    }
}
