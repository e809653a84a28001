//! The types that affine codes are stored in.

use crate::descriptor::element_type::ElementType;

/// Types that affine codes may be stored in.
pub(super) const INTEGERS: &[ElementType] = &[
    ElementType::INT2,
    ElementType::UINT2,
    ElementType::INT4,
    ElementType::UINT4,
    ElementType::INT8,
    ElementType::UINT8,
    ElementType::INT16,
    ElementType::UINT16,
    ElementType::INT32,
    ElementType::UINT32,
];

/// Types that affine codes in blocks may be stored in.
pub(super) const NARROW_INTEGERS: &[ElementType] = &[
    ElementType::INT2,
    ElementType::UINT2,
    ElementType::INT4,
    ElementType::UINT4,
    ElementType::INT8,
    ElementType::UINT8,
];

/// The smallest and largest value of a type in [`INTEGERS`].
pub(crate) fn integer_range(element_type: ElementType) -> Option<(i64, i64)> {
    Some(match element_type {
        ElementType::INT2 => (-2, 1),
        ElementType::UINT2 => (0, 3),
        ElementType::INT4 => (-8, 7),
        ElementType::UINT4 => (0, 15),
        ElementType::INT8 => (i8::MIN.into(), i8::MAX.into()),
        ElementType::UINT8 => (0, u8::MAX.into()),
        ElementType::INT16 => (i16::MIN.into(), i16::MAX.into()),
        ElementType::UINT16 => (0, u16::MAX.into()),
        ElementType::INT32 => (i32::MIN.into(), i32::MAX.into()),
        ElementType::UINT32 => (0, u32::MAX.into()),
        _ => return None,
    })
}
