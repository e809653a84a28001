//! Values of elements of a file's tensors: the same calls with the tensor's own buffers.

use std::ffi::c_void;

use super::arguments::{self, Numbers, Room};
use super::error::{hrry_error, hrry_status};
use super::guard;
use super::names::hrry_type;
use super::tensor::{hrry_tensor, tensor};
use super::values::{self, hrry_element, hrry_place};
use crate::values::Values;

/// Where an element stands: `hrry_values_locate` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_locate`.
/// Status: as for `hrry_values_locate`; where the file is read, also HRRY_ERROR_SYSTEM (os_error is
/// errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_locate(
    tensor: *const hrry_tensor,
    index: *const u64,
    place: *mut hrry_place,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(place)?;
            let tensor = self::tensor(tensor)?;
            let index = Numbers::at(index, tensor.descriptor().shape().len(), "index")?;
            room.fill(&values::place_of(Values::of(tensor)?.locate(&index)?));
            Ok(())
        })
    }
}

/// Where an element of a block-paged tensor stands, by sequence and token:
/// `hrry_values_locate_token` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_locate_token`.
/// Status: as for `hrry_values_locate_token`; where the file is read, also HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_locate_token(
    tensor: *const hrry_tensor,
    sequence: u64,
    token: u64,
    head: u64,
    dim: u64,
    place: *mut hrry_place,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(place)?;
            let values = Values::of(self::tensor(tensor)?)?;
            let place = values.locate_token(sequence, token, head, dim)?;
            room.fill(&values::place_of(Some(place)));
            Ok(())
        })
    }
}

/// One element: `hrry_values_element` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_element`.
/// Status: as for `hrry_values_element`; where the file is read, also HRRY_ERROR_SYSTEM (os_error
/// is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_element(
    tensor: *const hrry_tensor,
    index: *const u64,
    element: *mut hrry_element,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(element)?;
            let tensor = self::tensor(tensor)?;
            let index = Numbers::at(index, tensor.descriptor().shape().len(), "index")?;
            room.fill(&values::element_of(&Values::of(tensor)?.element(&index)?));
            Ok(())
        })
    }
}

/// Copies a box, row-major: `hrry_values_copy` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_copy`.
/// Status: as for `hrry_values_copy`; where the file is read, also HRRY_ERROR_SYSTEM (os_error is
/// errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_copy(
    tensor: *const hrry_tensor,
    lower: *const u64,
    extent: *const u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let rank = tensor.descriptor().shape().len();
            let lower = Numbers::at(lower, rank, "lower")?;
            let extent = Numbers::at(extent, rank, "extent")?;
            let target = values::target(r#type, tensor.descriptor().element_type())?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            Ok(Values::of(tensor)?.copy(&lower, &extent, target, dst)?)
        })
    }
}

/// Copies tokens of one sequence: `hrry_values_copy_tokens` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_copy_tokens`.
/// Status: as for `hrry_values_copy_tokens`; where the file is read, also HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_copy_tokens(
    tensor: *const hrry_tensor,
    sequence: u64,
    first: u64,
    tokens: u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let target = values::target(r#type, tensor.descriptor().element_type())?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            Ok(Values::of(tensor)?.copy_tokens(sequence, first, tokens, target, dst)?)
        })
    }
}

/// The values of a range of elements: `hrry_values_dequantize` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_dequantize`.
/// Status: as for `hrry_values_dequantize`; where the file is read, also HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_dequantize(
    tensor: *const hrry_tensor,
    first: u64,
    n: u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let target = values::float_target(r#type)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            Ok(Values::of(tensor)?.dequantize(first, n, target, dst)?)
        })
    }
}

/// The values of a box: `hrry_values_dequantize_box` with the tensor's own buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_dequantize_box`.
/// Status: as for `hrry_values_dequantize_box`; where the file is read, also HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_dequantize_box(
    tensor: *const hrry_tensor,
    lower: *const u64,
    extent: *const u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let rank = tensor.descriptor().shape().len();
            let lower = Numbers::at(lower, rank, "lower")?;
            let extent = Numbers::at(extent, rank, "extent")?;
            let target = values::float_target(r#type)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            Ok(Values::of(tensor)?.dequantize_box(&lower, &extent, target, dst)?)
        })
    }
}

/// The values of tokens of one sequence: `hrry_values_dequantize_tokens` with the tensor's own
/// buffers.
///
/// Where the file is mapped or in memory its data is used where it lies, which can fault when
/// somebody truncates a mapped file; else it is read by positioned reads.
/// Parameters: as for `hrry_values_dequantize_tokens`.
/// Status: as for `hrry_values_dequantize_tokens`; where the file is read, also HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK.
/// Threads: any; several may work on parts of one tensor at once. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_tensor_dequantize_tokens(
    tensor: *const hrry_tensor,
    sequence: u64,
    first: u64,
    tokens: u64,
    r#type: hrry_type,
    dst: *mut c_void,
    len: usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let tensor = self::tensor(tensor)?;
            let target = values::float_target(r#type)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            Ok(Values::of(tensor)?.dequantize_tokens(sequence, first, tokens, target, dst)?)
        })
    }
}
