//! `hrry verify`: whether files are valid, and all that is wrong with them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hurray::ErrorKind;
use hurray::container::{File, OpenOptions};
use hurray::validate::{ValidateOptions, validate};

use crate::escape::escaped;
use crate::failure::{Failure, Failures, Result};
use crate::input;
use crate::progress::Progress;
use crate::style::Style;

/// Check .hrry files from end to end.
///
/// Says for each file whether it is valid and what was checked. Problems go to standard error, each
/// with its place in the file. The exit code is 0 when all files are valid, 1 when one is invalid
/// or not supported, 3 when one could not be read.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The .hrry files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Show at most this many problems a file
    #[arg(long, value_name = "N", default_value_t = 20)]
    max: u64,
    /// Hold statistics against the values too, which reads all data
    #[arg(long)]
    statistics: bool,
    /// Accept what a strict reader refuses, where it can be read safely
    #[arg(long)]
    permissive: bool,
    /// Print nothing but problems
    #[arg(short, long)]
    quiet: bool,
}

/// What a file is.
struct Verdict {
    /// Those that are shown.
    problems: Vec<hurray::Error>,
    /// All of them.
    count: u64,
    /// Whether each of them is about what this program does not support.
    only_unsupported: bool,
    /// What was looked at, if the file could be opened.
    checked: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut failures = Failures::default();
    for path in &arguments.files {
        match judge(path, arguments) {
            Ok(verdict) => verdict.say(path, arguments.quiet, &mut failures)?,
            Err(failure) => failures.say(failure),
        }
    }
    failures.done()
}

fn judge(path: &Path, arguments: &Arguments) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    input::demand_file(path, "verifying")?;
    let mode = input::mode(arguments.permissive);
    let file = match File::open(path, &OpenOptions { mode, ..OpenOptions::default() }) {
        Ok(file) => file,
        Err(error) if error.kind().is_verdict() => {
            verdict.add(error, arguments.max);
            return Ok(verdict);
        }
        Err(error) => return Err(Failure::library(path, &error)),
    };
    let progress = Progress::new(file.size(), arguments.quiet);
    let mut report = |done, total| {
        progress.reach(done, total);
        true
    };
    let options = ValidateOptions {
        statistics: arguments.statistics,
        progress: Some(&mut report),
        ..ValidateOptions::default()
    };
    validate(&file, options, &mut |problem| verdict.add(problem, arguments.max))
        .map_err(|error| Failure::library(path, &error))?;
    verdict.checked = Some(checked(&file, arguments.statistics));
    Ok(verdict)
}

/// What opening and validating looks at.
fn checked(file: &File, statistics: bool) -> String {
    let index = if file.header().flags().has_crc() { "index with checksum" } else { "index" };
    let (keys, tensors) = (file.kv().len(), file.tensor_count());
    let statistics = if statistics { ", statistics" } else { "" };
    format!(
        "header, trailer, {index}, keys ({keys}), descriptors ({tensors}), overlaps, gaps, padding, \
         composites, content (indices, page tables, scales, zero points, float8_e8m0){statistics}"
    )
}

impl Default for Verdict {
    fn default() -> Self {
        Self { problems: Vec::new(), count: 0, only_unsupported: true, checked: None }
    }
}

impl Verdict {
    fn add(&mut self, problem: hurray::Error, max: u64) {
        self.only_unsupported &= is_unsupported(&problem);
        if self.count < max {
            self.problems.push(problem);
        }
        self.count += 1;
    }

    fn say(self, path: &Path, quiet: bool, failures: &mut Failures) -> Result<()> {
        let style = Style::of_output();
        let shown = self.problems.len() as u64;
        for problem in &self.problems {
            failures.say(Failure::library(path, problem));
        }
        if shown < self.count {
            let left = self.count - shown;
            failures.say(Failure::invalid(path, format_args!("{left} more, see --max")));
        }
        if quiet {
            return Ok(());
        }
        let word = match (self.count, self.only_unsupported) {
            (0, _) => style.good("valid"),
            (_, true) => style.bad("not supported"),
            (_, false) => style.bad("invalid"),
        };
        let count = match self.count {
            0 => String::new(),
            1 => ", 1 problem".to_owned(),
            count => format!(", {count} problems"),
        };
        let checked = match self.checked {
            Some(checked) => format!("checked: {checked}"),
            None => "could not be opened, nothing else was checked".to_owned(),
        };
        let name = escaped(&path.to_string_lossy());
        writeln!(io::stdout().lock(), "{name}: {word}{count}; {checked}")
            .map_err(|error| Failure::output(&error))
    }
}

/// Newer, private or not offered here: such a file need not be invalid.
fn is_unsupported(problem: &hurray::Error) -> bool {
    matches!(
        problem.kind(),
        ErrorKind::Version { .. }
            | ErrorKind::ReservedTag { .. }
            | ErrorKind::PrivateTag { .. }
            | ErrorKind::Unsupported { .. }
    )
}
