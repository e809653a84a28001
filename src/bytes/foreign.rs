//! Memory that others own and may change at any time: mapped files, buffers of callers.
//!
//! Nothing here hands out a reference into such memory. Bytes are copied out of it, once, and what
//! was copied is what later code looks at.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr;

use super::math;
use crate::error::{Error, ErrorKind, Result};

/// Bytes that belong to somebody else. Others may change them meanwhile: what is read then is of
/// no sense, and nothing worse.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<'m> {
    start: *const u8,
    length: usize,
    memory: PhantomData<&'m [u8]>,
}

// SAFETY: it only ever reads, and whoever made it promised (`from_raw`) that every thread may.
unsafe impl Send for Foreign<'_> {}
// SAFETY: as above.
unsafe impl Sync for Foreign<'_> {}

impl<'m> Foreign<'m> {
    /// Memory that happens to be known to this program.
    pub fn of(bytes: &'m [u8]) -> Self {
        Self { start: bytes.as_ptr(), length: bytes.len(), memory: PhantomData }
    }

    /// `length` bytes from `start` on; NULL when there are none.
    ///
    /// # Safety
    ///
    /// That many bytes, at most `isize::MAX`, must be readable, from every thread, for as long as
    /// `'m` lasts.
    pub unsafe fn from_raw(start: *const u8, length: usize) -> Self {
        Self { start, length, memory: PhantomData }
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        math::wide(self.length)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The first `length` bytes; all, when there are not more.
    #[must_use]
    pub fn first(self, length: u64) -> Self {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(self.length);
        Self { length, ..self }
    }

    /// Copies the bytes from `offset` on. All of them must be there.
    #[inline]
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let start = self.check(offset, math::wide(out.len()))?;
        if !out.is_empty() {
            // SAFETY: offset and length were checked against the memory, which is readable. The
            // regions may overlap when a caller reads into what it has lent.
            unsafe { ptr::copy(self.start.add(start), out.as_mut_ptr(), out.len()) };
        }
        Ok(())
    }

    /// Copies pieces of `N` bytes: the first from `first` on, each next one `stride` bytes further.
    #[inline]
    pub fn gather<const N: usize>(
        &self,
        first: u64,
        stride: i64,
        out: &mut [[u8; N]],
    ) -> Result<()> {
        let Some(steps) = out.len().checked_sub(1) else { return Ok(()) };
        let last = math::step(first, stride, math::wide(steps), "offset in a buffer")?;
        let mut at = self.check(first, math::wide(N))?;
        self.check(last, math::wide(N))?;
        // On a machine of 32 bits both ends fit, and so do the steps between them.
        let stride = isize::try_from(stride).unwrap_or(0).cast_unsigned();
        for piece in out {
            // SAFETY: the first and the last piece were checked to lie inside, and all others lie
            // between them. Beyond the last one `at` wraps and is not used.
            *piece = unsafe { self.start.add(at).cast::<[u8; N]>().read() };
            at = at.wrapping_add(stride);
        }
        Ok(())
    }

    /// Copies pieces of `N` bytes, each from `base + place * scale` on.
    #[inline]
    pub fn pick<const N: usize>(
        &self,
        base: u64,
        scale: i64,
        places: &[i64],
        out: &mut [[u8; N]],
    ) -> Result<()> {
        let last = self.length.checked_sub(N);
        for (piece, &place) in out.iter_mut().zip(places) {
            let offset = base.wrapping_add(place.wrapping_mul(scale).cast_unsigned());
            match (usize::try_from(offset), last) {
                (Ok(at), Some(last)) if at <= last => {
                    // SAFETY: N bytes from here on lie inside, as was just seen.
                    *piece = unsafe { self.start.add(at).cast::<[u8; N]>().read() };
                }
                _ => return Err(self.outside(offset, math::wide(N))),
            }
        }
        Ok(())
    }

    #[inline]
    fn check(&self, offset: u64, length: u64) -> Result<usize> {
        match usize::try_from(offset) {
            Ok(start) if math::fits(offset, length, self.len()) => Ok(start),
            _ => Err(self.outside(offset, length)),
        }
    }

    #[cold]
    fn outside(&self, offset: u64, length: u64) -> Error {
        let (what, size) = ("the buffer", self.len());
        Error::new(ErrorKind::Range { what, offset, length, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_refused() {
        let bytes: Vec<u8> = (0..100).collect();
        let memory = Foreign::of(&bytes);
        let read = |offset, length| {
            let mut out = vec![0; length];
            memory.read(offset, &mut out).map(|()| out)
        };
        assert_eq!(read(0, 100).unwrap(), bytes);
        assert_eq!(read(97, 3).unwrap(), [97, 98, 99]);
        assert!(read(100, 0).is_ok());
        for (offset, length) in [(98, 3), (101, 0), (u64::MAX, 2)] {
            let error = read(offset, length).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Range { size: 100, .. }), "{error}");
        }
        assert_eq!(
            read(99, 4).unwrap_err().to_string(),
            "range of 4 bytes at 99 leaves the 100 bytes of the buffer"
        );
        assert!(memory.first(5).read(5, &mut [0]).is_err());
        assert_eq!((memory.first(5).len(), memory.first(500).len()), (5, 100));
    }

    #[test]
    fn nothing_is_read_of_no_memory() {
        // SAFETY: there are no bytes.
        let memory = unsafe { Foreign::from_raw(ptr::null(), 0) };
        assert!(memory.is_empty());
        memory.read(0, &mut []).unwrap();
        memory.gather::<4>(0, 4, &mut []).unwrap();
        assert!(memory.read(0, &mut [0]).is_err());
        assert!(memory.gather::<1>(0, 0, &mut [[0]]).is_err());
        assert!(memory.pick::<1>(0, 1, &[0], &mut [[0]]).is_err());
    }

    #[test]
    fn pieces_at_a_stride() {
        let bytes: Vec<u8> = (0..100).collect();
        let memory = Foreign::of(&bytes);
        let gather = |first, stride| {
            let mut out = [[0; 2]; 3];
            memory.gather(first, stride, &mut out).map(|()| out)
        };
        assert_eq!(gather(0, 49).unwrap(), [[0, 1], [49, 50], [98, 99]]);
        assert_eq!(gather(98, -49).unwrap(), [[98, 99], [49, 50], [0, 1]]);
        assert_eq!(gather(7, 0).unwrap(), [[7, 8]; 3]);
        for (first, stride) in
            [(1, 49), (98, -50), (99, 0), (0, i64::MAX), (98, i64::MIN), (u64::MAX, 1)]
        {
            assert!(gather(first, stride).is_err(), "{first} {stride}");
        }
    }

    #[test]
    fn pieces_at_places() {
        let bytes: Vec<u8> = (0..100).collect();
        let memory = Foreign::of(&bytes);
        let pick = |base, scale, places: [i64; 2]| {
            let mut out = [[0; 4]; 2];
            memory.pick(base, scale, &places, &mut out).map(|()| out)
        };
        assert_eq!(pick(8, 4, [-2, 22]).unwrap(), [[0, 1, 2, 3], [96, 97, 98, 99]]);
        for (base, scale, place) in
            [(8, 4, -3), (8, 4, 23), (8, 1, 89), (0, 4, i64::MAX), (0, 1, i64::MIN)]
        {
            assert!(pick(base, scale, [0, place]).is_err(), "{base} {scale} {place}");
        }
    }
}
