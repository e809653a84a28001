//! The numbers in the data that have rules: indices, pointers, page tables, quantization
//! parameters, codes that no value has (layouts.md, quantization.md).
//!
//! Data is read by positioned reads, a bounded piece at a time, and each number is looked at once.

mod addressed;
mod compressed;
mod coo;
mod csf;
mod e8m0;
mod numbers;
mod paged;
mod parameters;
mod place;
mod pointers;

use super::Sink;
use crate::bytes::math;
use crate::container::{Steps, Tensor};
use crate::descriptor::{DYNAMIC, Layout};
use crate::error::{Error, ErrorKind, Result, Section};

/// Checks the content of a tensor. `left` is the bytes of it that the total of the steps counts and
/// that are not done.
pub(super) fn check(
    tensor: &Tensor,
    sink: &mut Sink<'_>,
    steps: &mut Steps<'_>,
    left: &mut u64,
) -> Result<()> {
    let mut pass = Pass { tensor, sink, steps, left };
    let checked = pass.check();
    let in_place =
        |error: Error| error.in_section(Section::Data).in_tensor(tensor.index(), tensor.name());
    sink.judge(checked.map_err(in_place)).map(drop)
}

/// One tensor whose content is looked at.
struct Pass<'a, 's, 'p> {
    tensor: &'a Tensor,
    sink: &'a mut Sink<'s>,
    steps: &'a mut Steps<'p>,
    left: &'a mut u64,
}

impl Pass<'_, '_, '_> {
    fn check(&mut self) -> Result<()> {
        match self.tensor.descriptor().layout() {
            Layout::Coo(layout) => coo::check(self, layout)?,
            Layout::Csr(layout) => compressed::check_csr(self, layout)?,
            Layout::Csc(layout) => compressed::check_csc(self, layout)?,
            Layout::Csf(layout) => csf::check(self, layout)?,
            Layout::BlockPaged(layout) => paged::check(self, layout)?,
            _ => {}
        }
        parameters::check(self)?;
        e8m0::check(self)
    }

    /// Copies bytes of a buffer. What is read more than once is one step of the work.
    fn read(&mut self, buffer: u64, offset: u64, dst: &mut [u8]) -> Result<()> {
        self.tensor.read(buffer, offset, dst)?;
        let length = math::wide(dst.len());
        let counted = length.min(*self.left);
        *self.left = self.left.saturating_sub(counted);
        self.steps.step(counted)?;
        self.steps.again(length.saturating_sub(counted))
    }

    fn put(&mut self, kind: ErrorKind, at: u64) {
        let error = Error::new(kind).at(at).in_section(Section::Data);
        self.sink.put(error.in_tensor(self.tensor.index(), self.tensor.name()));
    }
}

/// What indices into a dimension of this size are below, unless nobody knows.
fn limit(size: Option<&u64>) -> Option<u64> {
    size.copied().filter(|&size| size != DYNAMIC)
}

#[cfg(test)]
mod tests {
    use super::super::{ValidateOptions, validate};
    use super::*;
    use crate::container::sample::sample_of;
    use crate::container::{File, OpenOptions};
    use crate::descriptor::layout::{Coo, Csr};
    use crate::descriptor::{Builder, Descriptor, ElementType, Layout, Mode};

    /// A descriptor of int8 elements.
    pub(super) fn int8(shape: &[u64], layout: impl Into<Layout>) -> Builder {
        of_type(ElementType::INT8, shape, layout)
    }

    pub(super) fn of_type(
        element_type: ElementType,
        shape: &[u64],
        layout: impl Into<Layout>,
    ) -> Builder {
        let mut builder = Builder::new(element_type, shape).unwrap();
        builder.layout(layout.into());
        builder
    }

    pub(super) fn words(values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// A file with the tensor "x", whose first buffer stands at byte 4096 and each that follows
    /// 4096 or a multiple of it behind.
    pub(super) fn file(mut builder: Builder, buffers: &[Vec<u8>]) -> File {
        let mut data = Vec::new();
        for (k, buffer) in (0..).zip(buffers) {
            builder.buffer_size(k, buffer.len() as u64).unwrap();
            data.resize(data.len().next_multiple_of(4096), 0);
            data.extend(buffer);
        }
        open(&builder.build().unwrap(), data)
    }

    fn open(descriptor: &Descriptor, data: Vec<u8>) -> File {
        let bytes = descriptor.encode().unwrap();
        assert!(bytes.len() <= 4096 - 64);
        let options = OpenOptions { mode: Mode::Permissive, ..OpenOptions::default() };
        File::open_bytes(sample_of(&[("x", bytes, data)], 4096).bytes, &options).unwrap()
    }

    /// What is wrong with the content of a tensor.
    pub(super) fn problems(builder: Builder, buffers: &[Vec<u8>]) -> Vec<String> {
        let mut found = Vec::new();
        let file = file(builder, buffers);
        validate(&file, ValidateOptions::default(), &mut |problem| {
            assert_eq!(problem.tensor(), Some(0));
            let text = problem.to_string();
            found.push(text.strip_prefix("tensor 0 \"x\": data: ").unwrap_or(&text).to_owned());
        })
        .unwrap();
        found
    }

    #[test]
    fn only_where_it_is_asked_for() {
        let file = file(int8(&[4], Coo::new(1, true)), &[vec![1], words(&[9])]);
        for (content, count) in [(true, 1), (false, 0)] {
            let options = ValidateOptions { content, ..ValidateOptions::default() };
            assert_eq!(validate(&file, options, &mut |_| ()).unwrap().problems, count);
        }
    }

    #[test]
    fn the_first_breach_of_each_rule_in_each_buffer() {
        let columns: Vec<u64> = (0..24).map(|k| 7 - k % 2).collect();
        let rows = [1, 5, 3, 9, 2, 23];
        let buffers = [vec![1; 24], words(&columns), words(&rows)];
        assert_eq!(
            problems(int8(&[5, 5], Csr::new(24)), &buffers),
            [
                "row_ptr[0] is 1, must be 0, at byte 12288",
                "row_ptr[2] is 3, must not be below 5, at byte 12304",
                "row_ptr[5] is 23, must be 24, at byte 12328",
                "col_indices[0] is 7, must be below 5, at byte 8192",
            ]
        );
    }

    #[test]
    fn what_is_read_is_work_done() {
        // More than a piece of each buffer; every tuple is read at least once.
        let nnz = 1 << 19;
        let tuples: Vec<u64> = (0..nnz).flat_map(|k| [k >> 10, k & 1023]).collect();
        let shape = [512, 1024];
        for sorted in [true, false] {
            let buffers = [vec![1; usize::try_from(nnz).unwrap()], words(&tuples)];
            let file = file(int8(&shape, Coo::new(nnz, sorted)), &buffers);
            let mut seen = Vec::new();
            let mut report = |done, total| {
                seen.push((done, total));
                true
            };
            let options = ValidateOptions { progress: Some(&mut report), ..Default::default() };
            let summary = validate(&file, options, &mut |problem| panic!("{problem}")).unwrap();
            assert_eq!(summary.problems, 0);
            let total = seen[0].1;
            assert_eq!((seen[0].0, seen.last()), (0, Some(&(total, total))));
            assert!(total <= file.size() && seen.is_sorted());
            assert!(seen.windows(2).all(|pair| pair[1].0 - pair[0].0 <= 2 << 20), "{seen:?}");

            let mut stop = |done, _| done < 3 << 20;
            let options = ValidateOptions { progress: Some(&mut stop), ..Default::default() };
            let error = validate(&file, options, &mut |_| ()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Cancelled { .. }), "{error}");
        }
    }
}
