//! The key-value section being put together by the writer (container.md, KV section).

use super::kv_entry::KvType;
use super::named_entries::{Fields, NamedEntries};
use crate::bytes::math;
use crate::error::{Error, ErrorKind, Result};

const FIELDS: Fields = Fields { name: "key", length: "key_length" };

/// Bytes of the count that the section begins with.
const COUNT: u64 = 4;

/// A value for a key. Texts and bytes hold up to 2^32 - 1 bytes each, arrays as many elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KvValue<'a> {
    /// A text.
    String(&'a str),
    /// A signed number.
    I64(i64),
    /// An unsigned number.
    U64(u64),
    /// A float; its bits are kept.
    F64(f64),
    /// True or false.
    Bool(bool),
    /// Opaque bytes.
    Bytes(&'a [u8]),
    /// An array of texts.
    Strings(&'a [&'a str]),
    /// An array of signed numbers.
    I64s(&'a [i64]),
    /// An array of unsigned numbers.
    U64s(&'a [u64]),
    /// An array of floats.
    F64s(&'a [f64]),
    /// An array of truth values.
    Bools(&'a [bool]),
    /// An array of opaque bytes.
    ByteStrings(&'a [&'a [u8]]),
}

impl KvValue<'_> {
    /// Hands out the value as it stands on disk, tag first, in pieces.
    ///
    /// Measuring and writing both go through here, so that they cannot differ.
    fn pieces(&self, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match *self {
            Self::String(text) => {
                put(&[KvType::String.tag()])?;
                counted(text.as_bytes(), put)
            }
            Self::I64(value) => {
                put(&[KvType::I64.tag()])?;
                put(&value.to_le_bytes())
            }
            Self::U64(value) => {
                put(&[KvType::U64.tag()])?;
                put(&value.to_le_bytes())
            }
            Self::F64(value) => {
                put(&[KvType::F64.tag()])?;
                put(&value.to_bits().to_le_bytes())
            }
            Self::Bool(value) => put(&[KvType::Bool.tag(), u8::from(value)]),
            Self::Bytes(bytes) => {
                put(&[KvType::Bytes.tag()])?;
                counted(bytes, put)
            }
            Self::Strings(values) => {
                array(KvType::String, values, put, |value, put| counted(value.as_bytes(), put))
            }
            Self::I64s(values) => {
                array(KvType::I64, values, put, |value, put| put(&value.to_le_bytes()))
            }
            Self::U64s(values) => {
                array(KvType::U64, values, put, |value, put| put(&value.to_le_bytes()))
            }
            Self::F64s(values) => {
                array(KvType::F64, values, put, |value, put| put(&value.to_bits().to_le_bytes()))
            }
            Self::Bools(values) => {
                array(KvType::Bool, values, put, |value, put| put(&[u8::from(*value)]))
            }
            Self::ByteStrings(values) => {
                array(KvType::Bytes, values, put, |value, put| counted(value, put))
            }
        }
    }
}

/// A count as the section stores it, in 32 bits.
fn count(count: usize, what: &'static str) -> Result<[u8; 4]> {
    u32::try_from(count).map(u32::to_le_bytes).map_err(|_| {
        let (value, max) = (math::wide(count), u64::from(u32::MAX));
        Error::new(ErrorKind::Limits { what, value, min: 0, max }).by_caller()
    })
}

fn counted(bytes: &[u8], put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    put(&count(bytes.len(), "value length")?)?;
    put(bytes)
}

fn array<T>(
    kind: KvType,
    values: &[T],
    put: &mut dyn FnMut(&[u8]) -> Result<()>,
    element: impl Fn(&T, &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
) -> Result<()> {
    put(&[KvType::ARRAY_TAG, kind.tag()])?;
    put(&count(values.len(), "array count")?)?;
    values.iter().try_for_each(|value| element(value, put))
}

/// The entries so far.
pub(super) struct KvEncoder {
    entries: NamedEntries,
}

impl KvEncoder {
    /// A section without entries.
    pub(super) fn new() -> Result<Self> {
        Ok(Self { entries: NamedEntries::new()? })
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// Appends an entry. Refuses an empty, too long or duplicate key and a value that the section
    /// has no room for, and then nothing changes.
    pub(super) fn push(&mut self, key: &str, value: KvValue<'_>) -> Result<()> {
        let mut size: u64 = 0;
        value.pieces(&mut |piece| {
            size = math::add(size, math::wide(piece.len()), "kv_length")?;
            Ok(())
        })?;
        let record = math::add(size, math::wide(key.len()).saturating_add(2), "kv_length")?;
        let whole = math::add(u64::from(self.encoded_len()?), record, "kv_length")?;
        if whole > u64::from(u32::MAX) {
            return Err(too_long(whole));
        }
        let rest = math::to_usize(size, "kv_length")?;
        self.entries.push(&FIELDS, key, rest, |bytes| {
            // Measuring has found everything in order, and this only appends.
            let _ = value.pieces(&mut |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            });
        })
    }

    /// Bytes that it takes in the file.
    pub(super) fn encoded_len(&self) -> Result<u32> {
        let whole = math::add(COUNT, math::wide(self.entries.bytes().len()), "kv_length")?;
        u32::try_from(whole).map_err(|_| too_long(whole))
    }

    /// Hands out the section in pieces.
    pub(super) fn emit(&self, mut put: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let entries = u32::try_from(self.entries.len()).map_err(|_| too_long(u64::MAX))?;
        put(&entries.to_le_bytes())?;
        put(self.entries.bytes())
    }
}

fn too_long(value: u64) -> Error {
    let max = u64::from(u32::MAX);
    Error::new(ErrorKind::Limits { what: "kv_length", value, min: 0, max }).by_caller()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;

    fn emitted(kv: &KvEncoder) -> Vec<u8> {
        let mut all = Vec::new();
        kv.emit(|bytes| {
            all.extend_from_slice(bytes);
            Ok(())
        })
        .unwrap();
        assert_eq!(u64::from(kv.encoded_len().unwrap()), math::wide(all.len()));
        all
    }

    #[test]
    fn every_type_as_the_table_says() {
        let one = [1, 0, 0, 0, 0, 0, 0, 0];
        let cases: [(KvValue<'_>, &[&[u8]]); 12] = [
            (KvValue::String("é"), &[&[1, 2, 0, 0, 0], "é".as_bytes()]),
            (KvValue::I64(-2), &[&[2, 0xFE], &[0xFF; 7]]),
            (KvValue::U64(1), &[&[3], &one]),
            (KvValue::F64(-0.0), &[&[4], &[0; 7], &[0x80]]),
            (KvValue::Bool(true), &[&[5, 1]]),
            (KvValue::Bytes(&[0, 9]), &[&[6, 2, 0, 0, 0, 0, 9]]),
            (KvValue::Strings(&["", "a"]), &[&[7, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, b'a']]),
            (KvValue::I64s(&[1]), &[&[7, 2, 1, 0, 0, 0], &one]),
            (KvValue::U64s(&[1, 1]), &[&[7, 3, 2, 0, 0, 0], &one, &one]),
            (KvValue::F64s(&[]), &[&[7, 4, 0, 0, 0, 0]]),
            (KvValue::Bools(&[false, true]), &[&[7, 5, 2, 0, 0, 0, 0, 1]]),
            (KvValue::ByteStrings(&[&[7]]), &[&[7, 6, 1, 0, 0, 0, 1, 0, 0, 0, 7]]),
        ];
        for (value, bytes) in cases {
            let mut kv = KvEncoder::new().unwrap();
            kv.push("k", value).unwrap();
            let expected = [&[1, 0, 0, 0, 1, 0, b'k'], &bytes.concat()[..]].concat();
            assert_eq!(emitted(&kv), expected, "{value:?}");
        }
    }

    #[test]
    fn more_than_the_section_can_hold_takes_no_memory() {
        let mut kv = KvEncoder::new().unwrap();
        kv.push("small", KvValue::Bool(true)).unwrap();
        let before = emitted(&kv);
        let text = "n".repeat(1 << 20);
        let error = kv.push("large", KvValue::Strings(&vec![text.as_str(); 4096])).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limits { what: "kv_length", .. }), "{error}");
        assert_eq!(error.fault(), Fault::Caller);
        assert!(kv.push("small", KvValue::Bool(true)).is_err());
        assert_eq!(emitted(&kv), before);
    }
}
