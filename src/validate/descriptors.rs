//! Every descriptor, decoded and held against its index entry as when its tensor is asked for, and
//! the padding between its buffers. Nothing is kept.

use super::Sink;
use super::padding::Scanner;
use crate::bytes::math;
use crate::container::{File, Tensor};
use crate::error::{Error, ErrorKind, Result, Section};

/// Tensor `i`, unless there is something wrong with it. Another check may need it and not ask for
/// what is wrong: then nothing is reported.
pub(super) fn check(
    file: &File,
    i: u64,
    report: bool,
    sink: &mut Sink<'_>,
) -> Result<Option<Tensor>> {
    match file.tensor(i) {
        Err(error) if !report && error.kind().is_verdict() => Ok(None),
        result => sink.judge(result),
    }
}

/// All bytes between the buffers of a tensor are zero.
pub(super) fn check_between(
    tensor: &Tensor,
    scanner: &mut Scanner<'_>,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let mut end: Option<u64> = None;
    for k in 0..tensor.buffer_count() {
        let buffer = tensor.buffer(k)?;
        if let Some(start) = end
            && let Some((at, value)) = scanner.scan(start, buffer.file_offset, None)?
        {
            let kind = ErrorKind::Padding { what: "padding between buffers", value };
            let error = Error::new(kind).at(at).in_section(Section::Padding);
            sink.put(error.in_tensor(tensor.index(), tensor.name()));
        }
        end = Some(math::add(buffer.file_offset, buffer.size, "buffer end")?);
    }
    Ok(())
}
