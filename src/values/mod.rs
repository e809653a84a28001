//! Values of elements: what descriptors and buffers say together.

mod dense;
mod merged;
#[allow(dead_code, unused_imports, reason = "what runs these kernels over tensors follows")]
mod number;
mod sum;
mod target;

pub use number::Value;
pub(crate) use number::half;
pub use target::Target;
