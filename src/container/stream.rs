//! Reading a file in order, from where nobody can go back (container.md, "Reading", sequential).

use super::gathered::Gathered;
use super::header::{HEADER_LEN, Header};
use super::intake::{FdSource, Intake, ReadNext};
use super::passing::Passing;
use super::reader::{File, OpenOptions};
use super::source::Access;
use super::tensor::Tensor;
use crate::bytes::math;
use crate::descriptor::{Descriptor, Mode};
use crate::error::{Error, ErrorKind, Result};
use std::os::fd::BorrowedFd;

/// How a stream is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// What is accepted.
    pub mode: Mode,
    /// Bytes that may be kept at a time: of a file without a count of its tensors all of it, else
    /// the longest descriptor, and what follows the tensors. Index and keys are parsed into copies
    /// of their own, which come on top.
    pub memory_limit: u64,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self { mode: Mode::Strict, memory_limit: 1 << 30 }
    }
}

/// A file read in order, tensor by tensor.
///
/// When the header says how many tensors there are, they are handed out as they come. Then they
/// must stand where [`Writer`](super::Writer) puts them: the data at the first multiple of the
/// file's alignment behind its descriptor, the next descriptor behind zero bytes only. When it does
/// not say, the file is first taken in whole, as far as the caller's limit allows, and then read by
/// its index.
///
/// Names come at the end, with the index. It is held there against what has passed, and the rest of
/// the file against the same rules as when it is opened; so what was handed out is known to be
/// right only after [`finish`](Self::finish). As at open, padding is not looked at but where the
/// next descriptor is looked for.
///
/// After an error nothing more can be had.
pub struct Stream {
    header: Header,
    way: Way,
    /// The tensor that was handed out last, of a file in passing.
    current: Option<(Descriptor, Vec<u8>)>,
    failed: bool,
}

enum Way {
    Passing(Passing),
    Gathered(Gathered),
}

impl Stream {
    /// Reads the header, and the whole file if that does not say how many tensors there are.
    pub fn open(source: Box<dyn ReadNext>, options: &StreamOptions) -> Result<Self> {
        let StreamOptions { mode, memory_limit } = *options;
        let mut intake = Intake::new(source)?;
        let mut head = Vec::new();
        intake.append(&mut head, math::wide(HEADER_LEN))?;
        let header = Header::decode(&head)?;
        let way = match (header.tensor_count_hint(), head.first_chunk()) {
            (Some(announced), Some(head)) => {
                let head = *head;
                Way::Passing(Passing::new(intake, head, header, announced, mode, memory_limit))
            }
            _ => {
                let what = "a file without tensor_count_hint";
                intake.append_rest(&mut head, memory_limit, what)?;
                let options = OpenOptions { mode, access: Access::Auto };
                Way::Gathered(Gathered::new(File::open_bytes(head, &options)?))
            }
        };
        Ok(Self { header, way, current: None, failed: false })
    }

    /// Reads a duplicate of `fd`, from the place where it stands to its end. The two share that
    /// place, which moves.
    pub fn open_fd(fd: BorrowedFd<'_>, options: &StreamOptions) -> Result<Self> {
        Self::open(Box::new(FdSource::new(fd)?), options)
    }

    /// The file header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Goes on to the next tensor, past what is left of this one; none at the end of the tensors.
    #[allow(clippy::should_implement_trait, reason = "lends what the next call replaces")]
    pub fn next(&mut self) -> Result<Option<&Descriptor>> {
        self.usable()?;
        self.current = None;
        let stepped = match &mut self.way {
            Way::Passing(passing) => passing.next().map(|next| self.current = next),
            Way::Gathered(gathered) => gathered.next(),
        };
        self.failed |= stepped.is_err();
        stepped?;
        Ok(self.descriptor())
    }

    /// The descriptor of the tensor that `next` went to.
    pub fn descriptor(&self) -> Option<&Descriptor> {
        match &self.way {
            Way::Passing(_) => self.current.as_ref().map(|(descriptor, _)| descriptor),
            Way::Gathered(gathered) => gathered.tensor().map(Tensor::descriptor),
        }
    }

    /// The same as it stands in the file.
    pub fn descriptor_bytes(&self) -> Option<&[u8]> {
        match &self.way {
            Way::Passing(_) => self.current.as_ref().map(|(_, bytes)| bytes.as_slice()),
            Way::Gathered(gathered) => gathered.tensor().map(Tensor::descriptor_bytes),
        }
    }

    /// Bytes of the tensor's buffers that have not been read, padding not counted.
    pub fn remaining(&self) -> u64 {
        match &self.way {
            Way::Passing(passing) => passing.remaining(),
            Way::Gathered(gathered) => gathered.remaining(),
        }
    }

    /// Reads the next bytes of the tensor's buffers: one buffer after the other, without the
    /// padding between them. Fills `dst` as far as there are bytes and says how far; 0 at the end
    /// of the tensor.
    pub fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        self.usable()?;
        let read = match &mut self.way {
            Way::Passing(passing) => passing.read(dst),
            Way::Gathered(gathered) => gathered.read(dst),
        };
        self.failed |= read.is_err();
        read
    }

    /// Goes past the tensors that are left, takes in the rest and checks it.
    ///
    /// The file has names, places and keys. Its tensors can be opened and read only if it was taken
    /// in whole.
    pub fn finish(mut self) -> Result<File> {
        while self.next()?.is_some() {}
        match self.way {
            Way::Passing(passing) => passing.finish(),
            Way::Gathered(gathered) => Ok(gathered.into_file()),
        }
    }

    fn usable(&self) -> Result<()> {
        if self.failed {
            let what = "the stream failed before, nothing more can be read";
            return Err(Error::new(ErrorKind::State { what }));
        }
        Ok(())
    }
}
