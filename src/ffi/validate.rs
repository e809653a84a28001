//! Validation.

use std::ffi::c_void;

use super::arguments::{self, Out, Versioned};
use super::callbacks::{self, hrry_progress_fn};
use super::error::{hrry_error, hrry_status};
use super::file::hrry_file;
use super::guard;
use crate::container::Progress;
use crate::validate::{ValidateOptions, validate};
use crate::{Error, ErrorKind};

/// Each descriptor, and it against its index entry.
pub const HRRY_CHECK_DESCRIPTORS: u32 = 1;
/// No overlap between tensors, no stretch of bytes that belongs to nothing.
pub const HRRY_CHECK_REGIONS: u32 = 2;
/// All padding is zero.
pub const HRRY_CHECK_PADDING: u32 = 4;

/// Each composite: its members one by one, and all together.
pub const HRRY_CHECK_COMPOSITES: u32 = 8;

/// The numbers in the data that have rules: indices, pointers, page tables, scales, zero points of
/// channels (those of blocks may be any int32), codes of float8_e8m0.
pub const HRRY_CHECK_CONTENT: u32 = 16;

/// What statistics sections say, against the values: counts, flags, minimum and maximum exactly,
/// mean and deviation within a millionth of the largest magnitude, the sparsity ratio within a
/// millionth.
/// Not judged is what the format leaves open or the library cannot tell: ranges and means beside
/// values that are not finite, complex, float128 and private types, composite heads, paged tensors
/// that are found by sequence only. Statistics are advisory and this reads all data: it is made only
/// when it is asked for. Its work of 8 bytes an element is not in the total of the progress.
pub const HRRY_CHECK_STATISTICS: u32 = 32;

/// What is validated. NULL or zeros: everything but HRRY_CHECK_STATISTICS, no progress.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_validate_options {
    /// sizeof(hrry_validate_options).
    pub struct_size: usize,
    /// HRRY_CHECK_*, or-ed; 0 for all of them but HRRY_CHECK_STATISTICS.
    pub checks: u32,
    /// Zero.
    pub reserved: u32,
    /// How many problems are counted and not handed out: those that an earlier call had room for.
    pub first: u64,
    /// Called on the calling thread now and then; may be NULL.
    pub progress: hrry_progress_fn,
    /// Passed to `progress`.
    pub context: *mut c_void,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_validate_options {
    const NAME: &'static str = "hrry_validate_options";
    const FIRST: usize = 40;
}

/// Checks the whole file: all that opening it and asking for its tensors leave alone.
///
/// The file is valid when the call succeeds and `*out_count` is 0. Of the numbers in a buffer the
/// first that breaks a rule is a problem, and those that break the same one after it are not. What
/// a dynamic dimension hides is not checked.
///
/// Takes time in O(n log n) for n tensors, beside reading what is checked, and 48 bytes of memory a
/// tensor; a member of a composite takes 8 more, and 16 a dimension if it has a place in the head,
/// until the composite is complete. A COO tensor that is not sorted takes 16 for each of its n
/// elements while it is looked at, and time in O(n log n); one of float8_e8m0 with strides, tiles or
/// Morton order at most 3 bits a byte. Descriptors that are looked at are not kept. Bytes that many
/// tensors claim are read as often: the total of the progress says how much a file makes of itself.
/// Parameters: `options` NULL for the defaults; room for `capacity` problems at `problems`, each
/// filled in as the error that a call which met it would give; `*out_count` is how many there are,
/// which may be more.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_CANCELLED, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK. `*out_count` is 0 then.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_validate(
    file: *const hrry_file,
    options: *const hrry_validate_options,
    problems: *mut hrry_error,
    capacity: usize,
    out_count: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_count);
        guard::call(error, || {
            let out = out.needed("out_count")?;
            let file = arguments::handle(file, "file")?.rust();
            let options = arguments::options(options)?;
            let room = arguments::slice_mut(problems, capacity, "problems")?;

            let usual = HRRY_CHECK_DESCRIPTORS
                | HRRY_CHECK_REGIONS
                | HRRY_CHECK_PADDING
                | HRRY_CHECK_COMPOSITES
                | HRRY_CHECK_CONTENT;
            let checks = if options.checks == 0 { usual } else { options.checks };
            if checks & !(usual | HRRY_CHECK_STATISTICS) != 0 {
                return Err(ErrorKind::Unknown { what: "checks", value: checks.into() }.into());
            }
            arguments::reserved(options.reserved)?;
            let mut progress = callbacks::progress(options.progress, options.context);
            let chosen = ValidateOptions {
                descriptors: checks & HRRY_CHECK_DESCRIPTORS != 0,
                regions: checks & HRRY_CHECK_REGIONS != 0,
                padding: checks & HRRY_CHECK_PADDING != 0,
                composites: checks & HRRY_CHECK_COMPOSITES != 0,
                content: checks & HRRY_CHECK_CONTENT != 0,
                statistics: checks & HRRY_CHECK_STATISTICS != 0,
                progress: progress.as_mut().map(|progress| -> Progress<'_> { progress }),
            };

            let mut skipped = options.first;
            let mut room = room.iter_mut();
            let mut put = |problem: Error| match skipped.checked_sub(1) {
                Some(less) => skipped = less,
                None => {
                    if let Some(place) = room.next() {
                        *place = hrry_error::of(&problem);
                    }
                }
            };
            out.put(validate(file, chosen, &mut put)?.problems);
            Ok(())
        })
    }
}
