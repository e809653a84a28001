//! MXFP: narrow floats or integers, scaled by powers of two (quantization.md, 0x05).

use super::{Blocks, Fields, Parameters, Rules, Tensor, axis_size};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::element_type::ElementType;
use crate::error::{Error, ErrorKind, Result};

/// `x = 2^(e[b] - 127) * value(q)`, b the block; the scales e are float8_e8m0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mxfp {
    blocks: Blocks,
    scale_buffer: u32,
}

impl Mxfp {
    /// Blocks of `block_size`, a power of two in 16 to 2048; scales in this entry of the buffer
    /// table, which comes after the layout's own.
    pub fn new(axis: u32, block_size: u32, scale_buffer: u32) -> Result<Self> {
        Ok(Self { blocks: Blocks::new(axis, block_size, 16, 2048)?, scale_buffer })
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

impl Fields for Mxfp {
    fn read(cursor: &mut Cursor<'_>, _flags: u16) -> Result<Self> {
        let start = cursor.offset();
        let (axis, block_size) = (cursor.u32("axis")?, cursor.u32("block_size")?);
        let scale_buffer = cursor.u32("scale_buffer")?;
        Self::new(axis, block_size, scale_buffer).map_err(|error| error.at(start))
    }
}

impl Rules for Mxfp {
    fn encoded_len(&self) -> u64 {
        16
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u32(self.axis())?;
        sink.u32(self.block_size())?;
        sink.u32(self.scale_buffer)
    }

    fn storage(&self) -> &'static [ElementType] {
        &[
            ElementType::FLOAT8_E4M3,
            ElementType::FLOAT8_E5M2,
            ElementType::FLOAT4_E2M1,
            ElementType::FLOAT6_E2M3,
            ElementType::FLOAT6_E3M2,
            ElementType::INT8,
            ElementType::INT4,
        ]
    }

    fn check(&self, tensor: &Tensor<'_>) -> Result<()> {
        super::refuse_pages(tensor)?;
        let value = axis_size(self.axis(), tensor.shape)?;
        if value == 0 {
            let (what, min) = ("shape[axis]", self.block_size().into());
            return Err(Error::new(ErrorKind::Limits { what, value, min, max: u64::MAX }));
        }
        self.blocks.check_whole(tensor.shape)
    }

    fn parameters(&self) -> Parameters {
        Parameters { scales: Some(self.scale_buffer), scale_bytes: 1, zero_points: None }
    }

    fn entries(&self, tensor: &Tensor<'_>) -> Result<Option<u64>> {
        self.blocks.count(tensor.shape)
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(self.blocks)
    }
}
