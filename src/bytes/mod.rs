//! Bytes, their sizes and the memory they are kept in.

pub mod cursor;
pub mod few;
pub mod math;
pub mod memory;
pub mod sink;

pub use cursor::Cursor;
pub use few::Few;
pub use sink::Sink;
