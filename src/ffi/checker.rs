//! Checks of composites without a file.

use super::arguments::{self, Out};
use super::descriptor::{called, hrry_descriptor};
use super::error::{Failure, hrry_error, hrry_status};
use super::exclusive::Exclusive;
use super::guard;
use super::open::mode_of;
use crate::ErrorKind;
use crate::composite::Checker;

/// Holds the members of a composite against their head as they come, for streams and for tensors
/// that are handed over in memory: the rules of files, and the same errors. In these the tensors are
/// numbered in the order in which they came, the head being 0.
///
/// A member that is itself a head is followed by its own members. Belongs to one thread at a time.
///
/// Memory: 8 bytes for each member, and 16 a dimension if it has a place in the head, until its
/// composite is complete.
pub struct hrry_checker(Exclusive<Option<Checker>>);

fn closed() -> Failure {
    ErrorKind::State { what: "the checker is closed" }.into()
}

/// Makes a checker for the composite of a head.
///
/// Ownership: `*out_checker` is yours, for `hrry_checker_free`; nothing is kept of `head`.
/// Parameters: `flags` 0 or HRRY_DECODE_PERMISSIVE, which tolerates partitions whose members leave
/// indices out or share them.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN when it is no composite head,
/// HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_checker_new(
    head: *const hrry_descriptor,
    flags: u32,
    out_checker: *mut *mut hrry_checker,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_checker);
        guard::call(error, || {
            let out = out.needed("out_checker")?;
            let checker = Checker::new(called(head, "head")?, mode_of(flags)?)?;
            out.put(Box::into_raw(Box::new(hrry_checker(Exclusive::new(Some(checker))))));
            Ok(())
        })
    }
}

/// The next tensor. Fails when it breaks a rule for members, or when it is the last member of a
/// composite within this one and all of them together break one. After that nothing can be added:
/// the composite is not valid as a whole.
///
/// Parameters: `member` for the call only; nothing is kept of it but its place.
/// Status: HRRY_ERROR_STATE when all members have come, after an error and after
/// `hrry_checker_close`, HRRY_ERROR_SYSTEM (no random key), HRRY_ERROR_MEMORY, the fault of a file
/// that holds these tensors.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_checker_add(
    checker: *mut hrry_checker,
    member: *const hrry_descriptor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            arguments::handle(checker, "checker")?.0.with(|checker| {
                let member = called(member, "member")?;
                Ok(checker.as_mut().ok_or_else(closed)?.add(member)?)
            })
        })
    }
}

/// Whether all members have come, and all of theirs: time for `hrry_checker_close`.
///
/// Returns false for NULL, after `hrry_checker_close` and while another call uses it.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_checker_is_complete(checker: *const hrry_checker) -> bool {
    // SAFETY: the manual says what the caller owes.
    let checker = unsafe { checker.as_ref() };
    guard::value(false, || {
        let complete = checker.map(|checker| {
            checker.0.with(|checker| Ok(checker.as_ref().is_some_and(Checker::is_complete)))
        });
        complete.and_then(Result::ok).unwrap_or(false)
    })
}

/// The end: the composite is valid when this succeeds. Whatever it says, there is nothing left to be
/// done with the checker but `hrry_checker_free`.
///
/// Status: HRRY_ERROR_TORN when members are missing, permissive or not: what came is good for
/// itself and is no composite. HRRY_ERROR_COVER when those of a partition do not cover each index
/// once. HRRY_ERROR_STATE after an error and a second time, HRRY_ERROR_SYSTEM (no random key),
/// HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_checker_close(
    checker: *mut hrry_checker,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            arguments::handle(checker, "checker")?
                .0
                .with(|checker| Ok(checker.take().ok_or_else(closed)?.close()?))
        })
    }
}

/// Frees a checker, closed or not.
///
/// Parameters: `checker` may be NULL.
/// Threads: any, but nobody may use it at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_checker_free(checker: *mut hrry_checker) {
    if !checker.is_null() {
        // SAFETY: it came from a Box, and the caller gives it back.
        guard::value((), || drop(unsafe { Box::from_raw(checker) }));
    }
}
