//! Any bytes as a descriptor, strict or permissive by the first: an error, or a descriptor whose
//! buffers are large enough and that comes back from its canonical bytes and from a builder.

#![no_main]

#[allow(dead_code)]
#[path = "../../tests/support/mod.rs"]
mod support;

use hurray::descriptor::Mode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let mode = if choice & 1 == 0 { Mode::Strict } else { Mode::Permissive };
    let Some(descriptor) = support::descriptors::decode(bytes, mode) else { return };
    // What strict mode takes, permissive mode takes as the same.
    if mode == Mode::Strict {
        let permissive = support::descriptors::decode(bytes, Mode::Permissive);
        assert_eq!(permissive.as_ref(), Some(&descriptor));
    }
    let _ = descriptor.element_count();
    let _ = descriptor.data_length(4096);
    let _ = descriptor.buffer_offsets(4096, 4096);
    let _ = descriptor.memory_bytes();
});
