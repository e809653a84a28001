//! Files made up from a string of choices, written, and read again.

use std::sync::{Arc, Mutex};

use hurray::container::{ByteSink, File, KvValue, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::Descriptor;
use hurray::validate::{ValidateOptions, validate};

use super::choices::Choices;
use super::invent;

/// Larger tensors are left out.
const LARGEST: u64 = 1 << 17;

struct Invented {
    options: WriterOptions,
    kv: Vec<(String, String, Vec<u64>)>,
    tensors: Vec<(String, Descriptor, Vec<Vec<u8>>)>,
}

/// Demands that a file of these choices is valid and says what was written.
pub(crate) fn comes_back(choices: &mut Choices<'_>) {
    let wanted = invented(choices);
    let file = File::open_bytes(written(&wanted), &OpenOptions::default()).unwrap();
    // Each tensor is invented for itself: a head among them binds what happens to follow. And its
    // data is any bytes.
    let options =
        ValidateOptions { composites: false, content: false, ..ValidateOptions::default() };
    validate(&file, options, &mut |problem| panic!("{problem}")).unwrap();

    let header = file.header();
    assert_eq!(header.alignment(), wanted.options.alignment);
    assert_eq!(header.flags().sorted(), wanted.options.sorted);
    assert_eq!(header.flags().has_crc(), wanted.options.crc);
    assert_eq!(header.tensor_count_hint(), wanted.options.count_hint);
    same_kv(&file, &wanted);
    same_tensors(&file, &wanted);
}

fn invented(choices: &mut Choices<'_>) -> Invented {
    let mut tensors = Vec::new();
    for k in 0..choices.below(6) {
        let Ok(descriptor) = invent::descriptor(choices) else { continue };
        let sizes: Vec<_> = descriptor.buffers().iter().map(|buffer| buffer.byte_size).collect();
        let total = sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size));
        if total > LARGEST {
            continue;
        }
        let size = |size: &u64| usize::try_from(*size).unwrap();
        let data = sizes.iter().map(|bytes| choices.data(size(bytes))).collect();
        let name = format!("{}\u{0}{k}", choices.pick(&["", "é", "layer.0."]));
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

/// A sink that somebody can look into.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Memory {
    fn write_all(&mut self, bytes: &[u8]) -> hurray::Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
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
        if descriptor.is_composite_head() {
            // What follows are not its members.
            writer.tensor_raw(name, &descriptor.encode().unwrap(), &buffers).unwrap();
        } else {
            writer.tensor(name, descriptor, &buffers).unwrap();
        }
    }
    writer.finish().unwrap();
    let bytes = memory.0.lock().unwrap();
    bytes.clone()
}

fn same_kv(file: &File, wanted: &Invented) {
    let kv = file.kv();
    assert_eq!(kv.len(), 2 * wanted.kv.len() as u64);
    let entry = |key: String| kv.get(kv.find(key.as_bytes()).unwrap()).unwrap();
    for (key, text, numbers) in &wanted.kv {
        assert_eq!(entry(format!("text {key}")).string(0).unwrap(), text);
        let found = entry(format!("numbers {key}"));
        let found: Vec<_> = (0..found.count()).map(|k| found.u64(k).unwrap()).collect();
        assert_eq!(&found, numbers);
    }
}

fn same_tensors(file: &File, wanted: &Invented) {
    assert_eq!(file.tensor_count(), wanted.tensors.len() as u64);
    for (place, (name, descriptor, data)) in (0..).zip(&wanted.tensors) {
        let i = file.find(name.as_bytes()).unwrap();
        assert_eq!(file.in_file_order(place).unwrap(), i);
        let tensor = file.tensor(i).unwrap();
        assert_eq!(tensor.name(), name);
        // The writer was told to lower alignments that its file cannot give.
        let alignment = wanted.options.alignment;
        let lowered = descriptor.buffers().iter().any(|buffer| buffer.alignment > alignment);
        assert!(lowered || tensor.descriptor() == descriptor);
        for (k, wanted) in (0..).zip(data) {
            let mut found = vec![0; wanted.len()];
            tensor.read(k, 0, &mut found).unwrap();
            assert!(&found == wanted, "buffer {k} of {name:?}");
        }
    }
}
