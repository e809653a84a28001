//! NF4: sixteen fixed values, scaled by block (quantization.md, 0x04).

use super::{Blocks, Fields, Parameters, Rules, Tensor};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::element_type::ElementType;
use crate::error::Result;

/// `x = scale[b] * table[q]`, b the block; scales are float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nf4 {
    blocks: Blocks,
    scale_buffer: u32,
}

impl Nf4 {
    /// Blocks of `block_size`, a power of two of at least 8; scales in this entry of the buffer
    /// table, which comes after the layout's own.
    pub fn new(axis: u32, block_size: u32, scale_buffer: u32) -> Result<Self> {
        Ok(Self { blocks: Blocks::new(axis, block_size, 8, 1 << 31)?, scale_buffer })
    }

    /// The axis.
    pub fn axis(&self) -> u32 {
        self.blocks.axis()
    }

    /// Elements of a block.
    pub fn block_size(&self) -> u32 {
        self.blocks.block_size()
    }

    /// The buffer of the scales.
    pub fn scale_buffer(&self) -> u32 {
        self.scale_buffer
    }
}

impl Fields for Nf4 {
    fn read(cursor: &mut Cursor<'_>, _flags: u16) -> Result<Self> {
        let start = cursor.offset();
        let (axis, block_size) = (cursor.u32("axis")?, cursor.u32("block_size")?);
        let scale_buffer = cursor.u32("scale_buffer")?;
        Self::new(axis, block_size, scale_buffer).map_err(|error| error.at(start))
    }
}

impl Rules for Nf4 {
    fn encoded_len(&self) -> u64 {
        16
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u32(self.axis())?;
        sink.u32(self.block_size())?;
        sink.u32(self.scale_buffer)
    }

    fn storage(&self) -> &'static [ElementType] {
        &[ElementType::UINT4]
    }

    fn check(&self, tensor: &Tensor<'_>) -> Result<()> {
        super::refuse_pages(tensor)?;
        self.blocks.check_fits(tensor.shape)
    }

    fn parameters(&self) -> Parameters {
        Parameters { scales: Some(self.scale_buffer), scale_bytes: 4, zero_points: None }
    }

    fn entries(&self, tensor: &Tensor<'_>) -> Result<Option<u64>> {
        self.blocks.count(tensor.shape)
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(self.blocks)
    }
}
