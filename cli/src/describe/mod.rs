//! What a file says, as JSON values: docs/info-json.md documents every field.

mod kv;
mod layout;
mod quantization;
mod sections;

use hurray::container::{Entry, File};
use hurray::descriptor::layout::Composition;
use hurray::descriptor::{Buffer, Descriptor, Device};
use serde_json::{Map, Value, json};

pub(crate) use kv::{element, entry, short};
pub(crate) use sections::{role_name, statistics};

/// The file header.
pub(crate) fn header(file: &File) -> Value {
    let header = file.header();
    json!({
        "version_major": 1,
        "version_minor": header.version_minor(),
        "file_flags": header.flags().bits(),
        "has_kv_metadata": header.flags().has_kv(),
        "sorted_index": header.flags().sorted(),
        "has_index_crc32c": header.flags().has_crc(),
        "data_buffer_alignment": header.alignment(),
        "first_descriptor_offset": header.first_descriptor_offset(),
        "tensor_count_hint": header.tensor_count_hint().unwrap_or(u64::MAX),
    })
}

/// The trailer.
pub(crate) fn trailer(file: &File) -> Value {
    let trailer = file.trailer();
    json!({
        "index_offset": trailer.index_offset,
        "index_length": trailer.index_length,
        "kv_offset": trailer.kv.map_or(0, |kv| kv.offset),
        "kv_length": trailer.kv.map_or(0, |kv| kv.length),
        "index_crc32c": trailer.crc.unwrap_or(0),
    })
}

/// An entry of the index, but for the name.
pub(crate) fn index_entry(entry: &Entry<'_>) -> Value {
    json!({
        "descriptor_offset": entry.descriptor_offset,
        "descriptor_length": entry.descriptor_length,
        "data_offset": entry.data_offset,
        "data_length": entry.data_length,
    })
}

/// A descriptor, of which `bytes` are the bytes, but for its buffers.
pub(crate) fn descriptor(descriptor: &Descriptor, bytes: &[u8]) -> Map<String, Value> {
    let element_type = descriptor.element_type();
    let layout = descriptor.layout();
    fields([
        ("version_minor", descriptor.version_minor().into()),
        ("flags", descriptor.flags().into()),
        ("dtype", element_type.name().into()),
        ("dtype_tag", element_type.tag().into()),
        ("element_bits", descriptor.element_bits().into()),
        ("rank", descriptor.rank().into()),
        ("shape", descriptor.shape().into()),
        ("element_count", descriptor.element_count().ok().into()),
        ("byte_offset", descriptor.byte_offset().into()),
        ("layout", layout.tag().name().into()),
        ("layout_tag", layout.tag().tag().into()),
        ("layout_fields", layout::fields(layout)),
        ("quant", quantization::section(descriptor, bytes)),
        ("shard", descriptor.shard().map(sections::shard).into()),
        ("stats", descriptor.statistics().map(statistics).into()),
        ("ext_type", descriptor.extension_type().map(sections::extension_type).into()),
        ("member_role", descriptor.member_role().map(|role| role.tag()).into()),
        ("member_role_name", descriptor.member_role().map(sections::role_name).into()),
    ])
}

/// What a head says of its composite.
pub(crate) fn composition(rule: Composition, member_count: u32) -> Map<String, Value> {
    layout::composition(rule, member_count)
}

/// The name of a rule; with that of the operation if it has one.
pub(crate) fn composition_name(rule: Composition) -> String {
    match rule {
        Composition::Overlay(_) => {
            format!("{} ({})", layout::rule_name(rule), layout::combine_name(rule))
        }
        Composition::Partition | Composition::Group | Composition::Private(_) => {
            layout::rule_name(rule).to_owned()
        }
    }
}

/// An entry of a buffer table and the place of the buffer in the file.
pub(crate) fn buffer(name: &str, buffer: &Buffer, offset: u64, hash: Option<&str>) -> Value {
    let [sync_mode, memory_class, reserved] = buffer.reserved;
    let mut fields = fields([
        ("name", name.into()),
        ("offset", offset.into()),
        ("byte_size", buffer.byte_size.into()),
        ("alignment", buffer.alignment.into()),
        ("device", Device::from_tag(buffer.device).name().into()),
        ("device_tag", buffer.device.into()),
        ("sync_mode", sync_mode.into()),
        ("memory_class", memory_class.into()),
        ("reserved", reserved.into()),
    ]);
    if let Some(hash) = hash {
        fields.insert("sha256".into(), hash.into());
    }
    fields.into()
}

/// A float: text where JSON has no number.
fn float(value: f64) -> Value {
    if value.is_nan() {
        "nan".into()
    } else if value.is_infinite() {
        if value > 0.0 { "inf" } else { "-inf" }.into()
    } else {
        value.into()
    }
}

/// Opaque bytes.
fn hex(bytes: &[u8]) -> Value {
    json!({ "hex": digits(bytes) })
}

/// Bytes in hexadecimal, lower case.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fields<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
