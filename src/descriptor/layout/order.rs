//! Orders of tiles and of elements within a tile.

use super::span::{self, Span, StrideList};
use crate::bytes::{Cursor, Sink, math};
use crate::error::{Error, ErrorKind, Result};

/// An order of tiles, or of the elements of one.
#[derive(Debug, PartialEq)]
pub enum Order {
    /// The last dimension is contiguous.
    RowMajor,
    /// The first dimension is contiguous.
    ColumnMajor,
    /// Strides, one a dimension.
    Strided(Strides),
}

/// Strides of an [`Order`].
#[derive(Debug, PartialEq)]
pub struct Strides(StrideList);

impl Order {
    /// An order with strides: of tiles in tiles, of elements in elements.
    pub fn strided(strides: &[i64]) -> Result<Self> {
        Ok(Self::Strided(Strides(StrideList::copy(strides)?)))
    }

    /// The format's tag: that of the layout of this name.
    pub fn tag(&self) -> u8 {
        match self {
            Self::RowMajor => 1,
            Self::ColumnMajor => 2,
            Self::Strided(_) => 3,
        }
    }

    /// The strides, if it has some.
    pub fn strides(&self) -> Option<&[i64]> {
        match self {
            Self::Strided(Strides(strides)) => Some(strides),
            Self::RowMajor | Self::ColumnMajor => None,
        }
    }

    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        rank: usize,
        tag: u8,
        what: &'static str,
    ) -> Result<Self> {
        Ok(match tag {
            1 => Self::RowMajor,
            2 => Self::ColumnMajor,
            _ => Self::Strided(Strides(span::read_strides(cursor, rank, what)?)),
        })
    }

    pub(super) fn write(&self, sink: &mut Sink) -> Result<()> {
        self.strides().map_or(Ok(()), |strides| span::write_strides(strides, sink))
    }

    pub(super) fn check(&self, what: &'static str, expected: u64) -> Result<()> {
        match self.strides().map(|strides| math::wide(strides.len())) {
            Some(found) if found != expected => {
                Err(Error::new(ErrorKind::Mismatch { what, found, expected }))
            }
            _ => Ok(()),
        }
    }

    /// The offsets of a grid of these sizes, `count` in all.
    pub(super) fn span(
        &self,
        sizes: impl Iterator<Item = u64>,
        count: Result<u64>,
    ) -> Result<Span> {
        match self.strides() {
            Some(strides) => Span::strided(strides, sizes),
            None => Ok(Span::contiguous(count?)),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Strided(Strides(strides)) => strides.heap_bytes(),
            Self::RowMajor | Self::ColumnMajor => 0,
        }
    }

    pub(super) fn try_clone(&self) -> Result<Self> {
        match self {
            Self::RowMajor => Ok(Self::RowMajor),
            Self::ColumnMajor => Ok(Self::ColumnMajor),
            Self::Strided(Strides(strides)) => Self::strided(strides),
        }
    }
}
