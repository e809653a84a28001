//! Writing a file in one forward pass (container.md, "Placement, as written").

use super::announced::Announced;
use super::brought::{check_alignments, check_buffers};
use super::header::{Header, PLACE_ALIGNMENT};
use super::in_order::InOrder;
use super::index_encoder::IndexEncoder;
use super::kv_encoder::{KvEncoder, KvValue};
use super::output::Output;
use super::place::{Place, data_alignment};
use super::target::{ByteSink, Target};
use super::trailer::{Extent, Trailer};
use super::unused_bits::Packed;
use super::writer_options::WriterOptions;
use crate::bytes::math;
use crate::descriptor::{Buffer, Builder, Descriptor, ElementType, Mode};
use crate::error::{Error, ErrorKind, Result, Section};
use std::os::fd::BorrowedFd;
use std::path::Path;

/// The longest file that the system can hold, in bytes; its offsets are signed.
const LONGEST_FILE: u64 = i64::MAX.unsigned_abs();

/// What errors call the bytes that `write` takes.
const DATA: &str = "the tensor's data";

/// A file being written.
///
/// It goes forward only and keeps nothing of what it has written but the index, and of a composite
/// that was announced the descriptors. What the format forbids is refused before a byte of it is
/// written, and the writer goes on as if it had not been asked. After an error of the system or of
/// the sink every further call fails, because nobody knows what has arrived.
///
/// A path holds the new file after [`finish`](Self::finish) and not a moment earlier: a writer that
/// is dropped or fails leaves there what was there. A descriptor or a sink keeps the torn file.
pub struct Writer {
    output: Output,
    pub(super) options: WriterOptions,
    header: Header,
    kv: KvEncoder,
    pub(super) index: IndexEncoder,
    /// Whether the header is out, and with it the decision whether there is a KV section.
    begun: bool,
    /// What the data of a tensor that is begun and not ended is aligned to.
    inside: Option<u64>,
    /// How far that data has come.
    data: InOrder,
    /// What has to come next.
    pub(super) announced: Option<Announced>,
    failed: bool,
}

impl Writer {
    /// Writes a file that replaces the one at `path` when it is whole.
    ///
    /// Links are followed; an existing file's mode is kept, and its owner where the system allows
    /// that. New files get the rights that the process's umask leaves. Errors: a target that is no
    /// regular file, what the system reports, an alignment outside the format's limits.
    pub fn create(path: &Path, options: &WriterOptions) -> Result<Self> {
        let header = options.header(false)?;
        Self::new(Target::path(path, options.sync)?, header, options)
    }

    /// Writes to a duplicate of `fd`, from the place where it stands, without ever seeking: pipes
    /// and sockets will do. Offsets in the file count from the first byte written.
    pub fn create_fd(fd: BorrowedFd<'_>, options: &WriterOptions) -> Result<Self> {
        let header = options.header(false)?;
        Self::new(Target::descriptor(fd, options.sync)?, header, options)
    }

    /// Writes to a sink of the caller's.
    pub fn create_sink(sink: Box<dyn ByteSink>, options: &WriterOptions) -> Result<Self> {
        let header = options.header(false)?;
        Self::new(Target::Sink(sink), header, options)
    }

    fn new(target: Target, header: Header, options: &WriterOptions) -> Result<Self> {
        Ok(Self {
            output: Output::new(target)?,
            options: *options,
            header,
            kv: KvEncoder::new()?,
            index: IndexEncoder::new()?,
            begun: false,
            inside: None,
            data: InOrder::default(),
            announced: None,
            failed: false,
        })
    }

    /// Tensors begun so far.
    pub fn tensor_count(&self) -> u64 {
        self.index.len()
    }

    /// Adds an entry to the KV section.
    ///
    /// Only before the first tensor: the header, which comes first, says whether there is such a
    /// section. Refuses an empty, too long or duplicate key, and a section of more than 2^32 - 1
    /// bytes.
    pub fn kv(&mut self, key: &str, value: KvValue<'_>) -> Result<()> {
        self.usable()?;
        if self.begun {
            let what = "a key comes too late: the header is written, keys come before the tensors";
            return Err(Error::new(ErrorKind::State { what }));
        }
        self.kv.push(key, value)
    }

    /// Writes a dense row-major tensor in one call; `data` holds its elements, packed as types.md
    /// says.
    ///
    /// Bits of the last byte that belong to no element are written as 0, whatever `data` has there
    /// (decisions.md row 62). Everything else is written as it is.
    pub fn dense(
        &mut self,
        name: &str,
        element_type: ElementType,
        shape: &[u64],
        data: &[u8],
    ) -> Result<()> {
        self.usable()?;
        let place = |error: Error| error.in_tensor(self.index.len(), name);
        let descriptor = Builder::new(element_type, shape).and_then(|builder| builder.build());
        let descriptor = descriptor.map_err(place)?;
        check_buffers(descriptor.buffers(), &[data]).map_err(place)?;
        let packed = Packed::cut(element_type, shape, data)?;
        self.begin(name, &descriptor)?;
        self.write(packed.whole())?;
        self.write(packed.last())?;
        self.end()
    }

    /// Writes a tensor of any kind in one call; `buffers` are its buffers in order, each as long
    /// as the descriptor says. They are written as they are.
    ///
    /// Refuses the head of a composite, unless it was announced as a member of another: see
    /// [`composite_begin`](Self::composite_begin).
    pub fn tensor(&mut self, name: &str, descriptor: &Descriptor, buffers: &[&[u8]]) -> Result<()> {
        self.usable()?;
        check_buffers(descriptor.buffers(), buffers)
            .map_err(|error| error.in_tensor(self.index.len(), name))?;
        self.begin(name, descriptor)?;
        self.write_buffers(buffers)
    }

    /// As [`tensor`](Self::tensor), with the descriptor as bytes. They must be what a strict reader
    /// accepts, and are written as they are.
    ///
    /// Heads of composites are taken, too, for programs that copy files tensor by tensor. Whether
    /// what is written after such a head are its members is then theirs to answer for.
    pub fn tensor_raw(&mut self, name: &str, descriptor: &[u8], buffers: &[&[u8]]) -> Result<()> {
        self.usable()?;
        let decoded = decode(descriptor).map_err(|e| e.in_tensor(self.index.len(), name))?;
        check_buffers(decoded.buffers(), buffers)
            .map_err(|error| error.in_tensor(self.index.len(), name))?;
        self.begin_decoded(name, descriptor, &decoded)?;
        self.write_buffers(buffers)
    }

    /// Begins a tensor whose data comes in pieces: [`write`](Self::write) takes them, and
    /// [`end`](Self::end) ends it. Refuses what [`tensor`](Self::tensor) refuses.
    pub fn begin(&mut self, name: &str, descriptor: &Descriptor) -> Result<()> {
        self.usable()?;
        if descriptor.is_composite_head() && self.announced.is_none() {
            let what = "the head of a composite is written by announcing it with its members";
            let error = Error::new(ErrorKind::State { what });
            return Err(error.in_tensor(self.index.len(), name));
        }
        let bytes = self.encode(descriptor).map_err(|e| e.in_tensor(self.index.len(), name))?;
        // A descriptor that was read permissively may hold what the format forbids.
        self.begin_raw(name, &bytes)
    }

    /// As [`begin`](Self::begin), with the descriptor as bytes. They must be what a strict reader
    /// accepts, and are written as they are. Takes what [`tensor_raw`](Self::tensor_raw) takes.
    pub fn begin_raw(&mut self, name: &str, descriptor: &[u8]) -> Result<()> {
        self.usable()?;
        let decoded = decode(descriptor).map_err(|e| e.in_tensor(self.index.len(), name))?;
        self.begin_decoded(name, descriptor, &decoded)
    }

    /// Writes the next bytes of the tensor that was begun. They fill its buffers in order, and may
    /// run from one into the next; the padding between buffers is not the caller's. Refuses more
    /// than there is room for, and then takes none of it.
    pub fn write(&mut self, data: &[u8]) -> Result<()> {
        let alignment = self.inside()?;
        let length = math::wide(data.len());
        if length > self.data.remaining() {
            let (offset, size) = (self.data.passed(), self.data.total());
            let kind = ErrorKind::Range { what: DATA, offset, length, size };
            return Err(Error::new(kind).by_caller());
        }
        let mut rest = data;
        while !rest.is_empty() {
            if self.data.left() == 0 {
                self.data.next_buffer();
                self.align(alignment)?;
                continue;
            }
            let room = usize::try_from(self.data.left()).unwrap_or(usize::MAX);
            let (now, later) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            self.put(now)?;
            self.data.pass(math::wide(now.len()));
            rest = later;
        }
        Ok(())
    }

    /// Ends the tensor that was begun. Refuses that while bytes are missing; they can still come.
    pub fn end(&mut self) -> Result<()> {
        let alignment = self.inside()?;
        if self.data.remaining() > 0 {
            let (need, have) = (self.data.total(), self.data.passed());
            return Err(Error::new(ErrorKind::Truncated { what: DATA, need, have }).by_caller());
        }
        self.inside = None;
        self.align(alignment)
    }

    /// Whether the file can be ended now. Errors: an unfinished tensor or composite, a count other
    /// than the one announced, an earlier failure.
    pub fn ready(&self) -> Result<()> {
        self.outside()?;
        if self.announced.is_some() {
            let what = "a composite is announced and not ended";
            return Err(Error::new(ErrorKind::State { what }));
        }
        let count = self.index.len();
        match self.options.count_hint {
            Some(expected) if expected != count => {
                let what = "tensor count";
                let kind = ErrorKind::Mismatch { what, found: count, expected };
                Err(Error::new(kind).by_caller())
            }
            _ => Ok(()),
        }
    }

    /// Writes what follows the tensors and ends the file.
    ///
    /// Errors: those of [`ready`](Self::ready), what the system or the sink reports. A path then
    /// holds what it held before; only when the system fails to make the folder last does it hold
    /// the new file already.
    pub fn finish(mut self) -> Result<()> {
        self.ready()?;
        self.begin_file()?;
        let Self { mut output, options, kv, index, .. } = self;

        output.align(PLACE_ALIGNMENT)?;
        let kv_extent = match kv.is_empty() {
            true => None,
            false => Some(Extent { offset: output.offset(), length: kv.encoded_len()? }),
        };
        if kv_extent.is_some() {
            kv.emit(|piece| output.put(piece))?;
            output.align(PLACE_ALIGNMENT)?;
        }
        let index_offset = output.offset();
        let index_length = index.encoded_len()?;
        let mut crc = 0;
        index.emit(options.sorted, |piece| {
            crc = crc32c::crc32c_append(crc, piece);
            output.put(piece)
        })?;
        let crc = options.crc.then_some(crc);
        output.put(&Trailer { index_offset, index_length, kv: kv_extent, crc }.encode())?;
        output.commit()
    }

    pub(super) fn encode(&self, descriptor: &Descriptor) -> Result<Vec<u8>> {
        let most = self.options.alignment;
        let too_high = |buffer: &Buffer| buffer.alignment > most;
        if self.options.lower_alignment && descriptor.buffers().iter().any(too_high) {
            let mut lowered = descriptor.try_clone()?;
            lowered.lower_alignments(most);
            return lowered.encode();
        }
        descriptor.encode()
    }

    /// Writes a descriptor and the padding before its data. `descriptor` is what `bytes` say.
    fn begin_decoded(&mut self, name: &str, bytes: &[u8], descriptor: &Descriptor) -> Result<()> {
        self.outside()?;
        let number = self.index.len();
        self.admit(name, bytes, descriptor)
            .map_err(|error| error.by_caller().in_tensor(number, name))?;
        if let Some(announced) = &mut self.announced {
            announced.pass(number, descriptor);
        }
        let alignment = data_alignment(descriptor, self.options.alignment);
        self.begin_file()?;
        self.put(bytes)?;
        self.align(alignment)?;
        self.inside = Some(alignment);
        Ok(())
    }

    /// Enters a tensor that is begun now into the index, unless something forbids it.
    fn admit(&mut self, name: &str, bytes: &[u8], descriptor: &Descriptor) -> Result<()> {
        if let Some(announced) = &mut self.announced {
            announced.check(bytes, descriptor, |tensor| self.index.name(tensor))?;
        }
        let place = self.place(self.next_offset(), bytes, descriptor)?;
        self.data.restart(descriptor.buffers().iter().map(|buffer| Ok(buffer.byte_size)))?;
        self.index.push(name, place)
    }

    /// Where the next descriptor will stand.
    pub(super) fn next_offset(&self) -> u64 {
        match self.begun {
            true => self.output.offset(),
            false => self.header.first_descriptor_offset(),
        }
    }

    /// The place of a tensor whose descriptor stands at `offset`, if the file can have it there.
    pub(super) fn place(
        &self,
        offset: u64,
        bytes: &[u8],
        descriptor: &Descriptor,
    ) -> Result<Place> {
        check_alignments(descriptor.buffers(), self.options.alignment)?;
        let length = u32::try_from(bytes.len())
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "descriptor_length" }))?;
        let place = Place::at(offset, length, descriptor, self.options.alignment)?;
        let end = math::align_up(place.end(), self.options.alignment.into(), "file size")?;
        if end > LONGEST_FILE {
            let (what, max) = ("file size", LONGEST_FILE);
            return Err(Error::new(ErrorKind::Limits { what, value: end, min: 0, max }));
        }
        Ok(place)
    }

    fn write_buffers(&mut self, buffers: &[&[u8]]) -> Result<()> {
        buffers.iter().try_for_each(|buffer| self.write(buffer))?;
        self.end()
    }

    /// Writes the header, if it is not out yet.
    fn begin_file(&mut self) -> Result<()> {
        if !self.begun {
            self.header = self.options.header(!self.kv.is_empty())?;
            self.begun = true;
            let bytes = self.header.encode();
            self.put(&bytes)?;
        }
        Ok(())
    }

    fn usable(&self) -> Result<()> {
        if self.failed {
            let what = "the writer failed before, nothing more can be written";
            return Err(Error::new(ErrorKind::State { what }));
        }
        Ok(())
    }

    /// The alignment of the tensor that is begun.
    fn inside(&self) -> Result<u64> {
        self.usable()?;
        let what = "no tensor is begun";
        self.inside.ok_or_else(|| Error::new(ErrorKind::State { what }))
    }

    pub(super) fn outside(&self) -> Result<()> {
        self.usable()?;
        match self.inside {
            None => Ok(()),
            Some(_) => {
                let what = "a tensor is begun and not ended";
                Err(Error::new(ErrorKind::State { what }))
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let put = self.output.put(bytes);
        self.failed |= put.is_err();
        put
    }

    fn align(&mut self, alignment: u64) -> Result<()> {
        let put = self.output.align(alignment);
        self.failed |= put.is_err();
        put
    }
}

/// Holds a descriptor against every rule, and its length against that of `bytes`.
pub(super) fn decode(bytes: &[u8]) -> Result<Descriptor> {
    let whole = || {
        let descriptor = Descriptor::decode(bytes, Mode::Strict)?;
        let length = u64::from(Descriptor::length_of(bytes)?);
        match math::wide(bytes.len()).saturating_sub(length) {
            0 => Ok(descriptor),
            extra => {
                let kind = ErrorKind::Trailing { what: "descriptor", extra };
                Err(Error::new(kind).at(length))
            }
        }
    };
    whole().map_err(|error: Error| error.by_caller().in_section(Section::Descriptor))
}
