//! Scales and zero points: which belong to an element, and bringing them in (quantization.md).

use super::buffer::Buffer;
use super::grid::{Dim, Grid};
use super::number::{self, ScaleKind};
use super::stage::MOST;
use super::values::Values;
use crate::bytes::{Few, math};
use crate::descriptor::{ElementType, Layout, Quantization};
use crate::error::{BufferEntry, EntryFault, Error, ErrorKind, Result, Section};

/// Bytes of a zero point.
const ZERO_POINT: u64 = 4;

/// Which entry of the parameter buffers belongs to an index.
pub(super) struct Map {
    pub(super) axis: usize,
    /// Indices of the axis that share an entry.
    pub(super) block: u64,
    /// Entries from one index to the next along each dimension; along the axis, from block to
    /// block.
    steps: Few<u64, 8>,
}

impl Map {
    fn new(axis: u32, block: u64, steps: Few<u64, 8>) -> Result<Self> {
        Ok(Self { axis: math::to_usize(axis.into(), "axis")?, block, steps })
    }

    /// One entry for every index of the axis.
    fn channels(axis: u32, shape: &[u64]) -> Result<Self> {
        let axis_at = usize::try_from(axis).unwrap_or(usize::MAX);
        let mut steps = Few::map(shape, |_| 0)?;
        if let Some(step) = steps.as_mut_slice().get_mut(axis_at) {
            *step = 1;
        }
        Self::new(axis, 1, steps)
    }

    /// One entry for every block, block after block along the axis, then in row-major order.
    fn blocks(axis: u32, block: u64, shape: &[u64]) -> Result<Self> {
        let axis_at = usize::try_from(axis).unwrap_or(usize::MAX);
        let size = shape.get(axis_at).copied().unwrap_or_default();
        let mut step = math::div_ceil(size, block);
        let mut steps = Few::map(shape, |_| 1)?;
        // An empty tensor has no blocks, and their products may overflow (decisions.md row 53).
        if shape.contains(&0) {
            return Self::new(axis, block, steps);
        }
        for (k, (place, &size)) in steps.as_mut_slice().iter_mut().zip(shape).enumerate().rev() {
            if k != axis_at {
                *place = step;
                step = math::mul(step, size, "count of blocks")?;
            }
        }
        Self::new(axis, block, steps)
    }

    pub(super) fn step(&self, dimension: usize) -> u64 {
        self.steps.get(dimension).copied().unwrap_or_default()
    }

    /// The entry of an index, and how many indices of its block lie before it. Indices lie in the
    /// shape: entries are as many as were counted, and fit 64 bits.
    pub(super) fn place(&self, index: &[u64]) -> (u64, u64) {
        let mut entry = 0_u64;
        let mut phase = 0;
        for (k, (&x, &step)) in index.iter().zip(self.steps.iter()).enumerate() {
            let mut x = x;
            if k == self.axis {
                (x, phase) = (math::div(x, self.block), math::rem(x, self.block));
            }
            entry = entry.wrapping_add(x.wrapping_mul(step));
        }
        (entry, phase)
    }
}

/// The parameters of a tensor's scheme.
pub(super) struct Parameters<'v> {
    /// `None` where all elements have the same.
    map: Option<Map>,
    scales: Scales<'v>,
    zero_points: Zeros<'v>,
}

enum Scales<'v> {
    One(f32),
    Many { buffer: Buffer<'v>, kind: ScaleKind },
}

enum Zeros<'v> {
    None,
    One(i32),
    /// From this byte of the buffer on.
    Many {
        buffer: Buffer<'v>,
        base: u64,
    },
}

/// Parameters of the elements of a chunk, one each. Bringing them in takes room for their bytes: 4
/// for every element.
pub(super) struct Room {
    pub(super) scales: [f32; MOST],
    zero_points: [i32; MOST],
    has_zero_points: bool,
}

impl Room {
    pub(super) fn new() -> Self {
        Self { scales: [0.0; MOST], zero_points: [0; MOST], has_zero_points: false }
    }

    /// None, or one an element.
    pub(super) fn zero_points(&self) -> &[i32] {
        if self.has_zero_points { &self.zero_points } else { &[] }
    }
}

impl<'v> Parameters<'v> {
    pub(super) fn new(values: &Values<'v>, scheme: &'v Quantization) -> Result<Self> {
        let d = values.descriptor();
        let shape = d.shape();
        let (map, kind) = match scheme {
            Quantization::PerTensor(scheme) => {
                return Ok(Self {
                    map: None,
                    scales: Scales::One(scheme.scale()),
                    zero_points: match scheme.zero_point() {
                        0 => Zeros::None,
                        zero_point => Zeros::One(zero_point),
                    },
                });
            }
            Quantization::PerChannel(scheme) => {
                (Map::channels(scheme.axis(), shape)?, ScaleKind::F32)
            }
            Quantization::PerBlock(scheme) => {
                let map = match d.layout() {
                    // The axis of such a tensor is that of its page slots.
                    Layout::BlockPaged(_) => Map::channels(0, shape)?,
                    _ => Map::blocks(scheme.axis(), scheme.block_size().into(), shape)?,
                };
                let kind = match scheme.scale_type() {
                    ElementType::FLOAT16 => ScaleKind::F16,
                    ElementType::BFLOAT16 => ScaleKind::Bf16,
                    _ => ScaleKind::F32,
                };
                (map, kind)
            }
            Quantization::Nf4(scheme) => {
                let block = scheme.block_size().into();
                (Map::blocks(scheme.axis(), block, shape)?, ScaleKind::F32)
            }
            Quantization::Mxfp(scheme) => {
                let block = scheme.block_size().into();
                (Map::blocks(scheme.axis(), block, shape)?, ScaleKind::E8m0)
            }
            Quantization::Opaque(_) => {
                let what = "dequantizing by a scheme that is not known";
                return Err(Error::new(ErrorKind::Unsupported { what }));
            }
        };
        let places = scheme.parameters();
        let (Some(scales), Some(entries)) = (places.scales, d.parameter_count()?) else {
            let what = "a scheme of blocks or channels without scales";
            return Err(Error::new(ErrorKind::Internal { what }));
        };
        let zero_points = match places.zero_points {
            None => Zeros::None,
            Some(buffer) => {
                let what = "size of a parameter buffer";
                let base = if buffer == scales {
                    math::mul(entries, places.scale_bytes.into(), what)?
                } else {
                    0
                };
                Zeros::Many { buffer: values.buffer(buffer.into())?, base }
            }
        };
        let scales = Scales::Many { buffer: values.buffer(scales.into())?, kind };
        Ok(Self { map: Some(map), scales, zero_points })
    }

    pub(super) fn map(&self) -> Option<&Map> {
        self.map.as_ref()
    }

    /// What is the same for all chunks.
    pub(super) fn prepare(&self, room: &mut Room) {
        if let Scales::One(scale) = self.scales {
            room.scales.fill(scale);
        }
        if let Zeros::One(zero_point) = self.zero_points {
            room.zero_points.fill(zero_point);
        }
        room.has_zero_points = !matches!(self.zero_points, Zeros::None);
    }

    /// Brings in the parameters of the elements of a chunk, in its order.
    pub(super) fn fill(&self, chunk: &Grid, room: &mut Room, raw: &mut [u8]) -> Result<()> {
        if self.map.is_none() {
            return Ok(());
        }
        let Some((&row, outer)) = chunk.dims.split_last() else { return Ok(()) };
        let length = math::to_usize(row.count, "elements of a chunk")?;
        let mut done = None;
        let mut at = 0_usize;
        let mut index = Few::<u64, 6>::map(outer, |_| 0)?;
        loop {
            let (entry, phase) = place(chunk, outer, &index);
            let end = at.saturating_add(length);
            match done {
                // The same as in the row before: it lies in the same block.
                Some(last) if last == (entry, phase) => {
                    let before = at.saturating_sub(length)..at;
                    room.scales.copy_within(before.clone(), at);
                    room.zero_points.copy_within(before, at);
                }
                _ => self.row(row, chunk.block, (entry, phase), at..end, room, raw)?,
            }
            done = Some((entry, phase));
            at = end;
            let mut is_last = true;
            for (x, dim) in index.as_mut_slice().iter_mut().zip(outer).rev() {
                *x = x.saturating_add(1);
                if *x < dim.count {
                    is_last = false;
                    break;
                }
                *x = 0;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// The parameters of one row.
    fn row(
        &self,
        row: Dim,
        block: u64,
        (entry, phase): (u64, u64),
        at: std::ops::Range<usize>,
        room: &mut Room,
        raw: &mut [u8],
    ) -> Result<()> {
        if !row.is_axis && row.parameter == 0 {
            return self.repeated(entry, at, room, raw);
        }
        if !row.is_axis || block == 1 {
            return self.entries(entry, row.parameter, at, room, raw);
        }
        // As many blocks as the row touches, brought in at its end and spread from its start on:
        // a block never reaches the entries of those after it before they were read.
        let blocks = math::div_ceil(phase.saturating_add(row.count), block);
        let first = at.end.saturating_sub(math::to_usize(blocks, "blocks of a row")?);
        self.entries(entry, 1, first..at.end, room, raw)?;
        let block = usize::try_from(block).unwrap_or(usize::MAX);
        let mut left = block.saturating_sub(usize::try_from(phase).unwrap_or(0));
        let mut from = at.start;
        for source in first..at.end {
            let to = from.saturating_add(left).min(at.end);
            spread(&mut room.scales, source, from..to);
            if room.has_zero_points {
                spread(&mut room.zero_points, source, from..to);
            }
            (from, left) = (to, block);
        }
        Ok(())
    }

    /// One entry for all.
    fn repeated(
        &self,
        entry: u64,
        at: std::ops::Range<usize>,
        room: &mut Room,
        raw: &mut [u8],
    ) -> Result<()> {
        self.entries(entry, 1, at.start..at.start.saturating_add(1), room, raw)?;
        spread(&mut room.scales, at.start, at.clone());
        if room.has_zero_points {
            spread(&mut room.zero_points, at.start, at);
        }
        Ok(())
    }

    /// One entry for each element, `step` apart.
    fn entries(
        &self,
        first: u64,
        step: u64,
        at: std::ops::Range<usize>,
        room: &mut Room,
        raw: &mut [u8],
    ) -> Result<()> {
        let what = "offset of a parameter";
        let step = i64::try_from(step).map_err(|_| Error::new(ErrorKind::Overflow { what }))?;
        let bring = |buffer: &Buffer<'_>, base: u64, width: usize, raw: &mut [u8]| {
            let wide = math::wide(width);
            let start = math::add(base, math::mul(first, wide, what)?, what)?;
            let stride = step.saturating_mul(wide.cast_signed());
            match width {
                _ if step == 1 => buffer.read(start, raw),
                1 => buffer.gather(start, stride, raw.as_chunks_mut::<1>().0),
                2 => buffer.gather(start, stride, raw.as_chunks_mut::<2>().0),
                _ => buffer.gather(start, stride, raw.as_chunks_mut::<4>().0),
            }
        };
        let count = at.len();
        if let Scales::Many { buffer, kind } = &self.scales {
            let bytes = part(raw, 0..count.saturating_mul(kind.bytes()))?;
            bring(buffer, 0, kind.bytes(), bytes)?;
            let scales = part(&mut room.scales, at.clone())?;
            number::widen_scales(*kind, bytes, scales).map_err(|(place, kind)| {
                let place = math::wide(place).saturating_mul(step.unsigned_abs());
                not_a_scale(first.saturating_add(place), kind)
            })?;
        }
        if let Zeros::Many { buffer, base } = &self.zero_points {
            let bytes = part(raw, 0..count.saturating_mul(4))?;
            bring(buffer, *base, 4, bytes)?;
            let zero_points = part(&mut room.zero_points, at)?;
            for (zero_point, word) in zero_points.iter_mut().zip(bytes.as_chunks().0) {
                *zero_point = i32::from_le_bytes(*word);
            }
        }
        Ok(())
    }

    /// Brings in the parameters of elements whose entries are listed.
    pub(super) fn pick(&self, entries: &[i64], room: &mut Room, raw: &mut [u8]) -> Result<()> {
        if let Scales::Many { buffer, kind } = &self.scales {
            let width = kind.bytes();
            let bytes = part(raw, 0..entries.len().saturating_mul(width))?;
            match width {
                1 => buffer.pick(0, 1, entries, bytes.as_chunks_mut::<1>().0),
                2 => buffer.pick(0, 2, entries, bytes.as_chunks_mut::<2>().0),
                _ => buffer.pick(0, 4, entries, bytes.as_chunks_mut::<4>().0),
            }?;
            let scales = part(&mut room.scales, 0..entries.len())?;
            number::widen_scales(*kind, bytes, scales).map_err(|(place, kind)| {
                let entry = entries.get(place).copied().unwrap_or_default();
                not_a_scale(entry.unsigned_abs(), kind)
            })?;
        }
        if let Zeros::Many { buffer, base } = &self.zero_points {
            let bytes = part(raw, 0..entries.len().saturating_mul(4))?;
            let pieces = bytes.as_chunks_mut::<4>().0;
            buffer.pick(*base, ZERO_POINT.cast_signed(), entries, pieces)?;
            for (zero_point, word) in room.zero_points.iter_mut().zip(pieces) {
                *zero_point = i32::from_le_bytes(*word);
            }
        }
        Ok(())
    }
}

/// Entry and phase of a row.
fn place(chunk: &Grid, outer: &[Dim], index: &[u64]) -> (u64, u64) {
    let (mut entry, mut phase) = (chunk.parameter, chunk.phase);
    for (dim, &x) in outer.iter().zip(index) {
        let mut steps = x;
        if dim.is_axis {
            let along = chunk.phase.wrapping_add(x);
            (steps, phase) = (math::div(along, chunk.block), 0);
        }
        entry = entry.wrapping_add(dim.parameter.wrapping_mul(steps));
    }
    (entry, phase)
}

/// Copies one number over a range.
fn spread<T: Copy>(numbers: &mut [T], source: usize, to: std::ops::Range<usize>) {
    if let Some(&number) = numbers.get(source)
        && let Some(to) = numbers.get_mut(to)
    {
        to.fill(number);
    }
}

fn part<T>(room: &mut [T], range: std::ops::Range<usize>) -> Result<&mut [T]> {
    let what = "more parameters than there is room for";
    room.get_mut(range).ok_or_else(|| Error::new(ErrorKind::Internal { what }))
}

/// A scale that is no number. Of these there are only e8m0 codes.
fn not_a_scale(index: u64, kind: ErrorKind) -> Error {
    let kind = match kind {
        ErrorKind::Value { value, .. } => ErrorKind::Entry {
            entry: BufferEntry { buffer: "scales", level: None, index },
            fault: EntryFault::Code {
                value: u8::try_from(value).unwrap_or_default(),
                element_type: ElementType::FLOAT8_E8M0.name(),
            },
        },
        kind => kind,
    };
    Error::new(kind).in_section(Section::Data)
}
