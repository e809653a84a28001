//! Per-block affine: a scale and a zero point for every block (quantization.md, 0x03).

use super::{Blocks, Fields, NO_BUFFER, Parameters, Rules, SYMMETRIC, Tensor};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::element_type::ElementType;
use crate::error::{Error, ErrorKind, Result};

/// `x = scale[b] * (q - zero_point[b])`, b the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerBlock {
    blocks: Blocks,
    scale_type: ElementType,
    scale_buffer: u32,
    zero_point_buffer: Option<u32>,
}

impl PerBlock {
    /// Blocks of `block_size`, a power of two of at least 2; scales of float16, bfloat16 or
    /// float32; scales, and zero points unless the scheme is symmetric, in these entries of the
    /// buffer table, which come after the layout's own.
    pub fn new(
        axis: u32,
        block_size: u32,
        scale_type: ElementType,
        scale_buffer: u32,
        zero_point_buffer: Option<u32>,
    ) -> Result<Self> {
        let blocks = Blocks::new(axis, block_size, 2, 1 << 31)?;
        match scale_type {
            ElementType::FLOAT16 | ElementType::BFLOAT16 | ElementType::FLOAT32 => {
                Ok(Self { blocks, scale_type, scale_buffer, zero_point_buffer })
            }
            _ => Err(scale_type_error(scale_type.tag())),
        }
    }

    /// The axis.
    pub fn axis(&self) -> u32 {
        self.blocks.axis()
    }

    /// Elements of a block.
    pub fn block_size(&self) -> u32 {
        self.blocks.block_size()
    }

    /// The type of the scales.
    pub fn scale_type(&self) -> ElementType {
        self.scale_type
    }

    /// The buffer of the scales.
    pub fn scale_buffer(&self) -> u32 {
        self.scale_buffer
    }

    /// The buffer of the zero points; `None` when the scheme is symmetric.
    pub fn zero_point_buffer(&self) -> Option<u32> {
        self.zero_point_buffer
    }
}

fn scale_type_error(tag: u8) -> Error {
    Error::new(ErrorKind::Limits { what: "scale_type", value: tag.into(), min: 1, max: 3 })
}

impl Fields for PerBlock {
    const FLAGS: u16 = SYMMETRIC;

    fn read(cursor: &mut Cursor<'_>, flags: u16) -> Result<Self> {
        let start = cursor.offset();
        let (axis, block_size) = (cursor.u32("axis")?, cursor.u32("block_size")?);
        let scale_buffer = cursor.u32("scale_buffer")?;
        // Under SYMMETRIC whatever stands here is ignored (decisions.md row 35).
        let zero_points = super::read_zero_points(cursor.u32("zero_point_buffer")?, flags);
        let at = cursor.offset();
        let tag = cursor.u8("scale_type")?;
        let scale_type = ElementType::from_tag(tag).ok_or_else(|| scale_type_error(tag).at(at))?;
        cursor.reserved(3, "per-block affine reserved")?;
        Self::new(axis, block_size, scale_type, scale_buffer, zero_points)
            .map_err(|error| error.at(start))
    }
}

impl Rules for PerBlock {
    fn flags(&self) -> u16 {
        super::affine_flags(self.zero_point_buffer)
    }

    fn encoded_len(&self) -> u64 {
        24
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u32(self.axis())?;
        sink.u32(self.block_size())?;
        sink.u32(self.scale_buffer)?;
        sink.u32(self.zero_point_buffer.unwrap_or(NO_BUFFER))?;
        sink.u8(self.scale_type.tag())?;
        sink.zeros(3)
    }

    fn storage(&self) -> &'static [ElementType] {
        super::NARROW_INTEGERS
    }

    fn check(&self, tensor: &Tensor<'_>) -> Result<()> {
        let Some(pages) = tensor.layout.rules().pages() else {
            return self.blocks.check_fits(tensor.shape);
        };
        // Blocks are page slots; they may be more than there are tokens (decisions.md row 36).
        super::axis_size(self.axis(), tensor.shape)?;
        for (what, found, expected) in [
            ("axis on a block-paged tensor", self.axis(), 0),
            ("block_size on a block-paged tensor", self.block_size(), pages.page_size),
        ] {
            if found != expected {
                let (found, expected) = (found.into(), expected.into());
                return Err(Error::new(ErrorKind::Mismatch { what, found, expected }));
            }
        }
        Ok(())
    }

    fn parameters(&self) -> Parameters {
        let bits = self.scale_type.bits().unwrap_or_default();
        Parameters {
            scales: Some(self.scale_buffer),
            scale_bytes: bits / 8,
            zero_points: self.zero_point_buffer,
        }
    }

    fn entries(&self, tensor: &Tensor<'_>) -> Result<Option<u64>> {
        match tensor.layout.rules().pages() {
            Some(pages) => {
                math::mul(pages.num_pages, pages.page_size.into(), "count of page slots").map(Some)
            }
            None => self.blocks.count(tensor.shape),
        }
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(self.blocks)
    }
}
