//! Checked reading of little-endian fields from bytes in memory.

use super::math;
use crate::error::{Error, ErrorKind, Result};

/// Reads fields one after another and knows where each stands in the file.
///
/// Copying a cursor is cheap and makes a second reader at the same place.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    base: u64,
}

impl<'a> Cursor<'a> {
    /// A reader of `bytes`, the first of which stands at `base` in its file.
    #[inline]
    pub fn new(bytes: &'a [u8], base: u64) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Bytes read so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Where the next byte stands in the file.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.base.saturating_add(math::wide(self.at))
    }

    /// Bytes not read yet.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Takes `length` bytes, which are a `what`.
    #[inline]
    pub fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(taken) => {
                self.at = self.at.saturating_add(length);
                Ok(taken)
            }
            None => Err(self.truncated(math::wide(length), what)),
        }
    }

    /// Takes `length` bytes, a size as it stands on disk.
    pub fn take_wide(&mut self, length: u64, what: &'static str) -> Result<&'a [u8]> {
        match usize::try_from(length) {
            Ok(length) => self.take(length, what),
            Err(_) => Err(self.truncated(length, what)),
        }
    }

    #[cold]
    fn truncated(&self, need: u64, what: &'static str) -> Error {
        let have = math::wide(self.remaining());
        Error::new(ErrorKind::Truncated { what, need, have }).at(self.offset())
    }

    /// A reader of the next `length` bytes, which this one steps over.
    pub fn sub(&mut self, length: usize, what: &'static str) -> Result<Cursor<'a>> {
        let base = self.offset();
        Ok(Cursor::new(self.take(length, what)?, base))
    }

    /// Takes `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => {
                self.at = self.at.saturating_add(N);
                Ok(*chunk)
            }
            None => Err(self.truncated(math::wide(N), what)),
        }
    }

    /// Takes one byte.
    #[inline]
    pub fn u8(&mut self, what: &'static str) -> Result<u8> {
        self.array(what).map(u8::from_le_bytes)
    }

    /// Takes a 16-bit number.
    #[inline]
    pub fn u16(&mut self, what: &'static str) -> Result<u16> {
        self.array(what).map(u16::from_le_bytes)
    }

    /// Takes a 32-bit number.
    #[inline]
    pub fn u32(&mut self, what: &'static str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// Takes a 64-bit number.
    #[inline]
    pub fn u64(&mut self, what: &'static str) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Takes a signed 32-bit number.
    #[inline]
    pub fn i32(&mut self, what: &'static str) -> Result<i32> {
        self.array(what).map(i32::from_le_bytes)
    }

    /// Takes a signed 64-bit number.
    #[inline]
    pub fn i64(&mut self, what: &'static str) -> Result<i64> {
        self.array(what).map(i64::from_le_bytes)
    }

    /// Takes a 32-bit float, bits kept.
    #[inline]
    pub fn f32(&mut self, what: &'static str) -> Result<f32> {
        self.u32(what).map(f32::from_bits)
    }

    /// Takes a 64-bit float, bits kept.
    #[inline]
    pub fn f64(&mut self, what: &'static str) -> Result<f64> {
        self.u64(what).map(f64::from_bits)
    }

    /// Takes `length` bytes that must be zero.
    pub fn reserved(&mut self, length: usize, what: &'static str) -> Result<()> {
        let start = self.offset();
        let bytes = self.take(length, what)?;
        match bytes.iter().position(|&byte| byte != 0) {
            None => Ok(()),
            Some(k) => Err(Error::new(ErrorKind::Reserved {
                what,
                value: bytes.get(k).copied().unwrap_or_default().into(),
            })
            .at(start.saturating_add(math::wide(k)))),
        }
    }

    /// Demands that nothing is left; what was read is a `what`.
    pub fn finish(&self, what: &'static str) -> Result<()> {
        match self.remaining() {
            0 => Ok(()),
            extra => Err(Error::new(ErrorKind::Trailing { what, extra: math::wide(extra) })
                .at(self.offset())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_their_places() {
        let mut cursor = Cursor::new(&[1, 2, 0, 3, 0, 0, 0, 0xFF], 100);
        assert_eq!(cursor.u8("a").unwrap(), 1);
        assert_eq!(cursor.u16("b").unwrap(), 2);
        assert_eq!(cursor.u32("c").unwrap(), 3);
        assert_eq!((cursor.offset(), cursor.position(), cursor.remaining()), (107, 7, 1));
        let error = cursor.u64("d").unwrap_err();
        assert_eq!(error.to_string(), "d truncated: need 8 bytes, have 1, at byte 107");
        assert_eq!(cursor.position(), 7);
        assert!(cursor.take(usize::MAX, "e").is_err());
        let error = cursor.finish("record").unwrap_err();
        assert_eq!(error.to_string(), "1 byte after the end of record, at byte 107");
        let error = cursor.reserved(1, "reserved").unwrap_err();
        assert_eq!(error.to_string(), "reserved must be 0, is 255, at byte 107");
    }
}
