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

/// Ordered: what comes later decides the exit code of a command that went on after failures.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Kind {
    /// Whoever reads our output wants no more of it. Not a failure, and nothing to say.
    Closed,
    /// A file is not what it should be, or holds what is not supported.
    Invalid,
    /// The command line asks for what cannot be done.
    Usage,
    /// The system failed.
    Io,
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

    fn about(kind: Kind, path: &Path, what: impl Display) -> Self {
        Self { kind, message: format!("{}: {what}", escaped(&path.to_string_lossy())) }
    }

    /// Whether the system, not a file, is at fault.
    pub(crate) fn is_io(error: &hurray::Error) -> bool {
        kind_of(error) == Kind::Io
    }

    /// Says it, if it is not said already, on standard error, where that still listens, and turns into an exit code.
    pub(crate) fn report(self) -> ExitCode {
        if !self.message.is_empty() {
            let _ = writeln!(io::stderr(), "hrry: {}", self.message);
        }
        match self.kind {
            Kind::Closed => ExitCode::SUCCESS,
            Kind::Invalid => ExitCode::from(1),
            Kind::Usage => ExitCode::from(2),
            Kind::Io => ExitCode::from(3),
        }
    }
}

/// Failures of a command that goes on after them.
#[derive(Default)]
pub(crate) struct Failures(Option<Kind>);

impl Failures {
    /// Says one.
    pub(crate) fn say(&mut self, failure: Failure) {
        if self.0.is_none_or(|worst| worst < failure.kind) {
            self.0 = Some(failure.kind);
        }
        let _ = failure.report();
    }

    /// The worst of them, with nothing left to say.
    pub(crate) fn done(self) -> Result<()> {
        match self.0 {
            None => Ok(()),
            Some(kind) => Err(Failure { kind, message: String::new() }),
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
