//! Element types: tags, names, widths (types.md).

use std::fmt;

use super::Mode;
use super::tag::{self, TagSpace};
use crate::error::Result;

/// What one element of a tensor is. A known type, a private one (0xF0-0xFE, described by an
/// extension type section) or, in permissive mode, one that this version does not know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementType(u8);

struct Facts {
    name: &'static str,
    bits: u32,
    alignment: u32,
}

macro_rules! types {
    ($($constant:ident = $tag:literal, $name:literal, $bits:literal, $alignment:literal;)*) => {
        impl ElementType {
            $(#[doc = concat!("`", $name, "`.")] pub const $constant: Self = Self($tag);)*

            /// Every type that this version knows, by ascending tag.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];

            const fn facts(self) -> Option<Facts> {
                match self.0 {
                    $($tag => Some(Facts { name: $name, bits: $bits, alignment: $alignment }),)*
                    _ => None,
                }
            }
        }
    };
}

types! {
    FLOAT16 = 0x01, "float16", 16, 2;
    BFLOAT16 = 0x02, "bfloat16", 16, 2;
    FLOAT32 = 0x03, "float32", 32, 4;
    FLOAT64 = 0x04, "float64", 64, 8;
    INT8 = 0x10, "int8", 8, 1;
    UINT8 = 0x11, "uint8", 8, 1;
    INT16 = 0x12, "int16", 16, 2;
    UINT16 = 0x13, "uint16", 16, 2;
    INT32 = 0x14, "int32", 32, 4;
    UINT32 = 0x15, "uint32", 32, 4;
    INT64 = 0x16, "int64", 64, 8;
    UINT64 = 0x17, "uint64", 64, 8;
    BOOL = 0x20, "bool", 1, 1;
    FLOAT8_E4M3 = 0x40, "float8_e4m3", 8, 1;
    FLOAT8_E5M2 = 0x41, "float8_e5m2", 8, 1;
    FLOAT8_E8M0 = 0x42, "float8_e8m0", 8, 1;
    FLOAT4_E2M1 = 0x43, "float4_e2m1", 4, 1;
    FLOAT6_E2M3 = 0x44, "float6_e2m3", 6, 1;
    FLOAT6_E3M2 = 0x45, "float6_e3m2", 6, 1;
    FLOAT128 = 0x46, "float128", 128, 16;
    INT4 = 0x48, "int4", 4, 1;
    UINT4 = 0x49, "uint4", 4, 1;
    INT2 = 0x4A, "int2", 2, 1;
    UINT2 = 0x4B, "uint2", 2, 1;
    COMPLEX64 = 0x50, "complex64", 64, 4;
    COMPLEX128 = 0x51, "complex128", 128, 8;
}

impl ElementType {
    /// The type with this tag, `None` for the two that are never valid (0x00, 0xFF). Reserved tags
    /// give a type that is not [known](Self::is_known).
    pub const fn from_tag(tag: u8) -> Option<Self> {
        match TagSpace::of(tag) {
            TagSpace::Invalid => None,
            _ => Some(Self(tag)),
        }
    }

    /// The known type of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.name() == name)
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        self.0
    }

    /// The name, as types.md has it; `private` or `reserved` for a type without one.
    pub const fn name(self) -> &'static str {
        match self.facts() {
            Some(facts) => facts.name,
            None => tag::anonymous(self.0),
        }
    }

    /// The width of one element in bits: 1, 2, 4, 6 or a multiple of 8. `None` for private types,
    /// whose width stands in the extension type section, and for types that are not known.
    pub const fn bits(self) -> Option<u32> {
        match self.facts() {
            Some(facts) => Some(facts.bits),
            None => None,
        }
    }

    /// The alignment in bytes that suits the type in memory; informative.
    pub const fn alignment(self) -> Option<u32> {
        match self.facts() {
            Some(facts) => Some(facts.alignment),
            None => None,
        }
    }

    /// Whether this version knows the type.
    pub const fn is_known(self) -> bool {
        self.facts().is_some()
    }

    /// Whether the type is somebody's own (0xF0-0xFE).
    pub const fn is_private(self) -> bool {
        matches!(TagSpace::of(self.0), TagSpace::Private)
    }

    /// The type that a descriptor names, if a reader in this mode may take it. Private types are
    /// taken in both (decisions.md row 31).
    pub(super) fn read(tag: u8, mode: Mode) -> Result<Self> {
        match Self::from_tag(tag) {
            Some(found) if found.is_known() || found.is_private() || mode.is_permissive() => {
                Ok(found)
            }
            _ => Err(tag::refusal("type_tag", tag)),
        }
    }
}

impl fmt::Debug for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#04x})", self.name(), self.0)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_once_and_both_ways() {
        assert_eq!(ElementType::ALL.len(), 26);
        assert!(ElementType::ALL.is_sorted());
        for &known in ElementType::ALL {
            assert_eq!(ElementType::find(known.name()), Some(known));
            assert_eq!(ElementType::from_tag(known.tag()), Some(known));
            assert!(matches!(known.bits(), Some(1 | 2 | 4 | 6 | 8 | 16 | 32 | 64 | 128)));
        }
        assert_eq!(ElementType::find("private"), None);
    }

    #[test]
    fn what_each_mode_takes() {
        let verdict = |tag, mode| ElementType::read(tag, mode).is_ok();
        for tag in [0x00, 0xFF] {
            assert!(!verdict(tag, Mode::Strict) && !verdict(tag, Mode::Permissive));
        }
        for tag in [0x05, 0x47, 0x7F, 0x80, 0xEF] {
            assert!(!verdict(tag, Mode::Strict) && verdict(tag, Mode::Permissive));
        }
        for tag in [0x01, 0x51, 0xF0, 0xFE] {
            assert!(verdict(tag, Mode::Strict) && verdict(tag, Mode::Permissive));
        }
        let error = ElementType::read(0x47, Mode::Strict).unwrap_err();
        assert_eq!(error.to_string(), "type_tag 0x47 is reserved");
    }
}
