//! Row-major (layouts.md, Row-major, column-major): the last dimension is contiguous.

use super::{Fields, Need, PartialBlock, Rules, Traits};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::descriptor::shape::MAX_RANK;
use crate::error::Result;

/// The row-major layout; it has no fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowMajor;

impl Fields for RowMajor {
    const TRAITS: Traits =
        Traits { ranks: (0, MAX_RANK), partial_block: PartialBlock::Padded, ..Traits::DENSE };

    fn read(_cursor: &mut Cursor<'_>, _shape: &[u64], _mode: Mode) -> Result<Self> {
        Ok(Self)
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for RowMajor {
    fn encoded_len(&self) -> u64 {
        0
    }

    fn write(&self, _sink: &mut Sink) -> Result<()> {
        Ok(())
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn need(&self, _buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        facts.room(facts.stored_elements()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{builder, sizes};
    use crate::descriptor::{ElementType, ExtensionType, Format};

    #[test]
    fn sizes_of_every_width() {
        let size = |element_type, count| {
            builder(element_type, &[count], RowMajor).build().unwrap().buffers()[0].byte_size
        };
        // The packing checks of types.md.
        assert_eq!(size(ElementType::BOOL, 5), 1);
        assert_eq!(size(ElementType::UINT4, 3), 2);
        assert_eq!(size(ElementType::UINT2, 3), 1);
        assert_eq!(size(ElementType::FLOAT6_E2M3, 1), 3);
        assert_eq!(size(ElementType::FLOAT6_E3M2, 5), 6);
        assert_eq!(size(ElementType::COMPLEX128, 3), 48);

        let mut private = builder(ElementType::from_tag(0xF3).unwrap(), &[3, 5], RowMajor);
        let integer = Format::Integer { is_signed: false };
        private.extension_type(ExtensionType::new(4, integer).unwrap());
        assert_eq!(private.build().unwrap().buffers()[0].byte_size, 8);
        private.extension_type(ExtensionType::new(24, integer).unwrap());
        assert_eq!(private.build().unwrap().buffers()[0].byte_size, 45);
    }

    #[test]
    fn scalars_empty_tensors_and_too_large_ones() {
        assert_eq!(sizes(&[], RowMajor), Ok(vec![4]));
        assert_eq!(sizes(&[1; 64], RowMajor), Ok(vec![4]));
        assert_eq!(sizes(&[0, 1 << 40, 1 << 40], RowMajor), Ok(vec![0]));
        let message = |what| format!("descriptor: buffer 0: {what} does not fit 64 bits");
        assert!(sizes(&[1 << 40, 1 << 40], RowMajor).unwrap_err().contains("element count"));
        assert!(sizes(&[1 << 62], RowMajor).unwrap_err().contains("required size"));
        let mut told = builder(ElementType::FLOAT32, &[1 << 62], RowMajor);
        let error = told.buffer_size(0, u64::MAX).unwrap().build().unwrap_err();
        assert_eq!(error.to_string(), message("required size"));
        let mut offset = builder(ElementType::FLOAT32, &[1], RowMajor);
        let error = offset.byte_offset(u64::MAX - 3).build().unwrap_err();
        assert!(error.to_string().contains("required size does not fit 64 bits"));
    }
}
