//! NF4: sixteen fixed values, scaled by block (quantization.md, 0x04).

use super::{Blocks, Fields, Parameters, Rules, Tensor};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::element_type::ElementType;
use crate::error::Result;

/// The smallest block.
const MIN_BLOCK: u32 = 8;

/// The largest block.
const MAX_BLOCK: u32 = 1 << 31;

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
        Ok(Self { blocks: Blocks::new(axis, block_size, MIN_BLOCK, MAX_BLOCK)?, scale_buffer })
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
        let blocks = Blocks::read(cursor, MIN_BLOCK, MAX_BLOCK)?;
        Ok(Self { blocks, scale_buffer: cursor.u32("scale_buffer")? })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::Builder;
    use crate::descriptor::tests::{round_trips, strict};

    #[test]
    fn fields_and_their_rules() {
        let mut b = Builder::new(ElementType::UINT4, &[3, 20]).unwrap();
        let d = b.quantization(Nf4::new(1, 8, 1).unwrap()).build().unwrap();
        // Lines of 20 are stored as three blocks of 8.
        assert_eq!((d.buffers()[0].byte_size, d.buffers()[1].byte_size), (36, 36));
        round_trips(&d);
        assert_eq!(
            strict(&d, 89, &[4]),
            "descriptor: block_size 4 is not in 8 to 2147483648, at byte 89"
        );
        assert_eq!(
            strict(&d, 89, &[32]),
            "descriptor: block_size 32 is not in 1 to 20, at byte 77"
        );
        assert_eq!(
            strict(&d, 83, &[1]),
            "descriptor: reserved bits of scheme flags must be 0, is 1, at byte 83"
        );
        assert_eq!(strict(&d, 85, &[9]), "descriptor: axis 9 is not in 0 to 1, at byte 77");
    }
}
