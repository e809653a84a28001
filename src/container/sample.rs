//! Small files for tests, put together by hand so that they do not lean on the writer.

use super::header::{Flags, Header};
use super::trailer::{Extent, Trailer};

/// A file, and where its parts ended up.
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    /// For each tensor: name, descriptor_offset, data_offset, data_length.
    pub(crate) tensors: Vec<(String, u64, u64, u64)>,
    pub(crate) index_offset: u64,
}

/// uint8 [size], row-major, one buffer.
pub(crate) fn descriptor(size: u64) -> Vec<u8> {
    let mut bytes =
        b"HRRY\x01\x00\x35\x00\x00\x00\x00\x00\x00\x00\x11\x01\x01\x00\x00\x00".to_vec();
    bytes.extend(size.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.push(1);
    bytes.extend(size.to_le_bytes());
    bytes.extend([64, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// Byte `k` of tensor `i`.
pub(crate) fn value(i: usize, k: u64) -> u8 {
    u8::try_from((k.wrapping_mul(31) + i as u64 * 7) % 251).unwrap() + 1
}

fn pad(bytes: &mut Vec<u8>, alignment: u32) {
    bytes.resize(bytes.len().next_multiple_of(alignment as usize), 0);
}

/// uint8 tensors by name and bytes, one KV entry, no checksum.
pub(crate) fn sample<'n>(tensors: &[(&'n str, u64)], alignment: u32) -> Sample {
    let data = |(i, &(name, size)): (usize, &(&'n str, u64))| {
        (name, descriptor(size), (0..size).map(|k| value(i, k)).collect())
    };
    sample_of(&tensors.iter().enumerate().map(data).collect::<Vec<_>>(), alignment)
}

/// Tensors by name, descriptor and all of their data, one KV entry, no checksum.
pub(crate) fn sample_of(tensors: &[(&str, Vec<u8>, Vec<u8>)], alignment: u32) -> Sample {
    let header = Header::new(Flags::new(true, false, false), alignment, None).unwrap();
    let mut bytes = header.encode().to_vec();
    let mut places = Vec::new();
    for (name, descriptor, data) in tensors {
        let descriptor_offset = bytes.len() as u64;
        bytes.extend(descriptor);
        pad(&mut bytes, alignment);
        let data_offset = bytes.len() as u64;
        bytes.extend(data);
        pad(&mut bytes, alignment);
        places.push(((*name).to_owned(), descriptor_offset, data_offset, data.len() as u64));
    }
    let kv = Extent { offset: bytes.len() as u64, length: 11 };
    bytes.extend(b"\x01\0\0\0\x03\0key\x05\x01");
    pad(&mut bytes, 8);
    let index_offset = bytes.len() as u64;
    bytes.extend((places.len() as u64).to_le_bytes());
    for ((name, descriptor_offset, data_offset, data_length), (_, descriptor, _)) in
        places.iter().zip(tensors)
    {
        bytes.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(descriptor_offset.to_le_bytes());
        bytes.extend(u32::try_from(descriptor.len()).unwrap().to_le_bytes());
        bytes.extend(data_offset.to_le_bytes());
        bytes.extend(data_length.to_le_bytes());
        bytes.extend([0; 4]);
    }
    let index_length = bytes.len() as u64 - index_offset;
    let trailer = Trailer { index_offset, index_length, kv: Some(kv), crc: None };
    bytes.extend(trailer.encode());
    Sample { bytes, tensors: places, index_offset }
}

impl Sample {
    /// Overwrites bytes.
    pub(crate) fn patch(&mut self, at: u64, with: &[u8]) {
        let at = usize::try_from(at).unwrap();
        self.bytes[at..at + with.len()].copy_from_slice(with);
    }

    /// Where the numbers of the index entry of tensor `i` begin, behind its name.
    pub(crate) fn entry(&self, i: usize) -> u64 {
        let names = self.tensors.iter().take(i + 1).map(|(name, ..)| name.len() as u64);
        self.index_offset + 8 + names.sum::<u64>() + 2 * (i as u64 + 1) + 32 * i as u64
    }
}

/// A file of three tensors: `b`, `a` and `empty`.
pub(crate) fn three() -> Sample {
    sample(&[("b", 5000), ("a", 3), ("empty", 0)], 4096)
}

/// Bytes as a file with a name.
pub(crate) fn on_disk(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, bytes).unwrap();
    file
}
