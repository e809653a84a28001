//! Composite tensors: one logical tensor over many stored ones (composite.md).

#[cfg(target_arch = "x86_64")]
mod aes;
mod boxes;
mod checker;
mod cover;
mod field;
mod heads;
mod keyed;
mod membership;
mod pieces;
mod rules;
mod search;
mod sequence;
mod siphash;
mod tree;
mod view;
mod write;

pub use boxes::Boxes;
pub use checker::Checker;
pub use cover::check as check_cover;
pub(crate) use keyed::Keyed;
pub use keyed::{Key, Method};
pub use membership::{Head, Membership};
pub(crate) use pieces::{Depth, Lies, Piece};
pub use search::CoverFault;
pub(crate) use sequence::Sequence;
pub use tree::Tree;
pub use view::Composite;
