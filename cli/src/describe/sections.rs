//! The smaller optional sections of a descriptor (descriptor.md).

use hurray::descriptor::{Descriptor, ExtensionType, Format, MemberRole, Shard, Statistics};
use serde_json::{Map, Value, json};

use super::float;

/// Bytes of the sections that follow the quantization section.
pub(super) fn length_behind_quantization(descriptor: &Descriptor) -> usize {
    let shard = descriptor.shard().map_or(0, |shard| 16 * shard.offset().len());
    let statistics = descriptor.statistics().map_or(0, |_| 72);
    let extension_type = descriptor.extension_type().map_or(0, |_| 20);
    let member = descriptor.member_role().map_or(0, |_| 16);
    shard + statistics + extension_type + member
}

pub(super) fn shard(shard: &Shard) -> Value {
    json!({ "parent_shape": shard.parent_shape(), "shard_offset": shard.offset() })
}

/// What the writer knew: the other fields have no meaning.
pub(crate) fn statistics(statistics: &Statistics) -> Value {
    let mut fields = Map::new();
    let mut add = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    add("computed_mask", statistics.mask().into());
    if let Some(nnz) = statistics.nnz() {
        add("nnz", nnz.into());
    }
    if let Some(ratio) = statistics.sparsity_ratio() {
        add("sparsity_ratio", float(ratio));
    }
    if let Some(range) = statistics.range() {
        add("value_min", float(range.min));
        add("value_max", float(range.max));
        add("value_abs_max", float(range.abs_max));
    }
    if let Some(spread) = statistics.spread() {
        add("value_mean", float(spread.mean));
        add("value_stddev", float(spread.stddev));
    }
    if let Some(nm) = statistics.nm() {
        add("nm_n", nm.n.into());
        add("nm_m", nm.m.into());
    }
    if let Some(special) = statistics.special() {
        add("has_nan", u8::from(special.has_nan).into());
        add("has_inf", u8::from(special.has_inf).into());
    }
    fields.into()
}

pub(super) fn extension_type(section: &ExtensionType) -> Value {
    let (is_float, is_signed, has_sign, exponent_bits, mantissa_bits, bias, has_nan, has_inf) =
        match section.format() {
            Format::Integer { is_signed } => (0, is_signed, false, 0, 0, 0, false, false),
            Format::Float {
                has_sign,
                exponent_bits,
                mantissa_bits,
                exponent_bias,
                has_nan,
                has_inf,
            } => {
                (1, false, has_sign, exponent_bits, mantissa_bits, exponent_bias, has_nan, has_inf)
            }
        };
    json!({
        "bit_width": section.bit_width(),
        "packing_factor": section.packing_factor(),
        "is_float": is_float,
        "is_signed": u8::from(is_signed),
        "sign_bits": u8::from(has_sign),
        "exponent_bits": exponent_bits,
        "mantissa_bits": mantissa_bits,
        "exponent_bias": bias,
        "has_nan": u8::from(has_nan),
        "has_inf": u8::from(has_inf),
    })
}

pub(crate) fn role_name(role: MemberRole) -> &'static str {
    match role {
        MemberRole::Correction => "correction",
        MemberRole::Base => "base",
    }
}
