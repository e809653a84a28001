//! Tensors in the order of their descriptors, and the composites among them: who belongs to which
//! head, and whether that holds (composite.md, Binding and Validation).
//!
//! A head binds the next member_count tensors; a member that is a head takes its own members
//! first. So the composites that wait for members are a stack, and every tensor belongs to the
//! one on top.

use super::boxes::Boxes;
use super::cover;
use super::keyed::{Key, Method};
use super::rules;
use super::search::CoverFault;
use crate::bytes::{math, memory};
use crate::container::File;
use crate::descriptor::layout::{Composition, Layout};
use crate::descriptor::{Descriptor, Mode};
use crate::error::{Error, ErrorKind, Result};

/// Levels of nesting; the outermost head is level 1 (decisions.md row 39).
pub(super) const MAX_LEVELS: usize = 8;

/// Tensors as they come, with the composites that wait for members.
///
/// Memory: for every member of a composite that waits, 8 bytes, and 16 a dimension if it has a
/// place in the head.
#[derive(Debug)]
pub(crate) struct Sequence {
    mode: Mode,
    /// The file whose index names the tensors; without one they are numbered as they come.
    file: Option<File>,
    /// Levels above the first.
    above: usize,
    waiting: Vec<Waiting>,
    /// Tensors to come that belong to a composite that was given up.
    skip: u64,
    /// The composites that were closed, if they are to be kept.
    kept: Option<Vec<Part>>,
}

/// One head with its members, without their descriptors.
#[derive(Debug)]
pub(super) struct Part {
    /// The head.
    pub(super) tensor: u64,
    pub(super) head: Descriptor,
    /// Every member, by its tensor.
    pub(super) members: Vec<u64>,
    /// The box of every member of a partition or overlay.
    pub(super) boxes: Boxes,
    /// The members that are heads: place among the members, and place among the kept parts.
    pub(super) nested: Vec<(usize, usize)>,
    /// Whether the members of a partition tile it. Only permissive mode knows others.
    pub(super) exact: bool,
}

#[derive(Debug)]
struct Waiting {
    part: Part,
    promised: u64,
    /// Whether no member broke a rule.
    sound: bool,
}

impl Waiting {
    fn found(&self) -> u64 {
        math::wide(self.part.members.len())
    }

    fn missing(&self) -> u64 {
        self.promised.saturating_sub(self.found())
    }
}

/// Where violations go.
pub(crate) type Report<'r> = &'r mut dyn FnMut(Error);

impl Sequence {
    /// Nothing yet. Tensors are those of `file`, if there is one.
    pub(crate) fn new(mode: Mode, file: Option<File>) -> Self {
        Self { mode, file, above: 0, waiting: Vec::new(), skip: 0, kept: None }
    }

    /// Nothing yet, below `above` levels of nesting; what is closed is kept.
    pub(super) fn keeping(file: &File, above: usize) -> Self {
        let kept = Some(Vec::new());
        Self { above, kept, ..Self::new(file.mode(), Some(file.clone())) }
    }

    /// The next tensor. Violations are reported and what they spoil is passed over; fails only
    /// when memory or the system does.
    pub(crate) fn add(&mut self, tensor: u64, d: &Descriptor, report: Report<'_>) -> Result<()> {
        self.bind(tensor, d, report)?;
        self.close_full(0, report)
    }

    /// Like [`add`](Self::add), but leaves the outermost composite open when it is full.
    pub(super) fn add_inside(
        &mut self,
        tensor: u64,
        d: &Descriptor,
        report: Report<'_>,
    ) -> Result<()> {
        self.bind(tensor, d, report)?;
        self.close_full(1, report)
    }

    /// A tensor whose descriptor is not known: it could be a head. Whatever waits for it is given
    /// up.
    pub(crate) fn add_unknown(&mut self) {
        if self.skip == 0 {
            self.give_up();
        }
        self.skip = self.skip.saturating_sub(1);
    }

    /// The end: what still waits is torn. Reported in every mode; in permissive mode its members
    /// are still good for themselves.
    pub(crate) fn finish(&mut self, report: Report<'_>) {
        for waiting in self.waiting.iter().filter(|waiting| waiting.missing() > 0) {
            let (promised, found) = (waiting.promised, waiting.found());
            let error = Error::new(ErrorKind::Torn { promised, found });
            report(self.in_tensor(error, waiting.part.tensor));
        }
    }

    /// Whether the outermost composite has all its members, and they theirs.
    pub(super) fn is_full(&self) -> bool {
        matches!(&*self.waiting, [only] if only.missing() == 0)
    }

    /// The parts that were kept, inner ones first; and the outermost, if it still waits.
    pub(super) fn into_parts(self) -> (Vec<Part>, Option<Part>) {
        let torn = self.waiting.into_iter().next().map(|waiting| waiting.part);
        (self.kept.unwrap_or_default(), torn)
    }

    fn bind(&mut self, tensor: u64, d: &Descriptor, report: Report<'_>) -> Result<()> {
        let promised = match d.layout() {
            Layout::Composite(fields) => Some(u64::from(fields.member_count())),
            _ => None,
        };
        if self.skip > 0 {
            self.skip = self.skip.saturating_sub(1).saturating_add(promised.unwrap_or(0));
            return Ok(());
        }
        let broken = self.take_member(tensor, d)?;
        if let Some(error) = broken {
            report(error);
        }
        let Some(promised) = promised else {
            return Ok(());
        };
        let level = self.above.saturating_add(self.waiting.len()).saturating_add(1);
        if level > MAX_LEVELS {
            let (value, max) = (math::wide(level), math::wide(MAX_LEVELS));
            let kind = ErrorKind::Limits { what: "level of nesting", value, min: 1, max };
            report(self.in_tensor(Error::new(kind), tensor));
            self.give_up();
            self.skip = self.skip.saturating_add(promised);
            return Ok(());
        }
        let part = Part {
            tensor,
            head: d.try_clone()?,
            members: Vec::new(),
            boxes: Boxes::new(d.shape().len()),
            nested: Vec::new(),
            exact: true,
        };
        memory::push(&mut self.waiting, Waiting { part, promised, sound: true })
    }

    /// Adds the tensor to the composite that waits for it, if one does; gives the rule it breaks.
    fn take_member(&mut self, tensor: u64, d: &Descriptor) -> Result<Option<Error>> {
        let Some(Waiting { part, sound, .. }) = self.waiting.last_mut() else {
            return Ok(None);
        };
        let ordinal = math::wide(part.members.len());
        memory::push(&mut part.members, tensor)?;
        let error = match rules::check_member(&part.head, ordinal, d) {
            Ok(Some(shard)) => {
                part.boxes.push(shard.offset(), d.shape())?;
                return Ok(None);
            }
            Ok(None) => return Ok(None),
            Err(error) => error,
        };
        if !error.kind().is_verdict() {
            return Err(error);
        }
        *sound = false;
        let head = part.tensor;
        Ok(Some(self.in_tensor(error.in_member(ordinal, head, self.name(head)), tensor)))
    }

    /// Closes the composites that have all their members, down to the `keep_open` outermost.
    pub(super) fn close_full(&mut self, keep_open: usize, report: Report<'_>) -> Result<()> {
        while self.waiting.len() > keep_open
            && let Some(Waiting { mut part, sound, .. }) =
                self.waiting.pop_if(|waiting| waiting.missing() == 0)
        {
            if sound && let Some(error) = self.check_cover(&part)? {
                part.exact = false;
                if !self.mode.is_permissive() {
                    report(error);
                }
            }
            if let Some(kept) = &mut self.kept {
                if let Some(outer) = self.waiting.last_mut() {
                    let place = outer.part.members.len().saturating_sub(1);
                    memory::push(&mut outer.part.nested, (place, kept.len()))?;
                }
                memory::push(kept, part)?;
            }
        }
        Ok(())
    }

    /// The rule for all members of a partition together.
    fn check_cover(&self, part: &Part) -> Result<Option<Error>> {
        if rules::composition(&part.head) != Some(Composition::Partition) {
            return Ok(None);
        }
        let key = Key::draw()?;
        let fault = cover::check(part.head.shape(), &part.boxes, key, Method::Fastest)?;
        let of = |k: usize| part.members.get(k).copied().unwrap_or_default();
        Ok(fault.map(|fault| match fault {
            CoverFault::Uncovered { index } => {
                self.in_tensor(Error::new(ErrorKind::Uncovered).at_index(&index), part.tensor)
            }
            CoverFault::Overlap { first, second, index } => {
                let error = Error::new(ErrorKind::MembersOverlap { member: math::wide(first) })
                    .in_member(math::wide(second), part.tensor, self.name(part.tensor))
                    .beside(of(first), self.name(of(first)))
                    .at_index(&index);
                self.in_tensor(error, of(second))
            }
            CoverFault::NotFound => self.in_tensor(Error::new(ErrorKind::NotTiled), part.tensor),
        }))
    }

    /// Gives up all that waits: its members that are still to come are passed over.
    fn give_up(&mut self) {
        let missing = self.waiting.iter().map(Waiting::missing);
        self.skip = self.skip.saturating_add(missing.fold(0, u64::saturating_add));
        self.waiting.clear();
    }

    fn name(&self, tensor: u64) -> Option<&str> {
        self.file.as_ref()?.index().entry(tensor).map(|entry| entry.name)
    }

    fn in_tensor(&self, error: Error, tensor: u64) -> Error {
        match self.name(tensor) {
            Some(name) => error.in_tensor(tensor, name),
            None => error.in_nameless_tensor(tensor),
        }
    }
}
