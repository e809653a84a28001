//! Opening a file of many small tensors, against the safetensors crate on the same tensors; finding
//! one by name; decoding a descriptor.
//!
//! Ends with ratios of times that were taken in turn, so that a machine that changes its clock slows
//! both sides alike. They are times of the processor, the system's work for this thread among them:
//! on an idle machine the same as those of a clock, on a busy one without the waiting.

#![allow(missing_docs, reason = "a bench")]
#![allow(unsafe_code, reason = "the C API is measured as C programs meet it")]

use std::ffi::{CString, c_void};
use std::fs;
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::time::Duration;

use criterion::Criterion;
use hurray::container::{File, OpenOptions, Writer, WriterOptions};
use hurray::descriptor::{Builder, Descriptor, ElementType, Mode};
use hurray::ffi::file::{hrry_file, hrry_file_close, hrry_file_tensor_at, hrry_file_tensor_find};
use hurray::ffi::open::{hrry_file_open, hrry_file_open_memory};
use hurray::ffi::tensor::{hrry_tensor, hrry_tensor_facts, hrry_tensor_info};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

const COUNT: u64 = 100_000;
const SHAPE: [u64; 2] = [2, 2];
const DATA: [u8; 16] = [7; 16];

fn name(i: u64) -> String {
    format!("model.layers.{}.mlp.experts.{}.down_proj.weight", i / 128, i % 128)
}

/// The same tensors in both formats, on disk and in memory.
struct Files {
    hrry: PathBuf,
    safetensors: PathBuf,
    hrry_bytes: Vec<u8>,
    safetensors_bytes: Vec<u8>,
}

impl Files {
    fn written(folder: &Path) -> Self {
        let (hrry, safetensors) = (folder.join("many.hrry"), folder.join("many.safetensors"));
        let options = WriterOptions { sync: false, ..WriterOptions::default() };
        let mut writer = Writer::create(&hrry, &options).unwrap();
        for i in 0..COUNT {
            writer.dense(&name(i), ElementType::FLOAT32, &SHAPE, &DATA).unwrap();
        }
        writer.finish().unwrap();
        let tensors =
            (0..COUNT).map(|i| (name(i), TensorView::new(Dtype::F32, vec![2, 2], &DATA).unwrap()));
        fs::write(&safetensors, safetensors::serialize(tensors, None).unwrap()).unwrap();
        let (hrry_bytes, safetensors_bytes) =
            (fs::read(&hrry).unwrap(), fs::read(&safetensors).unwrap());
        Self { hrry, safetensors, hrry_bytes, safetensors_bytes }
    }

    fn hrry_in_memory(&self) -> File {
        let bytes = &self.hrry_bytes;
        // SAFETY: whoever opens it here drops it before the bytes.
        let file = unsafe {
            File::open_lent(bytes.as_ptr(), bytes.len(), Box::new(|| ()), &OpenOptions::default())
        };
        file.unwrap()
    }

    fn hrry_from_disk(&self) -> File {
        File::open(&self.hrry, &OpenOptions::default()).unwrap()
    }

    fn safetensors_in_memory(&self) -> SafeTensors<'_> {
        SafeTensors::deserialize(&self.safetensors_bytes).unwrap()
    }

    fn mapped_safetensors(&self) -> Mapped {
        Mapped::new(&fs::File::open(&self.safetensors).unwrap())
    }
}

/// A file in pages of its own, as users of safetensors open it.
struct Mapped(&'static [u8]);

impl Mapped {
    fn new(file: &fs::File) -> Self {
        let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
        // SAFETY: a new mapping; nobody changes the file while it lasts.
        unsafe {
            let (read, private) = (libc::PROT_READ, libc::MAP_PRIVATE);
            let first = libc::mmap(ptr::null_mut(), length, read, private, file.as_raw_fd(), 0);
            assert_ne!(first, libc::MAP_FAILED);
            Self(std::slice::from_raw_parts(first.cast(), length))
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: mapped once, and the bytes are lent no longer than this lives.
        unsafe { libc::munmap(self.0.as_ptr().cast_mut().cast(), self.0.len()) };
    }
}

/// Type, shape and offset of every tensor.
fn describe(file: &File) -> u64 {
    (0..file.tensor_count())
        .map(|i| {
            let tensor = file.tensor(i).unwrap();
            let descriptor = tensor.descriptor();
            let (kind, shape) = (descriptor.element_type(), descriptor.shape());
            u64::from(kind.tag()) + shape[1] + tensor.buffer(0).unwrap().file_offset
        })
        .fold(0, u64::wrapping_add)
}

/// The C API's handles, closed when dropped.
struct C(*mut hrry_file);

impl C {
    fn in_memory(bytes: &[u8]) -> Self {
        let mut file = ptr::null_mut();
        // SAFETY: the bytes outlive the handle.
        let status = unsafe {
            hrry_file_open_memory(
                bytes.as_ptr().cast::<c_void>(),
                bytes.len(),
                None,
                ptr::null_mut(),
                ptr::null(),
                &raw mut file,
                ptr::null_mut(),
            )
        };
        assert_eq!(status, 0);
        Self(file)
    }

    fn from_disk(path: &Path) -> Self {
        let path = CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
        let mut file = ptr::null_mut();
        // SAFETY: text and places for the results are what they must be.
        let status =
            unsafe { hrry_file_open(path.as_ptr(), ptr::null(), &raw mut file, ptr::null_mut()) };
        assert_eq!(status, 0);
        Self(file)
    }

    fn find(&self, name: &[u8]) -> *const hrry_tensor {
        let mut tensor = ptr::null();
        // SAFETY: the handle is open.
        let status = unsafe {
            let name_at = name.as_ptr().cast();
            hrry_file_tensor_find(self.0, name_at, name.len(), &raw mut tensor, ptr::null_mut())
        };
        assert_eq!(status, 0);
        tensor
    }

    fn describe(&self) -> u64 {
        let mut sum = 0_u64;
        for i in 0..COUNT {
            let mut tensor = ptr::null();
            // SAFETY: all zeros is a value of the struct; the handles are open.
            let facts = unsafe {
                let mut facts: hrry_tensor_facts = std::mem::zeroed();
                facts.struct_size = size_of::<hrry_tensor_facts>();
                let status = hrry_file_tensor_at(self.0, i, &raw mut tensor, ptr::null_mut());
                assert_eq!(status, 0);
                assert_eq!(hrry_tensor_info(tensor, &raw mut facts, ptr::null_mut()), 0);
                facts
            };
            sum = sum.wrapping_add(facts.offset + u64::from(facts.r#type));
        }
        sum
    }
}

impl Drop for C {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once.
        unsafe { hrry_file_close(self.0) };
    }
}

/// Time that the processor has spent on this thread.
fn spent() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is ours.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(status, 0);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

fn timed(run: &mut dyn FnMut()) -> Duration {
    let start = spent();
    run();
    spent() - start
}

/// Times of one side of a comparison.
struct Times(Vec<Duration>);

impl Times {
    fn at(&self, quarter: usize) -> f64 {
        self.0[(self.0.len() - 1) * quarter / 4].as_secs_f64()
    }
}

/// Runs both in turn and prints the ratio of the medians beside what is asked for.
fn ratio(what: &str, limit: f64, mut ours: impl FnMut(), mut theirs: impl FnMut()) {
    const ROUNDS: usize = 21;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        a.push(timed(&mut ours));
        b.push(timed(&mut theirs));
    }
    a.sort();
    b.sort();
    let (a, b) = (Times(a), Times(b));
    let ratio = a.at(2) / b.at(2);
    println!(
        "{what:<44} {:>7.2} ms ({:.2} to {:.2})  safetensors {:>7.2} ms ({:.2} to {:.2})  \
         ratio {ratio:.3}, at most {limit}: {}",
        a.at(2) * 1e3,
        a.at(1) * 1e3,
        a.at(3) * 1e3,
        b.at(2) * 1e3,
        b.at(1) * 1e3,
        b.at(3) * 1e3,
        if ratio <= limit { "yes" } else { "NO" },
    );
}

/// Runs one of many many times and prints what each costs.
fn each(what: &str, limit: Option<f64>, count: usize, mut run: impl FnMut()) {
    let mut times: Vec<_> = (0..41).map(|_| timed(&mut run)).collect();
    times.sort();
    let times = Times(times);
    #[allow(clippy::cast_precision_loss, reason = "a few thousand")]
    let ns = |quarter| times.at(quarter) * 1e9 / count as f64;
    println!(
        "{what:<44} {:>7.1} ns ({:.1} to {:.1}){}",
        ns(2),
        ns(1),
        ns(3),
        match limit {
            Some(limit) if ns(2) <= limit => format!("  at most {limit}: yes"),
            Some(limit) => format!("  at most {limit}: NO"),
            None => String::new(),
        }
    );
}

/// Names in an order without a pattern.
fn shuffled() -> Vec<String> {
    const STEP: u64 = 61_803;
    (0..COUNT).map(|k| name(k * STEP % COUNT)).collect()
}

fn dense() -> Vec<u8> {
    Builder::new(ElementType::FLOAT32, &[4096, 1024]).unwrap().build().unwrap().encode().unwrap()
}

fn reports(c: &mut Criterion, files: &Files) {
    let mut group = c.benchmark_group("open 100 000 tensors");
    group.sample_size(20);
    group.bench_function("hrry, in memory", |b| b.iter(|| files.hrry_in_memory()));
    group.bench_function("hrry, from disk", |b| b.iter(|| files.hrry_from_disk()));
    group.bench_function("safetensors, in memory", |b| b.iter(|| files.safetensors_in_memory()));
    group.finish();

    let mut group = c.benchmark_group("open and describe 100 000 tensors");
    group.sample_size(20);
    group.bench_function("hrry, in memory", |b| b.iter(|| describe(&files.hrry_in_memory())));
    group.bench_function("hrry, from disk", |b| b.iter(|| describe(&files.hrry_from_disk())));
    group.finish();

    let file = files.hrry_in_memory();
    let names = shuffled();
    let mut next = names.iter().cycle();
    c.bench_function("find by name", |b| {
        b.iter(|| file.find(next.next().unwrap().as_bytes()).unwrap());
    });
    let handle = C::in_memory(&files.hrry_bytes);
    c.bench_function("find by name, from C", |b| {
        b.iter(|| handle.find(next.next().unwrap().as_bytes()));
    });
    let bytes = dense();
    c.bench_function("decode a dense descriptor of rank 2", |b| {
        b.iter(|| Descriptor::decode(black_box(&bytes), Mode::Strict).unwrap());
    });
}

fn summary(files: &Files) {
    println!("\nMedians (first to third quartile), taken in turn:");
    ratio(
        "open, in memory",
        0.1,
        || drop(black_box(files.hrry_in_memory())),
        || drop(black_box(files.safetensors_in_memory())),
    );
    ratio(
        "open, from disk, mapped",
        0.1,
        || drop(black_box(files.hrry_from_disk())),
        || drop(black_box(SafeTensors::deserialize(files.mapped_safetensors().0).unwrap())),
    );
    ratio(
        "open and describe, in memory",
        0.5,
        || _ = black_box(describe(&files.hrry_in_memory())),
        || drop(black_box(files.safetensors_in_memory())),
    );
    ratio(
        "open and describe, in memory, from C",
        0.5,
        || _ = black_box(C::in_memory(&files.hrry_bytes).describe()),
        || drop(black_box(files.safetensors_in_memory())),
    );
    ratio(
        "open and describe, from disk, mapped",
        0.5,
        || _ = black_box(describe(&files.hrry_from_disk())),
        || drop(black_box(SafeTensors::deserialize(files.mapped_safetensors().0).unwrap())),
    );
    ratio(
        "open and describe, from disk, mapped, from C",
        0.5,
        || _ = black_box(C::from_disk(&files.hrry).describe()),
        || drop(black_box(SafeTensors::deserialize(files.mapped_safetensors().0).unwrap())),
    );

    println!("Of that, reading descriptors from disk, each by a call of the system, takes:");
    let disk = fs::File::open(&files.hrry).unwrap();
    let opened = files.hrry_from_disk();
    let places: Vec<_> = (0..COUNT).map(|i| opened.entry(i).unwrap().descriptor_offset).collect();
    each("read the bytes of a descriptor", None, places.len(), || {
        let mut bytes = [0; 61];
        for &place in &places {
            disk.read_exact_at(black_box(&mut bytes), place).unwrap();
        }
    });

    let names = shuffled();
    let file = files.hrry_in_memory();
    each("find by name", Some(250.0), names.len(), || {
        for name in &names {
            black_box(file.find(name.as_bytes()).unwrap());
        }
    });
    let handle = C::in_memory(&files.hrry_bytes);
    each("find by name, from C", Some(250.0), names.len(), || {
        for name in &names {
            black_box(handle.find(name.as_bytes()));
        }
    });
    let bytes = dense();
    each("decode a dense descriptor of rank 2", Some(100.0), 10_000, || {
        for _ in 0..10_000 {
            drop(black_box(Descriptor::decode(black_box(&bytes), Mode::Strict).unwrap()));
        }
    });
}

fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let files = Files::written(folder.path());
    let mut criterion = Criterion::default().configure_from_args();
    reports(&mut criterion, &files);
    criterion.final_summary();
    // As a test, it only has to run.
    if std::env::args().any(|argument| argument == "--bench") {
        summary(&files);
    }
}
