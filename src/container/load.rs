//! Reading many ranges of many tensors in one go: in the order of the file, in chunks.

use super::progress::{Progress, Steps};
use super::reader::File;
use super::tensor::Tensor;
use crate::bytes::{math, memory};
use crate::error::{Result, Section};

/// One range of a buffer, and where its bytes go.
#[derive(Debug)]
pub struct Load<'m> {
    /// The tensor, by its position in the index.
    pub tensor: u64,
    /// Which of its buffers.
    pub buffer: u64,
    /// Bytes from the start of the buffer.
    pub offset: u64,
    /// Takes as many bytes as it has room for.
    pub dst: &'m mut [u8],
}

/// How [`File::load`] goes about it.
pub struct LoadOptions<'p> {
    /// Most bytes read at once, and between two reports of progress. 0 counts as 1.
    pub chunk: usize,
    /// Called on the thread that loads: before the first byte, after every chunk, at the end.
    pub progress: Option<Progress<'p>>,
}

impl Default for LoadOptions<'_> {
    /// Chunks of 8 MiB, nobody told.
    fn default() -> Self {
        Self { chunk: 8 << 20, progress: None }
    }
}

impl File {
    /// Fills all of `requests`, in the order in which their bytes lie in the file. Every request is
    /// checked before the first byte of data is read; after a later error, or when the caller
    /// stops, some destinations are filled and others are not.
    ///
    /// Reads into the caller's memory and never through a mapping.
    pub fn load(&self, requests: &mut [Load<'_>], options: LoadOptions<'_>) -> Result<()> {
        let places = file_order(self, requests)?;
        let total = requests
            .iter()
            .fold(0_u64, |total, request| total.saturating_add(math::wide(request.dst.len())));
        let chunk = options.chunk.max(1);
        let mut steps = Steps::begin(options.progress, total, math::wide(chunk))?;
        for Place { offset, request } in places {
            let Some(request) = requests.get_mut(request) else { continue };
            let mut at = offset;
            for part in request.dst.chunks_mut(chunk) {
                self.source().read(at, part).map_err(|error| {
                    let name = self.entry(request.tensor).map(|entry| entry.name);
                    error
                        .in_section(Section::Data)
                        .in_tensor(request.tensor, name.unwrap_or_default())
                })?;
                at = at.saturating_add(math::wide(part.len()));
                steps.step(math::wide(part.len()))?;
            }
        }
        steps.finish();
        Ok(())
    }
}

/// Where a request's bytes begin in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    offset: u64,
    request: usize,
}

/// Checks all requests and puts them in the order of the file. Each tensor is decoded once.
fn file_order(file: &File, requests: &[Load<'_>]) -> Result<Vec<Place>> {
    let mut by_tensor = memory::vec(requests.len())?;
    by_tensor.extend(0..requests.len());
    let tensor_of = |&request: &usize| requests.get(request).map(|request| request.tensor);
    by_tensor.sort_unstable_by_key(tensor_of);

    let mut places = memory::vec(requests.len())?;
    let mut tensor: Option<Tensor> = None;
    for position in by_tensor {
        let Some(request) = requests.get(position) else { continue };
        let known = tensor.take().filter(|tensor| tensor.index() == request.tensor);
        let current = match known {
            Some(tensor) => tensor,
            None => file.tensor(request.tensor)?,
        };
        let length = math::wide(request.dst.len());
        let offset = current.range(request.buffer, request.offset, length)?;
        places.push(Place { offset, request: position });
        tensor = Some(current);
    }
    places.sort_unstable();
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::super::reader::OpenOptions;
    use super::super::sample::{sample, value};
    use super::*;
    use crate::error::ErrorKind;

    fn file() -> File {
        let sample = sample(&[("a", 10_000), ("b", 9), ("c", 5000)], 4096);
        File::open_bytes(sample.bytes, &OpenOptions::default()).unwrap()
    }

    fn load(tensor: u64, offset: u64, dst: &mut [u8]) -> Load<'_> {
        Load { tensor, buffer: 0, offset, dst }
    }

    #[test]
    fn many_ranges_in_any_order() {
        let (mut c, mut a, mut b, mut none) = (vec![0; 4000], vec![0; 10_000], vec![0; 4], []);
        let mut requests = [
            load(2, 1000, &mut c),
            load(0, 0, &mut a),
            load(1, 5, &mut b),
            load(2, 5000, &mut none),
        ];
        file().load(&mut requests, LoadOptions { chunk: 1000, progress: None }).unwrap();
        assert!(a.iter().zip(0..).all(|(&byte, k)| byte == value(0, k)));
        assert!(b.iter().zip(5..).all(|(&byte, k)| byte == value(1, k)));
        assert!(c.iter().zip(1000..).all(|(&byte, k)| byte == value(2, k)));
    }

    #[test]
    fn all_are_checked_before_one_is_read() {
        let (mut good, mut bad) = ([0; 9], [0; 10]);
        let mut requests = [load(1, 0, &mut good), load(1, 0, &mut bad)];
        let error = file().load(&mut requests, LoadOptions::default()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Range { .. }), "{error}");
        let mut requests = [load(1, 0, &mut good), load(3, 0, &mut bad)];
        assert!(file().load(&mut requests, LoadOptions::default()).is_err());
        assert_eq!(good, [0; 9]);
    }

    #[test]
    fn progress_and_its_end() {
        let (mut a, mut b) = (vec![0; 10_000], vec![0; 9]);
        let mut seen = Vec::new();
        let mut report = |done, total| {
            seen.push((done, total));
            true
        };
        let options = LoadOptions { chunk: 4096, progress: Some(&mut report) };
        file().load(&mut [load(1, 0, &mut b), load(0, 0, &mut a)], options).unwrap();
        assert_eq!(seen, [(0, 10_009), (4096, 10_009), (8192, 10_009), (10_009, 10_009)]);

        let mut stop = |done, _| done < 4096;
        let options = LoadOptions { chunk: 4096, progress: Some(&mut stop) };
        let error = file().load(&mut [load(0, 0, &mut a)], options).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled { done: 4096, total: 10_000 }));
    }
}
