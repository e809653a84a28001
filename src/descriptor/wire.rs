//! The descriptor as bytes: its parts in the order of descriptor.md.

use super::header::{self, Header, flag};
use super::quantization::Quantization;
use super::rules::{self, Places};
use super::{
    Descriptor, ExtensionType, MemberRole, Mode, Shard, Statistics, buffer_table, extension,
    member, shape, statistics,
};
use crate::bytes::{Sink, math};
use crate::error::{Error, ErrorKind, Result, Section};

/// Most buffers that a scheme adds to the layout's.
const MOST_PARAMETER_BUFFERS: u64 = 2;

pub(super) fn decode(bytes: &[u8], mode: Mode) -> Result<Descriptor> {
    // Filled in where it lies: moving it about costs more than reading it.
    let mut d = Descriptor::BLANK;
    match read(&mut d, bytes, mode) {
        Ok(()) => Ok(d),
        Err(error) => Err(error.in_section(Section::Descriptor)),
    }
}

fn read(d: &mut Descriptor, bytes: &[u8], mode: Mode) -> Result<()> {
    let (header, mut cursor) = header::read(bytes, mode)?;
    d.version_minor = header.version_minor;
    d.flags = header.flags;
    d.element_type = header.element_type;
    let (flags, rank) = (header.flags, usize::try_from(header.rank).unwrap_or(usize::MAX));
    shape::read_into(&mut d.shape, &mut cursor, rank, "shape")?;
    let mut places = Places { byte_offset: cursor.offset(), ..Places::default() };
    d.byte_offset = cursor.u64("byte_offset")?;
    places.layout = cursor.offset();
    d.layout.read_into(header.layout, &mut cursor, &d.shape, mode)?;
    rules::check_flags(&d.layout, flags).map_err(|error| error.at(header::FLAGS_AT))?;
    if d.is_opaque() {
        return rules::check(d, mode, Some(&places));
    }

    places.buffers = cursor.offset();
    let counts = expected_buffers(d, mode);
    buffer_table::read_into(&mut d.buffers, &mut cursor, counts)?;
    if flags & flag::QUANTIZATION != 0 {
        places.quantization = cursor.offset();
        d.quantization = Some(Quantization::read(&mut cursor, mode)?);
    }
    if flags & flag::SHARD != 0 {
        places.shard = cursor.offset();
        d.shard = Some(Box::new(Shard::read(&mut cursor, rank)?));
    }
    if flags & flag::STATISTICS != 0 {
        places.statistics = cursor.offset();
        d.statistics = Some(Box::new(Statistics::read(&mut cursor)?));
    }
    if flags & flag::EXTENSION_TYPE != 0 {
        d.extension_type = Some(ExtensionType::read(&mut cursor)?);
    }
    if flags & flag::COMPOSITE_MEMBER != 0 {
        d.member_role = Some(MemberRole::read(&mut cursor)?);
    }
    // A newer minor version may have appended what this one does not know.
    if header.version_minor == 0 {
        cursor.finish("descriptor")?;
    }
    rules::check(d, mode, Some(&places))
}

/// Counts that the table can have, as far as is known before the scheme is read: a wrong count is
/// then named, not what follows a table of the wrong length.
fn expected_buffers(d: &Descriptor, mode: Mode) -> std::ops::RangeInclusive<u64> {
    let (least, most) = rules::buffer_counts(d);
    let most = match (d.flags & flag::QUANTIZATION != 0, mode) {
        (false, _) => most,
        (true, Mode::Strict) => most.saturating_add(MOST_PARAMETER_BUFFERS),
        (true, Mode::Permissive) => u8::MAX.into(),
    };
    least..=most
}

pub(super) fn encode(d: &Descriptor) -> Result<Vec<u8>> {
    let length = encoded_len(d)?;
    let mut sink = Sink::with_capacity(math::to_usize(length, "descriptor_length")?)?;
    let length = u32::try_from(length)
        .map_err(|_| Error::new(ErrorKind::Overflow { what: "descriptor_length" }))?;
    let header = Header {
        // Bytes that are not understood are handed on as what they were written as.
        version_minor: if d.is_opaque() { d.version_minor } else { 0 },
        flags: d.flags,
        element_type: d.element_type,
        layout: d.layout.tag(),
        rank: d.rank(),
    };
    header::write(&header, length, &mut sink)?;
    shape::write(&d.shape, &mut sink)?;
    sink.u64(d.byte_offset)?;
    d.layout.rules().write(&mut sink)?;
    if d.is_opaque() {
        return Ok(sink.into_bytes());
    }
    buffer_table::write(&d.buffers, &mut sink)?;
    if let Some(scheme) = &d.quantization {
        scheme.write(&mut sink)?;
    }
    if let Some(shard) = &d.shard {
        shard.write(&mut sink)?;
    }
    if let Some(section) = &d.statistics {
        section.write(&mut sink)?;
    }
    if let Some(section) = &d.extension_type {
        section.write(&mut sink)?;
    }
    if let Some(role) = d.member_role {
        role.write(&mut sink)?;
    }
    Ok(sink.into_bytes())
}

pub(super) fn encoded_len(d: &Descriptor) -> Result<u64> {
    let core = math::wide(d.shape.len()).saturating_mul(8).saturating_add(8);
    let table = match d.is_opaque() {
        true => 0,
        false => math::wide(d.buffers.len()).saturating_mul(buffer_table::ENTRY).saturating_add(1),
    };
    [
        header::LENGTH.into(),
        core,
        d.layout.rules().encoded_len(),
        table,
        d.quantization.as_ref().map_or(0, Quantization::encoded_len),
        d.shard.as_ref().map_or(0, |shard| shard.encoded_len()),
        d.statistics.as_ref().map_or(0, |_| statistics::LENGTH),
        d.extension_type.map_or(0, |_| extension::LENGTH),
        d.member_role.map_or(0, |_| member::LENGTH),
    ]
    .into_iter()
    .try_fold(0, |sum, part| math::add(sum, part, "descriptor_length"))
}
