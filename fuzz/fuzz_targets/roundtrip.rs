//! A string of choices makes descriptors and a file of them: what a builder builds and a writer
//! writes is read back the same.

#![no_main]

#[allow(dead_code)]
#[path = "../../tests/support/mod.rs"]
mod support;

use hurray::descriptor::Mode;
use libfuzzer_sys::fuzz_target;
use support::choices::Choices;
use support::{descriptors, files, invent};

fuzz_target!(|data: &[u8]| {
    if let Ok(built) = invent::descriptor(&mut Choices::new(data)) {
        descriptors::buffers_fit(&built);
        descriptors::comes_back(&built, Mode::Strict);
        descriptors::comes_back(&built, Mode::Permissive);
    }
    files::comes_back(&mut Choices::new(data));
});
