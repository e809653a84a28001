//! The way of elements from the buffers of a tensor to the caller's memory, chunk by chunk.

use super::grid::{Grid, Shape};
use super::number::{Convert, Dequantize, Misfit};
use super::out::{Onto, Out, Unit};
use super::parameters::{Map, Parameters, Room};
use super::stage::{self, MOST, Source, Stage};
use super::target::Target;
use super::values::Values;
use crate::bytes::{Few, math};
use crate::descriptor::{Descriptor, ElementType};
use crate::error::{Error, ErrorKind, Result, Section};

/// What is done to codes on their way.
pub(super) enum Kernel<'v> {
    /// Nothing.
    Copy,
    Convert(Convert),
    Dequantize(Dequantize, Parameters<'v>),
}

/// A kernel, and what its elements take.
pub(super) struct Work<'v> {
    pub(super) kernel: Kernel<'v>,
    pub(super) unit: Unit,
}

impl<'v> Work<'v> {
    /// Elements as they are stored, codes of quantized tensors too.
    pub(super) fn copy(d: &Descriptor, target: Target) -> Result<Self> {
        let bits = d.element_bits().ok_or_else(|| {
            let what = "reading elements of a type that is not known";
            Error::new(ErrorKind::Unsupported { what })
        })?;
        let convert = Convert::new(d.element_type(), bits, target)?;
        let unit = match target {
            Target::Stored if bits < 8 => Unit::Bits(bits),
            _ => Unit::Bytes(convert.target_bytes()),
        };
        let same = match target {
            Target::Stored => true,
            Target::Bytes => bits >= 8,
            _ => cfg!(target_endian = "little") && has_numbers_of(d.element_type(), target),
        };
        let kernel = if same { Kernel::Copy } else { Kernel::Convert(convert) };
        Ok(Self { kernel, unit })
    }

    /// Elements as what they stand for.
    pub(super) fn dequantize(values: &Values<'v>, target: Target) -> Result<Self> {
        let d = values.descriptor();
        let Some(scheme) = d.quantization() else { return Self::copy(d, target) };
        let kernel = Dequantize::new(scheme, d.element_type(), target)?;
        let parameters = Parameters::new(values, scheme)?;
        let bits = d.element_bits().unwrap_or_default();
        let width = Convert::new(d.element_type(), bits, target)?.target_bytes();
        Ok(Self { kernel: Kernel::Dequantize(kernel, parameters), unit: Unit::Bytes(width) })
    }

    /// Which parameters belong to which index.
    pub(super) fn map(&self) -> Option<&Map> {
        match &self.kernel {
            Kernel::Dequantize(_, parameters) => parameters.map(),
            Kernel::Copy | Kernel::Convert(_) => None,
        }
    }
}

/// Whether elements of a type are what the target asks for.
fn has_numbers_of(element_type: ElementType, target: Target) -> bool {
    matches!(
        (element_type, target),
        (ElementType::FLOAT16, Target::F16)
            | (ElementType::BFLOAT16, Target::Bf16)
            | (ElementType::FLOAT32, Target::F32)
            | (ElementType::FLOAT64, Target::F64)
            | (ElementType::INT64, Target::I64)
    )
}

/// A box of a tensor, and where it goes: into a row-major box of the target, from its element
/// `start` on.
pub(super) struct Region<'r> {
    pub(super) lower: &'r [u64],
    pub(super) extent: &'r [u64],
    /// Elements of the target from one to the next along each dimension.
    pub(super) steps: &'r [u64],
    pub(super) start: u64,
}

impl Region<'_> {
    /// The place in the target of an index inside.
    pub(super) fn place(&self, index: &[u64]) -> u64 {
        let steps = index.iter().zip(self.lower).zip(self.steps);
        // Places of elements, which there is room for.
        steps.fold(self.start, |place, ((&x, &lower), &step)| {
            place.wrapping_add(x.wrapping_sub(lower).wrapping_mul(step))
        })
    }

    /// The index that a place in the target belongs to.
    fn index(&self, place: u64) -> Result<Few<u64, 8>> {
        let mut rest = place.saturating_sub(self.start);
        let mut index = Few::map(self.steps, |_| 0)?;
        let steps = index.as_mut_slice().iter_mut().zip(self.steps.iter().zip(self.lower));
        for (x, (&step, &lower)) in steps {
            *x = math::div(rest, step.max(1)).saturating_add(lower);
            rest = math::rem(rest, step.max(1));
        }
        Ok(index)
    }
}

/// Elements from one to the next along each dimension of a row-major box.
pub(super) fn steps(extent: &[u64]) -> Result<Few<u64, 8>> {
    let mut step = 1;
    let mut steps = Few::map(extent, |_| 0)?;
    for (place, &size) in steps.as_mut_slice().iter_mut().zip(extent).rev() {
        *place = step;
        step = math::mul(step, size, "elements of the box")?;
    }
    Ok(steps)
}

/// Elements on their way.
pub(super) struct Transfer<'t, 'v, 'o> {
    pub(super) source: Source<'v>,
    pub(super) work: &'t Work<'v>,
    pub(super) region: &'t Region<'t>,
    pub(super) out: &'t mut Out<'o>,
    stage: Stage,
    room: Room,
}

impl<'t, 'v, 'o> Transfer<'t, 'v, 'o> {
    pub(super) fn new(
        values: &Values<'v>,
        work: &'t Work<'v>,
        region: &'t Region<'t>,
        out: &'t mut Out<'o>,
    ) -> Result<Self> {
        let source = Source::new(values.descriptor(), values.buffer(0)?)?;
        let mut room = Room::new();
        if let Kernel::Dequantize(_, parameters) = &work.kernel {
            parameters.prepare(&mut room);
        }
        Ok(Self { source, work, region, out, stage: Stage::new(), room })
    }

    /// Brings the elements of a part of the region, which is `extent` indices from `lower` on. They
    /// lie at strides from `first` on.
    pub(super) fn affine(
        &mut self,
        lower: &[u64],
        extent: &[u64],
        first: i64,
        strides: &[i64],
    ) -> Result<()> {
        self.slots(lower, lower, extent, first, strides)
    }

    /// As [`affine`](Self::affine), where the parameters are not those of `lower` but of `entries`.
    pub(super) fn slots(
        &mut self,
        lower: &[u64],
        entries: &[u64],
        extent: &[u64],
        first: i64,
        strides: &[i64],
    ) -> Result<()> {
        let grid = Grid::new(&Shape {
            extent,
            first,
            strides: Some(strides),
            target: self.region.place(lower),
            target_steps: self.region.steps,
            parameters: self.work.map().map(|map| (map, entries)),
        })?;
        if !self.source.has_chunks() {
            return self.odd(&grid, None);
        }
        if self.is_rows(&grid) {
            return self.rows(&grid);
        }
        grid.chunks(self.most(), &mut |chunk| {
            self.source.gather(chunk, &mut self.stage)?;
            self.deliver(chunk)
        })
    }

    /// Brings the elements of a part whose offsets are listed in row-major order.
    pub(super) fn listed(&mut self, lower: &[u64], extent: &[u64], offsets: &[i64]) -> Result<()> {
        let grid = Grid::new(&Shape {
            extent,
            first: 0,
            strides: None,
            target: self.region.place(lower),
            target_steps: self.region.steps,
            parameters: self.work.map().map(|map| (map, lower)),
        })?;
        if !self.source.has_chunks() {
            return self.odd(&grid, Some(offsets));
        }
        grid.chunks(self.most(), &mut |chunk| {
            let count = math::to_usize(chunk.elements(), "elements of a chunk")?;
            let offsets = offsets.get(stage::slot(chunk.first)..).unwrap_or_default();
            self.source.pick(offsets.get(..count).unwrap_or_default(), &mut self.stage)?;
            self.deliver(chunk)
        })
    }

    /// The most elements of a chunk.
    pub(super) fn most(&self) -> u64 {
        let widest = math::wide(self.source.width.max(self.work.unit.width()));
        math::div(8192, widest.max(1)).min(math::wide(MOST))
    }

    /// Whether elements go as they are in runs that are worth a copy each.
    fn is_rows(&self, grid: &Grid) -> bool {
        /// Bytes of a run. What is read from a file is better read together.
        const LEAST: u64 = 64;
        const LEAST_READ: u64 = 4096;
        let least = if self.source.buffer.is_memory() { LEAST } else { LEAST_READ };
        let width = math::wide(self.source.width);
        let row = grid.dims.last();
        matches!(self.work.kernel, Kernel::Copy)
            && self.out.onto == Onto::Replace
            && self.out.unit == Unit::Bytes(self.source.width)
            && row.is_some_and(|row| {
                let is_long = row.count.saturating_mul(width) >= least || grid.dims.len() == 1;
                row.source == 1 && row.target == 1 && is_long
            })
    }

    /// Copies runs from where they are to where they go.
    fn rows(&mut self, grid: &Grid) -> Result<()> {
        let Some(row) = grid.dims.last() else { return Ok(()) };
        // Of a large grid whose dimensions were exchanged they are pieces of rows.
        grid.chunks(row.count, &mut |run| {
            let length = math::to_usize(run.elements(), "elements of a run")?;
            let from = self.source.byte(run.first);
            match self.out.run(run.target, length) {
                Some(to) => self.source.buffer.read(from, to),
                None => Err(outside()),
            }
        })
    }

    /// Copies elements of any width one by one. They are private: nothing is made of them.
    fn odd(&mut self, grid: &Grid, offsets: Option<&[i64]>) -> Result<()> {
        if self.is_rows(grid) && offsets.is_none() {
            return self.rows(grid);
        }
        grid.chunks(1, &mut |one| {
            let element = match offsets {
                Some(offsets) => {
                    offsets.get(stage::slot(one.first)).copied().ok_or_else(outside)?
                }
                None => one.first,
            };
            let to = self.out.run(one.target, 1).ok_or_else(outside)?;
            self.source.buffer.read(self.source.byte(element), to)
        })
    }

    /// Makes what is wanted of the codes of a chunk and puts it where it goes.
    fn deliver(&mut self, chunk: &Grid) -> Result<()> {
        if let Kernel::Dequantize(_, parameters) = &self.work.kernel {
            parameters.fill(chunk, &mut self.room, &mut self.stage.more)?;
        }
        let axes = stage::axes(chunk, |dim| dim.target.cast_signed())?;
        let Some((&row, outer)) = axes.split_last() else { return Ok(()) };
        let count = axes.iter().fold(1_usize, |all, axis| all.saturating_mul(axis.count));
        let width = self.out.unit.width();
        let Stage { codes, more, .. } = &mut self.stage;
        let codes: &[u8] = codes.get(..count.saturating_mul(self.source.width)).unwrap_or_default();
        if outer.is_empty()
            && row.step == 1
            && let Some(to) = self.out.run(chunk.target, count)
        {
            return run(&self.work.kernel, codes, &self.room, to)
                .map_err(|misfit| misfits(misfit, chunk, self.region));
        }
        let elements: &[u8] = if matches!(self.work.kernel, Kernel::Copy) {
            codes
        } else {
            let to = more.get_mut(..count.saturating_mul(width)).ok_or_else(outside)?;
            run(&self.work.kernel, codes, &self.room, to)
                .map_err(|misfit| misfits(misfit, chunk, self.region))?;
            to
        };
        let mut put = |outer: &[stage::Axis], length: usize| {
            let length = length.saturating_mul(width);
            stage::each(outer, chunk.target.cast_signed(), |target, at| {
                let start = at.saturating_mul(width);
                let row = elements.get(start..).and_then(|rest| rest.get(..length));
                self.out.put(target.cast_unsigned(), row.ok_or_else(outside)?)
            })
        };
        if row.step == 1 { put(outer, row.count) } else { put(&axes, 1) }
    }

    /// Brings elements that lie anywhere, go anywhere and have any parameters; at most as many as
    /// make a chunk. To a negative place none goes.
    pub(super) fn scattered(
        &mut self,
        offsets: &[i64],
        places: &[i64],
        entries: &[i64],
    ) -> Result<()> {
        if !self.source.has_chunks() {
            for (&offset, &place) in offsets.iter().zip(places) {
                let to = self.out.run(place.cast_unsigned(), 1).ok_or_else(outside)?;
                self.source.buffer.read(self.source.byte(offset), to)?;
            }
            return Ok(());
        }
        self.source.pick(offsets, &mut self.stage)?;
        let count = offsets.len();
        if let Kernel::Dequantize(_, parameters) = &self.work.kernel {
            parameters.pick(entries, &mut self.room, &mut self.stage.more)?;
        }
        let Stage { codes, more, .. } = &mut self.stage;
        let codes = codes.get(..count.saturating_mul(self.source.width)).unwrap_or_default();
        if matches!(self.work.kernel, Kernel::Copy) {
            return self.out.scatter(places, codes);
        }
        let length = count.saturating_mul(self.out.unit.width());
        let to = more.get_mut(..length).ok_or_else(outside)?;
        run(&self.work.kernel, codes, &self.room, to).map_err(|(at, kind)| {
            let place = places.get(at).copied().unwrap_or_default();
            misfit(kind, place.cast_unsigned(), self.region)
        })?;
        self.out.scatter(places, to)
    }
}

/// Makes what is wanted of codes.
fn run(kernel: &Kernel<'_>, codes: &[u8], room: &Room, out: &mut [u8]) -> Result<(), Misfit> {
    match kernel {
        Kernel::Copy => {
            out.copy_from_slice(codes);
            Ok(())
        }
        Kernel::Convert(convert) => convert.run(codes, out),
        Kernel::Dequantize(kernel, _) => {
            kernel.run(codes, &room.scales, room.zero_points(), out);
            Ok(())
        }
    }
}

/// The error for an element of a chunk that cannot be what is wanted.
#[cold]
fn misfits((at, kind): Misfit, chunk: &Grid, region: &Region<'_>) -> Error {
    let mut place = None;
    let mut left = at;
    let one = chunk.chunks(1, &mut |one| {
        match left.checked_sub(1) {
            Some(less) => left = less,
            None => drop(place.get_or_insert(one.target)),
        }
        Ok(())
    });
    match one {
        Ok(()) => misfit(kind, place.unwrap_or_default(), region),
        Err(error) => error,
    }
}

fn misfit(kind: ErrorKind, place: u64, region: &Region<'_>) -> Error {
    let error = Error::new(kind).in_section(Section::Data);
    match region.index(place) {
        Ok(index) => error.at_index(&index),
        Err(error) => error,
    }
}

fn outside() -> Error {
    Error::new(ErrorKind::Internal { what: "a box reaches outside its memory" })
}
