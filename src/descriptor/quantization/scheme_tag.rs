//! Names and tags of schemes.

use std::fmt;

use crate::descriptor::tag;

/// Which scheme, without its fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SchemeTag(pub(super) u8);

impl SchemeTag {
    /// The scheme with this tag, valid or not.
    pub const fn from_tag(tag: u8) -> Self {
        Self(tag)
    }

    /// The scheme of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scheme| scheme.known() == Some(name))
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        self.0
    }

    /// The name; `private`, `reserved` or `invalid` for a scheme without one.
    pub const fn name(self) -> &'static str {
        match self.known() {
            Some(name) => name,
            None => tag::anonymous(self.0),
        }
    }
}

impl fmt::Debug for SchemeTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#04x})", self.name(), self.0)
    }
}

impl fmt::Display for SchemeTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
