//! Elements of sparse tensors: finding one, and bringing those of a box (layouts.md).

mod compressed;
mod coo;
mod csf;

use super::parameters::Map;
use super::transfer::{Region, Transfer};
use super::values::Values;
use crate::bytes::{Few, math};
use crate::descriptor::Layout;
use crate::error::{Error, ErrorKind, Result};

/// Which of the stored values belongs to an index, if one does.
pub(super) fn find(values: &Values<'_>, index: &[u64]) -> Result<Option<u64>> {
    match values.descriptor().layout() {
        Layout::Coo(layout) => coo::find(values, layout, index),
        Layout::Csr(layout) => compressed::rows(values, layout.nnz())?.find(index),
        Layout::Csc(layout) => compressed::columns(values, layout.nnz())?.find(index),
        Layout::Csf(layout) => csf::Tree::new(values, layout)?.find(index),
        _ => Err(not_sparse()),
    }
}

/// Brings the stored elements of the region.
pub(super) fn bring(values: &Values<'_>, transfer: &mut Transfer<'_, '_, '_>) -> Result<()> {
    let sides = Sides::new(transfer.region, transfer.work.map(), values.descriptor().shape())?;
    let mut batch = Batch::new(transfer);
    match values.descriptor().layout() {
        Layout::Coo(layout) => coo::bring(values, layout, &sides, &mut batch)?,
        Layout::Csr(layout) => {
            compressed::rows(values, layout.nnz())?.bring(&sides, &mut batch)?;
        }
        Layout::Csc(layout) => {
            compressed::columns(values, layout.nnz())?.bring(&sides, &mut batch)?;
        }
        Layout::Csf(layout) => csf::Tree::new(values, layout)?.bring(&sides, &mut batch)?,
        _ => return Err(not_sparse()),
    }
    batch.flush()
}

fn not_sparse() -> Error {
    Error::new(ErrorKind::Internal { what: "a sparse layout that is not known" })
}

/// What an index along one dimension adds: to the place in the target, to the entry of the
/// parameter buffers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    size: u64,
    lower: u64,
    upper: u64,
    step: u64,
    block: u64,
    entry_step: u64,
}

/// Where an element goes, and which parameters are its own. All are in range: sums cannot wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot {
    place: u64,
    entry: u64,
}

impl Side {
    fn holds(&self, x: u64) -> bool {
        self.lower <= x && x < self.upper
    }

    #[inline]
    fn add(&self, spot: Spot, x: u64) -> Spot {
        let place = x.wrapping_sub(self.lower).wrapping_mul(self.step);
        let block = if self.block == 1 { x } else { math::div(x, self.block) };
        let entry = block.wrapping_mul(self.entry_step);
        Spot { place: spot.place.wrapping_add(place), entry: spot.entry.wrapping_add(entry) }
    }
}

/// All dimensions.
pub(super) struct Sides {
    start: Spot,
    list: Few<Side, 4>,
}

impl Sides {
    fn new(region: &Region<'_>, map: Option<&Map>, shape: &[u64]) -> Result<Self> {
        let mut list = Few::with_capacity(shape.len())?;
        let bounds = region.lower.iter().zip(region.extent).zip(region.steps);
        for (k, ((&size, ((&lower, &extent), &step)), map)) in
            shape.iter().zip(bounds).zip(std::iter::repeat(map)).enumerate()
        {
            let block = map.filter(|map| map.axis == k).map_or(1, |map| map.block);
            let entry_step = map.map_or(0, |map| map.step(k));
            let upper = lower.saturating_add(extent);
            list.push(Side { size, lower, upper, step, block, entry_step })?;
        }
        Ok(Self { start: Spot { place: region.start, entry: 0 }, list })
    }

    fn side(&self, dimension: usize) -> Side {
        self.list.get(dimension).copied().unwrap_or_default()
    }
}

/// Elements that are brought at a time.
const TOGETHER: usize = 256;

/// Stored elements on their way.
pub(super) struct Batch<'b, 't, 'v, 'o> {
    transfer: &'b mut Transfer<'t, 'v, 'o>,
    count: usize,
    values: [i64; TOGETHER],
    places: [i64; TOGETHER],
    entries: [i64; TOGETHER],
}

impl<'b, 't, 'v, 'o> Batch<'b, 't, 'v, 'o> {
    fn new(transfer: &'b mut Transfer<'t, 'v, 'o>) -> Self {
        let none = [0; TOGETHER];
        Self { transfer, count: 0, values: none, places: none, entries: none }
    }

    #[inline]
    fn push(&mut self, value: u64, spot: Spot) -> Result<()> {
        if self.count >= TOGETHER {
            self.flush()?;
        }
        if let (Some(to), Some(place), Some(entry)) = (
            self.values.get_mut(self.count),
            self.places.get_mut(self.count),
            self.entries.get_mut(self.count),
        ) {
            *to = value.cast_signed();
            (*place, *entry) = (spot.place.cast_signed(), spot.entry.cast_signed());
            self.count = self.count.saturating_add(1);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let part = |list| <[i64]>::get(list, ..self.count).unwrap_or_default();
        self.transfer.scattered(part(&self.values), part(&self.places), part(&self.entries))?;
        self.count = 0;
        Ok(())
    }
}
