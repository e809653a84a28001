//! What a command reads: a file, or standard input.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use hurray::container::{File, OpenOptions, Stream, StreamOptions};
use hurray::descriptor::Mode;

use crate::failure::{Failure, Result};

/// What messages call standard input.
const STANDARD_INPUT: &str = "standard input";

/// A file that can be read at any place, or one that passes.
pub(crate) enum Input {
    File(File),
    Stream(Box<Stream>),
}

impl Input {
    /// Opens the file at `path`, or standard input if that is `-`.
    pub(crate) fn open(path: &Path, mode: Mode) -> Result<Self> {
        let opened = if is_standard_input(path) {
            let options = StreamOptions { mode, ..StreamOptions::default() };
            Stream::open_fd(io::stdin().as_fd(), &options).map(Box::new).map(Self::Stream)
        } else {
            File::open(path, &OpenOptions { mode, ..OpenOptions::default() }).map(Self::File)
        };
        opened.map_err(|error| Failure::library(shown(path), &error))
    }
}

/// Refuses standard input for `what`, which needs a file that can be read at any place.
pub(crate) fn demand_file(path: &Path, what: &str) -> Result<()> {
    if is_standard_input(path) {
        let what = format_args!("{what} needs a file that can be read at any place");
        return Err(Failure::usage(shown(path), what));
    }
    Ok(())
}

/// The mode that a command line asks for.
pub(crate) fn mode(permissive: bool) -> Mode {
    if permissive { Mode::Permissive } else { Mode::Strict }
}

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> &Path {
    if is_standard_input(path) { Path::new(STANDARD_INPUT) } else { path }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
