//! Conformance: every test vector with its verdict, and what damage may do to a file.
//!
//! One test a vector, so that the counts say something. A vector that waits for a later part of
//! the library, or that is not there, shows as ignored with its reason.

#![allow(missing_docs, reason = "a test program")]

mod copies;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = copies::trials();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
