//! Composites of a file.

use super::arguments::{self, Out, Room, Versioned};
use super::error::{HRRY_UNKNOWN, hrry_error, hrry_status};
use super::file::hrry_file;
use super::guard;
use crate::composite::Head;
use crate::{Error, ErrorKind};

/// What is known of a composite without a look at its members.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_composite_facts {
    /// sizeof(hrry_composite_facts).
    pub struct_size: usize,
    /// The head, by its place in the index.
    pub head: u64,
    /// The head that it is itself a member of; HRRY_UNKNOWN when there is none.
    pub outer: u64,
    /// member_count.
    pub promised: u32,
    /// Members in the file; fewer when the composite is torn.
    pub found: u32,
    /// Level of nesting; 1 for the outermost. Above 8 it is not valid.
    pub level: u32,
    /// 1 when all members are there, and all of theirs.
    pub complete: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_composite_facts {
    const NAME: &'static str = "hrry_composite_facts";
    const FIRST: usize = 40;
}

impl hrry_composite_facts {
    fn of(head: Head) -> Self {
        Self {
            struct_size: 0,
            head: head.tensor,
            outer: head.outer.unwrap_or(HRRY_UNKNOWN),
            promised: head.promised,
            found: head.found,
            level: head.level,
            complete: head.complete.into(),
        }
    }
}

/// How many composites the file has, nested ones counted, too.
///
/// The first call of this and of the three functions below finds out who belongs to which head,
/// which takes a step for every tensor and reads the descriptors of those without data; the file
/// keeps it. A head whose descriptor is not valid binds nothing.
/// Parameters: `*out_count` is 0 when the call fails.
/// Status: HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
/// HRRY_ERROR_CALLBACK.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_composite_count(
    file: *const hrry_file,
    out_count: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_count);
        guard::call(error, || {
            let out = out.needed("out_count")?;
            out.put(arguments::handle(file, "file")?.composites()?.head_count());
            Ok(())
        })
    }
}

/// The k-th composite by the place of its head in the file: each stands before those nested in it.
///
/// Parameters: `k` below `hrry_file_composite_count`; `facts` is filled in as far as its struct_size
/// goes.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM, and as `hrry_file_composite_count`.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_composite_at(
    file: *const hrry_file,
    k: u64,
    facts: *mut hrry_composite_facts,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(facts)?;
            let composites = arguments::handle(file, "file")?.composites()?;
            let count = composites.head_count();
            let missing = ErrorKind::Index { what: "composite", value: k, count };
            room.fill(&hrry_composite_facts::of(composites.head_at(k).ok_or(missing)?));
            Ok(())
        })
    }
}

/// The composite that a tensor is the head of.
///
/// Parameters: `head` its place in the index, below `hrry_file_tensor_count`; `facts` is filled in
/// as far as its struct_size goes.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_TYPE for another tensor, HRRY_ERROR_ROOM, and as
/// `hrry_file_composite_count`.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_composite_info(
    file: *const hrry_file,
    head: u64,
    facts: *mut hrry_composite_facts,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(facts)?;
            let file = arguments::handle(file, "file")?;
            let Some(found) = file.composites()?.head_of(head)? else {
                let (wanted, found) = ("a composite head", "a plain tensor");
                let error = Error::new(ErrorKind::WrongType { wanted, found });
                return Err(error.in_tensor(head, file.rust().entry(head)?.name).into());
            };
            room.fill(&hrry_composite_facts::of(found));
            Ok(())
        })
    }
}

/// The composite that a tensor is a member of.
///
/// Parameters: `tensor` its place in the index, below `hrry_file_tensor_count`; `*out_head` is that
/// of the head which binds it, HRRY_UNKNOWN when none does.
/// Status: HRRY_ERROR_INDEX, and as `hrry_file_composite_count`.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_composite_of(
    file: *const hrry_file,
    tensor: u64,
    out_head: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_head);
        guard::call(error, || {
            let out = out.needed("out_head")?;
            out.put(HRRY_UNKNOWN);
            let head = arguments::handle(file, "file")?.composites()?.composite_of(tensor)?;
            out.put(head.unwrap_or(HRRY_UNKNOWN));
            Ok(())
        })
    }
}
