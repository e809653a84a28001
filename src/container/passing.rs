//! A file whose tensors are handed out as they come, while nothing of them is kept but their
//! places (container.md, "Reading", sequential).

use super::header::{HEADER_LEN, Header, PLACE_ALIGNMENT};
use super::in_order::InOrder;
use super::intake::Intake;
use super::place::Place;
use super::reader::{File, OpenOptions};
use super::source::{Access, ReadAt};
use super::trailer::{TRAILER_LEN, Trailer};
use crate::bytes::{math, memory};
use crate::descriptor::{Descriptor, Mode};
use crate::error::{Error, ErrorKind, Result, Section};

/// Bytes of a descriptor that say how long it is.
const BEGINNING: usize = 10;

/// How errors call what is kept from behind the last tensor.
const END: &str = "what follows the tensors";

/// A file in passing.
pub(super) struct Passing {
    intake: Intake,
    head: [u8; HEADER_LEN],
    header: Header,
    /// How many tensors the header announces.
    announced: u64,
    mode: Mode,
    limit: u64,
    /// Where the tensors stood that have passed, in their order.
    places: Vec<Place>,
    data: InOrder,
    /// Whether the place of the next data byte is still to be gone to.
    before_buffer: bool,
}

impl Passing {
    /// A file whose header has just passed and announces so many tensors.
    pub(super) fn new(
        intake: Intake,
        head: [u8; HEADER_LEN],
        header: Header,
        announced: u64,
        mode: Mode,
        limit: u64,
    ) -> Self {
        let (places, data) = (Vec::new(), InOrder::default());
        Self { intake, head, header, announced, mode, limit, places, data, before_buffer: false }
    }

    /// The next tensor, decoded and as bytes; none when all that were announced have passed.
    pub(super) fn next(&mut self) -> Result<Option<(Descriptor, Vec<u8>)>> {
        if math::wide(self.places.len()) >= self.announced {
            self.leave_tensor()?;
            self.data.restart([].into_iter())?;
            return Ok(None);
        }
        let kept = math::wide(self.places.len()).saturating_add(1);
        let (need, limit) = (kept.saturating_mul(math::wide(size_of::<Place>())), self.limit);
        if need > limit {
            let what = "what is kept of every tensor";
            return Err(Error::new(ErrorKind::Limit { what, need, limit }));
        }
        let beginning = self.find_descriptor()?;
        let offset = self.intake.offset().saturating_sub(math::wide(BEGINNING));
        let place = |error: Error| error.shifted(offset).in_section(Section::Descriptor);
        let length = Descriptor::length_of(&beginning).map_err(place)?;
        let (need, limit) = (u64::from(length), self.limit);
        if need > limit {
            return Err(place(Error::new(ErrorKind::Limit { what: "descriptor", need, limit })));
        }
        let mut bytes = Vec::new();
        memory::reserve(&mut bytes, BEGINNING)?;
        bytes.extend_from_slice(&beginning);
        self.intake.append(&mut bytes, need.saturating_sub(math::wide(BEGINNING)))?;
        let have = math::wide(bytes.len());
        if have < need {
            return Err(place(Error::new(ErrorKind::Truncated { what: "descriptor", need, have })));
        }
        let descriptor = Descriptor::decode(&bytes, self.mode).map_err(place)?;
        let at = Place::at(offset, length, &descriptor, self.header.alignment()).map_err(place)?;
        memory::push(&mut self.places, at)?;
        self.data.restart(descriptor.buffers().iter().map(|buffer| Ok(buffer.byte_size)))?;
        self.before_buffer = true;
        Ok(Some((descriptor, bytes)))
    }

    /// Bytes of this tensor's buffers that have not been read.
    pub(super) fn remaining(&self) -> u64 {
        self.data.remaining()
    }

    /// Fills `dst` with the next bytes of this tensor's buffers, as far as they go.
    pub(super) fn read(&mut self, dst: &mut [u8]) -> Result<usize> {
        let mut rest = dst;
        let mut count = 0_usize;
        while !rest.is_empty() && self.data.remaining() > 0 {
            if self.data.left() == 0 {
                self.data.next_buffer();
                self.before_buffer = true;
                continue;
            }
            if self.before_buffer {
                let alignment = self.header.alignment().into();
                let buffer = math::align_up(self.intake.offset(), alignment, "data_offset")?;
                self.intake.skip_to(buffer, "padding")?;
                self.before_buffer = false;
            }
            let room = usize::try_from(self.data.left()).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at_mut(room);
            self.intake.read(now, "data").map_err(|error| error.in_section(Section::Data))?;
            self.data.pass(math::wide(room));
            count = count.saturating_add(room);
            rest = later;
        }
        Ok(count)
    }

    /// Takes in the end of the file and holds its index against what has passed.
    ///
    /// The file that is handed out has names, places and keys; the data has passed.
    pub(super) fn finish(mut self) -> Result<File> {
        let start = self.intake.offset();
        let mut tail = Vec::new();
        self.intake.append_rest(&mut tail, self.limit, END)?;
        let size = self.intake.offset();
        check_kept(&tail, start, size, &self.header)?;
        let kept = Kept { head: self.head, tail, start, size };
        let options = OpenOptions { mode: self.mode, access: Access::Reads };
        let file = File::open_source(Box::new(kept), &options)?;
        self.compare(&file)?;
        Ok(file)
    }

    /// Holds the index against what has passed.
    fn compare(&self, file: &File) -> Result<()> {
        let (found, expected) = (self.announced, file.tensor_count());
        if found != expected {
            let kind = ErrorKind::Mismatch { what: "tensor_count_hint", found, expected };
            return Err(Error::new(kind).at(28).in_section(Section::Header));
        }
        for (k, place) in (0..).zip(&self.places) {
            let i = file.in_file_order(k)?;
            let entry = file.entry(i)?;
            let mut fields = [
                ("descriptor_offset", entry.descriptor_offset, place.descriptor_offset),
                (
                    "descriptor_length",
                    entry.descriptor_length.into(),
                    place.descriptor_length.into(),
                ),
                ("data_length", entry.data_length, place.data_length),
                ("data_offset", entry.data_offset, place.data_offset),
            ]
            .into_iter()
            // No data bytes lie anywhere (decisions.md row 57).
            .filter(|(what, ..)| *what != "data_offset" || place.data_length > 0);
            if let Some((what, found, expected)) = fields.find(|(_, found, passed)| found != passed)
            {
                let kind = ErrorKind::Mismatch { what, found, expected };
                let error = Error::new(kind).in_section(Section::IndexEntry(i));
                return Err(error.in_tensor(i, entry.name));
            }
        }
        Ok(())
    }

    /// Goes on to the next descriptor and gives the bytes that say how long it is.
    fn find_descriptor(&mut self) -> Result<[u8; BEGINNING]> {
        let mut beginning = [0; BEGINNING];
        if self.places.is_empty() {
            // Nothing can stand before the first one (decisions.md row 11).
            self.intake.skip_to(self.header.first_descriptor_offset(), "padding")?;
            self.intake.read(&mut beginning, "descriptor")?;
            return Ok(beginning);
        }
        self.leave_tensor()?;
        let next = math::align_up(self.intake.offset(), PLACE_ALIGNMENT, "descriptor_offset")?;
        self.intake.skip_to(next, "padding")?;
        // How far a writer fills up is its own affair: zero bytes are padding.
        loop {
            let mut eight = [0; 8];
            self.intake.read(&mut eight, "descriptor")?;
            if eight.starts_with(b"HRRY") {
                let (first, last) = beginning.split_at_mut(eight.len());
                first.copy_from_slice(&eight);
                self.intake.read(last, "descriptor")?;
                return Ok(beginning);
            }
            if eight != [0; 8] {
                let [a, b, c, d, ..] = eight;
                let (what, found) = ("descriptor magic", [a, b, c, d]);
                let offset = self.intake.offset().saturating_sub(8);
                let kind = ErrorKind::Magic { what, found, wanted: "HRRY" };
                return Err(Error::new(kind).at(offset));
            }
        }
    }

    /// Steps over what is left of the tensor.
    fn leave_tensor(&mut self) -> Result<()> {
        match self.places.last() {
            Some(place) => self.intake.skip_to(place.end(), "data"),
            None => Ok(()),
        }
    }
}

/// Demands that trailer, index and KV section lie in what was kept, not in what has passed.
fn check_kept(tail: &[u8], start: u64, size: u64, header: &Header) -> Result<()> {
    Trailer::check_size(size)?;
    let bounds = |what, offset, length, end| {
        let kind = ErrorKind::Bounds { what, offset, length, start, end };
        Error::new(kind).in_section(Section::Trailer)
    };
    let trailer_length = math::wide(TRAILER_LEN);
    let end = size.saturating_sub(trailer_length);
    let Some(trailer) = tail.last_chunk() else {
        return Err(bounds("trailer", end, trailer_length, size));
    };
    let trailer = Trailer::decode(trailer, size, header)?;
    if trailer.index_offset < start {
        return Err(bounds("index", trailer.index_offset, trailer.index_length, end));
    }
    match trailer.kv {
        Some(kv) if kv.offset < start => {
            Err(bounds("kv section", kv.offset, kv.length.into(), end))
        }
        _ => Ok(()),
    }
}

/// What is left of a file that has passed: its beginning and its end.
struct Kept {
    head: [u8; HEADER_LEN],
    tail: Vec<u8>,
    start: u64,
    size: u64,
}

impl ReadAt for Kept {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, dst: &mut [u8]) -> Result<()> {
        let (bytes, from) = match offset.checked_sub(self.start) {
            Some(from) => (&self.tail[..], from),
            None => (&self.head[..], offset),
        };
        let from = usize::try_from(from).ok().and_then(|from| bytes.get(from..));
        match from.and_then(|from| from.get(..dst.len())) {
            Some(kept) => {
                dst.copy_from_slice(kept);
                Ok(())
            }
            None => {
                let what = "of a stream only names, places and keys are kept: this has passed";
                Err(Error::new(ErrorKind::State { what }).at(offset))
            }
        }
    }
}
