//! The merged view of a composite (composite.md, Views).

use super::out::{Onto, Out};
use super::sum::Sum;
use super::target::Target;
use super::transfer::{Region, Work, steps};
use super::values::{Absent, Values};
use crate::bytes::{Few, math};
use crate::composite::{Composite, Depth, Lies, Piece};
use crate::container::Tensor;
use crate::descriptor::layout::Combine;
use crate::descriptor::{Descriptor, ElementType};
use crate::error::{Error, ErrorKind, Result};

impl Composite {
    /// Copies a box of the merged view, from `lower` on with `extent` elements a dimension, into
    /// `target`: in row-major order, in the head's type as stored, below 8 bits packed (types.md).
    /// `target` is exactly as long as that takes.
    ///
    /// The members of a partition are brought together; over the base of an overlay its corrections
    /// are laid or added in order, each sum rounded to the head's type (decisions.md row 38). Of a
    /// sparse correction only what is stored is laid or added. Quantized members become floats of
    /// the head's type (row 21).
    ///
    /// Members are read where they stand in memory, else from the file. Beside `target` it takes
    /// the descriptor of one member at a time. When it fails, `target` may be filled in part.
    pub fn read(&self, lower: &[u64], extent: &[u64], target: &mut [u8]) -> Result<()> {
        let head = self.head()?;
        // A box that leaves the shape is refused before its size is told.
        self.check_box(lower, extent)?;
        let unit = Work::copy(head, Target::Stored)?.unit;
        let elements = math::product(extent, "elements of the box")?;
        let mut out = Out::new(target, unit, elements)?;
        if let Some(untiled) = self.first_inexact() {
            let what = "the members do not tile their head: there is no merged view";
            let name = self.file().entry(untiled)?.name;
            return Err(Error::new(ErrorKind::State { what }).in_tensor(untiled, name));
        }
        let steps = steps(extent)?;
        self.pieces(lower, extent, Depth::Tensors, &mut |piece| {
            let tensor = self.file().tensor(piece.tensor)?;
            bring(head, &tensor, &piece, &steps, &mut out)
                .map_err(|error| error.in_tensor(piece.tensor, tensor.name()))
        })
    }
}

fn bring(
    head: &Descriptor,
    tensor: &Tensor,
    piece: &Piece<'_>,
    steps: &[u64],
    out: &mut Out<'_>,
) -> Result<()> {
    if tensor.descriptor().is_composite_head() {
        // Of the heads only those of somebody's own rule are not taken apart.
        let (wanted, found) = ("a partition or overlay", "a composite of a private rule");
        return Err(Error::new(ErrorKind::WrongType { wanted, found }));
    }
    let values = Values::of(tensor)?;
    let sum = Sum::of(head.element_type());
    let (onto, absent) = match (piece.lies, sum) {
        (Lies::Below(Combine::Add) | Lies::Over(Combine::Add), None) => {
            let what = "adding of elements of this type";
            return Err(Error::new(ErrorKind::Unsupported { what }));
        }
        (Lies::Over(Combine::Add), Some(sum)) => (Onto::Add(sum), Absent::Left),
        (Lies::Over(Combine::Replace), _) => (Onto::Replace, Absent::Left),
        (Lies::Alone | Lies::Below(_), _) => (Onto::Replace, Absent::Zero),
    };
    out.onto = onto;
    let work = match values.descriptor().quantization() {
        None => Work::copy(values.descriptor(), Target::Stored)?,
        Some(_) => Work::dequantize(&values, float(head.element_type())?)?,
    };
    let lower = Few::<u64, 8>::map(piece.region, |span| span.lower)?;
    let extent = Few::<u64, 8>::map(piece.region, |span| span.upper.saturating_sub(span.lower))?;
    let start = piece
        .at
        .iter()
        .zip(steps)
        .fold(0_u64, |start, (&at, &step)| start.wrapping_add(at.wrapping_mul(step)));
    let region = Region { lower: &lower, extent: &extent, steps, start };
    values.transfer(&work, &region, absent, out)
}

/// The float that quantized members become.
fn float(head: ElementType) -> Result<Target> {
    match head {
        ElementType::FLOAT16 => Ok(Target::F16),
        ElementType::BFLOAT16 => Ok(Target::Bf16),
        ElementType::FLOAT32 => Ok(Target::F32),
        ElementType::FLOAT64 => Ok(Target::F64),
        _ => {
            let what = "a quantized member of a composite that is not of floats";
            Err(Error::new(ErrorKind::Unsupported { what }))
        }
    }
}
