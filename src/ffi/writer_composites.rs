//! Composites of a writer.

use std::ffi::c_char;

use super::arguments;
use super::descriptor::{called, hrry_descriptor};
use super::error::{Failure, hrry_error, hrry_status};
use super::writer::{hrry_writer, write};
use crate::bytes::memory;
use crate::descriptor::Descriptor;

/// The descriptors that the caller lends.
///
/// # Safety
/// As the manual asks: `members` is NULL or points to `count` descriptors, which stay for `'a`.
unsafe fn descriptors<'a>(
    members: *const *const hrry_descriptor,
    count: usize,
) -> Result<Vec<&'a Descriptor>, Failure> {
    // SAFETY: as promised by the caller.
    let given = unsafe { arguments::slice(members, count, "members") }?;
    let mut taken = memory::vec(given.len())?;
    for &member in given {
        // SAFETY: as promised by the caller.
        taken.push(unsafe { called(member, "one of members") }?);
    }
    Ok(taken)
}

/// Announces a composite, whole, and writes its head.
///
/// The composite is checked first, with every rule that a strict reader holds it against. One that
/// breaks a rule is refused: nothing of it is written, and the writer goes on. Then its members are
/// written, in the order of `members` and each with its announced descriptor, by
/// `hrry_writer_tensor`, in pieces, or by whatever other call; a head among them without buffers.
/// Another tensor is refused, with what differs, and the announced one can still come. Behind the
/// last follows `hrry_writer_composite_end`; until then the file cannot be finished.
///
/// Parameters: `name`, that of the head, as for `hrry_writer_dense`; `head`, a descriptor of the
/// layout HRRY_LAYOUT_COMPOSITE; `count` descriptors at `members`: those of its members in order, a
/// head among them followed by its own members. Yours or borrowed, all for the call only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for a composite, a name or a descriptor that
/// breaks a rule (the message names the member and, where members do not tile the head, an index),
/// HRRY_ERROR_STATE also while another composite is announced, HRRY_ERROR_SYSTEM (os_error is
/// errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_composite_begin(
    writer: *mut hrry_writer,
    name: *const c_char,
    name_len: usize,
    head: *const hrry_descriptor,
    members: *const *const hrry_descriptor,
    count: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        write(writer, error, |writer| {
            let name = arguments::utf8(name, name_len, "name")?;
            let head = called(head, "head")?;
            let members = descriptors(members, count)?;
            Ok(writer.composite_begin(name, head, &members)?)
        })
    }
}

/// Ends the composite that was announced.
///
/// Status: HRRY_ERROR_FORBIDDEN while members are missing (they can still come), HRRY_ERROR_STATE
/// when none is announced.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_composite_end(
    writer: *mut hrry_writer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe { write(writer, error, |writer| Ok(writer.composite_end()?)) }
}
