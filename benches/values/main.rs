//! Values copied out of every layout and number format, beside what the memory allows.
//!
//! Ends with nothing but a table: of every kernel, what an element costs and how many bytes of
//! float32 that is a second, whatever the target's own width; the same of its bound, which reads
//! all bytes of the buffers and stores as many bytes past the caches, taken in turn with it; and
//! whether it makes 1 GB/s. Times are times of the processor, as in the bench of opening.
//!
//! Words on the command line choose: sizes that they are part of, and kernels whose names have all
//! others.

#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a bench on 64 bits"
)]
#![allow(unsafe_code, reason = "stores past the caches, and the clock of the processor")]

mod bounds;
mod cases;

use std::time::Duration;

use bounds::Aligned;
use cases::{CASES, Case};

/// GB/s of float32 that every kernel has to make.
const FLOOR: f64 = 1.0;

/// How much is measured of one output size.
struct Scale {
    name: &'static str,
    /// Of the elements that there are about as many as its square.
    side: u64,
    rounds: usize,
    /// Calls that are timed as one.
    calls: u32,
}

const SCALES: [Scale; 2] = [
    Scale { name: "256 KiB", side: 1 << 8, rounds: 15, calls: 10 },
    Scale { name: "256 MiB", side: 1 << 13, rounds: 5, calls: 1 },
];

/// Time that the processor has spent on this thread.
fn spent() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is ours.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(status, 0);
    Duration::new(now.tv_sec.try_into().unwrap(), now.tv_nsec.try_into().unwrap())
}

/// Sorted times of an element in nanoseconds.
struct Times(Vec<f64>);

impl Times {
    fn quarter(&self, quarter: usize) -> f64 {
        self.0[(self.0.len() - 1) * quarter / 4]
    }

    /// Bytes of float32 a nanosecond, which is GB/s.
    fn speed(&self) -> f64 {
        4.0 / self.quarter(2)
    }
}

/// Runs all in turn; once before, for what only the first time costs.
fn in_turn<const N: usize>(
    scale: &Scale,
    elements: u64,
    mut runs: [&mut dyn FnMut(); N],
) -> [Times; N] {
    let mut times = [(); N].map(|()| Times(Vec::new()));
    for round in 0..=scale.rounds {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            let start = spent();
            for _ in 0..scale.calls {
                run();
            }
            let took = (spent() - start).as_secs_f64() * 1e9;
            if round > 0 {
                times.0.push(took / f64::from(scale.calls) / elements as f64);
            }
        }
    }
    for times in &mut times {
        times.0.sort_by(f64::total_cmp);
    }
    times
}

fn of_memory(scale: &Scale) {
    let bytes = (scale.side * scale.side * 4) as usize;
    let [from, mut to, mut again] = [(); 3].map(|()| Aligned::new(bytes));
    let [set, copy] = in_turn(
        scale,
        scale.side * scale.side,
        [&mut || bounds::set(&mut again), &mut || bounds::copy(&from, &mut to)],
    );
    for (name, times) in [("memset", set), ("memcpy", copy)] {
        println!(
            "{name:<44} {:>6.2} ({:.2} to {:.2})  {:>6.2} GB/s",
            times.quarter(2),
            times.quarter(1),
            times.quarter(3),
            times.speed(),
        );
    }
}

/// Whether the kernel makes the floor.
fn of_case(scale: &Scale, case: &Case) -> bool {
    let ready = (case.make)(scale.side);
    let mut out = Aligned::new(ready.out_bytes());
    let mut past = Aligned::new(out.len());
    let [ours, bound] = in_turn(
        scale,
        ready.elements(),
        [&mut || ready.run(&mut out), &mut || bounds::read_and_store(ready.buffers(), &mut past)],
    );
    let is_fast = ours.speed() >= FLOOR;
    println!(
        "{:<44} {:>6.2} ({:.2} to {:.2})  {:>6.2} GB/s  bound {:>6.2} GB/s, {:>3.0} %  {}",
        case.name,
        ours.quarter(2),
        ours.quarter(1),
        ours.quarter(3),
        ours.speed(),
        bound.speed(),
        100.0 * ours.speed() / bound.speed(),
        if is_fast { "yes" } else { "NO" },
    );
    is_fast
}

fn main() {
    let (options, words): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word.starts_with('-'));
    let (sizes, words): (Vec<_>, Vec<_>) =
        words.iter().partition(|word| SCALES.iter().any(|scale| scale.name.contains(&***word)));
    let chosen: Vec<_> = CASES
        .iter()
        .filter(|case| words.iter().all(|word| case.name.contains(word.as_str())))
        .collect();
    // As a test, it only has to run.
    if !options.iter().any(|option| option == "--bench") {
        for case in chosen {
            let ready = (case.make)(64);
            ready.run(&mut vec![0; ready.out_bytes()]);
        }
        return;
    }
    let mut slow = Vec::new();
    for scale in SCALES.iter().filter(|scale| {
        sizes.is_empty() || sizes.iter().any(|size| scale.name.contains(size.as_str()))
    }) {
        println!(
            "\n{} of float32: ns an element, median (first to third quartile of {} rounds taken in \
             turn); GB/s of float32; at least {FLOOR}?",
            scale.name, scale.rounds
        );
        of_memory(scale);
        slow.extend(chosen.iter().filter(|case| !of_case(scale, case)).map(|case| case.name));
    }
    println!(
        "\nBelow {FLOOR} GB/s: {}",
        if slow.is_empty() { "none".into() } else { slow.join(", ") }
    );
}
