//! Tokens of block-paged tensors, through their tables (layouts.md, Block-paged).

use super::indices::Indices;
use super::transfer::Transfer;
use super::values::Values;
use crate::address::Place;
use crate::address::paged::slot_offset;
use crate::bytes::math;
use crate::descriptor::layout::BlockPaged;
use crate::descriptor::{self, Descriptor, Layout};
use crate::error::{Error, ErrorKind, Result};

/// Blocks that follow one another in the block table: those of a sequence, or all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    begin: u64,
    /// Tokens that they have slots for.
    pub(super) tokens: u64,
}

/// A paged tensor's tables.
pub(super) struct Pages<'v> {
    d: &'v Descriptor,
    layout: &'v BlockPaged,
    table: Indices<'v>,
    pointers: Indices<'v>,
}

impl<'v> Pages<'v> {
    /// Of a block-paged tensor whose heads and dims are known.
    pub(super) fn new(values: &Values<'v>) -> Result<Self> {
        let d = values.descriptor();
        let Layout::BlockPaged(layout) = d.layout() else {
            let (wanted, found) = ("a block-paged tensor", "a tensor of another layout");
            return Err(Error::new(ErrorKind::WrongType { wanted, found }));
        };
        if d.shape().iter().skip(1).any(|&size| size == descriptor::DYNAMIC) {
            return Err(descriptor::dynamic());
        }
        let width = layout.index_type().bytes();
        let table = Indices::new(values.buffer(1)?, "block_table", None, width);
        let pointers = Indices::new(values.buffer(2)?, "seq_ptr", None, width);
        Ok(Self { d, layout, table, pointers })
    }

    /// The blocks of a sequence. A tensor without elements has none, whatever its tables say.
    pub(super) fn sequence(&self, sequence: u64) -> Result<Blocks> {
        let count = self.layout.num_seqs().into();
        if sequence >= count {
            let (what, value) = ("sequence", sequence);
            return Err(Error::new(ErrorKind::Index { what, value, count }));
        }
        let (begin, end) = self.pointers.range(sequence, self.table.len())?;
        let blocks = if self.is_empty() { 0 } else { end.saturating_sub(begin) };
        let tokens = math::mul(blocks, self.layout.page_size().into(), "tokens of a sequence")?;
        Ok(Blocks { begin, tokens })
    }

    /// All blocks, where these are the tokens of the tensor (decisions.md row 54).
    pub(super) fn all(&self) -> Result<Blocks> {
        let tokens = self.d.shape().first().copied().unwrap_or_default();
        let slots = math::mul(self.table.len(), self.layout.page_size().into(), "page slots")?;
        if tokens != slots && !self.is_empty() {
            let what = "tokens of this tensor are found by sequence only: they are not as many as \
                        the slots of its block table";
            return Err(Error::new(ErrorKind::State { what }));
        }
        Ok(Blocks { begin: 0, tokens })
    }

    /// Whether the tensor has no elements. Its pages may not even exist then.
    pub(super) fn is_empty(&self) -> bool {
        self.d.shape().contains(&0)
    }

    /// Page and slot of a token.
    fn slot(&self, blocks: Blocks, token: u64) -> Result<(u64, u64)> {
        if token >= blocks.tokens {
            let (what, value, count) = ("token", token, blocks.tokens);
            return Err(Error::new(ErrorKind::Index { what, value, count }));
        }
        let size = self.layout.page_size().into();
        let block = blocks.begin.saturating_add(math::div(token, size));
        let page = self.table.check(block, self.table.at(block)?, self.layout.num_pages())?;
        Ok((page, math::rem(token, size)))
    }

    /// Where an element of a token lies.
    pub(super) fn locate(&self, blocks: Blocks, token: u64, head: u64, dim: u64) -> Result<Place> {
        let sizes = self.d.shape().iter().skip(1);
        for ((what, value), &count) in [("head", head), ("dim", dim)].into_iter().zip(sizes) {
            if value >= count {
                return Err(Error::new(ErrorKind::Index { what, value, count }));
            }
        }
        let (page, slot) = self.slot(blocks, token)?;
        Place::of(self.d, slot_offset(self.layout, self.d.shape(), page, slot, head, dim)?)
    }

    /// Brings the tokens of the region, page by page.
    pub(super) fn bring(&self, blocks: Blocks, transfer: &mut Transfer<'_, '_, '_>) -> Result<()> {
        let region = transfer.region;
        let (&[first, head, dim], &[count, heads, dims]) = (region.lower, region.extent) else {
            let what = "a paged tensor of another rank than 3";
            return Err(Error::new(ErrorKind::Internal { what }));
        };
        let shape = self.d.shape();
        let along = |k: usize| shape.get(k).copied().unwrap_or_default().cast_signed();
        let strides = [along(1).saturating_mul(along(2)), along(2), 1];
        let size = u64::from(self.layout.page_size());
        let end = math::add(first, count, "tokens")?;
        let mut token = first;
        while token < end {
            let (page, slot) = self.slot(blocks, token)?;
            let tokens = size.saturating_sub(slot).min(end.saturating_sub(token));
            let offset = slot_offset(self.layout, shape, page, slot, head, dim)?;
            let entry = math::add(math::mul(page, size, "page slot")?, slot, "page slot")?;
            let (lower, entries) = ([token, head, dim], [entry, head, dim]);
            transfer.slots(&lower, &entries, &[tokens, heads, dims], offset, &strides)?;
            token = token.saturating_add(tokens);
        }
        Ok(())
    }
}
