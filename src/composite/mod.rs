//! Composite tensors: one logical tensor over many stored ones.

#[cfg(target_arch = "x86_64")]
mod aes;
mod boxes;
mod cover;
mod field;
mod keyed;
mod search;
mod siphash;

pub use boxes::Boxes;
pub use cover::check as check_cover;
pub use keyed::{Key, Method};
pub use search::Fault;
