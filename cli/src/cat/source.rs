//! Where elements come from: a tensor, the tokens of a sequence, the merged view of a composite.

use hurray::bytes::Foreign;
use hurray::composite::{Composite, Membership};
use hurray::container::{File, Tensor};
use hurray::descriptor::{Builder, Descriptor, ElementType};
use hurray::values::{Target, Values};

/// Elements in a shape.
pub(super) struct Source {
    way: Way,
    shape: Vec<u64>,
    element_type: ElementType,
    bits: Option<u32>,
    dequantized: bool,
}

enum Way {
    Tensor(Tensor),
    Sequence(Tensor, u64),
    Merged(Composite),
}

impl Source {
    /// Tensor `i` of a file, or what it is the head of. Of a quantized one its codes if they are
    /// wanted, else its values.
    pub(super) fn of(
        file: &File,
        i: u64,
        sequence: Option<u64>,
        codes: bool,
    ) -> hurray::Result<Self> {
        let tensor = file.tensor(i)?;
        let d = tensor.descriptor();
        let mut shape = d.shape().to_vec();
        let (element_type, bits) = (d.element_type(), d.element_bits());
        let dequantized = d.quantization().is_some() && !codes;
        let way = if d.is_composite_head() {
            Way::Merged(Membership::of(file)?.open(i)?)
        } else if let Some(sequence) = sequence {
            let tokens = Values::of(&tensor)?.tokens(sequence)?;
            if let Some(first) = shape.first_mut() {
                *first = tokens;
            }
            Way::Sequence(tensor, sequence)
        } else {
            if d.has_dynamic_dimension() {
                d.element_count()?;
            }
            Way::Tensor(tensor)
        };
        Ok(Self { way, shape, element_type, bits, dequantized })
    }

    pub(super) fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The type of the elements as they are stored.
    pub(super) fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Bits of an element as it is stored.
    pub(super) fn bits(&self) -> Option<u32> {
        self.bits
    }

    /// Whether elements are floats that were made of codes.
    pub(super) fn is_dequantized(&self) -> bool {
        self.dequantized
    }

    /// Copies a box, in row-major order.
    pub(super) fn read(
        &self,
        lower: &[u64],
        extent: &[u64],
        target: Target,
        out: &mut [u8],
    ) -> hurray::Result<()> {
        match (&self.way, self.dequantized) {
            (Way::Tensor(tensor), false) => Values::of(tensor)?.copy(lower, extent, target, out),
            (Way::Tensor(tensor), true) => {
                Values::of(tensor)?.dequantize_box(lower, extent, target, out)
            }
            (Way::Sequence(tensor, sequence), dequantized) => {
                let values = Values::of(tensor)?;
                let read = |first, count, out: &mut [u8]| match dequantized {
                    false => values.copy_tokens(*sequence, first, count, target, out),
                    true => values.dequantize_tokens(*sequence, first, count, target, out),
                };
                match (lower, extent) {
                    (&[first, ..], &[count, heads, dims]) if self.shape[1..] == [heads, dims] => {
                        read(first, count, out)
                    }
                    _ => self.cut(lower, extent, out, read),
                }
            }
            (Way::Merged(composite), _) => {
                let elements = extent.iter().product();
                let descriptor = row_major(composite.head()?, elements)?;
                let size = descriptor.buffers().first().map_or(0, |buffer| buffer.byte_size);
                let mut stored = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
                composite.read(lower, extent, &mut stored)?;
                Values::new(&descriptor, &[Foreign::of(&stored)])?.copy(
                    &[0],
                    &[elements],
                    target,
                    out,
                )
            }
        }
    }

    /// Copies a box of tokens of which only whole ones can be had, token by token.
    fn cut(
        &self,
        lower: &[u64],
        extent: &[u64],
        out: &mut [u8],
        read: impl Fn(u64, u64, &mut [u8]) -> hurray::Result<()>,
    ) -> hurray::Result<()> {
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let width = out.len() / size(extent.iter().product()).max(1);
        let line = size(extent[2]) * width;
        let mut token = vec![0; size(self.shape[1..].iter().product()) * width];
        for (k, lines) in (0..).zip(out.chunks_mut((size(extent[1]) * line).max(1))) {
            read(lower[0] + k, 1, &mut token)?;
            for (head, to) in (lower[1]..).zip(lines.chunks_mut(line.max(1))) {
                let start = size(head * self.shape[2] + lower[2]) * width;
                to.copy_from_slice(&token[start..start + line]);
            }
        }
        Ok(())
    }
}

/// So many elements of the type of a head, one after another.
fn row_major(head: &Descriptor, elements: u64) -> hurray::Result<Descriptor> {
    let mut builder = Builder::new(head.element_type(), &[elements])?;
    if let Some(&section) = head.extension_type() {
        builder.extension_type(section);
    }
    builder.build()
}
