//! Bytes, their sizes and the memory they are kept in.

pub mod cursor;
pub mod few;
pub mod foreign;
pub mod math;
pub mod memory;
pub mod sink;

pub use cursor::Cursor;
pub use few::Few;
pub use foreign::Foreign;
pub use sink::Sink;
