//! The system calls that the standard library does not offer: a write that never kills the
//! host, a wait for a descriptor, a name for an unnamed file, a close whose failure is heard,
//! reading into memory that nobody has zeroed, advice, random numbers.
//!
//! Linux only, for now; everything else goes through the standard library.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use super::mapping::Advice;
use crate::bytes::{math, memory};
use crate::error::{Error, ErrorKind, Result};

/// Writes some of `bytes` at the descriptor's place and says how many.
///
/// A pipe without a reader raises SIGPIPE, a file at the process's size limit SIGXFSZ, and both
/// end a host that has not asked for them. They are held back from this thread during the call
/// and what the call itself raised is taken away, so that only the error number remains.
pub(super) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let held = HeldSignals::hold()?;
    // SAFETY: the pointer and length are those of a slice that lives across the call.
    let written = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    let result = usize::try_from(written).map_err(|_| io::Error::last_os_error());
    if let Err(error) = &result {
        match error.raw_os_error() {
            Some(libc::EPIPE) => held.take_away(libc::SIGPIPE),
            Some(libc::EFBIG) => held.take_away(libc::SIGXFSZ),
            _ => {}
        }
    }
    result
}

/// Waits until a descriptor that was set not to block is ready for `events`, or a signal comes.
pub(super) fn wait_for(fd: BorrowedFd<'_>, events: libc::c_short) -> io::Result<()> {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 };
    // SAFETY: one structure is passed, and it lives across the call.
    let ready = unsafe { libc::poll(&raw mut poll, 1, -1) };
    match io::Error::last_os_error() {
        error if ready == -1 && error.kind() != io::ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}

/// The longest path that the system takes, its zero byte included.
const LONGEST_PATH: usize = 4096;

/// Refuses a path that is longer than the system takes, as the system would.
pub(super) fn check_path(path: &Path) -> io::Result<()> {
    if path.as_os_str().len() < LONGEST_PATH {
        return Ok(());
    }
    Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG))
}

/// Gives an unnamed file (O_TMPFILE) the name `path`, which must not exist yet.
pub(super) fn name_file(fd: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
    let from = CString::new(descriptor_path(fd))?;
    let to = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: both names are NUL-terminated and live across the call.
    let status = unsafe {
        libc::linkat(
            libc::AT_FDCWD,
            from.as_ptr(),
            libc::AT_FDCWD,
            to.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The name under which the system shows an open descriptor of this process.
pub(super) fn descriptor_path(fd: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

/// Closes a descriptor and reports what only then comes out, as on network file systems.
pub(super) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned, and its owner has just given it up.
    match unsafe { libc::close(fd.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Reads `length` bytes from `offset` on of what begins at `base` in a file, into memory that nobody
/// has to zero first. Errors count from `base`.
pub(super) fn read_vec(file: &File, base: u64, offset: u64, length: u64) -> Result<Vec<u8>> {
    let mut bytes = memory::vec(math::to_usize(length, "length")?)?;
    let mut at = offset;
    while math::wide(bytes.len()) < length {
        let room = math::to_usize(length, "length")?.saturating_sub(bytes.len());
        let place = libc::off_t::try_from(base.saturating_add(at))
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "offset" }))?;
        let spare = bytes.spare_capacity_mut().as_mut_ptr();
        // SAFETY: the vector has room for `room` more bytes; pread writes no more than that.
        let got = unsafe { libc::pread(file.as_raw_fd(), spare.cast(), room, place) };
        match usize::try_from(got) {
            Ok(0) => {
                let have = math::wide(bytes.len());
                return Err(Error::new(ErrorKind::Shrank { need: length, have }).at(at));
            }
            Ok(got) => {
                // SAFETY: pread has written this many bytes behind those that were there.
                unsafe { bytes.set_len(bytes.len().saturating_add(got)) };
                at = at.saturating_add(math::wide(got));
            }
            Err(_) => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(Error::system("pread", &error).at(at));
                }
            }
        }
    }
    Ok(bytes)
}

/// Tells the system what comes next for a range of a file that is read, not mapped.
pub(super) fn advise_file(file: &File, offset: u64, length: u64, advice: Advice) -> Result<()> {
    let advice = match advice {
        Advice::Normal => libc::POSIX_FADV_NORMAL,
        Advice::Sequential => libc::POSIX_FADV_SEQUENTIAL,
        Advice::Random => libc::POSIX_FADV_RANDOM,
        Advice::WillNeed => libc::POSIX_FADV_WILLNEED,
        Advice::DontNeed => libc::POSIX_FADV_DONTNEED,
    };
    let (Ok(offset), Ok(length)) = (libc::off_t::try_from(offset), libc::off_t::try_from(length))
    else {
        return Err(Error::new(ErrorKind::Overflow { what: "offset" }));
    };
    // A length of 0 would mean all the rest of the file.
    if length == 0 {
        return Ok(());
    }
    // SAFETY: takes numbers only.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), offset, length, advice) } {
        0 => Ok(()),
        os => Err(Error::new(ErrorKind::System { call: "posix_fadvise", os })),
    }
}

/// Lets reads of an open file wait again, after it was opened so that opening does not.
pub(super) fn let_wait(file: &File) -> Result<()> {
    // SAFETY: takes and gives numbers only.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    let waiting = flags & !libc::O_NONBLOCK;
    // SAFETY: as above.
    if flags == -1 || unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, waiting) } == -1 {
        return Err(Error::system("fcntl", &io::Error::last_os_error()));
    }
    Ok(())
}

/// Numbers that nobody outside can guess, from the system.
pub(crate) fn random_keys() -> Result<[u64; 4]> {
    let mut keys = [0_u64; 4];
    loop {
        let size = size_of_val(&keys);
        // SAFETY: `keys` has `size` bytes, all of which may hold any value.
        let got = unsafe { libc::getrandom(keys.as_mut_ptr().cast(), size, 0) };
        if usize::try_from(got).is_ok_and(|got| got == size) {
            return Ok(keys);
        }
        let error = io::Error::last_os_error();
        // Up to 256 bytes come whole or not at all.
        if got >= 0 || error.kind() != io::ErrorKind::Interrupted {
            return Err(Error::system("getrandom", &error));
        }
    }
}

/// SIGPIPE and SIGXFSZ held back from this thread, until dropped.
struct HeldSignals {
    /// What the thread held back before.
    before: libc::sigset_t,
    /// What was waiting already, for the host to deal with.
    waiting: libc::sigset_t,
}

impl HeldSignals {
    fn hold() -> io::Result<Self> {
        let mut held = Self { before: signal_set(&[]), waiting: signal_set(&[]) };
        let both = signal_set(&[libc::SIGPIPE, libc::SIGXFSZ]);
        // SAFETY: both sets are initialised and live across the call.
        let status = unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const both, &raw mut held.before)
        };
        if status != 0 {
            // Nothing was changed, so nothing is to be put back.
            std::mem::forget(held);
            return Err(io::Error::from_raw_os_error(status));
        }
        // SAFETY: the set is initialised and lives across the call. On failure it stays empty.
        unsafe { libc::sigpending(&raw mut held.waiting) };
        Ok(held)
    }

    /// Takes away the signal that the failed call has raised. The kernel sent it to this thread
    /// before it returned, so there is nothing to wait for.
    fn take_away(&self, signal: libc::c_int) {
        // SAFETY: the set is initialised and lives across the call.
        if unsafe { libc::sigismember(&raw const self.waiting, signal) } == 1 {
            return;
        }
        let one = signal_set(&[signal]);
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: set and time live across the call; no information about the signal is asked for.
        unsafe { libc::sigtimedwait(&raw const one, ptr::null_mut(), &raw const at_once) };
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        // SAFETY: the set is the one that `hold` was given; the old one is not asked for.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut());
        }
    }
}

fn signal_set(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the whole set and does not fail.
    let mut set: libc::sigset_t = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    };
    for &signal in signals {
        // SAFETY: the set is initialised; the numbers are those of the system.
        unsafe { libc::sigaddset(&raw mut set, signal) };
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    #[test]
    fn a_pipe_without_a_reader_is_an_error_number() {
        // The test harness ignores SIGPIPE; a host in C does not.
        // SAFETY: no handler is installed, only the default put back.
        let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        for _ in 0..2 {
            let error = write(writer.as_fd(), b"x").unwrap_err();
            assert_eq!(error.raw_os_error(), Some(libc::EPIPE));
        }
        let mut pending = signal_set(&[]);
        // SAFETY: the set lives across the call; the disposition is the one that was there.
        unsafe {
            libc::sigpending(&raw mut pending);
            libc::signal(libc::SIGPIPE, before);
            assert_eq!(libc::sigismember(&raw const pending, libc::SIGPIPE), 0);
        }
    }

    #[test]
    fn a_full_device_is_an_error_number() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let error = write(full.as_fd(), b"x").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOSPC));
        close(full.into()).unwrap();
    }
}
