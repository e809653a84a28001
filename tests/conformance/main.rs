//! Conformance: every test vector with its verdict, and what damage may do to a file.
//!
//! One test a vector, so that the counts say something. What is not there shows as ignored with its
//! reason.

#![allow(missing_docs, reason = "a test program")]

mod accepted;
mod compare;
mod composites;
mod container;
mod copies;
mod damage;
mod describe;
mod faults;
mod merged;
mod numbers;
mod streamed;
mod values;
mod vectors;
mod verdicts;
mod views;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    if vectors::shared().is_none() {
        // `make test` gathers such lines.
        eprintln!("SKIPPED: vectors of the reference writer: there is no ../shared/vectors");
    }
    let mut trials = copies::trials();
    trials.extend(verdicts::trials());
    trials.extend(damage::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
