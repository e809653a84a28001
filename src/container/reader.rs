//! An open file: everything about its tensors except their descriptors and data, checked and kept.

use super::header::{HEADER_LEN, Header};
use super::index::{Entry, Index};
use super::kv::Kv;
use super::mapping::Lent;
use super::names::NameKey;
use super::source::{Access, Held, ReadAt, Source};
use super::trailer::{TRAILER_LEN, Trailer};
use crate::bytes::{math, memory};
use crate::error::{Error, ErrorKind, Result, Section};
use std::os::fd::{BorrowedFd, RawFd};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// How the bytes are brought in.
    pub access: Access,
}

/// An open file. It never changes and can be used from any number of threads at a time.
///
/// Cloning is cheap: clones are the same open file, which closes with the last of them and of the
/// tensors that came from it.
///
/// Opening reads header, trailer, index and KV section into memory of its own and nothing else
/// (container.md, "What is checked when"). All later reading is by positioned reads as well, so a
/// file that somebody cuts short is an error; only an access through the address of a buffer can
/// then fault.
#[derive(Clone)]
pub struct File(Arc<Inner>);

struct Inner {
    source: Source,
    header: Header,
    trailer: Trailer,
    index: Index,
    kv: Kv,
    /// Tensors by their place in the file, made when first asked for if the index does not
    /// already have that order.
    order: OnceLock<Vec<u32>>,
}

impl File {
    /// Opens a regular file. Links are followed; anything else is refused, and a pipe does not
    /// block.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self> {
        Self::of(Source::path(path)?, options)
    }

    /// Opens `length` bytes from `base` on of what a descriptor shows, up to its end if there is
    /// no `length`. The descriptor is duplicated and its offset never moved.
    pub fn open_fd(
        fd: BorrowedFd<'_>,
        base: u64,
        length: Option<u64>,
        options: &OpenOptions,
    ) -> Result<Self> {
        Self::of(Source::fd(fd, base, length)?, options)
    }

    /// Opens a file that is in memory, which it then owns.
    pub fn open_bytes(bytes: Vec<u8>, options: &OpenOptions) -> Result<Self> {
        Self::of(Source::owned(bytes), options)
    }

    /// Opens a file in memory that stays the caller's. `release` is called once, on whatever
    /// thread, when the last use has gone; never if this call fails.
    ///
    /// # Safety
    ///
    /// `length` bytes from `data` on must be readable from every thread until `release` is called.
    /// If others change them meanwhile, what is read later is as they left it, and nothing worse.
    #[allow(unsafe_code, reason = "the promise is the caller's; kept in the mapping file")]
    pub unsafe fn open_lent(
        data: *const u8,
        length: usize,
        release: Box<dyn FnOnce() + Send + Sync>,
        options: &OpenOptions,
    ) -> Result<Self> {
        // SAFETY: as this function demands.
        let lent = unsafe { Lent::new(data, length, release) };
        Self::of(Source::lent(lent), options)
    }

    /// Opens a file that the caller reads.
    pub fn open_source(source: Box<dyn ReadAt>, options: &OpenOptions) -> Result<Self> {
        Self::of(Source::caller(source), options)
    }

    fn of(mut source: Source, options: &OpenOptions) -> Result<Self> {
        let size = source.size();
        let head = source.read_vec(0, size.min(math::wide(HEADER_LEN)))?;
        let header = Header::decode(&head)?;
        Trailer::check_size(size)?;
        let mut tail = [0; TRAILER_LEN];
        source.read(size.saturating_sub(math::wide(TRAILER_LEN)), &mut tail)?;
        let trailer = Trailer::decode(&tail, size, &header)?;
        check_region(&header, &trailer)?;

        let key = NameKey::draw()?;
        let index = source
            .read_vec(trailer.index_offset, trailer.index_length)
            .map_err(|error| error.in_section(Section::Index))?;
        let index = Index::decode(index, &header, &trailer, key.clone())?;
        let kv = match trailer.kv {
            None => Kv::none(key)?,
            Some(extent) => {
                let kv = source
                    .read_vec(extent.offset, extent.length.into())
                    .map_err(|error| error.in_section(Section::Kv))?;
                Kv::decode(kv, extent.offset, key)?
            }
        };

        source.bring_in(options.access, header.alignment().into())?;
        source.keep();
        let order = OnceLock::new();
        Ok(Self(Arc::new(Inner { source, header, trailer, index, kv, order })))
    }

    /// The file header.
    pub fn header(&self) -> &Header {
        &self.0.header
    }

    /// The trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.0.trailer
    }

    /// Bytes of the file, as it was when opened.
    pub fn size(&self) -> u64 {
        self.0.source.size()
    }

    /// How the bytes are held.
    pub fn held(&self) -> Held {
        self.0.source.held()
    }

    /// The descriptor behind the file, for callers with their own I/O; it stays open as long as
    /// the file. `None` for memory and for a caller's reads.
    pub fn raw_fd(&self) -> Option<RawFd> {
        self.0.source.raw_fd()
    }

    /// The KV section; an empty one if the file has none.
    pub fn kv(&self) -> &Kv {
        &self.0.kv
    }

    /// The index.
    pub fn index(&self) -> &Index {
        &self.0.index
    }

    /// How many tensors there are.
    pub fn tensor_count(&self) -> u64 {
        self.0.index.len()
    }

    /// The index entry of tensor `i`, without a look at its descriptor.
    pub fn entry(&self, i: u64) -> Result<Entry<'_>> {
        self.0.index.entry(i).ok_or_else(|| {
            Error::new(ErrorKind::Index { what: "tensor", value: i, count: self.tensor_count() })
        })
    }

    /// The tensor of that name.
    pub fn find(&self, name: &[u8]) -> Option<u64> {
        self.0.index.find(name)
    }

    /// The tensor whose descriptor is the `k`-th in the file. Equal places keep the order of the
    /// index (decisions.md row 51).
    pub fn in_file_order(&self, k: u64) -> Result<u64> {
        self.entry(k)?;
        if self.0.index.is_in_file_order() {
            return Ok(k);
        }
        let order = match self.0.order.get() {
            Some(order) => order,
            None => {
                let order = file_order(&self.0.index)?;
                self.0.order.get_or_init(|| order)
            }
        };
        let tensor = usize::try_from(k).ok().and_then(|k| order.get(k)).copied();
        tensor
            .map(u64::from)
            .ok_or_else(|| Error::new(ErrorKind::Internal { what: "file order is incomplete" }))
    }
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File")
            .field("size", &self.size())
            .field("held", &self.held())
            .field("header", self.header())
            .field("trailer", self.trailer())
            .field("tensors", &self.tensor_count())
            .finish_non_exhaustive()
    }
}

/// The tensor region begins where the first descriptor stands, or could stand.
fn check_region(header: &Header, trailer: &Trailer) -> Result<()> {
    let (offset, end) = (header.first_descriptor_offset(), trailer.tensor_region_end());
    if offset <= end {
        return Ok(());
    }
    let (what, min) = ("first_descriptor_offset", math::wide(HEADER_LEN));
    let kind = ErrorKind::Limits { what, value: offset, min, max: end };
    Err(Error::new(kind).at(20).in_section(Section::Header))
}

fn file_order(index: &Index) -> Result<Vec<u32>> {
    let count = u32::try_from(index.len()).unwrap_or(u32::MAX);
    let mut order = memory::vec(math::to_usize(index.len(), "index_entry_count")?)?;
    order.extend(0..count);
    order
        .sort_unstable_by_key(|&i| (index.entry(i.into()).map(|entry| entry.descriptor_offset), i));
    Ok(order)
}
