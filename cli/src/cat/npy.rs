//! Files of numpy's own format, version 1.0.

use hurray::descriptor::ElementType;
use hurray::values::Target;

/// How numpy calls a type, and how its elements are copied; what numpy does not have becomes
/// float32. `None` for what is not interpreted.
pub(super) fn form(element_type: ElementType) -> Option<(&'static str, Target)> {
    Some(match element_type {
        ElementType::BOOL => ("|b1", Target::Bytes),
        ElementType::INT8 => ("|i1", Target::Stored),
        ElementType::UINT8 => ("|u1", Target::Stored),
        ElementType::INT16 => ("<i2", Target::Stored),
        ElementType::UINT16 => ("<u2", Target::Stored),
        ElementType::INT32 => ("<i4", Target::Stored),
        ElementType::UINT32 => ("<u4", Target::Stored),
        ElementType::INT64 => ("<i8", Target::Stored),
        ElementType::UINT64 => ("<u8", Target::Stored),
        ElementType::FLOAT16 => ("<f2", Target::Stored),
        ElementType::FLOAT32 => ("<f4", Target::Stored),
        ElementType::FLOAT64 => ("<f8", Target::Stored),
        ElementType::COMPLEX64 => ("<c8", Target::Stored),
        ElementType::COMPLEX128 => ("<c16", Target::Stored),
        ElementType::BFLOAT16
        | ElementType::FLOAT8_E4M3
        | ElementType::FLOAT8_E5M2
        | ElementType::FLOAT8_E8M0
        | ElementType::FLOAT6_E2M3
        | ElementType::FLOAT6_E3M2
        | ElementType::FLOAT4_E2M1
        | ElementType::INT4
        | ElementType::INT2
        | ElementType::UINT4
        | ElementType::UINT2 => FLOAT32,
        _ => return None,
    })
}

/// What is dequantized, or not known to numpy.
pub(super) const FLOAT32: (&str, Target) = ("<f4", Target::F32);

/// What stands before the elements.
pub(super) fn header(descr: &str, shape: &[u64]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    // A tuple of one has a comma, others need none at the end.
    let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // Ten bytes before it, a line end behind: the elements begin at a multiple of 64.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    // 64 sizes of 20 digits fit by far.
    let length = u16::try_from(length).unwrap_or(u16::MAX);
    [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let header = |shape: &[u64]| {
            let header = header("<f4", shape);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(header[..8], *b"\x93NUMPY\x01\x00");
            assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])), header.len() - 10);
            let text = String::from_utf8(header[10..].to_vec()).unwrap();
            text.trim_end().to_owned()
        };
        let text =
            |shape| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
        assert_eq!(header(&[]), text("()"));
        assert_eq!(header(&[3]), text("(3,)"));
        assert_eq!(header(&[2, 0, 10]), text("(2, 0, 10)"));
        assert!(header(&[u64::MAX; 64]).ends_with("), }"));
    }
}
