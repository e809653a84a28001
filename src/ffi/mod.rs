//! The C API: one file per section of `include/hurray.h`, in the header's order.
//!
//! Nothing here knows the format. Every function checks what C passed, calls what a Rust user
//! would call and hands the result over in C's terms.

#![allow(unsafe_code, reason = "C passes pointers")]
#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(
    clippy::missing_safety_doc,
    reason = "what a caller owes is said once, in the manual at the head of the header"
)]
#![cfg_attr(test, allow(clippy::undocumented_unsafe_blocks, reason = "tests keep the rules"))]

// What the sections stand on; nothing of it is in the header.
mod arguments;
mod exclusive;
mod guard;
mod slots;

// The sections, each in a paragraph of its own: rustfmt would sort them.
pub mod version;

pub mod error;

pub mod callbacks;

pub mod names;

pub mod open;

pub mod file;

pub mod kv;

pub mod kv_values;

pub mod tensor;

pub mod load;

pub mod validate;

pub mod descriptor;

pub mod descriptor_fields;

pub mod layouts;

pub mod sparse_layouts;

pub mod other_layouts;

pub mod quantization;

pub mod sections;

pub mod file_composites;

pub mod composite;

pub mod checker;

pub mod values;

pub mod tensor_values;

pub mod statistics;

pub mod builder;

pub mod builder_layouts;

pub mod writer;

pub mod writer_kv;

pub mod writer_tensors;

pub mod writer_composites;

pub mod stream;
