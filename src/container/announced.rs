//! Tensors that were announced: they have to be written next, and in their order.

use crate::bytes::{math, memory};
use crate::descriptor::layout::Layout;
use crate::descriptor::{Buffer, Descriptor, ElementType, MemberRole, Mode};
use crate::error::{Error, ErrorKind, Result, Section};

/// The members of a composite as they were announced, those of the heads among them included, and
/// how far their writing has come.
pub(super) struct Announced {
    /// Their descriptors as bytes, one behind the other.
    descriptors: Vec<u8>,
    /// Where the next of them begins.
    at: usize,
    count: u64,
    written: u64,
    /// The heads that wait for members, from the outermost on.
    waiting: Vec<Waiting>,
}

/// A head, by its place in the order of writing.
struct Waiting {
    tensor: u64,
    written: u64,
    promised: u64,
}

impl Announced {
    /// The members of a head that will be tensor `tensor`; none yet.
    pub(super) fn new(tensor: u64, head: &Descriptor) -> Result<Self> {
        let mut waiting = memory::vec(1)?;
        waiting.extend(waiting_for(tensor, head));
        Ok(Self { descriptors: Vec::new(), at: 0, count: 0, written: 0, waiting })
    }

    /// Adds the descriptor of the next tensor, as bytes.
    pub(super) fn push(&mut self, descriptor: &[u8]) -> Result<()> {
        memory::reserve(&mut self.descriptors, descriptor.len())?;
        self.descriptors.extend_from_slice(descriptor);
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// How many tensors were announced, the head not counted.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// How many of them were written.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// The head, by its place in the order of writing.
    pub(super) fn head(&self) -> u64 {
        self.waiting.first().map_or(0, |waiting| waiting.tensor)
    }

    /// The bytes that the next descriptor begins.
    fn next(&self) -> &[u8] {
        self.descriptors.get(self.at..).unwrap_or_default()
    }

    /// Holds a tensor against the one that has to come next. `descriptor` is what `bytes` say;
    /// `name_of` names a tensor that was written.
    pub(super) fn check<'n>(
        &mut self,
        bytes: &[u8],
        descriptor: &Descriptor,
        name_of: impl FnOnce(u64) -> Option<&'n str>,
    ) -> Result<()> {
        if self.written == self.count {
            let what = "the announced composite has all its members and is not ended";
            return Err(Error::new(ErrorKind::State { what }));
        }
        // Makes sure of what `pass` needs.
        memory::reserve(&mut self.waiting, 1)?;
        // Descriptors say their own length: none begins another.
        if self.next().starts_with(bytes) {
            return Ok(());
        }
        let expected = Descriptor::decode(self.next(), Mode::Strict)?;
        same(descriptor, &expected).map_err(|error| match self.waiting.last() {
            Some(outer) => error.in_member(outer.written, outer.tensor, name_of(outer.tensor)),
            None => error,
        })
    }

    /// The tensor that was checked is written, as number `tensor`.
    pub(super) fn pass(&mut self, tensor: u64, descriptor: &Descriptor) {
        let length = Descriptor::length_of(self.next()).ok();
        let length = length.and_then(|length| usize::try_from(length).ok());
        self.at = self.at.saturating_add(length.unwrap_or(usize::MAX));
        self.written = self.written.saturating_add(1);
        if let Some(outer) = self.waiting.last_mut() {
            outer.written = outer.written.saturating_add(1);
        }
        self.waiting.extend(waiting_for(tensor, descriptor));
        // The outermost stays: it says whose members these are.
        while self.waiting.len() > 1
            && self.waiting.pop_if(|waiting| waiting.written == waiting.promised).is_some()
        {
        }
    }
}

fn waiting_for(tensor: u64, descriptor: &Descriptor) -> Option<Waiting> {
    match descriptor.layout() {
        Layout::Composite(fields) => {
            Some(Waiting { tensor, written: 0, promised: fields.member_count().into() })
        }
        _ => None,
    }
}

/// Says in what a tensor is not the one that was announced.
fn same(found: &Descriptor, announced: &Descriptor) -> Result<()> {
    if found == announced {
        return Ok(());
    }
    same_type(found.element_type(), announced.element_type())?;
    same_number("rank", found.rank().into(), announced.rank().into())?;
    same_numbers("shape", found.shape(), announced.shape())?;
    same_layout(found.layout(), announced.layout())?;
    same_number("byte_offset", found.byte_offset(), announced.byte_offset())?;
    if let (Some(found), Some(announced)) = (found.shard(), announced.shard()) {
        same_numbers("parent_shape", found.parent_shape(), announced.parent_shape())?;
        same_numbers("shard_offset", found.offset(), announced.offset())?;
    }
    let (role, announced_role) = (found.member_role(), announced.member_role());
    if role != announced_role {
        return differs("member_role", role_name(role), role_name(announced_role));
    }
    for (is_same, rule) in [
        (found.shard() == announced.shard(), "shard section is not the one announced"),
        (found.quantization() == announced.quantization(), "quantization is not the one announced"),
        (
            found.extension_type() == announced.extension_type(),
            "extension type section is not the one announced",
        ),
        (found.statistics() == announced.statistics(), "statistics are not those announced"),
    ] {
        if !is_same {
            return Err(Error::new(ErrorKind::Rule { rule }));
        }
    }
    same_buffers(found.buffers(), announced.buffers())?;
    Err(Error::new(ErrorKind::Rule { rule: "descriptor is not the one announced" }))
}

fn same_type(found: ElementType, announced: ElementType) -> Result<()> {
    match found.name() == announced.name() {
        // Two of somebody's own may differ all the same.
        true => same_number("type_tag", found.tag().into(), announced.tag().into()),
        false => differs("type", found.name(), announced.name()),
    }
}

fn same_layout(found: &Layout, announced: &Layout) -> Result<()> {
    if found.tag() != announced.tag() {
        return differs("layout", found.tag().name(), announced.tag().name());
    }
    match found == announced {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Rule { rule: "layout fields are not those announced" })),
    }
}

fn same_buffers(found: &[Buffer], announced: &[Buffer]) -> Result<()> {
    let count = |table: &[Buffer]| math::wide(table.len());
    same_number("buffer_count", count(found), count(announced))?;
    for (k, (found, announced)) in (0..).zip(found.iter().zip(announced)) {
        let check = || {
            same_number("byte_size", found.byte_size, announced.byte_size)?;
            same_number("alignment", found.alignment.into(), announced.alignment.into())?;
            same_number("device", found.device.into(), announced.device.into())
        };
        check().map_err(|error: Error| error.in_section(Section::Buffer(k)))?;
    }
    Ok(())
}

fn same_number(what: &'static str, found: u64, expected: u64) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Mismatch { what, found, expected })),
    }
}

fn same_numbers(what: &'static str, found: &[u64], announced: &[u64]) -> Result<()> {
    for (dimension, (&found, &expected)) in (0..).zip(found.iter().zip(announced)) {
        if found != expected {
            return Err(Error::new(ErrorKind::MismatchIn { what, dimension, found, expected }));
        }
    }
    Ok(())
}

fn differs(what: &'static str, found: &'static str, expected: &'static str) -> Result<()> {
    Err(Error::new(ErrorKind::Differs { what, found, expected }))
}

fn role_name(role: Option<MemberRole>) -> &'static str {
    match role {
        Some(MemberRole::Base) => "base",
        Some(MemberRole::Correction) => "correction",
        None => "none",
    }
}
