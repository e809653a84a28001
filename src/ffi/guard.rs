//! Keeps panics inside: a defect becomes a status, never an unwinding into C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::error::{Failure, HRRY_ERROR_INTERNAL, HRRY_OK, hrry_error, hrry_status};

/// Runs a fallible call and reports how it ended.
///
/// # Safety
/// `error` is NULL or may be written to.
pub(super) unsafe fn call(
    error: *mut hrry_error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> hrry_status {
    // Unwind safety: what a panic interrupted is either not shared or immutable after open; a
    // writer that was interrupted is left marked as in use.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => HRRY_OK,
        // SAFETY: as promised by the caller.
        Ok(Err(failure)) => unsafe { failure.report(error) },
        Err(panic) => {
            if !error.is_null() {
                let text = format_args!("internal error: {}", text_of(&*panic));
                let filled = hrry_error::new(HRRY_ERROR_INTERNAL, 0, (None, None), text);
                // SAFETY: not NULL, and then as promised by the caller.
                unsafe { error.write(filled) };
            }
            // Its destructor could panic again.
            std::mem::forget(panic);
            HRRY_ERROR_INTERNAL
        }
    }
}

/// Runs a call that cannot fail; a panic gives `fallback`.
pub(super) fn value<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(panic) => {
            std::mem::forget(panic);
            fallback
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "panic"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status_with_its_text() {
        let mut error = hrry_error::new(0, 0, (None, None), "");
        let status = unsafe { call(&mut error, || panic!("seven {}", 7)) };
        assert_eq!((status, error.status), (HRRY_ERROR_INTERNAL, HRRY_ERROR_INTERNAL));
        let message = unsafe { std::ffi::CStr::from_ptr(error.message.as_ptr()) };
        assert_eq!(message, c"internal error: seven 7");
        assert_eq!(unsafe { call(std::ptr::null_mut(), || panic!("x")) }, HRRY_ERROR_INTERNAL);
        assert_eq!(value(3, || panic!("y")), 3);
    }

    #[test]
    fn success_leaves_the_error_alone() {
        let mut error = hrry_error::new(42, 1, (Some(2), Some(3)), "kept");
        assert_eq!(unsafe { call(&mut error, || Ok(())) }, HRRY_OK);
        assert_eq!((error.status, error.offset), (42, 2));
    }
}
