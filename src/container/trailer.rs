//! The last 40 bytes of a file (container.md, "Trailer").

use super::header::{HEADER_LEN, Header, PLACE_ALIGNMENT};
use crate::bytes::{Cursor, math};
use crate::error::{Error, ErrorKind, Result, Section};

/// Bytes of a trailer.
pub const TRAILER_LEN: usize = 40;

/// Bytes of `index_entry_count`, without which there is no index.
const SMALLEST_INDEX: u64 = 8;
/// Header, an index without entries, trailer.
const SMALLEST_FILE: u64 = 112;

/// Where the KV section lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// `kv_offset`, bytes from the start of the file.
    pub offset: u64,
    /// `kv_length`, bytes.
    pub length: u32,
}

/// A trailer: where the sections lie. One that was decoded has been held against the size of its
/// file: both sections lie inside, behind the header, and apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// Bytes from the start of the file, a multiple of 8.
    pub index_offset: u64,
    /// Bytes.
    pub index_length: u64,
    /// The KV section, if there is one.
    pub kv: Option<Extent>,
    /// `index_crc32c`, if the header says that there is one.
    pub crc: Option<u32>,
}

impl Trailer {
    /// Reads a trailer from the last [`TRAILER_LEN`] bytes of a file of `file_size` bytes.
    pub fn decode(bytes: &[u8; TRAILER_LEN], file_size: u64, header: &Header) -> Result<Self> {
        decode(bytes, file_size, header).map_err(|error| error.in_section(Section::Trailer))
    }

    /// The trailer as it stands in the file.
    pub fn encode(&self) -> [u8; TRAILER_LEN] {
        let kv = self.kv.unwrap_or(Extent { offset: 0, length: 0 });
        let mut bytes = [0; TRAILER_LEN];
        let fields = self
            .index_offset
            .to_le_bytes()
            .into_iter()
            .chain(self.index_length.to_le_bytes())
            .chain(kv.offset.to_le_bytes())
            .chain(kv.length.to_le_bytes())
            .chain(self.crc.unwrap_or(0).to_le_bytes())
            .chain([0; 4])
            .chain(*b"HRRY");
        bytes.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        bytes
    }

    /// Where the tensor region ends: at the first of the two sections.
    pub fn tensor_region_end(&self) -> u64 {
        self.kv.map_or(self.index_offset, |kv| kv.offset.min(self.index_offset))
    }

    /// Refuses a file that is too small to hold header, index and trailer.
    pub(crate) fn check_size(file_size: u64) -> Result<()> {
        if file_size < SMALLEST_FILE {
            let (need, have) = (SMALLEST_FILE, file_size);
            return Err(Error::new(ErrorKind::Truncated { what: "file", need, have })
                .at(file_size)
                .in_section(Section::File));
        }
        Ok(())
    }
}

fn decode(bytes: &[u8; TRAILER_LEN], file_size: u64, header: &Header) -> Result<Trailer> {
    Trailer::check_size(file_size)?;
    let start = file_size.saturating_sub(math::wide(TRAILER_LEN));
    let at = |field: u64| start.saturating_add(field);

    let mut cursor = Cursor::new(bytes, start);
    let index_offset = cursor.u64("index_offset")?;
    let index_length = cursor.u64("index_length")?;
    let kv_offset = cursor.u64("kv_offset")?;
    let kv_length = cursor.u32("kv_length")?;
    let crc = cursor.u32("index_crc32c")?;
    let mut reserved = cursor;
    cursor.take(4, "reserved")?;
    let found = cursor.array::<4>("trailer_magic")?;
    // Nothing else is believed before the magic.
    if found != *b"HRRY" {
        let what = "trailer_magic";
        return Err(Error::new(ErrorKind::Magic { what, found, wanted: "HRRY" }).at(at(36)));
    }
    reserved.reserved(4, "reserved")?;

    check_section("index_offset", "index", index_offset, index_length, start)
        .map_err(|error| error.at(at(0)))?;
    if index_length < SMALLEST_INDEX {
        let (need, have) = (SMALLEST_INDEX, index_length);
        return Err(Error::new(ErrorKind::Truncated { what: "index", need, have }).at(at(8)));
    }
    let kv = locate_kv(kv_offset, kv_length, header).map_err(|error| error.at(at(16)))?;
    if let Some(kv) = kv {
        let length = u64::from(kv.length);
        check_section("kv_offset", "kv section", kv.offset, length, start)
            .map_err(|error| error.at(at(16)))?;
        let kv_first = kv.offset.saturating_add(length) <= index_offset;
        if !kv_first && index_offset.saturating_add(index_length) > kv.offset {
            let rule = "kv section and index overlap";
            return Err(Error::new(ErrorKind::Rule { rule }).at(at(16)));
        }
    }
    if !header.flags().has_crc() && crc != 0 {
        let what = "index_crc32c without HAS_INDEX_CRC32C";
        return Err(Error::new(ErrorKind::Reserved { what, value: crc.into() }).at(at(28)));
    }
    let crc = header.flags().has_crc().then_some(crc);
    Ok(Trailer { index_offset, index_length, kv, crc })
}

/// A section stands at a multiple of 8, behind the header and before the trailer.
fn check_section(
    field: &'static str,
    what: &'static str,
    offset: u64,
    length: u64,
    end: u64,
) -> Result<()> {
    if !math::is_aligned(offset, PLACE_ALIGNMENT) {
        let alignment = PLACE_ALIGNMENT;
        return Err(Error::new(ErrorKind::Misaligned { what: field, value: offset, alignment }));
    }
    let start = math::wide(HEADER_LEN);
    if offset < start || !math::fits(offset, length, end) {
        return Err(Error::new(ErrorKind::Bounds { what, offset, length, start, end }));
    }
    Ok(())
}

/// The trailer decides whether there is a KV section (decisions.md row 1).
fn locate_kv(offset: u64, length: u32, header: &Header) -> Result<Option<Extent>> {
    let rule = match (offset, length) {
        (0, 0) if header.flags().has_kv() => "HAS_KV_METADATA is set, kv_offset is 0",
        (0, 0) => return Ok(None),
        (0, _) => "kv_length without kv_offset",
        (_, 0) => "kv_offset without kv_length",
        _ => return Ok(Some(Extent { offset, length })),
    };
    Err(Error::new(ErrorKind::Rule { rule }))
}

#[cfg(test)]
mod tests {
    use super::super::header::Flags;
    use super::*;

    const SIZE: u64 = 1000;

    fn header(kv: bool, crc: bool) -> Header {
        Header::new(Flags::new(kv, false, crc), 4096, None).unwrap()
    }

    fn trailer() -> Trailer {
        Trailer {
            index_offset: 800,
            index_length: 160,
            kv: Some(Extent { offset: 704, length: 90 }),
            crc: Some(0xAABB_CCDD),
        }
    }

    fn message(change: impl FnOnce(&mut Trailer)) -> String {
        let mut changed = trailer();
        change(&mut changed);
        let error = Trailer::decode(&changed.encode(), SIZE, &header(true, true)).unwrap_err();
        error.to_string()
    }

    #[test]
    fn every_field_in_its_place() {
        let bytes = trailer().encode();
        assert_eq!(&bytes[..16], &[0x20, 3, 0, 0, 0, 0, 0, 0, 160, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&bytes[16..28], &[0xC0, 2, 0, 0, 0, 0, 0, 0, 90, 0, 0, 0]);
        assert_eq!(&bytes[28..], b"\xDD\xCC\xBB\xAA\0\0\0\0HRRY");
        let read = Trailer::decode(&bytes, SIZE, &header(true, true)).unwrap();
        assert_eq!(read, trailer());
        assert_eq!(read.tensor_region_end(), 704);
    }

    #[test]
    fn the_trailer_decides_about_kv() {
        let kv = trailer().encode();
        assert!(Trailer::decode(&kv, SIZE, &header(false, true)).unwrap().kv.is_some());
        let none = Trailer { kv: None, ..trailer() }.encode();
        let read = Trailer::decode(&none, SIZE, &header(false, true)).unwrap();
        assert_eq!((read.kv, read.tensor_region_end()), (None, 800));
        assert!(message(|t| t.kv = None).contains("HAS_KV_METADATA is set, kv_offset is 0"));
        assert!(
            message(|t| t.kv = Some(Extent { offset: 0, length: 9 })).contains("without kv_offset")
        );
        assert!(
            message(|t| t.kv = Some(Extent { offset: 704, length: 0 }))
                .contains("without kv_length")
        );
    }

    #[test]
    fn sections_lie_inside_and_apart() {
        // Up to the trailer itself, and not a byte further.
        let whole = Trailer { index_length: 160, ..trailer() };
        assert!(Trailer::decode(&whole.encode(), SIZE, &header(true, true)).is_ok());
        assert_eq!(
            message(|t| t.index_length = 161),
            "trailer: index: 161 bytes at 800 not inside 64 to 960, at byte 960"
        );
        assert!(message(|t| t.index_offset = u64::MAX - 7).contains("not inside 64 to 960"));
        assert!(message(|t| t.index_offset = 801).contains("801 is not a multiple of 8"));
        assert!(message(|t| t.index_length = 7).contains("need 8 bytes, have 7"));
        assert!(message(|t| t.kv = Some(Extent { offset: 8, length: 8 })).contains("kv section"));
        assert!(
            message(|t| t.kv = Some(Extent { offset: 704, length: u32::MAX }))
                .contains("not inside")
        );
        for (offset, length) in [(704, 97), (800, 97), (952, 8)] {
            let kv = Some(Extent { offset, length });
            assert!(message(|t| t.kv = kv).contains("kv section and index overlap"));
        }
        let after = Trailer {
            index_offset: 704,
            index_length: 96,
            kv: Some(Extent { offset: 800, length: 160 }),
            ..trailer()
        };
        let read = Trailer::decode(&after.encode(), SIZE, &header(true, true)).unwrap();
        assert_eq!(read.tensor_region_end(), 704);
    }

    #[test]
    fn magic_first_then_the_rest() {
        let mut bytes = trailer().encode();
        bytes[32] = 1;
        let error = Trailer::decode(&bytes, SIZE, &header(true, true)).unwrap_err();
        assert_eq!(error.to_string(), "trailer: reserved must be 0, is 1, at byte 992");
        bytes[39] = b'Z';
        let error = Trailer::decode(&bytes, SIZE, &header(true, true)).unwrap_err();
        assert!(error.to_string().contains("trailer_magic is [48, 52, 52, 5a]"), "{error}");
    }

    #[test]
    fn a_checksum_needs_its_flag() {
        let bytes = trailer().encode();
        let error = Trailer::decode(&bytes, SIZE, &header(true, false)).unwrap_err();
        assert!(error.to_string().contains("index_crc32c without HAS_INDEX_CRC32C"), "{error}");
        // The flag decides, a stored 0 is a checksum like any other (decisions.md row 59).
        let zero = Trailer { crc: Some(0), ..trailer() }.encode();
        let read = Trailer::decode(&zero, SIZE, &header(true, true)).unwrap();
        assert_eq!(read.crc, Some(0));
    }

    #[test]
    fn a_file_too_small_for_its_parts() {
        let error = Trailer::decode(&trailer().encode(), 111, &header(true, true)).unwrap_err();
        assert!(error.to_string().contains("file truncated: need 112 bytes, have 111"), "{error}");
    }
}
