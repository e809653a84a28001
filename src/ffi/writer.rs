//! Writer.

use std::ffi::{OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::arguments::{self, Out, Versioned};
use super::callbacks::{self, Context, Release, Taken, hrry_release_fn};
use super::error::{Failure, HRRY_UNKNOWN, hrry_error, hrry_status};
use super::exclusive::Exclusive;
use super::guard;
use crate::container::{ByteSink, Writer, WriterOptions};
use crate::{ErrorKind, Result};

/// A file being written, in one pass and from front to back. It keeps nothing but its index, and the
/// descriptors of a composite that was announced, about 100 bytes a member, until that is ended.
///
/// What the format forbids is refused before a byte of it is written, and the writer goes on; the
/// data itself is written as it is, `hrry_file_validate` tells whether its numbers are right. After
/// an error of the system or of the sink every further call returns HRRY_ERROR_STATE. A path holds
/// what it held before, or nothing, until `hrry_writer_finish` has succeeded. Belongs to one thread
/// at a time.
pub struct hrry_writer(Exclusive<Option<Writer>>);

/// Sort the index by name; else it keeps the order of writing.
pub const HRRY_WRITE_SORTED: u32 = 1;

/// No checksum of the index.
pub const HRRY_WRITE_NO_CRC: u32 = 2;

/// Do not wait until file and folder are on disk.
pub const HRRY_WRITE_NO_SYNC: u32 = 4;

/// Lower a buffer's declared alignment to that of the file where it is higher, instead of refusing
/// it. Not for descriptors that are given as bytes.
pub const HRRY_WRITE_LOWER_ALIGNMENT: u32 = 8;

/// How a file is written. NULL or zeros: alignment 4096, index in order of writing and with a
/// checksum, no announcement, on disk when `hrry_writer_finish` returns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_writer_options {
    /// sizeof(hrry_writer_options).
    pub struct_size: usize,
    /// HRRY_WRITE_*, or-ed.
    pub flags: u32,
    /// data_buffer_alignment, a power of two from 4096 to 2 097 152; 0 for 4096.
    pub alignment: u32,
    /// How many tensors will be written, for those who read the file in order; another number at
    /// the end is an error. 0 announces nothing.
    pub count_hint: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_writer_options {
    const NAME: &'static str = "hrry_writer_options";
    const FIRST: usize = 24;
}

/// Where a writer's bytes go when they do not go to a file.
///
/// `write` takes all of the bytes, which follow those of the call before, and returns 0, or an
/// error number; after that it is not called again. `release`, which may be NULL, is called when
/// the writer does not need the context any more: at the end of a `hrry_writer_finish`, or by
/// `hrry_writer_free`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_sink {
    /// sizeof(hrry_sink).
    pub struct_size: usize,
    /// Passed to the functions.
    pub context: *mut c_void,
    /// Writes.
    pub write: Option<
        unsafe extern "C" fn(context: *mut c_void, data: *const c_void, data_len: usize) -> c_int,
    >,
    /// Gives the context back.
    pub release: hrry_release_fn,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_sink {
    const NAME: &'static str = "hrry_sink";
    const FIRST: usize = 32;
}

struct CallersSink {
    context: Context,
    write: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> c_int,
    _release: Release,
}

impl CallersSink {
    fn new(sink: &hrry_sink) -> Result<(Self, Taken), Failure> {
        let write = sink.write.ok_or(ErrorKind::Null { what: "write" })?;
        let (release, taken) = Release::new(sink.release, sink.context);
        Ok((Self { context: Context(sink.context), write, _release: release }, taken))
    }
}

impl ByteSink for CallersSink {
    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let Self { context: Context(context), write, .. } = *self;
        // SAFETY: the caller's own function, given bytes of the length that it is told.
        let code = unsafe { write(context, bytes.as_ptr().cast(), bytes.len()) };
        callbacks::outcome("write", code)
    }
}

impl hrry_writer {
    fn new(writer: Writer) -> *mut Self {
        Box::into_raw(Box::new(Self(Exclusive::new(Some(writer)))))
    }
}

/// # Safety
/// `options` is NULL or a struct that says its size.
unsafe fn options(options: *const hrry_writer_options) -> Result<WriterOptions, Failure> {
    // SAFETY: as promised by the caller.
    let options = unsafe { arguments::options(options) }?;
    let known =
        HRRY_WRITE_SORTED | HRRY_WRITE_NO_CRC | HRRY_WRITE_NO_SYNC | HRRY_WRITE_LOWER_ALIGNMENT;
    let has = |flag: u32| options.flags & flag != 0;
    if has(!known) {
        return Err(ErrorKind::Unknown { what: "flags", value: options.flags.into() }.into());
    }
    let defaults = WriterOptions::default();
    Ok(WriterOptions {
        alignment: if options.alignment == 0 { defaults.alignment } else { options.alignment },
        sorted: has(HRRY_WRITE_SORTED),
        crc: !has(HRRY_WRITE_NO_CRC),
        count_hint: Some(options.count_hint).filter(|&hint| hint != 0 && hint != HRRY_UNKNOWN),
        sync: !has(HRRY_WRITE_NO_SYNC),
        lower_alignment: has(HRRY_WRITE_LOWER_ALIGNMENT),
    })
}

/// Does something with a writer.
///
/// # Safety
/// As the manual asks of the caller.
pub(super) unsafe fn write(
    writer: *mut hrry_writer,
    error: *mut hrry_error,
    work: impl FnOnce(&mut Writer) -> Result<(), Failure>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        guard::call(error, || {
            arguments::handle(writer, "writer")?.0.with(|writer| match writer {
                Some(writer) => work(writer),
                None => Err(finished()),
            })
        })
    }
}

fn finished() -> Failure {
    ErrorKind::State { what: "the writer is finished" }.into()
}

/// Starts a file that takes its place at `path` when it is finished.
///
/// Links are followed, an existing file's mode is kept, and whoever has the old file open or mapped
/// keeps it. A writer that is killed leaves nothing, or one file beside `path` whose name says what
/// it is.
/// Ownership: `*out_writer` is yours, for `hrry_writer_free`.
/// Parameters: `path` ends with a zero byte; `options` NULL for the defaults; both for the call
/// only.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for the alignment, HRRY_ERROR_NOT_A_FILE,
/// HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_create(
    path: *const c_char,
    options: *const hrry_writer_options,
    out_writer: *mut *mut hrry_writer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_writer);
        guard::call(error, || {
            let out = out.needed("out_writer")?;
            let path = arguments::text(path, "path")?;
            let path = Path::new(OsStr::from_bytes(path.to_bytes()));
            out.put(hrry_writer::new(Writer::create(path, &self::options(options)?)?));
            Ok(())
        })
    }
}

/// Starts a file on an open descriptor, from where it stands and without ever seeking: pipes and
/// sockets will do. What was written stays when the writer fails or is not finished.
///
/// Ownership: `*out_writer` is yours, for `hrry_writer_free`. The descriptor is duplicated (close
/// on exec); the two share one place in the file.
/// Parameters: `options` NULL for the defaults.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for the alignment, HRRY_ERROR_SYSTEM (os_error
/// is errno), HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_create_fd(
    fd: c_int,
    options: *const hrry_writer_options,
    out_writer: *mut *mut hrry_writer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_writer);
        guard::call(error, || {
            let out = out.needed("out_writer")?;
            let fd = arguments::descriptor(fd)?;
            out.put(hrry_writer::new(Writer::create_fd(fd, &self::options(options)?)?));
            Ok(())
        })
    }
}

/// Starts a file whose bytes the caller takes.
///
/// Ownership: `*out_writer` is yours, for `hrry_writer_free`. The context of the sink is lent until
/// its `release` is called, once, and never when this call fails.
/// Parameters: `sink` for the call only (its context stays); `options` NULL for the defaults.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN for the alignment, HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_create_sink(
    sink: *const hrry_sink,
    options: *const hrry_writer_options,
    out_writer: *mut *mut hrry_writer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_writer);
        guard::call(error, || {
            let out = out.needed("out_writer")?;
            let (sink, taken) = CallersSink::new(&arguments::required(sink)?)?;
            let options = self::options(options)?;
            out.put(hrry_writer::new(Writer::create_sink(Box::new(sink), &options)?));
            taken.succeeded();
            Ok(())
        })
    }
}

/// How many tensors were begun so far.
///
/// Returns 0 for NULL, for a writer that is finished and while another call uses it.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_tensor_count(writer: *const hrry_writer) -> u64 {
    // SAFETY: the manual says what the caller owes.
    let writer = unsafe { writer.as_ref() };
    guard::value(0, || {
        let count = writer.map(|writer| {
            writer.0.with(|writer| Ok(writer.as_ref().map_or(0, Writer::tensor_count)))
        });
        count.and_then(Result::ok).unwrap_or(0)
    })
}

/// Writes what follows the tensors and ends the file: only now does a path hold it.
///
/// When it is refused (a tensor or a composite is not ended, the number of tensors is not the one
/// announced) the writer goes on. Otherwise it is finished, and there is nothing left to be done
/// with it but `hrry_writer_free`. When it fails, a path holds what it held before; only when the
/// system fails to make the folder last does it hold the new file already.
/// Status: HRRY_ERROR_STATE after an error, inside a tensor or composite or a second time,
/// HRRY_ERROR_FORBIDDEN when the number of tensors is not the one announced, HRRY_ERROR_SYSTEM
/// (os_error is errno), HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_finish(
    writer: *mut hrry_writer,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            arguments::handle(writer, "writer")?.0.with(|writer| {
                writer.as_ref().ok_or_else(finished)?.ready()?;
                Ok(writer.take().ok_or_else(finished)?.finish()?)
            })
        })
    }
}

/// Frees a writer. One that is not finished gives up: a path keeps what it held before.
///
/// Parameters: `writer` may be NULL.
/// Threads: any, but nobody may use it at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_writer_free(writer: *mut hrry_writer) {
    if !writer.is_null() {
        // SAFETY: it came from a Box, and the caller gives it back.
        guard::value((), || drop(unsafe { Box::from_raw(writer) }));
    }
}
