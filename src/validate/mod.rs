//! Whole-file checks: everything that opening a file and asking for a tensor leave alone
//! (container.md, last row of "What is checked when").
//!
//! One file a concern. Each hands what it finds to the same sink and goes on; what ends a run is
//! only the caller, the system, or memory.

mod composites;
mod content;
mod descriptors;
mod padding;
mod regions;
mod statistics;

pub use statistics::STATISTICS_TOLERANCE;

use crate::container::{File, Progress, Steps};
use crate::error::{Error, Result};
use composites::Composites;
use padding::Scanner;
use regions::Regions;

/// Bytes between two reports of progress, about.
const REPORT_EVERY: u64 = 1 << 20;

/// What is checked, and who hears how far it has come.
pub struct ValidateOptions<'p> {
    /// Every descriptor, and it against its index entry.
    pub descriptors: bool,
    /// No overlap between tensors, no stretch of bytes that belongs to nobody.
    pub regions: bool,
    /// All padding is zero.
    pub padding: bool,
    /// Every composite: its members one by one, and all together.
    pub composites: bool,
    /// The numbers in the data that have rules: indices, pointers, page tables, scales, zero points,
    /// codes of float8_e8m0.
    pub content: bool,
    /// What statistics sections say, against the values: counts, flags, minimum and maximum exactly,
    /// mean and deviation within a millionth of the largest magnitude, the sparsity ratio within a
    /// millionth. Of values some of which are not finite only counts and flags; of complex, float128
    /// and private types, composite heads, and paged tensors that are found by sequence only,
    /// nothing. Statistics are advisory and this reads all data, so that it is not the default.
    pub statistics: bool,
    /// Called on the thread that validates: before it begins, about every MiB of the file, and at
    /// the end.
    pub progress: Option<Progress<'p>>,
}

impl Default for ValidateOptions<'_> {
    /// Everything but statistics, nobody told.
    fn default() -> Self {
        Self {
            descriptors: true,
            regions: true,
            padding: true,
            composites: true,
            content: true,
            statistics: false,
            progress: None,
        }
    }
}

/// What a whole-file check came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Problems handed to the sink. None: the file is valid in the mode in which it was opened.
    pub problems: u64,
    /// Tensors looked at.
    pub tensors: u64,
}

/// Where problems go, and how many there were.
struct Sink<'s> {
    problems: u64,
    report: &'s mut dyn FnMut(Error),
}

impl Sink<'_> {
    fn put(&mut self, problem: Error) {
        self.problems = self.problems.saturating_add(1);
        (self.report)(problem);
    }

    /// Takes what is the file's fault; anything else ends the run.
    fn judge<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind().is_verdict() => {
                self.put(error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Checks all of an open file. Every problem is handed to `problems` as the error that it would be
/// if a call had met it: kind, place, tensor. In permissive mode what the format tolerates there is
/// no problem.
///
/// In the content of a tensor the first breach of each rule in each buffer is a problem, so that no
/// file can flood its reader. What a dynamic dimension hides is not checked (decisions.md row 23).
///
/// Fails only when the caller stops it, the system or memory fails, or the file shrinks. Takes time
/// in O(n log n) for n tensors, beside reading what it checks by positioned reads: descriptors,
/// padding and numbers with rules, each byte once or twice for every tensor that claims it. A file
/// whose tensors all claim the same bytes can make that far more than its size; whoever does not
/// trust a file watches the progress, whose total is then as large. Statistics are work of 8 bytes an
/// element, which the total does not count: a small file can have many elements. Takes memory of 48 bytes a tensor and the largest descriptor, and
/// 192 KiB; 512 KiB for statistics; while a composite waits for members, 8 bytes for each that has come, and 16 a dimension
/// if it has a place in the head; and while a COO tensor is looked at that is not sorted, 16 bytes
/// for each of its elements, in time O(n log n) for n of them; and 3 bits for each byte of a tensor
/// of float8_e8m0 in strides, tiles or Morton order with a code that is no number, to find whether
/// it is an element.
pub fn validate(
    file: &File,
    options: ValidateOptions<'_>,
    problems: &mut dyn FnMut(Error),
) -> Result<Summary> {
    let ValidateOptions {
        descriptors,
        regions,
        padding,
        composites,
        content,
        statistics,
        progress,
    } = options;
    let mut sink = Sink { problems: 0, report: problems };
    let map = Regions::of(file)?;
    let mut steps = Steps::begin(progress, work(file, &map), REPORT_EVERY)?;
    let mut scanner = Scanner::new(file)?;

    if regions {
        map.report_overlaps(&mut sink);
    }
    for run in map.runs() {
        // What a long stretch holds is beside the point.
        if run.is_gap() {
            if regions {
                sink.put(run.as_gap());
            }
            steps.step(run.length())?;
        } else if padding
            && let Some((at, value)) = scanner.scan(run.start, run.end, Some(&mut steps))?
        {
            sink.put(run.as_padding(at, value));
        }
    }
    let mut composites = composites.then(|| Composites::new(file));
    for k in 0..file.tensor_count() {
        let i = file.in_file_order(k)?;
        let entry = file.entry(i)?;
        let mut left = entry.data_length;
        if descriptors || padding || content || statistics || composites.is_some() {
            let tensor = descriptors::check(file, i, descriptors, &mut sink)?;
            if let Some(composites) = &mut composites {
                composites.check(tensor.as_ref(), &mut sink)?;
            }
            if let Some(tensor) = &tensor {
                if padding {
                    descriptors::check_between(tensor, &mut scanner, &mut sink)?;
                }
                if content {
                    content::check(tensor, &mut sink, &mut steps, &mut left)?;
                }
                if statistics {
                    statistics::check(tensor, &mut sink, &mut steps)?;
                }
            }
        }
        steps.step(entry.descriptor_length.into())?;
        steps.step(left)?;
    }
    if let Some(composites) = composites {
        composites.finish(&mut sink);
    }
    steps.finish();
    Ok(Summary { problems: sink.problems, tensors: file.tensor_count() })
}

/// Bytes that a run goes through: all but the sections that were read when the file was opened.
fn work(file: &File, map: &Regions<'_>) -> u64 {
    let between = map.runs().map(|run| run.length());
    let tensors = (0..file.tensor_count()).filter_map(|i| file.index().entry(i));
    let owned =
        tensors.map(|entry| entry.data_length.saturating_add(entry.descriptor_length.into()));
    between.chain(owned).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::sample::{Sample, sample, sample_of};
    use crate::container::{OpenOptions, Trailer};
    use crate::descriptor::Mode;
    use crate::error::ErrorKind;

    fn four() -> Sample {
        sample(&[("a", 5000), ("b", 10), ("empty", 0), ("c", 10)], 4096)
    }

    fn open(sample: Sample, mode: Mode) -> File {
        let options = OpenOptions { mode, ..OpenOptions::default() };
        File::open_bytes(sample.bytes, &options).unwrap()
    }

    fn problems_in(file: &File) -> Vec<String> {
        let mut problems = Vec::new();
        let mut put = |problem: Error| problems.push(problem.to_string());
        let summary = validate(file, ValidateOptions::default(), &mut put).unwrap();
        assert_eq!(summary.problems, problems.len() as u64);
        assert_eq!(summary.tensors, file.tensor_count());
        problems
    }

    fn problems(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = four();
        change(&mut sample);
        problems_in(&open(sample, Mode::Strict))
    }

    #[test]
    fn a_whole_file_has_none() {
        assert!(problems(|_| ()).is_empty());
        assert!(problems_in(&open(sample(&[], 4096), Mode::Strict)).is_empty());
        assert!(problems_in(&open(sample(&[("x", 1)], 2 << 20), Mode::Strict)).is_empty());
    }

    #[test]
    fn every_stretch_of_padding_is_looked_at() {
        let sample = four();
        let (_, descriptor, data, size) = sample.tensors[1];
        let kv = sample.index_offset - 16;
        for (at, what) in [
            (descriptor + 53, "tensor 1 \"b\": padding: padding after the descriptor"),
            (data - 1, "tensor 1 \"b\": padding: padding after the descriptor"),
            (data + size, "tensor 1 \"b\": padding: padding after the data"),
            (kv + 11, "padding: padding after the kv section"),
        ] {
            let found = problems(|sample| sample.patch(at, &[0xAB]));
            assert_eq!(found, [format!("{what} is not zero: 0xab, at byte {at}")]);
        }
    }

    #[test]
    fn padding_between_the_buffers_of_a_tensor() {
        // uint8 [4] as COO: one value at coordinate 2.
        let mut descriptor = b"HRRY\x01\x00\x55\x00\x00\x00\0\0\0\0\x11\x06\x01\0\0\0".to_vec();
        descriptor.extend([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        descriptor.extend([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        descriptor.push(2);
        descriptor.extend([1, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
        descriptor.extend([8, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
        let mut data = vec![0; 4096 + 8];
        (data[0], data[4096]) = (9, 2);
        let whole = || sample_of(&[("coo", descriptor.clone(), data.clone())], 4096);
        assert!(problems_in(&open(whole(), Mode::Strict)).is_empty());
        for at in [4097, 8191] {
            let mut sample = whole();
            sample.patch(at, &[7]);
            let text = "tensor 0 \"coo\": padding: padding between buffers is not zero: 0x07";
            let found = problems_in(&open(sample, Mode::Strict));
            assert_eq!(found, [format!("{text}, at byte {at}")]);
        }
    }

    #[test]
    fn each_problem_is_found_beside_the_others() {
        let found = problems(|sample| {
            sample.patch(64 + 53, &[1]);
            sample.patch(sample.tensors[1].1, b"XXXX");
            sample.patch(sample.entry(3) + 20, &11_u64.to_le_bytes());
        });
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[1].contains("magic"), "{found:?}");
        assert!(found[2].contains("data_length is 11, must be 10"), "{found:?}");
    }

    #[test]
    fn what_belongs_to_nobody() {
        // The last tensor's entry goes: its pages have no owner any more.
        let mut sample = four();
        let entry = usize::try_from(sample.entry(3)).unwrap();
        sample.bytes.drain(entry - 3..entry + 32);
        sample.patch(sample.index_offset, &3_u64.to_le_bytes());
        let trailer = sample.bytes.len() - 40 + 8;
        let length = (sample.bytes.len() as u64) - 40 - sample.index_offset;
        sample.patch(trailer as u64, &length.to_le_bytes());
        let start = sample.tensors[2].1 + 53;
        let found = problems_in(&open(sample, Mode::Permissive));
        let text = "tensor 2 \"empty\": padding: 12235 bytes belong to nothing";
        assert_eq!(found, [format!("{text}, at byte {start}")]);
    }

    #[test]
    fn before_the_first_descriptor_any_length_of_zeros() {
        let shift = |sample: Sample, with: u8| {
            let Sample { bytes, .. } = sample;
            let mut moved = bytes[..64].to_vec();
            moved.extend(vec![with; 8192]);
            moved.extend(&bytes[64..]);
            moved
        };
        let mut moved = shift(sample(&[], 4096), 0);
        let end = moved.len() - 40;
        let last = <[u8; 40]>::try_from(&moved[end..]).unwrap();
        let header = crate::container::Header::decode(&moved[..64]).unwrap();
        let old = Trailer::decode(&last, end as u64 + 40 - 8192, &header).unwrap();
        let kv = old.kv.map(|kv| crate::container::Extent { offset: kv.offset + 8192, ..kv });
        let new = Trailer { index_offset: old.index_offset + 8192, kv, ..old };
        moved[end..].copy_from_slice(&new.encode());
        moved[20..28].copy_from_slice(&(64_u64 + 8192).to_le_bytes());
        let open = |bytes| File::open_bytes(bytes, &OpenOptions::default()).unwrap();
        assert!(problems_in(&open(moved.clone())).is_empty());
        moved[5000] = 1;
        let text = "padding: padding before the first descriptor is not zero: 0x01, at byte 5000";
        assert_eq!(problems_in(&open(moved.clone())), [text]);
        // Behind first_descriptor_offset it is a gap.
        moved[20..28].copy_from_slice(&64_u64.to_le_bytes());
        assert_eq!(
            problems_in(&open(moved)),
            ["padding: 8192 bytes belong to nothing, at byte 64"]
        );
    }

    #[test]
    fn two_tensors_over_the_same_bytes() {
        // Entry 3 becomes entry 1: legal where it is tolerated (decisions.md row 9).
        let alias = |sample: &mut Sample| {
            let (_, descriptor, data, _) = sample.tensors[1];
            sample.patch(sample.entry(3), &descriptor.to_le_bytes());
            sample.patch(sample.entry(3) + 12, &data.to_le_bytes());
        };
        let found = problems(alias);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("tensor 3 \"c\": tensors 1 and 3 overlap"), "{found:?}");
        assert!(found[1].starts_with("tensor 3 \"c\": tensors 1 and 3 overlap"), "{found:?}");
        assert!(found[2].contains("belong to nothing"), "{found:?}");
        let mut sample = four();
        alias(&mut sample);
        let found = problems_in(&open(sample, Mode::Permissive));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_part_can_be_asked_for() {
        let mut sample = four();
        sample.patch(64 + 53, &[1]);
        sample.patch(sample.tensors[1].1, b"XXXX");
        let file = open(sample, Mode::Strict);
        let count =
            |options: ValidateOptions<'_>| validate(&file, options, &mut |_| ()).unwrap().problems;
        let all = ValidateOptions::default;
        assert_eq!(count(all()), 2);
        assert_eq!(count(ValidateOptions { padding: false, ..all() }), 1);
        assert_eq!(count(ValidateOptions { descriptors: false, ..all() }), 1);
        let none = ValidateOptions { padding: false, descriptors: false, ..all() };
        assert_eq!(count(none), 0);
    }

    #[test]
    fn progress_reaches_its_end_and_can_stop() {
        let file = open(sample(&[("a", 3 << 20), ("b", 3 << 20)], 2 << 20), Mode::Strict);
        let mut seen = Vec::new();
        let mut report = |done, total| {
            seen.push((done, total));
            true
        };
        let options = ValidateOptions { progress: Some(&mut report), ..Default::default() };
        validate(&file, options, &mut |_| ()).unwrap();
        let &(first, total) = seen.first().unwrap();
        assert_eq!((first, seen.last()), (0, Some(&(total, total))));
        assert!(total <= file.size() && seen.is_sorted() && seen.len() > 3, "{seen:?}");

        let mut stop = |done, _| done == 0;
        let options = ValidateOptions { progress: Some(&mut stop), ..Default::default() };
        let error = validate(&file, options, &mut |_| ()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled { .. }), "{error}");
    }

    #[test]
    fn a_file_that_shrinks_ends_the_run() {
        use std::io::Write;
        let mut disk = tempfile::NamedTempFile::new().unwrap();
        disk.write_all(&four().bytes).unwrap();
        let file = File::open(disk.path(), &OpenOptions::default()).unwrap();
        disk.as_file().set_len(4096).unwrap();
        let error = validate(&file, ValidateOptions::default(), &mut |_| ()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shrank { .. }), "{error}");
    }
}
