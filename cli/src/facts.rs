//! What is known of a file: asked for tensor by tensor, or kept from when it passed.

use std::cell::RefCell;

use hurray::container::{File, Stream, Tensor};
use hurray::descriptor::Descriptor;

use crate::hash;
use crate::input::Input;
use crate::progress::Progress;

/// A file and the descriptors of its tensors. Those that fail do not stop the others.
pub(crate) struct Facts {
    file: File,
    way: Way,
    failures: RefCell<Vec<hurray::Error>>,
}

enum Way {
    /// Descriptors are read, and data hashed, when they are asked for.
    Asked { hash: bool, progress: Progress },
    /// They have passed already: by index.
    Passed(Vec<Option<Described>>),
}

/// A descriptor, the same as it stands in the file, and a hash for each buffer if they are wanted.
pub(crate) struct Described {
    pub(crate) descriptor: Descriptor,
    pub(crate) bytes: Vec<u8>,
    pub(crate) hashes: Vec<String>,
}

impl Facts {
    /// Takes in a stream; of a file nothing is read yet.
    pub(crate) fn of(input: Input, hash: bool) -> hurray::Result<Self> {
        let (file, way) = match input {
            Input::File(file) => {
                let entries = (0..file.tensor_count()).filter_map(|i| file.index().entry(i));
                let total = entries.fold(0, |sum: u64, e| sum.saturating_add(e.data_length));
                (file, Way::Asked { hash, progress: Progress::new(total, !hash) })
            }
            Input::Stream(stream) => pass(*stream, hash)?,
        };
        Ok(Self { file, way, failures: RefCell::default() })
    }

    /// The file, of which only the names, places and keys may be asked for.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Hands the descriptor of tensor `i` to `show`, or what is wrong with it, which is kept for
    /// [`failures`](Self::failures) too.
    pub(crate) fn tensor<T>(&self, i: u64, show: impl FnOnce(Result<&Described, &str>) -> T) -> T {
        let kept;
        let described = match &self.way {
            Way::Passed(all) => match usize::try_from(i).ok().and_then(|i| all.get(i)?.as_ref()) {
                Some(described) => return show(Ok(described)),
                None => return show(Err("did not pass")),
            },
            Way::Asked { hash, progress } => {
                kept = self.file.tensor(i).and_then(|tensor| ask(&tensor, *hash, progress));
                kept.as_ref()
            }
        };
        match described {
            Ok(described) => show(Ok(described)),
            Err(error) => {
                let shown = show(Err(&error.to_string()));
                if let Err(error) = kept {
                    self.failures.borrow_mut().push(error);
                }
                shown
            }
        }
    }

    /// Hands the descriptor of tensor `i` to `look`, if nothing is wrong with it; hashes nothing.
    pub(crate) fn peek<T>(&self, i: u64, look: impl FnOnce(&Descriptor) -> T) -> Option<T> {
        match &self.way {
            Way::Passed(all) => {
                let described = usize::try_from(i).ok().and_then(|i| all.get(i)?.as_ref());
                described.map(|described| look(&described.descriptor))
            }
            Way::Asked { .. } => self.file.tensor(i).ok().map(|tensor| look(tensor.descriptor())),
        }
    }

    /// What was wrong with tensors.
    pub(crate) fn failures(self) -> Vec<hurray::Error> {
        self.failures.into_inner()
    }
}

fn ask(tensor: &Tensor, hash: bool, progress: &Progress) -> hurray::Result<Described> {
    let descriptor = tensor.descriptor().try_clone()?;
    let mut hashes = Vec::new();
    if hash {
        for (k, buffer) in (0..).zip(descriptor.buffers()) {
            hashes.push(hash::sha256(buffer.byte_size, |at, piece| {
                progress.advance(piece.len() as u64);
                tensor.read(k, at, piece)
            })?);
        }
    }
    Ok(Described { descriptor, bytes: tensor.descriptor_bytes().to_vec(), hashes })
}

/// Keeps what has to be known of a stream until its names come, at the end.
fn pass(mut stream: Stream, hash: bool) -> hurray::Result<(File, Way)> {
    let mut passed = Vec::new();
    while let Some(descriptor) = stream.next()? {
        let descriptor = descriptor.try_clone()?;
        let bytes = stream.descriptor_bytes().unwrap_or_default().to_vec();
        let mut hashes = Vec::new();
        if hash {
            for buffer in descriptor.buffers() {
                hashes.push(hash::sha256(buffer.byte_size, |_, piece| fill(&mut stream, piece))?);
            }
        }
        passed.push(Described { descriptor, bytes, hashes });
    }
    let file = stream.finish()?;
    let mut by_index: Vec<_> = passed.iter().map(|_| None).collect();
    for (k, described) in (0..).zip(passed) {
        let i = file.in_file_order(k)?;
        if let Some(place) = usize::try_from(i).ok().and_then(|i| by_index.get_mut(i)) {
            *place = Some(described);
        }
    }
    Ok((file, Way::Passed(by_index)))
}

/// Fills `piece` with what comes next; there is as much, as the descriptor says.
fn fill(stream: &mut Stream, piece: &mut [u8]) -> hurray::Result<()> {
    let mut filled = 0;
    while filled < piece.len() {
        match stream.read(&mut piece[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(())
}
