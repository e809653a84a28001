//! The rules that hold a descriptor's parts against one another. Decoding and building both end
//! here.

use super::buffer_table;
use super::header::{self, flag};
use super::layout::{Kind, Layout};
use super::{Descriptor, Mode};
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

impl Places {
    /// The n-th entry of the buffer table.
    fn buffer(&self, n: u64) -> u64 {
        n.saturating_mul(buffer_table::ENTRY).saturating_add(self.buffers).saturating_add(1)
    }
}

fn mismatch(what: &'static str, found: u64, expected: u64) -> Error {
    Error::new(ErrorKind::Mismatch { what, found, expected })
}

/// Sections that a layout does not go with.
pub(super) fn check_flags(layout: &Layout, flags: u32) -> Result<()> {
    let head = layout.kind() == Kind::Virtual;
    for (refused, bit, what) in [
        (head, flag::QUANTIZATION, "HAS_QUANTIZATION of a composite head"),
        (head, flag::COMPOSITE_MEMBER, "HAS_COMPOSITE_MEMBER of a composite head"),
        (!layout.rules().may_shard(), flag::SHARD, "HAS_SHARD with this layout"),
    ] {
        if refused && flags & bit != 0 {
            return Err(mismatch(what, 1, 0));
        }
    }
    Ok(())
}

/// Every rule that needs more than one part. Errors get their places from `places`, if there are
/// any.
pub(super) fn check(d: &Descriptor, mode: Mode, places: Option<&Places>) -> Result<()> {
    check_parts(d, math::wide(d.buffers.len()), mode, places)?;
    check_buffers(d, mode, places)
}

/// The place of an error, from a function that picks it.
fn at(places: Option<&Places>, pick: impl Fn(&Places) -> u64) -> impl Fn(Error) -> Error {
    move |error| match places {
        Some(places) => error.at(pick(places)),
        None => error,
    }
}

/// The rules about everything but the entries of the buffer table, of which there are `count`.
pub(super) fn check_parts(
    d: &Descriptor,
    count: u64,
    mode: Mode,
    places: Option<&Places>,
) -> Result<()> {
    header::check_rank(d.rank())?;
    d.layout.tag().check(d.rank(), mode)?;
    header::check_extension(d.element_type, d.flags)?;
    check_flags(&d.layout, d.flags)?;
    d.layout.rules().check(&d.shape, mode).map_err(at(places, |places| places.layout))?;
    if d.is_opaque() {
        return Ok(());
    }
    let (least, most) = buffer_counts(d);
    buffer_table::check_count(count, least..=most).map_err(at(places, |p| p.buffers))?;
    if let Some(scheme) = &d.quantization {
        let own = match d.layout.kind() {
            // What a private layout owns is what the scheme leaves.
            Kind::Opaque => count.saturating_sub(scheme.buffers().0),
            _ => d.own_buffers(),
        };
        scheme.check(&d.tensor(), own, count, mode).map_err(at(places, |p| p.quantization))?;
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
    let at_buffer = |n: u64| {
        move |error: Error| at(places, |p| p.buffer(n))(error.in_section(Section::Buffer(n)))
    };
    buffer_table::check(&d.buffers, mode).map_err(|(n, error)| at_buffer(n)(error))?;
    check_byte_offset(d).map_err(at(places, |places| places.byte_offset))?;
    for (n, buffer) in (0..).zip(&*d.buffers) {
        d.need(n)
            .and_then(|need| buffer_table::check_size(buffer.byte_size, need, d.buffer_name(n)))
            .map_err(at_buffer(n))?;
    }
    Ok(())
}

/// How many buffers the layout and the scheme may have together.
pub(super) fn buffer_counts(d: &Descriptor) -> (u64, u64) {
    let own = d.own_buffers();
    let (least, most) = d.quantization.as_ref().map_or((0, 0), |scheme| scheme.buffers());
    match d.layout.kind() {
        Kind::Opaque => (own.saturating_add(least), u8::MAX.into()),
        _ => (own.saturating_add(least), own.saturating_add(most).min(u8::MAX.into())),
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
    match (d.layout.nnz(), d.element_count()) {
        (Some(value), Ok(max)) if value > max && !mode.is_permissive() => {
            Err(Error::new(ErrorKind::Limits { what: "nnz", value, min: 0, max }))
        }
        _ => Ok(()),
    }
}

/// The statistics' nnz is the layout's (decisions.md row 42).
fn check_statistics(d: &Descriptor) -> Result<()> {
    match (d.statistics().and_then(|section| section.nnz()), d.layout.nnz()) {
        (Some(found), Some(expected)) if found != expected => {
            Err(mismatch("nnz in statistics", found, expected))
        }
        _ => Ok(()),
    }
}
