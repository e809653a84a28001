//! The composite member section: the role of a tensor in an overlay (descriptor.md, Composite
//! member section).

use crate::bytes::{Cursor, Sink};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the section.
pub(super) const LENGTH: u64 = 16;

/// The role of a member of an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberRole {
    /// Changes what lies below it.
    Correction,
    /// Lies below everything and spans the head.
    Base,
}

impl MemberRole {
    /// The role with this tag.
    pub const fn from_tag(tag: u8) -> Option<Self> {
        match tag {
            0 => Some(Self::Correction),
            1 => Some(Self::Base),
            _ => None,
        }
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        match self {
            Self::Correction => 0,
            Self::Base => 1,
        }
    }

    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let at = cursor.offset();
        let tag = cursor.u8("member_role")?;
        let role = Self::from_tag(tag).ok_or_else(|| {
            let (what, value) = ("member_role", tag.into());
            Error::new(ErrorKind::Value { what, value }).at(at)
        })?;
        cursor.reserved(15, "composite member reserved")?;
        Ok(role)
    }

    pub(super) fn write(self, sink: &mut Sink) -> Result<()> {
        sink.u8(self.tag())?;
        sink.zeros(15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_and_reserved_bytes() {
        let verdict = |role: u8, reserved: u8| {
            let mut bytes = [0; 16];
            (bytes[0], bytes[15]) = (role, reserved);
            MemberRole::read(&mut Cursor::new(&bytes, 100)).map_err(|error| error.to_string())
        };
        assert_eq!(verdict(0, 0), Ok(MemberRole::Correction));
        assert_eq!(verdict(1, 0), Ok(MemberRole::Base));
        assert_eq!(verdict(2, 0).unwrap_err(), "member_role 2 is not valid, at byte 100");
        assert_eq!(
            verdict(1, 7).unwrap_err(),
            "composite member reserved must be 0, is 7, at byte 115"
        );
    }
}
