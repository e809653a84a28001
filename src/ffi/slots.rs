//! What a file keeps once it was asked for: one slot for each tensor, filled by whoever comes
//! first, read by all without a lock.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::bytes::math;
use crate::{Error, ErrorKind, Result};

/// An array of pointers, none of them set at first. Costs 8 bytes a slot, of address space only
/// while nothing near a slot was filled: the system hands out zeroed pages as they are touched.
pub(super) struct Slots<T> {
    first: NonNull<AtomicPtr<T>>,
    layout: Layout,
    count: usize,
}

// SAFETY: a slot owns its T and lends it to any thread, as a shared `Vec<OnceLock<Box<T>>>` would.
unsafe impl<T: Send + Sync> Send for Slots<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Slots<T> {}

impl<T> Slots<T> {
    pub(super) fn new(count: u64) -> Result<Self> {
        let refused = || {
            let bytes = count.saturating_mul(math::wide(size_of::<AtomicPtr<T>>()));
            Error::new(ErrorKind::Memory { bytes })
        };
        let count = usize::try_from(count).map_err(|_| refused())?;
        let layout = Layout::array::<AtomicPtr<T>>(count).map_err(|_| refused())?;
        let first = if count == 0 {
            NonNull::dangling()
        } else {
            // SAFETY: the layout has a size.
            let memory = unsafe { alloc_zeroed(layout) };
            NonNull::new(memory.cast()).ok_or_else(refused)?
        };
        Ok(Self { first, layout, count })
    }

    fn slots(&self) -> &[AtomicPtr<T>] {
        // SAFETY: `count` of them were allocated, and zero bytes are an unset pointer.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }

    /// What the slot holds, made by `make` when it is the first to ask. Of several that come first
    /// at once, one wins; the others drop what they made. `None` when there is no such slot.
    pub(super) fn get_or_make<E>(
        &self,
        index: u64,
        make: impl FnOnce() -> Result<Box<T>, E>,
    ) -> Option<Result<&T, E>> {
        let slot = self.slots().get(usize::try_from(index).ok()?)?;
        let mut held = slot.load(Ordering::Acquire);
        if held.is_null() {
            let made = match make() {
                Ok(made) => Box::into_raw(made),
                Err(error) => return Some(Err(error)),
            };
            let null = ptr::null_mut();
            match slot.compare_exchange(null, made, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => held = made,
                Err(other) => {
                    // SAFETY: just made, and nobody has seen it.
                    drop(unsafe { Box::from_raw(made) });
                    held = other;
                }
            }
        }
        // SAFETY: a slot that is set stays as it is until all of them are dropped.
        Some(Ok(unsafe { &*held }))
    }
}

impl<T> Drop for Slots<T> {
    fn drop(&mut self) {
        for slot in self.slots() {
            let held = slot.load(Ordering::Acquire);
            if !held.is_null() {
                // SAFETY: it came from a Box, and nobody borrows from us any longer.
                drop(unsafe { Box::from_raw(held) });
            }
        }
        if self.count != 0 {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.first.as_ptr().cast(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_first_stays_and_every_one_is_dropped_once() {
        let counted = Arc::new(());
        let slots: Slots<Arc<()>> = Slots::new(3).unwrap();
        let seen: Vec<usize> = std::thread::scope(|scope| {
            let ask = || {
                let make = || Ok::<_, ()>(Box::new(Arc::clone(&counted)));
                ptr::from_ref(slots.get_or_make(1, make).unwrap().unwrap()).addr()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|&address| address == seen[0]));
        assert_eq!(Arc::strong_count(&counted), 2);
        assert_eq!(slots.get_or_make(0, || Err(7)).unwrap().unwrap_err(), 7);
        assert!(slots.get_or_make(3, || Err(7)).is_none());
        drop(slots);
        assert_eq!(Arc::strong_count(&counted), 1);
    }

    #[test]
    fn none_and_too_many() {
        assert!(Slots::<u8>::new(0).unwrap().get_or_make(0, || Err(())).is_none());
        for count in [1 << 60, 1 << 61, u64::MAX] {
            assert!(matches!(
                Slots::<u8>::new(count).map(|_| ()).unwrap_err().kind(),
                ErrorKind::Memory { .. }
            ));
        }
    }
}
