//! Where a writer's bytes go: to a path, to a descriptor, to a sink of the caller's.

use super::replacement::Replacement;
use super::system;
use crate::error::{Error, Result};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// A place of the caller's for a file's bytes.
pub trait ByteSink: Send {
    /// Takes all of `bytes`, which follow those of the call before, or reports an error. After an
    /// error it is not called again.
    fn write_all(&mut self, bytes: &[u8]) -> Result<()>;
}

/// Where the bytes go.
pub(super) enum Target {
    /// To a file that takes its place at the end.
    Path(Replacement),
    /// To an open descriptor of our own.
    Descriptor {
        /// The duplicate.
        file: File,
        /// Whether to wait until the bytes are on disk.
        lasting: bool,
    },
    /// To the caller.
    Sink(Box<dyn ByteSink>),
}

impl Target {
    /// A file that replaces the one at `path` when it is whole.
    pub(super) fn path(path: &Path, lasting: bool) -> Result<Self> {
        Replacement::create(path, lasting).map(Self::Path)
    }

    /// A duplicate of the descriptor, closed on exec. The two share one place in the file.
    pub(super) fn descriptor(fd: BorrowedFd<'_>, lasting: bool) -> Result<Self> {
        let own = fd.try_clone_to_owned().map_err(|e| Error::system("fcntl", &e))?;
        Ok(Self::Descriptor { file: File::from(own), lasting })
    }

    /// Writes all of `bytes` behind what was written before.
    pub(super) fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Path(replacement) => write_all(replacement.descriptor()?, bytes),
            Self::Descriptor { file, .. } => write_all(file.as_fd(), bytes),
            Self::Sink(sink) => sink.write_all(bytes),
        }
    }

    /// Ends the file: only now does a path hold it.
    pub(super) fn commit(self) -> Result<()> {
        match self {
            Self::Path(replacement) => replacement.commit(),
            Self::Descriptor { file, lasting } => {
                // A pipe or a socket has nothing that could be made to last.
                if lasting && file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                    file.sync_all().map_err(|e| Error::system("fsync", &e))?;
                }
                system::close(OwnedFd::from(file)).map_err(|e| Error::system("close", &e))
            }
            Self::Sink(_) => Ok(()),
        }
    }
}

/// Writes everything, however many calls it takes.
fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match system::write(fd, bytes) {
            Ok(0) => return Err(Error::system("write", &io::Error::from_raw_os_error(libc::EIO))),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                system::wait_for(fd, libc::POLLOUT).map_err(|e| Error::system("poll", &e))?;
            }
            Err(e) => return Err(Error::system("write", &e)),
        }
    }
    Ok(())
}
