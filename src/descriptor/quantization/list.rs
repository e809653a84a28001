//! From the list of schemes: the enumeration over them, its dispatch and the tags.

/// One line a scheme: file, type, tag, name.
macro_rules! schemes {
    ($($(#[$doc:meta])* $module:ident::$name:ident = $tag:literal, $text:literal;)*) => {
        $(mod $module;)*
        $(pub use $module::$name;)*

        /// A quantization scheme with its fields.
        #[derive(Debug, PartialEq)]
        pub enum Quantization {
            $($(#[$doc])* $name($name),)*
            /// Somebody's own, or not known to this version; permissive mode only. Boxed, so that
            /// the rare one does not make the others larger.
            Opaque(Box<Opaque>),
        }

        impl Quantization {
            /// The format's tag.
            pub fn tag(&self) -> SchemeTag {
                SchemeTag(match self {
                    $(Self::$name(_) => $tag,)*
                    Self::Opaque(scheme) => scheme.tag(),
                })
            }

            /// The rules of a known scheme.
            fn rules(&self) -> Option<&dyn Rules> {
                match self {
                    $(Self::$name(scheme) => Some(scheme),)*
                    Self::Opaque(_) => None,
                }
            }

            /// A copy.
            pub(super) fn try_clone(&self) -> Result<Self> {
                Ok(match self {
                    $(Self::$name(scheme) => Self::$name(*scheme),)*
                    Self::Opaque(scheme) => Self::Opaque(Box::new(scheme.try_clone()?)),
                })
            }

            fn read_known(tag: SchemeTag, cursor: &mut Cursor<'_>, flags: u16) -> Result<Self> {
                match tag.0 {
                    $($tag => $name::read(cursor, flags).map(Self::$name),)*
                    _ => Err(tag::refusal("scheme_tag", tag.0)),
                }
            }
        }

        $(impl From<$name> for Quantization {
            fn from(scheme: $name) -> Self {
                Self::$name(scheme)
            }
        })*

        impl SchemeTag {
            /// Every scheme that this version knows, by ascending tag.
            pub const ALL: &'static [Self] = &[$(Self($tag)),*];

            pub(super) const fn known(self) -> Option<&'static str> {
                match self.0 {
                    $($tag => Some($text),)*
                    _ => None,
                }
            }

            /// Flags that the scheme defines.
            const fn flags(self) -> u16 {
                match self.0 {
                    $($tag => $name::FLAGS,)*
                    _ => 0,
                }
            }
        }
    };
}
