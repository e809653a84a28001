//! How far a long command is, for a person who watches.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, when that is a terminal and the user did not ask for silence.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar that is full after `total` bytes.
    pub(crate) fn new(total: u64, quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self(None);
        }
        let style = ProgressStyle::with_template(
            "{bar:40} {bytes:>10} of {total_bytes}  {bytes_per_sec}  {eta} left",
        );
        let bar = ProgressBar::new(total);
        Self(Some(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }))
    }

    /// `done` bytes of `total` are done.
    pub(crate) fn reach(&self, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// `bytes` more are done.
    pub(crate) fn advance(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
