//! A descriptor together with its buffers, and the questions that both answer.

use super::buffer::Buffer;
use super::element::Element;
use super::grid::{Grid, Shape};
use super::out::Out;
use super::paged::Pages;
use super::target::Target;
use super::transfer::{Region, Transfer, Work, steps};
use super::{ranges, sparse};
use crate::address::{self, Addresses, Part, Place};
use crate::bytes::{Foreign, math};
use crate::container::Tensor;
use crate::descriptor::layout::Kind;
use crate::descriptor::{self, Descriptor};
use crate::error::{Error, ErrorKind, Result, Section};

/// What becomes of places in the target whose element is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    Zero,
    Left,
}

/// The elements of a tensor: what its descriptor and its buffers say together. Made in no time and
/// without reading any of the data; any number of threads may use it at once.
///
/// Calls that copy many elements hold no lock and allocate nothing for their number, and give the
/// same bytes however they are split into boxes and ranges. They look at numbers in the data only
/// as far as they need them: one that breaks a rule there is an error, one elsewhere is not found.
pub struct Values<'v> {
    descriptor: &'v Descriptor,
    buffers: Buffers<'v>,
}

#[derive(Clone, Copy)]
enum Buffers<'v> {
    Given(&'v [Foreign<'v>]),
    Of(&'v Tensor),
    ReadFrom(&'v Tensor),
}

impl<'v> Values<'v> {
    /// Of a descriptor and memory for each entry of its buffer table, in the order of the table, at
    /// least as long as its byte_size.
    pub fn new(descriptor: &'v Descriptor, buffers: &'v [Foreign<'v>]) -> Result<Self> {
        let (found, expected) = (math::wide(buffers.len()), math::wide(descriptor.buffers().len()));
        if found != expected {
            let what = "count of buffers";
            return Err(Error::new(ErrorKind::Amount { what, found, expected }));
        }
        for (k, (memory, buffer)) in (0..).zip(buffers.iter().zip(descriptor.buffers())) {
            let (need, have) = (buffer.byte_size, memory.len());
            if have < need {
                let what = descriptor.buffer_name(k);
                let error = Error::new(ErrorKind::Room { what, need, have });
                return Err(error.in_section(Section::Buffer(k)));
            }
        }
        Ok(Self { descriptor, buffers: Buffers::Given(buffers) })
    }

    /// Of a tensor of an open file: where it stands in memory, else read when it is asked for. Of a
    /// mapped file that somebody has cut short, every access faults.
    pub fn of(tensor: &'v Tensor) -> Result<Self> {
        Ok(Self { descriptor: tensor.descriptor(), buffers: Buffers::Of(tensor) })
    }

    /// As [`of`](Self::of), but never through a mapping: a file that was cut short is an error.
    /// Slower where elements do not follow one another.
    pub fn by_reads(tensor: &'v Tensor) -> Self {
        Self { descriptor: tensor.descriptor(), buffers: Buffers::ReadFrom(tensor) }
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &'v Descriptor {
        self.descriptor
    }

    /// The same buffers, described in another way.
    pub(super) fn described<'a>(&'a self, descriptor: &'a Descriptor) -> Values<'a> {
        Values { descriptor, buffers: self.buffers }
    }

    /// Buffer `k`, exactly as long as the table says.
    pub(super) fn buffer(&self, k: u64) -> Result<Buffer<'v>> {
        let place = usize::try_from(k).unwrap_or(usize::MAX);
        let size = self.descriptor.buffers().get(place).map(|buffer| buffer.byte_size);
        let missing = || {
            let count = math::wide(self.descriptor.buffers().len());
            Error::new(ErrorKind::Index { what: "buffer", value: k, count })
        };
        let size = size.ok_or_else(missing)?;
        match self.buffers {
            Buffers::Given(buffers) => {
                let memory = buffers.get(place).ok_or_else(missing)?;
                Ok(Buffer::Memory(memory.first(size)))
            }
            Buffers::Of(tensor) => Buffer::of(tensor, k),
            Buffers::ReadFrom(tensor) => Ok(Buffer::Read { tensor, number: k, size }),
        }
    }

    /// Where the element at `index`, one number a dimension, lies in buffer 0; `None` where a sparse
    /// tensor does not store it. Found by binary search, in COO tensors that are not sorted by
    /// looking at all of them.
    ///
    /// Of a block-paged tensor only where its tokens are all the slots that its block table names
    /// (decisions.md row 54).
    pub fn locate(&self, index: &[u64]) -> Result<Option<Place>> {
        self.check_known()?;
        let kind = self.descriptor.layout().kind();
        if kind == Kind::Dense {
            return address::locate(self.descriptor, index).map(Some);
        }
        let shape = self.descriptor.shape();
        address::check_rank("index", index, shape)?;
        address::check_index(index, shape)?;
        match (kind, index) {
            (Kind::Indirect, &[token, head, dim]) => {
                let pages = Pages::new(self)?;
                pages.locate(pages.all()?, token, head, dim).map(Some)
            }
            _ => match sparse::find(self, index)? {
                Some(value) => Place::of(self.descriptor, value.cast_signed()).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Where an element of a token of a sequence of a block-paged tensor lies in buffer 0. Tokens
    /// count from the start of the sequence; there are as many as its pages have slots.
    pub fn locate_token(&self, sequence: u64, token: u64, head: u64, dim: u64) -> Result<Place> {
        let pages = Pages::new(self)?;
        pages.locate(pages.sequence(sequence)?, token, head, dim)
    }

    /// The element at `index`.
    pub fn element(&self, index: &[u64]) -> Result<Element> {
        match self.locate(index)? {
            Some(place) => Element::read(self.descriptor, &self.buffer(0)?, place),
            None => Element::absent(self.descriptor),
        }
    }

    /// An element of a token of a sequence of a block-paged tensor.
    pub fn element_of_token(
        &self,
        sequence: u64,
        token: u64,
        head: u64,
        dim: u64,
    ) -> Result<Element> {
        let place = self.locate_token(sequence, token, head, dim)?;
        Element::read(self.descriptor, &self.buffer(0)?, place)
    }

    /// Copies the stored elements of a box, `extent` indices a dimension from `lower` on, to `out`,
    /// which is exactly as long as they take: in row-major order, absent elements of sparse tensors
    /// as zeros. Of a quantized tensor these are its codes.
    ///
    /// A block-paged tensor has such a box only where its tokens are all the slots that its block
    /// table names (decisions.md row 54). When it fails, `out` may be filled in part.
    pub fn copy(
        &self,
        lower: &[u64],
        extent: &[u64],
        target: Target,
        out: &mut [u8],
    ) -> Result<()> {
        self.check_box(lower, extent)?;
        self.bring_box(&Work::copy(self.descriptor, target)?, lower, extent, out)
    }

    /// As [`copy`](Self::copy), but as the numbers that the elements stand for: those of a quantized
    /// tensor become floats (quantization.md, Dequantization), others are converted.
    pub fn dequantize_box(
        &self,
        lower: &[u64],
        extent: &[u64],
        target: Target,
        out: &mut [u8],
    ) -> Result<()> {
        self.check_box(lower, extent)?;
        self.bring_box(&Work::dequantize(self, target)?, lower, extent, out)
    }

    /// As [`dequantize_box`](Self::dequantize_box), for `count` elements from the `first` on, in
    /// row-major order of the whole tensor.
    pub fn dequantize(&self, first: u64, count: u64, target: Target, out: &mut [u8]) -> Result<()> {
        self.check_known()?;
        let total = self.descriptor.element_count()?;
        if !math::fits(first, count, total) {
            let value = first.saturating_add(count.saturating_sub(1));
            return Err(Error::new(ErrorKind::Index { what: "element", value, count: total }));
        }
        let work = Work::dequantize(self, target)?;
        let mut out = Out::new(out, work.unit, count)?;
        ranges::boxes(self.descriptor.shape(), first, count, &mut |lower, extent, start| {
            let region = Region { lower, extent, steps: &steps(extent)?, start };
            self.transfer(&work, &region, Absent::Zero, &mut out)
        })
    }

    /// How many tokens the pages of a sequence of a block-paged tensor have slots for.
    pub fn tokens(&self, sequence: u64) -> Result<u64> {
        Ok(Pages::new(self)?.sequence(sequence)?.tokens)
    }

    /// Copies `count` tokens of a sequence of a block-paged tensor, from the `first` on, as
    /// [count, heads, dim]: as stored, or converted.
    pub fn copy_tokens(
        &self,
        sequence: u64,
        first: u64,
        count: u64,
        target: Target,
        out: &mut [u8],
    ) -> Result<()> {
        let pages = Pages::new(self)?;
        let work = Work::copy(self.descriptor, target)?;
        self.bring_tokens(&pages, &work, sequence, first, count, out)
    }

    /// As [`copy_tokens`](Self::copy_tokens), but as the numbers that the elements stand for.
    pub fn dequantize_tokens(
        &self,
        sequence: u64,
        first: u64,
        count: u64,
        target: Target,
        out: &mut [u8],
    ) -> Result<()> {
        // Of a tensor of another layout nothing else is known to make sense.
        let pages = Pages::new(self)?;
        let work = Work::dequantize(self, target)?;
        self.bring_tokens(&pages, &work, sequence, first, count, out)
    }

    fn bring_tokens(
        &self,
        pages: &Pages<'v>,
        work: &Work<'v>,
        sequence: u64,
        first: u64,
        count: u64,
        out: &mut [u8],
    ) -> Result<()> {
        let blocks = pages.sequence(sequence)?;
        if !math::fits(first, count, blocks.tokens) {
            let value = first.saturating_add(count.saturating_sub(1));
            return Err(Error::new(ErrorKind::Index {
                what: "token",
                value,
                count: blocks.tokens,
            }));
        }
        let &[_, heads, dims] = self.descriptor.shape() else { return Ok(()) };
        let extent = [count, heads, dims];
        let elements = math::product(&extent, "elements of the box")?;
        let mut out = Out::new(out, work.unit, elements)?;
        if elements == 0 {
            return Ok(());
        }
        let region =
            Region { lower: &[first, 0, 0], extent: &extent, steps: &steps(&extent)?, start: 0 };
        pages.bring(blocks, &mut Transfer::new(self, work, &region, &mut out)?)
    }

    fn bring_box(
        &self,
        work: &Work<'v>,
        lower: &[u64],
        extent: &[u64],
        out: &mut [u8],
    ) -> Result<()> {
        let elements = math::product(extent, "elements of the box")?;
        let mut out = Out::new(out, work.unit, elements)?;
        if elements == 0 {
            return Ok(());
        }
        let region = Region { lower, extent, steps: &steps(extent)?, start: 0 };
        self.transfer(work, &region, Absent::Zero, &mut out)
    }

    /// Brings the elements of a region, which lies in the shape and is not empty.
    pub(super) fn transfer(
        &self,
        work: &Work<'v>,
        region: &Region<'_>,
        absent: Absent,
        out: &mut Out<'_>,
    ) -> Result<()> {
        if self.descriptor.layout().kind() == Kind::Sparse && absent == Absent::Zero {
            clear(region, out)?;
        }
        let mut transfer = Transfer::new(self, work, region, out)?;
        match self.descriptor.layout().kind() {
            Kind::Sparse => sparse::bring(self, &mut transfer),
            Kind::Indirect => {
                let pages = Pages::new(self)?;
                pages.bring(pages.all()?, &mut transfer)
            }
            _ => Addresses::new(self.descriptor)?.parts(region.lower, region.extent, &mut |part| {
                match part {
                    Part::Affine { lower, extent, first, strides } => {
                        transfer.affine(lower, extent, first, strides)
                    }
                    Part::Listed { lower, extent, offsets } => {
                        transfer.listed(lower, extent, offsets)
                    }
                }
            }),
        }
    }

    /// Whether the box is one of the shape, and that is known.
    fn check_box(&self, lower: &[u64], extent: &[u64]) -> Result<()> {
        self.check_known()?;
        address::check_box(lower, extent, self.descriptor.shape())
    }

    /// Whether the shape is known, and the elements have places in it.
    fn check_known(&self) -> Result<()> {
        match self.descriptor.layout().kind() {
            Kind::Virtual => {
                let what = "a composite head has no elements of its own";
                Err(Error::new(ErrorKind::State { what }))
            }
            Kind::Opaque => {
                let what = "reading elements of a layout that is not known";
                Err(Error::new(ErrorKind::Unsupported { what }))
            }
            _ if self.descriptor.has_dynamic_dimension() => Err(descriptor::dynamic()),
            _ => Ok(()),
        }
    }
}

/// Makes a region of the target zero.
fn clear(region: &Region<'_>, out: &mut Out<'_>) -> Result<()> {
    let grid = Grid::new(&Shape {
        extent: region.extent,
        first: 0,
        strides: None,
        target: region.start,
        target_steps: region.steps,
        parameters: None,
    })?;
    let row = grid.dims.last().filter(|row| row.target == 1).map_or(1, |row| row.count);
    grid.chunks(row, &mut |row| out.clear(row.target, row.elements()))
}
