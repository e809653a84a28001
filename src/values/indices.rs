//! Numbers that stand in the data of a tensor: indices and pointers. Each is read once, and held
//! against what it leads to before it is followed.

use super::buffer::Buffer;
use crate::bytes::math;
use crate::error::{BufferEntry, EntryFault, Error, ErrorKind, Result, Section};

/// Numbers of one buffer.
#[derive(Clone, Copy)]
pub(super) struct Indices<'v> {
    buffer: Buffer<'v>,
    name: &'static str,
    level: Option<u32>,
    /// Bytes of each: 4 or 8.
    width: u64,
}

impl<'v> Indices<'v> {
    pub(super) fn new(
        buffer: Buffer<'v>,
        name: &'static str,
        level: Option<u32>,
        width: u64,
    ) -> Self {
        Self { buffer, name, level, width }
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        math::div(self.buffer.len(), self.width)
    }

    pub(super) fn at(&self, k: u64) -> Result<u64> {
        let mut word = [0; 8];
        let bytes = math::to_usize(self.width, "bytes of an index")?;
        let Some(bytes) = word.get_mut(..bytes) else { return Ok(0) };
        self.buffer.read(self.place(k)?, bytes)?;
        Ok(u64::from_le_bytes(word))
    }

    fn place(&self, k: u64) -> Result<u64> {
        if k >= self.len() {
            // Only the content of other buffers leads here.
            let (what, have) = (self.name, self.buffer.len());
            let need = k.saturating_add(1).saturating_mul(self.width);
            let kind = ErrorKind::TooSmall { what, need, have };
            return Err(Error::new(kind).in_section(Section::Data));
        }
        math::mul(k, self.width, "offset of an index")
    }

    /// The error for one of them.
    #[cold]
    pub(super) fn fault(&self, index: u64, fault: EntryFault) -> Error {
        let entry = BufferEntry { buffer: self.name, level: self.level, index };
        Error::new(ErrorKind::Entry { entry, fault }).in_section(Section::Data)
    }

    /// A number that must be below `limit`.
    pub(super) fn check(&self, index: u64, value: u64, limit: u64) -> Result<u64> {
        match value < limit {
            true => Ok(value),
            false => Err(self.fault(index, EntryFault::Bound { value, limit })),
        }
    }

    /// Two pointers that follow one another, as what they enclose: at most `limit`.
    pub(super) fn check_range(&self, index: u64, begin: u64, end: u64, limit: u64) -> Result<()> {
        if index == 0 && begin != 0 {
            return Err(self.fault(0, EntryFault::Start { found: begin }));
        }
        let next = index.saturating_add(1);
        if begin > end {
            return Err(self.fault(next, EntryFault::Descends { value: end, previous: begin }));
        }
        self.check(next, end, limit.saturating_add(1)).map(drop)
    }

    /// The range that the pointers `k` and `k + 1` enclose: at most `limit`.
    pub(super) fn range(&self, k: u64, limit: u64) -> Result<(u64, u64)> {
        let (begin, end) = (self.at(k)?, self.at(k.saturating_add(1))?);
        self.check_range(k, begin, end, limit)?;
        Ok((begin, end))
    }

    /// The first place from `begin` to `end` whose number, `stride` apart, is not below `key`; the
    /// numbers ascend.
    pub(super) fn lower_bound(&self, begin: u64, end: u64, stride: u64, key: u64) -> Result<u64> {
        let (mut low, mut high) = (begin, end);
        while low < high {
            let middle = low.midpoint(high);
            let place = math::mul(middle, stride, "offset of an index")?;
            if self.at(place)? < key {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

/// Numbers that a window holds.
const HELD: usize = 256;

/// Numbers that are read one after the other, many at a time.
pub(super) struct Window<'v> {
    pub(super) indices: Indices<'v>,
    /// Numbers that belong together, at most 64.
    unit: usize,
    first: u64,
    held: usize,
    numbers: [u64; HELD],
}

impl<'v> Window<'v> {
    pub(super) fn new(indices: Indices<'v>, unit: usize) -> Self {
        Self { indices, unit: unit.max(1), first: 0, held: 0, numbers: [0; HELD] }
    }

    /// The number at place `k`.
    #[inline]
    pub(super) fn at(&mut self, k: u64) -> Result<u64> {
        Ok(self.get(k)?.first().copied().unwrap_or_default())
    }

    /// The `k`-th numbers that belong together.
    #[inline]
    pub(super) fn get(&mut self, k: u64) -> Result<&[u64]> {
        let mut at = usize::try_from(k.wrapping_sub(self.first)).unwrap_or(usize::MAX);
        if at >= self.held {
            self.bring(k)?;
            at = 0;
        }
        let start = at.saturating_mul(self.unit);
        let found = self.numbers.get(start..).and_then(|rest| rest.get(..self.unit));
        found.ok_or_else(|| Error::new(ErrorKind::Internal { what: "an index is not held" }))
    }

    #[cold]
    fn bring(&mut self, k: u64) -> Result<()> {
        let what = "offset of an index";
        let unit = math::wide(self.unit);
        let start = math::mul(k, unit, what)?;
        // The last of those that are asked for must be there.
        self.indices.place(math::add(start, unit.saturating_sub(1), what)?)?;
        let there = self.indices.len().saturating_sub(start);
        let most = HELD.checked_div(self.unit).unwrap_or(1).saturating_mul(self.unit);
        let count = usize::try_from(there).unwrap_or(usize::MAX).min(most);
        let mut raw = [0; 8 * HELD];
        let width = math::to_usize(self.indices.width, what)?;
        let bytes = raw.get_mut(..count.saturating_mul(width)).unwrap_or_default();
        self.indices.buffer.read(self.indices.place(start)?, bytes)?;
        if width == 4 {
            for (number, word) in self.numbers.iter_mut().zip(bytes.as_chunks().0) {
                *number = u32::from_le_bytes(*word).into();
            }
        } else {
            for (number, word) in self.numbers.iter_mut().zip(bytes.as_chunks().0) {
                *number = u64::from_le_bytes(*word);
            }
        }
        self.first = k;
        self.held = count.checked_div(self.unit).unwrap_or_default();
        Ok(())
    }
}
