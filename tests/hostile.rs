//! Files that no writer makes: places near the end of 64 bits, sections in odd orders, names and
//! gaps as large as they can be. Made of pieces, with zero bytes in between that nobody stores.

#![allow(clippy::cast_possible_truncation)]

use std::time::{Duration, Instant};

use hurray::container::{
    Access, Extent, File, Flags, Header, OpenOptions, ReadAt, ReadNext, Stream, StreamOptions,
    Trailer,
};
use hurray::descriptor::{Builder, ElementType};
use hurray::validate::{ValidateOptions, validate};
use hurray::{ErrorKind, Result};

/// One key with a bool.
const KV: &[u8] = b"\x01\0\0\0\x03\0key\x05\x01";

/// Bytes at places; zeros elsewhere.
struct Made {
    size: u64,
    alignment: u32,
    first: u64,
    pieces: Vec<(u64, Vec<u8>)>,
}

impl ReadAt for Made {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        let dst_len = dst.len() as u64;
        assert!(offset.checked_add(dst_len).is_some_and(|end| end <= self.size), "{offset}");
        dst.fill(0);
        for (start, piece) in &self.pieces {
            for (&byte, at) in piece.iter().zip(*start..) {
                if let Some(to) = at.checked_sub(offset)
                    && to < dst_len
                {
                    dst[to as usize] = byte;
                }
            }
        }
        Ok(())
    }
}

/// A tensor of an index: name, place of the descriptor and of the data, bytes of data.
type Tensor<'a> = (&'a str, u64, u64, u64);

/// A descriptor of so many bytes in one buffer.
fn descriptor(bytes: u64) -> Vec<u8> {
    Builder::new(ElementType::UINT8, &[bytes]).unwrap().build().unwrap().encode().unwrap()
}

impl Made {
    fn new(size: u64, alignment: u32, first: u64) -> Self {
        let mut header = Header::new(Flags::default(), alignment, None).unwrap().encode();
        header[20..28].copy_from_slice(&first.to_le_bytes());
        Self { size, alignment, first, pieces: vec![(0, header.to_vec())] }
    }

    fn hint(mut self, hint: u64) -> Self {
        self.pieces[0].1[28..36].copy_from_slice(&hint.to_le_bytes());
        self
    }

    /// Index, trailer and the descriptors of the tensors.
    fn with(mut self, index_offset: u64, kv: Option<u64>, tensors: &[Tensor<'_>]) -> Self {
        let mut index = (tensors.len() as u64).to_le_bytes().to_vec();
        for &(name, descriptor_offset, data_offset, length) in tensors {
            let bytes = descriptor(length);
            index.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
            index.extend(name.as_bytes());
            index.extend(descriptor_offset.to_le_bytes());
            index.extend((bytes.len() as u32).to_le_bytes());
            index.extend(data_offset.to_le_bytes());
            index.extend(length.to_le_bytes());
            index.extend([0; 4]);
            self.pieces.push((descriptor_offset, bytes));
        }
        let extent = kv.map(|offset| Extent { offset, length: KV.len() as u32 });
        let index_length = index.len() as u64;
        let trailer = Trailer { index_offset, index_length, kv: extent, crc: None };
        self.pieces.push((index_offset, index));
        self.pieces.extend(kv.map(|offset| (offset, KV.to_vec())));
        self.pieces.push((self.size - 40, trailer.encode().to_vec()));
        self
    }

    fn open(self) -> Result<File> {
        assert_eq!(self.alignment.count_ones(), 1);
        File::open_source(Box::new(self), &OpenOptions::default())
    }

    fn bytes(&self) -> Vec<u8> {
        let mut all = vec![0; self.size as usize];
        self.read_at(0, &mut all).unwrap();
        all
    }
}

fn problems(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    validate(file, ValidateOptions::default(), &mut |problem| found.push(problem.to_string()))
        .unwrap();
    found
}

#[test]
fn places_near_the_end_of_64_bits() {
    let size = u64::MAX;
    let index = (size - 200) & !7;
    let first = index - (4 << 20);
    let data = (first + 4096) & !4095;
    let made = Made::new(size, 4096, first).with(
        index,
        None,
        // The second one's data ends where the tensors do, the third has none there.
        &[
            ("a", first, data, 9),
            ("b", first + 64, index & !4095, index & 4095),
            ("c", first + 128, index, 0),
        ],
    );
    let file = made.open().unwrap();
    for (i, length) in [9, index & 4095, 0].into_iter().enumerate() {
        let tensor = file.tensor(i as u64).unwrap();
        let buffer = tensor.buffer(0).unwrap();
        assert_eq!((buffer.size, buffer.data), (length, None));
        tensor.read(0, 0, &mut vec![1; length as usize]).unwrap();
        assert!(tensor.read(0, u64::MAX, &mut [0; 2]).is_err());
        assert!(tensor.read(0, length, &mut [0]).is_err());
    }
    // Nobody has so much memory.
    let made = Made::new(size, 4096, first).with(index, None, &[("a", first, data, 9)]);
    let options = OpenOptions { access: Access::Memory, ..OpenOptions::default() };
    let error = File::open_source(Box::new(made), &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
    // One byte further than there are.
    let made = Made::new(size, 4096, first).with(index, None, &[("a", first, index, 1)]);
    assert!(matches!(made.open().unwrap_err().kind(), ErrorKind::Bounds { .. }));
}

#[test]
fn sections_in_any_order_behind_the_tensors() {
    for (index, kv) in [(8192, Some(8300)), (8300, Some(8192)), (8192, None)] {
        let (index, kv) = (index & !7, kv.map(|kv: u64| kv & !7));
        let made = Made::new(12_000, 4096, 64);
        let file = made.with(index, kv, &[("a", 64, 4096, 100)]).open().unwrap();
        assert_eq!(file.kv().len(), u64::from(kv.is_some()));
        assert_eq!(file.trailer().tensor_region_end(), 8192);
        // What follows the last section up to the trailer is padding while it is short.
        assert_eq!(problems(&file), [""; 0]);
    }
    // Sections in one another, and between the tensors.
    for (index, kv) in [(8192, Some(8200)), (8200, Some(8192)), (128, None), (8192, Some(128))] {
        let made = Made::new(12_000, 4096, 64).with(index, kv, &[("a", 64, 4096, 100)]);
        assert!(made.open().unwrap_err().kind().is_verdict());
    }
}

#[test]
fn no_tensors_and_a_first_descriptor_anywhere() {
    for first in [64, 72, 4096, 8184] {
        let file = Made::new(9000, 4096, first).with(8192, Some(8208), &[]).open().unwrap();
        assert_eq!((file.tensor_count(), file.kv().len()), (0, 1));
        // From the region's start on it would be a gap.
        assert_eq!(problems(&file).len(), usize::from(8192 - first >= 4096), "{first}");
    }
    for first in [8200, u64::MAX - 7] {
        let error = Made::new(9000, 4096, first).with(8192, None, &[]).open().unwrap_err();
        assert!(error.to_string().contains("first_descriptor_offset"), "{error}");
    }
}

#[test]
fn a_file_of_a_tebibyte_costs_what_it_says() {
    let far = 1 << 40;
    let made = Made::new(far + 10_000, 2 << 20, far - (2 << 20));
    let first = made.first;
    let file = made.with(far + 4096, None, &[("a", first, far, 4096)]).open().unwrap();
    assert_eq!(file.tensor(0).unwrap().buffer(0).unwrap().file_offset, far);
    let mut asked = 0;
    let mut stop = |done, total| {
        assert!(done <= total && total > far - (4 << 20));
        asked += 1;
        asked < 9
    };
    let options = ValidateOptions { progress: Some(&mut stop), ..ValidateOptions::default() };
    let error = validate(&file, options, &mut |problem| panic!("{problem}")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled { .. }), "{error}");
}

#[test]
fn the_longest_names_and_tensors_without_bytes_in_one_place() {
    let names = ["n".repeat(65_535), "m".repeat(65_535), "\0".to_owned()];
    // Descriptors share a place, and the data lies where there is none: at both ends, in a hole.
    let tensors = [(&*names[0], 64, 64, 0), (&*names[1], 128, 8192, 0), (&*names[2], 192, 131, 0)];
    let file = Made::new(150_000, 4096, 64).with(8192, None, &tensors).open().unwrap();
    for (name, i) in names.iter().zip(0..) {
        assert_eq!(file.find(name.as_bytes()), Some(i));
        let tensor = file.tensor(i).unwrap();
        assert_eq!((tensor.name(), tensor.buffer(0).unwrap().size), (&**name, 0));
    }
    let error = file.tensor(3).unwrap_err().to_string();
    assert!(error.len() < 400, "{error}");
}

#[test]
fn tens_of_thousands_of_overlaps_take_no_time() {
    let names: Vec<String> = (0..50_000).map(|k| format!("{k}")).collect();
    let tensors: Vec<Tensor<'_>> = names.iter().map(|name| (&**name, 64, 4096, 4000)).collect();
    let mut made = Made::new(3_000_000, 4096, 64).with(8192, None, &tensors);
    made.pieces.dedup_by(|a, b| a.0 == b.0);
    let bytes = made.bytes();
    let start = Instant::now();
    let file = File::open_bytes(bytes, &OpenOptions::default()).unwrap();
    // Each but the first twice: its descriptor and its data.
    assert_eq!(problems(&file).iter().filter(|p| p.contains("overlap")).count(), 99_998);
    assert!(start.elapsed() < Duration::from_secs(60));
}

struct Bytes(Vec<u8>, usize);

impl ReadNext for Bytes {
    fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        let rest = &self.0[self.1..];
        let count = rest.len().min(dst.len());
        dst[..count].copy_from_slice(&rest[..count]);
        self.1 += count;
        Ok(count)
    }
}

#[test]
fn streams_that_promise_too_much() {
    let made = |hint| {
        let made = Made::new(9000, 4096, 64).with(8192, Some(8300 & !7), &[("a", 64, 4096, 100)]);
        Box::new(Bytes(made.hint(hint).bytes(), 0))
    };
    let options = StreamOptions::default();
    for hint in [0, 2, 1 << 63, u64::MAX - 1] {
        let mut stream = Stream::open(made(hint), &options).unwrap();
        while let Ok(Some(_)) = stream.next() {}
        assert!(stream.finish().unwrap_err().to_string().len() > 10, "{hint}");
    }
    let file = Stream::open(made(1), &options).unwrap().finish().unwrap();
    assert_eq!((file.tensor_count(), file.kv().len()), (1, 1));
    for (hint, limit) in [(1, 0), (u64::MAX, 0), (1, 31), (u64::MAX, 8999)] {
        let options = StreamOptions { memory_limit: limit, ..options };
        let finished = Stream::open(made(hint), &options).and_then(Stream::finish);
        assert!(matches!(finished.unwrap_err().kind(), ErrorKind::Limit { .. }), "{hint} {limit}");
    }
}
