//! What the library says of a file but for its descriptors, in the words of the manifests.

use hurray::container::{File, KvEntry, KvType};
use serde_json::{Value, json};

use crate::compare::{float, hex};

/// The header. `content` and `expect` spell the versions differently; both are here.
pub(crate) fn header(file: &File) -> Value {
    let header = file.header();
    json!({
        "container_version_major": 1,
        "container_version_minor": header.version_minor(),
        "version_major": 1,
        "version_minor": header.version_minor(),
        "file_flags": header.flags().bits(),
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

/// The KV section in its order. Every key must be found again by name.
pub(crate) fn kv(file: &File) -> Value {
    let kv = file.kv();
    (0..kv.len())
        .map(|i| {
            let entry = kv.get(i).unwrap();
            assert_eq!(kv.find(entry.key().as_bytes()), Some(i), "kv key {:?}", entry.key());
            let name = type_name(entry.kind());
            let tag = if entry.is_array() { 7 } else { entry.kind().tag() };
            let (kind, value) = if entry.is_array() {
                let elements = (0..entry.count()).map(|k| value(&entry, k)).collect();
                (format!("array<{name}>"), elements)
            } else {
                assert_eq!(entry.count(), 1);
                (name.to_owned(), value(&entry, 0))
            };
            json!({ "key": entry.key(), "tag": tag, "type": kind, "value": value })
        })
        .collect()
}

fn type_name(kind: KvType) -> &'static str {
    match kind {
        KvType::String => "string",
        KvType::I64 => "int64",
        KvType::U64 => "uint64",
        KvType::F64 => "float64",
        KvType::Bool => "bool",
        KvType::Bytes => "bytes",
    }
}

fn value(entry: &KvEntry<'_>, k: u64) -> Value {
    match entry.kind() {
        KvType::String => entry.string(k).unwrap().into(),
        KvType::I64 => entry.i64(k).unwrap().into(),
        KvType::U64 => entry.u64(k).unwrap().into(),
        KvType::F64 => float(entry.f64(k).unwrap()),
        KvType::Bool => entry.bool(k).unwrap().into(),
        KvType::Bytes => json!({ "hex": hex(entry.bytes(k).unwrap()) }),
    }
}
