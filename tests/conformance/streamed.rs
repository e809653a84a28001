//! Reading in order, in pieces of any size, gives what random access gives.

use hurray::Result;
use hurray::container::{File, ReadNext, Stream, StreamOptions};
use libtest_mimic::Trial;

use crate::container;
use crate::vectors::Vector;
use crate::verdicts::{Call, judge, open};

/// The bytes of a file, handed out a few at a time.
struct Pieces {
    bytes: Vec<u8>,
    at: usize,
    size: usize,
}

impl ReadNext for Pieces {
    fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        let left = &self.bytes[self.at..];
        let count = left.len().min(self.size).min(dst.len());
        dst[..count].copy_from_slice(&left[..count]);
        self.at += count;
        Ok(count)
    }
}

pub(crate) fn trials(vectors: &[Vector]) -> Vec<Trial> {
    let files = vectors.iter().filter(|vector| !vector.is_descriptor()).cloned();
    files
        .map(|vector| {
            Trial::test(format!("streamed/{}", vector.id), move || {
                for size in [1, 7, 1 << 20] {
                    check(&vector, size);
                }
                Ok(())
            })
        })
        .collect()
}

fn check(vector: &Vector, size: usize) {
    let source = Pieces { bytes: vector.bytes(), at: 0, size };
    let result = Stream::open(Box::new(source), &StreamOptions::default()).and_then(pass);
    match judge(vector) {
        // What only a look at padding, content or several tensors says passes here.
        Ok(()) | Err((Call::Validate, _)) => {
            let file = open(&vector.path).unwrap();
            let hint = file.header().tensor_count_hint();
            if hint.is_some_and(|hint| hint != file.tensor_count()) {
                // Random access ignores the count of tensors, a reader in order goes by it.
                assert!(result.is_err());
                return;
            }
            let (tensors, at_end) = result.unwrap();
            same(&file, &tensors, &at_end);
        }
        Err(_) => assert!(result.is_err()),
    }
}

/// Descriptor and data, as they stand in the file.
type Passed = (Vec<u8>, Vec<u8>);

fn pass(mut stream: Stream) -> Result<(Vec<Passed>, File)> {
    let mut tensors = Vec::new();
    while stream.next()?.is_some() {
        let descriptor = stream.descriptor_bytes().unwrap().to_vec();
        let mut data = vec![0; usize::try_from(stream.remaining()).unwrap()];
        let mut at = 0;
        while at < data.len() {
            at += stream.read(&mut data[at..])?;
        }
        assert_eq!(stream.read(&mut [0])?, 0);
        tensors.push((descriptor, data));
    }
    Ok((tensors, stream.finish()?))
}

fn same(file: &File, passed: &[Passed], at_end: &File) {
    assert_eq!(container::header(at_end), container::header(file));
    assert_eq!(container::trailer(at_end), container::trailer(file));
    assert_eq!(container::kv(at_end), container::kv(file));
    assert_eq!(at_end.tensor_count(), file.tensor_count());
    for i in 0..file.tensor_count() {
        assert_eq!(at_end.entry(i).unwrap(), file.entry(i).unwrap());
    }
    assert_eq!(passed.len() as u64, file.tensor_count());
    for (k, (descriptor, data)) in (0..).zip(passed) {
        let tensor = file.tensor(file.in_file_order(k).unwrap()).unwrap();
        assert_eq!(descriptor, tensor.descriptor_bytes());
        let mut wanted = Vec::new();
        for buffer in 0..tensor.buffer_count() {
            let size = usize::try_from(tensor.buffer(buffer).unwrap().size).unwrap();
            let start = wanted.len();
            wanted.resize(start + size, 0);
            tensor.read(buffer, 0, &mut wanted[start..]).unwrap();
        }
        assert!(data == &wanted, "data of tensor {k}");
    }
}
