//! One entry of the KV section and its value (container.md, "KV section").

use crate::error::{Error, ErrorKind, Result};

/// The type of a value, or of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvType {
    /// UTF-8 text.
    String,
    /// A signed 64-bit number.
    I64,
    /// An unsigned 64-bit number.
    U64,
    /// A 64-bit float.
    F64,
    /// A truth value, one byte.
    Bool,
    /// Bytes without a meaning to the format.
    Bytes,
}

impl KvType {
    /// The tag of an array; the tag of its elements follows it.
    pub const ARRAY_TAG: u8 = 0x07;

    /// All of them, by tag.
    pub const ALL: [Self; 6] =
        [Self::String, Self::I64, Self::U64, Self::F64, Self::Bool, Self::Bytes];

    /// The type with this tag, if there is one. Arrays are not a type of their own here.
    pub fn from_tag(tag: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.tag() == tag)
    }

    /// `value_tag`.
    pub fn tag(self) -> u8 {
        match self {
            Self::String => 0x01,
            Self::I64 => 0x02,
            Self::U64 => 0x03,
            Self::F64 => 0x04,
            Self::Bool => 0x05,
            Self::Bytes => 0x06,
        }
    }

    /// As the specification spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F64 => "f64",
            Self::Bool => "bool",
            Self::Bytes => "bytes",
        }
    }

    fn array_name(self) -> &'static str {
        match self {
            Self::String => "array of string",
            Self::I64 => "array of i64",
            Self::U64 => "array of u64",
            Self::F64 => "array of f64",
            Self::Bool => "array of bool",
            Self::Bytes => "array of bytes",
        }
    }

    /// Bytes of one element, or of the length in front of it.
    pub(super) fn smallest(self) -> usize {
        match self {
            Self::String | Self::Bytes => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::Bool => 1,
        }
    }

    /// Whether every element takes the same room.
    pub(super) fn is_fixed(self) -> bool {
        !matches!(self, Self::String | Self::Bytes)
    }
}

/// One entry of the KV section. A value that is no array counts as one element.
#[derive(Clone, Copy)]
pub struct KvEntry<'a> {
    pub(super) key: &'a [u8],
    pub(super) kind: KvType,
    pub(super) array: bool,
    pub(super) count: u32,
    pub(super) section: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) elements: &'a [u32],
}

impl<'a> KvEntry<'a> {
    /// The key. It may contain U+0000.
    pub fn key(&self) -> &'a str {
        text(self.key)
    }

    /// The type of the value, or of its elements if it is an array.
    pub fn kind(&self) -> KvType {
        self.kind
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.array
    }

    /// Elements of an array, 1 for any other value.
    pub fn count(&self) -> u64 {
        self.count.into()
    }

    /// The type in words: `u64`, `array of u64`.
    pub fn type_name(&self) -> &'static str {
        if self.array { self.kind.array_name() } else { self.kind.name() }
    }

    /// The elements as they stand in the file, back to back, little-endian and not aligned; each
    /// string or bytes has its u32 length in front.
    pub fn data(&self) -> &'a [u8] {
        self.value
    }

    /// The string at place `k`. 0 is the only place of a value that is no array.
    pub fn string(&self, k: u64) -> Result<&'a str> {
        self.demand(KvType::String)?;
        self.long(k).map(text)
    }

    /// The bytes at place `k`.
    pub fn bytes(&self, k: u64) -> Result<&'a [u8]> {
        self.demand(KvType::Bytes)?;
        self.long(k)
    }

    /// The number at place `k`.
    pub fn i64(&self, k: u64) -> Result<i64> {
        self.demand(KvType::I64)?;
        self.short(k).map(i64::from_le_bytes)
    }

    /// The number at place `k`.
    pub fn u64(&self, k: u64) -> Result<u64> {
        self.demand(KvType::U64)?;
        self.short(k).map(u64::from_le_bytes)
    }

    /// The number at place `k`, bits kept.
    pub fn f64(&self, k: u64) -> Result<f64> {
        self.demand(KvType::F64)?;
        self.short(k).map(f64::from_le_bytes)
    }

    /// The truth value at place `k`.
    pub fn bool(&self, k: u64) -> Result<bool> {
        self.demand(KvType::Bool)?;
        self.short(k).map(|[byte]| byte != 0)
    }

    /// All strings or bytes from place `first` on, in order and without looking for each anew.
    pub fn long_values(&self, first: u64) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>> {
        if self.kind.is_fixed() {
            return Err(self.wrong("string or bytes"));
        }
        if first > self.count() {
            return Err(self.no_place(first));
        }
        let places = usize::try_from(first).ok().and_then(|first| self.elements.get(first..));
        let single = if self.array || first > 0 { None } else { self.long(0).ok() };
        let section = self.section;
        Ok(places
            .unwrap_or_default()
            .iter()
            .map(move |&place| long_at(section, place))
            .chain(single))
    }

    fn demand(&self, wanted: KvType) -> Result<()> {
        if self.kind == wanted { Ok(()) } else { Err(self.wrong(wanted.name())) }
    }

    fn wrong(&self, wanted: &'static str) -> Error {
        Error::new(ErrorKind::WrongType { wanted, found: self.type_name() })
    }

    fn no_place(&self, k: u64) -> Error {
        Error::new(ErrorKind::Index { what: "element", value: k, count: self.count() })
    }

    /// An element with its length in front.
    fn long(&self, k: u64) -> Result<&'a [u8]> {
        if !self.array && k == 0 {
            return Ok(self.value.get(4..).unwrap_or_default());
        }
        let place = usize::try_from(k).ok().and_then(|k| self.elements.get(k));
        place.map(|&place| long_at(self.section, place)).ok_or_else(|| self.no_place(k))
    }

    /// An element of N bytes.
    fn short<const N: usize>(&self, k: u64) -> Result<[u8; N]> {
        let (elements, _) = self.value.as_chunks::<N>();
        let element = usize::try_from(k).ok().and_then(|k| elements.get(k));
        element.copied().ok_or_else(|| self.no_place(k))
    }
}

impl std::fmt::Debug for KvEntry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {} of {} bytes", self.key(), self.type_name(), self.value.len())
    }
}

/// Text that was checked when the section was read; nobody else can change its bytes.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// A place in the section as a place in memory: what a u32 counts was read into memory.
pub(super) fn at(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// The bytes behind the length at `place`.
fn long_at(section: &[u8], place: u32) -> &[u8] {
    let rest = section.get(at(place)..).unwrap_or_default();
    let (length, rest) = rest.split_first_chunk().unwrap_or((&[0; 4], &[]));
    rest.get(..at(u32::from_le_bytes(*length))).unwrap_or_default()
}
