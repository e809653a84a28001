//! Where elements go: the caller's memory, as a row-major list of elements.

use super::number;
use super::stage::{slot, with_width};
use super::sum::Sum;
use crate::bytes::math;
use crate::error::{Error, ErrorKind, Result};

/// What becomes of elements that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    Replace,
    Add(Sum),
}

/// What one element takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes(usize),
    /// Packed (types.md).
    Bits(u32),
}

impl Unit {
    /// Bytes that so many elements take.
    pub(super) fn bytes(self, elements: u64) -> Result<u64> {
        let what = "bytes of the box";
        match self {
            Self::Bytes(width) => math::mul(elements, math::wide(width), what),
            Self::Bits(bits) => math::packed_size(elements, bits, what),
        }
    }

    /// Bytes of one element before it is packed.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Bytes(width) => width,
            Self::Bits(_) => 1,
        }
    }
}

/// The caller's memory.
pub(super) struct Out<'o> {
    bytes: &'o mut [u8],
    pub(super) unit: Unit,
    pub(super) onto: Onto,
}

impl<'o> Out<'o> {
    /// Memory that is exactly as large as so many elements.
    pub(super) fn new(bytes: &'o mut [u8], unit: Unit, elements: u64) -> Result<Self> {
        let (need, have) = (unit.bytes(elements)?, math::wide(bytes.len()));
        if need != have {
            return Err(Error::new(ErrorKind::Room { what: "the copy", need, have }));
        }
        if let Unit::Bits(bits) = unit {
            // What no element reaches is 0: bits of the last byte, or of the last group of three.
            let group = if bits == 6 { 3 } else { 1 };
            if let Some(last) = bytes.rchunks_mut(group).next() {
                last.fill(0);
            }
        }
        Ok(Self { bytes, unit, onto: Onto::Replace })
    }

    /// The bytes of elements that follow one another, to be written: where they take whole bytes
    /// and replace what is there.
    pub(super) fn run(&mut self, first: u64, count: usize) -> Option<&mut [u8]> {
        match (self.unit, self.onto) {
            (Unit::Bytes(width), Onto::Replace) => {
                let start = usize::try_from(first).ok()?.checked_mul(width)?;
                self.bytes.get_mut(start..)?.get_mut(..count.checked_mul(width)?)
            }
            _ => None,
        }
    }

    /// Puts elements that follow one another.
    pub(super) fn put(&mut self, first: u64, elements: &[u8]) -> Result<()> {
        let first = math::to_usize(first, "place of an element")?;
        match self.unit {
            Unit::Bytes(width) => {
                let start = first.saturating_mul(width);
                let place = self.bytes.get_mut(start..);
                let place = place.and_then(|place| place.get_mut(..elements.len()));
                let place = place.ok_or_else(outside)?;
                match self.onto {
                    Onto::Replace => place.copy_from_slice(elements),
                    Onto::Add(sum) => sum.add(place, elements),
                }
            }
            Unit::Bits(bits) => {
                let (group, bytes) = number::group(bits);
                let start = first.checked_div(group).unwrap_or_default().saturating_mul(bytes);
                let within = first.checked_rem(group).unwrap_or_default();
                let place = self.bytes.get_mut(start..).ok_or_else(outside)?;
                number::pack(bits, elements, within, place);
            }
        }
        Ok(())
    }

    /// Puts elements each to its place; to none where that is negative.
    pub(super) fn scatter(&mut self, places: &[i64], elements: &[u8]) -> Result<()> {
        match (self.unit, self.onto) {
            (Unit::Bytes(width @ (1 | 2 | 4 | 8 | 16)), Onto::Replace) => {
                with_width!(width, N => {
                    let slots = self.bytes.as_chunks_mut::<N>().0;
                    for (&place, element) in places.iter().zip(elements.as_chunks::<N>().0) {
                        if let Some(slot) = slots.get_mut(slot(place)) {
                            *slot = *element;
                        }
                    }
                });
                Ok(())
            }
            _ => {
                let width = self.unit.width().max(1);
                for (&place, element) in places.iter().zip(elements.chunks(width)) {
                    if let Ok(place) = u64::try_from(place) {
                        self.put(place, element)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Puts zeros.
    pub(super) fn clear(&mut self, first: u64, count: u64) -> Result<()> {
        const ZEROS: [u8; 256] = [0; 256];
        let length = math::to_usize(count, "elements of the box")?;
        if let Some(run) = self.run(first, length) {
            run.fill(0);
            return Ok(());
        }
        let width = self.unit.width().max(1);
        let most = ZEROS.len().checked_div(width).unwrap_or(1).max(1);
        let (mut at, mut left) = (first, length);
        while left > 0 {
            let now = left.min(most);
            let zeros = ZEROS.get(..now.saturating_mul(width)).ok_or_else(outside)?;
            self.put(at, zeros)?;
            at = at.saturating_add(math::wide(now));
            left = left.saturating_sub(now);
        }
        Ok(())
    }
}

fn outside() -> Error {
    Error::new(ErrorKind::Internal { what: "a box reaches outside its memory" })
}
