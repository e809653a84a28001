//! The file around the tensors: one file for each record on disk, and what reads and writes them.

mod header;
mod in_order;
mod index;
mod index_encoder;
mod kv;
mod kv_encoder;
mod kv_entry;
mod load;
mod mapping;
mod named_entries;
mod names;
mod output;
mod place;
mod progress;
mod reader;
mod replacement;
#[cfg(test)]
pub(crate) mod sample;
mod source;
mod system;
mod target;
mod tensor;
mod trailer;
mod unused_bits;
mod writer;
mod writer_options;

pub use header::{Flags, HEADER_LEN, Header, MAX_ALIGNMENT, MIN_ALIGNMENT};
pub use index::{Entry, Index};
pub use kv::Kv;
pub use kv_encoder::KvValue;
pub use kv_entry::{KvEntry, KvType};
pub use load::{Load, LoadOptions};
pub use mapping::Advice;
pub use progress::Progress;
pub(crate) use progress::Steps;
pub use reader::{File, OpenOptions};
pub use source::{Access, Held, ReadAt};
pub use target::ByteSink;
pub use tensor::{BufferView, Tensor};
pub use trailer::{Extent, TRAILER_LEN, Trailer};
pub use writer::Writer;
pub use writer_options::WriterOptions;
