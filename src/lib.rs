//! Opens, checks, reads and writes `.hrry` tensor files.
//!
//! Modules in the order in which data flows through them; each imports only what stands above it.

#![warn(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::unreachable)
)]

mod error;

pub mod bytes;

pub mod descriptor;

pub mod address;

pub mod container;

pub mod composite;

pub mod values;

pub mod ffi;
pub mod validate;

pub use container::{File, KvValue, OpenOptions, Tensor, Writer, WriterOptions};
pub use descriptor::{Builder, Descriptor, ElementType, Mode};
pub use error::{BufferEntry, EntryFault, Error, ErrorKind, Fault, Result, Section};

// The Rust in README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
