//! Quantization schemes: how stored codes become values (quantization.md).
//!
//! One file a scheme: its fields, their reading and writing, its rules. A further scheme is one
//! such file and one line in the list below.

mod blocks;
#[macro_use]
mod list;
mod opaque;
mod scheme_tag;
mod storage;

pub use blocks::Blocks;
pub use opaque::Opaque;
pub use scheme_tag::SchemeTag;
pub(crate) use storage::integer_range;

use super::Mode;
use super::element_type::ElementType;
use super::facts::{Need, Padding};
use super::layout::{Layout, PartialBlock};
use super::shape::DYNAMIC;
use super::tag::{self, TagSpace};
use crate::bytes::{Cursor, Sink, math};
use crate::error::{Error, ErrorKind, Result};

schemes! {
    /// One scale and zero point for all.
    per_tensor::PerTensor = 0x01, "per_tensor_affine";
    /// One scale and zero point for every index of an axis.
    per_channel::PerChannel = 0x02, "per_channel_affine";
    /// One scale and zero point for every block along an axis.
    per_block::PerBlock = 0x03, "per_block_affine";
    /// Sixteen fixed values, scaled by block.
    nf4::Nf4 = 0x04, "nf4";
    /// Narrow floats or integers, scaled by powers of two.
    mxfp::Mxfp = 0x05, "mxfp";
}

/// Flag bit 0 of the affine schemes with buffers: no zero points.
const SYMMETRIC: u16 = 1;

/// Names no buffer.
const NO_BUFFER: u32 = u32::MAX;

/// What a scheme's rules look at beside its own fields.
#[derive(Clone, Copy)]
pub(crate) struct Tensor<'a> {
    pub(crate) element_type: ElementType,
    pub(crate) shape: &'a [u64],
    pub(crate) layout: &'a Layout,
}

/// The parameter buffers of a scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The buffer that holds the scales.
    pub scales: Option<u32>,
    /// Bytes of one scale.
    pub scale_bytes: u32,
    /// The buffer that holds the zero points, i32 each; perhaps the same one, after the scales.
    pub zero_points: Option<u32>,
}

/// Bytes of one zero point.
const ZERO_POINT_BYTES: u64 = 4;

impl Parameters {
    /// Distinct buffers.
    fn count(&self) -> u64 {
        match (self.scales, self.zero_points) {
            (None, None) => 0,
            (Some(scales), Some(zero_points)) if scales != zero_points => 2,
            _ => 1,
        }
    }
}

/// What a known scheme answers for itself.
trait Rules {
    /// Its flags.
    fn flags(&self) -> u16 {
        0
    }

    /// Bytes of its payload, header included.
    fn encoded_len(&self) -> u64;

    /// Writes what follows the payload header.
    fn write(&self, sink: &mut Sink) -> Result<()>;

    /// Types that its codes may be stored in.
    fn storage(&self) -> &'static [ElementType];

    /// The rules about its fields, the shape and the layout.
    fn check(&self, tensor: &Tensor<'_>) -> Result<()>;

    /// Its parameter buffers.
    fn parameters(&self) -> Parameters {
        Parameters::default()
    }

    /// How many scales there are; `None` when a dynamic dimension hides it.
    fn entries(&self, _tensor: &Tensor<'_>) -> Result<Option<u64>> {
        Ok(Some(0))
    }

    /// Its blocks.
    fn blocks(&self) -> Option<Blocks> {
        None
    }
}

/// What makes a type a scheme.
trait Fields: Rules + Copy {
    /// Flags it defines.
    const FLAGS: u16 = 0;

    /// Reads what follows the payload header.
    fn read(cursor: &mut Cursor<'_>, flags: u16) -> Result<Self>;
}

impl Quantization {
    /// Reads the section. What a payload holds after its fields is the writer's padding.
    pub(super) fn read(cursor: &mut Cursor<'_>, mode: Mode) -> Result<Self> {
        let length = cursor.u32("quantization_length")?;
        let start = *cursor;
        let payload = cursor.take_wide(length.into(), "quantization payload")?;
        let mut fields = Cursor::new(payload, start.offset());
        let [scheme, version, low, high] = fields.array("quantization payload header")?;
        let (tag, flags) = (SchemeTag(scheme), u16::from_le_bytes([low, high]));
        let here = |at: u64| move |error: Error| error.at(start.offset().saturating_add(at));
        if tag.known().is_none() {
            if matches!(TagSpace::of(scheme), TagSpace::Invalid) || !mode.is_permissive() {
                return Err(here(0)(tag::refusal("scheme_tag", scheme)));
            }
            return Ok(Self::Opaque(Box::new(Opaque::new(payload)?)));
        }
        if version != 1 {
            let (what, found) = ("scheme_version", version.into());
            return Err(here(1)(Error::new(ErrorKind::Version { what, found, supported: 1 })));
        }
        if flags & !tag.flags() != 0 {
            let (what, value) = ("reserved bits of scheme flags", flags & !tag.flags());
            return Err(here(2)(Error::new(ErrorKind::Reserved { what, value: value.into() })));
        }
        Self::read_known(tag, &mut fields, flags)
    }

    /// Writes the section, without padding.
    pub(super) fn write(&self, sink: &mut Sink) -> Result<()> {
        let length = u32::try_from(self.payload_len())
            .map_err(|_| Error::new(ErrorKind::Overflow { what: "quantization_length" }))?;
        sink.u32(length)?;
        match (self, self.rules()) {
            (Self::Opaque(scheme), _) => sink.bytes(scheme.payload()),
            (_, None) => Ok(()),
            (_, Some(rules)) => {
                sink.bytes(&[self.tag().0, 1])?;
                sink.u16(rules.flags())?;
                rules.write(sink)
            }
        }
    }

    fn payload_len(&self) -> u64 {
        match (self, self.rules()) {
            (Self::Opaque(scheme), _) => math::wide(scheme.payload().len()),
            (_, rules) => rules.map_or(0, Rules::encoded_len),
        }
    }

    /// Bytes of the section.
    pub(super) fn encoded_len(&self) -> u64 {
        self.payload_len().saturating_add(4)
    }

    /// The parameter buffers. A scheme that is not known may have some, and names none.
    pub fn parameters(&self) -> Parameters {
        self.rules().map(Rules::parameters).unwrap_or_default()
    }

    /// The scheme's flags; 0 for a scheme that is not known.
    pub fn flags(&self) -> u16 {
        self.rules().map_or(0, Rules::flags)
    }

    /// The blocks of a scheme that has some.
    pub fn blocks(&self) -> Option<Blocks> {
        self.rules().and_then(Rules::blocks)
    }

    /// Buffers that follow the layout's own: how many at least, and at most.
    pub(super) fn buffers(&self) -> (u64, u64) {
        match self {
            Self::Opaque(_) => (0, u8::MAX.into()),
            _ => (self.parameters().count(), self.parameters().count()),
        }
    }

    /// The rules of the scheme. The first `own` of `count` buffers are the layout's.
    pub(super) fn check(
        &self,
        tensor: &Tensor<'_>,
        own: u64,
        count: u64,
        mode: Mode,
    ) -> Result<()> {
        let Some(rules) = self.rules() else {
            return match mode {
                Mode::Strict => Err(tag::refusal("scheme_tag", self.tag().0)),
                Mode::Permissive => Ok(()),
            };
        };
        // A type that only permissive mode takes may be one that the scheme knows by now.
        let known = tensor.element_type.is_known() || tensor.element_type.is_private();
        if known && !rules.storage().contains(&tensor.element_type) {
            let (what, value) = ("storage type_tag", tensor.element_type.tag().into());
            return Err(Error::new(ErrorKind::Value { what, value }));
        }
        rules.check(tensor)?;
        if let Some(blocks) = rules.blocks()
            && tensor.layout.traits().partial_block == PartialBlock::Refused
        {
            blocks.check_whole(tensor.shape)?;
        }
        let parameters = rules.parameters();
        for (what, buffer) in
            [("scale_buffer", parameters.scales), ("zero_point_buffer", parameters.zero_points)]
        {
            if let Some(buffer) = buffer
                && !(own..count).contains(&buffer.into())
            {
                let (value, max) = (buffer.into(), count.saturating_sub(1));
                return Err(Error::new(ErrorKind::Limits { what, value, min: own, max }));
            }
        }
        Ok(())
    }

    /// How many scales (and zero points) there are; `None` when a dynamic dimension hides it or
    /// the scheme is not known.
    pub(super) fn entries(&self, tensor: &Tensor<'_>) -> Result<Option<u64>> {
        self.rules().map_or(Ok(None), |rules| rules.entries(tensor))
    }

    /// How large the buffer `buffer`, none of the layout's own, has to be.
    pub(super) fn need(&self, buffer: u64, tensor: &Tensor<'_>) -> Result<Need> {
        let Some(entries) = self.entries(tensor)? else {
            return Ok(Need::Unknown);
        };
        let parameters = self.parameters();
        let mut size = 0;
        for (place, entry) in [
            (parameters.scales, parameters.scale_bytes.into()),
            (parameters.zero_points, ZERO_POINT_BYTES),
        ] {
            if place.map(u64::from) == Some(buffer) {
                let part = math::mul(entries, entry, "size of a parameter buffer")?;
                size = math::add(size, part, "size of a parameter buffer")?;
            }
        }
        Ok(Need::Exactly(size))
    }

    /// What the parameter buffer `buffer` holds.
    pub(super) fn buffer_name(&self, buffer: u64) -> &'static str {
        let parameters = self.parameters();
        let holds = |place: Option<u32>| place.map(u64::from) == Some(buffer);
        match (holds(parameters.scales), holds(parameters.zero_points)) {
            (true, true) => "scales and zero points",
            (true, false) => "scales",
            (false, true) => "zero points",
            (false, false) => "parameters",
        }
    }

    /// How the axis is stored in this layout, when its last block is partial.
    pub(super) fn padding(&self, shape: &[u64], layout: &Layout) -> Result<Option<Padding>> {
        match self.blocks() {
            Some(blocks) if layout.traits().partial_block == PartialBlock::Padded => {
                blocks.padding(shape)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Opaque(scheme) => scheme.heap_bytes(),
            _ => 0,
        }
    }
}

/// The size of a scheme's axis, which must exist and not be dynamic.
fn axis_size(axis: u32, shape: &[u64]) -> Result<u64> {
    let (value, rank) = (u64::from(axis), math::wide(shape.len()));
    let size = usize::try_from(axis).ok().and_then(|axis| shape.get(axis));
    Err(Error::new(match size {
        Some(&DYNAMIC) => {
            ErrorKind::RuleAt { what: "axis", index: value, rule: "dynamic dimension" }
        }
        Some(&size) => return Ok(size),
        None if rank == 0 => ErrorKind::Rule { rule: "axis of a scheme on a tensor of rank 0" },
        None => ErrorKind::Limits { what: "axis", value, min: 0, max: rank.saturating_sub(1) },
    }))
}

/// Reads a reference to zero points, which SYMMETRIC takes away.
fn read_zero_points(raw: u32, flags: u16) -> Option<u32> {
    (flags & SYMMETRIC == 0).then_some(raw)
}

/// The flags of an affine scheme with these zero points.
fn affine_flags(zero_points: Option<u32>) -> u16 {
    if zero_points.is_none() { SYMMETRIC } else { 0 }
}

/// The scheme is not for block-paged tensors.
fn refuse_pages(tensor: &Tensor<'_>) -> Result<()> {
    match tensor.layout.rules().pages() {
        None => Ok(()),
        Some(_) => Err(Error::new(ErrorKind::Rule { rule: "scheme on a block-paged tensor" })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{hex, patched, strict};
    use crate::descriptor::{Builder, Descriptor};

    #[test]
    fn names_of_schemes() {
        for &scheme in SchemeTag::ALL {
            assert_eq!(SchemeTag::find(scheme.name()), Some(scheme));
        }
        assert_eq!(SchemeTag::from_tag(5).name(), "mxfp");
        assert_eq!(SchemeTag::from_tag(0xF0).name(), "private");
    }

    #[test]
    fn unknown_schemes_are_stepped_over_in_permissive_mode() {
        let mut b = Builder::new(ElementType::INT8, &[4]).unwrap();
        let d = b.quantization(PerTensor::new(1.0, 0).unwrap()).build().unwrap();
        // The payload begins at 57, after its length at 53.
        for (tag, message) in [
            (0x06, "scheme_tag 0x06 is reserved, at byte 57"),
            (0xF0, "scheme_tag 0xf0 is private, at byte 57"),
        ] {
            assert_eq!(strict(&d, 57, &[tag]), format!("descriptor: {message}"));
            assert_eq!(patched(&d, 57, &[tag], Mode::Permissive), "ok");
        }
        for tag in [0x00, 0xFF] {
            let message = format!("descriptor: scheme_tag {tag} is not valid, at byte 57");
            assert_eq!(patched(&d, 57, &[tag], Mode::Permissive), message);
        }
        assert_eq!(
            strict(&d, 53, &[200]),
            "descriptor: quantization payload truncated: need 200 bytes, have 16, at byte 57"
        );
        // A scheme with buffers of its own, on a type that no known scheme takes.
        let bytes = hex("48525259 01 00 5F000000 01000000 03 01 01000000
            0400000000000000 0000000000000000
            03 1000000000000000 40000000 00 000000
               0100000000000000 40000000 00 000000
               0000000000000000 40000000 00 000000
            06000000 F3 07 FFFF 0102");
        let d = Descriptor::decode(&bytes, Mode::Permissive).unwrap();
        let Some(Quantization::Opaque(scheme)) = d.quantization() else { panic!("{d:?}") };
        assert_eq!((scheme.tag(), scheme.payload()), (0xF3, &bytes[89..]));
        assert_eq!((d.own_buffers(), d.need(2).unwrap()), (1, Need::Unknown));
        assert_eq!(d.encode().unwrap(), bytes);
        assert_eq!(d.try_clone().unwrap(), d);
    }
}
