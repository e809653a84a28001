//! Whole descriptors: the worked examples of the texts, byte for byte.

use super::*;

/// The bytes of hexadecimal digits; blanks are skipped.
fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len() / 2)
        .map(|k| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap())
        .collect()
}

/// descriptor.md, Worked example, and the same in the metadata text.
const WORKED_EXAMPLE: &str = "48525259 01 00 3D000000 00000000 03 01 02000000
    0300000000000000 0400000000000000 0000000000000000
    01 C000000000000000 40000000 00 000000";

#[test]
fn the_worked_example_both_ways() {
    let bytes = hex(WORKED_EXAMPLE);
    let d = Descriptor::decode(&bytes, Mode::Strict).unwrap();
    assert_eq!((d.version_minor(), d.flags()), (0, 0));
    assert_eq!((d.element_type(), d.layout_tag()), (ElementType::FLOAT32, 1));
    assert_eq!((d.rank(), d.shape(), d.byte_offset()), (2, &[3, 4][..], 0));
    let buffer = Buffer { byte_size: 192, alignment: 64, device: 0, reserved: [0; 3] };
    assert_eq!(d.buffers(), &[buffer]);
    assert_eq!(d.need(0).unwrap(), Need::AtLeast(48));
    assert_eq!(d.element_count().unwrap(), 12);
    assert_eq!(d.encode().unwrap(), bytes);
    assert_eq!(d.encoded_len().unwrap(), 61);
    assert_eq!(d.memory_bytes(), size_of::<Descriptor>());

    let mut builder = Builder::new(ElementType::FLOAT32, &[3, 4]).unwrap();
    assert_eq!(builder.buffer_size(0, 192).unwrap().build().unwrap(), d);
}
