//! Numbers of every element type: from codes to values, on slices.
//!
//! A code is the bits of one element as the format stores it: little-endian, and below 8 bits one
//! byte an element with zeros above. Packing is a step of its own.

mod convert;
mod dequantize;
mod element;
pub(crate) mod half;
mod narrow;
#[cfg(test)]
mod oracle;
mod packing;
mod rounding;
mod scales;

pub(crate) use convert::Convert;
pub(crate) use dequantize::Dequantize;
pub use element::Value;
pub(crate) use element::value_of;
pub(crate) use packing::{group, in_group, pack, unpack};
pub(crate) use scales::{ScaleKind, widen_scales};

use crate::error::ErrorKind;

/// Which element of a run has no such number, and why.
pub(crate) type Misfit = (usize, ErrorKind);
