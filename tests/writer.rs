//! What the writer writes, byte by byte, and what it refuses.

#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use std::sync::{Arc, Mutex};

use hurray::container::{ByteSink, File, KvValue, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::{Builder, DYNAMIC, Descriptor, ElementType, Mode};
use hurray::{Error, ErrorKind, Fault};

/// A sink that keeps everything and can be told to fail at its n-th call.
#[derive(Clone, Default)]
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    calls: Arc<Mutex<usize>>,
    fail_at: Option<usize>,
}

impl ByteSink for Kept {
    fn write_all(&mut self, bytes: &[u8]) -> hurray::Result<()> {
        let mut calls = self.calls.lock().unwrap();
        *calls += 1;
        assert!(self.fail_at.is_none_or(|at| *calls <= at), "called again after an error");
        if self.fail_at == Some(*calls) {
            return Err(Error::new(ErrorKind::Callback { what: "sink", code: 5 }));
        }
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

fn written(
    options: &WriterOptions,
    write: impl FnOnce(&mut Writer) -> hurray::Result<()>,
) -> hurray::Result<Vec<u8>> {
    let kept = Kept::default();
    let mut writer = Writer::create_sink(Box::new(kept.clone()), options)?;
    write(&mut writer)?;
    writer.finish()?;
    Ok(std::mem::take(&mut *kept.bytes.lock().unwrap()))
}

fn float32() -> ElementType {
    ElementType::find("float32").unwrap()
}

/// A file put together from the tables of the specification.
#[derive(Default)]
struct ByHand(Vec<u8>);

impl ByHand {
    fn u8(&mut self, values: &[u8]) -> &mut Self {
        self.0.extend_from_slice(values);
        self
    }
    fn u16(&mut self, value: u16) -> &mut Self {
        self.u8(&value.to_le_bytes())
    }
    fn u32(&mut self, value: u32) -> &mut Self {
        self.u8(&value.to_le_bytes())
    }
    fn u64(&mut self, values: &[u64]) -> &mut Self {
        for value in values {
            self.u8(&value.to_le_bytes());
        }
        self
    }
    fn zeros_to(&mut self, offset: usize) -> &mut Self {
        assert!(offset >= self.0.len() && offset - self.0.len() < 4096);
        self.0.resize(offset, 0);
        self
    }
    /// Fixed header, shape and byte_offset of a descriptor.
    fn descriptor(&mut self, length: u32, type_tag: u8, layout: u8, shape: &[u64]) -> &mut Self {
        self.u8(b"HRRY").u8(&[1, 0]).u32(length).u32(0).u8(&[type_tag, layout]);
        self.u32(shape.len() as u32).u64(shape).u64(&[0])
    }
    fn buffer(&mut self, size: u64, alignment: u32) -> &mut Self {
        self.u64(&[size]).u32(alignment).u8(&[0; 4])
    }
    fn name(&mut self, name: &str) -> &mut Self {
        self.u16(name.len() as u16).u8(name.as_bytes())
    }
    fn entry(&mut self, name: &str, at: u64, length: u32, data: [u64; 2]) -> &mut Self {
        self.name(name).u64(&[at]).u32(length).u64(&data).u32(0)
    }
}

/// The bytes of the tensors below, by name.
fn descriptors() -> [Vec<u8>; 4] {
    let mut all: [ByHand; 4] = Default::default();
    // descriptor.md, worked example.
    all[0].descriptor(61, 0x03, 0x01, &[3, 4]).u8(&[1]).buffer(192, 64);
    // A group of one member, without a shape.
    all[1].descriptor(37, 0x03, 0x0B, &[]).u8(&[3, 0, 0, 0]).u32(1).u8(&[0]);
    // CSR, three buffers.
    all[2].descriptor(109, 0x10, 0x07, &[4, 5]).u64(&[5, 0]).u8(&[3]);
    all[2].buffer(5, 64).buffer(40, 64).buffer(40, 4096);
    // Empty: one buffer of no bytes.
    all[3].descriptor(61, 0x01, 0x01, &[0, 7]).u8(&[1]).buffer(0, 1);
    all.map(|bytes| bytes.0)
}

const VALUES: [u8; 5] = [1, 2, 3, 4, 5];

fn columns() -> Vec<u8> {
    [0_u64, 3, 2, 1, 4].iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn rows() -> Vec<u8> {
    [0_u64, 2, 3, 5, 5].iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats() -> Vec<u8> {
    (0..192).collect()
}

/// container.md: header, tensors with their padding, KV, index, trailer.
fn by_hand(sorted: bool) -> Vec<u8> {
    let [dense, head, csr, empty] = descriptors();
    let mut file = ByHand::default();
    let flags = if sorted { 7 } else { 5 };
    file.u8(b"HRRYFILE").u8(&[1, 0, 0, 0]).u32(flags).u32(4096).u64(&[64, 4]).zeros_to(64);
    file.u8(&dense).zeros_to(4096).u8(&floats()).zeros_to(8192);
    // After a head zeros to the next multiple of 8 only.
    file.u8(&head).zeros_to(8232);
    file.u8(&csr).zeros_to(12288).u8(&VALUES).zeros_to(16384).u8(&columns()).zeros_to(20480);
    file.u8(&rows()).zeros_to(24576);
    file.u8(&empty).zeros_to(28672);

    file.u32(6);
    file.name("name").u8(&[1]).u32(5).u8(b"small");
    file.name("a\0b").u8(&[5, 1]);
    file.name("numbers").u8(&[7, 2]).u32(2).u64(&[u64::MAX, 3]);
    file.name("words").u8(&[7, 1]).u32(2).u32(0).u32(2).u8("é".as_bytes());
    file.name("nan").u8(&[4]).u64(&[0x7FF0_0000_0000_0001]);
    file.name("raw").u8(&[6]).u32(2).u8(&[0xFF, 0]);
    let kv_length = file.0.len() - 28672;
    let index_offset = file.0.len().next_multiple_of(8);
    file.zeros_to(index_offset);

    let entries: [(&str, u64, u32, [u64; 2]); 4] = [
        ("weight", 64, 61, [4096, 192]),
        ("group", 8192, 37, [8232, 0]),
        // The padding between its buffers counts, that after the last does not.
        ("sparse", 8232, 109, [12288, 8192 + 40]),
        ("empty", 24576, 61, [28672, 0]),
    ];
    file.u64(&[4]);
    let order = if sorted { [3, 1, 2, 0] } else { [0, 1, 2, 3] };
    for (name, at, length, data) in order.map(|k| entries[k]) {
        file.entry(name, at, length, data);
    }
    let index_length = file.0.len() - index_offset;
    let crc = castagnoli(&file.0[index_offset..]);
    file.u64(&[index_offset as u64, index_length as u64, 28672]).u32(kv_length as u32).u32(crc);
    file.u32(0).u8(b"HRRY");
    file.0
}

/// CRC-32C, bit by bit.
fn castagnoli(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0x82F6_3B78 } else { crc >> 1 }
        })
    })
}

fn keys(writer: &mut Writer) -> hurray::Result<()> {
    writer.kv("name", KvValue::String("small"))?;
    writer.kv("a\0b", KvValue::Bool(true))?;
    writer.kv("numbers", KvValue::I64s(&[-1, 3]))?;
    writer.kv("words", KvValue::Strings(&["", "é"]))?;
    writer.kv("nan", KvValue::F64(f64::from_bits(0x7FF0_0000_0000_0001)))?;
    writer.kv("raw", KvValue::Bytes(&[0xFF, 0]))
}

const HINTED: WriterOptions = WriterOptions {
    alignment: 4096,
    sorted: false,
    crc: true,
    count_hint: Some(4),
    lower_alignment: false,
    sync: true,
};

#[test]
fn the_file_made_by_hand() {
    let [dense, head, csr, empty] = descriptors();
    for sorted in [false, true] {
        let options = WriterOptions { sorted, ..HINTED };
        let file = written(&options, |writer| {
            keys(writer)?;
            writer.tensor_raw("weight", &dense, &[&floats()])?;
            writer.tensor_raw("group", &head, &[])?;
            writer.tensor_raw("sparse", &csr, &[&VALUES, &columns(), &rows()])?;
            writer.tensor_raw("empty", &empty, &[&[]])
        });
        assert!(file.unwrap() == by_hand(sorted));
    }
}

#[test]
fn read_back() {
    for sorted in [false, true] {
        let file = File::open_bytes(by_hand(sorted), &OpenOptions::default()).unwrap();
        let tensor = |name: &str| file.tensor(file.find(name.as_bytes()).unwrap()).unwrap();
        for (name, bytes) in ["weight", "group", "sparse", "empty"].iter().zip(descriptors()) {
            assert_eq!(tensor(name).descriptor_bytes(), bytes);
        }
        let mut data = [0; 192];
        tensor("weight").read(0, 0, &mut data).unwrap();
        assert_eq!(data[..], floats());
        tensor("sparse").read(2, 0, &mut data[..40]).unwrap();
        assert_eq!(data[..40], rows());
        let key = |name: &str| file.kv().get(file.kv().find(name.as_bytes()).unwrap()).unwrap();
        assert_eq!(key("words").string(1).unwrap(), "é");
        assert_eq!(key("numbers").i64(0).unwrap(), -1);
        assert_eq!(key("nan").f64(0).unwrap().to_bits(), 0x7FF0_0000_0000_0001);
        assert!(key("a\0b").bool(0).unwrap());
    }
}

#[test]
fn the_same_from_descriptors_and_in_pieces() {
    let descriptors = descriptors().map(|d| Descriptor::decode(&d, Mode::Strict).unwrap());
    let csr = [&VALUES[..], &columns(), &rows()].concat();
    let data = [floats(), Vec::new(), csr, Vec::new()];
    for piece in [1, 7, 44, 200, 4096] {
        let file = written(&HINTED, |writer| {
            keys(writer)?;
            for ((name, descriptor), data) in
                ["weight", "group", "sparse", "empty"].iter().zip(&descriptors).zip(&data)
            {
                if *name == "group" {
                    writer.composite_begin(name, descriptor, &[&descriptors[2]])?;
                    continue;
                }
                writer.begin(name, descriptor)?;
                for piece in data.chunks(piece) {
                    writer.write(piece)?;
                    writer.write(&[])?;
                }
                writer.end()?;
                if *name == "sparse" {
                    writer.composite_end()?;
                }
            }
            Ok(())
        });
        assert!(file.unwrap() == by_hand(false), "pieces of {piece}");
    }
}

#[test]
fn no_tensors_no_keys_no_checksum() {
    let options = WriterOptions { crc: false, ..WriterOptions::default() };
    let file = written(&options, |_| Ok(())).unwrap();
    let mut expected = ByHand::default();
    expected.u8(b"HRRYFILE").u8(&[1, 0, 0, 0]).u32(0).u32(4096).u64(&[64, u64::MAX]).zeros_to(64);
    expected.u64(&[0]).u64(&[64, 8, 0]).u32(0).u32(0).u32(0).u8(b"HRRY");
    assert_eq!(file, expected.0);
}

/// Every refusal, none of which leaves a trace in the file.
#[test]
fn what_is_refused_and_the_writer_goes_on() {
    let [dense, head, csr, empty] = descriptors();
    let refused = |result: hurray::Result<()>, message: &str| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains(message), "{error}, not {message}");
        assert!(error.fault() == Fault::Caller, "{error}");
    };
    let too_early = |result: hurray::Result<()>, message: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::State { .. }), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    };
    let long = "n".repeat(65_536);
    let file = written(&HINTED, |writer| {
        too_early(writer.write(&[1]), "no tensor is begun");
        too_early(writer.end(), "no tensor is begun");
        refused(writer.kv("", KvValue::Bool(true)), "key_length 0");
        refused(writer.kv(&long, KvValue::Bool(true)), "key_length 65536");
        keys(writer)?;
        refused(writer.kv("raw", KvValue::I64(1)), "key appears twice, first in entry 5");

        let mut broken = dense.clone();
        broken[5] = 0xFF;
        broken[4] = 2;
        refused(writer.tensor_raw("weight", &broken, &[&floats()]), "version_major");
        refused(writer.tensor_raw("weight", &dense[..60], &[&floats()]), "descriptor");
        let longer = [&dense[..], &[0]].concat();
        refused(writer.tensor_raw("weight", &longer, &[&floats()]), "descriptor");
        refused(writer.tensor_raw("", &dense, &[&floats()]), "name_length 0");
        refused(writer.tensor_raw(&long, &dense, &[&floats()]), "name_length 65536");
        refused(writer.tensor_raw("weight", &dense, &[]), "number of buffers is 0, must be 1");
        refused(writer.tensor_raw("weight", &dense, &[&[0; 191]]), "191, must be 192");
        refused(writer.tensor_raw("weight", &dense, &[&[0; 193]]), "193, must be 192");
        let mut aligned = dense.clone();
        aligned[53..57].copy_from_slice(&8192_u32.to_le_bytes());
        refused(writer.tensor_raw("weight", &aligned, &[&floats()]), "alignment 8192");
        let mut huge = dense.clone();
        huge[45..53].copy_from_slice(&(u64::MAX - 4200).to_le_bytes());
        refused(writer.begin_raw("weight", &huge), "does not fit 64 bits");
        huge[45..53].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
        refused(writer.begin_raw("weight", &huge), "file size");
        // Nothing of a tensor is written yet, so keys may still come: the header is not out.
        refused(writer.kv("name", KvValue::I64(1)), "twice");

        writer.tensor_raw("weight", &dense, &[&floats()])?;
        too_early(writer.kv("late", KvValue::I64(1)), "too late");
        refused(writer.tensor_raw("weight", &head, &[]), "twice, first in entry 0");
        let error = writer.tensor_raw("weight", &head, &[]).unwrap_err();
        assert_eq!(error.tensor(), Some(1));
        refused(writer.tensor_raw("group", &head, &[&[]]), "number of buffers is 1, must be 0");
        writer.tensor_raw("group", &head, &[])?;

        writer.begin_raw("sparse", &csr)?;
        too_early(writer.begin_raw("other", &dense), "not ended");
        too_early(writer.tensor_raw("other", &head, &[]), "not ended");
        too_early(writer.kv("late", KvValue::I64(1)), "too late");
        refused(writer.end(), "need 85 bytes, have 0");
        refused(writer.write(&[9; 86]), "range of 86 bytes at 0 leaves the 85 bytes");
        writer.write(&VALUES)?;
        refused(writer.write(&[9; 81]), "range of 81 bytes at 5 leaves the 85 bytes");
        writer.write(&columns())?;
        writer.write(&rows()[..39])?;
        refused(writer.end(), "need 85 bytes, have 84");
        writer.write(&rows()[39..])?;
        refused(writer.write(&[0]), "range of 1 byte at 85");
        writer.end()?;
        writer.tensor_raw("empty", &empty, &[&[]])
    });
    assert!(file.unwrap() == by_hand(false));
}

#[test]
fn the_count_that_was_announced() {
    for (hint, tensors) in [(0, 1), (1, 0), (3, 2)] {
        let options = WriterOptions { count_hint: Some(hint), ..WriterOptions::default() };
        let error = written(&options, |writer| {
            (0..tensors).try_for_each(|k| writer.dense(&k.to_string(), float32(), &[], &[0; 4]))
        });
        let message = format!("tensor count is {tensors}, must be {hint}");
        assert_eq!(error.unwrap_err().to_string(), message);
    }
    let options = WriterOptions { count_hint: Some(u64::MAX), ..WriterOptions::default() };
    assert!(written(&options, |_| Ok(())).is_err());
}

#[test]
fn a_tensor_that_is_not_ended() {
    let error = written(&WriterOptions::default(), |writer| {
        writer.begin("a", &Builder::new(float32(), &[1]).unwrap().build().unwrap())
    });
    assert_eq!(error.unwrap_err().to_string(), "a tensor is begun and not ended");
}

#[test]
fn every_alignment_there_is() {
    for alignment in (12..=21).map(|power| 1 << power) {
        let options = WriterOptions { alignment, ..WriterOptions::default() };
        let file = written(&options, |writer| {
            writer.dense("a", float32(), &[1], &[1, 2, 3, 4])?;
            writer.dense("b", float32(), &[1], &[5, 6, 7, 8])
        });
        let (file, at) = (file.unwrap(), alignment as usize);
        assert_eq!(file[16..20], alignment.to_le_bytes());
        assert_eq!(file[at..at + 4], [1, 2, 3, 4]);
        assert_eq!(&file[2 * at..2 * at + 4], b"HRRY");
        assert_eq!(file[3 * at..3 * at + 4], [5, 6, 7, 8]);
        assert_eq!(file[4 * at..4 * at + 8], 2_u64.to_le_bytes());
    }
    for alignment in [0, 1, 2048, 5000, 4 << 20] {
        let options = WriterOptions { alignment, ..WriterOptions::default() };
        let error = written(&options, |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("data_buffer_alignment"), "{error}");
    }
}

#[test]
fn more_alignment_than_the_file_gives() {
    let mut builder = Builder::new(float32(), &[1]).unwrap();
    let descriptor = builder.alignment(8192).build().unwrap();
    let write = |lower_alignment| {
        let options = WriterOptions { lower_alignment, ..WriterOptions::default() };
        written(&options, |writer| writer.tensor("a", &descriptor, &[&[1, 2, 3, 4]]))
    };
    let error = write(false).unwrap_err().to_string();
    assert_eq!(error, "tensor 0 \"a\": descriptor: buffer 0: alignment 8192 is not in 1 to 4096");
    let file = write(true).unwrap();
    let read = Descriptor::decode(&file[64..], Mode::Strict).unwrap();
    assert_eq!(read.buffers()[0].alignment, 4096);
}

#[test]
fn dense_clears_bits_of_no_element_and_no_others() {
    let bool = ElementType::find("bool").unwrap();
    let file = written(&WriterOptions::default(), |writer| {
        let error = writer.dense("b", bool, &[11], &[0xFF]).unwrap_err();
        assert!(error.to_string().contains("is 1, must be 2"), "{error}");
        writer.dense("b", bool, &[11], &[0xFF, 0xFF])?;
        // A NaN with a payload, and a subnormal.
        writer.dense("f", float32(), &[2], &[1, 0, 0x80, 0x7F, 1, 0, 0, 0])
    });
    let file = file.unwrap();
    assert_eq!(file[4096..4098], [0xFF, 0x07]);
    assert_eq!(file[12288..12296], [1, 0, 0x80, 0x7F, 1, 0, 0, 0]);
}

#[test]
fn what_dense_is_not_for() {
    let file = written(&WriterOptions::default(), |writer| {
        for (element_type, shape) in [
            (float32(), &[DYNAMIC][..]),
            (float32(), &[1 << 40, 1 << 40]),
            (float32(), &[1; 65]),
            // Private, and not known.
            (ElementType::from_tag(0xF0).unwrap(), &[1]),
            (ElementType::from_tag(0x70).unwrap(), &[1]),
        ] {
            let error = writer.dense("a", element_type, shape, &[0; 4]).unwrap_err();
            assert!(error.fault() == Fault::Caller, "{error}");
        }
        Ok(())
    });
    assert!(file.unwrap() == written(&WriterOptions::default(), |_| Ok(())).unwrap());
}

#[test]
fn large_and_small_pieces_mixed() {
    let large: Vec<u8> = (0..1_000_003_u32).map(|k| (k % 251) as u8).collect();
    let uint8 = ElementType::find("uint8").unwrap();
    let file = written(&WriterOptions::default(), |writer| {
        for k in 0..40_usize {
            let data = &large[k..][..[3, 999_000, 65_535, 65_536, 262_144][k % 5]];
            writer.dense(&k.to_string(), uint8, &[data.len() as u64], data)?;
        }
        Ok(())
    });
    let file = file.unwrap();
    let mut at = 64;
    for k in 0..40_usize {
        let length = [3, 999_000, 65_535, 65_536, 262_144][k % 5];
        assert_eq!(&file[at..at + 4], b"HRRY");
        let data = (at + 1).next_multiple_of(4096);
        assert!(file[data..data + length] == large[k..][..length]);
        at = (data + length).next_multiple_of(4096);
    }
}

#[test]
fn a_sink_that_fails_at_any_call() {
    let large = vec![7; 100_000];
    let uint8 = ElementType::find("uint8").unwrap();
    let write = |fail_at| -> (usize, hurray::Result<()>) {
        let kept = Kept { fail_at, ..Kept::default() };
        let mut writer =
            Writer::create_sink(Box::new(kept.clone()), &WriterOptions::default()).unwrap();
        let mut failed = None;
        for k in 0..8 {
            let result = writer.dense(&k.to_string(), uint8, &[100_000], &large);
            match (&failed, result) {
                (None, Err(error)) => failed = Some(error),
                (Some(_), result) => {
                    let error = result.unwrap_err();
                    assert!(error.to_string().contains("failed before"), "{error}");
                    assert!(writer.write(&[]).is_err() && writer.end().is_err());
                    assert!(writer.kv("k", KvValue::Bool(true)).is_err());
                }
                (None, Ok(())) => {}
            }
        }
        let finished = writer.finish();
        let calls = *kept.calls.lock().unwrap();
        match failed {
            Some(error) => {
                assert!(finished.is_err());
                (calls, Err(error))
            }
            None => (calls, finished),
        }
    };
    let (calls, whole) = write(None);
    whole.unwrap();
    assert!(calls > 8);
    for at in 1..=calls {
        let (reached, result) = write(Some(at));
        assert_eq!(reached, at);
        assert_eq!(*result.unwrap_err().kind(), ErrorKind::Callback { what: "sink", code: 5 });
    }
    write(Some(calls + 1)).1.unwrap();
}
