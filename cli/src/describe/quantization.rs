//! The quantization section (quantization.md).

use hurray::descriptor::{Descriptor, ElementType, Quantization};
use serde_json::{Map, Value, json};

use super::{fields, float, hex, sections};

/// The section of a descriptor, of which `bytes` are the bytes; null if there is none.
pub(super) fn section(descriptor: &Descriptor, bytes: &[u8]) -> Value {
    let Some(scheme) = descriptor.quantization() else { return Value::Null };
    let mut section =
        fields([("scheme", scheme.tag().name().into()), ("scheme_tag", scheme.tag().tag().into())]);
    if let Quantization::Opaque(opaque) = scheme {
        section.insert("payload".into(), hex(opaque.payload()));
        return section.into();
    }
    section.insert("scheme_version".into(), 1.into());
    section.insert("flags".into(), scheme.flags().into());
    section.extend(own(scheme));
    section.insert("padding".into(), hex(padding(descriptor, bytes)));
    section.into()
}

/// The fields of the scheme's own.
fn own(scheme: &Quantization) -> Map<String, Value> {
    let fields = match scheme {
        Quantization::PerTensor(affine) => json!({
            "scale": float(affine.scale().into()),
            "scale_bits": format!("{:#010x}", affine.scale().to_bits()),
            "zero_point": affine.zero_point(),
        }),
        Quantization::PerChannel(affine) => json!({
            "axis": affine.axis(),
            "scale_buffer_index": affine.scale_buffer(),
            "zero_point_buffer_index": affine.zero_point_buffer().unwrap_or(u32::MAX),
            "scale_type": ElementType::FLOAT32.name(),
            "scale_type_tag": ElementType::FLOAT32.tag(),
        }),
        Quantization::PerBlock(affine) => json!({
            "axis": affine.axis(),
            "block_size": affine.block_size(),
            "scale_buffer_index": affine.scale_buffer(),
            "zero_point_buffer_index": affine.zero_point_buffer().unwrap_or(u32::MAX),
            "scale_type": affine.scale_type().name(),
            "scale_type_tag": affine.scale_type().tag(),
        }),
        Quantization::Nf4(nf4) => json!({
            "axis": nf4.axis(),
            "block_size": nf4.block_size(),
            "scale_buffer_index": nf4.scale_buffer(),
        }),
        Quantization::Mxfp(mxfp) => json!({
            "axis": mxfp.axis(),
            "block_size": mxfp.block_size(),
            "scale_buffer_index": mxfp.scale_buffer(),
        }),
        Quantization::Opaque(_) => Value::Null,
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// What stands in the payload behind the scheme's fields. It is all that a descriptor has more
/// than its canonical bytes, and the other sections follow it.
fn padding<'b>(descriptor: &Descriptor, bytes: &'b [u8]) -> &'b [u8] {
    let place = || {
        let canonical = usize::try_from(descriptor.encoded_len().ok()?).ok()?;
        let end = bytes.len().checked_sub(sections::length_behind_quantization(descriptor))?;
        bytes.get(end.checked_sub(bytes.len().checked_sub(canonical)?)?..end)
    };
    place().unwrap_or_default()
}
