//! One buffer of a tensor: where it stands in memory, or read from its file.

use crate::bytes::{Foreign, math};
use crate::container::Tensor;
use crate::error::{Error, ErrorKind, Result};

/// Bytes that are read at once for pieces that lie in them.
const STRETCH: usize = 4096;

/// A buffer. Nothing is read before it is asked for.
#[derive(Clone, Copy)]
pub(super) enum Buffer<'v> {
    Memory(Foreign<'v>),
    /// Of a file that is not in memory.
    Read {
        tensor: &'v Tensor,
        number: u64,
        size: u64,
    },
}

impl<'v> Buffer<'v> {
    /// A buffer of an open file: where it stands, if it does.
    pub(super) fn of(tensor: &'v Tensor, number: u64) -> Result<Self> {
        match tensor.memory(number)? {
            Some(memory) => Ok(Self::Memory(memory)),
            None => Ok(Self::Read { tensor, number, size: tensor.buffer(number)?.size }),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Memory(memory) => memory.len(),
            Self::Read { size, .. } => *size,
        }
    }

    /// Whether many small reads cost little more than a large one.
    pub(super) fn is_memory(&self) -> bool {
        matches!(self, Self::Memory(_))
    }

    /// Copies the bytes from `offset` on.
    #[inline]
    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        match self {
            Self::Memory(memory) => memory.read(offset, out),
            Self::Read { tensor, number, .. } => tensor.read(*number, offset, out),
        }
    }

    /// Copies pieces of `N` bytes: the first from `first` on, each next one `stride` bytes further.
    #[inline]
    pub(super) fn gather<const N: usize>(
        &self,
        first: u64,
        stride: i64,
        out: &mut [[u8; N]],
    ) -> Result<()> {
        match self {
            Self::Memory(memory) => memory.gather(first, stride, out),
            Self::Read { .. } => self.gather_stretches(first, stride, out),
        }
    }

    /// As many pieces at a time as lie in one stretch.
    fn gather_stretches<const N: usize>(
        &self,
        first: u64,
        stride: i64,
        out: &mut [[u8; N]],
    ) -> Result<()> {
        let what = "offset in a buffer";
        let mut stretch = [0; STRETCH];
        let room = math::wide(STRETCH.saturating_sub(N));
        let fit = room.checked_div(stride.unsigned_abs()).unwrap_or(room).saturating_add(1);
        let together = math::to_usize(fit, what)?.min(out.len()).max(1);
        let mut done = 0;
        for pieces in out.chunks_mut(together) {
            let from = math::step(first, stride, done, what)?;
            let steps = math::wide(pieces.len().saturating_sub(1));
            let last = math::step(from, stride, steps, what)?;
            let low = from.min(last);
            let length = math::to_usize(from.abs_diff(last), what)?.saturating_add(N);
            let bytes = stretch.get_mut(..length).ok_or_else(too_long)?;
            self.read(low, bytes)?;
            Foreign::of(bytes).gather(from.saturating_sub(low), stride, pieces)?;
            done = done.saturating_add(math::wide(pieces.len()));
        }
        Ok(())
    }

    /// Copies pieces of `N` bytes, each from `base + place * scale` on.
    #[inline]
    pub(super) fn pick<const N: usize>(
        &self,
        base: u64,
        scale: i64,
        places: &[i64],
        out: &mut [[u8; N]],
    ) -> Result<()> {
        match self {
            Self::Memory(memory) => memory.pick(base, scale, places, out),
            Self::Read { .. } => {
                for (piece, &place) in out.iter_mut().zip(places) {
                    let offset = place.wrapping_mul(scale).cast_unsigned();
                    self.read(base.wrapping_add(offset), piece)?;
                }
                Ok(())
            }
        }
    }
}

fn too_long() -> Error {
    Error::new(ErrorKind::Internal { what: "pieces of a stretch do not lie in it" })
}
