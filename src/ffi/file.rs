//! Files.

use std::ffi::{OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::arguments::{self, Out, OutBytes, Room, Versioned};
use super::callbacks::{self, Context, Release, hrry_release_fn};
use super::error::{Failure, HRRY_UNKNOWN, hrry_error, hrry_status};
use super::guard;
use super::kv::hrry_kv;
use super::slots::Slots;
use super::tensor::hrry_tensor;
use crate::container::{Access, File, Held, OpenOptions, ReadAt};
use crate::descriptor::Mode;
use crate::{ErrorKind, Result};

/// A file that was opened for reading. It does not change, is counted by its references, and is
/// whole: header, index and key-value section were read and checked when it was opened, in memory
/// of its own.
///
/// Memory: the bytes of index and key-value section, about 21 bytes for each tensor and 40 for each
/// key, 4 for each element of arrays of strings or bytes, and what `hrry_tensor` says for each
/// tensor that was asked for.
pub struct hrry_file {
    tensors: Slots<hrry_tensor>,
    // Borrow from what `file` holds, which does not move and goes last.
    kv: Vec<hrry_kv>,
    file: File,
}

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

/// How the data of a file is reached.
pub type hrry_access = u32;
/// Mapped: buffers have pointers.
pub const HRRY_ACCESS_MAPPED: hrry_access = 1;
/// In memory, the library's or the caller's: buffers have pointers.
pub const HRRY_ACCESS_MEMORY: hrry_access = 2;
/// By reads only: buffers have no pointers.
pub const HRRY_ACCESS_READS: hrry_access = 3;

/// The header says that there is a key-value section.
pub const HRRY_FILE_HAS_KV: u32 = 1;
/// The index is sorted by name.
pub const HRRY_FILE_SORTED: u32 = 2;
/// The index has a checksum, which was verified.
pub const HRRY_FILE_HAS_CRC: u32 = 4;

/// Facts about an open file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_file_facts {
    /// sizeof(hrry_file_facts).
    pub struct_size: usize,
    /// Bytes of the file.
    pub size: u64,
    /// Tensors in the index, composite heads among them.
    pub tensor_count: u64,
    /// Entries of the key-value section.
    pub kv_count: u64,
    /// Tensors that the header announces; HRRY_UNKNOWN when it does not.
    pub tensor_count_hint: u64,
    /// Where the first descriptor stands.
    pub first_descriptor_offset: u64,
    /// Where the index stands.
    pub index_offset: u64,
    /// Bytes of the index.
    pub index_len: u64,
    /// Where the key-value section stands; 0 when there is none.
    pub kv_offset: u64,
    /// Bytes of the key-value section; 0 when there is none.
    pub kv_len: u64,
    /// data_buffer_alignment: each buffer begins at a multiple of it.
    pub alignment: u32,
    /// HRRY_FILE_*, as the header has them.
    pub flags: u32,
    /// container_version_minor; the major version is 1.
    pub version_minor: u32,
    /// HRRY_ACCESS_*.
    pub access: hrry_access,
    /// 1 when it was opened permissive, 0 when strict.
    pub permissive: u32,
    /// Checksum of the index (CRC-32C), 0 without HRRY_FILE_HAS_CRC.
    pub index_crc32c: u32,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_file_facts {
    const NAME: &'static str = "hrry_file_facts";
    const FIRST: usize = 104;
}

/// Where the parts of a tensor lie, as the index has it: known without reading its descriptor.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hrry_entry {
    /// sizeof(hrry_entry).
    pub struct_size: usize,
    /// The name, borrowed from the file; no zero byte at its end.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_len: usize,
    /// Where the descriptor stands.
    pub descriptor_offset: u64,
    /// Bytes of the descriptor.
    pub descriptor_len: u64,
    /// Where the first buffer begins.
    pub data_offset: u64,
    /// Bytes from there to the end of the last buffer, padding between buffers among them.
    pub data_len: u64,
}

// SAFETY: repr(C), begins with its size, all zeros is a value.
unsafe impl Versioned for hrry_entry {
    const NAME: &'static str = "hrry_entry";
    const FIRST: usize = 56;
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

impl hrry_file {
    fn new(file: File) -> Result<*mut Self> {
        let kv = hrry_kv::handles(file.kv())?;
        let tensors = Slots::new(file.tensor_count())?;
        Ok(Arc::into_raw(Arc::new(Self { tensors, kv, file })).cast_mut())
    }

    /// What a user of the Rust API has.
    pub(super) fn rust(&self) -> &File {
        &self.file
    }

    /// The kept tensor, decoded now if it has not been.
    fn tensor(&self, index: u64) -> Result<*const hrry_tensor, Failure> {
        let make = || self.file.tensor(index).map(|tensor| Box::new(hrry_tensor::new(tensor)));
        match self.tensors.get_or_make(index, make) {
            Some(tensor) => Ok(std::ptr::from_ref(tensor?)),
            None => {
                let count = self.file.tensor_count();
                Err(ErrorKind::Index { what: "tensor", value: index, count }.into())
            }
        }
    }

    /// The handle of an entry of the key-value section.
    pub(super) fn kv(&self, index: u64) -> Result<*const hrry_kv, Failure> {
        let handle = usize::try_from(index).ok().and_then(|index| self.kv.get(index));
        let count = self.file.kv().len();
        let missing = ErrorKind::Index { what: "key", value: index, count };
        handle.map(std::ptr::from_ref).ok_or(Failure::Plain(missing))
    }

    fn find(&self, name: &[u8]) -> Result<u64, Failure> {
        self.file.find(name).ok_or(Failure::Plain(ErrorKind::NotFound { what: "tensor" }))
    }
}

fn open_options(options: *const hrry_open_options) -> Result<OpenOptions, Failure> {
    // SAFETY: the caller of the API passes NULL or a struct that says its size.
    let options = unsafe { arguments::options(options) }?;
    let flags = options.flags;
    let known = HRRY_OPEN_PERMISSIVE | HRRY_OPEN_READS | HRRY_OPEN_MEMORY;
    let both = HRRY_OPEN_READS | HRRY_OPEN_MEMORY;
    if flags & !known != 0 || flags & both == both || options.reserved != 0 {
        return Err(ErrorKind::Unknown { what: "flags", value: flags.into() }.into());
    }
    let mut chosen = OpenOptions::default();
    if flags & HRRY_OPEN_PERMISSIVE != 0 {
        chosen.mode = Mode::Permissive;
    }
    if flags & HRRY_OPEN_READS != 0 {
        chosen.access = Access::Reads;
    }
    if flags & HRRY_OPEN_MEMORY != 0 {
        chosen.access = Access::Memory;
    }
    Ok(chosen)
}

/// Opens the file at `path` for reading.
///
/// Reads and checks header, trailer, index and key-value section; touches no descriptor and no data.
/// Ownership: `*out_file` is yours, for `hrry_file_close`.
/// Parameters: `path` ends with a zero byte; `options` NULL for the defaults; both for the call only.
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
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_RANGE, HRRY_ERROR_SYSTEM (os_error is errno), HRRY_ERROR_MEMORY,
/// HRRY_ERROR_SHRANK, HRRY_ERROR_NOT_A_FILE, a fault of the file.
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

/// Makes another reference to a file.
///
/// Returns `file`, to be closed once more; NULL for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_retain(file: *const hrry_file) -> *mut hrry_file {
    if !file.is_null() {
        // SAFETY: it came from an Arc, of which the caller holds a reference.
        unsafe { Arc::increment_strong_count(file) };
    }
    file.cast_mut()
}

/// Gives back a reference. With the last one the file is closed, and all that was borrowed from it
/// dies.
///
/// Parameters: `file` may be NULL.
/// Threads: any, but nobody may use this reference at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_close(file: *mut hrry_file) {
    if !file.is_null() {
        // SAFETY: it came from an Arc, and the caller gives its reference back.
        guard::value((), || drop(unsafe { Arc::from_raw(file) }));
    }
}

/// Facts about the file.
///
/// Parameters: `facts` is filled in as far as its struct_size goes.
/// Status: HRRY_ERROR_ROOM when struct_size is below that of the first version.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_info(
    file: *const hrry_file,
    facts: *mut hrry_file_facts,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(facts)?;
            let file = arguments::handle(file, "file")?.rust();
            let (header, trailer) = (file.header(), file.trailer());
            room.fill(&hrry_file_facts {
                struct_size: 0,
                size: file.size(),
                tensor_count: file.tensor_count(),
                kv_count: file.kv().len(),
                tensor_count_hint: header.tensor_count_hint().unwrap_or(HRRY_UNKNOWN),
                first_descriptor_offset: header.first_descriptor_offset(),
                index_offset: trailer.index_offset,
                index_len: trailer.index_length,
                kv_offset: trailer.kv.map_or(0, |extent| extent.offset),
                kv_len: trailer.kv.map_or(0, |extent| extent.length.into()),
                alignment: header.alignment(),
                flags: header.flags().bits(),
                version_minor: header.version_minor().into(),
                access: match file.held() {
                    Held::Mapped => HRRY_ACCESS_MAPPED,
                    Held::Memory => HRRY_ACCESS_MEMORY,
                    Held::Reads => HRRY_ACCESS_READS,
                },
                permissive: u32::from(file.mode() == Mode::Permissive),
                index_crc32c: trailer.crc.unwrap_or(0),
            });
            Ok(())
        })
    }
}

/// The descriptor that the library reads through, for callers with I/O of their own.
///
/// Returns a descriptor that stays the library's, borrowed from the file; -1 when there is none
/// (memory, a caller's source) and for NULL. Offsets of the file count from the `base` that it was
/// opened with.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_fd(file: *const hrry_file) -> c_int {
    // SAFETY: the manual says what the caller owes.
    let file = unsafe { file.as_ref() };
    guard::value(-1, || file.and_then(|file| file.rust().raw_fd()).unwrap_or(-1))
}

/// How many tensors the index has, composite heads among them.
///
/// Returns 0 for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_tensor_count(file: *const hrry_file) -> u64 {
    // SAFETY: the manual says what the caller owes.
    let file = unsafe { file.as_ref() };
    guard::value(0, || file.map_or(0, |file| file.rust().tensor_count()))
}

/// The name of a tensor, without touching its descriptor.
///
/// Ownership: `*out_name` is borrowed from the file; no zero byte at its end.
/// Parameters: `index` below `hrry_file_tensor_count`, in the order of the index.
/// Status: HRRY_ERROR_INDEX.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_name_at(
    file: *const hrry_file,
    index: u64,
    out_name: *mut *const c_char,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = OutBytes::at(out_name, out_len);
        guard::call(error, || {
            let out = out.needed("out_name", "out_len")?;
            let file = arguments::handle(file, "file")?;
            out.put(file.rust().entry(index)?.name.as_bytes());
            Ok(())
        })
    }
}

/// The place of a tensor in the index, by its name.
///
/// Parameters: `name_len` bytes at `name`; `*out_index` is HRRY_UNKNOWN when there is none.
/// Status: HRRY_ERROR_NOT_FOUND.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_name_find(
    file: *const hrry_file,
    name: *const c_char,
    name_len: usize,
    out_index: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_index);
        guard::call(error, || {
            let out = out.needed("out_index")?;
            out.put(HRRY_UNKNOWN);
            let file = arguments::handle(file, "file")?;
            let name = arguments::slice(name.cast(), name_len, "name")?;
            out.put(file.find(name)?);
            Ok(())
        })
    }
}

/// Where the parts of a tensor lie, without touching its descriptor.
///
/// Ownership: the name in `entry` is borrowed from the file.
/// Parameters: `index` below `hrry_file_tensor_count`; `entry` is filled in as far as its
/// struct_size goes.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_ROOM.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_entry_at(
    file: *const hrry_file,
    index: u64,
    entry: *mut hrry_entry,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        guard::call(error, || {
            let room = Room::at(entry)?;
            let entry = arguments::handle(file, "file")?.rust().entry(index)?;
            room.fill(&hrry_entry {
                struct_size: 0,
                name: entry.name.as_ptr().cast(),
                name_len: entry.name.len(),
                descriptor_offset: entry.descriptor_offset,
                descriptor_len: entry.descriptor_length.into(),
                data_offset: entry.data_offset,
                data_len: entry.data_length,
            });
            Ok(())
        })
    }
}

/// The tensor whose descriptor stands at the k-th place in the file: the order in which reading
/// them all is fastest.
///
/// Parameters: `k` below `hrry_file_tensor_count`; `*out_index` is its place in the index.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_MEMORY (the order is made when it is first asked for, 4 bytes
/// a tensor, unless it is that of the index).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_order_at(
    file: *const hrry_file,
    k: u64,
    out_index: *mut u64,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_index);
        guard::call(error, || {
            let out = out.needed("out_index")?;
            out.put(arguments::handle(file, "file")?.rust().in_file_order(k)?);
            Ok(())
        })
    }
}

/// A tensor by its place in the index. Its descriptor is read, checked and kept when it is first
/// asked for; after that the same pointer is given again.
///
/// Ownership: `*out_tensor` is borrowed from the file.
/// Parameters: `index` below `hrry_file_tensor_count`.
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_SYSTEM, HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
/// HRRY_ERROR_CALLBACK, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_tensor_at(
    file: *const hrry_file,
    index: u64,
    out_tensor: *mut *const hrry_tensor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_tensor);
        guard::call(error, || {
            let out = out.needed("out_tensor")?;
            out.put(arguments::handle(file, "file")?.tensor(index)?);
            Ok(())
        })
    }
}

/// A tensor by its name, as `hrry_file_tensor_at`.
///
/// Ownership: `*out_tensor` is borrowed from the file.
/// Parameters: `name_len` bytes at `name`, for the call only.
/// Status: HRRY_ERROR_NOT_FOUND, HRRY_ERROR_SYSTEM, HRRY_ERROR_MEMORY, HRRY_ERROR_SHRANK,
/// HRRY_ERROR_CALLBACK, a fault of the file.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_file_tensor_find(
    file: *const hrry_file,
    name: *const c_char,
    name_len: usize,
    out_tensor: *mut *const hrry_tensor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_tensor);
        guard::call(error, || {
            let out = out.needed("out_tensor")?;
            let file = arguments::handle(file, "file")?;
            let name = arguments::slice(name.cast(), name_len, "name")?;
            out.put(file.tensor(file.find(name)?)?);
            Ok(())
        })
    }
}
