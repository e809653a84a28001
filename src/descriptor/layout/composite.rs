//! The head of a composite (composite.md): a view of other tensors; it has no data.

use super::{Fields, Kind, Need, Rules, Traits};
use crate::bytes::{Cursor, Sink};
use crate::descriptor::Mode;
use crate::descriptor::facts::Facts;
use crate::descriptor::shape::{self, MAX_RANK};
use crate::descriptor::tag::{self, TagSpace};
use crate::error::{Error, ErrorKind, Result};

/// The member_count of a composite that is still growing: reserved.
const OPEN: u32 = u32::MAX;

/// The layout of a composite head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composite {
    rule: Composition,
    member_count: u32,
}

/// How members make up the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composition {
    /// Every element comes from exactly one member.
    Partition,
    /// Members lie over one another.
    Overlay(Combine),
    /// Independent tensors.
    Group,
    /// Somebody's own rule, 0xF0 to 0xFE; permissive mode only.
    Private(u8),
}

/// What a correction does to what lies below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// It takes its place.
    Replace,
    /// It is added to it.
    Add,
}

impl Composition {
    /// `composition_rule`.
    pub const fn rule_tag(self) -> u8 {
        match self {
            Self::Partition => 1,
            Self::Overlay(_) => 2,
            Self::Group => 3,
            Self::Private(tag) => tag,
        }
    }

    /// `combine_op`.
    pub const fn combine_tag(self) -> u8 {
        match self {
            Self::Overlay(Combine::Replace) => 1,
            Self::Overlay(Combine::Add) => 2,
            Self::Partition | Self::Group | Self::Private(_) => 0,
        }
    }

    fn read(rule: u8, op: u8, mode: Mode) -> Result<Self> {
        let found = match (rule, op) {
            (1, _) => Self::Partition,
            (2, 1) => Self::Overlay(Combine::Replace),
            (2, 2) => Self::Overlay(Combine::Add),
            (2, _) => {
                let (what, value) = ("combine_op of an overlay", op.into());
                return Err(Error::new(ErrorKind::Limits { what, value, min: 1, max: 2 }));
            }
            (3, _) => Self::Group,
            (_, _) if matches!(TagSpace::of(rule), TagSpace::Private) && mode.is_permissive() => {
                Self::Private(rule)
            }
            _ => return Err(tag::refusal("composition_rule", rule)),
        };
        match found {
            Self::Partition | Self::Group | Self::Private(_) if op != 0 => {
                let (what, value) = ("combine_op", op.into());
                Err(Error::new(ErrorKind::Reserved { what, value }))
            }
            _ => Ok(found),
        }
    }
}

impl Composite {
    /// A head over the `member_count` tensors that follow it. An overlay has at least its base;
    /// all ones is reserved; private rules cannot be written.
    pub fn new(rule: Composition, member_count: u32) -> Result<Self> {
        if let Composition::Private(tag) = rule {
            return Err(tag::refusal("composition_rule", tag));
        }
        Self::with_rule(rule, member_count)
    }

    fn with_rule(rule: Composition, member_count: u32) -> Result<Self> {
        let least = if matches!(rule, Composition::Overlay(_)) { 1 } else { 0 };
        if member_count == OPEN || member_count < least {
            let (what, value) = ("member_count", member_count.into());
            let (min, max) = (least.into(), OPEN.saturating_sub(1).into());
            return Err(Error::new(ErrorKind::Limits { what, value, min, max }));
        }
        Ok(Self { rule, member_count })
    }

    /// How the members make up the whole.
    pub fn rule(&self) -> Composition {
        self.rule
    }

    /// How many tensors after the head belong to it.
    pub fn member_count(&self) -> u32 {
        self.member_count
    }
}

impl Fields for Composite {
    const TRAITS: Traits = Traits { ranks: (0, MAX_RANK), kind: Kind::Virtual, ..Traits::DENSE };

    fn read(cursor: &mut Cursor<'_>, _shape: &[u64], mode: Mode) -> Result<Self> {
        let start = cursor.offset();
        let (rule, op) = (cursor.u8("composition_rule")?, cursor.u8("combine_op")?);
        let rule = Composition::read(rule, op, mode).map_err(|error| error.at(start))?;
        cursor.reserved(2, "composite reserved")?;
        let at = cursor.offset();
        let member_count = cursor.u32("member_count")?;
        Self::with_rule(rule, member_count).map_err(|error| error.at(at))
    }

    fn try_clone(&self) -> Result<Self> {
        Ok(*self)
    }
}

impl Rules for Composite {
    fn encoded_len(&self) -> u64 {
        8
    }

    fn write(&self, sink: &mut Sink) -> Result<()> {
        sink.u8(self.rule.rule_tag())?;
        sink.u8(self.rule.combine_tag())?;
        sink.zeros(2)?;
        sink.u32(self.member_count)
    }

    /// Places in a view are not counted along a dynamic dimension (decisions.md row 23).
    fn check(&self, shape: &[u64], mode: Mode) -> Result<()> {
        match self.rule {
            Composition::Private(tag) if !mode.is_permissive() => {
                Err(tag::refusal("composition_rule", tag))
            }
            Composition::Partition | Composition::Overlay(_) if shape::is_dynamic(shape) => {
                let rule = "dynamic dimension of a partition or overlay head";
                Err(Error::new(ErrorKind::Rule { rule }))
            }
            _ => Ok(()),
        }
    }

    fn own_buffers(&self, _rank: u32) -> u64 {
        0
    }

    fn need(&self, _buffer: u64, _facts: &Facts<'_>) -> Result<Need> {
        Ok(Need::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::tests::{builder, patched, round_trips, strict};
    use crate::descriptor::{
        DYNAMIC, Descriptor, ElementType, Layout, MemberRole, Quantization, Shard,
        quantization::PerTensor,
    };

    fn head(shape: &[u64], rule: Composition, member_count: u32) -> Result<Descriptor> {
        let layout = Composite::new(rule, member_count)?;
        builder(ElementType::FLOAT16, shape, layout).build()
    }

    #[test]
    fn fields_and_their_rules() {
        let d = head(&[8, 8], Composition::Partition, 2).unwrap();
        round_trips(&d);
        assert_eq!((d.buffers().len(), d.data_length(4096).unwrap()), (0, 0));
        for (byte, value, message) in [
            (0, 0, "composition_rule 0 is not valid, at byte 44"),
            (0, 4, "composition_rule 0x04 is reserved, at byte 44"),
            (0, 0xF0, "composition_rule 0xf0 is private, at byte 44"),
            (0, 0xFF, "composition_rule 255 is not valid, at byte 44"),
            (0, 2, "combine_op of an overlay 0 is not in 1 to 2, at byte 44"),
            (1, 1, "combine_op must be 0, is 1, at byte 44"),
            (3, 1, "composite reserved must be 0, is 1, at byte 47"),
        ] {
            assert_eq!(strict(&d, 44 + byte, &[value]), format!("descriptor: {message}"));
        }
        assert_eq!(
            strict(&d, 48, &[0xFF; 4]),
            "descriptor: member_count 4294967295 is not in 0 to 4294967294, at byte 48"
        );
        assert_eq!(
            strict(&d, 36, &[1]),
            "descriptor: byte_offset with this layout is 1, must be 0, at byte 36"
        );
        assert_eq!(strict(&d, 52, &[1]), "descriptor: buffer_count is 1, must be 0, at byte 52");
        // An overlay cannot do without its base; the others can.
        assert!(head(&[8], Composition::Overlay(Combine::Add), 0).is_err());
        assert!(head(&[8], Composition::Partition, 0).is_ok());
        assert!(head(&[], Composition::Group, 0).is_ok());
    }

    #[test]
    fn private_rules_are_read_in_permissive_mode_and_never_written() {
        let d = head(&[8, 8], Composition::Partition, 2).unwrap();
        assert_eq!(patched(&d, 44, &[0xF0], Mode::Permissive), "ok");
        let mut bytes = d.encode().unwrap();
        bytes[44] = 0xF0;
        let d = Descriptor::decode(&bytes, Mode::Permissive).unwrap();
        let Layout::Composite(layout) = d.layout() else { panic!("{d:?}") };
        assert_eq!(layout.rule(), Composition::Private(0xF0));
        assert_eq!(d.encode().unwrap(), bytes);
        assert!(builder(ElementType::FLOAT16, &[8, 8], *layout).build().is_err());
        assert!(Composite::new(Composition::Private(0xF0), 2).is_err());
        assert!(Composite::new(Composition::Private(1), 2).is_err());
    }

    #[test]
    fn sections_of_heads() {
        let shape = [8, DYNAMIC];
        let overlay = Composition::Overlay(Combine::Replace);
        assert!(head(&shape, Composition::Group, 2).is_ok());
        for rule in [Composition::Partition, overlay] {
            assert_eq!(
                head(&shape, rule, 2).unwrap_err().to_string(),
                "dynamic dimension of a partition or overlay head"
            );
        }
        let layout = Composite::new(Composition::Group, 1).unwrap();
        let mut quantized = builder(ElementType::INT8, &[8], layout);
        quantized.quantization(Quantization::from(PerTensor::new(1.0, 0).unwrap()));
        assert_eq!(
            quantized.build().unwrap_err().to_string(),
            "HAS_QUANTIZATION of a composite head is 1, must be 0"
        );
        let mut member = builder(ElementType::INT8, &[8], layout);
        assert_eq!(
            member.member_role(MemberRole::Base).build().unwrap_err().to_string(),
            "HAS_COMPOSITE_MEMBER of a composite head is 1, must be 0"
        );
        let mut sharded = builder(ElementType::INT8, &[8], layout);
        sharded.shard(Shard::new(&[9], &[1]).unwrap());
        round_trips(&sharded.build().unwrap());
    }
}
