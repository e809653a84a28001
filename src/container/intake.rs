//! The way of a stream's bytes: forward only, counted, however small the pieces they come in.

use super::system;
use crate::bytes::{math, memory};
use crate::error::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

/// Bytes of one own read. Larger reads of the caller's go past this buffer.
const GATHERED: usize = 64 * 1024;

/// A caller's source of bytes that come in order, such as a pipe.
pub trait ReadNext: Send {
    /// Fills the beginning of `dst`, which is never empty, with the next bytes, and says how many:
    /// any number but 0, which means that no more will come. After that, and after an error, it is
    /// not called again.
    fn read(&mut self, dst: &mut [u8]) -> Result<usize>;
}

/// Reads an open descriptor from where it stands.
pub(super) struct FdSource(File);

impl FdSource {
    /// A duplicate, closed on exec. The two share one place in the file.
    pub(super) fn new(fd: BorrowedFd<'_>) -> Result<Self> {
        let own = fd.try_clone_to_owned().map_err(|e| Error::system("fcntl", &e))?;
        Ok(Self(File::from(own)))
    }
}

impl ReadNext for FdSource {
    fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        loop {
            match self.0.read(dst) {
                Ok(count) => return Ok(count),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    system::wait_for(self.0.as_fd(), libc::POLLIN)
                        .map_err(|e| Error::system("poll", &e))?;
                }
                Err(e) => return Err(Error::system("read", &e)),
            }
        }
    }
}

/// A source, with what it has given and nobody has taken yet.
pub(super) struct Intake {
    source: Box<dyn ReadNext>,
    memory: Vec<u8>,
    /// What part of `memory` waits to be taken.
    waiting: std::ops::Range<usize>,
    offset: u64,
    ended: bool,
}

impl Intake {
    pub(super) fn new(source: Box<dyn ReadNext>) -> Result<Self> {
        let memory = memory::filled(0, GATHERED)?;
        Ok(Self { source, memory, waiting: 0..0, offset: 0, ended: false })
    }

    /// Where the next byte stands in the file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills `dst`, which is a part of a `what`.
    pub(super) fn read(&mut self, dst: &mut [u8], what: &'static str) -> Result<()> {
        let need = math::wide(dst.len());
        let mut rest = dst;
        while !rest.is_empty() {
            let count = if self.waiting.is_empty() && rest.len() >= GATHERED {
                let count = pull(&mut self.ended, &mut *self.source, rest)?;
                self.offset = math::add(self.offset, math::wide(count), "offset")?;
                count
            } else {
                let waiting = self.wait()?;
                let count = waiting.len().min(rest.len());
                if let (Some(to), Some(from)) = (rest.get_mut(..count), waiting.get(..count)) {
                    to.copy_from_slice(from);
                }
                self.take(count)?;
                count
            };
            if count == 0 {
                let have = need.saturating_sub(math::wide(rest.len()));
                let kind = ErrorKind::Truncated { what, need, have };
                return Err(Error::new(kind).at(self.offset));
            }
            rest = rest.get_mut(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Steps over what stands before `offset`, which is a part of a `what`.
    pub(super) fn skip_to(&mut self, offset: u64, what: &'static str) -> Result<()> {
        let need = offset.saturating_sub(self.offset);
        while self.offset < offset {
            let left = usize::try_from(offset.saturating_sub(self.offset)).unwrap_or(usize::MAX);
            let count = self.wait()?.len().min(left);
            if count == 0 {
                let have = need.saturating_sub(offset.saturating_sub(self.offset));
                let kind = ErrorKind::Truncated { what, need, have };
                return Err(Error::new(kind).at(self.offset));
            }
            self.take(count)?;
        }
        Ok(())
    }

    /// Appends the next `count` bytes, or what there is until the end, to `bytes`. Memory grows
    /// with what comes, not with what was announced.
    pub(super) fn append(&mut self, bytes: &mut Vec<u8>, count: u64) -> Result<()> {
        let mut left = count;
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(usize::MAX);
            let waiting = self.wait()?;
            let now = waiting.get(..room).unwrap_or(waiting);
            if now.is_empty() {
                break;
            }
            memory::reserve(bytes, now.len())?;
            bytes.extend_from_slice(now);
            let count = now.len();
            left = left.saturating_sub(math::wide(count));
            self.take(count)?;
        }
        Ok(())
    }

    /// Appends everything up to the end, which may make `bytes` at most `limit` bytes long.
    pub(super) fn append_rest(
        &mut self,
        bytes: &mut Vec<u8>,
        limit: u64,
        what: &'static str,
    ) -> Result<()> {
        loop {
            let room = limit.saturating_sub(math::wide(bytes.len()));
            // One byte more than there is room for, to see whether it is there.
            self.append(bytes, room.saturating_add(1).min(math::wide(GATHERED)))?;
            let need = math::wide(bytes.len());
            if need > limit {
                return Err(Error::new(ErrorKind::Limit { what, need, limit }).at(self.offset));
            }
            if self.ended && self.waiting.is_empty() {
                return Ok(());
            }
        }
    }

    /// What has come and waits to be taken; empty at the end.
    fn wait(&mut self) -> Result<&[u8]> {
        if self.waiting.is_empty() {
            let count = pull(&mut self.ended, &mut *self.source, &mut self.memory)?;
            self.waiting = 0..count;
        }
        Ok(self.memory.get(self.waiting.clone()).unwrap_or_default())
    }

    fn take(&mut self, count: usize) -> Result<()> {
        self.waiting.start = self.waiting.start.saturating_add(count);
        self.offset = math::add(self.offset, math::wide(count), "offset")?;
        Ok(())
    }
}

/// Asks the source for more, unless it has said that there is none.
fn pull(ended: &mut bool, source: &mut dyn ReadNext, dst: &mut [u8]) -> Result<usize> {
    if *ended {
        return Ok(0);
    }
    let count = source.read(dst)?;
    *ended = count == 0;
    if count > dst.len() {
        let what = "the number of bytes that the source says it gave";
        return Err(Error::new(ErrorKind::Argument { what }));
    }
    Ok(count)
}
