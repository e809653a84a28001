//! Every vector that opens, written again: the same names, keys, descriptors and data, and a file
//! in which validation finds nothing.

mod all_vectors;

use std::sync::{Arc, Mutex};

use hurray::container::{
    ByteSink, File, KvEntry, KvType, KvValue, OpenOptions, Tensor, Writer, WriterOptions,
};
use hurray::validate::{ValidateOptions, validate};
use hurray::{Error, ErrorKind, Result};

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

fn open(bytes: Vec<u8>) -> Result<(File, Vec<Tensor>)> {
    let file = File::open_bytes(bytes, &OpenOptions::default())?;
    let tensors = (0..file.tensor_count()).map(|i| file.tensor(i)).collect::<Result<_>>()?;
    Ok((file, tensors))
}

fn data(tensor: &Tensor) -> Vec<Vec<u8>> {
    let buffer = |k| {
        let mut data = vec![0; usize::try_from(tensor.buffer(k).unwrap().size).unwrap()];
        tensor.read(k, 0, &mut data).unwrap();
        data
    };
    (0..tensor.buffer_count()).map(buffer).collect()
}

fn copy_key(entry: &KvEntry<'_>, writer: &mut Writer) -> Result<()> {
    fn all<T>(entry: &KvEntry<'_>, element: impl Fn(u64) -> Result<T>) -> Result<Vec<T>> {
        (0..entry.count()).map(element).collect()
    }
    let key = entry.key();
    match (entry.kind(), entry.is_array()) {
        (KvType::String, false) => writer.kv(key, KvValue::String(entry.string(0)?)),
        (KvType::I64, false) => writer.kv(key, KvValue::I64(entry.i64(0)?)),
        (KvType::U64, false) => writer.kv(key, KvValue::U64(entry.u64(0)?)),
        (KvType::F64, false) => writer.kv(key, KvValue::F64(entry.f64(0)?)),
        (KvType::Bool, false) => writer.kv(key, KvValue::Bool(entry.bool(0)?)),
        (KvType::Bytes, false) => writer.kv(key, KvValue::Bytes(entry.bytes(0)?)),
        (KvType::String, true) => {
            writer.kv(key, KvValue::Strings(&all(entry, |k| entry.string(k))?))
        }
        (KvType::I64, true) => writer.kv(key, KvValue::I64s(&all(entry, |k| entry.i64(k))?)),
        (KvType::U64, true) => writer.kv(key, KvValue::U64s(&all(entry, |k| entry.u64(k))?)),
        (KvType::F64, true) => writer.kv(key, KvValue::F64s(&all(entry, |k| entry.f64(k))?)),
        (KvType::Bool, true) => writer.kv(key, KvValue::Bools(&all(entry, |k| entry.bool(k))?)),
        (KvType::Bytes, true) => {
            writer.kv(key, KvValue::ByteStrings(&all(entry, |k| entry.bytes(k))?))
        }
    }
}

/// Writes a file again, with the descriptors as bytes or as what they say.
fn rewrite(file: &File, tensors: &[Tensor], raw: bool) -> Result<Vec<u8>> {
    let options = WriterOptions {
        alignment: file.header().alignment(),
        sorted: file.header().flags().sorted(),
        crc: file.header().flags().has_crc(),
        count_hint: Some(file.tensor_count()),
        ..WriterOptions::default()
    };
    let kept = Kept::default();
    let mut writer = Writer::create_sink(Box::new(kept.clone()), &options)?;
    for i in 0..file.kv().len() {
        copy_key(&file.kv().get(i).unwrap(), &mut writer)?;
    }
    for k in 0..file.tensor_count() {
        let i = usize::try_from(file.in_file_order(k)?).unwrap();
        let tensor = &tensors[i];
        let data = data(tensor);
        let buffers: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
        match raw {
            // Some of these composites are torn.
            false if tensor.descriptor().is_composite_head() => {
                writer.tensor_raw(tensor.name(), &tensor.descriptor().encode()?, &[])?;
            }
            true => writer.tensor_raw(tensor.name(), tensor.descriptor_bytes(), &buffers)?,
            false => writer.tensor(tensor.name(), tensor.descriptor(), &buffers)?,
        }
    }
    writer.finish()?;
    let bytes = std::mem::take(&mut *kept.0.lock().unwrap());
    Ok(bytes)
}

fn too_much_alignment(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Limits { what: "alignment", .. })
}

/// What breaks a rule about several tensors, or about the data, breaks it again.
fn lasting_problems(file: &File) -> Vec<ErrorKind> {
    let mut problems = Vec::new();
    let only = ValidateOptions {
        descriptors: false,
        regions: false,
        padding: false,
        ..ValidateOptions::default()
    };
    validate(file, only, &mut |problem| problems.push(*problem.kind())).unwrap();
    problems
}

#[test]
fn every_vector_that_opens() {
    let (mut files, mut written) = (0, 0);
    for path in all_vectors::files() {
        let name = path.file_name().unwrap().display();
        let Ok((file, tensors)) = open(std::fs::read(&path).unwrap()) else { continue };
        files += 1;
        for raw in [false, true] {
            let bytes = match rewrite(&file, &tensors, raw) {
                Ok(bytes) => bytes,
                Err(error) if too_much_alignment(&error) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            let (again, new) = open(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            written += 1;
            assert_eq!(again.tensor_count(), file.tensor_count(), "{name}");
            let rest =
                ValidateOptions { composites: false, content: false, ..ValidateOptions::default() };
            validate(&again, rest, &mut |problem| panic!("{name}: {problem}")).unwrap();
            assert_eq!(lasting_problems(&again), lasting_problems(&file), "{name}");
            for old in &tensors {
                let new =
                    &new[usize::try_from(again.find(old.name().as_bytes()).unwrap()).unwrap()];
                assert!(new.descriptor() == old.descriptor(), "{name}");
                assert!(!raw || new.descriptor_bytes() == old.descriptor_bytes(), "{name}");
                assert!(data(new) == data(old), "{name}");
            }
            let key = |file: &File, i| {
                let entry = file.kv().get(i).unwrap();
                (entry.key().to_owned(), entry.type_name(), entry.count(), entry.data().to_vec())
            };
            let keys = |file: &File| (0..file.kv().len()).map(|i| key(file, i)).collect::<Vec<_>>();
            assert_eq!(keys(&again), keys(&file), "{name}");
            // The order in the file stays, whatever that of the index.
            for k in 0..file.tensor_count() {
                let name = |file: &File| {
                    file.entry(file.in_file_order(k).unwrap()).unwrap().name.to_owned()
                };
                assert_eq!(name(&again), name(&file));
            }
        }
    }
    println!("{files} files, written again {written} times");
    assert!(files > 100 && written > files);
}
