//! Whole descriptors: the worked examples of the texts, byte for byte; what each mode takes. And
//! what the tests of layouts and schemes share.

use super::layout::{Combine, Composite, Composition, Coo};
use super::quantization::{PerBlock, PerTensor};
use super::*;
use crate::error::Fault;

/// The bytes of hexadecimal digits; blanks are skipped.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len() / 2)
        .map(|k| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap())
        .collect()
}

/// A builder for a tensor in this layout.
pub(super) fn builder(
    element_type: ElementType,
    shape: &[u64],
    layout: impl Into<Layout>,
) -> Builder {
    let mut builder = Builder::new(element_type, shape).unwrap();
    builder.layout(layout);
    builder
}

/// The sizes that the builder gives the buffers of a float32 tensor in this layout, or its refusal.
pub(super) fn sizes(shape: &[u64], layout: impl Into<Layout>) -> Result<Vec<u64>, String> {
    let built = builder(ElementType::FLOAT32, shape, layout).build();
    built.map(|d| d.buffers().iter().map(|buffer| buffer.byte_size).collect()).map_err(|error| {
        assert_eq!(error.fault(), Fault::Caller);
        error.to_string()
    })
}

/// What decoding says to a descriptor whose bytes at `at` were replaced.
pub(super) fn patched(d: &Descriptor, at: usize, bytes: &[u8], mode: Mode) -> String {
    let mut encoded = d.encode().unwrap();
    encoded[at..at + bytes.len()].copy_from_slice(bytes);
    match Descriptor::decode(&encoded, mode) {
        Ok(_) => String::from("ok"),
        Err(error) => error.to_string(),
    }
}

/// The same in strict mode.
pub(super) fn strict(d: &Descriptor, at: usize, bytes: &[u8]) -> String {
    patched(d, at, bytes, Mode::Strict)
}

/// Demands that encoding and decoding give the same again.
pub(super) fn round_trips(d: &Descriptor) {
    let bytes = d.encode().unwrap();
    assert_eq!(bytes.len() as u64, d.encoded_len().unwrap());
    for mode in [Mode::Strict, Mode::Permissive] {
        let again = Descriptor::decode(&bytes, mode).unwrap();
        assert_eq!(&again, d);
        assert_eq!(again.encode().unwrap(), bytes);
    }
}

fn matrix() -> Descriptor {
    Builder::new(ElementType::FLOAT32, &[3, 4]).unwrap().build().unwrap()
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

/// The SpQR example of the composite text: head, base and correction.
#[test]
fn the_overlay_example() {
    let shape = [4096, 4096];
    let overlay = Composite::new(Composition::Overlay(Combine::Replace), 2).unwrap();
    let head = builder(ElementType::FLOAT16, &shape, overlay).build().unwrap();
    let bytes = hex("48525259 01 00 35000000 00000000 01 0B 02000000
        0010000000000000 0010000000000000 0000000000000000
        02 01 0000 02000000
        00");
    assert_eq!(head.encode().unwrap(), bytes);
    assert!(head.is_composite_head());
    round_trips(&head);

    let mut base = Builder::new(ElementType::INT4, &shape).unwrap();
    base.quantization(PerBlock::new(1, 128, ElementType::FLOAT16, 1, None).unwrap())
        .shard(Shard::new(&shape, &[0, 0]).unwrap())
        .member_role(MemberRole::Base);
    let base = base.build().unwrap();
    let bytes = hex("48525259 01 00 99000000 13000000 48 01 02000000
        0010000000000000 0010000000000000 0000000000000000
        02 0000800000000000 40000000 00 000000
           0000040000000000 40000000 00 000000
        18000000 03 01 0100 01000000 80000000 01000000 FFFFFFFF 01 000000
        0010000000000000 0010000000000000 0000000000000000 0000000000000000
        01 000000000000000000000000000000");
    assert_eq!(base.encode().unwrap(), bytes);
    assert_eq!(base.parameter_count().unwrap(), Some(4096 * 32));
    round_trips(&base);

    let mut correction = builder(ElementType::FLOAT16, &shape, Coo::new(3, true));
    correction.shard(Shard::new(&shape, &[0, 0]).unwrap()).member_role(MemberRole::Correction);
    let correction = correction.build().unwrap();
    let bytes = hex("48525259 01 00 8D000000 12000000 01 06 02000000
        0010000000000000 0010000000000000 0000000000000000
        0300000000000000 01 00000000000000
        02 0600000000000000 40000000 00 000000
           3000000000000000 40000000 00 000000
        0010000000000000 0010000000000000 0000000000000000 0000000000000000
        00 000000000000000000000000000000");
    assert_eq!(correction.encode().unwrap(), bytes);
    round_trips(&correction);
}

#[test]
fn the_header_and_its_rules() {
    let d = matrix();
    assert_eq!(strict(&d, 0, b"HRRY"), "ok");
    assert_eq!(
        strict(&d, 0, b"HRRX"),
        "descriptor: magic is [48, 52, 52, 58], not \"HRRY\", at byte 0"
    );
    for major in [0, 2] {
        let message =
            format!("descriptor: version_major {major} is not supported, 1 is, at byte 4");
        assert_eq!(strict(&d, 4, &[major]), message);
        assert_eq!(patched(&d, 4, &[major], Mode::Permissive), message);
    }
    assert_eq!(
        strict(&d, 6, &[19]),
        "descriptor: descriptor_length 19 is not in 20 to 4294967295, at byte 6"
    );
    assert_eq!(
        strict(&d, 6, &[62]),
        "descriptor: descriptor truncated: need 62 bytes, have 61, at byte 61"
    );
    assert_eq!(
        strict(&d, 6, &[60]),
        "descriptor: buffer table truncated: need 16 bytes, have 15, at byte 45"
    );
    for (byte, bits) in [(10, 0x20), (11, 1), (13, 0x80)] {
        let message = strict(&d, byte, &[bits]);
        assert!(message.starts_with("descriptor: reserved bits of flags must be 0"), "{message}");
    }
    assert_eq!(strict(&d, 10, &[4]), "descriptor: HAS_EXTENSION_TYPE is 1, must be 0, at byte 10");
    assert_eq!(
        strict(&d, 14, &[0xF0]),
        "descriptor: HAS_EXTENSION_TYPE is 0, must be 1, at byte 10"
    );
    assert_eq!(strict(&d, 16, &[65]), "descriptor: rank 65 is not in 0 to 64, at byte 16");
    assert_eq!(strict(&d, 15, &[0x0C]), "descriptor: layout_tag 0x0c is reserved, at byte 15");
    assert_eq!(strict(&d, 36, &[49]), "descriptor: byte_offset 49 is not in 0 to 48, at byte 36");
    assert_eq!(
        strict(&d, 36, &[1]),
        "descriptor: buffer 0: data too small: need 49 bytes, have 48, at byte 45"
    );
}

#[test]
fn a_newer_minor_may_append_and_only_that() {
    let d = matrix();
    let mut bytes = d.encode().unwrap();
    bytes.extend_from_slice(&[1, 2, 3]);
    // Whoever holds the bytes knows whether more may follow: here it is not looked at.
    assert_eq!(Descriptor::decode(&bytes, Mode::Strict).unwrap(), d);
    bytes[6] = 64;
    let error = Descriptor::decode(&bytes, Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "descriptor: 3 bytes after the end of descriptor, at byte 61");
    bytes[5] = 9;
    let newer = Descriptor::decode(&bytes, Mode::Strict).unwrap();
    assert_eq!(newer.version_minor(), 9);
    assert_eq!(newer, d);
    assert_eq!(newer.encode().unwrap(), d.encode().unwrap());
    bytes[60] = 1;
    let error = Descriptor::decode(&bytes, Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "descriptor: buffer 0: reserved must be 0, is 1, at byte 60");
}

#[test]
fn every_prefix_of_a_descriptor_is_an_error() {
    let mut full = Builder::new(ElementType::UINT8, &[4, 6]).unwrap();
    full.quantization(PerTensor::new(0.5, 7).unwrap())
        .shard(Shard::new(&[4, 6], &[0, 0]).unwrap())
        .statistics(Statistics::new())
        .member_role(MemberRole::Base);
    let full = full.build().unwrap();
    round_trips(&full);
    let bytes = full.encode().unwrap();
    for end in 0..bytes.len() {
        assert!(Descriptor::decode(&bytes[..end], Mode::Permissive).is_err());
        // The same when the length says so.
        let mut short = bytes[..end].to_vec();
        if end >= 20 {
            short[6..10].copy_from_slice(&u32::try_from(end).unwrap().to_le_bytes());
            assert!(Descriptor::decode(&short, Mode::Permissive).is_err());
        }
    }
    assert_eq!(Descriptor::length_of(&bytes[..10]).unwrap() as usize, bytes.len());
    assert!(Descriptor::length_of(&bytes[..9]).is_err());
}

#[test]
fn unknown_tags_in_permissive_mode() {
    // A type that is not known: everything is read, no size of elements is checked.
    let mut bytes = matrix().encode().unwrap();
    bytes[14] = 0x47;
    let d = Descriptor::decode(&bytes, Mode::Permissive).unwrap();
    assert_eq!((d.element_type().name(), d.element_bits()), ("reserved", None));
    assert_eq!(d.need(0).unwrap(), Need::Unknown);
    assert_eq!(d.encode().unwrap(), bytes);

    // A layout that is not known: what follows byte_offset is opaque (decisions.md row 27).
    let mut bytes = matrix().encode().unwrap();
    (bytes[5], bytes[15]) = (3, 0x4F);
    assert!(Descriptor::decode(&bytes, Mode::Strict).is_err());
    let d = Descriptor::decode(&bytes, Mode::Permissive).unwrap();
    assert!(d.is_opaque() && d.buffers().is_empty());
    assert_eq!((d.shape(), d.element_count().unwrap()), (&[3, 4][..], 12));
    assert_eq!(
        d.data_length(4096).unwrap_err().to_string(),
        "buffer table of this layout is not supported"
    );
    let Layout::Unknown(layout) = d.layout() else { panic!("{d:?}") };
    assert_eq!((layout.tag(), layout.rest()), (0x4F, &bytes[44..]));
    assert_eq!(d.encode().unwrap(), bytes);
    assert_eq!(d.try_clone().unwrap(), d);
    // Its byte_offset lies in a buffer that cannot be found, and is handed out as it is.
    bytes[36] = 64;
    assert_eq!(Descriptor::decode(&bytes, Mode::Permissive).unwrap().byte_offset(), 64);

    // A private layout: fields and buffers are handed out. priv_fe of the reference vectors.
    let bytes = hex("48525259 01 00 5A000000 00000000 03 FE 02000000
        0400000000000000 0400000000000000 0000000000000000
        8877665544332211 01000000 00
        02 4000000000000000 40000000 00 000000
           2000000000000000 40000000 00 000000");
    let error = Descriptor::decode(&bytes, Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "descriptor: layout_tag 0xfe is private, at byte 15");
    let d = Descriptor::decode(&bytes, Mode::Permissive).unwrap();
    let Layout::Private(layout) = d.layout() else { panic!("{d:?}") };
    assert_eq!((layout.id(), layout.data()), (0x1122_3344_5566_7788, &[0][..]));
    assert_eq!((d.buffers().len(), d.own_buffers()), (2, 2));
    assert_eq!(d.data_length(64).unwrap(), 96);
    assert_eq!(d.encode().unwrap(), bytes);
    assert_eq!(d.try_clone().unwrap(), d);
}

#[test]
fn reserved_bytes_of_buffers_are_handed_out_and_not_written() {
    let mut bytes = matrix().encode().unwrap();
    bytes[58..61].copy_from_slice(&[1, 0xF0, 9]);
    let d = Descriptor::decode(&bytes, Mode::Permissive).unwrap();
    assert_eq!(d.buffers()[0].reserved, [1, 0xF0, 9]);
    assert_eq!(d, matrix());
    assert_eq!(d.encode().unwrap(), matrix().encode().unwrap());
}

#[test]
fn dynamic_dimensions_hide_what_involves_them() {
    let mut rows = Builder::new(ElementType::FLOAT32, &[DYNAMIC, 4]).unwrap();
    assert_eq!(
        rows.build().unwrap_err().to_string(),
        "buffer 0: its size is not known from the fields: it must be told"
    );
    let d = rows.buffer_size(0, 12).unwrap().build().unwrap();
    assert!(d.has_dynamic_dimension());
    assert_eq!(d.need(0).unwrap(), Need::Unknown);
    assert_eq!(
        d.element_count().unwrap_err().to_string(),
        "shape has a dynamic dimension: nothing is computed from it"
    );
    round_trips(&d);
}

#[test]
fn what_a_kept_descriptor_costs() {
    let dims = [1; 64];
    let mut large = Builder::new(ElementType::FLOAT32, &dims).unwrap();
    large.shard(Shard::new(&dims, &[0; 64]).unwrap()).statistics(Statistics::new());
    let d = large.build().unwrap();
    let fixed = size_of::<Descriptor>() + size_of::<Shard>() + size_of::<Statistics>();
    assert_eq!(d.memory_bytes(), fixed + 3 * 64 * 8);
    assert_eq!(d.try_clone().unwrap(), d);
}

#[test]
fn the_builder_says_who_is_to_blame() {
    let refusal = |change: &dyn Fn(&mut Builder)| {
        let mut builder = Builder::new(ElementType::FLOAT32, &[3, 4]).unwrap();
        change(&mut builder);
        let error = builder.build().unwrap_err();
        assert_eq!(error.fault(), Fault::Caller);
        error.to_string()
    };
    assert_eq!(
        refusal(&|b| _ = b.buffer_size(0, 47)),
        "descriptor: buffer 0: data too small: need 48 bytes, have 47"
    );
    assert_eq!(refusal(&|b| _ = b.buffer_size(1, 47)), "buffer 1 out of range: there are 1");
    assert_eq!(
        refusal(&|b| _ = b.alignment(96)),
        "descriptor: buffer 0: alignment 96 is not a power of two"
    );
    assert_eq!(refusal(&|b| _ = b.device(9)), "descriptor: buffer 0: device_tag 0x09 is reserved");
    assert_eq!(
        refusal(&|b| _ = b.quantization(PerTensor::new(1.0, 0).unwrap())),
        "storage type_tag 3 is not valid"
    );
    let private = ElementType::from_tag(0xF7).unwrap();
    let error = Builder::new(private, &[1]).unwrap().build().unwrap_err();
    assert_eq!(error.to_string(), "HAS_EXTENSION_TYPE is 0, must be 1");
    let unknown = ElementType::from_tag(0x47).unwrap();
    let error = Builder::new(unknown, &[1]).unwrap().build().unwrap_err();
    assert_eq!(error.to_string(), "type_tag 71 is not valid");
    let error = Builder::new(ElementType::INT8, &[1; 65]).unwrap_err();
    assert_eq!(error.to_string(), "rank 65 is not in 0 to 64");

    let mut told = Builder::new(ElementType::FLOAT32, &[0]).unwrap();
    told.alignment(4096).buffer_alignment(0, 1).unwrap();
    let d = told.device(0xF1).build().unwrap();
    assert_eq!(
        d.buffers(),
        &[Buffer { byte_size: 0, alignment: 1, device: 0xF1, reserved: [0; 3] }]
    );
}
