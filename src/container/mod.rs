//! The file around the tensors: one file for each record on disk, and what reads and writes them.

mod header;
mod trailer;

pub use header::{Flags, HEADER_LEN, Header, MAX_ALIGNMENT, MIN_ALIGNMENT};
pub use trailer::{Extent, TRAILER_LEN, Trailer};
