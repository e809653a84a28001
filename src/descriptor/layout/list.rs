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

            /// What is the same for every tensor of the layout.
            pub(crate) const fn traits(&self) -> &'static Traits {
                match self {
                    $(Self::$name(_) => &<$name as Fields>::TRAITS,)*
                    Self::Private(_) | Self::Unknown(_) => &Traits::OPAQUE,
                }
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
                &mut self,
                tag: LayoutTag,
                cursor: &mut Cursor<'_>,
                shape: &[u64],
                mode: Mode,
            ) -> Result<()> {
                match tag.0 {
                    $($tag => *self = Self::$name($name::read(cursor, shape, mode)?),)*
                    _ => return Err(tag::refusal("layout_tag", tag.0)),
                }
                Ok(())
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

            /// What is the same for every tensor of the layout.
            const fn traits(self) -> &'static Traits {
                match self.0 {
                    $($tag => &<$name as Fields>::TRAITS,)*
                    _ => &Traits::OPAQUE,
                }
            }
        }
    };
}
