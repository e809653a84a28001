//! Gives the shared library its name and keeps it loaded: a host that unloads it while a
//! release function is still to be called would jump into nothing.

#![allow(clippy::print_stdout, missing_docs)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let abi = env!("CARGO_PKG_VERSION_MAJOR");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libhurray.so.{abi}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
