//! What holds for every descriptor and every file, not only for the vectors.

#![allow(missing_docs, reason = "a test program")]

mod support;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hurray::container::{ByteSink, File, KvValue, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::{Descriptor, Mode, Need};
use hurray::validate::{ValidateOptions, validate};
use proptest::collection::vec;
use proptest::prelude::*;
use support::choices::Choices;
use support::invent;
use support::rebuild::rebuild;

/// Demands that every buffer holds what the layout and the scheme may ask of it.
fn sizes_fit(descriptor: &Descriptor) {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_built_comes_back(bytes in vec(any::<u8>(), 0..200)) {
        let Ok(built) = invent::descriptor(&mut Choices::new(&bytes)) else { return Ok(()) };
        let encoded = built.encode().unwrap();
        prop_assert_eq!(encoded.len() as u64, built.encoded_len().unwrap());
        prop_assert_eq!(Descriptor::length_of(&encoded).unwrap() as usize, encoded.len());
        for mode in [Mode::Strict, Mode::Permissive] {
            let decoded = Descriptor::decode(&encoded, mode).unwrap();
            prop_assert_eq!(&decoded, &built);
            prop_assert_eq!(decoded.encode().unwrap(), &*encoded);
            prop_assert_eq!(&decoded.try_clone().unwrap(), &built);
        }
        sizes_fit(&built);
        prop_assert_eq!(rebuild(&built).unwrap(), built);
    }

    #[test]
    fn one_changed_byte_leaves_an_error_or_buffers_that_fit(
        bytes in vec(any::<u8>(), 0..200),
        change in 1_u8..,
    ) {
        let Ok(built) = invent::descriptor(&mut Choices::new(&bytes)) else { return Ok(()) };
        let mut encoded = built.encode().unwrap();
        for k in 0..encoded.len() {
            encoded[k] ^= change;
            for mode in [Mode::Strict, Mode::Permissive] {
                match Descriptor::decode(&encoded, mode) {
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                    Ok(decoded) => {
                        sizes_fit(&decoded);
                        let again = decoded.encode().unwrap();
                        prop_assert_eq!(&Descriptor::decode(&again, mode).unwrap(), &decoded);
                        // What is read in strict mode can be built, and the other way round above.
                        if mode == Mode::Strict {
                            prop_assert_eq!(rebuild(&decoded).unwrap(), decoded);
                        }
                    }
                }
            }
            encoded[k] ^= change;
        }
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

/// A sink that somebody can look into.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Memory {
    fn write_all(&mut self, bytes: &[u8]) -> hurray::Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

struct Invented {
    options: WriterOptions,
    kv: Vec<(String, String, Vec<u64>)>,
    tensors: Vec<(String, Descriptor, Vec<Vec<u8>>)>,
}

fn invented(choices: &mut Choices<'_>) -> Invented {
    let mut tensors = Vec::new();
    for k in 0..choices.below(6) {
        let Ok(descriptor) = invent::descriptor(choices) else { continue };
        let sizes: Vec<_> = descriptor.buffers().iter().map(|buffer| buffer.byte_size).collect();
        if sizes.iter().sum::<u64>() > 1 << 17 {
            continue;
        }
        let size = |size: &u64| usize::try_from(*size).unwrap();
        let data: Vec<_> = sizes.iter().map(|bytes| choices.data(size(bytes))).collect();
        let name = format!("{}\u{0}{k}", ["", "é", "layer.0."][choices.below(3)]);
        tensors.push((name, descriptor, data));
    }
    let kv = (0..choices.below(4)).map(|k| {
        let length = choices.below(9);
        (format!("{k}"), "ü".repeat(length), choices.many(length, Choices::word))
    });
    Invented {
        kv: kv.collect(),
        options: WriterOptions {
            alignment: choices.pick(&[4096, 8192]),
            sorted: choices.once_in(2),
            crc: choices.once_in(2),
            count_hint: choices.once_in(2).then_some(tensors.len() as u64),

            lower_alignment: true,
            ..WriterOptions::default()
        },
        tensors,
    }
}

fn written(file: &Invented) -> Vec<u8> {
    let memory = Memory::default();
    let mut writer = Writer::create_sink(Box::new(memory.clone()), &file.options).unwrap();
    for (key, text, numbers) in &file.kv {
        writer.kv(&format!("text {key}"), KvValue::String(text)).unwrap();
        writer.kv(&format!("numbers {key}"), KvValue::U64s(numbers)).unwrap();
    }
    for (name, descriptor, data) in &file.tensors {
        let buffers: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
        writer.tensor(name, descriptor, &buffers).unwrap();
    }
    writer.finish().unwrap();
    let bytes = memory.0.lock().unwrap();
    bytes.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_written_is_read(bytes in vec(any::<u8>(), 0..600)) {
        let wanted = invented(&mut Choices::new(&bytes));
        let file = File::open_bytes(written(&wanted), &OpenOptions::default()).unwrap();
        // Each tensor is invented for itself: a head among them binds what happens to follow.
        let options = ValidateOptions { composites: false, ..ValidateOptions::default() };
        validate(&file, options, &mut |problem| panic!("{problem}")).unwrap();

        prop_assert_eq!(file.header().alignment(), wanted.options.alignment);
        prop_assert_eq!(file.header().flags().sorted(), wanted.options.sorted);
        prop_assert_eq!(file.header().tensor_count_hint(), wanted.options.count_hint);
        prop_assert_eq!(file.kv().len(), 2 * wanted.kv.len() as u64);
        for (key, text, numbers) in &wanted.kv {
            let entry = |key: String| {
                let kv = file.kv();
                kv.get(kv.find(key.as_bytes()).unwrap()).unwrap()
            };
            prop_assert_eq!(entry(format!("text {key}")).string(0).unwrap(), text);
            let found = entry(format!("numbers {key}"));
            let found: Vec<_> = (0..found.count()).map(|k| found.u64(k).unwrap()).collect();
            prop_assert_eq!(&found, numbers);
        }
        prop_assert_eq!(file.tensor_count(), wanted.tensors.len() as u64);
        for (place, (name, descriptor, data)) in (0..).zip(&wanted.tensors) {
            let i = file.find(name.as_bytes()).unwrap();
            prop_assert_eq!(file.in_file_order(place).unwrap(), i);
            let tensor = file.tensor(i).unwrap();
            prop_assert_eq!(tensor.name(), name);
            prop_assert!(same_but_alignment(tensor.descriptor(), descriptor));
            for (k, wanted) in (0..).zip(data) {
                let mut found = vec![0; wanted.len()];
                tensor.read(k, 0, &mut found).unwrap();
                prop_assert_eq!(&found, wanted);
            }
        }
    }
}

/// The writer was told to lower what its file cannot give.
fn same_but_alignment(found: &Descriptor, wanted: &Descriptor) -> bool {
    let lowered = wanted.buffers().iter().any(|buffer| buffer.alignment > 4096);
    lowered || found == wanted
}
