//! Memory that is not ours alone, or must lie at a wished alignment: mapped files, memory lent by
//! the caller, memory of our own.
//!
//! Nothing here hands out a slice of memory that others can change: only copies of it and bare
//! pointers leave this file. Linux only, for now.

#![allow(unsafe_code)]

use super::reader::{self, OpenOptions};
use super::source::Source;
use crate::bytes::{Foreign, math};
use crate::error::{Error, ErrorKind, Result};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

/// What a caller expects to do with data next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing in particular.
    Normal,
    /// Read from front to back.
    Sequential,
    /// Read here and there.
    Random,
    /// Read soon: worth fetching now.
    WillNeed,
    /// Not read again soon: its memory can serve others.
    DontNeed,
}

/// Pages of this process: a file's, or memory of our own. Unmapped with the value.
#[derive(Debug)]
pub(super) struct Mapping {
    pages: Pages,
    /// Bytes from the first page to the first byte that was asked for.
    lead: usize,
    length: usize,
    of_file: bool,
}

// SAFETY: the pages belong to this value alone and stay where they are until it is dropped;
// whatever thread drops it. Shared, it only copies from them and tells where they are.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `length` bytes of a file from `base` on, for reading.
    ///
    /// The first byte lies at a multiple of `alignment`, a power of two, so that offsets in the
    /// mapping keep their alignment (decisions.md row 50). A `base` that is no multiple of the page
    /// size cannot have that: it keeps its place in its page.
    pub(super) fn of_file(file: &File, base: u64, length: u64, alignment: u64) -> Result<Self> {
        let page = page_size();
        let lead = base & page.wrapping_sub(1);
        let offset = base.saturating_sub(lead);
        let offset = libc::off_t::try_from(offset)
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "offset of the mapping" }))?;
        let alignment = if lead == 0 { alignment.max(page) } else { page };
        let lead = math::to_usize(lead, "offset of the mapping")?;
        let length = math::to_usize(length, "length of the mapping")?;
        let total = lead
            .checked_add(length)
            .ok_or_else(|| Error::new(ErrorKind::Overflow { what: "length of the mapping" }))?;
        let pages = Pages::of_file(file, offset, total, alignment)?;
        Ok(Self { pages, lead, length, of_file: true })
    }

    /// Memory of our own, at a multiple of `alignment`, with what `fill` puts there.
    pub(super) fn filled(
        length: u64,
        alignment: u64,
        fill: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<Self> {
        let refused = || Error::new(ErrorKind::Memory { bytes: length });
        let length = usize::try_from(length).map_err(|_| refused())?;
        let alignment = alignment.max(page_size());
        let pages = Pages::reserve(length, alignment, libc::PROT_READ | libc::PROT_WRITE)
            .map_err(|_| refused())?;
        // SAFETY: `reserve` made this many bytes, zeroed, readable and writable, and nobody else
        // knows of them until `fill` has returned.
        fill(unsafe { std::slice::from_raw_parts_mut(pages.start.as_ptr(), length) })?;
        Ok(Self { pages, lead: 0, length, of_file: false })
    }

    /// Where the byte at `offset`, or the end, stands.
    pub(super) fn pointer(&self, offset: u64) -> Option<NonNull<u8>> {
        let offset = usize::try_from(offset).ok().filter(|&offset| offset <= self.length)?;
        // SAFETY: lead and offset together stay inside the pages, or at their end.
        Some(unsafe { self.pages.start.add(self.lead).add(offset) })
    }

    /// Bytes of it, lent.
    pub(super) fn lend(&self, offset: u64, length: u64) -> Option<Foreign<'_>> {
        let start = self.pointer(offset)?;
        let length = usize::try_from(length).ok()?;
        if !math::fits(offset, math::wide(length), math::wide(self.length)) {
            return None;
        }
        // SAFETY: the bytes lie in the pages, which stay mapped as long as this value.
        Some(unsafe { Foreign::from_raw(start.as_ptr(), length) })
    }

    /// Copies bytes of memory of our own. A mapped file is not read through here: whoever cuts it
    /// short would kill the process.
    pub(super) fn copy_to(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        if self.of_file {
            return Err(Error::new(ErrorKind::Internal { what: "a copy out of a mapped file" }));
        }
        let start = self.pages.start.as_ptr();
        // SAFETY: memory of our own, this many bytes of it, alive as long as this value.
        unsafe { copy_to(start, self.length, offset, dst) }
    }

    /// Tells the system what comes next for a range of a mapped file. Memory of our own is left
    /// alone: to drop it would lose it.
    pub(super) fn advise(&self, offset: u64, length: u64, advice: Advice) -> Result<()> {
        let (Some(start), Ok(length)) = (self.pointer(offset), usize::try_from(length)) else {
            return Err(Error::new(ErrorKind::Internal { what: "advice outside of the mapping" }));
        };
        if !self.of_file || length == 0 {
            return Ok(());
        }
        let advice = match advice {
            Advice::Normal => libc::MADV_NORMAL,
            Advice::Sequential => libc::MADV_SEQUENTIAL,
            Advice::Random => libc::MADV_RANDOM,
            Advice::WillNeed => libc::MADV_WILLNEED,
            Advice::DontNeed => libc::MADV_DONTNEED,
        };
        let into_page =
            start.addr().get() & math::to_usize(page_size(), "page size")?.wrapping_sub(1);
        // SAFETY: rounded down to its page the range still begins in our pages; its end was
        // checked by whoever holds the file's size. Pages of a file that are dropped come back
        // from the file.
        let status = unsafe {
            libc::madvise(
                start.as_ptr().wrapping_sub(into_page).cast(),
                length.saturating_add(into_page),
                advice,
            )
        };
        if status == 0 {
            return Ok(());
        }
        Err(Error::system("madvise", &std::io::Error::last_os_error()))
    }
}

/// A range of whole pages.
#[derive(Debug)]
struct Pages {
    start: NonNull<u8>,
    length: usize,
}

impl Pages {
    /// At least `length` bytes of address space from a multiple of `alignment` on, which is a
    /// multiple of the page size.
    fn reserve(length: usize, alignment: u64, protection: libc::c_int) -> Result<Self> {
        let overflow = || Error::new(ErrorKind::Overflow { what: "length of the mapping" });
        let page = math::to_usize(page_size(), "page size")?;
        let alignment = math::to_usize(alignment, "alignment of the mapping")?;
        // Pages of length 0 do not exist.
        let length = length.max(1).checked_next_multiple_of(page).ok_or_else(overflow)?;
        let slack = alignment.saturating_sub(page);
        let total = length.checked_add(slack).ok_or_else(overflow)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at a place of the system's choice touches no other.
        let start = unsafe { libc::mmap(ptr::null_mut(), total, protection, flags, -1, 0) };
        let start = NonNull::new(start.cast()).filter(|_| start != libc::MAP_FAILED);
        let start: NonNull<u8> =
            start.ok_or_else(|| Error::system("mmap", &std::io::Error::last_os_error()))?;
        let reserved = Self { start, length: total };
        let before = start.addr().get().wrapping_neg() & alignment.wrapping_sub(1);
        Ok(reserved.cut(before, length))
    }

    /// `length` bytes of a file from `offset` on, a multiple of the page size, for reading; the first
    /// of them lies at a multiple of `alignment`.
    fn of_file(file: &File, offset: libc::off_t, length: usize, alignment: u64) -> Result<Self> {
        let alignment = math::to_usize(alignment, "alignment of the mapping")?;
        // SAFETY: a new mapping at a place of the system's choice touches no other.
        let anywhere = unsafe { Self::map(file, offset, length, ptr::null_mut(), 0) }?;
        if anywhere.start.addr().get() & alignment.wrapping_sub(1) == 0 {
            return Ok(anywhere);
        }
        drop(anywhere);
        let reserved = Self::reserve(length, math::wide(alignment), libc::PROT_NONE)?;
        // A failure here may have taken the reserved pages away, and somebody else may have them by
        // now: they are not given back. It takes a file that could be mapped a moment ago.
        let reserved = ManuallyDrop::new(reserved);
        let place = reserved.start.as_ptr().cast();
        // SAFETY: MAP_FIXED replaces pages that were reserved just now and that nobody knows of.
        let mut placed = unsafe { Self::map(file, offset, length, place, libc::MAP_FIXED) }?;
        placed.length = reserved.length;
        Ok(placed)
    }

    /// # Safety
    /// With MAP_FIXED, `length` bytes from `place` on must be ours to replace.
    unsafe fn map(
        file: &File,
        offset: libc::off_t,
        length: usize,
        place: *mut libc::c_void,
        flags: libc::c_int,
    ) -> Result<Self> {
        let (read, flags) = (libc::PROT_READ, libc::MAP_SHARED | flags);
        // SAFETY: as demanded above; without MAP_FIXED no other mapping is touched.
        let start = unsafe { libc::mmap(place, length, read, flags, file.as_raw_fd(), offset) };
        let start = NonNull::new(start.cast()).filter(|_| start != libc::MAP_FAILED);
        let start = start.ok_or_else(|| Error::system("mmap", &std::io::Error::last_os_error()))?;
        Ok(Self { start, length })
    }

    /// Gives back all but `length` bytes behind the first `before`, both whole pages of these.
    fn cut(self, before: usize, length: usize) -> Self {
        let after = self.length.saturating_sub(before).saturating_sub(length);
        // SAFETY: `before` and `length` lie inside the pages.
        let start = unsafe { self.start.add(before) };
        // SAFETY: as above, up to the end of the pages at most.
        let end = unsafe { start.add(length) };
        for (part, length) in [(self.start, before), (end, after)] {
            drop(Self { start: part, length });
        }
        std::mem::forget(self);
        Self { start, length }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.length != 0 {
            // SAFETY: these pages are ours, and what knew of them is gone.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}

/// Memory that a caller lends until it is released.
pub(super) struct Lent {
    data: *const u8,
    length: usize,
    release: Box<dyn FnOnce() + Send + Sync>,
}

// SAFETY: whoever lends the memory promises (`File::open_lent`) that every thread may read it, and
// the release function may be called on any.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    /// # Safety
    /// `length` bytes from `data` on must stay readable, from any thread, until `release` runs or
    /// this value goes without having released.
    pub(super) unsafe fn new(
        data: *const u8,
        length: usize,
        release: Box<dyn FnOnce() + Send + Sync>,
    ) -> Self {
        Self { data, length, release }
    }

    pub(super) fn len(&self) -> u64 {
        math::wide(self.length)
    }

    /// Where the byte at `offset`, or the end, stands.
    pub(super) fn pointer(&self, offset: u64) -> Option<NonNull<u8>> {
        let offset = usize::try_from(offset).ok().filter(|&offset| offset <= self.length)?;
        NonNull::new(self.data.wrapping_add(offset).cast_mut())
    }

    /// Bytes of it, lent on.
    pub(super) fn lend(&self, offset: u64, length: u64) -> Option<Foreign<'_>> {
        let start = self.pointer(offset)?;
        let length = usize::try_from(length).ok()?;
        if !math::fits(offset, math::wide(length), self.len()) {
            return None;
        }
        // SAFETY: the lender promised that these bytes are readable until the release, which takes
        // this value.
        Some(unsafe { Foreign::from_raw(start.as_ptr(), length) })
    }

    pub(super) fn copy_to(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        // SAFETY: the lender promised that many readable bytes.
        unsafe { copy_to(self.data, self.length, offset, dst) }
    }

    /// Gives the memory back.
    pub(super) fn release(self) {
        (self.release)();
    }
}

impl reader::File {
    /// Opens a file in memory that stays the caller's. `release` is called once, on whatever
    /// thread, when the last use has gone; never if this call fails.
    ///
    /// # Safety
    ///
    /// `length` bytes from `data` on must be readable from every thread until `release` is called.
    /// If others change them meanwhile, what is read later is as they left it, and nothing worse.
    pub unsafe fn open_lent(
        data: *const u8,
        length: usize,
        release: Box<dyn FnOnce() + Send + Sync>,
        options: &OpenOptions,
    ) -> Result<Self> {
        if data.is_null() && length != 0 {
            return Err(Error::new(ErrorKind::Null { what: "data" }));
        }
        if isize::try_from(length).is_err() {
            return Err(Error::new(ErrorKind::Argument { what: "length" }));
        }
        // SAFETY: as this function demands.
        let lent = unsafe { Lent::new(data, length, release) };
        Self::of(Source::lent(lent), options)
    }
}

/// Copies from memory that others may be changing. What arrives may then be of no sense, but it is
/// `dst`'s own and stays as it is.
///
/// # Safety
/// `length` bytes from `start` on must be readable.
unsafe fn copy_to(start: *const u8, length: usize, offset: u64, dst: &mut [u8]) -> Result<()> {
    let (size, need) = (math::wide(length), math::wide(dst.len()));
    if !math::fits(offset, need, size) {
        let (what, length) = ("the memory", need);
        return Err(Error::new(ErrorKind::Range { what, offset, length, size }));
    }
    let offset = math::to_usize(offset, "offset")?;
    if !dst.is_empty() {
        // SAFETY: offset and length were checked against the memory. The regions may overlap when
        // the caller reads into what it has lent.
        unsafe { ptr::copy(start.add(offset), dst.as_mut_ptr(), dst.len()) };
    }
    Ok(())
}

fn page_size() -> u64 {
    // SAFETY: takes and gives numbers only.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(4096)
}

/// The byte at an address that a buffer was said to have.
#[cfg(test)]
pub(super) fn peek(data: NonNull<u8>) -> u8 {
    // SAFETY: the buffer that begins here has bytes, and its file is open.
    unsafe { data.read() }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{on_disk, sample, three, value};
    use super::super::source::Access;
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_mapping_keeps_the_alignment_of_offsets() {
        for alignment in [4096, 65_536, 2 << 20] {
            let disk = on_disk(&sample(&[("x", 10), ("y", 10)], alignment).bytes);
            for access in [Access::Auto, Access::Memory] {
                let file = reader::File::open(
                    disk.path(),
                    &OpenOptions { access, ..OpenOptions::default() },
                )
                .unwrap();
                for (i, tensor) in (0..2).zip(0..) {
                    let buffer = file.tensor(tensor).unwrap().buffer(0).unwrap();
                    assert!(buffer.actual_alignment >= u64::from(alignment), "{buffer:?}");
                    assert_eq!(buffer.declared_alignment, 64);
                    assert_eq!(peek(buffer.data.unwrap()), value(i, 0));
                }
            }
        }
    }

    fn lend(bytes: &[u8], released: &Arc<AtomicUsize>) -> Result<reader::File> {
        let released = released.clone();
        let release = Box::new(move || {
            released.fetch_add(1, Ordering::SeqCst);
        });
        // SAFETY: the tests below keep the bytes until the release was called.
        unsafe {
            reader::File::open_lent(bytes.as_ptr(), bytes.len(), release, &OpenOptions::default())
        }
    }

    #[test]
    fn lent_memory_is_released_once_with_the_last_use() {
        let bytes = three().bytes;
        let released = Arc::new(AtomicUsize::new(0));
        let file = lend(&bytes, &released).unwrap();
        assert_eq!(file.tensor_count(), 3);
        let tensor = file.tensor(0).unwrap();
        let clone = file.clone();
        drop(file);
        drop(clone);
        assert_eq!(released.load(Ordering::SeqCst), 0);
        let place = tensor.buffer(0).unwrap().data.unwrap();
        assert_eq!(place.as_ptr().cast_const(), bytes[4096..].as_ptr());
        drop(tensor);
        assert_eq!(released.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn memory_that_cannot_be() {
        for (data, length) in [(ptr::null(), 5), (ptr::dangling(), usize::MAX)] {
            let options = OpenOptions::default();
            // SAFETY: neither is looked at.
            let opened =
                unsafe { reader::File::open_lent(data, length, Box::new(|| ()), &options) };
            assert!(!opened.unwrap_err().kind().is_verdict());
        }
    }

    #[test]
    fn lent_memory_is_not_released_when_opening_fails() {
        let released = Arc::new(AtomicUsize::new(0));
        let mut bytes = three().bytes;
        for length in [0, 8, 64, 112, bytes.len() - 1] {
            assert!(lend(&bytes[..length], &released).is_err());
        }
        bytes[0] = 0;
        assert!(lend(&bytes, &released).is_err());
        assert_eq!(released.load(Ordering::SeqCst), 0);
    }
}
