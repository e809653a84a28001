//! The way of a writer's bytes: forward only, counted, small pieces gathered, large ones passed on
//! as they are.

use super::target::Target;
use crate::bytes::{math, memory};
use crate::error::Result;

/// Bytes gathered before they are passed on.
const GATHERED: usize = 256 * 1024;

/// From this size on copying a piece costs more than a call of its own.
const LARGE: usize = 64 * 1024;

/// Bytes of padding put at once.
const ZEROS: [u8; 4096] = [0; 4096];

/// A target with what is still on its way to it.
pub(super) struct Output {
    target: Target,
    gathered: Vec<u8>,
    offset: u64,
}

impl Output {
    /// Nothing written yet.
    pub(super) fn new(target: Target) -> Result<Self> {
        Ok(Self { target, gathered: memory::vec(GATHERED)?, offset: 0 })
    }

    /// Where the next byte will stand in the file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Writes all of `bytes`.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let end = math::add(self.offset, math::wide(bytes.len()), "file size")?;
        if bytes.len() > GATHERED.saturating_sub(self.gathered.len()) {
            self.pass_on()?;
        }
        if bytes.len() >= LARGE {
            self.pass_on()?;
            self.target.write_all(bytes)?;
        } else {
            self.gathered.extend_from_slice(bytes);
        }
        self.offset = end;
        Ok(())
    }

    /// Writes zero bytes up to the next multiple of `alignment`, a power of two.
    pub(super) fn align(&mut self, alignment: u64) -> Result<()> {
        let end = math::align_up(self.offset, alignment, "file size")?;
        while self.offset < end {
            let left = math::sub(end, self.offset, "padding")?;
            let piece = usize::try_from(left).unwrap_or(usize::MAX).min(ZEROS.len());
            self.put(ZEROS.get(..piece).unwrap_or_default())?;
        }
        Ok(())
    }

    /// Passes on what was gathered and ends the file: only now does a path hold it.
    pub(super) fn commit(mut self) -> Result<()> {
        self.pass_on()?;
        self.target.commit()
    }

    fn pass_on(&mut self) -> Result<()> {
        if !self.gathered.is_empty() {
            self.target.write_all(&self.gathered)?;
            self.gathered.clear();
        }
        Ok(())
    }
}
