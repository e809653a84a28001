//! Writing of composites.

use super::checker::Checker;
use crate::bytes::math;
use crate::container::Writer;
use crate::descriptor::{Descriptor, Mode};
use crate::error::{Error, ErrorKind, Result};

impl Writer {
    /// Announces a composite, whole, and writes its head under this name.
    ///
    /// `members` are the descriptors of all its members in order; one that is itself a head is
    /// followed by its own members. The composite is checked first, as a strict reader would
    /// (composite.md), and so is each descriptor, and whether the file has room for it. What breaks
    /// a rule is refused: nothing is written and the writer goes on as if it had not been asked.
    ///
    /// Then the members have to be written, in this order and with these descriptors, each by
    /// whatever call: [`tensor`](Self::tensor) for heads among them, without buffers. Another
    /// tensor is refused, with what differs, and the announced one can still come. After the last
    /// [`composite_end`](Self::composite_end); before that the file cannot be finished.
    ///
    /// Until then the writer keeps the descriptors as bytes, about 100 a member.
    pub fn composite_begin(
        &mut self,
        name: &str,
        head: &Descriptor,
        members: &[&Descriptor],
    ) -> Result<()> {
        let first = self.tensor_count();
        check(first, head, members)
            .map_err(|error| error.by_caller().naming_head(first, name).in_tensor(first, name))?;
        self.announce(name, head, members)
    }

    /// Ends the composite that was announced. Refuses that while members are missing; they can
    /// still come.
    pub fn composite_end(&mut self) -> Result<()> {
        self.end_announced()
    }
}

/// Checks a composite whose head will be tensor `first`.
fn check(first: u64, head: &Descriptor, members: &[&Descriptor]) -> Result<()> {
    let mut checker = Checker::from_tensor(first, head, Mode::Strict)?;
    for (count, member) in (0..).zip(members) {
        if checker.is_complete() {
            let (what, found) = ("number of announced members", math::wide(members.len()));
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected: count }));
        }
        checker.add(member)?;
    }
    checker.close()
}
