//! Any bytes as a file. The first byte chooses: strict or permissive, in memory or by reads.
//!
//! The checksum of the index is put right first, so that what it covers is reached.

#![no_main]

mod damaged;

use damaged::{Reads, repair};
use hurray::Result;
use hurray::container::{File, KvType, OpenOptions, ReadNext, Stream, StreamOptions};
use hurray::descriptor::Mode;
use hurray::validate::{ValidateOptions, validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let mode = if choice & 1 == 0 { Mode::Strict } else { Mode::Permissive };
    let mut bytes = bytes.to_vec();
    let _ = repair(&mut bytes);
    let options = OpenOptions { mode, ..OpenOptions::default() };
    let opened = match choice & 2 == 0 {
        true => File::open_bytes(bytes.clone(), &options),
        false => File::open_source(Box::new(Reads(bytes.clone())), &options),
    };
    match &opened {
        Ok(file) => walk(file),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    in_order(bytes, mode, opened.as_ref().ok());
});

/// Asks an open file for everything.
fn walk(file: &File) {
    let kv = file.kv();
    for i in 0..kv.len() {
        let entry = kv.get(i).unwrap();
        assert_eq!(kv.find(entry.key().as_bytes()), Some(i));
        for k in 0..entry.count() {
            match entry.kind() {
                KvType::String => drop(entry.string(k).unwrap()),
                KvType::I64 => drop(entry.i64(k).unwrap()),
                KvType::U64 => drop(entry.u64(k).unwrap()),
                KvType::F64 => drop(entry.f64(k).unwrap()),
                KvType::Bool => drop(entry.bool(k).unwrap()),
                KvType::Bytes => drop(entry.bytes(k).unwrap()),
            }
        }
        assert!(entry.u64(entry.count()).is_err());
    }
    let mut refused = false;
    for k in 0..file.tensor_count() {
        let i = file.in_file_order(k).unwrap();
        let entry = file.entry(i).unwrap();
        assert_eq!(file.find(entry.name.as_bytes()), Some(i));
        match file.tensor(i) {
            Err(error) => {
                refused = true;
                assert!(!error.to_string().is_empty());
            }
            Ok(tensor) => {
                for buffer in 0..tensor.buffer_count() {
                    let size = tensor.buffer(buffer).unwrap().size;
                    let mut bytes = vec![0; usize::try_from(size).unwrap()];
                    tensor.read(buffer, 0, &mut bytes).unwrap();
                    assert!(tensor.read(buffer, size, &mut [0]).is_err());
                }
            }
        }
    }
    let mut problems = 0;
    let summary = validate(file, ValidateOptions::default(), &mut |problem| {
        problems += 1;
        assert!(!problem.to_string().is_empty());
    });
    assert_eq!(summary.unwrap().problems, problems);
    assert!(!refused || problems > 0);
}

/// The bytes, a few at a time.
struct Pieces {
    bytes: Vec<u8>,
    at: usize,
}

impl ReadNext for Pieces {
    fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        let left = &self.bytes[self.at..];
        let count = left.len().min(dst.len()).min(1 + self.at % 61);
        dst[..count].copy_from_slice(&left[..count]);
        self.at += count;
        Ok(count)
    }
}

/// Reads the same in order. What comes to its end is what random access opens.
fn in_order(bytes: Vec<u8>, mode: Mode, opened: Option<&File>) {
    let options = StreamOptions { mode, memory_limit: 1 << 20 };
    let pass = || -> Result<(Vec<Vec<u8>>, File)> {
        let mut stream = Stream::open(Box::new(Pieces { bytes, at: 0 }), &options)?;
        let mut descriptors = Vec::new();
        while stream.next()?.is_some() {
            descriptors.push(stream.descriptor_bytes().unwrap().to_vec());
            while stream.read(&mut [0; 100])? > 0 {}
            assert_eq!(stream.remaining(), 0);
        }
        Ok((descriptors, stream.finish()?))
    };
    let Ok((descriptors, at_end)) = pass() else { return };
    let file = opened.expect("a file that was read in order opens");
    assert_eq!(at_end.tensor_count(), file.tensor_count());
    assert_eq!(descriptors.len() as u64, file.tensor_count());
    for (k, descriptor) in (0..).zip(descriptors) {
        let i = file.in_file_order(k).unwrap();
        assert_eq!(at_end.entry(i).unwrap(), file.entry(i).unwrap());
        assert_eq!(file.tensor(i).unwrap().descriptor_bytes(), descriptor);
    }
}
