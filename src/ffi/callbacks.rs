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
