//! The tag space that element types, layouts, schemes and composition rules share.

use crate::error::{Error, ErrorKind};

/// What a tag's place in the tag space says about it: 0x01-0x3F core, 0x40-0x7F extended,
/// 0x80-0xEF reserved, 0xF0-0xFE private, 0x00 and 0xFF invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagSpace {
    /// 0x01-0x3F.
    Core,
    /// 0x40-0x7F.
    Extended,
    /// 0x80-0xEF: for later versions.
    Reserved,
    /// 0xF0-0xFE: somebody's own.
    Private,
    /// 0x00 and 0xFF: never valid.
    Invalid,
}

impl TagSpace {
    /// Where `tag` lies.
    pub const fn of(tag: u8) -> Self {
        match tag {
            0x00 | 0xFF => Self::Invalid,
            0x01..=0x3F => Self::Core,
            0x40..=0x7F => Self::Extended,
            0x80..=0xEF => Self::Reserved,
            0xF0..=0xFE => Self::Private,
        }
    }
}

/// The error for a tag that means nothing here; `what` is the field that holds it.
pub(crate) fn refusal(what: &'static str, tag: u8) -> Error {
    Error::new(match TagSpace::of(tag) {
        TagSpace::Invalid => ErrorKind::Value { what, value: tag.into() },
        TagSpace::Private => ErrorKind::PrivateTag { what, tag },
        TagSpace::Core | TagSpace::Extended | TagSpace::Reserved => {
            ErrorKind::ReservedTag { what, tag }
        }
    })
}

/// The name of what has no name of its own.
pub(crate) const fn anonymous(tag: u8) -> &'static str {
    match TagSpace::of(tag) {
        TagSpace::Invalid => "invalid",
        TagSpace::Private => "private",
        TagSpace::Core | TagSpace::Extended | TagSpace::Reserved => "reserved",
    }
}
