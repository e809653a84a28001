//! MXFP: narrow floats or integers, scaled by powers of two (quantization.md, 0x05).

use super::{Blocks, Fields, Parameters, Rules, Tensor, axis_size};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::element_type::ElementType;
use crate::error::{Error, ErrorKind, Result};

/// The smallest block.
const MIN_BLOCK: u32 = 16;

/// The largest block.
const MAX_BLOCK: u32 = 2048;

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

impl Fields for Mxfp {
    fn read(cursor: &mut Cursor<'_>, _flags: u16) -> Result<Self> {
        let blocks = Blocks::read(cursor, MIN_BLOCK, MAX_BLOCK)?;
        Ok(Self { blocks, scale_buffer: cursor.u32("scale_buffer")? })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::layout::{BlockPaged, Coo, IndexType, KvRole};
    use crate::descriptor::quantization::Nf4;
    use crate::descriptor::tests::{builder, round_trips};
    use crate::descriptor::{Builder, Descriptor, Quantization};

    fn built(
        element_type: ElementType,
        shape: &[u64],
        scheme: impl Into<Quantization>,
    ) -> Result<Descriptor> {
        Builder::new(element_type, shape)?.quantization(scheme).build()
    }

    #[test]
    fn a_byte_a_block_and_whole_blocks_only() {
        let d = built(ElementType::FLOAT4_E2M1, &[3, 32], Mxfp::new(1, 16, 1).unwrap()).unwrap();
        assert_eq!((d.buffers()[0].byte_size, d.buffers()[1].byte_size), (48, 6));
        round_trips(&d);
        let message = |shape: &[u64], size| {
            let scheme = Mxfp::new(1, size, 1).unwrap();
            built(ElementType::INT8, shape, scheme).unwrap_err().to_string()
        };
        assert_eq!(
            message(&[3, 40], 16),
            "shape[axis] in this layout or scheme 40 is not a multiple of 16"
        );
        assert_eq!(message(&[3, 0], 16), format!("shape[axis] 0 is not in 16 to {}", u64::MAX));
        let d = built(ElementType::INT8, &[0, 32], Mxfp::new(1, 16, 1).unwrap()).unwrap();
        assert_eq!((d.buffers()[0].byte_size, d.buffers()[1].byte_size), (0, 0));
        let mut sparse = builder(ElementType::INT8, &[2, 32], Coo::new(3, true));
        let d = sparse.quantization(Mxfp::new(1, 32, 2).unwrap()).build().unwrap();
        assert_eq!(d.buffers()[2].byte_size, 2);
        assert!(Mxfp::new(0, 8, 1).is_err() && Mxfp::new(0, 4096, 1).is_err());
    }

    #[test]
    fn storage_types_of_the_block_schemes() {
        let mx = |t: &&ElementType| built(**t, &[32], Mxfp::new(0, 32, 1).unwrap()).is_ok();
        let taken: Vec<_> = ElementType::ALL.iter().filter(mx).map(|t| t.name()).collect();
        let expected = [
            "int8",
            "float8_e4m3",
            "float8_e5m2",
            "float4_e2m1",
            "float6_e2m3",
            "float6_e3m2",
            "int4",
        ];
        assert_eq!(taken, expected);
        let nf4 = |t: &&ElementType| built(**t, &[32], Nf4::new(0, 8, 1).unwrap()).is_ok();
        let taken: Vec<_> = ElementType::ALL.iter().filter(nf4).map(|t| t.name()).collect();
        assert_eq!(taken, ["uint4"]);
    }

    #[test]
    fn not_on_paged_tensors() {
        let (role, index_type) = (KvRole::Key, IndexType::U32);
        let layout = BlockPaged::new(16, 1, 1, role, None, index_type).unwrap();
        let mut b = builder(ElementType::INT8, &[16, 16, 16], layout);
        b.buffer_size(1, 0).unwrap().quantization(Mxfp::new(0, 16, 3).unwrap());
        assert_eq!(b.build().unwrap_err().to_string(), "scheme on a block-paged tensor");
    }
}
