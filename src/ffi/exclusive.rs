//! What belongs to one thread at a time: builders, writers, streams.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::Failure;
use crate::ErrorKind;

/// A value that one call at a time may change. A second one, from another thread or from a callback
/// of the first, is refused; so is every call after one that a panic has interrupted.
pub(super) struct Exclusive<T> {
    in_use: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: only the call that has set the flag touches the value.
unsafe impl<T: Send> Sync for Exclusive<T> {}

impl<T> Exclusive<T> {
    pub(super) fn new(value: T) -> Self {
        Self { in_use: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Lends the value to `work`.
    pub(super) fn with<R>(
        &self,
        work: impl FnOnce(&mut T) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        if self.in_use.swap(true, Ordering::Acquire) {
            let what = "in use by another call, or interrupted by a defect";
            return Err(ErrorKind::State { what }.into());
        }
        // SAFETY: the flag was clear and is ours now.
        let result = work(unsafe { &mut *self.value.get() });
        self.in_use.store(false, Ordering::Release);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_inside_a_call_is_refused() {
        let value = Exclusive::new(1);
        let outer = value.with(|outer| {
            *outer = 2;
            assert!(value.with(|inner| Ok(*inner)).is_err());
            Ok(*outer)
        });
        assert!(matches!(outer, Ok(2)));
        assert!(matches!(value.with(|again| Ok(*again)), Ok(2)));
    }
}
