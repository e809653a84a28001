//! Bytes that stand for a file: those of one, changed.

use hurray::Result;
use hurray::container::{ReadAt, TRAILER_LEN};

/// Sets the checksum of the index where the header says that there is one, so that what it covers
/// is reached.
pub(crate) fn repair(bytes: &mut [u8]) -> Option<()> {
    const HAS_INDEX_CRC32C: u8 = 1 << 2;
    let tail = bytes.len().checked_sub(TRAILER_LEN)?;
    if bytes.get(12)? & HAS_INDEX_CRC32C == 0 {
        return None;
    }
    let field = |at: usize| usize::try_from(u64::from_le_bytes(*bytes[at..].first_chunk()?)).ok();
    let (offset, length) = (field(tail)?, field(tail + 8)?);
    let crc = crc32c::crc32c(bytes.get(offset..offset.checked_add(length)?)?);
    bytes[tail + 28..tail + 32].copy_from_slice(&crc.to_le_bytes());
    Some(())
}

/// A caller's reads.
pub(crate) struct Reads(pub(crate) Vec<u8>);

impl ReadAt for Reads {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap();
        dst.copy_from_slice(&self.0[start..start + dst.len()]);
        Ok(())
    }
}
