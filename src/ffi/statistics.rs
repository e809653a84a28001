//! Statistics of values.

use std::ffi::c_void;

use super::arguments::Room;
use super::callbacks::{self, hrry_progress_fn};
use super::error::{hrry_error, hrry_status};
use super::guard;
use super::sections::hrry_statistics;
use super::tensor::{hrry_tensor, tensor};
use crate::container::Progress;
use crate::values::Values;

/// What a statistics section says of a tensor, computed from its values: those that its elements
/// stand for, in float64; of a quantized tensor the dequantized ones, of bool 0 and 1.
///
/// nnz counts what is not zero, NaN among it; of a sparse layout what is stored. Minimum and maximum
/// are those of the values that are numbers, infinities among them. Mean and deviation are those of
/// all values: NaN where one is NaN, and with infinities what float64 makes of them. Not known, in
/// computed_mask, is what there is not: a ratio, range or mean of no elements, a range of NaN alone,
/// a mean or deviation that a float64 does not hold.
///
/// Reads all data, through the mapping where there is one, which faults when somebody has cut the
/// file short. Takes 512 KiB of memory while it runs. Of a sparse tensor that is not quantized only
/// the stored values are looked at, unless `nm_m` asks for more.
/// Parameters: with `nm_m` above 0 the result has nm_n, the most elements that are not zero in any
/// group of nm_m: groups follow one another from the first element on, in row-major order, and the
/// last may be short. `progress` may be NULL; it hears of 8 bytes an element, on the calling thread,
/// and gets `context`. `statistics` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_ROOM, HRRY_ERROR_CANCELLED, HRRY_ERROR_MEMORY, HRRY_ERROR_SYSTEM (os_error is
/// errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK; HRRY_ERROR_STATE for a composite head and for a
/// block-paged tensor that is found by sequence only; HRRY_ERROR_UNSUPPORTED for complex, float128
/// and private types and layouts that are not known; HRRY_ERROR_OVERFLOW for more elements than 64
/// bits count; HRRY_ERROR_RULE for a dynamic dimension; for indices and page tables that break the
/// format's rules the status that validation has for them. Scales are taken as they are.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_compute_statistics(
    tensor: *const hrry_tensor,
    nm_m: u8,
    progress: hrry_progress_fn,
    context: *mut c_void,
    statistics: *mut hrry_statistics,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(statistics)?;
            let tensor = self::tensor(tensor)?;
            let mut progress = callbacks::progress(progress, context);
            let progress = progress.as_mut().map(|progress| -> Progress<'_> { progress });
            let found = Values::of(tensor)?.statistics(nm_m, progress);
            let found = found.map_err(|error| error.in_tensor(tensor.index(), tensor.name()))?;
            room.fill(&hrry_statistics::of(&found));
            Ok(())
        })
    }
}
