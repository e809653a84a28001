//! Opening.

use std::ffi::{OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::arguments::{self, Out, Versioned};
use super::callbacks::{self, Context, Release, hrry_release_fn};
use super::error::{Failure, HRRY_UNKNOWN, hrry_error, hrry_status};
use super::file::hrry_file;
use super::guard;
use crate::container::{Access, File, OpenOptions, ReadAt};
use crate::descriptor::Mode;
use crate::{ErrorKind, Result};

/// Accept what the format lets a permissive reader accept.
pub const HRRY_OPEN_PERMISSIVE: u32 = 1;
/// Do not map: `hrry_tensor_read` and `hrry_file_load` read, there are no pointers to data.
pub const HRRY_OPEN_READS: u32 = 2;
/// Read the whole file into memory, which no truncation can take away. Not with HRRY_OPEN_READS.
pub const HRRY_OPEN_MEMORY: u32 = 4;

/// How a file is opened. NULL or zeros: strict; mapped when it can be, else by positioned reads.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_open_options {
    /// sizeof(hrry_open_options).
    pub struct_size: usize,
    /// HRRY_OPEN_*, or-ed.
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_open_options {
    const NAME: &'static str = "hrry_open_options";
    const FIRST: usize = 16;
}

/// A caller's own source of a file's bytes: an archive, a cache, a device.
///
/// `read_at` copies `dst_len` bytes from `offset` on to `dst` and returns 0, or an error number;
/// nothing in between. It is called from any thread, several at once, and only for ranges inside
/// `size`. `release`, which may be NULL, is called with the last reference to the file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_source {
    /// sizeof(hrry_source).
    pub struct_size: usize,
    /// Passed to the functions.
    pub context: *mut c_void,
    /// Bytes of the file.
    pub size: u64,
    /// Reads.
    pub read_at: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            offset: u64,
            dst: *mut c_void,
            dst_len: usize,
        ) -> c_int,
    >,
    /// Gives the context back.
    pub release: hrry_release_fn,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_source {
    const NAME: &'static str = "hrry_source";
    const FIRST: usize = 40;
}

struct CallersSource {
    context: Context,
    size: u64,
    read_at: unsafe extern "C" fn(*mut c_void, u64, *mut c_void, usize) -> c_int,
    _release: Release,
}

impl ReadAt for CallersSource {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        let Self { context: Context(context), read_at, .. } = *self;
        // SAFETY: the caller's own function, given memory of the length that it is told.
        let code = unsafe { read_at(context, offset, dst.as_mut_ptr().cast(), dst.len()) };
        callbacks::outcome("read_at", code)
    }
}

/// # Safety
/// `options` is NULL or a struct that says its size.
unsafe fn open_options(options: *const hrry_open_options) -> Result<OpenOptions, Failure> {
    // SAFETY: as promised by the caller.
    let options = unsafe { arguments::options(options) }?;
    arguments::reserved(options.reserved)?;
    let access = match options.flags & (HRRY_OPEN_READS | HRRY_OPEN_MEMORY) {
        0 => Access::Auto,
        HRRY_OPEN_READS => Access::Reads,
        HRRY_OPEN_MEMORY => Access::Memory,
        _ => return Err(ErrorKind::Argument { what: "HRRY_OPEN_READS with _MEMORY" }.into()),
    };
    let mode = mode_of(options.flags & !(HRRY_OPEN_READS | HRRY_OPEN_MEMORY))?;
    Ok(OpenOptions { mode, access })
}

/// What flags say that know nothing but the mode.
pub(super) fn mode_of(flags: u32) -> Result<Mode, Failure> {
    match flags {
        0 => Ok(Mode::Strict),
        HRRY_OPEN_PERMISSIVE => Ok(Mode::Permissive),
        _ => Err(ErrorKind::Unknown { what: "flags", value: flags.into() }.into()),
    }
}

/// Opens the file at `path` for reading.
///
/// Reads and checks header, trailer, index and key-value section; touches no descriptor and no
/// data.
/// Ownership: `*out_file` is yours, for `hrry_file_close`.
/// Parameters: `path` ends with a zero byte; `options` NULL for the defaults; both for the call
/// only.
/// Status: HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
/// HRRY_ERROR_NOT_A_FILE, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_open(
    path: *const c_char,
    options: *const hrry_open_options,
    out_file: *mut *mut hrry_file,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_file);
        guard::call(error, || {
            let out = out.needed("out_file")?;
            let path = arguments::text(path, "path")?;
            let path = Path::new(OsStr::from_bytes(path.to_bytes()));
            out.put(hrry_file::new(File::open(path, &open_options(options)?)?)?);
            Ok(())
        })
    }
}

/// Opens a file, or a file inside another, that is open already.
///
/// The descriptor is duplicated (close on exec) and its own offset never moved: yours can be closed
/// or used at once. It must be open for reading and seekable.
/// Ownership: `*out_file` is yours, for `hrry_file_close`.
/// Parameters: the file takes `len` bytes from byte `base` of `fd` on; `len` HRRY_UNKNOWN is all
/// that follows. `options` NULL for the defaults.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_RANGE, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK, HRRY_ERROR_NOT_A_FILE, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_open_fd(
    fd: c_int,
    base: u64,
    len: u64,
    options: *const hrry_open_options,
    out_file: *mut *mut hrry_file,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_file);
        guard::call(error, || {
            let out = out.needed("out_file")?;
            let options = open_options(options)?;
            let length = (len != HRRY_UNKNOWN).then_some(len);
            let fd = arguments::descriptor(fd)?;
            out.put(hrry_file::new(File::open_fd(fd, base, length, &options)?)?);
            Ok(())
        })
    }
}

/// Opens a file that lies in the caller's memory, which is lent, not copied.
///
/// Ownership: `*out_file` is yours, for `hrry_file_close`. The memory stays yours but must stay
/// readable and unchanged until `release` is called, which happens once, with the last
/// reference, and never when this call fails. Without `release` (NULL) it must outlive the file.
/// Parameters: `len` bytes at `data`; `context` is passed to `release`; `options` NULL for the
/// defaults. Buffers are as aligned as `data` is.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_MEMORY, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_open_memory(
    data: *const c_void,
    len: usize,
    release: hrry_release_fn,
    context: *mut c_void,
    options: *const hrry_open_options,
    out_file: *mut *mut hrry_file,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_file);
        guard::call(error, || {
            let out = out.needed("out_file")?;
            let options = open_options(options)?;
            let bytes = arguments::memory(data.cast::<u8>(), len, "data")?;
            let (release, taken) = Release::new(release, context);
            let release = Box::new(move || drop(release));
            out.put(hrry_file::new(File::open_lent(bytes, len, release, &options)?)?);
            taken.succeeded();
            Ok(())
        })
    }
}

/// Opens a file that the caller reads.
///
/// Ownership: `*out_file` is yours, for `hrry_file_close`. The context of the source is lent until
/// its `release` is called, once, with the last reference, and never when this call fails.
/// Parameters: `source` for the call only (its context stays); `options` NULL for the defaults.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_CALLBACK (os_error is what `read_at` returned),
/// HRRY_ERROR_MEMORY, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_open_source(
    source: *const hrry_source,
    options: *const hrry_open_options,
    out_file: *mut *mut hrry_file,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_file);
        guard::call(error, || {
            let out = out.needed("out_file")?;
            let options = open_options(options)?;
            let source = arguments::required(source)?;
            let read_at = source.read_at.ok_or(ErrorKind::Null { what: "read_at" })?;
            let (release, taken) = Release::new(source.release, source.context);
            let (context, size) = (Context(source.context), source.size);
            let source = CallersSource { context, size, read_at, _release: release };
            out.put(hrry_file::new(File::open_source(Box::new(source), &options)?)?);
            taken.succeeded();
            Ok(())
        })
    }
}
