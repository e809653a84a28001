//! Per-block affine: a scale and a zero point for every block (quantization.md, 0x03).

use super::{Blocks, Fields, NO_BUFFER, Parameters, Rules, SYMMETRIC, Tensor, storage};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::element_type::ElementType;
use crate::error::{Error, ErrorKind, Result};

/// The smallest block.
const MIN_BLOCK: u32 = 2;

/// The largest block.
const MAX_BLOCK: u32 = 1 << 31;

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
        let blocks = Blocks::new(axis, block_size, MIN_BLOCK, MAX_BLOCK)?;
        let scale_type = self::scale_type(scale_type.tag())?;
        Ok(Self { blocks, scale_type, scale_buffer, zero_point_buffer })
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

/// The type of scales with this tag.
fn scale_type(tag: u8) -> Result<ElementType> {
    match ElementType::from_tag(tag) {
        Some(found @ (ElementType::FLOAT16 | ElementType::BFLOAT16 | ElementType::FLOAT32)) => {
            Ok(found)
        }
        _ => {
            let (what, value) = ("scale_type", tag.into());
            Err(Error::new(ErrorKind::Limits { what, value, min: 1, max: 3 }))
        }
    }
}

impl Fields for PerBlock {
    const FLAGS: u16 = SYMMETRIC;

    fn read(cursor: &mut Cursor<'_>, flags: u16) -> Result<Self> {
        let blocks = Blocks::read(cursor, MIN_BLOCK, MAX_BLOCK)?;
        let scale_buffer = cursor.u32("scale_buffer")?;
        // Under SYMMETRIC whatever stands here is ignored (decisions.md row 35).
        let zero_points = super::read_zero_points(cursor.u32("zero_point_buffer")?, flags);
        let at = cursor.offset();
        let scale_type = scale_type(cursor.u8("scale_type")?).map_err(|error| error.at(at))?;
        cursor.reserved(3, "per-block affine reserved")?;
        Ok(Self { blocks, scale_type, scale_buffer, zero_point_buffer: zero_points })
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
        storage::NARROW_INTEGERS
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::layout::{
        BlockPaged, ColumnMajor, Coo, IndexType, KvRole, Order, Strided, Tiled,
    };
    use crate::descriptor::tests::{builder, round_trips, strict};
    use crate::descriptor::{Builder, DYNAMIC, Descriptor, Layout, Need, Padding};

    const HALF: ElementType = ElementType::FLOAT16;

    fn scheme(axis: u32, block_size: u32, scale_buffer: u32) -> PerBlock {
        PerBlock::new(axis, block_size, HALF, scale_buffer, None).unwrap()
    }

    fn sizes(d: &Descriptor) -> Vec<u64> {
        d.buffers().iter().map(|buffer| buffer.byte_size).collect()
    }

    fn built(shape: &[u64], layout: impl Into<Layout>, scheme: PerBlock) -> Result<Descriptor> {
        builder(ElementType::UINT8, shape, layout).quantization(scheme).build()
    }

    #[test]
    fn a_partial_last_block_in_every_layout() {
        // decisions.md row 34: row-major and column-major store lines padded to whole blocks.
        let mut rows = Builder::new(ElementType::UINT8, &[3, 10]).unwrap();
        let d = rows.quantization(scheme(1, 8, 1)).build().unwrap();
        assert_eq!(sizes(&d), [3 * 16, 3 * 2 * 2]);
        assert_eq!(d.padding().unwrap(), Some(Padding { axis: 1, size: 16 }));
        assert_eq!(d.element_count().unwrap(), 30);
        round_trips(&d);
        let d = built(&[3, 10], ColumnMajor, scheme(0, 2, 1)).unwrap();
        assert_eq!(sizes(&d), [4 * 10, 2 * 10 * 2]);
        // Sparse layouts store no padding.
        let d = built(&[3, 10], Coo::new(5, false), scheme(1, 8, 2)).unwrap();
        assert_eq!(sizes(&d), [5, 80, 12]);
        assert_eq!(d.padding().unwrap(), None);
        round_trips(&d);
        // Other dense layouts have no place for it.
        let message = "shape[axis] in this layout or scheme 10 is not a multiple of 8";
        let strided = || Strided::new(&[10, 1]).unwrap();
        let tiled = Tiled::new(&[1, 2], Order::RowMajor, Order::RowMajor).unwrap();
        for refused in
            [built(&[3, 10], strided(), scheme(1, 8, 1)), built(&[3, 10], tiled, scheme(1, 8, 1))]
        {
            assert_eq!(refused.unwrap_err().to_string(), message);
        }
        assert_eq!(sizes(&built(&[3, 10], strided(), scheme(1, 2, 1)).unwrap()), [30, 30]);
    }

    #[test]
    fn scales_and_zero_points_in_one_buffer_or_two() {
        let size = |scale, zero_points| {
            let scheme = PerBlock::new(1, 4, scale, 1, zero_points).unwrap();
            let d = built(&[3, 8], ColumnMajor, scheme).unwrap();
            round_trips(&d);
            sizes(&d)[1..].to_vec()
        };
        assert_eq!(size(ElementType::FLOAT32, Some(2)), [24, 24]);
        assert_eq!(size(ElementType::BFLOAT16, Some(2)), [12, 24]);
        assert_eq!(size(HALF, Some(1)), [36]);
        assert_eq!(size(HALF, None), [12]);
    }

    #[test]
    fn blocks_of_a_paged_tensor_are_page_slots() {
        let paged = |page_size, block_size, axis| {
            let (role, index_type) = (KvRole::Key, IndexType::U32);
            let layout = BlockPaged::new(page_size, 6, 1, role, None, index_type).unwrap();
            let mut b = builder(ElementType::INT8, &[3, 2, 8], layout);
            b.buffer_size(1, 8).unwrap().quantization(scheme(axis, block_size, 3)).build()
        };
        // The block may exceed the tokens (decisions.md row 36).
        let d = paged(16, 16, 0).unwrap();
        assert_eq!(sizes(&d), [6 * 16 * 16, 8, 8, 6 * 16 * 2]);
        round_trips(&d);
        let message = |d: Result<Descriptor>| d.unwrap_err().to_string();
        assert_eq!(message(paged(16, 8, 0)), "block_size on a block-paged tensor is 8, must be 16");
        assert_eq!(message(paged(16, 16, 1)), "axis on a block-paged tensor is 1, must be 0");
    }

    #[test]
    fn fields_and_their_rules() {
        let mut rows = Builder::new(ElementType::UINT8, &[3, 16]).unwrap();
        let d = rows.quantization(scheme(1, 8, 1)).build().unwrap();
        // The payload begins at 81.
        assert_eq!(
            strict(&d, 82, &[2]),
            "descriptor: scheme_version 2 is not supported, 1 is, at byte 82"
        );
        assert_eq!(
            strict(&d, 84, &[0x80]),
            "descriptor: reserved bits of scheme flags must be 0, is 32768, at byte 83"
        );
        assert_eq!(
            strict(&d, 89, &[7]),
            "descriptor: block_size 7 is not a power of two, at byte 89"
        );
        assert_eq!(
            strict(&d, 89, &[32]),
            "descriptor: block_size 32 is not in 1 to 16, at byte 77"
        );
        assert_eq!(strict(&d, 101, &[4]), "descriptor: scale_type 4 is not in 1 to 3, at byte 101");
        assert_eq!(strict(&d, 101, &[0]), "descriptor: scale_type 0 is not in 1 to 3, at byte 101");
        assert_eq!(
            strict(&d, 103, &[1]),
            "descriptor: per-block affine reserved must be 0, is 1, at byte 103"
        );
        assert_eq!(
            strict(&d, 14, &[ElementType::INT16.tag()]),
            "descriptor: storage type_tag 18 is not valid, at byte 77"
        );
        // Ignored when read, written as all ones (decisions.md row 35).
        let mut bytes = d.encode().unwrap();
        bytes[97..101].copy_from_slice(&[0; 4]);
        let same = Descriptor::decode(&bytes, crate::descriptor::Mode::Strict).unwrap();
        assert_eq!(same, d);
        assert_eq!(same.encode().unwrap(), d.encode().unwrap());
        // What the payload holds after its fields is padding.
        bytes[77] = 26;
        bytes[6] += 2;
        bytes.extend_from_slice(&[7, 7]);
        let same = Descriptor::decode(&bytes, crate::descriptor::Mode::Strict).unwrap();
        assert_eq!(same.encode().unwrap(), d.encode().unwrap());
    }

    #[test]
    fn a_dynamic_dimension_beside_the_axis_hides_the_count() {
        let mut b = Builder::new(ElementType::UINT8, &[DYNAMIC, 16]).unwrap();
        b.quantization(scheme(1, 8, 1)).buffer_size(0, 3).unwrap().buffer_size(1, 5).unwrap();
        let d = b.build().unwrap();
        assert_eq!((d.need(1).unwrap(), d.parameter_count().unwrap()), (Need::Unknown, None));
        round_trips(&d);
    }
}
