//! The KV section: facts about the file as a whole (container.md, "KV section").

use super::kv_entry::{KvEntry, KvType, at};
use super::names::{NameKey, Names};
use crate::bytes::{Cursor, math, memory};
use crate::error::{Error, ErrorKind, Result, Section};

/// Bytes of the smallest entry: a key of one byte and a bool.
const SMALLEST_ENTRY: u64 = 5;

/// The KV section as it was read, in memory of its own, checked whole.
///
/// Costs the bytes of the section, about 25 more for each entry, and 4 for each element of an
/// array of strings or bytes.
#[derive(Debug)]
pub struct Kv {
    bytes: Vec<u8>,
    records: Vec<Record>,
    /// Where the elements of arrays of strings or bytes begin in `bytes`, all arrays in a row.
    elements: Vec<u32>,
    names: Names,
}

/// Where the parts of an entry lie in the section, whose length is a u32.
#[derive(Debug)]
struct Record {
    key: u32,
    value: u32,
    end: u32,
    /// The first of the entry's own in `Kv::elements`.
    elements: u32,
    count: u32,
    kind: KvType,
    array: bool,
}

impl Kv {
    /// The section of a file that has none.
    pub(super) fn none(key: NameKey) -> Result<Self> {
        let names = Names::new(key, 0)?;
        Ok(Self { bytes: Vec::new(), records: Vec::new(), elements: Vec::new(), names })
    }

    /// Checks a section whose first byte stands at `base` in the file.
    pub(super) fn decode(bytes: Vec<u8>, base: u64, key: NameKey) -> Result<Self> {
        decode(bytes, base, key).map_err(|error| error.in_section(Section::Kv))
    }

    /// How many entries there are.
    pub fn len(&self) -> u64 {
        math::wide(self.records.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The entry at position `i`, as they stand in the file.
    pub fn get(&self, i: u64) -> Option<KvEntry<'_>> {
        let record = self.records.get(usize::try_from(i).ok()?)?;
        let first = at(record.elements);
        let own = if record.array && !record.kind.is_fixed() { at(record.count) } else { 0 };
        Some(KvEntry {
            key: key_at(&self.bytes, record),
            kind: record.kind,
            array: record.array,
            count: record.count,
            section: &self.bytes,
            value: self.bytes.get(at(record.value)..at(record.end))?,
            elements: self.elements.get(first..first.checked_add(own)?)?,
        })
    }

    /// The position of the entry with that key.
    pub fn find(&self, key: &[u8]) -> Option<u64> {
        self.names.find(key, |other| record_key(&self.bytes, &self.records, other)).map(u64::from)
    }
}

/// The key ends where tag, and for an array element tag and count, stand before the value.
fn key_at<'b>(bytes: &'b [u8], record: &Record) -> &'b [u8] {
    let rest = bytes.get(at(record.key)..).unwrap_or_default();
    let (length, rest) = rest.split_first_chunk().unwrap_or((&[0; 2], &[]));
    rest.get(..u16::from_le_bytes(*length).into()).unwrap_or_default()
}

fn record_key<'b>(bytes: &'b [u8], records: &[Record], position: u32) -> &'b [u8] {
    records.get(at(position)).map(|record| key_at(bytes, record)).unwrap_or_default()
}

fn decode(bytes: Vec<u8>, base: u64, key: NameKey) -> Result<Kv> {
    let mut cursor = Cursor::new(&bytes, base);
    let count = u64::from(cursor.u32("kv_count")?);
    let have = math::wide(cursor.remaining());
    if count > math::div(have, SMALLEST_ENTRY) {
        let need = count.saturating_mul(SMALLEST_ENTRY);
        return Err(Error::new(ErrorKind::Truncated { what: "kv entries", need, have }).at(base));
    }
    let mut names = Names::new(key, count)?;
    let mut records = memory::vec(math::to_usize(count, "kv_count")?)?;
    let mut elements = Vec::new();
    for position in 0..u32::try_from(count).unwrap_or(u32::MAX) {
        let start = cursor.offset();
        let in_entry = |error: Error| error.at(start).in_section(Section::KvEntry(position.into()));
        let record = entry(&mut cursor, &mut elements).map_err(in_entry)?;
        names
            .insert(key_at(&bytes, &record), position, |other| record_key(&bytes, &records, other))
            .map_err(|first| {
                in_entry(Error::new(ErrorKind::Duplicate { what: "key", first: first.into() }))
            })?;
        records.push(record);
    }
    cursor.finish("the last kv entry")?;
    Ok(Kv { bytes, records, elements, names })
}

fn entry(cursor: &mut Cursor<'_>, elements: &mut Vec<u32>) -> Result<Record> {
    let key = place(cursor)?;
    let key_length = cursor.u16("key_length")?;
    if key_length == 0 {
        let (what, value, min, max) = ("key_length", 0, 1, u16::MAX.into());
        return Err(Error::new(ErrorKind::Limits { what, value, min, max }));
    }
    check_text("key", cursor, key_length.into())?;

    let tag_offset = cursor.offset();
    let tag = cursor.u8("value_tag")?;
    if tag != KvType::ARRAY_TAG {
        let kind = kind("value_tag", tag).map_err(|error| error.at(tag_offset))?;
        let value = place(cursor)?;
        element(cursor, kind)?;
        let (end, elements) = (place(cursor)?, 0);
        return Ok(Record { key, value, end, elements, count: 1, kind, array: false });
    }
    let tag_offset = cursor.offset();
    let kind =
        kind("element tag", cursor.u8("element tag")?).map_err(|error| error.at(tag_offset))?;
    let count = cursor.u32("array count")?;
    // No element takes less, so the count is backed by bytes before anything follows it.
    let need = u64::from(count).saturating_mul(math::wide(kind.smallest()));
    let have = math::wide(cursor.remaining());
    if need > have {
        let what = "array";
        return Err(Error::new(ErrorKind::Truncated { what, need, have }).at(cursor.offset()));
    }
    let value = place(cursor)?;
    let first = place_of(elements.len())?;
    if kind.is_fixed() {
        fixed_elements(cursor, kind, need)?;
    } else {
        memory::reserve(elements, at(count))?;
        for _ in 0..count {
            elements.push(place(cursor)?);
            element(cursor, kind)?;
        }
    }
    Ok(Record { key, value, end: place(cursor)?, elements: first, count, kind, array: true })
}

fn kind(what: &'static str, tag: u8) -> Result<KvType> {
    match (KvType::from_tag(tag), tag) {
        (Some(kind), _) => Ok(kind),
        (None, 0x08..=0xEF) => Err(Error::new(ErrorKind::ReservedTag { what, tag })),
        // No length is defined, so there is no stepping over one (decisions.md row 25).
        (None, 0xF0..=0xFE) => Err(Error::new(ErrorKind::PrivateTag { what, tag })),
        // 0x00, 0xFF, and an array inside an array.
        (None, _) => Err(Error::new(ErrorKind::Value { what, value: tag.into() })),
    }
}

fn element(cursor: &mut Cursor<'_>, kind: KvType) -> Result<()> {
    match kind {
        KvType::String => {
            let length = cursor.u32("string length")?;
            check_text("string", cursor, length.into())
        }
        KvType::Bytes => {
            let length = cursor.u32("bytes length")?;
            cursor.take_wide(length.into(), "bytes").map(|_| ())
        }
        KvType::I64 | KvType::U64 | KvType::F64 | KvType::Bool => {
            fixed_elements(cursor, kind, math::wide(kind.smallest()))
        }
    }
}

/// Steps over numbers, and looks at each bool.
fn fixed_elements(cursor: &mut Cursor<'_>, kind: KvType, size: u64) -> Result<()> {
    let start = cursor.offset();
    let bytes = cursor.take_wide(size, kind.name())?;
    if kind != KvType::Bool {
        return Ok(());
    }
    match bytes.iter().enumerate().find(|&(_, &byte)| byte > 1) {
        None => Ok(()),
        Some((k, &byte)) => Err(Error::new(ErrorKind::Value { what: "bool", value: byte.into() })
            .at(start.saturating_add(math::wide(k)))),
    }
}

fn check_text(what: &'static str, cursor: &mut Cursor<'_>, length: u64) -> Result<()> {
    let start = cursor.offset();
    let bytes = cursor.take_wide(length, what)?;
    std::str::from_utf8(bytes).map(|_| ()).map_err(|error| {
        let valid = math::wide(error.valid_up_to());
        Error::new(ErrorKind::Utf8 { what, valid }).at(start.saturating_add(valid))
    })
}

/// Where the cursor stands in the section.
fn place(cursor: &Cursor<'_>) -> Result<u32> {
    place_of(cursor.position())
}

fn place_of(position: usize) -> Result<u32> {
    u32::try_from(position).map_err(|_| Error::new(ErrorKind::Overflow { what: "kv_length" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 8192;

    fn entry(key: &str, tag: u8, value: &[u8]) -> Vec<u8> {
        let mut bytes = u16::try_from(key.len()).unwrap().to_le_bytes().to_vec();
        bytes.extend(key.as_bytes());
        bytes.push(tag);
        bytes.extend(value);
        bytes
    }

    fn long(bytes: &[u8]) -> Vec<u8> {
        let length = u32::try_from(bytes.len()).unwrap();
        [&length.to_le_bytes(), bytes].concat()
    }

    fn array(tag: u8, count: u32, elements: &[u8]) -> Vec<u8> {
        [&[tag], &count.to_le_bytes()[..], elements].concat()
    }

    fn section(entries: &[Vec<u8>]) -> Vec<u8> {
        let count = u32::try_from(entries.len()).unwrap();
        [&count.to_le_bytes()[..], &entries.concat()].concat()
    }

    fn decode(entries: &[Vec<u8>]) -> Result<Kv> {
        Kv::decode(section(entries), BASE, NameKey::draw()?)
    }

    fn message(tag: u8, value: &[u8]) -> String {
        decode(&[entry("key", tag, value)]).unwrap_err().to_string()
    }

    fn every_type() -> Vec<Vec<u8>> {
        vec![
            entry("s", 1, &long("hé\0".as_bytes())),
            entry("i", 2, &(-5_i64).to_le_bytes()),
            entry("u", 3, &u64::MAX.to_le_bytes()),
            entry("f", 4, &0x7FF0_0000_0000_0001_u64.to_le_bytes()),
            entry("b", 5, &[1]),
            entry("x", 6, &long(&[0xFF, 0])),
            entry("as", 7, &array(1, 3, &[long(b"one"), long(b""), long(b"three")].concat())),
            entry("ai", 7, &array(2, 2, &[1_i64.to_le_bytes(), (-1_i64).to_le_bytes()].concat())),
            entry("ab", 7, &array(5, 3, &[1, 0, 1])),
            entry("ax", 7, &array(6, 2, &[long(&[1]), long(&[2, 3])].concat())),
            entry("empty", 7, &array(4, 0, &[])),
        ]
    }

    #[test]
    fn every_type_of_value() {
        let kv = decode(&every_type()).unwrap();
        let get = |key: &str| kv.get(kv.find(key.as_bytes()).unwrap()).unwrap();
        assert_eq!(kv.len(), 11);
        assert_eq!(get("s").string(0).unwrap(), "hé\0");
        assert_eq!(get("i").i64(0).unwrap(), -5);
        assert_eq!(get("u").u64(0).unwrap(), u64::MAX);
        assert_eq!(get("f").f64(0).unwrap().to_bits(), 0x7FF0_0000_0000_0001);
        assert!(get("b").bool(0).unwrap());
        assert_eq!(get("x").bytes(0).unwrap(), [0xFF, 0]);
        assert_eq!(get("as").string(2).unwrap(), "three");
        assert_eq!(get("as").string(1).unwrap(), "");
        assert_eq!(get("ai").i64(1).unwrap(), -1);
        assert!(!get("ab").bool(1).unwrap());
        assert_eq!(get("ax").bytes(1).unwrap(), [2, 3]);
        assert_eq!((get("empty").count(), get("empty").data().len()), (0, 0));
        assert_eq!((get("as").type_name(), get("as").count()), ("array of string", 3));
        assert_eq!(get("ab").data(), [1, 0, 1]);
        assert!(kv.find(b"S").is_none() && kv.get(11).is_none());
    }

    #[test]
    fn a_wrong_type_and_a_wrong_place_are_told() {
        let kv = decode(&every_type()).unwrap();
        let error = kv.get(6).unwrap().i64(0).unwrap_err();
        assert_eq!(error.to_string(), "this is array of string, not i64");
        for (i, k) in [(0, 1), (6, 3), (7, 2), (9, u64::MAX)] {
            let entry = kv.get(i).unwrap();
            let error = match entry.kind() {
                KvType::String => entry.string(k).unwrap_err(),
                KvType::Bytes => entry.bytes(k).unwrap_err(),
                _ => entry.i64(k).unwrap_err(),
            };
            assert!(error.to_string().contains("element"), "{error}");
        }
    }

    #[test]
    fn strings_in_bulk() {
        let kv = decode(&every_type()).unwrap();
        let all =
            |i, first| -> Vec<&[u8]> { kv.get(i).unwrap().long_values(first).unwrap().collect() };
        assert_eq!(all(6, 0), [&b"one"[..], b"", b"three"]);
        assert_eq!(all(6, 2), [b"three"]);
        assert!(all(6, 3).is_empty());
        assert_eq!(all(5, 0), [[0xFF, 0]]);
        assert!(all(5, 1).is_empty());
        assert!(kv.get(6).unwrap().long_values(4).is_err());
        assert!(kv.get(7).unwrap().long_values(0).is_err());
    }

    #[test]
    fn tags() {
        assert!(message(0x00, &[]).contains("value_tag 0 is not valid, at byte 8201"));
        assert!(message(0xFF, &[]).contains("value_tag 255 is not valid"));
        assert!(message(0x08, &[]).contains("value_tag 0x08 is reserved"));
        assert!(message(0xEF, &[]).contains("value_tag 0xef is reserved"));
        assert!(message(0xF0, &[]).contains("value_tag 0xf0 is private"));
        assert!(message(7, &array(7, 0, &[])).contains("element tag 7 is not valid, at byte 8202"));
        assert!(message(7, &array(0, 0, &[])).contains("element tag 0 is not valid"));
    }

    #[test]
    fn values() {
        assert_eq!(message(5, &[2]), "kv entry 0: bool 2 is not valid, at byte 8202");
        assert!(
            message(7, &array(5, 2, &[1, 0xFF])).contains("bool 255 is not valid, at byte 8208")
        );
        assert!(message(1, &long(b"a\xC0\x80")).contains("string is not UTF-8 from its byte 1 on"));
        assert!(message(1, &u32::MAX.to_le_bytes()).contains("need 4294967295 bytes, have 0"));
        for tag in 1..=6 {
            let error = message(7, &array(tag, u32::MAX, &[1]));
            assert!(error.contains("array truncated"), "{error}");
        }
        let error = decode(&[entry("", 3, &[1; 8])]).unwrap_err();
        assert!(error.to_string().contains("key_length 0"), "{error}");
    }

    #[test]
    fn keys_are_unique_to_the_byte() {
        assert!(decode(&[entry("k", 5, &[1]), entry("K", 5, &[1])]).is_ok());
        let error = decode(&[entry("k", 5, &[1]), entry("k", 5, &[0])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kv entry 1: key appears twice, first in entry 0, at byte 8201"
        );
    }

    #[test]
    fn the_entries_end_where_the_section_ends() {
        let whole = section(&every_type());
        for length in 0..whole.len() {
            let error = Kv::decode(whole[..length].to_vec(), BASE, NameKey::draw().unwrap());
            let error = error.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{length}: {error}");
        }
        let longer = [&whole[..], &[0]].concat();
        let error = Kv::decode(longer, BASE, NameKey::draw().unwrap()).unwrap_err();
        assert!(error.to_string().contains("1 byte after the end of the last kv entry"));
    }

    #[test]
    fn many_keys_are_linear() {
        let entries: Vec<_> = (0..200_000).map(|i| entry(&format!("{i:x}"), 5, &[1])).collect();
        assert_eq!(decode(&entries).unwrap().find(b"1f"), Some(31));
    }
}
