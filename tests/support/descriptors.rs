//! What holds for every descriptor.

use hurray::descriptor::{Descriptor, Mode, Need};

use super::rebuild::rebuild;

/// Demands that every buffer holds what the layout and the scheme may ask of it.
pub(crate) fn buffers_fit(descriptor: &Descriptor) {
    for (k, buffer) in (0..).zip(descriptor.buffers()) {
        let size = buffer.byte_size;
        match descriptor.need(k).unwrap() {
            Need::AtLeast(least) => assert!(size >= least, "buffer {k}: {size} of {least}"),
            Need::Exactly(exact) => assert_eq!(size, exact, "buffer {k}"),
            Need::Content { least, unit } => assert!(size >= least && size.is_multiple_of(unit)),
            Need::Unknown => {}
        }
    }
}

/// Demands that the canonical bytes of a descriptor, taken in `mode`, give it back, and that a
/// builder can make what strict mode accepts.
pub(crate) fn comes_back(descriptor: &Descriptor, mode: Mode) {
    let bytes = descriptor.encode().unwrap();
    assert_eq!(bytes.len() as u64, descriptor.encoded_len().unwrap());
    assert_eq!(bytes.len() as u64, u64::from(Descriptor::length_of(&bytes).unwrap()));
    let again = Descriptor::decode(&bytes, mode).unwrap();
    assert_eq!(&again, descriptor);
    assert_eq!(again.encode().unwrap(), bytes);
    assert_eq!(&descriptor.try_clone().unwrap(), descriptor);
    if mode == Mode::Strict {
        assert_eq!(&rebuild(descriptor).unwrap(), descriptor);
    }
}

/// Decodes any bytes: an error that says something, or a descriptor for which all of this holds.
pub(crate) fn decode(bytes: &[u8], mode: Mode) -> Option<Descriptor> {
    match Descriptor::decode(bytes, mode) {
        Ok(descriptor) => {
            buffers_fit(&descriptor);
            comes_back(&descriptor, mode);
            Some(descriptor)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}
