//! Bytes that must be zero, looked at by positioned reads.

use crate::bytes::{math, memory};
use crate::container::{File, Steps};
use crate::error::Result;

/// Bytes read at once.
const CHUNK: usize = 64 << 10;
/// Bytes looked at together.
const LANE: usize = 64;

/// Looks for bytes that are not zero; keeps the memory it reads into.
pub(super) struct Scanner<'f> {
    file: &'f File,
    chunk: Vec<u8>,
}

impl<'f> Scanner<'f> {
    pub(super) fn new(file: &'f File) -> Result<Self> {
        Ok(Self { file, chunk: memory::filled(0, CHUNK)? })
    }

    /// The first byte of `[start, end)` that is not zero, and where it stands.
    pub(super) fn scan(
        &mut self,
        start: u64,
        end: u64,
        mut steps: Option<&mut Steps<'_>>,
    ) -> Result<Option<(u64, u8)>> {
        let mut at = start;
        while at < end {
            let rest = usize::try_from(end.saturating_sub(at)).unwrap_or(CHUNK);
            let chunk = self.chunk.get_mut(..rest.min(CHUNK)).unwrap_or_default();
            self.file.read(at, chunk)?;
            if let Some((k, value)) = first_set(chunk) {
                return Ok(Some((at.saturating_add(math::wide(k)), value)));
            }
            at = at.saturating_add(math::wide(chunk.len()));
            if let Some(steps) = &mut steps {
                steps.step(math::wide(chunk.len()))?;
            }
        }
        Ok(None)
    }
}

fn first_set(bytes: &[u8]) -> Option<(usize, u8)> {
    // Whole lanes have no early way out and so are looked at many bytes at a time.
    let (lanes, _) = bytes.as_chunks::<LANE>();
    let clean = lanes.iter().take_while(|lane| lane.iter().fold(0, |all, byte| all | byte) == 0);
    let skip = clean.count().saturating_mul(LANE);
    let rest = bytes.iter().copied().enumerate().skip(skip);
    rest.into_iter().find(|&(_, byte)| byte != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_set() {
        let mut bytes = vec![0; 1000];
        assert_eq!(first_set(&bytes), None);
        assert_eq!(first_set(&[]), None);
        for k in [999, 640, 639, 64, 63, 1, 0] {
            bytes[k] = 9;
            assert_eq!(first_set(&bytes), Some((k, 9)));
        }
    }
}
