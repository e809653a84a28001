//! Boxes of tensors whose elements lie at strides, brought into row-major order.

use super::sum::Sum;
use crate::bytes::{Few, math};
use crate::composite::Span;
use crate::container::Tensor;
use crate::descriptor::Descriptor;
use crate::descriptor::layout::Layout;
use crate::error::{Error, ErrorKind, Result};

/// Bytes that are read at a time where a box is not one run of bytes.
pub(super) const CHUNK: usize = 1 << 18;

/// A stretch of at most so many bytes is read whole, however few of them are wanted.
const SMALL: u64 = 4096;

/// Of a longer one, at least one byte in so many is wanted.
const SPARSEST: u64 = 8;

/// What becomes of elements that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    Replace,
    Add(Sum),
}

/// Where elements come from and go to.
pub(super) struct Transfer<'t> {
    pub(super) tensor: &'t Tensor,
    /// Bytes of one element.
    pub(super) width: u32,
    pub(super) onto: Onto,
    pub(super) target: &'t mut [u8],
    /// Room for `CHUNK` bytes.
    pub(super) scratch: &'t mut [u8],
}

/// One dimension of a box: how many elements, and the bytes from one to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Axis {
    count: u64,
    source: i64,
    target: u64,
}

impl Transfer<'_> {
    /// Brings the elements of `region`, which is not empty, into the box of `extent` elements a
    /// dimension that the target is, from `at` in it on.
    pub(super) fn run(&mut self, region: &[Span], extent: &[u64], at: &[u64]) -> Result<()> {
        let d = self.tensor.descriptor();
        let strides = strides(d, self.width)?;
        let mut axes = Few::<Axis, 4>::with_capacity(region.len())?;
        let (mut from, mut to) = (d.byte_offset(), 0);
        let mut steps = steps(extent, self.width)?;
        let places = strides.iter().zip(steps.as_mut_slice()).zip(region).zip(at);
        for (((&source, &mut target), span), &at) in places {
            from = math::step(from, source, span.lower, "element offset")?;
            to = math::add(to, math::mul(at, target, "element offset")?, "element offset")?;
            let count = span.upper.saturating_sub(span.lower);
            join(&mut axes, Axis { count, source, target })?;
        }
        self.bring(&mut axes, from, to)
    }

    /// Brings elements: at once where they are one run, through the scratch where they lie
    /// together, else one half after the other.
    fn bring(&mut self, axes: &mut Few<Axis, 4>, from: u64, to: u64) -> Result<()> {
        let width = u64::from(self.width);
        if self.onto == Onto::Replace
            && let Some(length) = one_run(axes, width)
        {
            let run = slice_mut(self.target, to, length)?;
            return self.tensor.read(0, from, run);
        }
        let (mut low, mut high, mut wanted) = (from, from, width);
        for axis in axes.iter() {
            let side = if axis.source < 0 { &mut low } else { &mut high };
            *side = math::step(*side, axis.source, axis.count.saturating_sub(1), "element offset")?;
            wanted = math::mul(wanted, axis.count, "bytes of a box")?;
        }
        let length = math::add(high.saturating_sub(low), width, "bytes of a box")?;
        let together = length <= SMALL || length / SPARSEST <= wanted;
        let reach = |axis: &Axis| {
            u128::from(axis.source.unsigned_abs())
                .saturating_mul(axis.count.saturating_sub(1).into())
        };
        let widest = (0..axes.len()).max_by_key(|&k| axes.get(k).map_or(0, reach));
        let splits = widest.and_then(|k| axes.get(k)).copied().filter(|axis| axis.count > 1);
        if let (Some(k), Some(axis)) = (widest, splits)
            && !(together && length <= math::wide(CHUNK))
        {
            let (half, rest) = (axis.count / 2, axis.count.saturating_sub(axis.count / 2));
            set(axes, k, Axis { count: half, ..axis });
            self.bring(axes, from, to)?;
            set(axes, k, Axis { count: rest, ..axis });
            let from = math::step(from, axis.source, half, "element offset")?;
            let to =
                math::add(to, math::mul(half, axis.target, "element offset")?, "element offset")?;
            self.bring(axes, from, to)?;
            set(axes, k, axis);
            return Ok(());
        }
        let scratch = slice_mut(self.scratch, 0, length)?;
        self.tensor.read(0, low, scratch)?;
        self.scatter(axes, from.saturating_sub(low), to)
    }

    /// Brings elements from the scratch, axis by axis.
    fn scatter(&mut self, axes: &[Axis], from: u64, to: u64) -> Result<()> {
        let width = u64::from(self.width);
        if let Some(length) = one_run(axes, width) {
            let source = slice(self.scratch, from, length)?;
            let target = slice_mut(self.target, to, length)?;
            match self.onto {
                Onto::Replace => target.copy_from_slice(source),
                Onto::Add(sum) => sum.add(target, source),
            }
            return Ok(());
        }
        let Some((axis, inner)) = axes.split_first() else { return Ok(()) };
        let (mut from, mut to) = (from, to);
        for k in 1..=axis.count {
            self.scatter(inner, from, to)?;
            if k < axis.count {
                from = math::step(from, axis.source, 1, "element offset")?;
                to = math::add(to, axis.target, "element offset")?;
            }
        }
        Ok(())
    }
}

/// The bytes that the axes take up, if they are one run of elements on both sides.
fn one_run(axes: &[Axis], width: u64) -> Option<u64> {
    let mut long = axes.iter().filter(|axis| axis.count != 1);
    match (long.next(), long.next()) {
        (None, _) => Some(width),
        (Some(axis), None) if u64::try_from(axis.source) == Ok(width) && axis.target == width => {
            width.checked_mul(axis.count)
        }
        _ => None,
    }
}

/// Adds an axis inside those that are there; as one with the last, where together they are one.
fn join(axes: &mut Few<Axis, 4>, inner: Axis) -> Result<()> {
    if let Some(outer) = axes.as_mut_slice().last_mut() {
        let count = i64::try_from(inner.count).ok();
        let follows = count.and_then(|count| inner.source.checked_mul(count)) == Some(outer.source)
            && inner.target.checked_mul(inner.count) == Some(outer.target);
        if let Some(count) = outer.count.checked_mul(inner.count).filter(|_| follows) {
            *outer = Axis { count, ..inner };
            return Ok(());
        }
    }
    axes.push(inner)
}

fn set(axes: &mut Few<Axis, 4>, k: usize, axis: Axis) {
    if let Some(place) = axes.as_mut_slice().get_mut(k) {
        *place = axis;
    }
}

/// The bytes from one element to the next along each dimension of a tensor. Along a dimension of
/// one element there is no next: 0.
fn strides(d: &Descriptor, width: u32) -> Result<Few<i64, 4>> {
    let shape = d.shape();
    let in_bytes = |stride: i64| {
        let what = "stride in bytes";
        stride.checked_mul(width.into()).ok_or_else(|| Error::new(ErrorKind::Overflow { what }))
    };
    let mut strides = Few::map(shape, |_| 0)?;
    match d.layout() {
        Layout::Strided(layout) => {
            for ((stride, &given), &size) in
                strides.as_mut_slice().iter_mut().zip(layout.strides()).zip(shape)
            {
                if size > 1 {
                    *stride = in_bytes(given)?;
                }
            }
        }
        Layout::RowMajor(_) => {
            let axes = strides.as_mut_slice().iter_mut().zip(shape).rev();
            products(axes, width)?;
        }
        Layout::ColumnMajor(_) => products(strides.as_mut_slice().iter_mut().zip(shape), width)?,
        _ => {
            let what = "reading elements of a layout other than row-major, column-major or strided";
            return Err(Error::new(ErrorKind::Unsupported { what }));
        }
    }
    Ok(strides)
}

/// Strides from the innermost dimension on.
fn products<'a>(axes: impl Iterator<Item = (&'a mut i64, &'a u64)>, width: u32) -> Result<()> {
    let what = "stride in bytes";
    let mut step = u64::from(width);
    for (stride, &size) in axes {
        if size > 1 {
            *stride = i64::try_from(step).map_err(|_| Error::new(ErrorKind::Overflow { what }))?;
        }
        step = math::mul(step, size, what)?;
    }
    Ok(())
}

/// The bytes from one element to the next along each dimension of a row-major box.
fn steps(extent: &[u64], width: u32) -> Result<Few<u64, 4>> {
    let mut steps = Few::map(extent, |_| 0)?;
    let mut step = u64::from(width);
    for (place, &size) in steps.as_mut_slice().iter_mut().zip(extent).rev() {
        *place = step;
        step = math::mul(step, size, "bytes of a box")?;
    }
    Ok(steps)
}

fn slice(bytes: &[u8], start: u64, length: u64) -> Result<&[u8]> {
    let range = range(start, length);
    range.and_then(|range| bytes.get(range)).ok_or_else(outside)
}

fn slice_mut(bytes: &mut [u8], start: u64, length: u64) -> Result<&mut [u8]> {
    let range = range(start, length);
    range.and_then(|range| bytes.get_mut(range)).ok_or_else(outside)
}

fn range(start: u64, length: u64) -> Option<std::ops::Range<usize>> {
    let end = usize::try_from(start.checked_add(length)?).ok()?;
    Some(usize::try_from(start).ok()?..end)
}

fn outside() -> Error {
    Error::new(ErrorKind::Internal { what: "a box reaches outside its memory" })
}
