//! Layouts: how the elements of a tensor lie in its buffers (layouts.md).
//!
//! One file a layout: its fields, their reading and writing, its rules, the sizes of its buffers.
//! A further layout is one such file and one line in the list below.

#[macro_use]
mod list;
mod order;
mod private;
mod span;
mod sparse;
mod unknown;

use std::fmt;

pub use block_paged::{IndexType, KvRole};
pub use composite::{Combine, Composition};
pub(crate) use morton::{code as morton_code, spread as morton_spread};
pub use order::{Order, Strides};
pub use private::Private;
pub use tiled::{Level, MAX_LEVELS};
pub use unknown::Unknown;

use super::Mode;
use super::facts::{Facts, Need};
use super::tag::{self, TagSpace};
use crate::bytes::{Cursor, Sink};
use crate::error::{Error, ErrorKind, Result};

layouts! {
    /// Strides 1 for the last dimension, then products.
    row_major::RowMajor = 0x01, "row_major";
    /// Strides 1 for the first dimension, then products.
    column_major::ColumnMajor = 0x02, "column_major";
    /// Any strides.
    strided::Strided = 0x03, "strided";
    /// Tiles in one order, their elements in another.
    tiled::Tiled = 0x04, "tiled";
    /// The bits of the coordinates interleaved.
    morton::Morton = 0x05, "morton";
    /// Values with their coordinates.
    coo::Coo = 0x06, "coo";
    /// A matrix stored by rows.
    csr::Csr = 0x07, "csr";
    /// A matrix stored by columns.
    csc::Csc = 0x08, "csc";
    /// A tree of coordinates.
    csf::Csf = 0x09, "csf";
    /// Tokens in pages.
    block_paged::BlockPaged = 0x0A, "block_paged";
    /// The head of a composite.
    composite::Composite = 0x0B, "composite";
    /// Along a space-filling curve.
    hilbert::Hilbert = 0x40, "hilbert";
}

/// How a layout relates elements to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every element has a place of its own in one buffer.
    Dense,
    /// Some elements are stored with their coordinates, the others are zero.
    Sparse,
    /// Elements are found through a table.
    Indirect,
    /// Other tensors hold the elements.
    Virtual,
    /// Private or not known: the buffers mean nothing to this library.
    Opaque,
}

/// What becomes of a last quantization block that the axis does not fill (decisions.md row 34).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartialBlock {
    /// It is stored whole.
    Padded,
    /// It needs no room.
    Unpadded,
    /// There is no such thing in this layout.
    Refused,
}

/// The pages of a layout that has some.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pages {
    pub(crate) page_size: u32,
    pub(crate) num_pages: u64,
}

/// What a layout answers for itself.
pub(crate) trait Rules {
    /// Bytes of its fields.
    fn encoded_len(&self) -> u64;

    /// Writes its fields.
    fn write(&self, sink: &mut Sink) -> Result<()>;

    /// The rules about its fields and the shape, whose rank was checked.
    fn check(&self, shape: &[u64], mode: Mode) -> Result<()>;

    /// Buffers of its own in a tensor of this rank.
    fn own_buffers(&self, _rank: u32) -> u64 {
        1
    }

    /// What its own buffer `buffer` holds.
    fn buffer_name(&self, _buffer: u64) -> &'static str {
        "data"
    }

    /// How large its own buffer `buffer` has to be.
    fn need(&self, buffer: u64, facts: &Facts<'_>) -> Result<Need>;

    /// Stored elements, where the layout counts them.
    fn nnz(&self) -> Option<u64> {
        None
    }

    /// Its pages.
    fn pages(&self) -> Option<Pages> {
        None
    }

    /// Bytes it holds on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// What is the same for every tensor of a layout.
pub(crate) struct Traits {
    /// The smallest and the largest rank that it is defined for.
    pub(crate) ranks: (u32, u32),
    /// How it relates elements to bytes.
    pub(crate) kind: Kind,
    /// Whether it may carry a shard section.
    pub(crate) may_shard: bool,
    /// What it does with a partial last block.
    pub(crate) partial_block: PartialBlock,
}

impl Traits {
    /// Those of most dense layouts.
    const DENSE: Self = Self {
        ranks: (1, super::shape::MAX_RANK),
        kind: Kind::Dense,
        may_shard: true,
        partial_block: PartialBlock::Refused,
    };

    /// Those of most sparse layouts.
    const SPARSE: Self =
        Self { kind: Kind::Sparse, partial_block: PartialBlock::Unpadded, ..Self::DENSE };

    /// Those of layouts that nothing is known of. Rank 0 is for row-major and heads only
    /// (decisions.md row 15).
    const OPAQUE: Self =
        Self { kind: Kind::Opaque, partial_block: PartialBlock::Unpadded, ..Self::DENSE };
}

/// What makes a type a layout.
pub(crate) trait Fields: Rules + Sized {
    /// What is the same for every tensor of the layout.
    const TRAITS: Traits = Traits::DENSE;

    /// Reads its fields and holds them against the shape, whose rank was checked.
    fn read(cursor: &mut Cursor<'_>, shape: &[u64], mode: Mode) -> Result<Self>;

    /// A copy.
    fn try_clone(&self) -> Result<Self>;
}

/// Which layout, without its fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayoutTag(u8);

impl LayoutTag {
    /// The layout with this tag, valid or not.
    pub const fn from_tag(tag: u8) -> Self {
        Self(tag)
    }

    /// The layout of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|layout| layout.known() == Some(name))
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        self.0
    }

    /// The name; `private`, `reserved` or `invalid` for a layout without one.
    pub const fn name(self) -> &'static str {
        match self.known() {
            Some(name) => name,
            None => tag::anonymous(self.0),
        }
    }

    /// Whether a reader in this mode may take the layout.
    pub(super) fn check(self, mode: Mode) -> Result<()> {
        let taken = match TagSpace::of(self.0) {
            TagSpace::Invalid => false,
            _ => self.known().is_some() || mode.is_permissive(),
        };
        match taken {
            true => Ok(()),
            false => Err(tag::refusal("layout_tag", self.0)),
        }
    }

    /// Whether the layout is defined for tensors of this rank.
    pub(super) fn check_rank(self, rank: u32) -> Result<()> {
        let (min, max) = self.traits().ranks;
        Err(Error::new(match rank {
            rank if min <= rank && rank <= max => return Ok(()),
            rank if min == max => {
                ErrorKind::Mismatch { what: "rank", found: rank.into(), expected: min.into() }
            }
            rank => ErrorKind::Limits {
                what: "rank",
                value: rank.into(),
                min: min.into(),
                max: max.into(),
            },
        }))
    }
}

impl fmt::Debug for LayoutTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:#04x})", self.name(), self.0)
    }
}

impl fmt::Display for LayoutTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Layout {
    /// Becomes the layout `tag`, which may stand in a tensor of this shape's rank, with the fields
    /// that are read.
    pub(super) fn read_into(
        &mut self,
        tag: LayoutTag,
        cursor: &mut Cursor<'_>,
        shape: &[u64],
        mode: Mode,
    ) -> Result<()> {
        match (tag.known(), TagSpace::of(tag.0)) {
            (Some(_), _) => self.read_known(tag, cursor, shape, mode)?,
            (None, TagSpace::Private) => *self = Self::Private(Private::read(tag.0, cursor)?),
            (None, _) => *self = Self::Unknown(Unknown::read(tag.0, cursor)?),
        }
        Ok(())
    }

    /// How the layout relates elements to bytes.
    pub fn kind(&self) -> Kind {
        self.traits().kind
    }

    /// Buffers of the layout's own in a tensor of this rank; parameter buffers of a quantization
    /// scheme follow them. A private layout has at least this many.
    pub fn own_buffers(&self, rank: u32) -> u64 {
        self.rules().own_buffers(rank)
    }

    /// What the layout's own buffer `buffer` holds.
    pub fn buffer_name(&self, buffer: u64) -> &'static str {
        self.rules().buffer_name(buffer)
    }

    /// Stored elements of a sparse layout.
    pub fn nnz(&self) -> Option<u64> {
        self.rules().nnz()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layouts() {
        assert_eq!(LayoutTag::ALL.len(), 12);
        for &layout in LayoutTag::ALL {
            assert_eq!(LayoutTag::find(layout.name()), Some(layout));
        }
        assert_eq!(LayoutTag::from_tag(0x40).name(), "hilbert");
        assert_eq!(LayoutTag::from_tag(0xF1).name(), "private");
        assert_eq!(LayoutTag::from_tag(0x0C).name(), "reserved");
        assert_eq!(LayoutTag::find("private"), None);
    }

    #[test]
    fn ranks_of_layouts() {
        let taken = |tag| {
            let fits = |rank: &u32| LayoutTag(tag).check_rank(*rank).is_ok();
            (0..=64u32).filter(fits).collect::<Vec<_>>()
        };
        let all: Vec<u32> = (0..=64).collect();
        for (tag, least) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (9, 3), (0x40, 2)] {
            assert_eq!(taken(tag), all[least..]);
        }
        assert_eq!((taken(7), taken(8), taken(0x0A)), (vec![2], vec![2], vec![3]));
        assert_eq!((taken(0x0B), taken(0xF0)), (all.clone(), all[1..].to_vec()));
    }
}
