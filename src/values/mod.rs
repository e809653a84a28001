//! Values of elements: what descriptors and buffers say together.

mod buffer;
mod element;
mod grid;
mod indices;
mod merged;
mod number;
mod out;
mod paged;
mod parameters;
mod ranges;
mod sparse;
mod stage;
mod statistics;
mod sum;
mod target;
mod transfer;
#[allow(clippy::module_inception, reason = "the values of one tensor")]
mod values;

pub use element::Element;
pub use number::Value;
pub(crate) use number::half;
pub use statistics::Tally;
pub use target::Target;
pub use values::Values;
