//! The file around the tensors: one file for each record on disk, and what reads and writes them.

mod header;
mod index;
mod kv;
mod mapping;
mod names;
mod reader;
mod source;
mod trailer;

pub use header::{Flags, HEADER_LEN, Header, MAX_ALIGNMENT, MIN_ALIGNMENT};
pub use index::{Entry, Index};
pub use kv::{Kv, KvEntry, KvType};
pub use reader::{File, OpenOptions};
pub use source::{Access, Held, ReadAt};
pub use trailer::{Extent, TRAILER_LEN, Trailer};
