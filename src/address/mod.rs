//! Addresses: which element of its buffer an index means, and in which byte and bit that one lies
//! (layouts.md, types.md).
//!
//! Pure arithmetic over a descriptor, no data is looked at. One file a layout.

mod affine;
mod asked;
mod hilbert;
mod listed;
mod morton;
pub(crate) mod paged;
mod tiled;

#[cfg(test)]
mod tests;

use crate::descriptor::layout::Kind;
use crate::descriptor::{self, Descriptor, Layout};
use crate::error::{Error, ErrorKind, Result};
use affine::{Affine, Lines};
pub(crate) use asked::{check_box, check_index, check_rank};
use hilbert::Hilbert;
use morton::Morton;
use tiled::Tiled;

/// The most elements of a listed part.
pub(crate) const LISTED: usize = 1024;

/// Where an element lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The element, counted from the one at byte_offset; negative for one before it.
    pub element: i64,
    /// The byte of buffer 0 that it begins in: for 6-bit types the first of its group of three.
    pub byte: u64,
    /// Its lowest bit in that byte, 0 for types of whole bytes. For 6-bit types its lowest bit in
    /// the group of three bytes, a little-endian number: 0, 6, 12 or 18.
    pub bit: u32,
}

/// Where the element at `index`, one number a dimension, lies in buffer 0 of a dense tensor
/// (layouts.md). Of a tensor whose last quantization block is partial and stored whole, the stored
/// place (quantization.md, Blocks).
///
/// The place is inside the size that the descriptor demands of the buffer. Nothing is kept; any
/// number of threads may call it at once.
///
/// An error when the index has not one number a dimension or leaves the shape; when the elements
/// are not found by arithmetic alone: in sparse and block-paged tensors they are found in the data,
/// in a composite in its members; when layout or element type are not known; and when a dimension
/// is dynamic.
pub fn locate(d: &Descriptor, index: &[u64]) -> Result<Place> {
    let addresses = Addresses::new(d)?;
    let shape = d.shape();
    check_rank("index", index, shape)?;
    check_index(index, shape)?;
    Place::of(d, addresses.offset(index))
}

impl Place {
    /// The place of an element, counted from the one at byte_offset.
    pub(crate) fn of(d: &Descriptor, element: i64) -> Result<Self> {
        let Some(bits) = d.element_bits() else {
            let what = "the place of an element whose type is not known";
            return Err(Error::new(ErrorKind::Unsupported { what }));
        };
        // Elements that share bytes, and those bytes.
        let (elements, bytes) = match bits {
            1 => (8, 1),
            2 => (4, 1),
            4 => (2, 1),
            6 => (4, 3),
            _ => (1, bits / 8),
        };
        // An i128 holds every product of the two and its sum with a u64.
        let group = i128::from(element).div_euclid(elements);
        let start = group.wrapping_mul(bytes.into()).wrapping_add(d.byte_offset().into());
        let overflow = |_| Error::new(ErrorKind::Overflow { what: "byte of an element" });
        let within = i128::from(element).rem_euclid(elements).wrapping_mul(bits.into());
        Ok(Self {
            element,
            byte: u64::try_from(start).map_err(overflow)?,
            bit: u32::try_from(within).map_err(|_| {
                Error::new(ErrorKind::Internal { what: "a bit lies outside its group" })
            })?,
        })
    }
}

/// The addresses of a dense tensor: of one element, and of boxes part by part.
///
/// Every offset, of whole tiles too, was found to fit an i64 when this was made, and so does every
/// sum on the way to one: what is computed from an index inside the shape cannot wrap.
pub(crate) struct Addresses<'d>(Way<'d>);

enum Way<'d> {
    Affine(Affine),
    Tiled(Tiled<'d>),
    Morton(Morton),
    Hilbert(Hilbert),
}

/// A part of a box, with the offsets of its elements, counted from the one at byte_offset.
pub(crate) enum Part<'p> {
    /// The element at i is at `first` + sum of `strides[k]` * (i[k] - `lower[k]`). A stride is 0
    /// along a dimension that has one index only.
    Affine { lower: &'p [u64], extent: &'p [u64], first: i64, strides: &'p [i64] },
    /// At most [`LISTED`] elements; `offsets` are theirs in row-major order of the part.
    Listed { lower: &'p [u64], extent: &'p [u64], offsets: &'p [i64] },
}

impl<'d> Addresses<'d> {
    /// The addresses of a dense tensor without a dynamic dimension; of stored places where a
    /// partial quantization block is stored whole.
    pub(crate) fn new(d: &'d Descriptor) -> Result<Self> {
        let state = |what| Error::new(ErrorKind::State { what });
        match d.layout().kind() {
            Kind::Dense => {}
            Kind::Sparse => return Err(state("elements of a sparse tensor are found in its data")),
            Kind::Indirect => {
                return Err(state("elements of a paged tensor are found by sequence and token"));
            }
            Kind::Virtual => return Err(state("a composite head has no elements of its own")),
            Kind::Opaque => {
                let what = "the place of an element in this layout";
                return Err(Error::new(ErrorKind::Unsupported { what }));
            }
        }
        if d.has_dynamic_dimension() {
            return Err(descriptor::dynamic());
        }
        let shape = d.shape();
        let affine = |lines| Affine::new(shape, d.padding()?, lines).map(Way::Affine);
        let way = match d.layout() {
            Layout::RowMajor(_) => affine(Lines::RowMajor)?,
            Layout::ColumnMajor(_) => affine(Lines::ColumnMajor)?,
            Layout::Strided(strided) => affine(Lines::Strided(strided.strides()))?,
            Layout::Tiled(tiled) => Way::Tiled(Tiled::new(shape, tiled.levels())?),
            Layout::Morton(_) => Way::Morton(Morton::new(d.rank())),
            Layout::Hilbert(hilbert) => Way::Hilbert(Hilbert::new(hilbert.order(), hilbert.rank())),
            _ => {
                let what = "a dense layout without addresses";
                return Err(Error::new(ErrorKind::Internal { what }));
            }
        };
        Ok(Self(way))
    }

    /// The offset of the element at `index`, which is inside the shape.
    pub(crate) fn offset(&self, index: &[u64]) -> i64 {
        match &self.0 {
            Way::Affine(affine) => affine.offset(index),
            Way::Tiled(tiled) => tiled.offset(index),
            Way::Morton(morton) => morton.offset(index),
            Way::Hilbert(hilbert) => hilbert.offset(index),
        }
    }

    /// Takes the box from `lower` on with `extent` indices a dimension, not empty and inside the
    /// shape, apart: each of its elements is in exactly one part.
    pub(crate) fn parts(
        &self,
        lower: &[u64],
        extent: &[u64],
        visit: &mut dyn FnMut(Part<'_>) -> Result<()>,
    ) -> Result<()> {
        match &self.0 {
            Way::Affine(affine) => affine.parts(lower, extent, visit),
            Way::Tiled(tiled) => tiled.parts(lower, extent, visit),
            Way::Morton(morton) => morton.parts(lower, extent, visit),
            Way::Hilbert(hilbert) => hilbert.parts(lower, extent, visit),
        }
    }
}
