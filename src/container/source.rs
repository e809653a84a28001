//! Where the bytes of a file come from: the system, the caller's memory, the caller's own reads.

use super::mapping::{Advice, Lent, Mapping};
use super::system;
use crate::bytes::{Foreign, math, memory};
use crate::error::{Error, ErrorKind, Result};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::ptr::NonNull;

/// How the bytes of a file on disk are to be brought in. Memory that is given is used as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Mapped when the system can, else by positioned reads. A caller's reads are not copied.
    #[default]
    Auto,
    /// By positioned reads only: buffers have no address.
    Reads,
    /// Read whole into memory of our own when it is opened.
    Memory,
}

/// How the bytes of an open file are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// In pages of the file: an access faults if somebody has cut the file short.
    Mapped,
    /// In memory, our own or the caller's.
    Memory,
    /// Nowhere: they are read when asked for.
    Reads,
}

/// A caller's own way to read a file, from any thread, several at a time.
pub trait ReadAt: Send + Sync {
    /// Bytes of the file. Asked for once, when it is opened.
    fn size(&self) -> u64;

    /// Fills `dst` with the bytes from `offset` on, all of them or an error. Never asked for bytes
    /// beyond [`ReadAt::size`].
    fn read_at(&self, offset: u64, dst: &mut [u8]) -> Result<()>;
}

/// The bytes of a file, and how they are held.
pub(super) struct Source {
    origin: Origin,
    size: u64,
    mapping: Option<Mapping>,
    held: Held,
}

enum Origin {
    /// `base` is where the file begins in what was opened.
    File {
        file: File,
        base: u64,
    },
    /// Empty once it was given back.
    Lent {
        memory: Option<Lent>,
        kept: bool,
    },
    Owned(Vec<u8>),
    Caller(Box<dyn ReadAt>),
}

impl Source {
    pub(super) fn path(path: &Path) -> Result<Self> {
        // The standard library copies a path before the system can refuse it.
        system::check_path(path).map_err(|error| Error::system("open", &error))?;
        // Not waiting: the other end of a pipe may never come. Nor does a terminal become ours.
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = opened.map_err(|error| match error.raw_os_error() {
            // A socket.
            Some(libc::ENXIO) => Error::new(ErrorKind::NotAFile { what: "path" }),
            _ => Error::system("open", &error),
        })?;
        let size = size_of("path", &file)?;
        system::let_wait(&file)?;
        Ok(Self::new(Origin::File { file, base: 0 }, size, Held::Reads))
    }

    pub(super) fn fd(fd: BorrowedFd<'_>, base: u64, length: Option<u64>) -> Result<Self> {
        let fd = fd.try_clone_to_owned().map_err(|error| Error::system("dup", &error))?;
        let file = File::from(fd);
        let size = size_of("descriptor", &file)?;
        let length = length.unwrap_or_else(|| size.saturating_sub(base));
        if !math::fits(base, length, size) {
            let what = "the descriptor's file";
            return Err(Error::new(ErrorKind::Range { what, offset: base, length, size }));
        }
        Ok(Self::new(Origin::File { file, base }, length, Held::Reads))
    }

    pub(super) fn owned(bytes: Vec<u8>) -> Self {
        let size = math::wide(bytes.len());
        Self::new(Origin::Owned(bytes), size, Held::Memory)
    }

    pub(super) fn lent(memory: Lent) -> Self {
        let size = memory.len();
        Self::new(Origin::Lent { memory: Some(memory), kept: false }, size, Held::Memory)
    }

    pub(super) fn caller(reads: Box<dyn ReadAt>) -> Self {
        let size = reads.size();
        Self::new(Origin::Caller(reads), size, Held::Reads)
    }

    fn new(origin: Origin, size: u64, held: Held) -> Self {
        Self { origin, size, mapping: None, held }
    }

    /// Bytes of the file as it was when opened.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn held(&self) -> Held {
        self.held
    }

    pub(super) fn raw_fd(&self) -> Option<RawFd> {
        match &self.origin {
            Origin::File { file, .. } => Some(file.as_raw_fd()),
            _ => None,
        }
    }

    /// Maps the file or reads it in, as `access` asks, so that offsets keep an alignment of up to
    /// `alignment`. What is in memory already stays there.
    pub(super) fn bring_in(&mut self, access: Access, alignment: u64) -> Result<()> {
        if self.held != Held::Reads {
            return Ok(());
        }
        match (access, &self.origin) {
            (Access::Auto, Origin::File { file, base }) => {
                // What cannot be mapped is read: some file systems have no mapping, some processes
                // no room for one.
                if let Ok(mapping) = Mapping::of_file(file, *base, self.size, alignment) {
                    self.mapping = Some(mapping);
                    self.held = Held::Mapped;
                }
            }
            (Access::Memory, _) => {
                let fill = |memory: &mut [u8]| self.read(0, memory);
                self.mapping = Some(Mapping::filled(self.size, alignment, fill)?);
                self.held = Held::Memory;
            }
            (Access::Auto | Access::Reads, _) => {}
        }
        Ok(())
    }

    /// From here on memory that was lent is ours to give back, once, when this value goes.
    pub(super) fn keep(&mut self) {
        if let Origin::Lent { kept, .. } = &mut self.origin {
            *kept = true;
        }
    }

    /// Fills `dst` with the bytes from `offset` on. Never through a mapped file.
    pub(super) fn read(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        self.check(offset, math::wide(dst.len()))?;
        if let (Held::Memory, Some(mapping)) = (self.held, &self.mapping) {
            return mapping.copy_to(offset, dst);
        }
        match &self.origin {
            Origin::File { file, base } => read_file(file, *base, offset, dst),
            Origin::Lent { memory: Some(memory), .. } => memory.copy_to(offset, dst),
            Origin::Lent { memory: None, .. } => {
                Err(Error::new(ErrorKind::Internal { what: "lent memory was given back" }))
            }
            Origin::Owned(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let from = bytes.get(start..).unwrap_or_default();
                dst.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                Ok(())
            }
            Origin::Caller(reads) => reads.read_at(offset, dst).map_err(|error| error.at(offset)),
        }
    }

    /// A copy of `length` bytes from `offset` on.
    pub(super) fn read_vec(&self, offset: u64, length: u64) -> Result<Vec<u8>> {
        self.check(offset, length)?;
        if let (Held::Reads | Held::Mapped, Origin::File { file, base }) = (self.held, &self.origin)
        {
            return system::read_vec(file, *base, offset, length).map_err(|error| error.at(offset));
        }
        let mut bytes = memory::filled(0, math::to_usize(length, "length")?)?;
        self.read(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Where the byte at `offset` stands in memory, if it does.
    pub(super) fn pointer(&self, offset: u64) -> Option<NonNull<u8>> {
        if let Some(mapping) = &self.mapping {
            return mapping.pointer(offset);
        }
        match &self.origin {
            Origin::Lent { memory, .. } => memory.as_ref()?.pointer(offset),
            Origin::Owned(bytes) => {
                let rest = bytes.get(usize::try_from(offset).ok()?..)?;
                Some(NonNull::from(rest).cast())
            }
            Origin::File { .. } | Origin::Caller(_) => None,
        }
    }

    /// Bytes in memory, if they are there.
    pub(super) fn lend(&self, offset: u64, length: u64) -> Option<Foreign<'_>> {
        if let Some(mapping) = &self.mapping {
            return mapping.lend(offset, length);
        }
        match &self.origin {
            Origin::Lent { memory, .. } => memory.as_ref()?.lend(offset, length),
            Origin::Owned(bytes) => {
                let start = usize::try_from(offset).ok()?;
                let end = start.checked_add(usize::try_from(length).ok()?)?;
                bytes.get(start..end).map(Foreign::of)
            }
            Origin::File { .. } | Origin::Caller(_) => None,
        }
    }

    /// Tells the system what comes next for a range. Nothing to tell about memory and about a
    /// caller's reads.
    pub(super) fn advise(&self, offset: u64, length: u64, advice: Advice) -> Result<()> {
        self.check(offset, length)?;
        if let (Held::Mapped, Some(mapping)) = (self.held, &self.mapping) {
            mapping.advise(offset, length, advice)?;
            // Pages that are no longer mapped still fill the system's cache.
            if advice != Advice::DontNeed {
                return Ok(());
            }
        }
        match (self.held, &self.origin) {
            (Held::Mapped | Held::Reads, Origin::File { file, base }) => {
                system::advise_file(file, base.saturating_add(offset), length, advice)
            }
            _ => Ok(()),
        }
    }

    fn check(&self, offset: u64, length: u64) -> Result<()> {
        if math::fits(offset, length, self.size) {
            return Ok(());
        }
        let (what, size) = ("the file", self.size);
        Err(Error::new(ErrorKind::Range { what, offset, length, size }))
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Origin::Lent { memory, kept: true } = &mut self.origin
            && let Some(memory) = memory.take()
        {
            memory.release();
        }
    }
}

/// Bytes of a regular file; anything else is refused.
fn size_of(what: &'static str, file: &File) -> Result<u64> {
    let metadata = file.metadata().map_err(|error| Error::system("fstat", &error))?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::NotAFile { what }));
    }
    Ok(metadata.len())
}

fn read_file(file: &File, base: u64, offset: u64, dst: &mut [u8]) -> Result<()> {
    let need = math::wide(dst.len());
    let mut rest = dst;
    let mut at = offset;
    while !rest.is_empty() {
        match file.read_at(rest, base.saturating_add(at)) {
            Ok(0) => {
                let have = at.saturating_sub(offset);
                return Err(Error::new(ErrorKind::Shrank { need, have }).at(at));
            }
            Ok(got) => {
                rest = rest.get_mut(got..).unwrap_or_default();
                at = at.saturating_add(math::wide(got));
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::system("pread", &error).at(at)),
        }
    }
    Ok(())
}
