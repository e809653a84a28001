//! Callbacks.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, ErrorKind, Result};

/// Gives back what was lent with `context`.
pub type hrry_release_fn = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// Called now and then with the bytes done so far and those to do. Returns 0 to go on; anything
/// else cancels the call.
pub type hrry_progress_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, done: u64, total: u64) -> c_int>;

/// A pointer of the caller's that travels between threads.
#[derive(Clone, Copy)]
pub(super) struct Context(pub(super) *mut c_void);

// SAFETY: the manual asks that callbacks with their context can be called from any thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Gives back what a caller lent: when this is dropped and the call that took it has succeeded,
/// whichever comes last, since the call itself may already be done with what was lent.
pub(super) struct Release(Arc<Lent>);

/// The other half of a `Release`, for the call that takes it.
pub(super) struct Taken(Arc<Lent>);

struct Lent {
    function: hrry_release_fn,
    context: Context,
    /// Whether the first of the two has come.
    one_came: AtomicBool,
}

impl Release {
    pub(super) fn new(function: hrry_release_fn, context: *mut c_void) -> (Self, Taken) {
        let (context, one_came) = (Context(context), AtomicBool::new(false));
        let lent = Arc::new(Lent { function, context, one_came });
        (Self(Arc::clone(&lent)), Taken(lent))
    }
}

impl Taken {
    /// The call has succeeded: what was lent is ours until it is released.
    pub(super) fn succeeded(self) {
        self.0.come();
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        self.0.come();
    }
}

impl Lent {
    fn come(&self) {
        if self.one_came.swap(true, Ordering::AcqRel)
            && let Some(function) = self.function
        {
            // SAFETY: the caller's own function, called once.
            unsafe { function(self.context.0) };
        }
    }
}

/// What a callback's answer means: 0 is success, anything else its error number.
pub(super) fn outcome(what: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::new(ErrorKind::Callback { what, code })) }
}

/// The caller's progress function as a closure, which says whether to go on.
pub(super) fn progress(
    function: hrry_progress_fn,
    context: *mut c_void,
) -> Option<impl FnMut(u64, u64) -> bool> {
    // SAFETY: the caller's own function, during the call that it was passed to.
    function.map(|function| move |done, total| unsafe { function(context, done, total) } == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    unsafe extern "C" fn count(context: *mut c_void) {
        unsafe { &*context.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn what_was_lent_is_given_back_once_and_only_after_success() {
        let released = AtomicU32::new(0);
        let context = std::ptr::from_ref(&released).cast_mut().cast();
        let (release, taken) = Release::new(Some(count), context);
        drop(taken);
        drop(release);
        assert_eq!(released.load(Ordering::Relaxed), 0);

        let (release, taken) = Release::new(Some(count), context);
        taken.succeeded();
        assert_eq!(released.load(Ordering::Relaxed), 0);
        drop(release);
        assert_eq!(released.load(Ordering::Relaxed), 1);

        let (release, taken) = Release::new(None, context);
        taken.succeeded();
        drop(release);
    }

    #[test]
    fn what_is_shared_may_be_and_what_is_handed_over_may_be() {
        fn shared<T: Send + Sync>() {}
        shared::<crate::ffi::file::hrry_file>();
        shared::<crate::ffi::tensor::hrry_tensor>();
        shared::<crate::ffi::descriptor::hrry_descriptor>();
        shared::<crate::ffi::kv::hrry_kv>();
        shared::<crate::ffi::writer::hrry_writer>();
        shared::<crate::ffi::builder::hrry_builder>();
        shared::<crate::ffi::stream::hrry_stream>();
    }
}
