//! Block-paged (layouts.md, Block-paged): tokens in pages, found through a table.

use super::{Fields, Kind, Need, Pages, PartialBlock, Rules, Traits};
use crate::bytes::{Cursor, Sink, math};
use crate::descriptor::facts::Facts;
use crate::descriptor::{DYNAMIC, Mode};
use crate::error::{Error, ErrorKind, Result};

/// No layer.
const NO_LAYER: u32 = u32::MAX;

/// The block-paged layout of a tensor [tokens, heads, dim]: buffer 0 holds the pages, buffer 1 the
/// block table, buffer 2 where in it each sequence begins, and where the last one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPaged {
    page_size: u32,
    num_pages: u64,
    num_seqs: u32,
    role: KvRole,
    layer_index: Option<u32>,
    index_type: IndexType,
}

/// What a block-paged tensor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvRole {
    /// Keys.
    Key,
    /// Values.
    Value,
    /// Anything else.
    Other,
}

impl KvRole {
    /// The role with this tag.
    pub const fn from_tag(tag: u8) -> Option<Self> {
        match tag {
            0 => Some(Self::Key),
            1 => Some(Self::Value),
            2 => Some(Self::Other),
            _ => None,
        }
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        match self {
            Self::Key => 0,
            Self::Value => 1,
            Self::Other => 2,
        }
    }
}

/// The type of the entries of block table and sequence pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    /// Four bytes.
    U32,
    /// Eight bytes.
    U64,
}

impl IndexType {
    /// The type with this tag.
    pub const fn from_tag(tag: u8) -> Option<Self> {
        match tag {
            0 => Some(Self::U32),
            1 => Some(Self::U64),
            _ => None,
        }
    }

    /// The format's tag.
    pub const fn tag(self) -> u8 {
        match self {
            Self::U32 => 0,
            Self::U64 => 1,
        }
    }

    /// Bytes of an entry.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::U32 => 4,
            Self::U64 => 8,
        }
    }
}

impl BlockPaged {
    /// `num_pages` pages of `page_size` tokens, which is not 0, shared by `num_seqs` sequences; the
    /// layer is not the one whose number is all ones.
    pub fn new(
        page_size: u32,
        num_pages: u64,
        num_seqs: u32,
        role: KvRole,
        layer_index: Option<u32>,
        index_type: IndexType,
    ) -> Result<Self> {
        if page_size == 0 {
            let (what, value) = ("page_size", 0);
            return Err(Error::new(ErrorKind::Value { what, value }));
        }
        if layer_index == Some(NO_LAYER) {
            let (what, value) = ("layer_index", NO_LAYER.into());
            return Err(Error::new(ErrorKind::Value { what, value }));
        }
        Ok(Self { page_size, num_pages, num_seqs, role, layer_index, index_type })
    }

    /// Tokens in a page.
    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Pages in the pool.
    pub fn num_pages(&self) -> u64 {
        self.num_pages
    }

    /// The dimension that is paged: always 0, the tokens.
    pub fn paged_axis(&self) -> u32 {
        0
    }

    /// Sequences.
    pub fn num_seqs(&self) -> u32 {
        self.num_seqs
    }

    /// What the tensor holds.
    pub fn role(&self) -> KvRole {
        self.role
    }

    /// The layer of the model, if it has one.
    pub fn layer_index(&self) -> Option<u32> {
        self.layer_index
    }

    /// The type of the entries of block table and sequence pointers.
    pub fn index_type(&self) -> IndexType {
        self.index_type
    }
}

fn invalid(what: &'static str, tag: u8, at: u64) -> Error {
    Error::new(ErrorKind::Value { what, value: tag.into() }).at(at)
}

impl Fields for BlockPaged {
    const TRAITS: Traits = Traits {
        ranks: (3, 3),
        kind: Kind::Indirect,
        may_shard: false,
        partial_block: PartialBlock::Unpadded,
    };

    fn read(cursor: &mut Cursor<'_>, _shape: &[u64], _mode: Mode) -> Result<Self> {
        let start = cursor.offset();
        let (page_size, num_pages) = (cursor.u32("page_size")?, cursor.u64("num_pages")?);
        let at = cursor.offset();
        let paged_axis = cursor.u32("paged_axis")?;
        if paged_axis != 0 {
            let (what, found) = ("paged_axis", paged_axis.into());
            return Err(Error::new(ErrorKind::Mismatch { what, found, expected: 0 }).at(at));
        }
        let num_seqs = cursor.u32("num_seqs")?;
        let at = cursor.offset();
        let tag = cursor.u8("kv_role")?;
        let role = KvRole::from_tag(tag).ok_or_else(|| invalid("kv_role", tag, at))?;
        let layer_index = Some(cursor.u32("layer_index")?).filter(|&layer| layer != NO_LAYER);
        let at = cursor.offset();
        let tag = cursor.u8("block_table_index_type")?;
        let index_type =
            IndexType::from_tag(tag).ok_or_else(|| invalid("block_table_index_type", tag, at))?;
        cursor.reserved(6, "block-paged reserved")?;
        Self::new(page_size, num_pages, num_seqs, role, layer_index, index_type)
            .map_err(|error| error.at(start))
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for BlockPaged {
    fn encoded_len(&self) -> u64 {
        32
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u32(self.page_size)?;
        sink.u64(self.num_pages)?;
        sink.u32(self.paged_axis())?;
        sink.u32(self.num_seqs)?;
        sink.u8(self.role.tag())?;
        sink.u32(self.layer_index.unwrap_or(NO_LAYER))?;
        sink.u8(self.index_type.tag())?;
        sink.zeros(6)
    }

    fn check(&self, _shape: &[u64], _mode: Mode) -> Result<()> {
        Ok(())
    }

    fn own_buffers(&self, _rank: u32) -> u64 {
        3
    }

    fn buffer_name(&self, buffer: u64) -> &'static str {
        match buffer {
            0 => "page_pool",
            1 => "block_table",
            _ => "seq_ptr",
        }
    }

    fn need(&self, buffer: u64, facts: &Facts<'_>) -> Result<Need> {
        match (buffer, facts.shape) {
            // An empty tensor addresses nothing, whatever its table says (decisions.md row 53).
            (0, _) if facts.is_empty() => facts.room(Some(0)),
            // The pages do not depend on the tokens, which may be dynamic.
            (0, [_, tail @ ..]) if !tail.contains(&DYNAMIC) => {
                let slots = [self.num_pages, self.page_size.into()];
                let elements = slots
                    .iter()
                    .chain(tail)
                    .try_fold(1, |a, &b| math::mul(a, b, "elements of the page_pool"))?;
                facts.room(Some(elements))
            }
            (0, _) => Ok(Need::Unknown),
            (1, _) => Ok(Need::Content { least: 0, unit: self.index_type.bytes() }),
            _ => {
                let entries = u64::from(self.num_seqs).saturating_add(1);
                math::mul(entries, self.index_type.bytes(), "size of seq_ptr").map(Need::AtLeast)
            }
        }
    }

    fn pages(&self) -> Option<Pages> {
        Some(Pages { page_size: self.page_size, num_pages: self.num_pages })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{builder, round_trips, sizes, strict};
    use crate::descriptor::{Descriptor, ElementType, Layout};

    fn layout(page_size: u32, num_pages: u64) -> BlockPaged {
        let (role, index_type) = (KvRole::Value, IndexType::U32);
        BlockPaged::new(page_size, num_pages, 2, role, None, index_type).unwrap()
    }

    fn paged(shape: &[u64]) -> Result<Descriptor> {
        let mut b = builder(ElementType::FLOAT16, shape, layout(4, 6));
        b.buffer_size(1, 20)?.build()
    }

    #[test]
    fn the_pool_does_not_depend_on_the_tokens() {
        for tokens in [14, 100, DYNAMIC] {
            let d = paged(&[tokens, 2, 8]).unwrap();
            let found: Vec<u64> = d.buffers().iter().map(|buffer| buffer.byte_size).collect();
            assert_eq!(found, [6 * 4 * 2 * 8 * 2, 20, 12]);
            round_trips(&d);
        }
        assert_eq!(paged(&[0, 2, 8]).unwrap().buffers()[0].byte_size, 0);
        assert_eq!(paged(&[9, 2, 0]).unwrap().buffers()[0].byte_size, 0);
        assert!(paged(&[9, DYNAMIC, 8]).is_err());
        assert_eq!(
            sizes(&[9, 2, 8], layout(4, 6)).unwrap_err(),
            "buffer 1: its size is not known from the fields: it must be told"
        );
        let mut huge = builder(ElementType::FLOAT16, &[9, 2, 8], layout(4, 1 << 60));
        let error = huge.buffer_size(1, 0).unwrap().build().unwrap_err();
        assert_eq!(
            error.to_string(),
            "descriptor: buffer 0: elements of the page_pool does not fit 64 bits"
        );
    }

    #[test]
    fn fields_and_their_rules() {
        let d = paged(&[14, 2, 8]).unwrap();
        let at = 52;
        for (byte, value, message) in [
            (0, 0, "page_size 0 is not valid, at byte 52"),
            (12, 1, "paged_axis is 1, must be 0, at byte 64"),
            (20, 3, "kv_role 3 is not valid, at byte 72"),
            (25, 2, "block_table_index_type 2 is not valid, at byte 77"),
            (31, 5, "block-paged reserved must be 0, is 5, at byte 83"),
        ] {
            assert_eq!(strict(&d, at + byte, &[value]), format!("descriptor: {message}"));
        }
        assert_eq!(
            strict(&d, 101, &[21]),
            "descriptor: buffer 1: byte_size 21 is not a multiple of 4, at byte 101"
        );
        assert_eq!(
            strict(&d, at + 16, &[3]),
            "descriptor: buffer 2: seq_ptr too small: need 16 bytes, have 12, at byte 117"
        );
        assert_eq!(sizes(&[1, 2], layout(1, 1)).unwrap_err(), "rank is 2, must be 3");
        let Layout::BlockPaged(fields) = d.layout() else { panic!("{d:?}") };
        assert_eq!((fields.page_size(), fields.num_pages(), fields.num_seqs()), (4, 6, 2));
        assert_eq!((fields.role(), fields.layer_index()), (KvRole::Value, None));
        let new = |page_size, layer| {
            BlockPaged::new(page_size, 1, 1, KvRole::Other, layer, IndexType::U64)
        };
        assert!(new(1, Some(7)).is_ok() && new(0, None).is_err());
        assert!(new(1, Some(u32::MAX)).is_err());
    }
}
