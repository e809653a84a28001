//! Versions.

use std::ffi::c_char;

/// The ABI that this header describes, as in the name of the shared library. Within one number,
/// programs that were built keep running; at 0 (package 0.x) they may have to be built again.
pub const HRRY_ABI_VERSION: u32 = 0;
/// Version of the package, major part.
pub const HRRY_VERSION_MAJOR: u32 = 0;
/// Version of the package, minor part.
pub const HRRY_VERSION_MINOR: u32 = 1;
/// Version of the package, patch part.
pub const HRRY_VERSION_PATCH: u32 = 0;

/// The ABI of the library that is loaded: compare it with `HRRY_ABI_VERSION`.
///
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_abi_version() -> u32 {
    HRRY_ABI_VERSION
}

/// The version of the library that is loaded, such as `"0.1.0"`.
///
/// Returns a text that lives forever. Never NULL.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_packages() {
        let text = format!("{HRRY_VERSION_MAJOR}.{HRRY_VERSION_MINOR}.{HRRY_VERSION_PATCH}");
        assert_eq!(text, env!("CARGO_PKG_VERSION"));
        assert_eq!(HRRY_ABI_VERSION.to_string(), env!("CARGO_PKG_VERSION_MAJOR"));
    }
}
