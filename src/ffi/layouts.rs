//! Dense layouts.

use std::ptr;

use super::arguments::{self, Empty, Out, Room, Versioned};
use super::descriptor::{descriptor, hrry_descriptor, property};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use super::names::{
    HRRY_LAYOUT_COLUMN_MAJOR, HRRY_LAYOUT_ROW_MAJOR, HRRY_LAYOUT_STRIDED, HRRY_LAYOUT_TILED,
    hrry_layout,
};
use crate::bytes::{math, memory};
use crate::descriptor::Layout;
use crate::descriptor::layout::{Level, Order, Tiled};
use crate::{Error, ErrorKind};

/// One level of a tiled layout. 32 bytes where pointers have 8, for the life of the ABI.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_tiles {
    /// The shape of a tile: rank numbers.
    pub tile_shape: *const u64,
    /// Strides of the tiles, in tiles: rank numbers when outer_layout is HRRY_LAYOUT_STRIDED, else
    /// NULL.
    pub outer_strides: *const i64,
    /// Strides of the elements in a tile: rank numbers when inner_layout is HRRY_LAYOUT_STRIDED,
    /// else NULL.
    pub inner_strides: *const i64,
    /// The order of the tiles: HRRY_LAYOUT_ROW_MAJOR, _COLUMN_MAJOR or _STRIDED.
    pub outer_layout: hrry_layout,
    /// The order of the elements in a tile: the same, or HRRY_LAYOUT_TILED when the next level
    /// says.
    pub inner_layout: hrry_layout,
}

impl Empty for hrry_tiles {
    const EMPTY: Self = Self {
        tile_shape: ptr::null(),
        outer_strides: ptr::null(),
        inner_strides: ptr::null(),
        outer_layout: 0,
        inner_layout: 0,
    };
}

/// The error for a layout that is not the one asked for.
pub(super) fn other(wanted: &'static str, found: &Layout) -> Failure {
    ErrorKind::WrongType { wanted, found: found.tag().name() }.into()
}

/// Fills in `fields` with those of a layout, or says that the descriptor has another one.
///
/// # Safety
/// As the manual asks of the caller.
pub(super) unsafe fn get<T: Versioned>(
    descriptor: *const hrry_descriptor,
    fields: *mut T,
    error: *mut hrry_error,
    wanted: &'static str,
    ask: impl FnOnce(&Layout) -> Option<T>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        guard::call(error, || {
            let room = Room::at(fields)?;
            let layout = self::descriptor(descriptor)?.layout();
            room.fill(&ask(layout).ok_or_else(|| other(wanted, layout))?);
            Ok(())
        })
    }
}

/// Lends the list that a layout has, or says that the descriptor has another one.
///
/// # Safety
/// As the manual asks of the caller.
unsafe fn lend<T>(
    descriptor: *const hrry_descriptor,
    out: (*mut *const T, &'static str),
    error: *mut hrry_error,
    wanted: &'static str,
    ask: impl FnOnce(&Layout) -> Option<*const T>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        let place = Out::at(out.0);
        guard::call(error, || {
            let place = place.needed(out.1)?;
            let layout = self::descriptor(descriptor)?.layout();
            place.put(ask(layout).ok_or_else(|| other(wanted, layout))?);
            Ok(())
        })
    }
}

/// The strides of a strided layout, in elements.
///
/// Ownership: `*out_strides` is borrowed from the descriptor: rank numbers, which can be negative.
/// Status: HRRY_ERROR_TYPE for another layout.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_strides(
    descriptor: *const hrry_descriptor,
    out_strides: *mut *const i64,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Strided(layout) => Some(layout.strides().as_ptr()),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(descriptor, (out_strides, "out_strides"), error, "strided", ask) }
}

/// How many levels of tiles there are: 1 to 8; 0 for another layout.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_tile_level_count(
    descriptor: *const hrry_descriptor,
) -> u32 {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        property(descriptor, 0, |d| match d.layout() {
            Layout::Tiled(layout) => u32::try_from(layout.levels().len()).unwrap_or(u32::MAX),
            _ => 0,
        })
    }
}

/// One level of a tiled layout.
///
/// Ownership: what `out_tiles` then points to is borrowed from the descriptor.
/// Parameters: `level` below `hrry_descriptor_tile_level_count`, 0 the outermost.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_tiles_at(
    descriptor: *const hrry_descriptor,
    level: u32,
    out_tiles: *mut hrry_tiles,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_tiles);
        guard::call(error, || {
            let out = out.needed("out_tiles")?;
            let layout = self::descriptor(descriptor)?.layout();
            let Layout::Tiled(tiled) = layout else { return Err(other("tiled", layout)) };
            let levels = tiled.levels();
            let found = usize::try_from(level).ok().and_then(|level| levels.get(level));
            let (value, count) = (level.into(), math::wide(levels.len()));
            let found = found.ok_or(ErrorKind::Index { what: "level", value, count })?;
            let strides = |order: Option<&Order>| {
                order.and_then(Order::strides).map_or(ptr::null(), <[i64]>::as_ptr)
            };
            out.put(hrry_tiles {
                tile_shape: found.tile_shape().as_ptr(),
                outer_strides: strides(Some(found.outer())),
                inner_strides: strides(found.inner()),
                outer_layout: found.outer().tag().into(),
                inner_layout: found.inner_tag().into(),
            });
            Ok(())
        })
    }
}

/// The order of tiles, or of elements in one, that the caller describes; `None` for nested tiles.
///
/// # Safety
/// `strides` is NULL or points to `rank` numbers.
unsafe fn order(
    tag: hrry_layout,
    strides: *const i64,
    rank: usize,
    what: &'static str,
) -> Result<Option<Order>, Failure> {
    Ok(match tag {
        HRRY_LAYOUT_ROW_MAJOR => Some(Order::RowMajor),
        HRRY_LAYOUT_COLUMN_MAJOR => Some(Order::ColumnMajor),
        HRRY_LAYOUT_STRIDED => {
            // SAFETY: as promised by the caller.
            let strides = unsafe { arguments::slice(strides, rank, what) }?;
            Some(Order::strided(strides)?)
        }
        HRRY_LAYOUT_TILED => None,
        _ => {
            let what = "order of tiles";
            return Err(ErrorKind::Unknown { what, value: tag.into() }.into());
        }
    })
}

/// The tiled layout that the caller describes.
///
/// # Safety
/// As the manual asks: the pointers of each level are NULL or point to `rank` numbers.
pub(super) unsafe fn tiled(levels: &[hrry_tiles], rank: usize) -> Result<Layout, Failure> {
    let mut built = memory::vec(levels.len())?;
    for level in levels {
        // SAFETY: as promised by the caller.
        unsafe {
            let shape = arguments::slice(level.tile_shape, rank, "tile_shape")?;
            let outer = order(level.outer_layout, level.outer_strides, rank, "outer_strides")?;
            let outer = outer.ok_or(ErrorKind::Unknown { what: "outer_layout", value: 4 })?;
            let inner = order(level.inner_layout, level.inner_strides, rank, "inner_strides")?;
            built.push(Level::new(shape, outer, inner)?);
        }
    }
    Ok(Tiled::nested(built).map_err(Error::by_caller)?.into())
}

/// The bits of each coordinate in a Morton code.
///
/// Ownership: `*out_bits` is borrowed from the descriptor: rank numbers.
/// Status: HRRY_ERROR_TYPE for another layout.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_morton_bits(
    descriptor: *const hrry_descriptor,
    out_bits: *mut *const u32,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Morton(layout) => Some(layout.bits().as_ptr()),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { lend(descriptor, (out_bits, "out_bits"), error, "morton", ask) }
}

/// The order of a Hilbert curve: each dimension has 2^order elements.
///
/// Parameters: `*out_order` is 0 when the call fails.
/// Status: HRRY_ERROR_TYPE for another layout.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_hilbert_order(
    descriptor: *const hrry_descriptor,
    out_order: *mut u32,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_order);
        guard::call(error, || {
            let out = out.needed("out_order")?;
            match self::descriptor(descriptor)?.layout() {
                Layout::Hilbert(layout) => out.put(layout.order()),
                layout => return Err(other("hilbert", layout)),
            }
            Ok(())
        })
    }
}
