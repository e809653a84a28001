//! What C passes, checked: pointers, lengths and structs that say their own size.
//!
//! Every pointer of the API passes through here or through a handle's own `of`, so that NULL is an
//! error everywhere and never undefined behaviour.

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;

use super::error::Failure;
use crate::ErrorKind;
use crate::bytes::math;
use crate::descriptor::{ElementType, MAX_RANK};

fn null(what: &'static str) -> Failure {
    Failure::Plain(ErrorKind::Null { what })
}

fn unusable(what: &'static str) -> Failure {
    Failure::Plain(ErrorKind::Argument { what })
}

/// A borrowed handle.
///
/// # Safety
/// `handle` is NULL or points to a `T` that nobody changes for `'a`.
pub(super) unsafe fn handle<'a, T>(handle: *const T, what: &'static str) -> Result<&'a T, Failure> {
    // SAFETY: as promised by the caller.
    unsafe { handle.as_ref() }.ok_or_else(|| null(what))
}

/// The elements that a pointer and a count describe; `(NULL, 0)` is none.
///
/// # Safety
/// `data` is NULL or points to `count` elements that nobody changes for `'a`.
pub(super) unsafe fn slice<'a, T>(
    data: *const T,
    count: usize,
    what: &'static str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check_memory(data, count, what)?;
    // SAFETY: neither NULL, misaligned nor longer than memory can be; the rest is promised by the
    // caller.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// Bytes to be filled; `(NULL, 0)` is none. What is there before is overwritten, never read.
///
/// # Safety
/// `data` is NULL or points to `length` bytes that are ours for `'a`.
pub(super) unsafe fn slice_mut<'a, T>(
    data: *mut T,
    count: usize,
    what: &'static str,
) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_memory(data, count, what)?;
    // SAFETY: as above, and the caller lends it to us alone.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, count) })
}

/// Memory that is lent for longer than the call: nothing is borrowed from it here.
pub(super) fn memory<T>(
    data: *const T,
    count: usize,
    what: &'static str,
) -> Result<*const T, Failure> {
    if count == 0 {
        return Ok(NonNull::dangling().as_ptr());
    }
    check_memory(data, count, what)?;
    Ok(data)
}

/// An open descriptor of the caller's.
///
/// # Safety
/// `fd` is negative or stays open for `'a`.
pub(super) unsafe fn descriptor<'a>(fd: c_int) -> Result<BorrowedFd<'a>, Failure> {
    if fd < 0 {
        return Err(unusable("fd"));
    }
    // SAFETY: not -1, the rest is promised by the caller.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// A type's tag from the caller.
pub(super) fn element_type(tag: u32) -> Result<ElementType, Failure> {
    let usable = |found: &ElementType| found.is_known() || found.is_private();
    let known = u8::try_from(tag).ok().and_then(ElementType::from_tag).filter(usable);
    known.ok_or(Failure::Plain(ErrorKind::Unknown { what: "type", value: tag.into() }))
}

/// A field that must be zero until a later version gives it a meaning.
pub(super) fn reserved(value: u32) -> Result<(), Failure> {
    let unknown = ErrorKind::Unknown { what: "reserved", value: value.into() };
    if value == 0 { Ok(()) } else { Err(unknown.into()) }
}

/// The sizes of a tensor's dimensions.
///
/// # Safety
/// `shape` is NULL or points to `rank` numbers that nobody changes for `'a`.
pub(super) unsafe fn shape<'a>(shape: *const u64, rank: u32) -> Result<&'a [u64], Failure> {
    if rank > MAX_RANK {
        return Err(unusable("rank"));
    }
    // SAFETY: as promised by the caller.
    unsafe { slice(shape, math::to_usize(rank.into(), "rank")?, "shape") }
}

/// One number a dimension from the caller, copied: a result may go to where they stand.
pub(super) struct Numbers {
    numbers: [u64; 64],
    rank: usize,
}

const _: () = assert!(MAX_RANK == 64);

impl Numbers {
    /// The `rank` numbers at `data`.
    ///
    /// # Safety
    /// `data` is NULL or points to `rank` numbers.
    pub(super) unsafe fn at(
        data: *const u64,
        rank: usize,
        what: &'static str,
    ) -> Result<Self, Failure> {
        let mut copy = Self { numbers: [0; 64], rank };
        // SAFETY: as promised by the caller.
        let numbers = unsafe { slice(data, rank, what) }?;
        for (to, &number) in copy.numbers.iter_mut().zip(numbers) {
            *to = number;
        }
        Ok(copy)
    }
}

impl Deref for Numbers {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        self.numbers.get(..self.rank).unwrap_or(&self.numbers)
    }
}

fn check_memory<T>(data: *const T, count: usize, what: &'static str) -> Result<(), Failure> {
    if data.is_null() {
        return Err(null(what));
    }
    let size = count.checked_mul(size_of::<T>());
    if !data.is_aligned() || size.is_none_or(|size| isize::try_from(size).is_err()) {
        return Err(unusable(what));
    }
    Ok(())
}

/// A text that ends with a zero byte.
///
/// # Safety
/// `text` is NULL or points to bytes, one of them zero, that nobody changes for `'a`.
pub(super) unsafe fn text<'a>(
    text: *const c_char,
    what: &'static str,
) -> Result<&'a CStr, Failure> {
    if text.is_null() {
        return Err(null(what));
    }
    // SAFETY: not NULL, the rest is promised by the caller.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// UTF-8 of a given length.
///
/// # Safety
/// As for `slice`.
pub(super) unsafe fn utf8<'a>(
    data: *const c_char,
    length: usize,
    what: &'static str,
) -> Result<&'a str, Failure> {
    // SAFETY: as promised by the caller.
    let bytes = unsafe { slice(data.cast::<u8>(), length, what) }?;
    std::str::from_utf8(bytes).map_err(|error| {
        let kind = ErrorKind::Utf8 { what, valid: math::wide(error.valid_up_to()) };
        Failure::from(crate::Error::new(kind).by_caller())
    })
}

/// Where a result goes. A raw pointer inside: two results may be told to go to one place.
#[derive(Clone, Copy)]
pub(super) struct Out<T>(*mut T);

impl<T: Empty> Out<T> {
    /// The place at `to`, emptied. Call it for every result before anything can fail.
    ///
    /// # Safety
    /// `to` is NULL or may be written to during this call of the API.
    pub(super) unsafe fn at(to: *mut T) -> Self {
        let out = Self(to);
        out.put(T::EMPTY);
        out
    }

    /// Demands that there is a place.
    pub(super) fn needed(self, what: &'static str) -> Result<Self, Failure> {
        if self.0.is_null() { Err(null(what)) } else { Ok(self) }
    }

    /// Puts the result in its place, if there is one.
    pub(super) fn put(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not NULL, the rest was promised when it was made.
            unsafe { self.0.write(value) };
        }
    }
}

/// Where a text or bytes go: a pointer and a length.
#[derive(Clone, Copy)]
pub(super) struct OutBytes<T> {
    data: Out<*const T>,
    length: Out<usize>,
}

impl<T> OutBytes<T> {
    /// The two places, emptied.
    ///
    /// # Safety
    /// As for `Out::at`.
    pub(super) unsafe fn at(data: *mut *const T, length: *mut usize) -> Self {
        // SAFETY: as promised by the caller.
        unsafe { Self { data: Out::at(data), length: Out::at(length) } }
    }

    /// Demands that there are both.
    pub(super) fn needed(self, data: &'static str, length: &'static str) -> Result<Self, Failure> {
        Ok(Self { data: self.data.needed(data)?, length: self.length.needed(length)? })
    }

    /// Lends `bytes`.
    pub(super) fn put(self, bytes: &[u8]) {
        self.data.put(bytes.as_ptr().cast());
        self.length.put(bytes.len());
    }
}

/// What stands in a result before there is one.
pub(super) trait Empty: Copy {
    const EMPTY: Self;
}

impl<T> Empty for *const T {
    const EMPTY: Self = std::ptr::null();
}

impl<T> Empty for *mut T {
    const EMPTY: Self = std::ptr::null_mut();
}

impl Empty for u32 {
    const EMPTY: Self = 0;
}

impl Empty for u64 {
    const EMPTY: Self = 0;
}

impl Empty for i64 {
    const EMPTY: Self = 0;
}

impl Empty for f64 {
    const EMPTY: Self = 0.0;
}

impl Empty for usize {
    const EMPTY: Self = 0;
}

impl Empty for bool {
    const EMPTY: Self = false;
}

/// A struct of the API that begins with its own size, `size_t struct_size`.
///
/// # Safety
/// `repr(C)`, the first field is the size, and all bytes zero is a value of it.
pub(super) unsafe trait Versioned: Copy {
    /// Its name in C.
    const NAME: &'static str;
    /// Its size when it first appeared.
    const FIRST: usize;
}

/// Larger than any struct of the API will be: a size above it was never set.
const LARGEST: usize = 4096;

/// A struct from the caller; NULL is all defaults, which are zeros. A shorter one of an older
/// program gets zeros for what it lacks. A longer one of a newer program is accepted when what is
/// not known here is zero.
///
/// # Safety
/// `from` is NULL or points to as many bytes as its first field says.
pub(super) unsafe fn options<T: Versioned>(from: *const T) -> Result<T, Failure> {
    let mut options = MaybeUninit::<T>::zeroed();
    if !from.is_null() {
        // SAFETY: not NULL; the rest is promised by the caller.
        let size = unsafe { size_of_struct(from) }?;
        let tail_start = size_of::<T>().min(size);
        // SAFETY: the caller's struct has `size` bytes, ours as many as T, and both are bytes.
        let tail = unsafe {
            let bytes = from.cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes, options.as_mut_ptr().cast::<u8>(), tail_start);
            slice(bytes.wrapping_add(tail_start), size.saturating_sub(tail_start), T::NAME)
        }?;
        if tail.iter().any(|&byte| byte != 0) {
            return Err(unusable(T::NAME));
        }
    }
    // SAFETY: zeros are a value of T, and what the caller filled in is one by C's typing.
    Ok(unsafe { options.assume_init() })
}

/// A struct that must be there, as `options`.
///
/// # Safety
/// As `options`.
pub(super) unsafe fn required<T: Versioned>(from: *const T) -> Result<T, Failure> {
    if from.is_null() {
        return Err(null(T::NAME));
    }
    // SAFETY: as promised by the caller.
    unsafe { options(from) }
}

/// Room for a struct in the caller's memory: of what is there only its size is read.
pub(super) struct Room<T> {
    to: *mut T,
    size: usize,
}

impl<T: Versioned> Room<T> {
    /// Room at `to`.
    ///
    /// # Safety
    /// `to` is NULL or points to as many bytes as its first field says, ours while this lives.
    pub(super) unsafe fn at(to: *mut T) -> Result<Self, Failure> {
        if to.is_null() {
            return Err(null(T::NAME));
        }
        // SAFETY: not NULL; the rest is promised by the caller.
        let size = unsafe { size_of_struct(to) }?;
        Ok(Self { to, size })
    }

    /// Writes as much of `value` as both sides know, its size excepted.
    pub(super) fn fill(self, value: &T) {
        let known = size_of::<T>().min(self.size);
        let skipped = size_of::<usize>();
        // SAFETY: both have at least `known` bytes, which are at least those of the size; they
        // do not overlap: `value` is ours.
        unsafe {
            std::ptr::copy_nonoverlapping(
                std::ptr::from_ref(value).cast::<u8>().wrapping_add(skipped),
                self.to.cast::<u8>().wrapping_add(skipped),
                known.saturating_sub(skipped),
            );
        }
    }
}

/// # Safety
/// `at` points to at least a `size_t`.
unsafe fn size_of_struct<T: Versioned>(at: *const T) -> Result<usize, Failure> {
    const { assert!(size_of::<usize>() <= T::FIRST && T::FIRST <= size_of::<T>()) };
    // SAFETY: as promised by the caller; the alignment of C's struct is not relied upon.
    let size = unsafe { at.cast::<usize>().read_unaligned() };
    if size < T::FIRST {
        return Err(Failure::Plain(ErrorKind::Room {
            what: T::NAME,
            need: math::wide(T::FIRST),
            have: math::wide(size),
        }));
    }
    if size > LARGEST {
        return Err(unusable(T::NAME));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::error::{HRRY_ERROR_ARGUMENT, HRRY_ERROR_FORBIDDEN, HRRY_ERROR_ROOM};
    use std::ptr;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Grown {
        struct_size: usize,
        first: u32,
        second: u32,
        later: u64,
    }

    unsafe impl Versioned for Grown {
        const NAME: &'static str = "grown";
        const FIRST: usize = 16;
    }

    /// What a program of some version has in its memory, and what lies behind it.
    #[repr(C)]
    struct Memory {
        grown: Grown,
        behind: [u64; 4],
    }

    fn memory(struct_size: usize) -> Memory {
        Memory { grown: Grown { struct_size, first: 1, second: 2, later: 3 }, behind: [0; 4] }
    }

    fn status<T>(result: Result<T, Failure>) -> i32 {
        result.map_or_else(|failure| unsafe { failure.report(ptr::null_mut()) }, |_| 0)
    }

    #[test]
    fn an_older_struct_gets_defaults_and_a_newer_one_must_not_ask_for_more() {
        let read = |memory: &Memory| unsafe { options(ptr::from_ref(memory).cast::<Grown>()) };
        let defaults = unsafe { options::<Grown>(ptr::null()) };
        assert!(matches!(defaults, Ok(Grown { struct_size: 0, first: 0, second: 0, later: 0 })));
        assert!(matches!(read(&memory(16)), Ok(Grown { first: 1, second: 2, later: 0, .. })));
        assert!(matches!(read(&memory(24)), Ok(Grown { first: 1, second: 2, later: 3, .. })));
        let mut newer = memory(56);
        assert!(matches!(read(&newer), Ok(Grown { later: 3, .. })));
        newer.behind[3] = 1 << 63;
        assert_eq!(status(read(&newer)), HRRY_ERROR_ARGUMENT);
        newer.grown.struct_size = 48;
        assert_eq!(status(read(&newer)), 0);
        for never_set in [0, 15] {
            assert_eq!(status(read(&memory(never_set))), HRRY_ERROR_ROOM);
        }
        for never_set in [LARGEST + 1, usize::MAX] {
            assert_eq!(status(read(&memory(never_set))), HRRY_ERROR_ARGUMENT);
        }
        assert_eq!(status(unsafe { required::<Grown>(ptr::null()) }), HRRY_ERROR_ARGUMENT);
    }

    #[test]
    fn of_a_result_no_more_is_written_than_there_is_room_for() {
        let result = Grown { struct_size: 0, first: 7, second: 8, later: 9 };
        for (size, later) in [(16, 3), (24, 9), (56, 9)] {
            let mut memory = memory(size);
            memory.behind = [5; 4];
            let room = unsafe { Room::at(ptr::from_mut(&mut memory).cast::<Grown>()) };
            room.map_err(|_| ()).unwrap().fill(&result);
            let expected = Grown { struct_size: size, first: 7, second: 8, later };
            assert_eq!((memory.grown, memory.behind), (expected, [5; 4]));
        }
        let mut small = memory(15);
        let small = ptr::from_mut(&mut small).cast::<Grown>();
        assert_eq!(status(unsafe { Room::at(small) }), HRRY_ERROR_ROOM);
        assert_eq!(status(unsafe { Room::<Grown>::at(ptr::null_mut()) }), HRRY_ERROR_ARGUMENT);
    }

    #[test]
    fn null_is_nothing_only_where_nothing_is_asked_for() {
        unsafe {
            assert!(matches!(slice::<u64>(ptr::null(), 0, "x"), Ok(&[])));
            assert!(slice_mut::<u8>(ptr::null_mut(), 0, "x").is_ok());
            assert_eq!(status(slice::<u64>(ptr::null(), 5, "x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(slice_mut::<u8>(ptr::null_mut(), 5, "x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(handle::<u8>(ptr::null(), "x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(text(ptr::null(), "x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(Out::<u32>::at(ptr::null_mut()).needed("x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(descriptor(-1)), HRRY_ERROR_ARGUMENT);
        }
    }

    #[test]
    fn what_no_memory_can_be_is_refused() {
        let numbers = [1_u64, 2];
        let odd = numbers.as_ptr().cast::<u8>().wrapping_add(1).cast::<u64>();
        unsafe {
            assert_eq!(status(slice(odd, 1, "x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(slice(numbers.as_ptr(), 1 << 60, "x")), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(slice(numbers.as_ptr(), usize::MAX, "x")), HRRY_ERROR_ARGUMENT);
            assert!(matches!(slice(numbers.as_ptr(), 2, "x"), Ok(&[1, 2])));
            assert_eq!(status(shape(numbers.as_ptr(), 65)), HRRY_ERROR_ARGUMENT);
            assert_eq!(status(utf8(c"a\xFF".as_ptr(), 2, "x")), HRRY_ERROR_FORBIDDEN);
        }
    }

    #[test]
    fn a_result_is_emptied_before_anything_fails() {
        let (mut pointer, mut length) = (ptr::dangling::<u8>(), 5);
        let out = unsafe { OutBytes::at(&mut pointer, &mut length) };
        assert!(pointer.is_null() && length == 0);
        out.put(b"abc");
        assert_eq!(length, 3);
        let out = unsafe { OutBytes::at(ptr::null_mut::<*const u8>(), &mut length) };
        assert_eq!(length, 0);
        assert_eq!(status(out.needed("a", "b")), HRRY_ERROR_ARGUMENT);
    }
}
