//! A composite checked without a file: its head, its members one by one, its end.

use super::rules;
use super::sequence::Sequence;
use crate::descriptor::{Descriptor, Mode};
use crate::error::{Error, ErrorKind, Result};

/// Holds members against their head as they come, for streams and for tensors that are handed over
/// in memory: the rules of files, and the same errors. In these the tensors are numbered in the
/// order in which they came, the head being tensor 0.
///
/// A member that is itself a head is followed by its own members. Nothing is kept of a member but
/// 8 bytes, and 16 a dimension if it has a place in the head.
///
/// After an error nothing more can be added: the composite is invalid as a whole.
#[derive(Debug)]
pub struct Checker {
    sequence: Sequence,
    next: u64,
    failed: bool,
}

impl Checker {
    /// Begins with the head.
    pub fn new(head: &Descriptor, mode: Mode) -> Result<Self> {
        Self::from_tensor(0, head, mode)
    }

    /// Begins with the head, which has another number than 0.
    pub(super) fn from_tensor(tensor: u64, head: &Descriptor, mode: Mode) -> Result<Self> {
        if rules::composition(head).is_none() {
            let rule = "the first tensor of a composite must be a composite head";
            return Err(Error::new(ErrorKind::Rule { rule }).by_caller());
        }
        let sequence = Sequence::new(mode, None);
        let mut checker = Self { sequence, next: tensor.saturating_add(1), failed: false };
        checker.run(|sequence, report| sequence.add_inside(tensor, head, report))?;
        Ok(checker)
    }

    /// The next tensor. Fails when it breaks a rule for members, or when it is the last member of a
    /// composite within this one and all of them together break one.
    pub fn add(&mut self, member: &Descriptor) -> Result<()> {
        self.check_state()?;
        if self.is_complete() {
            let what = "the composite has all its members already";
            return Err(Error::new(ErrorKind::State { what }));
        }
        let tensor = self.next;
        self.next = tensor.saturating_add(1);
        self.run(|sequence, report| sequence.add_inside(tensor, member, report))
    }

    /// Whether all members have come, and all of theirs.
    pub fn is_complete(&self) -> bool {
        self.sequence.is_full()
    }

    /// The end. Fails when members are missing, in every mode: the tensors that came are good for
    /// themselves, but they are no composite. Fails when all members together break a rule; an
    /// inexact cover is tolerated in permissive mode.
    pub fn close(mut self) -> Result<()> {
        self.check_state()?;
        self.run(|sequence, report| {
            sequence.close_full(0, report)?;
            sequence.finish(report);
            Ok(())
        })
    }

    fn check_state(&self) -> Result<()> {
        match self.failed {
            true => Err(Error::new(ErrorKind::State { what: "the composite was found invalid" })),
            false => Ok(()),
        }
    }

    /// Gives the first violation.
    fn run(
        &mut self,
        step: impl FnOnce(&mut Sequence, &mut dyn FnMut(Error)) -> Result<()>,
    ) -> Result<()> {
        let mut first = None;
        let result = step(&mut self.sequence, &mut |error| {
            first.get_or_insert(error);
        });
        let result = first.map_or(result, Err);
        self.failed |= result.is_err();
        result
    }
}
