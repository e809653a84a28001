//! The fixed header: the first 20 bytes of a descriptor (descriptor.md, Fixed header).

use super::Mode;
use super::element_type::ElementType;
use super::layout::LayoutTag;
use super::shape::MAX_RANK;
use crate::bytes::{Cursor, Sink, math};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the fixed header, and so of the smallest descriptor.
pub(super) const LENGTH: u32 = 20;

/// Leading bytes that hold the magic and the length.
const PREFIX: usize = 10;

const MAGIC: [u8; 4] = *b"HRRY";

/// Bits of the flags field.
pub(super) mod flag {
    pub(in crate::descriptor) const QUANTIZATION: u32 = 1;
    pub(in crate::descriptor) const SHARD: u32 = 1 << 1;
    pub(in crate::descriptor) const EXTENSION_TYPE: u32 = 1 << 2;
    pub(in crate::descriptor) const STATISTICS: u32 = 1 << 3;
    pub(in crate::descriptor) const COMPOSITE_MEMBER: u32 = 1 << 4;
    pub(in crate::descriptor) const ALL: u32 = 0x1F;
}

/// Where the flags stand.
pub(super) const FLAGS_AT: u64 = 10;

/// The fixed header, but for the length, which the cursor has.
pub(super) struct Header {
    pub(super) version_minor: u8,
    pub(super) flags: u32,
    pub(super) element_type: ElementType,
    pub(super) layout: LayoutTag,
    pub(super) rank: u32,
}

/// The whole length of the descriptor that begins with these bytes, of which 10 are needed.
pub(super) fn length_of(bytes: &[u8]) -> Result<u32> {
    let Some(&[m0, m1, m2, m3, major, _, l0, l1, l2, l3]) = bytes.first_chunk::<PREFIX>() else {
        return Err(truncated(math::wide(PREFIX), bytes));
    };
    let (found, length) = ([m0, m1, m2, m3], u32::from_le_bytes([l0, l1, l2, l3]));
    if found != MAGIC {
        return Err(Error::new(ErrorKind::Magic { what: "magic", found, wanted: "HRRY" }).at(0));
    }
    if major != 1 {
        let (what, found) = ("version_major", major.into());
        return Err(Error::new(ErrorKind::Version { what, found, supported: 1 }).at(4));
    }
    if length < LENGTH {
        return Err(Error::new(ErrorKind::Limits {
            what: "descriptor_length",
            value: length.into(),
            min: LENGTH.into(),
            max: u32::MAX.into(),
        })
        .at(6));
    }
    Ok(length)
}

/// Reads the header. The cursor then ends where the descriptor does, whatever follows it.
pub(super) fn read<'a>(bytes: &'a [u8], mode: Mode) -> Result<(Header, Cursor<'a>)> {
    let length = length_of(bytes)?;
    let own = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
    let Some(own) = own else {
        return Err(truncated(length.into(), bytes));
    };
    let Some((fixed, rest)) = own.split_first_chunk::<20>() else {
        return Err(truncated(LENGTH.into(), bytes));
    };
    let [_, _, _, _, _, version_minor, _, _, _, _, f0, f1, f2, f3, tag, layout, r0, r1, r2, r3] =
        *fixed;
    let (flags, rank) =
        (u32::from_le_bytes([f0, f1, f2, f3]), u32::from_le_bytes([r0, r1, r2, r3]));
    if flags & !flag::ALL != 0 {
        let value = (flags & !flag::ALL).into();
        let what = "reserved bits of flags";
        return Err(Error::new(ErrorKind::Reserved { what, value }).at(FLAGS_AT));
    }
    let element_type = ElementType::read(tag, mode).map_err(|error| error.at(14))?;
    let layout = LayoutTag::from_tag(layout);
    layout.check(mode).map_err(|error| error.at(15))?;
    check_rank(rank).and_then(|()| layout.check_rank(rank)).map_err(|error| error.at(16))?;
    check_extension(element_type, flags).map_err(|error| error.at(FLAGS_AT))?;
    let cursor = Cursor::new(rest, LENGTH.into());
    Ok((Header { version_minor, flags, element_type, layout, rank }, cursor))
}

fn truncated(need: u64, bytes: &[u8]) -> Error {
    let have = math::wide(bytes.len());
    Error::new(ErrorKind::Truncated { what: "descriptor", need, have }).at(have)
}

/// Writes the header of a descriptor of `length` bytes.
pub(super) fn write(header: &Header, length: u32, sink: &mut Sink) -> Result<()> {
    sink.bytes(&MAGIC)?;
    sink.u8(1)?;
    sink.u8(header.version_minor)?;
    sink.u32(length)?;
    sink.u32(header.flags)?;
    sink.u8(header.element_type.tag())?;
    sink.u8(header.layout.tag())?;
    sink.u32(header.rank)
}

/// Holds a rank against the largest one.
pub(super) fn check_rank(rank: u32) -> Result<()> {
    if rank <= MAX_RANK {
        return Ok(());
    }
    let (value, max) = (rank.into(), MAX_RANK.into());
    Err(Error::new(ErrorKind::Limits { what: "rank", value, min: 0, max }))
}

/// HAS_EXTENSION_TYPE is set exactly for private types.
pub(super) fn check_extension(element_type: ElementType, flags: u32) -> Result<()> {
    let (found, expected) = (flags & flag::EXTENSION_TYPE != 0, element_type.is_private());
    match found == expected {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Mismatch {
            what: "HAS_EXTENSION_TYPE",
            found: found.into(),
            expected: expected.into(),
        })),
    }
}
