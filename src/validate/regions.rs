//! Who owns which bytes of a file: no byte two owners, no long stretch none (decisions.md rows 9,
//! 10, 47 and 58).

use super::Sink;
use crate::bytes::{math, memory};
use crate::container::{File, HEADER_LEN, TRAILER_LEN};
use crate::error::{Error, ErrorKind, Result, Section};

/// Header, KV section, index, trailer.
const SECTIONS: usize = 4;

/// Who owns bytes. Tensors are named by their position in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Header,
    Descriptor(u32),
    Data(u32),
    Kv,
    Index,
    Trailer,
}

impl Owner {
    fn tensor(self) -> Option<u64> {
        match self {
            Self::Descriptor(i) | Self::Data(i) => Some(i.into()),
            Self::Header | Self::Kv | Self::Index | Self::Trailer => None,
        }
    }

    fn padding_behind(self) -> &'static str {
        match self {
            Self::Header => "padding before the first descriptor",
            Self::Descriptor(_) => "padding after the descriptor",
            Self::Data(_) => "padding after the data",
            Self::Kv => "padding after the kv section",
            Self::Index | Self::Trailer => "padding after the index",
        }
    }
}

/// Bytes with an owner, `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owned {
    start: u64,
    end: u64,
    owner: Owner,
}

/// All owned bytes of a file, by their place.
pub(super) struct Regions<'f> {
    file: &'f File,
    owned: Vec<Owned>,
}

impl<'f> Regions<'f> {
    pub(super) fn of(file: &'f File) -> Result<Self> {
        let count = math::to_usize(file.tensor_count(), "index_entry_count")?;
        let mut owned = memory::vec(count.saturating_mul(2).saturating_add(SECTIONS))?;
        let mut put = |owner, start: u64, length: u64| {
            if length != 0 {
                owned.push(Owned { start, end: start.saturating_add(length), owner });
            }
        };
        let (trailer, size) = (file.trailer(), file.size());
        put(Owner::Header, 0, math::wide(HEADER_LEN));
        put(Owner::Index, trailer.index_offset, trailer.index_length);
        if let Some(kv) = trailer.kv {
            put(Owner::Kv, kv.offset, kv.length.into());
        }
        let trailer_length = math::wide(TRAILER_LEN);
        put(Owner::Trailer, size.saturating_sub(trailer_length), trailer_length);
        for (i, position) in (0..file.tensor_count()).zip(0_u32..) {
            let entry = file.entry(i)?;
            let (offset, length) = (entry.descriptor_offset, entry.descriptor_length);
            put(Owner::Descriptor(position), offset, length.into());
            // The padding between its buffers is the tensor's own.
            put(Owner::Data(position), entry.data_offset, entry.data_length);
        }
        owned.sort_unstable();
        Ok(Self { file, owned })
    }

    /// Reports each owner that begins before an earlier one has ended. Opening has seen to it that
    /// only tensors can do so; permissive mode lets them.
    pub(super) fn report_overlaps(&self, sink: &mut Sink<'_>) {
        if self.file.mode().is_permissive() {
            return;
        }
        let mut furthest = Owned { start: 0, end: 0, owner: Owner::Header };
        for &next in &self.owned {
            if next.start < furthest.end
                && let (Some(first), Some(second)) = (furthest.owner.tensor(), next.owner.tensor())
            {
                let kind = if first == second {
                    ErrorKind::Rule { rule: "descriptor and data of one tensor overlap" }
                } else {
                    ErrorKind::Overlap { first, second }
                };
                sink.put(in_tensor(self.file, next.owner, Error::new(kind).at(next.start)));
            }
            if next.end > furthest.end {
                furthest = next;
            }
        }
    }

    /// The stretches that belong to nobody, in the order of the file. The one up to the first
    /// descriptor is one by itself.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run<'f>> {
        let first = self.file.header().first_descriptor_offset();
        let mut end = 0;
        let mut before = Owner::Header;
        self.owned
            .iter()
            .flat_map(move |&next| {
                let (start, owner) = (end, before);
                if next.end > end {
                    (end, before) = (next.end, next.owner);
                }
                let split = if owner == Owner::Header {
                    first.clamp(start, next.start.max(start))
                } else {
                    start
                };
                [(start, split), (split, next.start)].map(|(start, end)| Run {
                    file: self.file,
                    start,
                    end,
                    behind: owner,
                })
            })
            .filter(|run| run.start < run.end)
    }
}

/// A stretch of bytes that belongs to nobody.
pub(super) struct Run<'f> {
    file: &'f File,
    pub(super) start: u64,
    pub(super) end: u64,
    behind: Owner,
}

impl Run<'_> {
    pub(super) fn length(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it is too long to be padding. What lies before the first descriptor can have any
    /// length.
    pub(super) fn is_gap(&self) -> bool {
        let header = self.file.header();
        self.end > header.first_descriptor_offset() && self.length() >= header.alignment().into()
    }

    pub(super) fn as_gap(&self) -> Error {
        self.problem(self.start, ErrorKind::Gap { length: self.length() })
    }

    /// A byte of it that is not zero.
    pub(super) fn as_padding(&self, at: u64, value: u8) -> Error {
        let what = self.behind.padding_behind();
        self.problem(at, ErrorKind::Padding { what, value })
    }

    fn problem(&self, at: u64, kind: ErrorKind) -> Error {
        let error = Error::new(kind).at(at).in_section(Section::Padding);
        in_tensor(self.file, self.behind, error)
    }
}

fn in_tensor(file: &File, owner: Owner, error: Error) -> Error {
    match owner.tensor().and_then(|i| Some((i, file.index().entry(i)?))) {
        Some((i, entry)) => error.in_tensor(i, entry.name),
        None => error,
    }
}
