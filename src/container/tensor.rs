//! One tensor of an open file: its descriptor, held against the index, and its buffers.

use super::index::Entry;
use super::mapping::Advice;
use super::reader::File;
use crate::bytes::{Foreign, math};
use crate::descriptor::{Buffer, Descriptor};
use crate::error::{Error, ErrorKind, Result, Section};
use std::ptr::NonNull;

/// Bytes that hold magic and length of a descriptor.
const DESCRIPTOR_PREFIX: u64 = 10;
/// Longer descriptors are asked for their length before memory is.
const LONG_DESCRIPTOR: u64 = 1 << 16;

/// A tensor. Keeps its file open, and an owned copy of its descriptor.
#[derive(Debug)]
pub struct Tensor {
    file: File,
    index: u64,
    data_offset: u64,
    data_length: u64,
    descriptor: Descriptor,
    bytes: Vec<u8>,
}

/// One buffer of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferView {
    /// Where it stands in memory; `None` when the file is read, not held ([`super::Held`]). The
    /// bytes can change under this address, and fault, when the file is mapped and somebody
    /// changes it or cuts it short.
    pub data: Option<NonNull<u8>>,
    /// Bytes in it.
    pub size: u64,
    /// Bytes from the start of the file.
    pub file_offset: u64,
    /// The alignment that the producer's memory had (decisions.md row 7); 1 for an opaque region.
    pub declared_alignment: u32,
    /// The largest power of two that divides the address; 0 without one.
    pub actual_alignment: u64,
    /// Tag of the device that the producer's memory belonged to: a record. What is handed out is
    /// memory of this machine.
    pub device: u8,
}

impl File {
    /// Reads the descriptor of tensor `i` and holds it against its index entry: length, size of
    /// the data, alignment. Nothing is kept for the next call.
    pub fn tensor(&self, i: u64) -> Result<Tensor> {
        let entry = self.entry(i)?;
        let read = read_descriptor(self, i, &entry);
        let (descriptor, bytes) = read.map_err(|error| error.in_tensor(i, entry.name))?;
        let Entry { data_offset, data_length, .. } = entry;
        Ok(Tensor { file: self.clone(), index: i, data_offset, data_length, descriptor, bytes })
    }
}

impl Tensor {
    /// The file it came from.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its position in the index.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Its name. It may contain U+0000.
    pub fn name(&self) -> &str {
        self.file.index().entry(self.index).map(|entry| entry.name).unwrap_or_default()
    }

    /// Its index entry.
    pub fn entry(&self) -> Result<Entry<'_>> {
        self.file.entry(self.index)
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Its descriptor as it stands in the file.
    pub fn descriptor_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of memory that it costs while it is kept.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            .saturating_sub(size_of::<Descriptor>())
            .saturating_add(self.descriptor.memory_bytes())
            .saturating_add(self.bytes.capacity())
    }

    /// How many buffers it has. The data of a layout that this library does not know is one opaque
    /// region (decisions.md row 27).
    pub fn buffer_count(&self) -> u64 {
        if self.descriptor.is_opaque() { 1 } else { math::wide(self.descriptor.buffers().len()) }
    }

    /// Buffer `k` and where it stands.
    pub fn buffer(&self, k: u64) -> Result<BufferView> {
        let (buffer, file_offset) = self.place(k)?;
        let data = self.file.source().pointer(file_offset);
        Ok(BufferView {
            data,
            size: buffer.byte_size,
            file_offset,
            declared_alignment: buffer.alignment,
            actual_alignment: data.map_or(0, alignment_of),
            device: buffer.device,
        })
    }

    /// The bytes of buffer `k` where they stand in memory; `None` when the file is read, not held
    /// ([`super::Held`]). Copying from them faults when the file is mapped and somebody has cut it
    /// short.
    pub fn memory(&self, k: u64) -> Result<Option<Foreign<'_>>> {
        let (buffer, file_offset) = self.place(k)?;
        Ok(self.file.source().lend(file_offset, buffer.byte_size))
    }

    /// Copies bytes of buffer `k`, from `offset` in it on. Never through a mapping: a file that was
    /// cut short is an error.
    pub fn read(&self, k: u64, offset: u64, dst: &mut [u8]) -> Result<()> {
        let at = self.range(k, offset, math::wide(dst.len()))?;
        self.file
            .source()
            .read(at, dst)
            .map_err(|error| error.in_section(Section::Data).in_tensor(self.index, self.name()))
    }

    /// Tells the system what will be done with the data. Changes nothing but speed; nothing at all
    /// where the file is in memory or is read by the caller.
    pub fn advise(&self, advice: Advice) -> Result<()> {
        self.file.source().advise(self.data_offset, self.data_length, advice)
    }

    /// Where `length` bytes from `offset` on in buffer `k` stand in the file.
    pub(super) fn range(&self, k: u64, offset: u64, length: u64) -> Result<u64> {
        let (buffer, start) = self.place(k)?;
        let size = buffer.byte_size;
        if !math::fits(offset, length, size) {
            let kind = ErrorKind::Range { what: "the buffer", offset, length, size };
            return Err(Error::new(kind).in_tensor(self.index, self.name()));
        }
        math::add(start, offset, "offset in the file")
    }

    fn place(&self, k: u64) -> Result<(Buffer, u64)> {
        if self.descriptor.is_opaque() && k == 0 {
            let (byte_size, alignment, device, reserved) = (self.data_length, 1, 0, [0; 3]);
            return Ok((Buffer { byte_size, alignment, device, reserved }, self.data_offset));
        }
        let alignment = self.file.header().alignment().into();
        let offset = self.descriptor.buffer_offset(k, self.data_offset, alignment)?;
        let buffer = usize::try_from(k).ok().and_then(|k| self.descriptor.buffers().get(k));
        buffer.copied().zip(offset).ok_or_else(|| {
            let count = self.buffer_count();
            Error::new(ErrorKind::Index { what: "buffer", value: k, count })
                .in_tensor(self.index, self.name())
        })
    }
}

fn alignment_of(data: NonNull<u8>) -> u64 {
    1_u64.checked_shl(data.addr().get().trailing_zeros()).unwrap_or(0)
}

fn read_descriptor(file: &File, i: u64, entry: &Entry<'_>) -> Result<(Descriptor, Vec<u8>)> {
    let start = entry.descriptor_offset;
    let length = u64::from(entry.descriptor_length);
    let in_descriptor = |error: Error| error.shifted(start).in_section(Section::Descriptor);
    let in_entry = |kind| Error::new(kind).in_section(Section::IndexEntry(i));

    let read = |length| {
        let bytes = file.source().read_vec(start, length);
        bytes.map_err(|error| error.in_section(Section::Descriptor))
    };
    let check_length = |bytes: &[u8]| {
        let expected = u64::from(Descriptor::length_of(bytes).map_err(in_descriptor)?);
        if expected == length {
            return Ok(());
        }
        let what = "descriptor_length";
        Err(in_entry(ErrorKind::Mismatch { what, found: length, expected }))
    };
    if length > LONG_DESCRIPTOR {
        check_length(&read(DESCRIPTOR_PREFIX)?)?;
    }
    let bytes = read(length)?;
    check_length(&bytes)?;
    let descriptor = Descriptor::decode(&bytes, file.mode()).map_err(in_descriptor)?;

    let alignment = u64::from(file.header().alignment());
    let found = entry.data_length;
    let expected = match descriptor.is_opaque() {
        true => found,
        false => descriptor.data_length(alignment).map_err(in_descriptor)?,
    };
    // Before the length: buffers at other places make another length as well.
    if expected != 0 && !math::is_aligned(entry.data_offset, alignment) {
        let (what, value) = ("data_offset", entry.data_offset);
        return Err(in_entry(ErrorKind::Misaligned { what, value, alignment }));
    }
    if found != expected {
        let what = "data_length";
        return Err(in_entry(ErrorKind::Mismatch { what, found, expected }));
    }
    Ok((descriptor, bytes))
}

#[cfg(test)]
mod tests {
    use super::super::reader::OpenOptions;
    use super::super::sample::{Sample, sample};
    use super::*;
    use crate::descriptor::Mode;

    fn two() -> Sample {
        sample(&[("a", 100), ("empty", 0)], 4096)
    }

    fn open(sample: Sample) -> File {
        File::open_bytes(sample.bytes, &OpenOptions::default()).unwrap()
    }

    fn message(change: impl FnOnce(&mut Sample)) -> String {
        let mut sample = two();
        change(&mut sample);
        open(sample).tensor(0).unwrap_err().to_string()
    }

    #[test]
    fn the_descriptor_is_held_against_the_index() {
        assert_eq!(
            message(|sample| sample.patch(sample.entry(0) + 8, &52_u32.to_le_bytes())),
            "tensor 0 \"a\": index entry 0: descriptor_length is 52, must be 53"
        );
        assert_eq!(
            message(|sample| sample.patch(sample.entry(0) + 20, &99_u64.to_le_bytes())),
            "tensor 0 \"a\": index entry 0: data_length is 99, must be 100"
        );
        assert_eq!(
            message(|sample| sample.patch(sample.entry(0) + 12, &4000_u64.to_le_bytes())),
            "tensor 0 \"a\": index entry 0: data_offset 4000 is not a multiple of 4096"
        );
    }

    #[test]
    fn faults_in_the_descriptor_have_their_place_in_the_file() {
        assert_eq!(
            message(|sample| sample.patch(64, b"NOPE")),
            "tensor 0 \"a\": descriptor: magic is [4e, 4f, 50, 45], not \"HRRY\", at byte 64"
        );
        // One buffer of another size than its elements need.
        let error = message(|sample| sample.patch(64 + 37, &90_u64.to_le_bytes()));
        assert!(error.starts_with("tensor 0 \"a\": descriptor"), "{error}");
    }

    #[test]
    fn a_length_that_only_the_index_claims_reserves_nothing() {
        // As much as there is of the region: the descriptor itself says 53.
        let mut sample = sample(&[("a", 1 << 20)], 4096);
        sample.patch(sample.entry(0) + 8, &1_000_000_u32.to_le_bytes());
        let error = open(sample).tensor(0).unwrap_err().to_string();
        assert!(error.contains("descriptor_length is 1000000, must be 53"), "{error}");
    }

    #[test]
    fn data_that_does_not_exist_lies_anywhere() {
        // decisions.md row 57.
        let mut sample = two();
        sample.patch(sample.entry(1) + 12, &65_u64.to_le_bytes());
        assert!(open(sample).tensor(1).is_ok());
    }

    #[test]
    fn ranges_stay_in_their_buffer() {
        let tensor = open(two()).tensor(0).unwrap();
        assert!(tensor.read(0, 100, &mut []).is_ok());
        assert!(tensor.read(0, 0, &mut [0; 100]).is_ok());
        for (offset, length) in [(1, 100), (101, 0), (u64::MAX, 2)] {
            let error = tensor.read(0, offset, &mut vec![0; length]).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Range { size: 100, .. }), "{error}");
        }
        let error = tensor.read(1, 0, &mut []).unwrap_err();
        assert_eq!(error.to_string(), "tensor 0 \"a\": buffer 1 out of range: there are 1");
        assert!(open(two()).tensor(2).is_err());
    }

    #[test]
    fn buffers_are_lent_where_they_are_in_memory() {
        use std::io::Write;
        let mut disk = tempfile::NamedTempFile::new().unwrap();
        disk.write_all(&two().bytes).unwrap();
        for access in
            [super::super::Access::Auto, super::super::Access::Reads, super::super::Access::Memory]
        {
            let options = OpenOptions { access, ..OpenOptions::default() };
            let tensor = File::open(disk.path(), &options).unwrap().tensor(0).unwrap();
            let lent = tensor.memory(0).unwrap();
            assert_eq!(lent.is_some(), access != super::super::Access::Reads);
            if let Some(lent) = lent {
                let (mut found, mut wanted) = ([0; 100], [1; 100]);
                lent.read(0, &mut found).unwrap();
                tensor.read(0, 0, &mut wanted).unwrap();
                assert_eq!((lent.len(), found), (100, wanted));
            }
            assert!(tensor.memory(1).is_err());
        }
        let tensor = open(two()).tensor(0).unwrap();
        assert_eq!(tensor.memory(0).unwrap().unwrap().len(), 100);
    }

    #[test]
    fn advice_is_taken_everywhere() {
        use std::io::Write;
        let mut disk = tempfile::NamedTempFile::new().unwrap();
        disk.write_all(&two().bytes).unwrap();
        for access in [super::super::Access::Auto, super::super::Access::Reads] {
            let options = OpenOptions { access, ..OpenOptions::default() };
            let file = File::open(disk.path(), &options).unwrap();
            for advice in [
                Advice::WillNeed,
                Advice::Sequential,
                Advice::Random,
                Advice::DontNeed,
                Advice::Normal,
            ] {
                file.tensor(0).unwrap().advise(advice).unwrap();
                file.tensor(1).unwrap().advise(advice).unwrap();
            }
        }
        open(two()).tensor(0).unwrap().advise(Advice::DontNeed).unwrap();
    }

    #[test]
    fn an_unknown_layout_is_one_opaque_region() {
        // decisions.md row 27.
        let mut sample = two();
        sample.patch(64 + 15, &[0x55]);
        assert!(open(Sample { bytes: sample.bytes.clone(), ..two() }).tensor(0).is_err());
        let options = OpenOptions { mode: Mode::Permissive, ..OpenOptions::default() };
        let file = File::open_bytes(sample.bytes, &options).unwrap();
        let tensor = file.tensor(0).unwrap();
        assert_eq!(tensor.buffer_count(), 1);
        let buffer = tensor.buffer(0).unwrap();
        assert_eq!((buffer.size, buffer.file_offset, buffer.device), (100, 4096, 0));
        assert!(tensor.buffer(1).is_err());
    }
}
