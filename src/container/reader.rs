//! An open file: everything about its tensors except their descriptors and data, checked and kept.

use super::header::{HEADER_LEN, Header};
use super::index::{Entry, Index};
use super::kv::Kv;
use super::names::NameKey;
use super::source::{Access, Held, ReadAt, Source};
use super::trailer::{TRAILER_LEN, Trailer};
use crate::bytes::{math, memory};
use crate::descriptor::Mode;
use crate::error::{Error, ErrorKind, Result, Section};
use std::os::fd::{BorrowedFd, RawFd};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// What is accepted; holds for the file and all of its tensors.
    pub mode: Mode,
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
    mode: Mode,
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

    /// Opens a file that the caller reads.
    pub fn open_source(source: Box<dyn ReadAt>, options: &OpenOptions) -> Result<Self> {
        Self::of(Source::caller(source), options)
    }

    pub(super) fn of(mut source: Source, options: &OpenOptions) -> Result<Self> {
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
        let mode = options.mode;
        Ok(Self(Arc::new(Inner { mode, source, header, trailer, index, kv, order })))
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

    /// What is accepted, as chosen when it was opened.
    pub fn mode(&self) -> Mode {
        self.0.mode
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

    /// Fills `dst` with bytes of the file, never through a mapping.
    pub(crate) fn read(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        self.0.source.read(offset, dst)
    }

    pub(super) fn source(&self) -> &Source {
        &self.0.source
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
    let count = math::to_usize(index.len(), "index_entry_count")?;
    let mut places = memory::vec(count)?;
    places.extend((0_u32..).zip(index.descriptor_offsets()).map(|(i, offset)| (offset, i)));
    places.sort_unstable();
    let mut order = memory::vec(count)?;
    order.extend(places.into_iter().map(|(_, i)| i));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::super::mapping::peek;
    use super::super::sample::{on_disk, sample, three, value};
    use super::super::tensor::Tensor;
    use super::*;
    use std::io::Seek;
    use std::os::fd::AsFd;

    fn with(access: Access) -> OpenOptions {
        OpenOptions { access, ..OpenOptions::default() }
    }

    fn check_contents(file: &File) {
        assert_eq!((file.tensor_count(), file.kv().len()), (3, 1));
        for (i, size) in [5000, 3, 0].into_iter().enumerate() {
            let tensor = file.tensor(i as u64).unwrap();
            let wanted: Vec<u8> = (0..size).map(|k| value(i, k)).collect();
            let mut got = vec![0; wanted.len()];
            tensor.read(0, 0, &mut got).unwrap();
            assert_eq!(got, wanted);
            assert_eq!(tensor.buffer(0).unwrap().size, size);
            assert_eq!(tensor.descriptor_bytes().len(), 53);
        }
        assert_eq!(file.find(b"a"), Some(1));
    }

    struct Reads(Vec<u8>);

    impl ReadAt for Reads {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
            let start = usize::try_from(offset).unwrap();
            dst.copy_from_slice(&self.0[start..start + dst.len()]);
            Ok(())
        }
    }

    #[test]
    fn every_source_shows_the_same_file() {
        let bytes = three().bytes;
        let disk = on_disk(&bytes);
        let open = |access| File::open(disk.path(), &with(access)).unwrap();
        for (access, held) in [
            (Access::Auto, Held::Mapped),
            (Access::Reads, Held::Reads),
            (Access::Memory, Held::Memory),
        ] {
            let file = open(access);
            assert_eq!((file.held(), file.size()), (held, bytes.len() as u64));
            check_contents(&file);
            assert_eq!(
                file.tensor(0).unwrap().buffer(0).unwrap().data.is_some(),
                held != Held::Reads
            );
            assert!(file.raw_fd().is_some());
        }
        let file = File::open_bytes(bytes.clone(), &with(Access::Auto)).unwrap();
        assert_eq!(file.held(), Held::Memory);
        check_contents(&file);
        for access in [Access::Auto, Access::Memory] {
            let reads = Box::new(Reads(bytes.clone()));
            let file = File::open_source(reads, &with(access)).unwrap();
            assert!(file.raw_fd().is_none());
            check_contents(&file);
        }
    }

    #[test]
    fn a_file_inside_another() {
        let inner = three().bytes;
        for base in [0_usize, 100, 4096, 5000] {
            let disk = on_disk(&[&vec![7; base][..], &inner, b"behind"].concat());
            let mut descriptor = disk.reopen().unwrap();
            descriptor.seek(std::io::SeekFrom::Start(11)).unwrap();
            let length = Some(inner.len() as u64);
            for access in [Access::Auto, Access::Reads, Access::Memory] {
                let (fd, options) = (descriptor.as_fd(), with(access));
                let file = File::open_fd(fd, base as u64, length, &options).unwrap();
                check_contents(&file);
                if let Some(data) = file.tensor(1).unwrap().buffer(0).unwrap().data {
                    assert_eq!(peek(data), value(1, 0));
                }
            }
            assert_eq!(descriptor.stream_position().unwrap(), 11);
            // Without a length the file goes on to the end, where no trailer is.
            let whole = File::open_fd(descriptor.as_fd(), base as u64, None, &with(Access::Auto));
            assert!(whole.unwrap_err().to_string().contains("trailer_magic"));
            let beyond = File::open_fd(
                descriptor.as_fd(),
                base as u64 + 7,
                Some(inner.len() as u64),
                &with(Access::Auto),
            );
            assert!(matches!(beyond.unwrap_err().kind(), ErrorKind::Range { .. }));
        }
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let error = File::open(directory.path(), &OpenOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "path is not a regular file");
        let socket = directory.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let error = File::open(&socket, &OpenOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "path is not a regular file");
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        // Nobody writes to it: opening must not wait for somebody.
        let error = File::open(&pipe, &OpenOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "path is not a regular file");
        let error = File::open(&directory.path().join("none"), &OpenOptions::default());
        let error = error.unwrap_err();
        assert_eq!((error.os_error(), error.to_string().starts_with("open failed")), (2, true));
        let error = File::open(Path::new(&"x/".repeat(4096)), &OpenOptions::default());
        assert_eq!(error.unwrap_err().os_error(), libc::ENAMETOOLONG);
    }

    #[test]
    fn a_file_that_shrinks_is_an_error_and_no_signal() {
        let disk = on_disk(&three().bytes);
        let files =
            [Access::Auto, Access::Reads].map(|a| File::open(disk.path(), &with(a)).unwrap());
        let tensors = files.each_ref().map(|file| file.tensor(0).unwrap());
        disk.as_file().set_len(4096 + 100).unwrap();
        for (file, tensor) in files.iter().zip(&tensors) {
            let error = tensor.read(0, 0, &mut [0; 200]).unwrap_err();
            assert_eq!(
                error.to_string(),
                "tensor 0 \"b\": data: file shrank while open: need 200 bytes, have 100, \
                 at byte 4196"
            );
            let error = file.tensor(1).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Shrank { .. }), "{error}");
        }
    }

    #[test]
    fn errors_count_from_the_start_of_a_file_inside_another() {
        let inner = three().bytes;
        let disk = on_disk(&[&[7; 5000][..], &inner].concat());
        let options = with(Access::Reads);
        let file = File::open_fd(disk.as_file().as_fd(), 5000, None, &options).unwrap();
        let tensor = file.tensor(0).unwrap();
        disk.as_file().set_len(5000 + 70).unwrap();
        // Of the descriptor at 64 six bytes are left, of the data none.
        assert_eq!(file.tensor(0).unwrap_err().offset(), Some(70));
        assert_eq!(tensor.read(0, 0, &mut [0; 9]).unwrap_err().offset(), Some(4096));
    }

    #[test]
    fn what_was_read_into_memory_does_not_shrink() {
        let disk = on_disk(&three().bytes);
        let file = File::open(disk.path(), &with(Access::Memory)).unwrap();
        disk.as_file().set_len(0).unwrap();
        check_contents(&file);
    }

    #[test]
    fn the_order_of_the_file() {
        let mut sample = three();
        let in_order = File::open_bytes(sample.bytes.clone(), &OpenOptions::default()).unwrap();
        let all = |file: &File| (0..3).map(|k| file.in_file_order(k).unwrap()).collect::<Vec<_>>();
        assert_eq!(all(&in_order), [0, 1, 2]);
        assert!(in_order.in_file_order(3).is_err());
        // Entries 0 and 2 change places; 0 and 1 then share one.
        let (first, last) = (sample.tensors[0].1, sample.tensors[2].1);
        sample.patch(sample.entry(0), &last.to_le_bytes());
        sample.patch(sample.entry(2), &first.to_le_bytes());
        let swapped = File::open_bytes(sample.bytes.clone(), &OpenOptions::default()).unwrap();
        assert_eq!(all(&swapped), [2, 1, 0]);
        sample.patch(sample.entry(1), &last.to_le_bytes());
        let shared = File::open_bytes(sample.bytes, &OpenOptions::default()).unwrap();
        assert_eq!(all(&shared), [2, 0, 1]);
    }

    #[test]
    fn a_region_that_ends_before_it_begins() {
        let mut sample = sample(&[], 4096);
        sample.patch(20, &72_u64.to_le_bytes());
        let error = File::open_bytes(sample.bytes, &OpenOptions::default()).unwrap_err();
        let text = "file header: first_descriptor_offset 72 is not in 64 to 64, at byte 20";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn open_files_and_tensors_go_to_any_thread() {
        fn check<T: Send + Sync>() {}
        check::<File>();
        check::<Tensor>();
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = three().bytes;
        for length in (0..bytes.len()).step_by(13).chain(bytes.len() - 200..bytes.len()) {
            let cut = bytes[..length].to_vec();
            assert!(File::open_bytes(cut, &OpenOptions::default()).is_err(), "{length}");
        }
    }
}
