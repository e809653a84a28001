//! The first 64 bytes of a file (container.md, "File header").

use crate::bytes::Cursor;
use crate::error::{Error, ErrorKind, Result, Section};

/// Bytes of a file header.
pub const HEADER_LEN: usize = 64;
/// Smallest `data_buffer_alignment`.
pub const MIN_ALIGNMENT: u32 = 4096;
/// Largest `data_buffer_alignment`.
pub const MAX_ALIGNMENT: u32 = 2 * 1024 * 1024;

/// Descriptors and sections stand at multiples of this.
pub(crate) const PLACE_ALIGNMENT: u64 = 8;

const VERSION_MAJOR: u8 = 1;
const HINT_UNKNOWN: u64 = u64::MAX;
const FIRST_PLACE: u64 = 64;

/// The `file_flags` of a header. Holds no unknown bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    const KV: u32 = 1;
    const SORTED: u32 = 1 << 1;
    const CRC: u32 = 1 << 2;
    const KNOWN: u32 = Self::KV | Self::SORTED | Self::CRC;

    /// Flags with these bits.
    pub fn new(has_kv: bool, sorted: bool, has_crc: bool) -> Self {
        let bit = |on: bool, bit| if on { bit } else { 0 };
        Self(bit(has_kv, Self::KV) | bit(sorted, Self::SORTED) | bit(has_crc, Self::CRC))
    }

    /// The bits as they stand in the file.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// `HAS_KV_METADATA`. The trailer may locate a KV section even when this is clear (decisions.md
    /// row 1): ask it, not this.
    pub fn has_kv(self) -> bool {
        self.0 & Self::KV != 0
    }

    /// `SORTED_INDEX`: index entries ascend by the bytes of their names.
    pub fn sorted(self) -> bool {
        self.0 & Self::SORTED != 0
    }

    /// `HAS_INDEX_CRC32C`: the trailer holds a checksum of the index.
    pub fn has_crc(self) -> bool {
        self.0 & Self::CRC != 0
    }
}

/// A file header that holds every rule that can be checked without the rest of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    version_minor: u8,
    flags: Flags,
    alignment: u32,
    first_descriptor_offset: u64,
    tensor_count_hint: Option<u64>,
}

impl Header {
    /// The header of a file that is to be written: version 1.0, first descriptor at 64.
    ///
    /// `alignment` must be a power of two from [`MIN_ALIGNMENT`] to [`MAX_ALIGNMENT`]. A hint of
    /// all ones cannot be told from no hint and becomes one.
    pub fn new(flags: Flags, alignment: u32, tensor_count_hint: Option<u64>) -> Result<Self> {
        check_alignment(alignment).map_err(Error::by_caller)?;
        Ok(Self {
            version_minor: 0,
            flags,
            alignment,
            first_descriptor_offset: FIRST_PLACE,
            tensor_count_hint: tensor_count_hint.filter(|&hint| hint != HINT_UNKNOWN),
        })
    }

    /// Reads a header from the first [`HEADER_LEN`] bytes of a file, or from fewer if the file has
    /// no more. That `first_descriptor_offset` lies inside the file is for the caller to check, who
    /// knows its size.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        decode(bytes).map_err(|error| error.in_section(Section::Header))
    }

    /// The header as it stands in the file.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        let hint = self.tensor_count_hint.unwrap_or(HINT_UNKNOWN);
        let fields = b"HRRYFILE"
            .iter()
            .copied()
            .chain([VERSION_MAJOR, self.version_minor, 0, 0])
            .chain(self.flags.0.to_le_bytes())
            .chain(self.alignment.to_le_bytes())
            .chain(self.first_descriptor_offset.to_le_bytes())
            .chain(hint.to_le_bytes());
        bytes.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        bytes
    }

    /// `container_version_minor`; the major version is 1.
    pub fn version_minor(&self) -> u8 {
        self.version_minor
    }

    /// `file_flags`.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// `data_buffer_alignment`, a power of two from [`MIN_ALIGNMENT`] to [`MAX_ALIGNMENT`].
    pub fn alignment(&self) -> u32 {
        self.alignment
    }

    /// Where the tensor region begins: at least 64, a multiple of 8.
    pub fn first_descriptor_offset(&self) -> u64 {
        self.first_descriptor_offset
    }

    /// `tensor_count_hint`, which a random-access reader ignores.
    pub fn tensor_count_hint(&self) -> Option<u64> {
        self.tensor_count_hint
    }
}

fn check_alignment(alignment: u32) -> Result<()> {
    let (what, value) = ("data_buffer_alignment", u64::from(alignment));
    if !alignment.is_power_of_two() {
        return Err(Error::new(ErrorKind::PowerOfTwo { what, value }));
    }
    if !(MIN_ALIGNMENT..=MAX_ALIGNMENT).contains(&alignment) {
        return Err(Error::new(ErrorKind::Limits {
            what,
            value,
            min: MIN_ALIGNMENT.into(),
            max: MAX_ALIGNMENT.into(),
        }));
    }
    Ok(())
}

fn decode(bytes: &[u8]) -> Result<Header> {
    let mut cursor = Cursor::new(bytes, 0);
    // The magic is judged before the length: a short file of another kind is of another kind.
    for (wanted, offset) in [("HRRY", 0), ("FILE", 4)] {
        let found = cursor.array::<4>("magic")?;
        if found != *wanted.as_bytes() {
            return Err(Error::new(ErrorKind::Magic { what: "magic", found, wanted }).at(offset));
        }
    }
    let found = cursor.u8("container_version_major")?;
    if found != VERSION_MAJOR {
        return Err(Error::new(ErrorKind::Version {
            what: "container_version_major",
            found: found.into(),
            supported: VERSION_MAJOR.into(),
        })
        .at(8));
    }
    let version_minor = cursor.u8("container_version_minor")?;
    cursor.reserved(2, "reserved")?;
    let flags = cursor.u32("file_flags")?;
    if flags & !Flags::KNOWN != 0 {
        let value = u64::from(flags & !Flags::KNOWN);
        return Err(
            Error::new(ErrorKind::Reserved { what: "file_flags from bit 3 up", value }).at(12)
        );
    }
    let alignment = cursor.u32("data_buffer_alignment")?;
    check_alignment(alignment).map_err(|error| error.at(16))?;
    let first_descriptor_offset = cursor.u64("first_descriptor_offset")?;
    check_first(first_descriptor_offset).map_err(|error| error.at(20))?;
    let hint = cursor.u64("tensor_count_hint")?;
    cursor.reserved(28, "reserved")?;
    Ok(Header {
        version_minor,
        flags: Flags(flags),
        alignment,
        first_descriptor_offset,
        tensor_count_hint: Some(hint).filter(|&hint| hint != HINT_UNKNOWN),
    })
}

fn check_first(value: u64) -> Result<()> {
    let what = "first_descriptor_offset";
    if value < FIRST_PLACE {
        let (min, max) = (FIRST_PLACE, u64::MAX);
        return Err(Error::new(ErrorKind::Limits { what, value, min, max }));
    }
    if !crate::bytes::math::is_aligned(value, PLACE_ALIGNMENT) {
        let alignment = PLACE_ALIGNMENT;
        return Err(Error::new(ErrorKind::Misaligned { what, value, alignment }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid() -> [u8; HEADER_LEN] {
        Header::new(Flags::new(true, false, true), 4096, Some(7)).unwrap().encode()
    }

    fn message(at: usize, value: &[u8]) -> String {
        let mut bytes = valid();
        bytes[at..at + value.len()].copy_from_slice(value);
        Header::decode(&bytes).unwrap_err().to_string()
    }

    #[test]
    fn every_field_in_its_place() {
        let bytes = valid();
        assert_eq!(&bytes[..12], b"HRRYFILE\x01\x00\x00\x00");
        assert_eq!(&bytes[12..20], &[5, 0, 0, 0, 0, 0x10, 0, 0]);
        assert_eq!(&bytes[20..36], &[64, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&bytes[36..], &[0; 28]);
        let header = Header::decode(&bytes).unwrap();
        assert!(header.flags().has_kv() && !header.flags().sorted() && header.flags().has_crc());
        assert_eq!((header.alignment(), header.tensor_count_hint()), (4096, Some(7)));
        assert_eq!(header.encode(), bytes);
    }

    #[test]
    fn no_hint_is_all_ones() {
        let header = Header::new(Flags::default(), MAX_ALIGNMENT, None).unwrap();
        assert_eq!(&header.encode()[28..36], &[0xFF; 8]);
        assert_eq!(Header::decode(&header.encode()).unwrap(), header);
    }

    #[test]
    fn every_rule_has_its_message() {
        assert_eq!(
            message(0, b"\x89PNG"),
            "file header: magic is [89, 50, 4e, 47], not \"HRRY\", at byte 0"
        );
        assert_eq!(
            message(4, &[1, 0, 61, 0]),
            "file header: magic is [01, 00, 3d, 00], not \"FILE\", at byte 4"
        );
        for major in [0, 2] {
            assert!(message(8, &[major]).contains("container_version_major"));
        }
        assert_eq!(message(11, &[9]), "file header: reserved must be 0, is 9, at byte 11");
        assert_eq!(
            message(12, &[9]),
            "file header: file_flags from bit 3 up must be 0, is 8, at byte 12"
        );
        assert!(message(16, &3u32.to_le_bytes()).contains("3 is not a power of two"));
        assert!(message(16, &2048u32.to_le_bytes()).contains("2048 is not in 4096 to 2097152"));
        assert!(message(16, &(4u32 << 20).to_le_bytes()).contains("4194304 is not in"));
        assert!(message(20, &[56]).contains("first_descriptor_offset 56 is not in 64"));
        assert!(message(20, &[68]).contains("68 is not a multiple of 8, at byte 20"));
        assert_eq!(message(63, &[1]), "file header: reserved must be 0, is 1, at byte 63");
    }

    #[test]
    fn a_newer_minor_is_read() {
        let mut bytes = valid();
        bytes[9] = 3;
        assert_eq!(Header::decode(&bytes).unwrap().version_minor(), 3);
    }

    #[test]
    fn every_shorter_header_is_truncated() {
        let bytes = valid();
        for length in 0..HEADER_LEN {
            let error = Header::decode(&bytes[..length]).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{length}: {error}");
        }
    }

    #[test]
    fn a_writer_cannot_make_an_invalid_one() {
        assert!(Header::new(Flags::default(), 2048, None).is_err());
        assert!(Header::new(Flags::default(), 4097, None).is_err());
    }
}
