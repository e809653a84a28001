//! Telling a caller how far a long piece of work has come, and hearing whether to go on.

use crate::error::{Error, ErrorKind, Result};

/// Called with the bytes done and the bytes in all; `false` stops the work.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64) -> bool;

/// Counts bytes and reports every so many of them.
pub(crate) struct Steps<'p> {
    report: Option<Progress<'p>>,
    done: u64,
    total: u64,
    every: u64,
    unreported: u64,
}

impl<'p> Steps<'p> {
    /// Work on `total` bytes, reported before it begins, after every `every` bytes or more, and at
    /// its end.
    pub(crate) fn begin(report: Option<Progress<'p>>, total: u64, every: u64) -> Result<Self> {
        let mut steps = Self { report, done: 0, total, every, unreported: 0 };
        steps.ask()?;
        Ok(steps)
    }

    /// So many more bytes are done.
    pub(crate) fn step(&mut self, bytes: u64) -> Result<()> {
        self.done = self.done.saturating_add(bytes).min(self.total);
        if self.done == self.total {
            return Ok(());
        }
        self.again(bytes)
    }

    /// So many bytes are looked at that are done already, or that the total does not count.
    pub(crate) fn again(&mut self, bytes: u64) -> Result<()> {
        self.unreported = self.unreported.saturating_add(bytes);
        if self.unreported < self.every {
            return Ok(());
        }
        self.unreported = 0;
        self.ask()
    }

    /// All is done; there is nothing left to stop.
    pub(crate) fn finish(mut self) {
        if let Some(report) = &mut self.report {
            report(self.total, self.total);
        }
    }

    fn ask(&mut self) -> Result<()> {
        let (done, total) = (self.done, self.total);
        if self.report.as_mut().is_none_or(|report| report(done, total)) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Cancelled { done, total }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_the_middle_and_the_end() {
        let mut seen = Vec::new();
        let mut report = |done, total| {
            seen.push((done, total));
            true
        };
        let mut steps = Steps::begin(Some(&mut report), 10, 4).unwrap();
        for bytes in [3, 3, 3, 1] {
            steps.step(bytes).unwrap();
        }
        steps.finish();
        assert_eq!(seen, [(0, 10), (6, 10), (10, 10)]);
    }

    #[test]
    fn a_caller_can_stop() {
        let mut report = |done, _| done < 4;
        let mut steps = Steps::begin(Some(&mut report), 10, 1).unwrap();
        steps.step(3).unwrap();
        let error = steps.step(3).unwrap_err();
        assert_eq!(error.to_string(), "cancelled by the caller after 6 of 10 bytes");
    }
}
