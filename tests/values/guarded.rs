//! Memory with nothing readable on either side.

use hurray::bytes::Foreign;

const PAGE: usize = 4096;

/// Bytes that end where memory ends, or begin where it begins.
pub(crate) struct Guarded {
    start: *mut u8,
    pages: usize,
    data: *mut u8,
    length: usize,
}

impl Guarded {
    /// A copy of these bytes; `at_end`: with the guard right behind them.
    pub(crate) fn new(bytes: &[u8], at_end: bool) -> Self {
        let inner = bytes.len().next_multiple_of(PAGE);
        let pages = inner + 2 * PAGE;
        let (none, both) = (libc::PROT_NONE, libc::PROT_READ | libc::PROT_WRITE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages at a place of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), pages, none, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let start: *mut u8 = start.cast();
        // SAFETY: the pages between the first and the last of those that were made.
        let status = unsafe { libc::mprotect(start.add(PAGE).cast(), inner, both) };
        assert!(inner == 0 || status == 0);
        let before = if at_end { inner - bytes.len() } else { 0 };
        // SAFETY: as many bytes as these are readable and writable from here on.
        let data = unsafe { start.add(PAGE + before) };
        // SAFETY: as above; the new pages overlap nothing.
        unsafe { data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Self { start, pages, data, length: bytes.len() }
    }

    pub(crate) fn foreign(&self) -> Foreign<'_> {
        // SAFETY: the bytes are there as long as this value.
        unsafe { Foreign::from_raw(self.data, self.length) }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the bytes are this value's own, and it is borrowed as a whole.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.length) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the pages of this value, which nobody uses any more.
        unsafe { libc::munmap(self.start.cast(), self.pages) };
    }
}
