//! From the list of layouts: the enumeration over them, its dispatch and the tags.

/// One line a layout: file, type, tag, name.
macro_rules! layouts {
    ($($(#[$doc:meta])* $module:ident::$name:ident = $tag:literal, $text:literal;)*) => {
        $(mod $module;)*
        $(pub use $module::$name;)*

        /// A layout with its fields.
        #[derive(Debug, PartialEq)]
        pub enum Layout {
            $($(#[$doc])* $name($name),)*
            /// Somebody's own; permissive mode only.
            Private(Private),
            /// Not known to this version; permissive mode only.
            Unknown(Unknown),
        }

        impl Layout {
            /// The format's tag.
            pub fn tag(&self) -> LayoutTag {
                LayoutTag(match self {
                    $(Self::$name(_) => $tag,)*
                    Self::Private(layout) => layout.tag(),
                    Self::Unknown(layout) => layout.tag(),
                })
            }

            pub(crate) fn rules(&self) -> &dyn Rules {
                match self {
                    $(Self::$name(layout) => layout,)*
                    Self::Private(layout) => layout,
                    Self::Unknown(layout) => layout,
                }
            }

            /// A copy.
            pub(crate) fn try_clone(&self) -> Result<Self> {
                Ok(match self {
                    $(Self::$name(layout) => Self::$name(layout.try_clone()?),)*
                    Self::Private(layout) => Self::Private(layout.try_clone()?),
                    Self::Unknown(layout) => Self::Unknown(layout.try_clone()?),
                })
            }

            fn read_known(
                tag: LayoutTag,
                cursor: &mut Cursor<'_>,
                shape: &[u64],
                mode: Mode,
            ) -> Result<Self> {
                match tag.0 {
                    $($tag => $name::read(cursor, shape, mode).map(Self::$name),)*
                    _ => Err(tag::refusal("layout_tag", tag.0)),
                }
            }
        }

        $(impl From<$name> for Layout {
            fn from(layout: $name) -> Self {
                Self::$name(layout)
            }
        })*

        impl LayoutTag {
            /// Every layout that this version knows, in the order of layouts.md.
            pub const ALL: &'static [Self] = &[$(Self($tag)),*];

            const fn known(self) -> Option<&'static str> {
                match self.0 {
                    $($tag => Some($text),)*
                    _ => None,
                }
            }

            /// Ranks that the layout is defined for.
            fn ranks(self) -> std::ops::RangeInclusive<u32> {
                match self.0 {
                    $($tag => $name::RANKS,)*
                    // Rank 0 is for row-major and heads only (decisions.md row 15).
                    _ => 1..=super::shape::MAX_RANK,
                }
            }
        }
    };
}
