//! The file around the tensors: one file for each record on disk, and what reads and writes them.

mod header;
mod in_order;
mod index;
mod index_encoder;
mod kv;
mod kv_encoder;
mod mapping;
mod named_entries;
mod names;
mod output;
mod place;
mod reader;
mod replacement;
mod source;
mod system;
mod target;
mod trailer;
mod unused_bits;
mod writer;
mod writer_options;

pub use header::{Flags, HEADER_LEN, Header, MAX_ALIGNMENT, MIN_ALIGNMENT};
pub use index::{Entry, Index};
pub use kv::{Kv, KvEntry, KvType};
pub use kv_encoder::KvValue;
pub use reader::{File, OpenOptions};
pub use source::{Access, Held, ReadAt};
pub use target::ByteSink;
pub use trailer::{Extent, TRAILER_LEN, Trailer};
pub use writer::Writer;
pub use writer_options::WriterOptions;
