//! Why a command stops: a message for a person and an exit code for a script.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use hurray::ErrorKind;

use crate::escape::escaped;

/// What a command returns.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A file is not what it should be, or holds what is not supported.
    Invalid,
    /// The command line asks for what cannot be done.
    Usage,
    /// The system failed.
    Io,
    /// Whoever reads our output wants no more of it. Not a failure, and nothing to say.
    Closed,
    /// Everything was said already.
    Reported,
}

impl Failure {
    /// The file at `path` breaks a rule, or holds what is not supported.
    pub(crate) fn invalid(path: &Path, what: impl Display) -> Self {
        Self::about(Kind::Invalid, path, what)
    }

    /// The command line names a file that cannot be used in this way.
    pub(crate) fn usage(path: &Path, what: impl Display) -> Self {
        Self::about(Kind::Usage, path, what)
    }

    /// The system failed on the file at `path`.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::about(Kind::Io, path, error)
    }

    /// The library refused what the file at `path` holds, or failed on it.
    pub(crate) fn library(path: &Path, error: &hurray::Error) -> Self {
        Self::about(kind_of(error), path, error)
    }

    /// Standard output took no more.
    pub(crate) fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { kind: Kind::Closed, message: String::new() },
            _ => Self { kind: Kind::Io, message: format!("standard output: {error}") },
        }
    }

    /// The messages are out, only the exit code of an invalid file is left.
    pub(crate) fn reported() -> Self {
        Self { kind: Kind::Reported, message: String::new() }
    }

    fn about(kind: Kind, path: &Path, what: impl Display) -> Self {
        Self { kind, message: format!("{}: {what}", escaped(&path.to_string_lossy())) }
    }

    /// Whether the system, not a file, is at fault.
    pub(crate) fn is_io(error: &hurray::Error) -> bool {
        kind_of(error) == Kind::Io
    }

    /// Says it on standard error, where that still listens, and turns into an exit code.
    pub(crate) fn report(self) -> ExitCode {
        if !self.message.is_empty() {
            let _ = writeln!(io::stderr(), "hrry: {}", self.message);
        }
        match self.kind {
            Kind::Closed => ExitCode::SUCCESS,
            Kind::Invalid | Kind::Reported => ExitCode::from(1),
            Kind::Usage => ExitCode::from(2),
            Kind::Io => ExitCode::from(3),
        }
    }
}

fn kind_of(error: &hurray::Error) -> Kind {
    match error.kind() {
        ErrorKind::System { .. }
        | ErrorKind::Memory { .. }
        | ErrorKind::Shrank { .. }
        | ErrorKind::Callback { .. }
        | ErrorKind::NotAFile { .. } => Kind::Io,
        _ => Kind::Invalid,
    }
}
