//! Status numbers and the error struct.

use std::ffi::{c_char, c_int};
use std::fmt::{self, Write};

use super::guard;
use crate::{EntryFault, Error, ErrorKind, Fault};

/// What a call says of itself: `HRRY_OK`, or one of `HRRY_ERROR_*`.
///
/// 1 to 99: what the caller passed or asked for. 100 to 199: the system. 200 to 299: the file is
/// not valid. 300 to 399: the file uses something that is newer, reserved, private or not
/// supported. 900: a defect of the library. A number never changes its meaning and is never used
/// again; later versions may add some, so treat an unknown one by its group.
pub type hrry_status = i32;

/// Done.
pub const HRRY_OK: hrry_status = 0;

/// An argument cannot be used: NULL, a number that is not known.
pub const HRRY_ERROR_ARGUMENT: hrry_status = 1;
/// An index is not below the count.
pub const HRRY_ERROR_INDEX: hrry_status = 2;
/// A range leaves what it is a part of.
pub const HRRY_ERROR_RANGE: hrry_status = 3;
/// No tensor, key or name is called that.
pub const HRRY_ERROR_NOT_FOUND: hrry_status = 4;
/// The progress function said stop.
pub const HRRY_ERROR_CANCELLED: hrry_status = 5;
/// The value has another type, or the descriptor another layout, than the one asked for.
pub const HRRY_ERROR_TYPE: hrry_status = 6;
/// The memory passed is too small for what goes into it, or has the wrong size.
pub const HRRY_ERROR_ROOM: hrry_status = 7;
/// Not the time for this call.
pub const HRRY_ERROR_STATE: hrry_status = 8;
/// A limit that the caller set is exceeded.
pub const HRRY_ERROR_LIMIT: hrry_status = 9;
/// What is named exists and is no regular file.
pub const HRRY_ERROR_NOT_A_FILE: hrry_status = 10;
/// The format forbids what the caller asked to be built or written.
pub const HRRY_ERROR_FORBIDDEN: hrry_status = 11;

/// A system call failed; os_error says how.
pub const HRRY_ERROR_SYSTEM: hrry_status = 100;
/// An allocation was refused.
pub const HRRY_ERROR_MEMORY: hrry_status = 101;
/// The file became shorter while it was open.
pub const HRRY_ERROR_SHRANK: hrry_status = 102;
/// A callback of the caller failed; os_error is the number it returned.
pub const HRRY_ERROR_CALLBACK: hrry_status = 103;

/// Not the bytes that such a thing begins with.
pub const HRRY_ERROR_MAGIC: hrry_status = 200;
/// Something ends too early.
pub const HRRY_ERROR_TRUNCATED: hrry_status = 201;
/// Something goes on after its end.
pub const HRRY_ERROR_TRAILING: hrry_status = 202;
/// Reserved bytes or bits are not zero.
pub const HRRY_ERROR_RESERVED: hrry_status = 203;
/// A field has a value that the format does not allow.
pub const HRRY_ERROR_VALUE: hrry_status = 204;
/// An offset or size is not the multiple that it must be.
pub const HRRY_ERROR_MISALIGNED: hrry_status = 205;
/// Something leaves the region that it must lie in.
pub const HRRY_ERROR_BOUNDS: hrry_status = 206;
/// Two statements about one thing differ.
pub const HRRY_ERROR_MISMATCH: hrry_status = 207;
/// A buffer is smaller than what it must hold.
pub const HRRY_ERROR_TOO_SMALL: hrry_status = 208;
/// A count or size does not fit 64 bits.
pub const HRRY_ERROR_OVERFLOW: hrry_status = 209;
/// Text is not UTF-8.
pub const HRRY_ERROR_UTF8: hrry_status = 210;
/// A name or key appears twice.
pub const HRRY_ERROR_DUPLICATE: hrry_status = 211;
/// Out of the order that a flag promises.
pub const HRRY_ERROR_UNSORTED: hrry_status = 212;
/// The checksum of the index is another than the one stored.
pub const HRRY_ERROR_CHECKSUM: hrry_status = 213;
/// Fields that do not go together.
pub const HRRY_ERROR_RULE: hrry_status = 214;
/// Two tensors own the same bytes.
pub const HRRY_ERROR_OVERLAP: hrry_status = 215;
/// Padding is not zero.
pub const HRRY_ERROR_PADDING: hrry_status = 216;
/// A stretch of bytes belongs to nothing.
pub const HRRY_ERROR_GAP: hrry_status = 217;
/// A composite ends before all its members have come.
pub const HRRY_ERROR_TORN: hrry_status = 218;
/// The members of a partition leave an index out, or two of them hold one.
pub const HRRY_ERROR_COVER: hrry_status = 219;

/// A version that this library does not read.
pub const HRRY_ERROR_VERSION: hrry_status = 300;
/// A tag that the format keeps for later.
pub const HRRY_ERROR_RESERVED_TAG: hrry_status = 301;
/// A tag of somebody's own, of which this library knows nothing.
pub const HRRY_ERROR_PRIVATE_TAG: hrry_status = 302;
/// Allowed by the format, but not offered by this library.
pub const HRRY_ERROR_UNSUPPORTED: hrry_status = 303;

/// A defect of the library; the message is worth reporting.
pub const HRRY_ERROR_INTERNAL: hrry_status = 900;

/// An offset, index or count that is not known or not set.
pub const HRRY_UNKNOWN: u64 = 0xFFFF_FFFF_FFFF_FFFF;

/// Bytes of an error's message, its end included.
const MESSAGE: usize = 456;

/// What went wrong in a call, in full. You own it: declare one, pass its address, reuse it. It
/// needs no preparation, is written only by a call that fails, points to nothing and need not be
/// freed. 512 bytes for the life of the ABI.
#[repr(C)]
pub struct hrry_error {
    /// What the call returned.
    pub status: hrry_status,
    /// errno of the system call that failed, or what the callback returned; else 0.
    pub os_error: i32,
    /// Byte of the file where it was found (of the descriptor or of the stream where the call has
    /// no file); HRRY_UNKNOWN when there is none.
    pub offset: u64,
    /// Index of the tensor it is about; HRRY_UNKNOWN when there is none.
    pub tensor: u64,
    /// Zero.
    pub reserved: [u64; 4],
    /// One line of UTF-8 in English, ended by a zero byte, cut where it is too long; control
    /// characters in it are escaped.
    pub message: [c_char; 456],
}

const _: () = assert!(size_of::<hrry_error>() == 512);

/// The name of a status number, as `HRRY_ERROR_NOT_FOUND` is `"not found"`.
///
/// Returns a text that lives forever; `"unknown status"` for a number that this version does not
/// have. Never NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_status_name(status: hrry_status) -> *const c_char {
    guard::value(c"unknown status", || name(status)).as_ptr()
}

fn name(status: hrry_status) -> &'static std::ffi::CStr {
    match status {
        HRRY_OK => c"ok",
        HRRY_ERROR_ARGUMENT => c"unusable argument",
        HRRY_ERROR_INDEX => c"index out of range",
        HRRY_ERROR_RANGE => c"range out of bounds",
        HRRY_ERROR_NOT_FOUND => c"not found",
        HRRY_ERROR_CANCELLED => c"cancelled",
        HRRY_ERROR_TYPE => c"wrong type",
        HRRY_ERROR_ROOM => c"wrong size of memory",
        HRRY_ERROR_STATE => c"wrong state",
        HRRY_ERROR_LIMIT => c"limit exceeded",
        HRRY_ERROR_NOT_A_FILE => c"not a regular file",
        HRRY_ERROR_FORBIDDEN => c"forbidden by the format",
        HRRY_ERROR_SYSTEM => c"system call failed",
        HRRY_ERROR_MEMORY => c"out of memory",
        HRRY_ERROR_SHRANK => c"file shrank",
        HRRY_ERROR_CALLBACK => c"callback failed",
        HRRY_ERROR_MAGIC => c"wrong magic",
        HRRY_ERROR_TRUNCATED => c"truncated",
        HRRY_ERROR_TRAILING => c"trailing bytes",
        HRRY_ERROR_RESERVED => c"reserved bytes set",
        HRRY_ERROR_VALUE => c"invalid value",
        HRRY_ERROR_MISALIGNED => c"misaligned",
        HRRY_ERROR_BOUNDS => c"out of bounds",
        HRRY_ERROR_MISMATCH => c"mismatch",
        HRRY_ERROR_TOO_SMALL => c"buffer too small",
        HRRY_ERROR_OVERFLOW => c"overflow",
        HRRY_ERROR_UTF8 => c"not utf-8",
        HRRY_ERROR_DUPLICATE => c"duplicate",
        HRRY_ERROR_UNSORTED => c"unsorted",
        HRRY_ERROR_CHECKSUM => c"wrong checksum",
        HRRY_ERROR_RULE => c"rule broken",
        HRRY_ERROR_OVERLAP => c"overlap",
        HRRY_ERROR_PADDING => c"padding not zero",
        HRRY_ERROR_GAP => c"gap",
        HRRY_ERROR_TORN => c"torn composite",
        HRRY_ERROR_COVER => c"not an exact cover",
        HRRY_ERROR_VERSION => c"unsupported version",
        HRRY_ERROR_RESERVED_TAG => c"reserved tag",
        HRRY_ERROR_PRIVATE_TAG => c"private tag",
        HRRY_ERROR_UNSUPPORTED => c"not supported",
        HRRY_ERROR_INTERNAL => c"internal error",
        _ => c"unknown status",
    }
}

/// The status of a kind of error. No catch-all arm: a new kind chooses its number here.
fn status_of_kind(kind: &ErrorKind) -> hrry_status {
    use EntryFault as F;
    use ErrorKind as K;
    match kind {
        K::Argument { .. } | K::Null { .. } | K::Unknown { .. } | K::Rank { .. } => {
            HRRY_ERROR_ARGUMENT
        }
        K::Index { .. } | K::IndexIn { .. } => HRRY_ERROR_INDEX,
        K::Range { .. } | K::Box { .. } => HRRY_ERROR_RANGE,
        K::NotFound { .. } | K::Absent { .. } => HRRY_ERROR_NOT_FOUND,
        K::Cancelled { .. } => HRRY_ERROR_CANCELLED,
        K::WrongType { .. } => HRRY_ERROR_TYPE,
        K::Room { .. } | K::Amount { .. } => HRRY_ERROR_ROOM,
        K::State { .. } => HRRY_ERROR_STATE,
        K::Limit { .. } => HRRY_ERROR_LIMIT,
        K::NotAFile { .. } => HRRY_ERROR_NOT_A_FILE,
        K::System { .. } => HRRY_ERROR_SYSTEM,
        K::Memory { .. } => HRRY_ERROR_MEMORY,
        K::Shrank { .. } => HRRY_ERROR_SHRANK,
        K::Callback { .. } => HRRY_ERROR_CALLBACK,
        K::Magic { .. } => HRRY_ERROR_MAGIC,
        K::Truncated { .. } => HRRY_ERROR_TRUNCATED,
        K::Trailing { .. } => HRRY_ERROR_TRAILING,
        K::Reserved { .. } => HRRY_ERROR_RESERVED,
        K::Value { .. }
        | K::Limits { .. }
        | K::SignedLimits { .. }
        | K::Float { .. }
        | K::PowerOfTwo { .. } => HRRY_ERROR_VALUE,
        K::Misaligned { .. } => HRRY_ERROR_MISALIGNED,
        K::Bounds { .. } => HRRY_ERROR_BOUNDS,
        K::Mismatch { .. } | K::FloatMismatch { .. } | K::MismatchIn { .. } | K::Differs { .. } => {
            HRRY_ERROR_MISMATCH
        }
        K::TooSmall { .. } => HRRY_ERROR_TOO_SMALL,
        K::Overflow { .. } => HRRY_ERROR_OVERFLOW,
        K::Utf8 { .. } => HRRY_ERROR_UTF8,
        K::Duplicate { .. } => HRRY_ERROR_DUPLICATE,
        K::Unsorted { .. } => HRRY_ERROR_UNSORTED,
        K::Checksum { .. } => HRRY_ERROR_CHECKSUM,
        K::Rule { .. } | K::RuleAt { .. } => HRRY_ERROR_RULE,
        K::Overlap { .. } => HRRY_ERROR_OVERLAP,
        K::Padding { .. } => HRRY_ERROR_PADDING,
        K::Gap { .. } => HRRY_ERROR_GAP,
        K::Entry { fault: F::Start { .. } | F::End { .. }, .. } => HRRY_ERROR_MISMATCH,
        K::Entry { fault: F::Bound { .. }, .. } => HRRY_ERROR_BOUNDS,
        K::Entry { fault: F::Descends { .. } | F::NotAbove { .. } | F::Unsorted, .. } => {
            HRRY_ERROR_UNSORTED
        }
        K::Entry { fault: F::Repeated { .. }, .. } => HRRY_ERROR_DUPLICATE,
        K::Entry { fault: F::Limits { .. } | F::Float { .. } | F::Code { .. }, .. } => {
            HRRY_ERROR_VALUE
        }
        K::Torn { .. } => HRRY_ERROR_TORN,
        K::Uncovered | K::MembersOverlap { .. } | K::NotTiled => HRRY_ERROR_COVER,
        K::Version { .. } => HRRY_ERROR_VERSION,
        K::ReservedTag { .. } => HRRY_ERROR_RESERVED_TAG,
        K::PrivateTag { .. } => HRRY_ERROR_PRIVATE_TAG,
        K::Unsupported { .. } => HRRY_ERROR_UNSUPPORTED,
        K::Internal { .. } => HRRY_ERROR_INTERNAL,
    }
}

/// The status of an error: what would be a fault of a file is the caller's where the caller asked
/// for it.
pub(super) fn status_of(error: &Error) -> hrry_status {
    match (error.fault(), status_of_kind(error.kind())) {
        (Fault::Caller, 200..=399) => HRRY_ERROR_FORBIDDEN,
        (_, status) => status,
    }
}

/// Why a call fails: an error with its place, or a fault that needs none and costs no allocation,
/// such as a name that is not there.
pub(super) enum Failure {
    Placed(Error),
    Plain(ErrorKind),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Placed(error)
    }
}

impl From<ErrorKind> for Failure {
    fn from(kind: ErrorKind) -> Self {
        Self::Plain(kind)
    }
}

/// The fault of a name that is not there. Formats nothing for a caller who would not see it:
/// engines probe for optional tensors all the time.
pub(super) fn not_found(what: &'static str, name: &[u8], seen: *const hrry_error) -> Failure {
    match seen.is_null() {
        true => Failure::Plain(ErrorKind::NotFound { what }),
        false => Failure::Placed(Error::not_found(what, name)),
    }
}

impl Failure {
    /// Fills in the caller's struct, if there is one, and gives the status. Formats nothing
    /// otherwise.
    ///
    /// # Safety
    /// `out` is NULL or may be written to.
    pub(super) unsafe fn report(&self, out: *mut hrry_error) -> hrry_status {
        let status = match self {
            Self::Placed(error) => status_of(error),
            Self::Plain(kind) => status_of_kind(kind),
        };
        if !out.is_null() {
            let filled = match self {
                Self::Placed(error) => hrry_error::of(error),
                Self::Plain(kind) => hrry_error::new(status, 0, (None, None), kind),
            };
            // SAFETY: not NULL, and then the caller's to be written to.
            unsafe { out.write(filled) };
        }
        status
    }
}

impl hrry_error {
    pub(super) fn of(error: &Error) -> Self {
        let place = (error.offset(), error.tensor());
        Self::new(status_of(error), error.os_error(), place, error)
    }

    pub(super) fn new(
        status: hrry_status,
        os_error: c_int,
        (offset, tensor): (Option<u64>, Option<u64>),
        message: impl fmt::Display,
    ) -> Self {
        Self {
            status,
            os_error,
            offset: offset.unwrap_or(HRRY_UNKNOWN),
            tensor: tensor.unwrap_or(HRRY_UNKNOWN),
            reserved: [0; 4],
            message: Message::<MESSAGE>::of(message),
        }
    }
}

/// A text of at most `N` bytes for C: ended by a zero byte, cut at a character, control characters
/// and U+0000 escaped.
pub(super) struct Message<const N: usize> {
    bytes: [c_char; N],
    length: usize,
    full: bool,
}

impl<const N: usize> Message<N> {
    pub(super) fn of(text: impl fmt::Display) -> [c_char; N] {
        let mut message = Self { bytes: [0; N], length: 0, full: false };
        // The only error is that of a full message, which is cut there.
        let _ = write!(message, "{text}");
        message.bytes
    }

    /// Appends all of `piece`, or nothing when it does not leave room for the end.
    fn push(&mut self, piece: &str) {
        let end = self.length.saturating_add(piece.len());
        match self.bytes.get_mut(self.length..end) {
            Some(room) if end < N && !self.full => {
                for (to, &byte) in room.iter_mut().zip(piece.as_bytes()) {
                    *to = c_char::from_ne_bytes([byte]);
                }
                self.length = end;
            }
            _ => self.full = true,
        }
    }
}

impl<const N: usize> fmt::Write for Message<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if character.is_control() {
                for escaped in character.escape_default() {
                    self.push(escaped.encode_utf8(&mut [0; 4]));
                }
            } else {
                self.push(character.encode_utf8(&mut [0; 4]));
            }
            if self.full {
                return Err(fmt::Error);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text<const N: usize>(message: &[c_char; N]) -> &str {
        let bytes: &[u8; N] = unsafe { &*message.as_ptr().cast() };
        CStr::from_bytes_until_nul(bytes).unwrap().to_str().unwrap()
    }

    #[test]
    fn a_message_is_cut_at_a_character_and_ended() {
        assert_eq!(text(&Message::<8>::of("abcdefgh")), "abcdefg");
        assert_eq!(text(&Message::<8>::of("abcdefé")), "abcdef");
        assert_eq!(text(&Message::<9>::of("abcdefé")), "abcdefé");
        assert_eq!(text(&Message::<1>::of("a")), "");
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(text(&Message::<64>::of("a\0b\x1b[2J\n\u{85}")), r"a\u{0}b\u{1b}[2J\n\u{85}");
        assert_eq!(text(&Message::<6>::of("ab\u{0}")), r"ab\u{");
    }

    #[test]
    fn an_error_fills_every_field() {
        let error = Error::new(ErrorKind::Truncated { what: "name", need: 35, have: 20 })
            .at(8192)
            .in_tensor(7, "w");
        let mut out = hrry_error::new(0, 0, (None, None), "");
        let status = unsafe { Failure::from(error).report(&mut out) };
        assert_eq!((status, out.status), (HRRY_ERROR_TRUNCATED, HRRY_ERROR_TRUNCATED));
        assert_eq!((out.os_error, out.offset, out.tensor), (0, 8192, 7));
        assert_eq!(
            text(&out.message),
            "tensor 7 \"w\": name truncated: need 35 bytes, have 20, at byte 8192"
        );

        let plain = Failure::from(ErrorKind::NotFound { what: "tensor" });
        assert_eq!(unsafe { plain.report(std::ptr::null_mut()) }, HRRY_ERROR_NOT_FOUND);
        assert_eq!(unsafe { plain.report(&mut out) }, HRRY_ERROR_NOT_FOUND);
        assert_eq!((out.offset, out.tensor), (HRRY_UNKNOWN, HRRY_UNKNOWN));
    }

    #[test]
    fn a_rule_that_the_caller_would_break_is_the_callers() {
        let error = Error::new(ErrorKind::Rule { rule: "no" });
        assert_eq!(status_of(&error), HRRY_ERROR_RULE);
        assert_eq!(status_of(&error.by_caller()), HRRY_ERROR_FORBIDDEN);
        let memory = Error::new(ErrorKind::Memory { bytes: 1 }).by_caller();
        assert_eq!(status_of(&memory), HRRY_ERROR_MEMORY);
    }

    #[test]
    fn every_number_has_a_name_of_its_own() {
        let mut names = std::collections::HashSet::new();
        for status in 0..1000 {
            let name = name(status);
            assert!(name == c"unknown status" || names.insert(name), "{name:?} twice");
        }
        assert_eq!(names.len(), 41);
    }
}
