//! The index: which tensors there are and where they lie (container.md, "Index").

use super::header::{Header, PLACE_ALIGNMENT};
use super::names::{NameKey, Names};
use super::trailer::Trailer;
use crate::bytes::{Cursor, math, memory};
use crate::error::{Error, ErrorKind, Result, Section};

/// Bytes of `index_entry_count`.
const COUNT_LEN: usize = 8;
/// Bytes of an entry behind its name.
const FIXED_LEN: usize = 32;
/// Bytes of the smallest entry, one with a name of one byte.
const SMALLEST_ENTRY: u64 = 35;

/// One entry of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The tensor's name. It may contain U+0000.
    pub name: &'a str,
    /// Bytes from the start of the file, a multiple of 8.
    pub descriptor_offset: u64,
    /// Bytes.
    pub descriptor_length: u32,
    /// Bytes from the start of the file.
    pub data_offset: u64,
    /// Bytes from the start of the first buffer to the end of the last.
    pub data_length: u64,
}

/// The index as it was read, in memory of its own, checked: names are UTF-8, unique and in order
/// where the header promises it, and everything lies inside the tensor region.
///
/// Costs the bytes of the index and about 16 more for each entry.
#[derive(Debug)]
pub struct Index {
    bytes: Vec<u8>,
    /// Where each entry begins in `bytes`.
    places: Vec<usize>,
    names: Names,
    in_file_order: bool,
}

impl Index {
    /// Verifies and parses the bytes that the trailer locates.
    pub(super) fn decode(
        bytes: Vec<u8>,
        header: &Header,
        trailer: &Trailer,
        key: NameKey,
    ) -> Result<Self> {
        verify(&bytes, trailer).map_err(|error| error.in_section(Section::Index))?;
        parse(bytes, header, trailer, key).map_err(|error| error.in_section(Section::Index))
    }

    /// How many tensors there are.
    pub fn len(&self) -> u64 {
        math::wide(self.places.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The entry at position `i`.
    pub fn entry(&self, i: u64) -> Option<Entry<'_>> {
        let place = *self.places.get(usize::try_from(i).ok()?)?;
        let (name, fixed) = split(&self.bytes, place)?;
        let fixed = Fixed::of(fixed);
        Some(Entry {
            // Checked when the index was read; nobody else can change these bytes.
            name: std::str::from_utf8(name).unwrap_or_default(),
            descriptor_offset: fixed.descriptor_offset,
            descriptor_length: fixed.descriptor_length,
            data_offset: fixed.data_offset,
            data_length: fixed.data_length,
        })
    }

    /// The position of the tensor of that name.
    pub fn find(&self, name: &[u8]) -> Option<u64> {
        let name_at = |other| name_at(&self.bytes, &self.places, other);
        self.names.find(name, name_at).map(u64::from)
    }

    /// Where each descriptor begins, in the order of the index.
    pub(super) fn descriptor_offsets(&self) -> impl Iterator<Item = u64> {
        let fixed = self.places.iter().filter_map(|&place| split(&self.bytes, place));
        fixed.map(|(_, fixed)| Fixed::of(fixed).descriptor_offset)
    }

    /// Whether the entries stand in the order in which their tensors lie in the file.
    pub(super) fn is_in_file_order(&self) -> bool {
        self.in_file_order
    }
}

/// The numbers behind a name.
struct Fixed {
    descriptor_offset: u64,
    descriptor_length: u32,
    data_offset: u64,
    data_length: u64,
    flags: u32,
}

impl Fixed {
    fn of(bytes: &[u8; FIXED_LEN]) -> Self {
        let [a, b, c, d, e, f, g, h, rest @ ..] = *bytes;
        let descriptor_offset = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let [a, b, c, d, rest @ ..] = rest;
        let descriptor_length = u32::from_le_bytes([a, b, c, d]);
        let [a, b, c, d, e, f, g, h, rest @ ..] = rest;
        let data_offset = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let [a, b, c, d, e, f, g, h, flags @ ..] = rest;
        let data_length = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let flags = u32::from_le_bytes(flags);
        Self { descriptor_offset, descriptor_length, data_offset, data_length, flags }
    }
}

/// Name and numbers of the entry that begins at `place`, if all of it is there.
fn split(bytes: &[u8], place: usize) -> Option<(&[u8], &[u8; FIXED_LEN])> {
    let (length, rest) = bytes.get(place..)?.split_first_chunk()?;
    let (name, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    Some((name, rest.first_chunk()?))
}

fn name_at<'b>(bytes: &'b [u8], places: &[usize], position: u32) -> &'b [u8] {
    let place = usize::try_from(position).ok().and_then(|position| places.get(position));
    place.and_then(|&place| split(bytes, place)).map(|(name, _)| name).unwrap_or_default()
}

/// The checksum comes before any byte of the index is believed.
fn verify(bytes: &[u8], trailer: &Trailer) -> Result<()> {
    let Some(stored) = trailer.crc else { return Ok(()) };
    let computed = crc32c::crc32c(bytes);
    if computed != stored {
        let what = "index";
        return Err(
            Error::new(ErrorKind::Checksum { what, stored, computed }).at(trailer.index_offset)
        );
    }
    Ok(())
}

fn parse(bytes: Vec<u8>, header: &Header, trailer: &Trailer, key: NameKey) -> Result<Index> {
    let base = trailer.index_offset;
    let count = Cursor::new(&bytes, base).u64("index_entry_count")?;
    let behind_count = math::wide(bytes.len().saturating_sub(COUNT_LEN));
    if count > math::div(behind_count, SMALLEST_ENTRY) {
        let need = count.saturating_mul(SMALLEST_ENTRY);
        let kind = ErrorKind::Truncated { what: "index entries", need, have: behind_count };
        return Err(Error::new(kind).at(base));
    }
    let mut names = Names::new(key, count)?;
    let mut places = memory::vec(math::to_usize(count, "index_entry_count")?)?;

    let region =
        Region { start: header.first_descriptor_offset(), end: trailer.tensor_region_end() };
    let sorted = header.flags().sorted();
    let mut order = Order { first: u64::MAX, last: 0, ascending: true };
    let mut previous: &[u8] = &[];
    let mut place = COUNT_LEN;
    for position in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let in_entry = |error: Error| {
            error
                .at(base.saturating_add(math::wide(place)))
                .in_section(Section::IndexEntry(position.into()))
        };
        let Some((name, fixed)) = split(&bytes, place) else {
            return Err(in_entry(truncated(&bytes, place, base)));
        };
        let text = check_name(name, previous, sorted).map_err(in_entry)?;
        let in_tensor = |error: Error| in_entry(error.in_tensor(position.into(), text));
        let fixed = Fixed::of(fixed);
        region.check(&fixed).map_err(in_tensor)?;
        order.see(fixed.descriptor_offset);
        names
            .insert(name, position, |other| name_at(&bytes, &places, other))
            .map_err(|first| in_tensor(duplicate(first)))?;
        places.push(place);
        place = place.saturating_add(2).saturating_add(name.len()).saturating_add(FIXED_LEN);
        previous = name;
    }
    let extra = math::wide(bytes.len().saturating_sub(place));
    if extra != 0 {
        let what = "the index's last entry";
        let at = base.saturating_add(math::wide(place));
        return Err(Error::new(ErrorKind::Trailing { what, extra }).at(at));
    }
    if count != 0 && order.first != region.start {
        let (found, expected) = (region.start, order.first);
        let what = "first_descriptor_offset";
        return Err(Error::new(ErrorKind::Mismatch { what, found, expected })
            .at(20)
            .in_section(Section::Header));
    }
    Ok(Index { bytes, places, names, in_file_order: order.ascending })
}

/// The numbers of an entry as the region of the tensors allows them.
struct Region {
    start: u64,
    end: u64,
}

impl Region {
    #[inline]
    fn check(&self, entry: &Fixed) -> Result<()> {
        let &Fixed { descriptor_offset, descriptor_length, data_offset, data_length, flags } =
            entry;
        if !math::is_aligned(descriptor_offset, PLACE_ALIGNMENT) {
            return Err(Error::new(ErrorKind::Misaligned {
                what: "descriptor_offset",
                value: descriptor_offset,
                alignment: PLACE_ALIGNMENT,
            }));
        }
        self.holds("descriptor", descriptor_offset, descriptor_length.into())?;
        self.holds("data", data_offset, data_length)?;
        if flags != 0 {
            return Err(Error::new(ErrorKind::Reserved { what: "flags", value: flags.into() }));
        }
        Ok(())
    }

    #[inline]
    fn holds(&self, what: &'static str, offset: u64, length: u64) -> Result<()> {
        let Self { start, end } = *self;
        if offset < start || !math::fits(offset, length, end) {
            return Err(Error::new(ErrorKind::Bounds { what, offset, length, start, end }));
        }
        Ok(())
    }
}

/// What becomes known about the places of descriptors on the way.
struct Order {
    first: u64,
    last: u64,
    ascending: bool,
}

impl Order {
    #[inline]
    fn see(&mut self, offset: u64) {
        self.ascending &= offset >= self.last;
        self.last = offset;
        self.first = self.first.min(offset);
    }
}

#[inline]
fn check_name<'n>(name: &'n [u8], previous: &[u8], sorted: bool) -> Result<&'n str> {
    if name.is_empty() {
        let (what, value, min, max) = ("name_length", 0, 1, u16::MAX.into());
        return Err(Error::new(ErrorKind::Limits { what, value, min, max }));
    }
    let text = std::str::from_utf8(name).map_err(|error| {
        let valid = math::wide(error.valid_up_to());
        Error::new(ErrorKind::Utf8 { what: "name", valid })
    })?;
    // The same name twice in a row is left to the table, which says where the first one stands.
    if sorted && name < previous {
        return Err(Error::new(ErrorKind::Unsorted { what: "name" }));
    }
    Ok(text)
}

#[cold]
fn duplicate(first: u32) -> Error {
    Error::new(ErrorKind::Duplicate { what: "name", first: first.into() })
}

/// Which part of an entry is missing.
#[cold]
fn truncated(bytes: &[u8], place: usize, base: u64) -> Error {
    let rest = bytes.get(place..).unwrap_or_default();
    let mut cursor = Cursor::new(rest, base.saturating_add(math::wide(place)));
    let walk = cursor
        .u16("name_length")
        .and_then(|length| cursor.take(length.into(), "name"))
        .and_then(|_| cursor.take(FIXED_LEN, "entry"));
    match walk {
        Err(error) => error,
        Ok(_) => Error::new(ErrorKind::Internal { what: "an entry is truncated and is not" }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::Flags;
    use super::*;

    const BASE: u64 = 20_480;

    struct Row {
        name: Vec<u8>,
        descriptor: (u64, u32),
        data: (u64, u64),
        flags: u32,
    }

    fn row(name: impl AsRef<[u8]>, at: u64) -> Row {
        let name = name.as_ref().to_vec();
        Row { name, descriptor: (at, 61), data: (4096, 48), flags: 0 }
    }

    fn bytes(count: u64, rows: &[Row]) -> Vec<u8> {
        let mut bytes = count.to_le_bytes().to_vec();
        for row in rows {
            bytes.extend(u16::try_from(row.name.len()).unwrap().to_le_bytes());
            bytes.extend(&row.name);
            bytes.extend(row.descriptor.0.to_le_bytes());
            bytes.extend(row.descriptor.1.to_le_bytes());
            bytes.extend(row.data.0.to_le_bytes());
            bytes.extend(row.data.1.to_le_bytes());
            bytes.extend(row.flags.to_le_bytes());
        }
        bytes
    }

    fn decode(bytes: Vec<u8>, sorted: bool) -> Result<Index> {
        let header = Header::new(Flags::new(false, sorted, false), 4096, None)?;
        let index_length = math::wide(bytes.len());
        let trailer = Trailer { index_offset: BASE, index_length, kv: None, crc: None };
        Index::decode(bytes, &header, &trailer, NameKey::draw()?)
    }

    fn index(rows: &[Row]) -> Result<Index> {
        decode(bytes(math::wide(rows.len()), rows), false)
    }

    fn message(rows: &[Row]) -> String {
        index(rows).unwrap_err().to_string()
    }

    #[test]
    fn entries_by_position_and_by_name() {
        let long = "x".repeat(65_535);
        let index = index(&[row("a\0b", 64), row(&long, 200), row("ä", 136)]).unwrap();
        assert_eq!(index.len(), 3);
        let entry = index.entry(0).unwrap();
        assert_eq!(
            (entry.name, entry.descriptor_offset, entry.descriptor_length),
            ("a\0b", 64, 61)
        );
        assert_eq!((entry.data_offset, entry.data_length), (4096, 48));
        assert_eq!(index.entry(1).unwrap().name, long);
        assert!(index.entry(3).is_none());
        assert_eq!(index.find(b"a\0b"), Some(0));
        assert_eq!(index.find("ä".as_bytes()), Some(2));
        assert_eq!(index.find(b"a"), None);
        assert!(!index.is_in_file_order());
    }

    #[test]
    fn many_names_are_all_found() {
        let rows: Vec<_> =
            (0..5000).map(|i| row(format!("tensor.{i}"), 64 + 8 * (i % 2))).collect();
        let index = index(&rows).unwrap();
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(index.find(&row.name), Some(math::wide(i)));
        }
    }

    #[test]
    fn no_entries() {
        let index = index(&[]).unwrap();
        assert!(index.is_empty() && index.entry(0).is_none() && index.find(b"").is_none());
    }

    #[test]
    fn a_count_is_backed_by_bytes_before_anything_is_allocated() {
        for count in [2, 1 << 31, 1 << 48, 1 << 63, u64::MAX] {
            let error = decode(bytes(count, &[row("a", 64)]), false).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { have: 35, .. }), "{error}");
        }
        let error = decode(bytes(1, &[row("a", 64), row("b", 128)]), false).unwrap_err();
        let text = "index: 35 bytes after the end of the index's last entry, at byte 20523";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn every_missing_byte_is_noticed() {
        let whole = bytes(2, &[row("abcdef", 64), row("z", 128)]);
        for length in 0..whole.len() {
            let error = decode(whole[..length].to_vec(), false).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{length}: {error}");
        }
    }

    #[test]
    fn names() {
        assert!(message(&[row("", 64), row("xx", 128)]).contains("name_length 0 is not in 1"));
        assert_eq!(
            message(&[row("a", 64), row("b", 128), row("a", 192)]),
            "tensor 2 \"a\": index entry 2: name appears twice, first in entry 0, at byte 20558"
        );
        // Surrogates, overlong forms and what lies beyond U+10FFFF (decisions.md row 60).
        for bad in [&b"\xED\xA0\x80"[..], b"\xC0\x80", b"\xF4\x90\x80\x80", b"ab\xFF"] {
            assert!(message(&[row(bad, 64)]).contains("index entry 0: name is not UTF-8"));
        }
    }

    #[test]
    fn order_is_by_bytes_and_only_where_it_was_promised() {
        let rows = [row("Z", 64), row("a", 128), row("aa", 136), row("é", 192)];
        assert!(decode(bytes(4, &rows), true).is_ok());
        let rows = [row("a", 64), row("Z", 128)];
        assert!(decode(bytes(2, &rows), false).is_ok());
        let error = decode(bytes(2, &rows), true).unwrap_err();
        assert!(error.to_string().contains("index entry 1: name out of order"), "{error}");
        let error = decode(bytes(2, &[row("a", 64), row("a", 128)]), true).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Duplicate { .. }), "{error}");
    }

    #[test]
    fn everything_lies_in_the_tensor_region() {
        let with = |change: fn(&mut Row)| {
            let mut row = row("a", 64);
            change(&mut row);
            index(&[row])
        };
        assert!(with(|row| row.data = (20_000, 480)).is_ok());
        // No data bytes: anywhere in the region, its end included (decisions.md row 57).
        assert!(with(|row| row.data = (BASE, 0)).is_ok());
        assert!(with(|row| row.data = (BASE + 1, 0)).is_err());
        assert!(with(|row| row.data = (20_000, 481)).is_err());
        assert!(with(|row| row.data = (u64::MAX, 48)).is_err());
        assert!(with(|row| row.data = (4096, u64::MAX)).is_err());
        assert!(with(|row| row.data = (0, 48)).is_err());
        assert!(with(|row| row.descriptor = (64, u32::MAX)).is_err());
        assert!(with(|row| row.descriptor = (u64::MAX - 7, 61)).is_err());
        let error = with(|row| row.flags = 4).unwrap_err();
        assert!(error.to_string().ends_with("flags must be 0, is 4, at byte 20488"), "{error}");
        let error = with(|row| row.descriptor.0 = 68).unwrap_err();
        assert!(error.to_string().contains("descriptor_offset 68 is not a multiple of 8"));
    }

    #[test]
    fn the_first_descriptor_is_where_the_header_says() {
        // decisions.md row 11.
        assert_eq!(
            message(&[row("a", 128), row("b", 72)]),
            "file header: first_descriptor_offset is 64, must be 72, at byte 20"
        );
    }

    #[test]
    fn the_checksum_is_verified_before_the_index_is_parsed() {
        let header = Header::new(Flags::new(false, false, true), 4096, None).unwrap();
        let bytes = vec![0xFF; 8];
        let crc = Some(1);
        let trailer = Trailer { index_offset: BASE, index_length: 8, kv: None, crc };
        let error = Index::decode(bytes, &header, &trailer, NameKey::draw().unwrap()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Checksum { stored: 1, .. }), "{error}");
    }
}
