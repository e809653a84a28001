//! The rules for one member and its head (composite.md, the table of checks).
//!
//! That a box lies inside its parent_shape, and that sections and layouts go together, is the
//! descriptor's own business.

use crate::bytes::math;
use crate::descriptor::layout::{Composition, Layout};
use crate::descriptor::{Descriptor, ElementType, MemberRole, Shard};
use crate::error::{Error, ErrorKind, Result};

/// How the members of a head make up the whole; `None` for a tensor that is no head.
pub(super) fn composition(head: &Descriptor) -> Option<Composition> {
    match head.layout() {
        Layout::Composite(fields) => Some(fields.rule()),
        _ => None,
    }
}

/// Holds a member against its head; `ordinal` is its place among the members. Gives the place of
/// its box in the head, where the head has places.
pub(super) fn check_member<'m>(
    head: &Descriptor,
    ordinal: u64,
    member: &'m Descriptor,
) -> Result<Option<&'m Shard>> {
    match composition(head) {
        Some(Composition::Partition) => {
            check_role(member, None)?;
            if composition(member) == Some(Composition::Group) {
                return rule("a group has no elements and cannot be a part");
            }
            let shard = check_box(head, member)?;
            check_type(head, member)?;
            Ok(Some(shard))
        }
        Some(Composition::Overlay(_)) => {
            if member.is_composite_head() {
                return rule("a composite head cannot be a member of an overlay");
            }
            let base = ordinal == 0;
            check_role(member, Some(if base { MemberRole::Base } else { MemberRole::Correction }))?;
            let shard = check_box(head, member)?;
            if base {
                check_span(head, member, shard)?;
            }
            check_type(head, member)?;
            Ok(Some(shard))
        }
        Some(Composition::Group) => {
            check_role(member, None)?;
            Ok(None)
        }
        // What somebody's own rule demands is not known.
        Some(Composition::Private(_)) | None => Ok(None),
    }
}

fn rule<T>(rule: &'static str) -> Result<T> {
    Err(Error::new(ErrorKind::Rule { rule }))
}

fn check_role(member: &Descriptor, expected: Option<MemberRole>) -> Result<()> {
    match (member.member_role(), expected) {
        (found, expected) if found == expected => Ok(()),
        (Some(_), None) => rule("only members of an overlay may carry a composite member section"),
        (None, _) => rule("a member of an overlay must carry a composite member section"),
        (Some(found), Some(expected)) => Err(Error::new(ErrorKind::Differs {
            what: "member_role",
            found: name_of(found),
            expected: name_of(expected),
        })),
    }
}

fn name_of(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Base => "base",
        MemberRole::Correction => "correction",
    }
}

/// The member is a part of a tensor of the head's shape.
fn check_box<'m>(head: &Descriptor, member: &'m Descriptor) -> Result<&'m Shard> {
    let Some(shard) = member.shard() else {
        return rule("a member of a partition or overlay must carry a shard section");
    };
    let (found, expected) = (member.rank().into(), head.rank().into());
    if found != expected {
        return Err(Error::new(ErrorKind::Mismatch { what: "rank", found, expected }));
    }
    same("parent_shape", shard.parent_shape(), head.shape())?;
    Ok(shard)
}

fn check_span(head: &Descriptor, member: &Descriptor, shard: &Shard) -> Result<()> {
    for (dimension, &found) in shard.offset().iter().enumerate() {
        if found != 0 {
            let (what, dimension, expected) =
                ("shard_offset of the base", math::wide(dimension), 0);
            return Err(Error::new(ErrorKind::MismatchIn { what, dimension, found, expected }));
        }
    }
    same("shape of the base", member.shape(), head.shape())
}

fn same(what: &'static str, found: &[u64], expected: &[u64]) -> Result<()> {
    let differing = found.iter().zip(expected).enumerate().find(|(_, (a, b))| a != b);
    match differing {
        None => Ok(()),
        Some((dimension, (&found, &expected))) => {
            let dimension = math::wide(dimension);
            Err(Error::new(ErrorKind::MismatchIn { what, dimension, found, expected }))
        }
    }
}

/// The member's values are of the head's type. What a scheme decodes to is a real number: any
/// float of 16 bits or more takes it (decisions.md row 21).
fn check_type(head: &Descriptor, member: &Descriptor) -> Result<()> {
    const REAL: [ElementType; 4] =
        [ElementType::FLOAT16, ElementType::BFLOAT16, ElementType::FLOAT32, ElementType::FLOAT64];
    let (found, expected) = (member.element_type(), head.element_type());
    if member.quantization().is_some() {
        return match REAL.contains(&expected) {
            true => Ok(()),
            false => differs(
                "type of the head of a quantized member",
                expected.name(),
                "float16, bfloat16, float32 or float64",
            ),
        };
    }
    if found != expected {
        return match found.name() == expected.name() {
            // Two of somebody's own.
            true => Err(Error::new(ErrorKind::Mismatch {
                what: "type_tag",
                found: found.tag().into(),
                expected: expected.tag().into(),
            })),
            false => differs("type", found.name(), expected.name()),
        };
    }
    match member.extension_type() == head.extension_type() {
        true => Ok(()),
        false => rule("extension type section differs from that of the head"),
    }
}

fn differs<T>(what: &'static str, found: &'static str, expected: &'static str) -> Result<T> {
    Err(Error::new(ErrorKind::Differs { what, found, expected }))
}
