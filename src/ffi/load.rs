//! Loading.

use std::ffi::c_void;

use super::arguments::{self, Versioned};
use super::callbacks::{self, hrry_progress_fn};
use super::error::{hrry_error, hrry_status};
use super::file::hrry_file;
use super::guard;
use crate::bytes::memory;
use crate::container::{Load, LoadOptions, Progress};

/// One of many ranges to be copied. 40 bytes where pointers have 8, for the life of the ABI.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_load {
    /// The tensor, by its place in the index.
    pub tensor: u64,
    /// The first byte, from the start of the buffer.
    pub offset: u64,
    /// Where the bytes go: `len` bytes that are yours and nobody else's during the call.
    pub dst: *mut c_void,
    /// How many bytes.
    pub len: usize,
    /// The buffer of the tensor.
    pub buffer: u32,
    /// Zero.
    pub reserved: u32,
}

/// How ranges are loaded. NULL or zeros: chunks of a size that suits most disks, no progress.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_load_options {
    /// sizeof(hrry_load_options).
    pub struct_size: usize,
    /// Bytes of one read at most; 0 for the default.
    pub chunk: u64,
    /// Called on the calling thread before the first chunk and after each; may be NULL.
    pub progress: hrry_progress_fn,
    /// Passed to `progress`.
    pub context: *mut c_void,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_load_options {
    const NAME: &'static str = "hrry_load_options";
    const FIRST: usize = 32;
}

/// Copies many ranges into the caller's memory, in the order in which they lie in the file and in
/// chunks, by positioned reads and never through the mapping: a file that became shorter is a
/// status, not a signal.
///
/// Every request is checked before the first byte is copied. When the call fails or is cancelled,
/// some destinations are filled and others not. Descriptors that are looked at are not kept.
/// Parameters: `count` requests at `requests`, whose destinations must not overlap; `options` NULL
/// for the defaults. All for the call only.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_RANGE, HRRY_ERROR_CANCELLED, HRRY_ERROR_SYSTEM (os_error
/// is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_CALLBACK, a fault of the file.
/// Threads: any; several calls at once are fine. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_load(
    file: *const hrry_file,
    requests: *const hrry_load,
    count: usize,
    options: *const hrry_load_options,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let file = arguments::handle(file, "file")?.rust();
            let requests = arguments::slice(requests, count, "requests")?;
            let options = arguments::options(options)?;

            let mut loads = memory::vec(count)?;
            for request in requests {
                arguments::reserved(request.reserved)?;
                loads.push(Load {
                    tensor: request.tensor,
                    buffer: request.buffer.into(),
                    offset: request.offset,
                    dst: arguments::slice_mut(request.dst.cast(), request.len, "dst")?,
                });
            }

            let mut chosen = LoadOptions::default();
            if options.chunk != 0 {
                chosen.chunk = usize::try_from(options.chunk).unwrap_or(usize::MAX);
            }
            let mut progress = callbacks::progress(options.progress, options.context);
            chosen.progress = progress.as_mut().map(|progress| -> Progress<'_> { progress });
            Ok(file.load(&mut loads, chosen)?)
        })
    }
}
