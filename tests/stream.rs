//! Reading in order says the same as random access, however small the pieces that come in.

mod all_vectors;

use std::fmt::Write as _;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use hurray::container::{
    ByteSink, File, KvValue, OpenOptions, ReadNext, Stream, StreamOptions, Writer, WriterOptions,
};
use hurray::descriptor::{ElementType, Mode};
use hurray::{Error, ErrorKind, Result};

/// Bytes that come in pieces of one size.
struct Pieces {
    bytes: Arc<Vec<u8>>,
    at: usize,
    piece: usize,
    ended: bool,
}

impl ReadNext for Pieces {
    fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        assert!(!dst.is_empty() && !self.ended, "asked for nothing, or after the end");
        let rest = &self.bytes[self.at..];
        let count = rest.len().min(dst.len()).min(self.piece);
        dst[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        self.ended = count == 0;
        Ok(count)
    }
}

fn stream(bytes: &Arc<Vec<u8>>, piece: usize, options: &StreamOptions) -> Result<Stream> {
    let bytes = bytes.clone();
    Stream::open(Box::new(Pieces { bytes, at: 0, piece, ended: false }), options)
}

/// What is known of a file.
#[derive(Debug, PartialEq)]
struct Known {
    hint: Option<u64>,
    /// Descriptor bytes and data of every tensor, in the order of the file.
    tensors: Vec<(Vec<u8>, Vec<u8>)>,
    /// Header, trailer, names and places.
    index: String,
    kv: String,
}

impl Known {
    fn new(file: &File, tensors: Vec<(Vec<u8>, Vec<u8>)>) -> Self {
        let (index, kv) = names(file);
        Self { hint: file.header().tensor_count_hint(), tensors, index, kv }
    }

    fn count(&self) -> u64 {
        self.tensors.len() as u64
    }
}

fn names(file: &File) -> (String, String) {
    let mut index = format!("{:?} {:?}", file.header(), file.trailer());
    for i in 0..file.tensor_count() {
        write!(index, "\n{:?}", file.entry(i).unwrap()).unwrap();
    }
    let kv: Vec<_> = (0..file.kv().len()).map(|i| file.kv().get(i).unwrap()).collect();
    let kv = kv.iter().map(|e| format!("{:?}: {} {:?}", e.key(), e.type_name(), e.data()));
    (index, kv.collect())
}

fn by_random_access(bytes: &[u8], mode: Mode) -> Result<Known> {
    let options = OpenOptions { mode, ..OpenOptions::default() };
    let file = File::open_bytes(bytes.to_vec(), &options)?;
    let mut tensors = Vec::new();
    for k in 0..file.tensor_count() {
        let tensor = file.tensor(file.in_file_order(k)?)?;
        let mut data = Vec::new();
        for k in 0..tensor.buffer_count() {
            let start = data.len();
            data.resize(start + usize::try_from(tensor.buffer(k)?.size).unwrap(), 0);
            tensor.read(k, 0, &mut data[start..])?;
        }
        tensors.push((tensor.descriptor_bytes().to_vec(), data));
    }
    Ok(Known::new(&file, tensors))
}

/// Reads everything, `step` bytes at a time.
fn in_order(bytes: &Arc<Vec<u8>>, piece: usize, step: usize, mode: Mode) -> Result<Known> {
    let options = StreamOptions { mode, ..StreamOptions::default() };
    let mut stream = stream(bytes, piece, &options)?;
    let mut tensors = Vec::new();
    let mut room = vec![0; step];
    while stream.next()?.is_some() {
        let descriptor = stream.descriptor_bytes().unwrap().to_vec();
        let mut data = Vec::new();
        while stream.remaining() > 0 {
            let count = stream.read(&mut room)?;
            assert!(count == step || stream.remaining() == 0);
            data.extend_from_slice(&room[..count]);
        }
        assert_eq!(stream.read(&mut room)?, 0);
        tensors.push((descriptor, data));
    }
    assert!(stream.next()?.is_none() && stream.descriptor().is_none());
    Ok(Known::new(&stream.finish()?, tensors))
}

fn with_hint(bytes: &[u8], hint: u64) -> Arc<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    bytes[28..36].copy_from_slice(&hint.to_le_bytes());
    Arc::new(bytes)
}

/// Vectors that a reader in order cannot follow when they say how many tensors there are, while
/// random access takes everything from the index and looks at no padding.
const NOT_IN_ORDER: [&str; 4] = [
    // The next descriptor is not behind zero bytes only.
    "padding_after_data.hrry",
    // Two tensors share their data.
    "mut_I_DATA_OVERLAP.hrry",
    // Permissive: nobody knows where the data of an unknown layout ends.
    "mut_D_LAYOUT_0C.hrry",
    "mut_D_LAYOUT_80.hrry",
];

#[test]
fn every_vector_as_by_random_access() {
    let (mut accepted, mut rejected, mut wrong_hints) = (0, 0, Vec::new());
    for path in all_vectors::files() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = Arc::new(std::fs::read(&path).unwrap());
        for mode in [Mode::Strict, Mode::Permissive] {
            let expected = by_random_access(&bytes, mode);
            for (piece, step) in [(1, 1000), (7, 13), (1 << 20, 1 << 20)] {
                let found = in_order(&bytes, piece, step, mode);
                let Ok(expected) = &expected else {
                    assert!(found.is_err(), "{name}");
                    continue;
                };
                if expected.hint.is_some_and(|hint| hint != expected.count()) {
                    found.unwrap_err();
                    wrong_hints.push(name.to_owned());
                } else if expected.hint.is_some() && NOT_IN_ORDER.contains(&name) {
                    found.unwrap_err();
                } else {
                    assert!(*expected == found.unwrap(), "{name}");
                }
            }
            let Ok(expected) = expected else {
                rejected += 1;
                continue;
            };
            accepted += 1;
            for hint in [expected.count(), u64::MAX] {
                let bytes = with_hint(&bytes, hint);
                let found = in_order(&bytes, 4096, 5000, mode);
                if hint != u64::MAX && NOT_IN_ORDER.contains(&name) {
                    found.unwrap_err();
                } else {
                    assert!(by_random_access(&bytes, mode).unwrap() == found.unwrap(), "{name}");
                }
            }
            for hint in [expected.count() + 1, expected.count().wrapping_sub(1)] {
                let found = in_order(&with_hint(&bytes, hint), 4096, 5000, mode);
                assert_eq!(found.is_ok(), hint == u64::MAX, "{name}");
            }
        }
    }
    wrong_hints.dedup();
    println!("{accepted} accepted, {rejected} rejected, wrong hints: {wrong_hints:?}");
    assert!(wrong_hints.contains(&"mut_H_HINT_WRONG.hrry".to_owned()));
}

/// A file with keys and three tensors, one of them empty, and a number of tensors announced.
fn small(count_hint: Option<u64>) -> Arc<Vec<u8>> {
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);
    impl ByteSink for Kept {
        fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(())
        }
    }
    let uint8 = ElementType::find("uint8").unwrap();
    let options = WriterOptions { count_hint, ..WriterOptions::default() };
    let kept = Kept::default();
    let mut writer = Writer::create_sink(Box::new(kept.clone()), &options).unwrap();
    writer.kv("key", KvValue::String("value")).unwrap();
    writer.dense("first", uint8, &[5], &[1, 2, 3, 4, 5]).unwrap();
    writer.dense("empty", uint8, &[0], &[]).unwrap();
    writer.dense("last", uint8, &[70], &[9; 70]).unwrap();
    writer.finish().unwrap();
    let bytes = std::mem::take(&mut *kept.0.lock().unwrap());
    Arc::new(bytes)
}

#[test]
fn data_that_is_left_is_stepped_over() {
    for hint in [None, Some(3)] {
        let bytes = small(hint);
        for reads in 0..4 {
            let mut stream = stream(&bytes, 7, &StreamOptions::default()).unwrap();
            assert_eq!(stream.read(&mut [0; 4]).unwrap(), 0, "before the first tensor");
            for _ in 0..reads {
                stream.next().unwrap().unwrap();
                stream.read(&mut [0; 4]).unwrap();
            }
            let file = stream.finish().unwrap();
            assert_eq!(file.find(b"last"), Some(2));
            assert_eq!(file.kv().get(0).unwrap().string(0).unwrap(), "value");
            // Of a file in passing only the index stays.
            match hint {
                None => assert_eq!(file.tensor(0).unwrap().descriptor().shape(), [5]),
                Some(_) => {
                    let error = file.tensor(0).unwrap_err();
                    assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
                }
            }
        }
    }
}

#[test]
fn every_truncation_is_an_error() {
    for hint in [None, Some(3)] {
        let bytes = small(hint);
        for length in (0..bytes.len()).filter(|k| k % 97 == 0 || *k < 200 || k % 4096 < 200) {
            let short = Arc::new(bytes[..length].to_vec());
            let error = in_order(&short, 1000, 50, Mode::Strict).unwrap_err();
            assert!(!matches!(error.kind(), ErrorKind::State { .. }), "{length}: {error}");
        }
        let longer = Arc::new([&bytes[..], &[0; 8]].concat());
        in_order(&longer, 1000, 50, Mode::Strict).unwrap_err();
    }
}

#[test]
fn the_callers_limit() {
    let is_limit = |result: Result<Stream>| {
        let result = result.and_then(Stream::finish);
        matches!(result, Err(e) if matches!(e.kind(), ErrorKind::Limit { .. }))
    };
    let bytes = small(None);
    let with = |limit| StreamOptions { memory_limit: limit, ..StreamOptions::default() };
    let size = bytes.len() as u64;
    assert!(is_limit(stream(&bytes, 100, &with(size - 1))));
    stream(&bytes, 100, &with(size)).unwrap().finish().unwrap();

    // In passing only what follows the tensors counts, and the longest descriptor.
    let bytes = small(Some(3));
    let tail = bytes.len() as u64 - (16384 + 70);
    assert!(is_limit(stream(&bytes, 100, &with(tail - 1))));
    stream(&bytes, 100, &with(tail)).unwrap().finish().unwrap();
    assert!(is_limit(stream(&bytes, 100, &with(20))));

    // A length that is only claimed takes no memory.
    let mut claimed = bytes.to_vec();
    claimed[70..74].copy_from_slice(&u32::MAX.to_le_bytes());
    let options = with(u64::MAX);
    let mut claimed = stream(&Arc::new(claimed), 100, &options).unwrap();
    let error = claimed.next().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
    let error = claimed.next().unwrap_err();
    assert!(error.to_string().contains("failed before"), "{error}");
    assert!(claimed.finish().is_err());
}

#[test]
fn a_source_that_fails() {
    struct Failing(Pieces, usize);
    impl ReadNext for Failing {
        fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
            match self.0.at >= self.1 {
                true => Err(Error::new(ErrorKind::Callback { what: "source", code: 5 })),
                false => self.0.read(dst),
            }
        }
    }
    for hint in [None, Some(3)] {
        let bytes = small(hint);
        for at in [0, 63, 64, 70, 4097, 9000, 20_000, bytes.len() - 1, bytes.len()] {
            let pieces = Pieces { bytes: bytes.clone(), at: 0, piece: 10, ended: false };
            let stream = Stream::open(Box::new(Failing(pieces, at)), &StreamOptions::default());
            let error = stream.and_then(Stream::finish).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Callback { what: "source", code: 5 }, "{at}");
        }
    }
    struct Boasting;
    impl ReadNext for Boasting {
        fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
            Ok(dst.len() + 1)
        }
    }
    assert!(Stream::open(Box::new(Boasting), &StreamOptions::default()).is_err());
}

#[test]
fn pipes_and_sockets() {
    let bytes = small(Some(3));
    let mut ends: Vec<(std::os::fd::OwnedFd, std::os::fd::OwnedFd)> = Vec::new();
    let (reader, sender) = std::io::pipe().unwrap();
    ends.push((reader.into(), sender.into()));
    let (reader, sender) = std::os::unix::net::UnixStream::pair().unwrap();
    // Where there is nothing to read yet, the stream waits.
    reader.set_nonblocking(true).unwrap();
    ends.push((reader.into(), sender.into()));
    for (reader, sender) in ends {
        let sent = bytes.clone();
        let sending = std::thread::spawn(move || {
            let mut sender = std::fs::File::from(sender);
            for piece in sent.chunks(3000) {
                std::thread::sleep(std::time::Duration::from_millis(1));
                std::io::Write::write_all(&mut sender, piece).unwrap();
            }
        });
        let mut stream = Stream::open_fd(reader.as_fd(), &StreamOptions::default()).unwrap();
        assert_eq!(stream.next().unwrap().unwrap().shape(), [5]);
        let mut data = [0; 8];
        assert_eq!(stream.read(&mut data).unwrap(), 5);
        assert_eq!(data, [1, 2, 3, 4, 5, 0, 0, 0]);
        assert_eq!(stream.finish().unwrap().tensor_count(), 3);
        sending.join().unwrap();
    }
}
