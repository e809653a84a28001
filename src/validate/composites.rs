//! Composites, as their members pass: who belongs to which head, and the rules for members one by
//! one and all together.

use super::Sink;
use crate::composite::Sequence;
use crate::container::{File, Tensor};
use crate::descriptor::Mode;
use crate::error::Result;

/// The composites of a file, met tensor by tensor in the order of the descriptors.
pub(super) struct Composites {
    sequence: Sequence,
    mode: Mode,
}

impl Composites {
    pub(super) fn new(file: &File) -> Self {
        Self { sequence: Sequence::new(file.mode(), Some(file.clone())), mode: file.mode() }
    }

    /// The next tensor, unless its descriptor is not valid.
    pub(super) fn check(&mut self, tensor: Option<&Tensor>, sink: &mut Sink<'_>) -> Result<()> {
        match tensor {
            Some(tensor) => {
                let mut report = |error| sink.put(error);
                self.sequence.add(tensor.index(), tensor.descriptor(), &mut report)
            }
            None => {
                self.sequence.add_unknown();
                Ok(())
            }
        }
    }

    /// The end. A torn composite is tolerated in permissive mode: its members are tensors.
    pub(super) fn finish(mut self, sink: &mut Sink<'_>) {
        if !self.mode.is_permissive() {
            self.sequence.finish(&mut |error| sink.put(error));
        }
    }
}
