//! Files.

use std::ffi::{c_char, c_int};
use std::sync::{Arc, OnceLock};

use super::arguments::{self, Out, OutBytes, Room, Versioned};
use super::error::{Failure, HRRY_UNKNOWN, hrry_error, hrry_status, not_found};
use super::guard;
use super::kv::hrry_kv;
use super::slots::Slots;
use super::tensor::hrry_tensor;
use crate::composite::Membership;
use crate::container::{File, Held};
use crate::descriptor::Mode;
use crate::{ErrorKind, Result};

/// A file that was opened for reading. It does not change, is counted by its references, and is
/// whole: header, index and key-value section were read and checked when it was opened, in memory
/// of its own.
///
/// Memory: the bytes of index and key-value section, about 21 bytes for each tensor and 40 for each
/// key, 4 for each element of arrays of strings or bytes, and what `hrry_tensor` says for each
/// tensor that was asked for. The first question about composites adds 48 bytes for each head.
pub struct hrry_file {
    tensors: Slots<hrry_tensor>,
    composites: OnceLock<Membership>,
    // Borrow from what `file` holds, which does not move and goes last.
    kv: Vec<hrry_kv>,
    file: File,
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

impl hrry_file {
    /// A handle of the caller's.
    pub(super) fn new(file: File) -> Result<*mut Self> {
        let kv = hrry_kv::handles(file.kv())?;
        let tensors = Slots::new(file.tensor_count())?;
        let composites = OnceLock::new();
        Ok(Arc::into_raw(Arc::new(Self { tensors, composites, kv, file })).cast_mut())
    }

    /// Another reference, for what keeps a file open.
    ///
    /// # Safety
    /// `file` is a handle of the caller's that is open.
    pub(super) unsafe fn retained(file: &Self) -> Arc<Self> {
        let file = std::ptr::from_ref(file);
        // SAFETY: it came from an Arc, of which the caller holds a reference.
        unsafe {
            Arc::increment_strong_count(file);
            Arc::from_raw(file)
        }
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

    /// Who belongs to whom, found when it is first asked for. Of several threads that come first
    /// at once, one wins; the others drop what they found.
    pub(super) fn composites(&self) -> Result<&Membership> {
        match self.composites.get() {
            Some(found) => Ok(found),
            None => {
                let found = Membership::of(&self.file)?;
                Ok(self.composites.get_or_init(|| found))
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

    fn find(&self, name: &[u8], seen: *const hrry_error) -> Result<u64, Failure> {
        self.file.find(name).ok_or_else(|| not_found("tensor", name, seen))
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
            out.put(file.find(name, error)?);
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
/// Status: HRRY_ERROR_INDEX, HRRY_ERROR_MEMORY (the order is made when it is first asked for, 4
/// bytes a tensor, unless it is that of the index).
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
            out.put(file.tensor(file.find(name, error)?)?);
            Ok(())
        })
    }
}
