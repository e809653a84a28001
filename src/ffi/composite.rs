//! Composites.

use std::ffi::c_void;
use std::sync::Arc;

use super::arguments::{self, Numbers, Out};
use super::error::{Failure, HRRY_UNKNOWN, hrry_error, hrry_status};
use super::file::hrry_file;
use super::guard;
use super::other_layouts::{HRRY_COMBINE_NONE, hrry_combine, hrry_rule};
use crate::composite::Composite;
use crate::descriptor::Layout;
use crate::descriptor::layout::Composition;

/// A composite of a file: one logical tensor over many stored ones, which were checked against each
/// other when it was opened. It does not change, holds a reference to its file, and may be used by
/// any number of threads at the same time.
///
/// Tensors are given by their places in the index, for `hrry_file_tensor_at`.
///
/// Memory: what `hrry_composite_memory` says: 8 bytes for each member, and for those that have a
/// place in the head 16 for each dimension. The first question about places adds 32 bytes a member
/// and at most one box. The descriptors of members are not kept.
pub struct hrry_composite {
    composite: Composite,
    // Whatever was borrowed from the file lives as long.
    _file: Arc<hrry_file>,
}

/// # Safety
/// `composite` is NULL or open for `'a`.
unsafe fn composite<'a>(composite: *const hrry_composite) -> Result<&'a Composite, Failure> {
    // SAFETY: as promised by the caller.
    Ok(&unsafe { arguments::handle(composite, "composite") }?.composite)
}

/// What `ask` says of a composite, or `none` for NULL.
///
/// # Safety
/// As for `composite`.
unsafe fn property<T: Copy>(
    composite: *const hrry_composite,
    none: T,
    ask: impl FnOnce(&Composite) -> T,
) -> T {
    // SAFETY: as promised by the caller.
    let composite = unsafe { composite.as_ref() };
    guard::value(none, || composite.map_or(none, |held| ask(&held.composite)))
}

/// How the members make up the whole.
fn composition(composite: &Composite) -> Option<Composition> {
    match composite.head().ok()?.layout() {
        Layout::Composite(head) => Some(head.rule()),
        _ => None,
    }
}

/// Opens a composite: checks its members, and all that is nested in them, one by one and together.
///
/// A strict file gives nothing but whole composites that obey every rule. In a permissive one, a
/// composite that lacks members is opened as a list of those that are there, and the members of a
/// partition may leave indices out or share them: see `hrry_composite_is_complete` and _is_exact.
/// Takes a time that is linear in the members, nested ones included.
/// Ownership: `*out_composite` is yours, for `hrry_composite_close`; it holds a reference to the
/// file, which can be closed before it.
/// Parameters: `head` its place in the index, below `hrry_file_tensor_count`.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_TYPE for another tensor, HRRY_ERROR_SYSTEM (os_error is
/// errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK, a fault of the file; among
/// them HRRY_ERROR_TORN and HRRY_ERROR_COVER.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_open(
    file: *const hrry_file,
    head: u64,
    out_composite: *mut *mut hrry_composite,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_composite);
        guard::call(error, || {
            let out = out.needed("out_composite")?;
            let file = arguments::handle(file, "file")?;
            let composite = file.composites()?.open(head)?;
            let _file = hrry_file::retained(file);
            out.put(Box::into_raw(Box::new(hrry_composite { composite, _file })));
            Ok(())
        })
    }
}

/// Closes a composite, and its file with it if that was the last reference.
///
/// Parameters: `composite` may be NULL.
/// Threads: any, but nobody may use it at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_close(composite: *mut hrry_composite) {
    if !composite.is_null() {
        // SAFETY: it came from a Box, and the caller gives it back.
        guard::value((), || drop(unsafe { Box::from_raw(composite) }));
    }
}

/// The head, by its place in the index. Its descriptor has the shape and type of the whole.
///
/// Returns HRRY_UNKNOWN for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_tensor(composite: *const hrry_composite) -> u64 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, HRRY_UNKNOWN, Composite::tensor) }
}

/// How the members make up the whole.
///
/// Returns HRRY_RULE_*, or the tag of a private rule (permissive only); 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_rule(composite: *const hrry_composite) -> hrry_rule {
    let ask = |of: &Composite| composition(of).map_or(0, |rule| rule.rule_tag().into());
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, 0, ask) }
}

/// What the corrections of an overlay do.
///
/// Returns HRRY_COMBINE_*, which is HRRY_COMBINE_NONE for a partition, a group and NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_combine(composite: *const hrry_composite) -> hrry_combine {
    let ask = |of: &Composite| {
        composition(of).map_or(HRRY_COMBINE_NONE, |rule| rule.combine_tag().into())
    };
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, HRRY_COMBINE_NONE, ask) }
}

/// Whether all members are there, and all of theirs. Without them, which happens in a permissive
/// file only, it is a list of members and has no view.
///
/// Returns false for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_is_complete(composite: *const hrry_composite) -> bool {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, false, Composite::is_complete) }
}

/// Whether the members of every partition in it cover each index once. They always do in a strict
/// file. Without that, an index may be in no member or in several, of which
/// `hrry_composite_locate` gives one, and `hrry_composite_read` refuses.
///
/// Returns false for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_is_exact(composite: *const hrry_composite) -> bool {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, false, Composite::is_exact) }
}

/// Bytes of memory that it takes.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_memory(composite: *const hrry_composite) -> usize {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, 0, Composite::memory_bytes) }
}

/// How many members it has itself: those of a nested composite are not counted.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_member_count(composite: *const hrry_composite) -> u64 {
    // SAFETY: the manual says what the caller owes.
    unsafe { property(composite, 0, Composite::member_count) }
}

/// The k-th member, in the order of the descriptors: of an overlay that is the order in which they
/// apply, the base first.
///
/// Parameters: `k` below `hrry_composite_member_count`; `*out_tensor` is its place in the index,
/// HRRY_UNKNOWN when the call fails.
/// Status: HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_member_at(
    composite: *const hrry_composite,
    k: u64,
    out_tensor: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_tensor);
        guard::call(error, || {
            let out = out.needed("out_tensor")?;
            out.put(HRRY_UNKNOWN);
            out.put(self::composite(composite)?.member_at(k)?);
            Ok(())
        })
    }
}

/// Where the element at an index is: the tensor that holds it, and the index in that tensor.
///
/// Goes through nested partitions to a plain tensor, or to the head of an overlay: what applies
/// there `hrry_composite_members_in` says. For an overlay itself the answer is its head, at the
/// same index. A head of a private rule (permissive only) is an answer like a plain tensor. Takes
/// O(log n) steps for n members that cuts through whole boxes divide, as in grids and guillotine
/// tilings, and never more than twice the n of a scan.
/// Parameters: `index` one number a dimension of the head; `*out_tensor` is the tensor's place in
/// the index of the file, HRRY_UNKNOWN when the call fails; room for as many numbers at `out_local`,
/// which may be `index`, undefined when the call fails.
/// Status: HRRY_ERROR_INDEX for an index outside of the shape, HRRY_ERROR_TYPE for a group or a
/// private rule, HRRY_ERROR_STATE when it is not complete, HRRY_ERROR_COVER where it is not exact
/// and no member holds the index, HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_locate(
    composite: *const hrry_composite,
    index: *const u64,
    out_tensor: *mut u64,
    out_local: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_tensor);
        guard::call(error, || {
            let out = out.needed("out_tensor")?;
            out.put(HRRY_UNKNOWN);
            let composite = self::composite(composite)?;
            let rank = composite.head()?.shape().len();
            let index = Numbers::at(index, rank, "index")?;
            let local = arguments::slice_mut(out_local, rank, "out_local")?;
            out.put(composite.locate(&index, local)?);
            Ok(())
        })
    }
}

/// The tensors that a box of the whole touches: plain ones and heads of overlays, through nested
/// partitions, in the order of their descriptors. Of an overlay these are its members in the order
/// in which they apply; a box of one index tells which do there. An empty box touches none.
/// A head of a private rule (permissive only) is given like a plain tensor.
///
/// Parameters: `lower` and `extent` one number a dimension of the head; `first` of the tensors are
/// left out, then those for which there is room are put to `out`, `capacity` at most, by their
/// places in the index of the file; `*out_count` is how many there are in all, 0 when the call
/// fails.
/// Status: HRRY_ERROR_RANGE for a box that leaves the shape, HRRY_ERROR_TYPE for a group or a
/// private rule, HRRY_ERROR_STATE when it is not complete, HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_members_in(
    composite: *const hrry_composite,
    lower: *const u64,
    extent: *const u64,
    first: u64,
    out: *mut u64,
    capacity: usize,
    out_count: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let count = Out::at(out_count);
        guard::call(error, || {
            let count = count.needed("out_count")?;
            let composite = self::composite(composite)?;
            let rank = composite.head()?.shape().len();
            let lower = Numbers::at(lower, rank, "lower")?;
            let extent = Numbers::at(extent, rank, "extent")?;
            let room = arguments::slice_mut(out, capacity, "out")?;
            count.put(composite.members_in(&lower, &extent, first, room)?);
            Ok(())
        })
    }
}

/// Copies a box of the whole into the caller's memory: in row-major order, in the head's type as it
/// is stored, below 8 bits packed.
///
/// The members of a partition are brought together; over the base of an overlay its corrections are
/// laid or added in order, each sum rounded to the head's type, those of a sparse correction where
/// it stores an element. Quantized members become floats of the head's type. What adding has no
/// sum for (bool, types below 16 bits but int8 and uint8, float128) is not supported.
/// Members are copied from where they are in memory, the mapping too: that faults when somebody has
/// cut the file short. Else they are read. Beside `dst` it takes the descriptor of one member at a
/// time.
/// Parameters: `lower` and `extent` one number a dimension of the head; `len` bytes at `dst`, which
/// is exactly what the box takes. When the call fails, they may be filled in part.
/// Status: HRRY_ERROR_RANGE for a box that leaves the shape, HRRY_ERROR_ROOM for another `len`,
/// HRRY_ERROR_TYPE for a group or a private rule (the box may not touch one, either),
/// HRRY_ERROR_STATE when it is not complete or not exact, HRRY_ERROR_UNSUPPORTED, HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK, a fault of the
/// file, of numbers in its data too.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_composite_read(
    composite: *const hrry_composite,
    lower: *const u64,
    extent: *const u64,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let composite = self::composite(composite)?;
            let rank = composite.head()?.shape().len();
            let lower = Numbers::at(lower, rank, "lower")?;
            let extent = Numbers::at(extent, rank, "extent")?;
            let dst = arguments::slice_mut(dst.cast(), len, "dst")?;
            Ok(composite.read(&lower, &extent, dst)?)
        })
    }
}
