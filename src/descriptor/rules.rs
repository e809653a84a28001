//! The rules that hold a descriptor's parts against one another. Decoding and building both end
//! here.

use super::buffer_table;
use super::header::{self, flag};
use super::layout::{Kind, Layout};
use super::{Descriptor, Mode, Statistics};
use crate::bytes::math;
use crate::error::{Error, ErrorKind, Result, Section};

/// Where the parts stand in the bytes, for errors; zero where there are no bytes yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    pub(super) byte_offset: u64,
    pub(super) layout: u64,
    pub(super) buffers: u64,
    pub(super) quantization: u64,
    pub(super) shard: u64,
    pub(super) statistics: u64,
}

fn mismatch(what: &'static str, found: u64, expected: u64) -> Error {
    Error::new(ErrorKind::Mismatch { what, found, expected })
}

/// Sections that a layout does not go with.
pub(super) fn check_flags(layout: &Layout, flags: u32) -> Result<()> {
    // Most tensors have no section at all.
    if flags == 0 {
        return Ok(());
    }
    let traits = layout.traits();
    let head = traits.kind == Kind::Virtual;
    for (refused, bit, what) in [
        (head, flag::QUANTIZATION, "HAS_QUANTIZATION of a composite head"),
        (head, flag::COMPOSITE_MEMBER, "HAS_COMPOSITE_MEMBER of a composite head"),
        (!traits.may_shard, flag::SHARD, "HAS_SHARD with this layout"),
    ] {
        if refused && flags & bit != 0 {
            return Err(mismatch(what, 1, 0));
        }
    }
    Ok(())
}

/// What decides which parts there may be at all: read before the rest.
pub(super) fn check_head(d: &Descriptor, mode: Mode) -> Result<()> {
    header::check_rank(d.rank())?;
    header::check_extension(d.element_type, d.flags)?;
    d.layout.tag().check(mode)?;
    d.layout.tag().check_rank(d.rank())?;
    check_flags(&d.layout, d.flags)
}

/// Every rule that needs more than one part, but for those of the head. Errors get their places
/// from `places`, if there are any.
pub(super) fn check(d: &Descriptor, mode: Mode, places: Option<&Places>) -> Result<()> {
    check_parts(d, math::wide(d.buffers.len()), mode, places)?;
    // Which buffer an opaque layout's byte_offset lies in is not known (decisions.md row 27).
    if d.is_opaque() {
        return Ok(());
    }
    check_buffers(d, mode, places)
}

/// The place of an error, from a function that picks it.
fn at(places: Option<&Places>, pick: impl Fn(&Places) -> u64) -> impl Fn(Error) -> Error {
    move |error| match places {
        Some(places) => error.at(pick(places)),
        None => error,
    }
}

/// The rules about everything but the head and the entries of the buffer table, of which there are
/// `count`.
pub(super) fn check_parts(
    d: &Descriptor,
    count: u64,
    mode: Mode,
    places: Option<&Places>,
) -> Result<()> {
    d.layout.rules().check(&d.shape, mode).map_err(at(places, |places| places.layout))?;
    if d.is_opaque() {
        return Ok(());
    }
    let (least, most) = buffer_counts(d);
    buffer_table::check_count(count, least..=most).map_err(at(places, |p| p.buffers))?;
    if let Some(scheme) = &d.quantization {
        scheme
            .check(&d.tensor(), d.own_buffers(), count, mode)
            .map_err(at(places, |p| p.quantization))?;
    }
    if let Some(shard) = &d.shard {
        shard.check(&d.shape).map_err(at(places, |places| places.shard))?;
    }
    check_nnz(d, mode).map_err(at(places, |places| places.layout))?;
    check_statistics(d).map_err(at(places, |places| places.statistics))
}

/// The rules about the buffer table: its entries, byte_offset, and that every buffer holds what
/// the layout and the scheme may look for in it.
fn check_buffers(d: &Descriptor, mode: Mode, places: Option<&Places>) -> Result<()> {
    buffer_table::check(&d.buffers, mode, places.map(|places| places.buffers))?;
    check_byte_offset(d).map_err(at(places, |places| places.byte_offset))?;
    for (n, buffer) in (0..).zip(&*d.buffers) {
        d.need(n)
            .and_then(|need| buffer_table::check_size(buffer.byte_size, need, || d.buffer_name(n)))
            .map_err(|error| {
                let error = error.in_section(Section::Buffer(n));
                at(places, |places| buffer_table::place(places.buffers, n))(error)
            })?;
    }
    Ok(())
}

/// How many buffers the layout and the scheme may have together, at least and at most.
pub(super) fn buffer_counts(d: &Descriptor) -> (u64, u64) {
    let own = d.layout.own_buffers(d.rank());
    let (least, most) = match &d.quantization {
        Some(scheme) => scheme.buffers(),
        None => (0, 0),
    };
    match d.layout.kind() {
        Kind::Opaque => (own.saturating_add(least), u8::MAX.into()),
        _ => (own.saturating_add(least), own.saturating_add(most)),
    }
}

/// byte_offset lies in buffer 0, and is for dense layouts only.
fn check_byte_offset(d: &Descriptor) -> Result<()> {
    let (what, value) = ("byte_offset", d.byte_offset);
    match d.layout.kind() {
        Kind::Dense | Kind::Opaque => {
            let max = d.buffers.first().map_or(0, |buffer| buffer.byte_size);
            match value <= max {
                true => Ok(()),
                false => Err(Error::new(ErrorKind::Limits { what, value, min: 0, max })),
            }
        }
        Kind::Sparse | Kind::Indirect | Kind::Virtual => match value {
            0 => Ok(()),
            _ => Err(mismatch("byte_offset with this layout", value, 0)),
        },
    }
}

/// No more elements are stored than there are (decisions.md row 43). A count that leaves 64 bits
/// is larger than any nnz.
fn check_nnz(d: &Descriptor, mode: Mode) -> Result<()> {
    let Some(value) = d.layout.nnz() else {
        return Ok(());
    };
    match d.element_count() {
        Ok(max) if value > max && !mode.is_permissive() => {
            Err(Error::new(ErrorKind::Limits { what: "nnz", value, min: 0, max }))
        }
        _ => Ok(()),
    }
}

/// The statistics' nnz is the layout's (decisions.md row 42).
fn check_statistics(d: &Descriptor) -> Result<()> {
    let Some(found) = d.statistics().and_then(Statistics::nnz) else {
        return Ok(());
    };
    match d.layout.nnz() {
        Some(expected) if found != expected => Err(mismatch("nnz in statistics", found, expected)),
        _ => Ok(()),
    }
}
