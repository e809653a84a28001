//! Descriptors.

use std::ffi::c_void;
use std::ptr;

use super::arguments::{self, Out};
use super::error::{Failure, hrry_error, hrry_status};
use super::guard;
use super::open::mode_of;
use crate::ErrorKind;
use crate::bytes::{math, memory};
use crate::container::Tensor;
use crate::descriptor::Descriptor;

/// What a tensor is, and how its elements lie in its buffers. Does not change.
///
/// One that came from `hrry_descriptor_decode` or `hrry_builder_build` is yours; one that came from
/// a tensor or a stream is borrowed.
pub struct hrry_descriptor(Held);

enum Held {
    /// The caller's.
    Own(Alone),
    /// A stream's.
    Lent(Alone),
    /// A file's.
    Tensor(Tensor),
}

/// A descriptor without a tensor, with the bytes that it was read from or would be written as.
struct Alone {
    descriptor: Descriptor,
    bytes: Vec<u8>,
}

impl hrry_descriptor {
    /// A descriptor of the caller's, with the bytes that it was read from or would be written as.
    pub(super) fn own(descriptor: Descriptor, bytes: Vec<u8>) -> *mut Self {
        Box::into_raw(Box::new(Self(Held::Own(Alone { descriptor, bytes }))))
    }

    /// One that a stream lends.
    pub(super) fn lent(descriptor: Descriptor, bytes: Vec<u8>) -> Self {
        Self(Held::Lent(Alone { descriptor, bytes }))
    }

    pub(super) fn of_tensor(tensor: Tensor) -> Self {
        Self(Held::Tensor(tensor))
    }

    pub(super) fn tensor(&self) -> Option<&Tensor> {
        match &self.0 {
            Held::Own(_) | Held::Lent(_) => None,
            Held::Tensor(tensor) => Some(tensor),
        }
    }

    pub(super) fn rust(&self) -> &Descriptor {
        match &self.0 {
            Held::Own(alone) | Held::Lent(alone) => &alone.descriptor,
            Held::Tensor(tensor) => tensor.descriptor(),
        }
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Held::Own(alone) | Held::Lent(alone) => &alone.bytes,
            Held::Tensor(tensor) => tensor.descriptor_bytes(),
        }
    }
}

/// # Safety
/// `descriptor` is NULL or valid for `'a`.
pub(super) unsafe fn descriptor<'a>(
    descriptor: *const hrry_descriptor,
) -> Result<&'a Descriptor, Failure> {
    // SAFETY: as promised by the caller.
    unsafe { called(descriptor, "descriptor") }
}

/// Like `descriptor`, for a parameter of another name.
///
/// # Safety
/// `descriptor` is NULL or valid for `'a`.
pub(super) unsafe fn called<'a>(
    descriptor: *const hrry_descriptor,
    name: &'static str,
) -> Result<&'a Descriptor, Failure> {
    // SAFETY: as promised by the caller.
    Ok(unsafe { arguments::handle(descriptor, name) }?.rust())
}

/// What `ask` says of a descriptor, or `none` for NULL.
///
/// # Safety
/// As for `descriptor`.
pub(super) unsafe fn property<T: Copy>(
    descriptor: *const hrry_descriptor,
    none: T,
    ask: impl FnOnce(&Descriptor) -> T,
) -> T {
    // SAFETY: as promised by the caller.
    let descriptor = unsafe { descriptor.as_ref() };
    guard::value(none, || descriptor.map_or(none, |descriptor| ask(descriptor.rust())))
}

/// Accept what the format lets a permissive reader accept: HRRY_OPEN_PERMISSIVE.
pub const HRRY_DECODE_PERMISSIVE: u32 = 1;

/// Reads a descriptor from bytes.
///
/// Ownership: `*out_descriptor` is yours, for `hrry_descriptor_free`; the bytes are copied.
/// Parameters: `len` bytes at `bytes`, of which descriptor_length are looked at; `flags` 0 or
/// HRRY_DECODE_PERMISSIVE.
/// Status: HRRY_ERROR_ARGUMENT, HRRY_ERROR_MEMORY, a fault of the file (offsets count from the
/// first byte).
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_decode(
    bytes: *const c_void,
    len: usize,
    flags: u32,
    out_descriptor: *mut *mut hrry_descriptor,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_descriptor);
        guard::call(error, || {
            let out = out.needed("out_descriptor")?;
            let bytes = arguments::slice(bytes.cast::<u8>(), len, "bytes")?;
            let descriptor = Descriptor::decode(bytes, mode_of(flags)?)?;
            let length = math::to_usize(Descriptor::length_of(bytes)?.into(), "descriptor_length")?;
            let own = memory::copy(bytes.get(..length).unwrap_or(bytes))?;
            out.put(hrry_descriptor::own(descriptor, own));
            Ok(())
        })
    }
}

/// Writes the canonical bytes of a descriptor: version 1.0, no padding behind a scheme's fields,
/// zero in every byte that readers ignore. Those of one whose layout is not known are what it was
/// read from.
///
/// Parameters: room for `len` bytes at `dst`; `*out_len` is how many they are, also when the call
/// fails with HRRY_ERROR_ROOM: (NULL, 0) asks for the size.
/// Status: HRRY_ERROR_ROOM, HRRY_ERROR_MEMORY.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_encode(
    descriptor: *const hrry_descriptor,
    dst: *mut c_void,
    len: usize,
    out_len: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_len);
        guard::call(error, || {
            let out = out.needed("out_len")?;
            let descriptor = self::descriptor(descriptor)?;
            let dst = arguments::slice_mut(dst.cast::<u8>(), len, "dst")?;
            let bytes = descriptor.encode()?;
            out.put(bytes.len());
            let (need, have) = (math::wide(bytes.len()), math::wide(len));
            let room = dst.get_mut(..bytes.len());
            room.ok_or(ErrorKind::Room { what: "the descriptor", need, have })?
                .copy_from_slice(&bytes);
            Ok(())
        })
    }
}

/// Frees a descriptor that is yours.
///
/// Parameters: `descriptor` may be NULL. One that is borrowed stays as it is.
/// Threads: any, but nobody may use it at the same time. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_free(descriptor: *mut hrry_descriptor) {
    // SAFETY: the manual says what the caller owes.
    let held = unsafe { descriptor.as_ref() };
    if held.is_some_and(|held| matches!(held.0, Held::Own(_))) {
        // SAFETY: it came from a Box, and the caller gives it back.
        guard::value((), || drop(unsafe { Box::from_raw(descriptor) }));
    }
}

/// The bytes that the descriptor was read from; the canonical ones of one that was built.
///
/// Returns bytes borrowed from the descriptor, their length in `*out_len`; NULL for NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_descriptor_bytes(
    descriptor: *const hrry_descriptor,
    out_len: *mut usize,
) -> *const c_void {
    // SAFETY: the manual says what the caller owes.
    unsafe {
        let out = Out::at(out_len);
        let descriptor = descriptor.as_ref();
        guard::value(ptr::null(), || {
            descriptor.map_or(ptr::null(), |descriptor| {
                out.put(descriptor.bytes().len());
                descriptor.bytes().as_ptr().cast()
            })
        })
    }
}
