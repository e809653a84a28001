//! `hrry info`: everything that a file says about itself.

mod json;
mod text;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use crate::facts::Facts;
use crate::failure::{Failure, Failures, Result};
use crate::input::{self, Input};
use crate::style::Style;
use crate::trees::Trees;

/// Show everything about a .hrry file: header, keys, composites as trees, and each tensor with its
/// buffers.
///
/// Aligned and coloured on a terminal; elsewhere one fact a line, label and value separated by a
/// TAB. Control characters in names and keys are escaped. With --json: all fields with names and
/// tags, whole keys, exact numbers.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The .hrry file, or - for standard input
    file: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Add the SHA-256 of every buffer, which reads all data
    #[arg(long)]
    hash: bool,
    /// Accept what a strict reader refuses, where it can be read safely
    #[arg(long)]
    permissive: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let path = input::shown(&arguments.file);
    let input = Input::open(&arguments.file, input::mode(arguments.permissive))?;
    let at_fault = |error| Failure::library(path, &error);
    let facts = Facts::of(input, arguments.hash).map_err(at_fault)?;
    let trees = Trees::of(&facts).map_err(at_fault)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let written = if arguments.json {
        json::write(&mut out, &arguments.file, &trees)
    } else {
        text::write(&mut out, Style::of_output(), &arguments.file, &trees)
    };
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    let mut failures = Failures::default();
    for error in facts.failures() {
        failures.say(Failure::library(path, &error));
    }
    failures.done()
}
