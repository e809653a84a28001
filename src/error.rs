//! What went wrong, and where.

mod composite;
mod entry;

use std::fmt;

pub use entry::{BufferEntry, EntryFault};

/// A result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One fault: its kind with its numbers, and the place where it was found.
///
/// Boxed, so that a result stays as small as what it carries; a failed call allocates this one
/// small block.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    section: Option<Section>,
    offset: Option<u64>,
    tensor: Option<u64>,
    name: Option<Box<str>>,
    composite: Option<Box<composite::Place>>,
    fault: Fault,
}

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was read is wrong, or the system failed.
    Source,
    /// The caller asked for something that the format forbids.
    Caller,
}

/// The part of a file that an error speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The file as a whole.
    File,
    /// The first 64 bytes.
    Header,
    /// The last 40 bytes.
    Trailer,
    /// The index as a whole.
    Index,
    /// One entry of the index.
    IndexEntry(u64),
    /// The key-value section as a whole.
    Kv,
    /// One entry of the key-value section.
    KvEntry(u64),
    /// A tensor descriptor.
    Descriptor,
    /// One entry of a descriptor's buffer table.
    Buffer(u64),
    /// The data of a tensor.
    Data,
    /// Bytes between what is owned.
    Padding,
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Header => f.write_str("file header"),
            Self::Trailer => f.write_str("trailer"),
            Self::Index => f.write_str("index"),
            Self::IndexEntry(k) => write!(f, "index entry {k}"),
            Self::Kv => f.write_str("kv section"),
            Self::KvEntry(k) => write!(f, "kv entry {k}"),
            Self::Descriptor => f.write_str("descriptor"),
            Self::Buffer(k) => write!(f, "descriptor: buffer {k}"),
            Self::Data => f.write_str("data"),
            Self::Padding => f.write_str("padding"),
        }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// What went wrong, with its numbers. `what` names the field or the thing, as the specification
/// spells it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the numbers are named as the specification names them")]
pub enum ErrorKind {
    // The caller's.
    /// An argument that cannot be used at all.
    #[error("{what} is not a usable argument")]
    Argument { what: &'static str },
    /// A pointer that must not be NULL.
    #[error("{what} is NULL")]
    Null { what: &'static str },
    /// A number from the caller that stands for nothing.
    #[error("{what} {value} is not known")]
    Unknown { what: &'static str, value: u64 },
    /// A number from the caller that no list has.
    #[error("{what} {value} out of range: there are {count}")]
    Index { what: &'static str, value: u64, count: u64 },
    /// An index of an element from the caller that leaves the shape.
    #[error("index {value} in dimension {dimension} out of range: there are {size}")]
    IndexIn { dimension: u64, value: u64, size: u64 },
    /// A range from the caller that leaves what it is a part of.
    #[error("range of {length} byte{} at {offset} leaves the {size} bytes of {what}", plural(*length))]
    Range { what: &'static str, offset: u64, length: u64, size: u64 },
    /// A box from the caller that leaves the shape.
    #[error(
        "box of {extent} from {lower} on leaves dimension {dimension}, which has {size} {}",
        if *size == 1 { "index" } else { "indices" }
    )]
    Box { dimension: u64, lower: u64, extent: u64, size: u64 },
    /// A list from the caller that needs one number a dimension.
    #[error("{what} has {count} number{}, the shape {rank}", plural(*count))]
    Rank { what: &'static str, count: u64, rank: u64 },
    /// No such name or key.
    #[error("no {what} of that name")]
    NotFound { what: &'static str },
    /// A part that a tensor need not have, and does not.
    #[error("no {what}")]
    Absent { what: &'static str },
    /// The caller's progress function said stop.
    #[error("cancelled by the caller after {done} of {total} bytes")]
    Cancelled { done: u64, total: u64 },
    /// The value or tensor is of another type than the one asked for.
    #[error("this is {found}, not {wanted}")]
    WrongType { wanted: &'static str, found: &'static str },
    /// The caller's memory is too small, or has another size than what goes into it.
    #[error("{what} takes {need} byte{}, got room for {have}", plural(*need))]
    Room { what: &'static str, need: u64, have: u64 },
    /// The caller brought more or less than there must be.
    #[error("{what} is {found}, must be {expected}")]
    Amount { what: &'static str, found: u64, expected: u64 },
    /// Not the time for this call.
    #[error("{what}")]
    State { what: &'static str },
    /// A limit that the caller set.
    #[error("{what} needs {need}, the limit is {limit}")]
    Limit { what: &'static str, need: u64, limit: u64 },
    /// A target that is no regular file.
    #[error("{what} is not a regular file")]
    NotAFile { what: &'static str },

    // The system's.
    /// A system call failed.
    #[error("{call} failed: {}", os_message(*os))]
    System { call: &'static str, os: i32 },
    /// An allocation was refused.
    #[error("out of memory: {bytes} byte{} refused", plural(*bytes))]
    Memory { bytes: u64 },
    /// The file is shorter than it was when it was opened.
    #[error("file shrank while open: need {need} byte{}, have {have}", plural(*need))]
    Shrank { need: u64, have: u64 },
    /// A callback of the caller reported an error number.
    #[error("the caller's {what} reported error {code}")]
    Callback { what: &'static str, code: i32 },

    // The file's.
    /// Not the bytes that such a thing begins with.
    #[error("{what} is {found:02x?}, not {wanted:?}")]
    Magic { what: &'static str, found: [u8; 4], wanted: &'static str },
    /// Ends too early.
    #[error("{what} truncated: need {need} byte{}, have {have}", plural(*need))]
    Truncated { what: &'static str, need: u64, have: u64 },
    /// Goes on after its end.
    #[error("{extra} byte{} after the end of {what}", plural(*extra))]
    Trailing { what: &'static str, extra: u64 },
    /// Reserved bytes or bits that are set.
    #[error("{what} must be 0, is {value}")]
    Reserved { what: &'static str, value: u64 },
    /// A value that has no meaning.
    #[error("{what} {value} is not valid")]
    Value { what: &'static str, value: u64 },
    /// A number outside its limits, both inclusive.
    #[error("{what} {value} is not in {min} to {max}")]
    Limits { what: &'static str, value: u64, min: u64, max: u64 },
    /// A signed number outside its limits, both inclusive.
    #[error("{what} {value} is not in {min} to {max}")]
    SignedLimits { what: &'static str, value: i64, min: i64, max: i64 },
    /// A floating-point number that breaks its rule.
    #[error("{what} {value} is not {rule}")]
    Float { what: &'static str, value: f64, rule: &'static str },
    /// Must be a power of two.
    #[error("{what} {value} is not a power of two")]
    PowerOfTwo { what: &'static str, value: u64 },
    /// Must be a multiple.
    #[error("{what} {value} is not a multiple of {alignment}")]
    Misaligned { what: &'static str, value: u64, alignment: u64 },
    /// Leaves the region that it must lie in, `[start, end)`.
    #[error("{what}: {length} byte{} at {offset} not inside {start} to {end}", plural(*length))]
    Bounds { what: &'static str, offset: u64, length: u64, start: u64, end: u64 },
    /// A floating-point number is not what it is said to be.
    #[error("{what} is {found}, must be {expected}")]
    FloatMismatch { what: &'static str, found: f64, expected: f64 },
    /// Two statements about one thing differ.
    #[error("{what} is {found}, must be {expected}")]
    Mismatch { what: &'static str, found: u64, expected: u64 },
    /// A buffer is smaller than what it holds.
    #[error("{what} too small: need {need} byte{}, have {have}", plural(*need))]
    TooSmall { what: &'static str, need: u64, have: u64 },
    /// A count or size leaves 64 bits.
    #[error("{what} does not fit 64 bits")]
    Overflow { what: &'static str },
    /// Not UTF-8 from this byte on.
    #[error("{what} is not UTF-8 from its byte {valid} on")]
    Utf8 { what: &'static str, valid: u64 },
    /// The same name or key twice.
    #[error("{what} appears twice, first in entry {first}")]
    Duplicate { what: &'static str, first: u64 },
    /// Out of the order that a flag promises.
    #[error("{what} out of order")]
    Unsorted { what: &'static str },
    /// The stored checksum is not that of the bytes.
    #[error("{what} crc32c is {computed:#010x}, the file says {stored:#010x}")]
    Checksum { what: &'static str, stored: u32, computed: u32 },
    /// Two statements about one dimension differ.
    #[error("{what} in dimension {dimension} is {found}, must be {expected}")]
    MismatchIn { what: &'static str, dimension: u64, found: u64, expected: u64 },
    /// Two statements that are given by names differ.
    #[error("{what} is {found}, must be {expected}")]
    Differs { what: &'static str, found: &'static str, expected: &'static str },
    /// A rule about several fields together.
    #[error("{rule}")]
    Rule { rule: &'static str },
    /// A rule about one of several alike.
    #[error("{what} {index}: {rule}")]
    RuleAt { what: &'static str, index: u64, rule: &'static str },
    /// Two tensors, by index, own the same bytes.
    #[error("tensors {first} and {second} overlap")]
    Overlap { first: u64, second: u64 },
    /// Bytes that nobody owns and that must be zero.
    #[error("{what} is not zero: {value:#04x}")]
    Padding { what: &'static str, value: u8 },
    /// A stretch that belongs to nobody.
    #[error("{length} bytes belong to nothing")]
    Gap { length: u64 },
    /// A number in the data of a tensor breaks a rule.
    #[error("{entry} {fault}")]
    Entry { entry: BufferEntry, fault: EntryFault },
    /// A composite ends before all its members have come.
    #[error("torn composite: {promised} members promised, {found} found")]
    Torn { promised: u64, found: u64 },
    /// A partition leaves an index out.
    #[error("no member holds an index of the head")]
    Uncovered,
    /// Two members of a partition, one given as the place, hold the same index.
    #[error("overlaps member {member}")]
    MembersOverlap { member: u64 },
    /// The members of a partition do not tile it, and the place was not found.
    #[error("members do not tile the head; the search for the place was given up")]
    NotTiled,

    // Newer, private or not known.
    /// A version that this library does not read.
    #[error("{what} {found} is not supported, {supported} is")]
    Version { what: &'static str, found: u64, supported: u64 },
    /// A tag that the format has reserved.
    #[error("{what} {tag:#04x} is reserved")]
    ReservedTag { what: &'static str, tag: u8 },
    /// A tag of somebody's own.
    #[error("{what} {tag:#04x} is private")]
    PrivateTag { what: &'static str, tag: u8 },
    /// Legal, but not offered by this library.
    #[error("{what} is not supported")]
    Unsupported { what: &'static str },

    /// A defect of this library.
    #[error("internal error: {what}")]
    Internal { what: &'static str },
}

impl ErrorKind {
    /// Whether it judges what was read, as valid or as supported, rather than telling of a call,
    /// the system or memory that failed.
    pub fn is_verdict(&self) -> bool {
        match self {
            Self::Argument { .. }
            | Self::Null { .. }
            | Self::Unknown { .. }
            | Self::Index { .. }
            | Self::IndexIn { .. }
            | Self::Range { .. }
            | Self::Box { .. }
            | Self::Rank { .. }
            | Self::NotFound { .. }
            | Self::Absent { .. }
            | Self::Cancelled { .. }
            | Self::WrongType { .. }
            | Self::Room { .. }
            | Self::Amount { .. }
            | Self::State { .. }
            | Self::Limit { .. }
            | Self::NotAFile { .. }
            | Self::System { .. }
            | Self::Memory { .. }
            | Self::Shrank { .. }
            | Self::Callback { .. }
            | Self::Internal { .. } => false,
            Self::Magic { .. }
            | Self::Truncated { .. }
            | Self::Trailing { .. }
            | Self::Reserved { .. }
            | Self::Value { .. }
            | Self::Limits { .. }
            | Self::SignedLimits { .. }
            | Self::Float { .. }
            | Self::PowerOfTwo { .. }
            | Self::Misaligned { .. }
            | Self::Bounds { .. }
            | Self::Mismatch { .. }
            | Self::FloatMismatch { .. }
            | Self::TooSmall { .. }
            | Self::Overflow { .. }
            | Self::Utf8 { .. }
            | Self::Duplicate { .. }
            | Self::Unsorted { .. }
            | Self::Checksum { .. }
            | Self::Rule { .. }
            | Self::RuleAt { .. }
            | Self::Overlap { .. }
            | Self::Padding { .. }
            | Self::Gap { .. }
            | Self::Entry { .. }
            | Self::MismatchIn { .. }
            | Self::Differs { .. }
            | Self::Torn { .. }
            | Self::Uncovered
            | Self::MembersOverlap { .. }
            | Self::NotTiled
            | Self::Version { .. }
            | Self::ReservedTag { .. }
            | Self::PrivateTag { .. }
            | Self::Unsupported { .. } => true,
        }
    }
}

/// What a message shows of a name. Its length is that of what is shown: the escapes of a name must
/// not crowd out what went wrong.
fn cut(name: &str) -> Box<str> {
    const LONGEST: usize = 200;
    let mut shown = 0_usize;
    let too_long = |&(_, character): &(usize, char)| {
        let width = character.escape_debug().map(char::len_utf8).sum();
        shown = shown.saturating_add(width);
        shown > LONGEST
    };
    let end = name.char_indices().find(too_long).map_or(name.len(), |(at, _)| at);
    Box::from(name.get(..end).unwrap_or_default())
}

fn os_message(os: i32) -> impl fmt::Display {
    std::io::Error::from_raw_os_error(os)
}

impl Error {
    /// An error without a place.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            section: None,
            offset: None,
            tensor: None,
            name: None,
            composite: None,
            fault: Fault::Source,
        }))
    }

    /// A name or key that is nowhere; the message repeats it, cut where it is long.
    pub fn not_found(what: &'static str, name: &[u8]) -> Self {
        /// More than is ever shown of a name.
        const LOOKED_AT: usize = 1000;
        let start = name.get(..LOOKED_AT).unwrap_or(name);
        let mut error = Self::new(ErrorKind::NotFound { what });
        error.0.name = Some(cut(&String::from_utf8_lossy(start)));
        error
    }

    /// The failure of a system call, with the error number it left.
    pub fn system(call: &'static str, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::System { call, os: error.raw_os_error().unwrap_or(0) })
    }

    /// Adds the byte where it was found, unless one is known already.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Counts the byte from further ahead: what was parsed alone begins at `base` in its file. An
    /// error without a byte gets this one.
    #[must_use]
    pub fn shifted(mut self, base: u64) -> Self {
        let offset = self.0.offset.unwrap_or(0);
        self.0.offset = Some(offset.saturating_add(base));
        self
    }

    /// Adds the part of the file, unless one is known already.
    #[must_use]
    pub fn in_section(mut self, section: Section) -> Self {
        self.0.section.get_or_insert(section);
        self
    }

    /// Adds the tensor, by index and name, unless another is known already. A long name is cut.
    #[must_use]
    pub fn in_tensor(mut self, index: u64, name: &str) -> Self {
        let nameless = self.0.tensor == Some(index) && self.0.name.is_none();
        if self.0.tensor.is_none() || nameless {
            self.0.tensor = Some(index);
            self.0.name = Some(cut(name));
        }
        self
    }

    /// Marks a rule of the format that a caller, not a file, would have broken.
    #[must_use]
    pub fn by_caller(mut self) -> Self {
        self.0.fault = Fault::Caller;
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The part of the file.
    pub fn section(&self) -> Option<Section> {
        self.0.section
    }

    /// The byte in the file (or in the descriptor, when that came alone).
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The tensor, by index.
    pub fn tensor(&self) -> Option<u64> {
        self.0.tensor
    }

    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// The error number of the system call or callback that failed, else 0.
    pub fn os_error(&self) -> i32 {
        match self.0.kind {
            ErrorKind::System { os, .. } => os,
            ErrorKind::Callback { code, .. } => code,
            _ => 0,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.0.tensor {
            write!(f, "tensor {index}{}: ", Quoted(self.0.name.as_deref()))?;
        }
        if let Some(place) = &self.0.composite {
            place.before(f)?;
        }
        if let Some(section) = self.0.section {
            write!(f, "{section}: ")?;
        }
        write!(f, "{}", self.0.kind)?;
        if self.0.tensor.is_none() && self.0.name.is_some() {
            write!(f, ":{}", Quoted(self.0.name.as_deref()))?;
        }
        if let Some(place) = &self.0.composite {
            place.after(f)?;
        }
        match self.0.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

/// A name, if there is one, in quotes after a space.
struct Quoted<'n>(Option<&'n str>);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, " \"{}\"", name.escape_debug()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({:?})", self.0.kind)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_where_and_the_numbers() {
        let error = Error::new(ErrorKind::Truncated { what: "name", need: 35, have: 20 })
            .at(8192)
            .in_section(Section::IndexEntry(12));
        assert_eq!(
            error.to_string(),
            "index entry 12: name truncated: need 35 bytes, have 20, at byte 8192"
        );
    }

    #[test]
    fn the_first_place_is_kept() {
        let error = Error::new(ErrorKind::Overflow { what: "data_length" })
            .in_tensor(3, "a\u{0}b")
            .in_tensor(9, "outer")
            .at(5)
            .at(6);
        assert_eq!(
            error.to_string(),
            "tensor 3 \"a\\0b\": data_length does not fit 64 bits, at byte 5"
        );
    }

    #[test]
    fn a_part_that_was_parsed_alone_finds_its_place() {
        let error = || Error::new(ErrorKind::Overflow { what: "size" });
        assert_eq!(error().at(6).shifted(64).offset(), Some(70));
        assert_eq!(error().shifted(64).offset(), Some(64));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = Error::not_found("tensor", b"bi\0as");
        assert_eq!(error.to_string(), "no tensor of that name: \"bi\\0as\"");
        let error = Error::not_found("key", b"\xFFkey");
        assert_eq!(error.to_string(), "no key of that name: \"\u{FFFD}key\"");
        assert_eq!((error.tensor(), error.offset()), (None, None));
        assert!(Error::not_found("key", &[b'x'; 70_000]).to_string().len() < 300);
    }

    #[test]
    fn a_long_name_is_cut_at_a_character() {
        // Also one that is mostly escapes when it is shown.
        for part in ["é", "\u{1b}", "\""] {
            let name = part.repeat(500);
            let error = Error::new(ErrorKind::Overflow { what: "size" }).in_tensor(0, &name);
            assert!(error.to_string().len() < 300, "{error}");
        }
    }
}
