//! The tensor descriptor: what a tensor is, and how its elements lie in its buffers.
//!
//! One file a concept of descriptor.md, with its reading, its writing and its rules; here they are
//! joined. A [`Descriptor`] cannot hold what the format forbids: it comes from
//! [`Descriptor::decode`] or from a [`Builder`], and both hold it against the same rules.

mod buffer_table;
mod builder;
mod element_type;
mod extension;
mod facts;
mod header;
pub mod layout;
mod member;
pub mod quantization;
mod rules;
mod shape;
mod shard;
mod statistics;
mod tag;
mod wire;

pub use buffer_table::{Buffer, Device, MIN_ALIGNMENT};
pub use builder::Builder;
pub use element_type::ElementType;
pub use extension::{ExtensionType, Format};
pub use facts::{Need, Padding};
pub use layout::{Layout, LayoutTag};
pub use member::MemberRole;
pub use quantization::{Quantization, SchemeTag};
pub(crate) use shape::dynamic;
pub use shape::{DYNAMIC, MAX_RANK};
pub use shard::Shard;
pub use statistics::{NmSparsity, SpecialValues, Statistics, ValueRange, ValueSpread};
pub use tag::TagSpace;

use crate::bytes::{Few, math};
use crate::error::{Error, ErrorKind, Result};
use buffer_table::Buffers;
use facts::Facts;
use header::flag;
use shape::Dims;

/// What is taken from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Whatever breaks a MUST is an error.
    #[default]
    Strict,
    /// What the texts let a permissive reader accept is accepted: unknown and private tags, and
    /// reserved bytes of the buffer table. Never anything that would make an access leave a buffer.
    Permissive,
}

impl Mode {
    /// Whether it is [`Mode::Permissive`].
    pub const fn is_permissive(self) -> bool {
        matches!(self, Self::Permissive)
    }
}

/// One tensor's descriptor. Immutable, owns all it holds.
///
/// Two descriptors are equal when they describe the same tensor: bytes that readers ignore, the
/// minor version and reserved bytes of the buffer table make no difference.
#[derive(Debug)]
pub struct Descriptor {
    version_minor: u8,
    element_type: ElementType,
    member_role: Option<MemberRole>,
    /// As read, for a layout that hides its sections; else as the sections say.
    flags: u32,
    shape: Dims,
    byte_offset: u64,
    layout: Layout,
    buffers: Buffers,
    quantization: Option<Quantization>,
    extension_type: Option<ExtensionType>,
    shard: Option<Box<Shard>>,
    statistics: Option<Box<Statistics>>,
}

impl Descriptor {
    /// Reads the descriptor that `bytes` begin with (descriptor.md). Nothing past its
    /// descriptor_length is looked at: who holds the bytes knows whether more may follow.
    ///
    /// Offsets in errors count from the first of `bytes`.
    pub fn decode(bytes: &[u8], mode: Mode) -> Result<Self> {
        wire::decode(bytes, mode)
    }

    /// The whole length of the descriptor that begins with `bytes`, of which the first 10 are
    /// needed and looked at: for readers that take a stream piece by piece.
    pub fn length_of(bytes: &[u8]) -> Result<u32> {
        header::length_of(bytes)
    }

    /// The canonical bytes: minor version 0, no padding after a scheme's fields, zero in every
    /// byte that readers ignore. They decode to an equal descriptor.
    pub fn encode(&self) -> Result<Vec<u8>> {
        wire::encode(self)
    }

    /// How many bytes [`encode`](Self::encode) gives.
    pub fn encoded_len(&self) -> Result<u64> {
        wire::encoded_len(self)
    }

    /// The minor version that the descriptor was written with.
    pub fn version_minor(&self) -> u8 {
        self.version_minor
    }

    /// The flags field: which sections there are.
    pub fn flags(&self) -> u32 {
        self.flags
    }

    /// The type of the elements as stored.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The layout with its fields.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The layout's tag.
    pub fn layout_tag(&self) -> u8 {
        self.layout.tag().tag()
    }

    /// Dimensions, 0 to 64.
    pub fn rank(&self) -> u32 {
        u32::try_from(self.shape.len()).unwrap_or(MAX_RANK)
    }

    /// The size of every dimension; [`DYNAMIC`] where it is not known.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Bytes from the start of buffer 0 to element [0, .., 0].
    pub fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// The buffer table: the layout's own buffers, then those of the quantization scheme. Empty
    /// for a composite head, and where the table cannot be found ([`is_opaque`](Self::is_opaque)).
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// How stored codes become values.
    pub fn quantization(&self) -> Option<&Quantization> {
        self.quantization.as_ref()
    }

    /// The box of a larger tensor that this one is.
    pub fn shard(&self) -> Option<&Shard> {
        self.shard.as_deref()
    }

    /// What the writer knew of the values.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_deref()
    }

    /// What a private element type is made of.
    pub fn extension_type(&self) -> Option<&ExtensionType> {
        self.extension_type.as_ref()
    }

    /// The role in an overlay.
    pub fn member_role(&self) -> Option<MemberRole> {
        self.member_role
    }

    /// The width of one element in bits, 1, 2, 4, 6 or a multiple of 8; that of a private type
    /// comes from its section. `None` for a type that is not known.
    pub fn element_bits(&self) -> Option<u32> {
        match self.extension_type {
            Some(section) => Some(section.bit_width()),
            None => self.element_type.bits(),
        }
    }

    /// Elements of the tensor: the product of its shape. An error when a dimension is dynamic or
    /// the product leaves 64 bits.
    pub fn element_count(&self) -> Result<u64> {
        shape::elements(&self.shape)?.ok_or_else(shape::dynamic)
    }

    /// Whether some dimension is dynamic: then nothing is computed from the shape.
    pub fn has_dynamic_dimension(&self) -> bool {
        shape::is_dynamic(&self.shape)
    }

    /// Whether other tensors hold the elements (composite.md).
    pub fn is_composite_head(&self) -> bool {
        self.layout.kind() == layout::Kind::Virtual
    }

    /// Whether the layout is not known: then only type, shape and byte_offset were read, the
    /// buffer table is not known and the data is one opaque region (decisions.md row 27).
    pub fn is_opaque(&self) -> bool {
        matches!(self.layout, Layout::Unknown(_))
    }

    /// How the axis of a quantization scheme is stored when its last block is partial.
    pub fn padding(&self) -> Result<Option<Padding>> {
        match &self.quantization {
            Some(scheme) => scheme.padding(&self.shape, &self.layout),
            None => Ok(None),
        }
    }

    /// How many scales (and zero points) the parameter buffers hold. `None` without such buffers
    /// and when a dynamic dimension hides it.
    pub fn parameter_count(&self) -> Result<Option<u64>> {
        match &self.quantization {
            Some(scheme) if scheme.parameters().scales.is_some() => scheme.entries(&self.tensor()),
            _ => Ok(None),
        }
    }

    /// Buffers of the layout's own; the rest are parameter buffers. To a private layout belong all
    /// that are not a known scheme's.
    pub fn own_buffers(&self) -> u64 {
        match self.layout.kind() {
            layout::Kind::Opaque => {
                let parameters = self.quantization.as_ref().map_or(0, |scheme| scheme.buffers().0);
                math::wide(self.buffers.len()).saturating_sub(parameters)
            }
            _ => self.layout.own_buffers(self.rank()),
        }
    }

    /// How large a buffer has to be, and what its size was held against: byte_offset counts.
    pub fn need(&self, buffer: u64) -> Result<Need> {
        if buffer < self.own_buffers() {
            return self.layout.rules().need(buffer, &self.facts()?);
        }
        match &self.quantization {
            Some(scheme) => scheme.need(buffer, &self.tensor()),
            None => Ok(Need::Unknown),
        }
    }

    /// What a buffer holds, in a word or two.
    pub fn buffer_name(&self, buffer: u64) -> &'static str {
        match &self.quantization {
            Some(scheme) if buffer >= self.own_buffers() => scheme.buffer_name(buffer),
            _ => self.layout.buffer_name(buffer),
        }
    }

    /// Bytes from the start of the first buffer to the end of the last, each placed at a multiple
    /// of `alignment`, a power of two (container.md, Index). 0 without data bytes.
    ///
    /// A descriptor that [is opaque](Self::is_opaque) does not say: an error.
    pub fn data_length(&self, alignment: u64) -> Result<u64> {
        self.placeable(alignment)?;
        buffer_table::data_length(&self.buffers, alignment)
    }

    /// Where each buffer starts when the first starts at `data_offset` and the others at multiples
    /// of `alignment`, a power of two (container.md, Index). Without data bytes all start there.
    ///
    /// A descriptor that [is opaque](Self::is_opaque) does not say: an error.
    pub fn buffer_offsets(&self, data_offset: u64, alignment: u64) -> Result<Few<u64, 3>> {
        self.placeable(alignment)?;
        buffer_table::offsets(&self.buffers, data_offset, alignment)
    }

    /// Where buffer `k` of them starts; `None` when there are not so many.
    pub fn buffer_offset(&self, k: u64, data_offset: u64, alignment: u64) -> Result<Option<u64>> {
        self.placeable(alignment)?;
        let k = usize::try_from(k).unwrap_or(usize::MAX);
        buffer_table::offset(&self.buffers, k, data_offset, alignment)
    }

    fn placeable(&self, alignment: u64) -> Result<()> {
        if !alignment.is_power_of_two() {
            let (what, value) = ("alignment", alignment);
            return Err(Error::new(ErrorKind::PowerOfTwo { what, value }).by_caller());
        }
        match self.is_opaque() {
            false => Ok(()),
            true => Err(Error::new(ErrorKind::Unsupported { what: "buffer table of this layout" })),
        }
    }

    /// Bytes of memory that a kept descriptor costs.
    pub fn memory_bytes(&self) -> usize {
        let boxed = |bytes: Option<usize>| bytes.unwrap_or(0);
        size_of::<Self>()
            .saturating_add(self.shape.heap_bytes())
            .saturating_add(self.layout.rules().heap_bytes())
            .saturating_add(self.buffers.heap_bytes())
            .saturating_add(boxed(self.quantization.as_ref().map(Quantization::heap_bytes)))
            .saturating_add(boxed(
                self.shard.as_ref().map(|s| s.heap_bytes().saturating_add(size_of::<Shard>())),
            ))
            .saturating_add(boxed(self.statistics.as_ref().map(|_| size_of::<Statistics>())))
    }

    /// Lowers the declared alignment of every buffer to at most `most`, a power of two and at least
    /// [`MIN_ALIGNMENT`]: for writing to where no more can be given (decisions.md row 49).
    pub(crate) fn lower_alignments(&mut self, most: u32) {
        debug_assert!(most.is_power_of_two() && most >= MIN_ALIGNMENT);
        for buffer in self.buffers.as_mut_slice() {
            buffer.alignment = buffer.alignment.min(most);
        }
    }

    /// A copy.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(Self {
            version_minor: self.version_minor,
            element_type: self.element_type,
            member_role: self.member_role,
            flags: self.flags,
            shape: self.shape.try_clone()?,
            byte_offset: self.byte_offset,
            layout: self.layout.try_clone()?,
            buffers: self.buffers.try_clone()?,
            quantization: self.quantization.as_ref().map(Quantization::try_clone).transpose()?,
            extension_type: self.extension_type,
            shard: match &self.shard {
                Some(shard) => Some(Box::new(shard.try_clone()?)),
                None => None,
            },
            statistics: self.statistics.clone(),
        })
    }

    /// A scalar without a buffer: what decoding and building fill in.
    const BLANK: Self = Self {
        version_minor: 0,
        element_type: ElementType::FLOAT32,
        member_role: None,
        flags: 0,
        shape: Dims::empty(0),
        byte_offset: 0,
        layout: Layout::RowMajor(layout::RowMajor),
        buffers: buffer_table::NONE,
        quantization: None,
        extension_type: None,
        shard: None,
        statistics: None,
    };

    fn tensor(&self) -> quantization::Tensor<'_> {
        quantization::Tensor {
            element_type: self.element_type,
            shape: &self.shape,
            layout: &self.layout,
        }
    }

    fn facts(&self) -> Result<Facts<'_>> {
        Ok(Facts {
            shape: &self.shape,
            byte_offset: self.byte_offset,
            bits: self.element_bits(),
            padding: self.padding()?,
        })
    }

    /// The flags that the sections make.
    fn section_flags(&self) -> u32 {
        let bit = |there: bool, bit: u32| if there { bit } else { 0 };
        bit(self.quantization.is_some(), flag::QUANTIZATION)
            | bit(self.shard.is_some(), flag::SHARD)
            | bit(self.extension_type.is_some(), flag::EXTENSION_TYPE)
            | bit(self.statistics.is_some(), flag::STATISTICS)
            | bit(self.member_role.is_some(), flag::COMPOSITE_MEMBER)
    }
}

impl PartialEq for Descriptor {
    fn eq(&self, other: &Self) -> bool {
        let entry = |buffer: &Buffer| (buffer.byte_size, buffer.alignment, buffer.device);
        self.element_type == other.element_type
            && self.member_role == other.member_role
            && self.flags == other.flags
            && self.shape == other.shape
            && self.byte_offset == other.byte_offset
            && self.layout == other.layout
            && self.buffers.iter().map(entry).eq(other.buffers.iter().map(entry))
            && self.quantization == other.quantization
            && self.extension_type == other.extension_type
            && self.shard == other.shard
            && self.statistics == other.statistics
    }
}

#[cfg(test)]
mod tests;
