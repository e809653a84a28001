//! Other layouts.

use std::ffi::c_void;

use super::arguments::{self, OutBytes, Versioned};
use super::descriptor::{descriptor, hrry_descriptor};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use super::layouts::{get, other};
use crate::descriptor::Layout;
use crate::descriptor::layout::{BlockPaged, Combine, Composite, Composition, IndexType, KvRole};
use crate::{Error, ErrorKind};

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
