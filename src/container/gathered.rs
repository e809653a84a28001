//! A file that is in memory whole, its tensors handed out in the order in which they stand in it.

use super::in_order::InOrder;
use super::reader::File;
use super::tensor::Tensor;
use crate::bytes::math;
use crate::error::Result;

/// A file in memory.
pub(super) struct Gathered {
    file: File,
    /// How many tensors have been handed out.
    passed: u64,
    tensor: Option<Tensor>,
    data: InOrder,
}

impl Gathered {
    /// Stands before the first tensor.
    pub(super) fn new(file: File) -> Self {
        Self { file, passed: 0, tensor: None, data: InOrder::default() }
    }

    /// Goes on to the next tensor, if there is one.
    pub(super) fn next(&mut self) -> Result<()> {
        self.tensor = None;
        if self.passed == self.file.tensor_count() {
            return self.data.restart([].into_iter());
        }
        let tensor = self.file.tensor(self.file.in_file_order(self.passed)?)?;
        self.passed = self.passed.saturating_add(1);
        // What is known of an opaque layout's data is one region, no buffer table.
        let sizes = (0..tensor.buffer_count()).map(|k| tensor.buffer(k).map(|buffer| buffer.size));
        self.data.restart(sizes)?;
        self.tensor = Some(tensor);
        Ok(())
    }

    /// The tensor that was handed out last.
    pub(super) fn tensor(&self) -> Option<&Tensor> {
        self.tensor.as_ref()
    }

    /// Bytes of its buffers that have not been read.
    pub(super) fn remaining(&self) -> u64 {
        self.data.remaining()
    }

    /// Fills `dst` with the next bytes of its buffers, as far as they go.
    pub(super) fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        let Some(tensor) = &self.tensor else { return Ok(0) };
        let mut rest = dst;
        let mut count = 0_usize;
        while !rest.is_empty() && self.data.remaining() > 0 {
            if self.data.left() == 0 {
                self.data.next_buffer();
                continue;
            }
            let room = usize::try_from(self.data.left()).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at_mut(room);
            tensor.read(self.data.buffer(), self.data.offset(), now)?;
            self.data.pass(math::wide(room));
            count = count.saturating_add(room);
            rest = later;
        }
        Ok(count)
    }

    /// The file.
    pub(super) fn into_file(self) -> File {
        self.file
    }
}
