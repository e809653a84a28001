//! Stream.

use std::ffi::{c_int, c_void};

use super::arguments::{self, Out, Versioned};
use super::callbacks::{self, Context, Release, hrry_release_fn};
use super::descriptor::hrry_descriptor;
use super::error::{Failure, hrry_error, hrry_status};
use super::exclusive::Exclusive;
use super::file::hrry_file;
use super::guard;
use super::open::mode_of;
use crate::bytes::memory;
use crate::container::{ReadNext, Stream, StreamOptions};
use crate::{Error, ErrorKind, Result};

/// A file that is read in order, tensor by tensor, from where nobody can go back: a pipe, a socket,
/// a download.
///
/// When the header announces how many tensors there are, they are handed out as they come. Else the
/// whole file is first taken into memory, as far as the limit allows. Names come at the end, with
/// the index: only `hrry_stream_finish` says whether what passed was right. After an error nothing
/// more can be had. Belongs to one thread at a time.
pub struct hrry_stream(Exclusive<State>);

struct State {
    /// None when it is finished.
    stream: Option<Stream>,
    /// What is lent of the tensor that `next` went to.
    current: Current,
}

enum Current {
    Nothing,
    Tensor(Box<hrry_descriptor>),
    /// A tensor has passed that could not be lent: the stream has failed.
    Lost,
}

impl Current {
    fn usable(&self) -> Result<(), Failure> {
        match self {
            Self::Nothing | Self::Tensor(_) => Ok(()),
            Self::Lost => {
                let what = "the stream failed before, nothing more can be read";
                Err(ErrorKind::State { what }.into())
            }
        }
    }
}

/// How a stream is read. NULL or zeros: strict, at most 1 GiB kept.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_stream_options {
    /// sizeof(hrry_stream_options).
    pub struct_size: usize,
    /// 0 or HRRY_OPEN_PERMISSIVE.
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
    /// Bytes that may be kept at a time, 0 for 1 GiB: the whole file when it does not announce its
    /// tensors, else the longest descriptor, and what follows the tensors.
    pub memory_limit: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_stream_options {
    const NAME: &'static str = "hrry_stream_options";
    const FIRST: usize = 24;
}

/// Where a stream's bytes come from.
///
/// `read` waits for the next bytes, puts as many as there are (at most `dst_len`) at `dst` and
/// their number, 0 only at the end of input, into `out_len`; it returns 0, or an error number.
/// After the end or an error it is not called again. `release`, which may be NULL, is called when
/// the stream does not need the context any more: by `hrry_stream_finish` or `hrry_stream_free`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_stream_source {
    /// sizeof(hrry_stream_source).
    pub struct_size: usize,
    /// Passed to the functions.
    pub context: *mut c_void,
    /// Reads.
    pub read: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            dst: *mut c_void,
            dst_len: usize,
            out_len: *mut usize,
        ) -> c_int,
    >,
    /// Gives the context back.
    pub release: hrry_release_fn,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_stream_source {
    const NAME: &'static str = "hrry_stream_source";
    const FIRST: usize = 32;
}

struct CallersInput {
    context: Context,
    read: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, *mut usize) -> c_int,
    _release: Release,
}

impl ReadNext for CallersInput {
    fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        let Self { context: Context(context), read, .. } = *self;
        let mut count = 0;
        // SAFETY: the caller's own function, given memory of the length that it is told.
        let code = unsafe { read(context, dst.as_mut_ptr().cast(), dst.len(), &mut count) };
        callbacks::outcome("read", code)?;
        match count <= dst.len() {
            true => Ok(count),
            false => Err(Error::new(ErrorKind::Argument { what: "out_len of read" })),
        }
    }
}

impl hrry_stream {
    fn new(stream: Stream) -> *mut Self {
        let state = State { stream: Some(stream), current: Current::Nothing };
        Box::into_raw(Box::new(Self(Exclusive::new(state))))
    }
}

/// # Safety
/// `options` is NULL or a struct that says its size.
unsafe fn options(options: *const hrry_stream_options) -> Result<StreamOptions, Failure> {
    // SAFETY: as promised by the caller.
    let options = unsafe { arguments::options(options) }?;
    let defaults = StreamOptions::default();
    arguments::reserved(options.reserved)?;
    Ok(StreamOptions {
        mode: mode_of(options.flags)?,
        memory_limit: match options.memory_limit {
            0 => defaults.memory_limit,
            limit => limit,
        },
    })
}

/// Does something with a stream that is not finished.
///
/// # Safety
/// As the manual asks of the caller.
unsafe fn with(
    stream: *mut hrry_stream,
    error: *mut hrry_error,
    work: impl FnOnce(&mut Stream, &mut Current) -> Result<(), Failure>,
) -> hrry_status {
    // SAFETY: as promised by the caller.
    unsafe {
        guard::call(error, || {
            arguments::handle(stream, "stream")?.0.with(|state| {
                let State { stream, current } = state;
                current.usable()?;
                work(stream.as_mut().ok_or_else(finished)?, current)
            })
        })
    }
}

fn finished() -> Failure {
    ErrorKind::State { what: "the stream is finished" }.into()
}

/// Begins to read a file whose bytes the caller brings.
///
/// Reads the header, and the whole file if that does not announce its tensors.
/// Ownership: `*out_stream` is yours, for `hrry_stream_free`. The context of the source is lent
/// until its `release` is called, once, and never when this call fails.
/// Parameters: `source` for the call only (its context stays); `options` NULL for the defaults.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_LIMIT, HRRY_ERROR_CALLBACK (os_error is what `read`
/// returned), HRRY_ERROR_MEMORY, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_open(
    source: *const hrry_stream_source,
    options: *const hrry_stream_options,
    out_stream: *mut *mut hrry_stream,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_stream);
        guard::call(error, || {
            let out = out.needed("out_stream")?;
            let options = self::options(options)?;
            let source = arguments::required(source)?;
            let read = source.read.ok_or(ErrorKind::Null { what: "read" })?;
            let (release, taken) = Release::new(source.release, source.context);
            let input = CallersInput { context: Context(source.context), read, _release: release };
            out.put(hrry_stream::new(Stream::open(Box::new(input), &options)?));
            taken.succeeded();
            Ok(())
        })
    }
}

/// Begins to read a file from an open descriptor, from where it stands.
///
/// Ownership: `*out_stream` is yours, for `hrry_stream_free`. The descriptor is duplicated (close
/// on exec); the two share one place, which moves.
/// Parameters: `options` NULL for the defaults.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_LIMIT, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_MEMORY, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_open_fd(
    fd: c_int,
    options: *const hrry_stream_options,
    out_stream: *mut *mut hrry_stream,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_stream);
        guard::call(error, || {
            let out = out.needed("out_stream")?;
            let options = self::options(options)?;
            let fd = arguments::descriptor(fd)?;
            out.put(hrry_stream::new(Stream::open_fd(fd, &options)?));
            Ok(())
        })
    }
}

/// Goes on to the next tensor, past what is left of this one.
///
/// Ownership: `*out_descriptor` is borrowed from the stream until this function,
/// `hrry_stream_finish` or `hrry_stream_free` is called; NULL at the end of the tensors.
/// Status: HRRY_ERROR_LIMIT, HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY, a fault of the file.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_next(
    stream: *mut hrry_stream,
    out_descriptor: *mut *const hrry_descriptor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_descriptor);
        with(stream, error, |stream, current| {
            let out = out.needed("out_descriptor")?;
            // Until it is lent.
            *current = Current::Lost;
            let Some(descriptor) = stream.next()? else {
                *current = Current::Nothing;
                return Ok(());
            };
            let descriptor = descriptor.try_clone()?;
            let bytes = memory::copy(stream.descriptor_bytes().unwrap_or_default())?;
            *current = Current::Tensor(Box::new(hrry_descriptor::lent(descriptor, bytes)));
            if let Current::Tensor(lent) = current {
                out.put(std::ptr::from_ref(&**lent));
            }
            Ok(())
        })
    }
}

/// Reads the next bytes of the tensor's buffers: one buffer after the other, without the padding
/// between them.
///
/// Parameters: room for `len` bytes at `dst`; `*out_len` is how many there were: `len`, or fewer
/// where the tensor ends, at last 0.
/// Status: HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_CALLBACK, a fault of
/// the file.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_read(
    stream: *mut hrry_stream,
    dst: *mut c_void,
    len: usize,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_len);
        with(stream, error, |stream, _| {
            let out = out.needed("out_len")?;
            out.put(stream.read(arguments::slice_mut(dst.cast(), len, "dst")?)?);
            Ok(())
        })
    }
}

/// How many bytes of the tensor's buffers were not read yet.
///
/// Returns 0 for NULL, for a stream that is finished and while another call uses it.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_remaining(stream: *const hrry_stream) -> u64 {
    // SAFETY: the manual says what the caller owes.
    let stream = unsafe { stream.as_ref() };
    guard::value(0, || {
        let remaining = stream.map(|stream| {
            stream.0.with(|state| Ok(state.stream.as_ref().map_or(0, Stream::remaining)))
        });
        remaining.and_then(Result::ok).unwrap_or(0)
    })
}

/// Goes past the tensors that are left, takes in the rest of the input and checks it: only now is
/// it known that what passed was right.
///
/// Whatever it returns (but HRRY_ERROR_ARGUMENT), the stream is finished: there is nothing left to
/// be done with it but `hrry_stream_free`.
/// Ownership: `*out_file` is yours, for `hrry_file_close`. It has names, places and keys; its
/// tensors can be asked for only when the whole file was taken into memory.
/// Status: HRRY_ERROR_LIMIT, HRRY_ERROR_STATE, HRRY_ERROR_SYSTEM (os_error is errno),
/// HRRY_ERROR_CALLBACK, HRRY_ERROR_MEMORY, a fault of the file, such as an index that differs from
/// what passed.
/// Threads: one at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_finish(
    stream: *mut hrry_stream,
    out_file: *mut *mut hrry_file,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_file);
        guard::call(error, || {
            let stream = arguments::handle(stream, "stream")?;
            let out = out.needed("out_file")?;
            let file = stream.0.with(|state| {
                let stream = state.stream.take().ok_or_else(finished)?;
                std::mem::replace(&mut state.current, Current::Nothing).usable()?;
                Ok(stream.finish()?)
            })?;
            out.put(hrry_file::new(file)?);
            Ok(())
        })
    }
}

/// Frees a stream.
///
/// Parameters: `stream` may be NULL.
/// Threads: any, but nobody may use it at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_stream_free(stream: *mut hrry_stream) {
    if !stream.is_null() {
        // SAFETY: it came from a Box, and the caller gives it back.
        guard::value((), || drop(unsafe { Box::from_raw(stream) }));
    }
}
