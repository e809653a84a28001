//! Codes of a chunk of elements, brought together from wherever they lie.

use super::buffer::Buffer;
use super::grid::{Dim, Grid};
use super::number::{self, Convert};
use super::target::Target;
use crate::bytes::{Few, math};
use crate::descriptor::Descriptor;
use crate::error::{Error, ErrorKind, Result};

/// The most elements of a chunk.
pub(super) const MOST: usize = 1024;

/// Bytes of a chunk, before and after its conversion.
const BYTES: usize = 8 * MOST;

/// Packed elements that are unpacked at once.
const UNPACKED: usize = 2 * MOST;

/// Bytes that they take, of the widest type of less than a byte, and lying anywhere in their first
/// group.
const PACKED: usize = UNPACKED / 4 * 3 + 6;

/// Room for a chunk.
pub(super) struct Stage {
    /// The codes, in the order of the chunk. Of less than a byte: one byte each.
    pub(super) codes: [u8; BYTES],
    /// For what they are made from, and then for what is made of them.
    pub(super) more: [u8; BYTES],
    packed: [u8; PACKED],
}

impl Stage {
    pub(super) fn new() -> Self {
        Self { codes: [0; BYTES], more: [0; BYTES], packed: [0; PACKED] }
    }
}

/// One dimension of a chunk: elements, and the steps from one to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axis {
    pub(super) count: usize,
    /// In the chunk.
    stage: usize,
    /// Outside of it.
    pub(super) step: i64,
}

/// The dimensions of a chunk, those that follow one another outside of it as one.
pub(super) type Axes = Few<Axis, 6>;

pub(super) fn axes(chunk: &Grid, step: impl Fn(&Dim) -> i64) -> Result<Axes> {
    let mut axes = Axes::new();
    for dim in chunk.dims.iter().filter(|dim| dim.count != 1) {
        let (count, step) = (math::to_usize(dim.count, "elements of a chunk")?, step(dim));
        match axes.as_mut_slice().last_mut() {
            Some(outer) if step.wrapping_mul(dim.count.cast_signed()) == outer.step => {
                *outer = Axis { count: outer.count.saturating_mul(count), step, stage: 1 };
            }
            _ => axes.push(Axis { count, step, stage: 1 })?,
        }
    }
    if axes.is_empty() {
        axes.push(Axis { count: 1, step: 1, stage: 1 })?;
    }
    let mut stage = 1_usize;
    for axis in axes.as_mut_slice().iter_mut().rev() {
        axis.stage = stage;
        stage = stage.saturating_mul(axis.count);
    }
    Ok(axes)
}

/// Visits all that lies along some axes: where it is outside, from `first` on, and in the chunk.
pub(super) fn each(
    axes: &[Axis],
    first: i64,
    mut visit: impl FnMut(i64, usize) -> Result<()>,
) -> Result<()> {
    let (mut outside, mut inside) = (first, 0_usize);
    let mut index = Few::<usize, 6>::map(axes, |_| 0)?;
    loop {
        visit(outside, inside)?;
        let mut is_last = true;
        for (x, axis) in index.as_mut_slice().iter_mut().zip(axes).rev() {
            *x = x.saturating_add(1);
            if *x < axis.count {
                outside = outside.wrapping_add(axis.step);
                inside = inside.saturating_add(axis.stage);
                is_last = false;
                break;
            }
            *x = 0;
            let back = axis.count.saturating_sub(1);
            let steps = math::wide(back).cast_signed();
            outside = outside.wrapping_sub(axis.step.wrapping_mul(steps));
            inside = inside.saturating_sub(axis.stage.saturating_mul(back));
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Runs `$body` with `$N` bytes of an element as a constant.
macro_rules! with_width {
    ($width:expr, $N:ident => $body:expr) => {
        match $width {
            1 => {
                const $N: usize = 1;
                $body
            }
            2 => {
                const $N: usize = 2;
                $body
            }
            4 => {
                const $N: usize = 4;
                $body
            }
            8 => {
                const $N: usize = 8;
                $body
            }
            16 => {
                const $N: usize = 16;
                $body
            }
            _ => return Err($crate::values::stage::odd_width()),
        }
    };
}
pub(super) use with_width;

#[cold]
pub(super) fn odd_width() -> Error {
    Error::new(ErrorKind::Internal { what: "elements of a width that chunks do not have" })
}

/// The elements of a tensor in its first buffer. Offsets count elements from byte_offset on.
#[derive(Clone, Copy)]
pub(super) struct Source<'v> {
    pub(super) buffer: Buffer<'v>,
    base: u64,
    pub(super) bits: u32,
    /// Bytes of a code: 1 below 8 bits.
    pub(super) width: usize,
}

impl<'v> Source<'v> {
    pub(super) fn new(d: &Descriptor, buffer: Buffer<'v>) -> Result<Self> {
        let bits = d.element_bits().ok_or_else(|| {
            let what = "reading elements of a type that is not known";
            Error::new(ErrorKind::Unsupported { what })
        })?;
        let width = Convert::new(d.element_type(), bits, Target::Stored)?.source_bytes();
        Ok(Self { buffer, base: d.byte_offset(), bits, width })
    }

    pub(super) fn is_packed(&self) -> bool {
        self.bits < 8
    }

    /// Whether chunks can hold its elements: private types may have any width.
    pub(super) fn has_chunks(&self) -> bool {
        matches!(self.width, 1 | 2 | 4 | 8 | 16)
    }

    /// The byte of an element of whole bytes. Elements that there are lie in their buffer, and the
    /// buffer itself looks at what is asked of it.
    pub(super) fn byte(&self, element: i64) -> u64 {
        let width = math::wide(self.width).cast_signed();
        self.base.wrapping_add(element.wrapping_mul(width).cast_unsigned())
    }

    /// Brings the elements of a chunk together, in its order.
    pub(super) fn gather(&self, chunk: &Grid, stage: &mut Stage) -> Result<()> {
        let axes = axes(chunk, |dim| dim.source)?;
        let count = axes.iter().fold(1_usize, |all, axis| all.saturating_mul(axis.count));
        let Some((&inner, outer)) = axes.split_last() else { return Ok(()) };
        let Stage { codes, more, packed } = stage;
        let codes = self.slots(codes, count)?;
        if outer.is_empty() {
            return self.line(chunk.first, inner.step, codes, packed);
        }
        let (mut low, mut high) = (chunk.first, chunk.first);
        for axis in axes.iter() {
            let reach =
                axis.step.wrapping_mul(math::wide(axis.count).cast_signed().wrapping_sub(1));
            let side = if reach < 0 { &mut low } else { &mut high };
            *side = side.wrapping_add(reach);
        }
        let is_run = inner.step == 1 && inner.count.saturating_mul(self.width) >= 64;
        if !(is_run && self.buffer.is_memory())
            && let Some(span) = self.span(low, high, count)
        {
            let span = self.slots(more, span)?;
            self.line(low, 1, span, packed)?;
            return with_width!(self.width, N => {
                let (from, to) = (span.as_chunks::<N>().0, codes.as_chunks_mut::<N>().0);
                each(outer, chunk.first.wrapping_sub(low), |place, at| {
                    take(from, place, inner.step, to.get_mut(at..).unwrap_or_default(), inner.count);
                    Ok(())
                })
            });
        }
        self.lines(&axes, chunk.first, codes, more, packed)
    }

    /// Line by line, along the axis with the smallest steps.
    fn lines(
        &self,
        axes: &[Axis],
        first: i64,
        codes: &mut [u8],
        more: &mut [u8],
        packed: &mut [u8; PACKED],
    ) -> Result<()> {
        let step = |k: &usize| axes.get(*k).map_or(u64::MAX, |axis| axis.step.unsigned_abs());
        let along = (0..axes.len()).rev().min_by_key(step).unwrap_or_default();
        let mut others = Axes::new();
        let mut line = Axis::default();
        for (k, &axis) in axes.iter().enumerate() {
            if k == along {
                line = axis;
            } else {
                others.push(axis)?;
            }
        }
        if line.stage == 1 {
            return each(&others, first, |place, at| {
                let start = at.saturating_mul(self.width);
                let to = codes.get_mut(start..).unwrap_or_default();
                self.line(place, line.step, self.slots(to, line.count)?, packed)
            });
        }
        let from = self.slots(more, line.count)?;
        with_width!(self.width, N => {
            let to = codes.as_chunks_mut::<N>().0;
            each(&others, first, |place, at| {
                self.line(place, line.step, from, packed)?;
                let slots = to.get_mut(at..).unwrap_or_default().iter_mut().step_by(line.stage);
                for (slot, code) in slots.zip(from.as_chunks::<N>().0) {
                    *slot = *code;
                }
                Ok(())
            })
        })
    }

    /// Brings elements together whose offsets are listed.
    pub(super) fn pick(&self, offsets: &[i64], stage: &mut Stage) -> Result<()> {
        let Stage { codes, more, packed } = stage;
        let codes = self.slots(codes, offsets.len())?;
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for &offset in offsets {
            (low, high) = (low.min(offset), high.max(offset));
        }
        let Some(span) = self.span(low, high, offsets.len()) else {
            return self.scattered(offsets.iter().copied(), codes);
        };
        if offsets.is_sorted_by(|a, b| a.wrapping_add(1) == *b) {
            return self.line(low, 1, codes, packed);
        }
        let span = self.slots(more, span)?;
        self.line(low, 1, span, packed)?;
        with_width!(self.width, N => {
            let from = span.as_chunks::<N>().0;
            for (code, &offset) in codes.as_chunks_mut::<N>().0.iter_mut().zip(offsets) {
                if let Some(found) = from.get(slot(offset.wrapping_sub(low))) {
                    *code = *found;
                }
            }
        });
        Ok(())
    }

    /// How many elements lie from `low` to `high`, if that is so few that all are brought in where
    /// `wanted` of them are.
    fn span(&self, low: i64, high: i64, wanted: usize) -> Option<usize> {
        let room = if self.is_packed() { UNPACKED } else { BYTES.checked_div(self.width)? };
        // One read of many bytes costs as much as one of a few.
        let most = if self.buffer.is_memory() { room.min(wanted.saturating_mul(4)) } else { room };
        let span = usize::try_from(high.checked_sub(low)?).ok()?.checked_add(1)?;
        (span <= most).then_some(span)
    }

    /// Room for so many codes.
    fn slots<'s>(&self, bytes: &'s mut [u8], count: usize) -> Result<&'s mut [u8]> {
        let what = "more elements than a chunk has room for";
        let slots = bytes.get_mut(..count.saturating_mul(self.width));
        slots.ok_or_else(|| Error::new(ErrorKind::Internal { what }))
    }

    /// Elements at a step: as many as `codes` has room for.
    fn line(
        &self,
        first: i64,
        step: i64,
        codes: &mut [u8],
        packed: &mut [u8; PACKED],
    ) -> Result<()> {
        match (self.is_packed(), step) {
            (false, 1) => self.buffer.read(self.byte(first), codes),
            (false, _) => {
                let stride = step.wrapping_mul(math::wide(self.width).cast_signed());
                with_width!(self.width, N => {
                    let codes = codes.as_chunks_mut::<N>().0;
                    self.buffer.gather(self.byte(first), stride, codes)
                })
            }
            (true, 1) => self.unpack(first, codes, packed),
            (true, _) => {
                let offsets = std::iter::successors(Some(first), |at| Some(at.wrapping_add(step)));
                self.scattered(offsets, codes)
            }
        }
    }

    /// The byte of the group that a packed element is in, and its place there.
    fn place(&self, element: i64) -> (u64, usize) {
        let (elements, bytes) = number::group(self.bits);
        let elements = math::wide(elements).cast_signed();
        let group = element.div_euclid(elements).cast_unsigned();
        let byte = self.base.wrapping_add(group.wrapping_mul(math::wide(bytes)));
        (byte, usize::try_from(element.rem_euclid(elements)).unwrap_or_default())
    }

    /// Packed elements that follow one another.
    fn unpack(&self, first: i64, codes: &mut [u8], packed: &mut [u8; PACKED]) -> Result<()> {
        let (byte, within) = self.place(first);
        let elements = math::wide(within.saturating_add(codes.len()));
        let length = math::packed_size(elements, self.bits, "bytes of a run")?;
        let what = "more packed elements than there is room for";
        let packed = usize::try_from(length).ok().and_then(|length| packed.get_mut(..length));
        let packed = packed.ok_or_else(|| Error::new(ErrorKind::Internal { what }))?;
        self.buffer.read(byte, packed)?;
        number::unpack(self.bits, packed, within, codes);
        Ok(())
    }

    /// Elements anywhere: as many as `codes` has room for.
    fn scattered(&self, mut offsets: impl Iterator<Item = i64>, codes: &mut [u8]) -> Result<()> {
        /// Elements that are looked for at a time.
        const GROUP: usize = 64;
        let mut places = [0; GROUP];
        let group = GROUP.saturating_mul(self.width);
        for codes in codes.chunks_mut(group) {
            let count = codes.len().checked_div(self.width).unwrap_or_default();
            for (place, offset) in places.iter_mut().take(count).zip(&mut offsets) {
                *place = offset;
            }
            let places = places.get_mut(..count).unwrap_or_default();
            match self.bits {
                6 => self.scattered_groups::<3, 4>(places, codes)?,
                4 => self.scattered_groups::<1, 2>(places, codes)?,
                2 => self.scattered_groups::<1, 4>(places, codes)?,
                1 => self.scattered_groups::<1, 8>(places, codes)?,
                _ => with_width!(self.width, N => {
                    let width = math::wide(N).cast_signed();
                    self.buffer.pick(self.base, width, places, codes.as_chunks_mut::<N>().0)?;
                }),
            }
        }
        Ok(())
    }

    /// Packed elements, at most 64, from groups of `B` bytes with `E` elements each.
    fn scattered_groups<const B: usize, const E: u8>(
        &self,
        places: &mut [i64],
        codes: &mut [u8],
    ) -> Result<()> {
        let mut groups = [[0; B]; 64];
        let groups = groups.get_mut(..places.len()).unwrap_or_default();
        for (place, code) in places.iter_mut().zip(&mut *codes) {
            // Where in the group it is: kept here until the group is there.
            *code = u8::try_from(place.rem_euclid(E.into())).unwrap_or_default();
            *place = place.div_euclid(E.into());
        }
        self.buffer.pick(self.base, math::wide(B).cast_signed(), places, groups)?;
        for (code, group) in codes.iter_mut().zip(groups) {
            *code = number::in_group(self.bits, *group, *code);
        }
        Ok(())
    }
}

/// Copies `count` elements, `step` apart.
#[inline]
fn take<T: Copy>(from: &[T], first: i64, step: i64, to: &mut [T], count: usize) {
    let (mut place, step) = (slot(first), slot_step(step));
    for to in to.iter_mut().take(count) {
        if let Some(found) = from.get(place) {
            *to = *found;
        }
        place = place.wrapping_add(step);
    }
}

/// A place that is not negative.
#[inline]
pub(super) fn slot(place: i64) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// A step that may be: adding it wraps.
#[inline]
fn slot_step(step: i64) -> usize {
    isize::try_from(step).unwrap_or_default().cast_unsigned()
}
