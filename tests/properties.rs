//! What holds for every descriptor and every file, not only for the vectors.

#![allow(missing_docs, reason = "a test program")]

mod support;

use std::collections::BTreeSet;

use hurray::descriptor::Mode;
use proptest::collection::vec;
use proptest::prelude::*;
use support::choices::Choices;
use support::{descriptors, files, invent};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn what_is_built_comes_back(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok(built) = invent::descriptor(&mut Choices::new(&bytes)) {
            descriptors::buffers_fit(&built);
            descriptors::comes_back(&built, Mode::Strict);
            descriptors::comes_back(&built, Mode::Permissive);
        }
    }

    #[test]
    fn one_changed_byte_leaves_an_error_or_buffers_that_fit(
        bytes in vec(any::<u8>(), 0..200),
        change in 1_u8..,
    ) {
        if let Ok(built) = invent::descriptor(&mut Choices::new(&bytes)) {
            let mut encoded = built.encode().unwrap();
            for k in 0..encoded.len() {
                encoded[k] ^= change;
                let strict = descriptors::decode(&encoded, Mode::Strict);
                let permissive = descriptors::decode(&encoded, Mode::Permissive);
                prop_assert!(strict.is_none() || strict == permissive);
                encoded[k] ^= change;
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_is_written_is_read(bytes in vec(any::<u8>(), 0..600)) {
        files::comes_back(&mut Choices::new(&bytes));
    }
}

#[test]
fn the_choices_reach_every_layout_and_scheme() {
    let mut layouts = BTreeSet::new();
    let mut schemes = BTreeSet::new();
    let mut legal = 0;
    for seed in 0..4096_u64 {
        let bytes: Vec<u8> = (0..25).flat_map(|k| mixed(seed * 25 + k).to_le_bytes()).collect();
        let Ok(built) = invent::descriptor(&mut Choices::new(&bytes)) else { continue };
        layouts.insert(built.layout_tag());
        schemes.extend(built.quantization().map(|scheme| scheme.tag().tag()));
        legal += 1;
    }
    assert_eq!((layouts.len(), schemes.len()), (12, 5));
    assert!(legal > 2000, "{legal}");
}

/// Numbers without a pattern (SplitMix64).
fn mixed(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
