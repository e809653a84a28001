//! Layouts of a descriptor.

use std::ffi::c_void;
use std::ptr;

use super::arguments::{self, Empty, Out, OutBytes, Room, Versioned};
use super::descriptor::{descriptor, hrry_descriptor, property};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use super::names::{
    HRRY_LAYOUT_COLUMN_MAJOR, HRRY_LAYOUT_ROW_MAJOR, HRRY_LAYOUT_STRIDED, HRRY_LAYOUT_TILED,
    hrry_layout,
};
use crate::bytes::{math, memory};
use crate::descriptor::Layout;
use crate::descriptor::layout::{
    BlockPaged, Combine, Composite, Composition, IndexType, KvRole, Level, Order, Tiled,
};
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
    /// The order of the elements in a tile: the same, or HRRY_LAYOUT_TILED when the next level says.
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

/// Fields of COO.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_coo {
    /// sizeof(hrry_coo).
    pub struct_size: usize,
    /// Stored elements.
    pub nnz: u64,
    /// 1 when their coordinates ascend.
    pub is_sorted: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_coo {
    const NAME: &'static str = "hrry_coo";
    const FIRST: usize = 24;
}

/// Fields of CSR and CSC.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_compressed {
    /// sizeof(hrry_compressed).
    pub struct_size: usize,
    /// Stored elements.
    pub nnz: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_compressed {
    const NAME: &'static str = "hrry_compressed";
    const FIRST: usize = 16;
}

/// Fields of CSF.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_csf {
    /// sizeof(hrry_csf).
    pub struct_size: usize,
    /// Stored elements.
    pub nnz: u64,
    /// The dimension of each level: rank numbers, borrowed from the descriptor.
    pub mode_order: *const u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_csf {
    const NAME: &'static str = "hrry_csf";
    const FIRST: usize = 24;
}

/// What a block-paged tensor holds: kv_role, as the format has it.
pub type hrry_kv_role = u32;
/// Keys.
pub const HRRY_KV_ROLE_KEY: hrry_kv_role = 0;
/// Values.
pub const HRRY_KV_ROLE_VALUE: hrry_kv_role = 1;
/// Anything else.
pub const HRRY_KV_ROLE_OTHER: hrry_kv_role = 2;

/// Entries of block table and sequence pointers have four bytes.
pub const HRRY_INDEX_U32: u32 = 0;
/// Entries of block table and sequence pointers have eight bytes.
pub const HRRY_INDEX_U64: u32 = 1;

/// No layer.
pub const HRRY_NO_LAYER: u32 = 0xFFFF_FFFF;

/// Fields of the block-paged layout.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_block_paged {
    /// sizeof(hrry_block_paged).
    pub struct_size: usize,
    /// Pages in the pool.
    pub num_pages: u64,
    /// Tokens in a page, at least 1.
    pub page_size: u32,
    /// Sequences.
    pub num_seqs: u32,
    /// HRRY_KV_ROLE_*.
    pub kv_role: hrry_kv_role,
    /// The layer of the model, or HRRY_NO_LAYER.
    pub layer_index: u32,
    /// HRRY_INDEX_U32 or HRRY_INDEX_U64.
    pub block_table_index_type: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_block_paged {
    const NAME: &'static str = "hrry_block_paged";
    const FIRST: usize = 40;
}

/// How members make up a composite: composition_rule, as the format has it. 0xF0 to 0xFE are
/// private.
pub type hrry_rule = u32;
/// Each element comes from exactly one member.
pub const HRRY_RULE_PARTITION: hrry_rule = 1;
/// Members lie over one another.
pub const HRRY_RULE_OVERLAY: hrry_rule = 2;
/// Independent tensors.
pub const HRRY_RULE_GROUP: hrry_rule = 3;

/// What a correction of an overlay does with an element: combine_op, as the format has it.
pub type hrry_combine = u32;
/// No overlay.
pub const HRRY_COMBINE_NONE: hrry_combine = 0;
/// It takes its place.
pub const HRRY_COMBINE_REPLACE: hrry_combine = 1;
/// It is added to it.
pub const HRRY_COMBINE_ADD: hrry_combine = 2;

/// Fields of a composite head.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_composite_head {
    /// sizeof(hrry_composite_head).
    pub struct_size: usize,
    /// HRRY_RULE_*.
    pub rule: hrry_rule,
    /// HRRY_COMBINE_*.
    pub combine: hrry_combine,
    /// How many tensors after the head belong to it.
    pub member_count: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_composite_head {
    const NAME: &'static str = "hrry_composite_head";
    const FIRST: usize = 24;
}

/// Fields of a private layout.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_private_layout {
    /// sizeof(hrry_private_layout).
    pub struct_size: usize,
    /// extension_layout_id.
    pub id: u64,
    /// The layout's own bytes, borrowed from the descriptor.
    pub data: *const c_void,
    /// How many.
    pub data_len: usize,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_private_layout {
    const NAME: &'static str = "hrry_private_layout";
    const FIRST: usize = 32;
}

/// The error for a layout that is not the one asked for.
fn other(wanted: &'static str, found: &Layout) -> Failure {
    ErrorKind::WrongType { wanted, found: found.tag().name() }.into()
}

/// Fills in `fields` with those of a layout, or says that the descriptor has another one.
///
/// # Safety
/// As the manual asks of the caller.
unsafe fn get<T: Versioned>(
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

/// Fields of COO.
///
/// Parameters: `coo` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_coo(
    descriptor: *const hrry_descriptor,
    coo: *mut hrry_coo,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Coo(layout) => Some(hrry_coo {
            struct_size: 0,
            nnz: layout.nnz(),
            is_sorted: layout.is_sorted().into(),
            reserved: 0,
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, coo, error, "coo", ask) }
}

/// Fields of CSR.
///
/// Parameters: `csr` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_csr(
    descriptor: *const hrry_descriptor,
    csr: *mut hrry_compressed,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Csr(layout) => Some(hrry_compressed { struct_size: 0, nnz: layout.nnz() }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, csr, error, "csr", ask) }
}

/// Fields of CSC.
///
/// Parameters: `csc` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_csc(
    descriptor: *const hrry_descriptor,
    csc: *mut hrry_compressed,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Csc(layout) => Some(hrry_compressed { struct_size: 0, nnz: layout.nnz() }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, csc, error, "csc", ask) }
}

/// Fields of CSF.
///
/// Ownership: what `csf` then points to is borrowed from the descriptor.
/// Parameters: `csf` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_csf(
    descriptor: *const hrry_descriptor,
    csf: *mut hrry_csf,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Csf(layout) => Some(hrry_csf {
            struct_size: 0,
            nnz: layout.nnz(),
            mode_order: layout.mode_order().as_ptr(),
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, csf, error, "csf", ask) }
}

/// Fields of the block-paged layout.
///
/// Parameters: `block_paged` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_block_paged(
    descriptor: *const hrry_descriptor,
    block_paged: *mut hrry_block_paged,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::BlockPaged(layout) => Some(hrry_block_paged {
            struct_size: 0,
            num_pages: layout.num_pages(),
            page_size: layout.page_size(),
            num_seqs: layout.num_seqs(),
            kv_role: layout.role().tag().into(),
            layer_index: layout.layer_index().unwrap_or(HRRY_NO_LAYER),
            block_table_index_type: layout.index_type().tag().into(),
            reserved: 0,
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, block_paged, error, "block_paged", ask) }
}

impl hrry_block_paged {
    /// The layout that the caller describes.
    pub(super) fn rust(&self) -> Result<Layout, Failure> {
        arguments::reserved(self.reserved)?;
        let (role, index) = (self.kv_role, self.block_table_index_type);
        let role = u8::try_from(role)
            .ok()
            .and_then(KvRole::from_tag)
            .ok_or_else(|| ErrorKind::Unknown { what: "kv_role", value: role.into() })?;
        let index = u8::try_from(index).ok().and_then(IndexType::from_tag).ok_or_else(|| {
            ErrorKind::Unknown { what: "block_table_index_type", value: index.into() }
        })?;
        let layer = (self.layer_index != HRRY_NO_LAYER).then_some(self.layer_index);
        let (size, pages, sequences) = (self.page_size, self.num_pages, self.num_seqs);
        let layout = BlockPaged::new(size, pages, sequences, role, layer, index);
        Ok(layout.map_err(Error::by_caller)?.into())
    }
}

/// Fields of a composite head.
///
/// Parameters: `head` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_composite(
    descriptor: *const hrry_descriptor,
    head: *mut hrry_composite_head,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Composite(layout) => Some(hrry_composite_head {
            struct_size: 0,
            rule: layout.rule().rule_tag().into(),
            combine: layout.rule().combine_tag().into(),
            member_count: layout.member_count(),
            reserved: 0,
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, head, error, "composite", ask) }
}

impl hrry_composite_head {
    /// The layout that the caller describes.
    pub(super) fn rust(&self) -> Result<Layout, Failure> {
        arguments::reserved(self.reserved)?;
        let rule = match (self.rule, self.combine) {
            (HRRY_RULE_PARTITION, HRRY_COMBINE_NONE) => Composition::Partition,
            (HRRY_RULE_GROUP, HRRY_COMBINE_NONE) => Composition::Group,
            (HRRY_RULE_OVERLAY, HRRY_COMBINE_REPLACE) => Composition::Overlay(Combine::Replace),
            (HRRY_RULE_OVERLAY, HRRY_COMBINE_ADD) => Composition::Overlay(Combine::Add),
            (HRRY_RULE_PARTITION..=HRRY_RULE_GROUP, value) => {
                return Err(ErrorKind::Unknown { what: "combine", value: value.into() }.into());
            }
            (value, _) => {
                return Err(ErrorKind::Unknown { what: "rule", value: value.into() }.into());
            }
        };
        Ok(Composite::new(rule, self.member_count).map_err(Error::by_caller)?.into())
    }
}

/// Fields of a private layout (permissive only).
///
/// Ownership: what `layout_fields` then points to is borrowed from the descriptor.
/// Parameters: `layout_fields` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_TYPE for another layout, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_private_layout(
    descriptor: *const hrry_descriptor,
    layout_fields: *mut hrry_private_layout,
    error: *mut hrry_error,
) -> hrry_status {
    let ask = |layout: &Layout| match layout {
        Layout::Private(layout) => Some(hrry_private_layout {
            struct_size: 0,
            id: layout.id(),
            data: layout.data().as_ptr().cast(),
            data_len: layout.data().len(),
        }),
        _ => None,
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { get(descriptor, layout_fields, error, "private", ask) }
}

/// Everything behind byte_offset in a descriptor whose layout is not known (permissive only).
///
/// Ownership: `*out_data` is borrowed from the descriptor.
/// Status: HRRY_ERROR_TYPE for a layout that is known.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_opaque_bytes(
    descriptor: *const hrry_descriptor,
    out_data: *mut *const c_void,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = OutBytes::at(out_data, out_len);
        guard::call(error, || {
            let out = out.needed("out_data", "out_len")?;
            match self::descriptor(descriptor)?.layout() {
                Layout::Unknown(layout) => out.put(layout.rest()),
                layout => return Err(other("unknown", layout)),
            }
            Ok(())
        })
    }
}
