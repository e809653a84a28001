//! The merged view of a composite (composite.md, Views).

use super::dense::{CHUNK, Onto, Transfer};
use super::sum::Sum;
use crate::bytes::{math, memory};
use crate::composite::{Composite, Depth, Lies, Piece};
use crate::container::Tensor;
use crate::descriptor::Descriptor;
use crate::descriptor::layout::Combine;
use crate::error::{Error, ErrorKind, Result};

impl Composite {
    /// Copies a box of the merged view, from `lower` on with `extent` elements a dimension, into
    /// `target`: in row-major order, in the head's type. `target` is exactly as long as that takes.
    ///
    /// The members of a partition are brought together; over the base of an overlay its corrections
    /// are laid or added in order, each sum rounded to the head's type (decisions.md row 38). Data
    /// is read, never touched through a mapping; beside `target` it takes 256 KiB of memory and the
    /// descriptor of one member at a time.
    ///
    /// Members must be of the head's type and lie row-major, column-major or strided, and elements
    /// take whole bytes: anything else is not supported. When it fails, `target` may be filled in
    /// part.
    pub fn read(&self, lower: &[u64], extent: &[u64], target: &mut [u8]) -> Result<()> {
        let width = width(self.head()?)?;
        let have = math::wide(target.len());
        // A box that leaves the shape is refused before its size is told.
        self.check_box(lower, extent)?;
        let need = math::mul(math::product(extent, "elements of the box")?, width.into(), "box")?;
        if need != have {
            return Err(Error::new(ErrorKind::Room { what: "the box", need, have }));
        }
        if !self.is_exact() {
            let what = "the members do not tile their head: there is no merged view";
            return Err(Error::new(ErrorKind::State { what }));
        }
        let mut scratch = memory::filled(0, CHUNK)?;
        self.pieces(lower, extent, Depth::Tensors, &mut |piece| {
            let tensor = self.file().tensor(piece.tensor)?;
            copy(&tensor, &piece, width, extent, target, &mut scratch)
                .map_err(|error| error.in_tensor(piece.tensor, tensor.name()))
        })
    }
}

fn copy(
    tensor: &Tensor,
    piece: &Piece<'_>,
    width: u32,
    extent: &[u64],
    target: &mut [u8],
    scratch: &mut [u8],
) -> Result<()> {
    let unsupported = |what| Err(Error::new(ErrorKind::Unsupported { what }));
    let d = tensor.descriptor();
    if d.quantization().is_some() {
        return unsupported("reading elements of a quantized member");
    }
    let onto = match (piece.lies, Sum::of(d.element_type())) {
        (Lies::Below(Combine::Add) | Lies::Over(Combine::Add), None) => {
            return unsupported("adding of elements of this type");
        }
        (Lies::Over(Combine::Add), Some(sum)) => Onto::Add(sum),
        _ => Onto::Replace,
    };
    Transfer { tensor, width, onto, target, scratch }.run(piece.region, extent, piece.at)
}

/// Bytes of one element.
fn width(d: &Descriptor) -> Result<u32> {
    match d.element_bits() {
        Some(bits) if bits.is_multiple_of(8) => Ok(bits / 8),
        Some(_) => {
            let what = "reading elements of less than a byte";
            Err(Error::new(ErrorKind::Unsupported { what }))
        }
        None => {
            let what = "reading elements of a type that is not known";
            Err(Error::new(ErrorKind::Unsupported { what }))
        }
    }
}
