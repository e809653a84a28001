//! What memory allows: the bounds of every kernel.

use std::hint::black_box;
use std::ops::{Deref, DerefMut};

/// memset.
pub(crate) fn set(to: &mut [u8]) {
    to.fill(black_box(7));
    black_box(to);
}

/// memcpy.
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(black_box(from));
    black_box(to);
}

/// Units that are stored past the caches.
type Unit = u128;

/// Memory that begins with a cache line, as buffers of files do.
pub(crate) struct Aligned {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    pub(crate) fn new(length: usize) -> Self {
        const LINE: usize = 64;
        let memory = vec![0; length + LINE];
        let start = memory.as_ptr().align_offset(LINE);
        Self { memory, start, length }
    }

    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut aligned = Self::new(bytes.len());
        aligned.copy_from_slice(bytes);
        aligned
    }
}

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..][..self.length]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.length]
    }
}

/// Reads all bytes that there are, and stores past the caches as many as there is room for: a few
/// of these after a few of those, as a kernel must.
pub(crate) fn read_and_store(from: &[Aligned], to: &mut Aligned) {
    const BYTES: usize = 4096;
    // SAFETY: bytes are units and units bytes, whatever they are.
    let (_, to, _) = unsafe { to.align_to_mut::<Unit>() };
    let total: usize = from.iter().map(|bytes| bytes.len().div_ceil(BYTES)).sum();
    let mut pieces = from.iter().flat_map(|bytes| bytes.chunks(BYTES));
    let (mut sum, mut read) = (0, 0);
    let count = to.len().div_ceil(BYTES / size_of::<Unit>());
    for (k, to) in (1..).zip(to.chunks_mut(BYTES / size_of::<Unit>())) {
        let end = total * k / count;
        for piece in pieces.by_ref().take(end - read) {
            for bytes in piece.as_chunks::<16>().0 {
                sum ^= Unit::from_ne_bytes(*bytes);
            }
        }
        read = end;
        store(sum, to);
    }
    finish();
    black_box(sum);
}

#[cfg(target_arch = "x86_64")]
fn store(unit: Unit, to: &mut [Unit]) {
    use std::arch::x86_64::{__m128i, _mm_stream_si128};
    for to in to {
        // SAFETY: every x86-64 has it, both are 16 bytes of any kind, and a u128 is aligned to 16.
        unsafe {
            _mm_stream_si128((&raw mut *to).cast(), std::mem::transmute::<Unit, __m128i>(unit))
        };
    }
}

#[cfg(target_arch = "x86_64")]
fn finish() {
    // SAFETY: every x86-64 has it.
    unsafe { std::arch::x86_64::_mm_sfence() };
}

#[cfg(not(target_arch = "x86_64"))]
fn store(unit: Unit, to: &mut [Unit]) {
    to.fill(unit);
}

#[cfg(not(target_arch = "x86_64"))]
fn finish() {}
