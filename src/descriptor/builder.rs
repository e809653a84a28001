//! Building of descriptors.

use super::buffer_table::{Buffers, MIN_ALIGNMENT};
use super::facts::Need;
use super::shape::Dims;
use super::{
    Buffer, Descriptor, Device, ElementType, ExtensionType, Layout, MemberRole, Mode, Quantization,
    Shard, Statistics, header, rules,
};
use crate::bytes::{Few, math};
use crate::error::{Error, ErrorKind, Result, Section};

/// Puts a descriptor together. Row-major at byte_offset 0 on the CPU with buffers aligned to 64,
/// unless told otherwise; buffers get the size that they need.
///
/// What it builds is what [`Descriptor::decode`] accepts in strict mode: everything else is an
/// error of the caller when [`build`](Self::build) is called.
#[derive(Debug)]
pub struct Builder {
    draft: Descriptor,
    alignment: u32,
    device: u8,
    told: Few<Told, 2>,
}

/// What the caller said about one buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    buffer: u8,
    byte_size: Option<u64>,
    alignment: Option<u32>,
}

impl Builder {
    /// A tensor of this type and shape; [`DYNAMIC`](super::DYNAMIC) for a size that is not known.
    pub fn new(element_type: ElementType, shape: &[u64]) -> Result<Self> {
        let rank = u32::try_from(shape.len()).unwrap_or(u32::MAX);
        header::check_rank(rank).map_err(Error::by_caller)?;
        let draft = Descriptor { element_type, shape: Dims::copy(shape)?, ..Descriptor::BLANK };
        Ok(Self { draft, alignment: MIN_ALIGNMENT, device: Device::CPU.tag(), told: Few::new() })
    }

    /// Another layout than row-major.
    pub fn layout(&mut self, layout: impl Into<Layout>) -> &mut Self {
        self.draft.layout = layout.into();
        self
    }

    /// Bytes from the start of buffer 0 to element [0, .., 0].
    pub fn byte_offset(&mut self, byte_offset: u64) -> &mut Self {
        self.draft.byte_offset = byte_offset;
        self
    }

    /// How stored codes become values.
    pub fn quantization(&mut self, scheme: impl Into<Quantization>) -> &mut Self {
        self.draft.quantization = Some(scheme.into());
        self
    }

    /// The box of a larger tensor that this one is.
    pub fn shard(&mut self, shard: Shard) -> &mut Self {
        self.draft.shard = Some(Box::new(shard));
        self
    }

    /// What is known of the values.
    pub fn statistics(&mut self, statistics: Statistics) -> &mut Self {
        self.draft.statistics = Some(Box::new(statistics));
        self
    }

    /// What a private element type is made of.
    pub fn extension_type(&mut self, section: ExtensionType) -> &mut Self {
        self.draft.extension_type = Some(section);
        self
    }

    /// The role in an overlay.
    pub fn member_role(&mut self, role: MemberRole) -> &mut Self {
        self.draft.member_role = Some(role);
        self
    }

    /// The tag of the device that all buffers belong to.
    pub fn device(&mut self, tag: u8) -> &mut Self {
        self.device = tag;
        self
    }

    /// The declared alignment of all buffers that are not told their own.
    pub fn alignment(&mut self, alignment: u32) -> &mut Self {
        self.alignment = alignment;
        self
    }

    /// The declared alignment of one buffer.
    pub fn buffer_alignment(&mut self, buffer: u8, alignment: u32) -> Result<&mut Self> {
        self.tell(buffer)?.alignment = Some(alignment);
        Ok(self)
    }

    /// The size of one buffer in bytes. Needed where only the content says it: a block table, the
    /// inner levels of a CSF tensor, anything that a dynamic dimension decides.
    pub fn buffer_size(&mut self, buffer: u8, byte_size: u64) -> Result<&mut Self> {
        self.tell(buffer)?.byte_size = Some(byte_size);
        Ok(self)
    }

    fn tell(&mut self, buffer: u8) -> Result<&mut Told> {
        let found = self.told.iter().position(|told| told.buffer == buffer);
        if found.is_none() {
            self.told.push(Told { buffer, ..Told::default() })?;
        }
        let place = found.unwrap_or_else(|| self.told.len().saturating_sub(1));
        let told = self.told.as_mut_slice().get_mut(place);
        told.ok_or_else(|| Error::new(ErrorKind::Internal { what: "lost what was told" }))
    }

    /// The descriptor. The builder keeps what it was told.
    pub fn build(&self) -> Result<Descriptor> {
        self.assemble().map_err(Error::by_caller)
    }

    fn assemble(&self) -> Result<Descriptor> {
        let mut d = self.draft.try_clone()?;
        d.flags = d.section_flags();
        let known = d.element_type.is_known() || d.element_type.is_private();
        if !known {
            let (what, value) = ("type_tag", d.element_type.tag().into());
            return Err(Error::new(ErrorKind::Value { what, value }));
        }
        // Sizes are asked of parts that fit together: what needs no size is checked first.
        let (count, _) = rules::buffer_counts(&d);
        rules::check_head(&d, Mode::Strict)?;
        rules::check_parts(&d, count, Mode::Strict, None)?;
        if let Some(told) = self.told.iter().find(|told| u64::from(told.buffer) >= count) {
            let (what, value) = ("buffer", told.buffer.into());
            return Err(Error::new(ErrorKind::Index { what, value, count }));
        }
        d.buffers = Buffers::with_capacity(math::to_usize(count, "buffer_count")?)?;
        for k in 0..count {
            let told = self.told.iter().find(|told| u64::from(told.buffer) == k);
            let need = d.need(k).map_err(|error| error.in_section(Section::Buffer(k)))?;
            let byte_size = match (told.and_then(|told| told.byte_size), need) {
                (Some(told), _) => told,
                (None, Need::AtLeast(size) | Need::Exactly(size)) => size,
                (None, Need::Content { .. } | Need::Unknown) => {
                    let rule = "its size is not known from the fields: it must be told";
                    return Err(Error::new(ErrorKind::RuleAt { what: "buffer", index: k, rule }));
                }
            };
            let alignment = told.and_then(|told| told.alignment).unwrap_or(self.alignment);
            let device = self.device;
            d.buffers.push(Buffer { byte_size, alignment, device, reserved: [0; 3] })?;
        }
        rules::check(&d, Mode::Strict, None)?;
        Ok(d)
    }
}
