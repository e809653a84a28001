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

/// Calls the caller's release function when it is dropped, once the call that took it has
/// succeeded; never before.
pub(super) struct Release {
    function: hrry_release_fn,
    context: Context,
    taken: Arc<AtomicBool>,
}

/// The other half of a `Release`, for the call that takes it.
pub(super) struct Taken(Arc<AtomicBool>);

impl Release {
    pub(super) fn new(function: hrry_release_fn, context: *mut c_void) -> (Self, Taken) {
        let taken = Arc::new(AtomicBool::new(false));
        let release = Self { function, context: Context(context), taken: Arc::clone(&taken) };
        (release, Taken(taken))
    }
}

impl Taken {
    /// The call has succeeded: what was lent is ours until it is released.
    pub(super) fn succeeded(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        if let Some(function) = self.function
            && self.taken.load(Ordering::Acquire)
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
