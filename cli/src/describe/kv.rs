//! Entries of the KV section.

use hurray::container::{KvEntry, KvType};
use serde_json::{Value, json};

use super::{digits, float, hex};
use crate::escape::quoted;

/// An entry with its whole value.
pub(crate) fn entry(entry: &KvEntry<'_>) -> hurray::Result<Value> {
    let name = type_name(entry.kind());
    let tag = entry.kind().tag();
    Ok(if entry.is_array() {
        let elements = (0..entry.count()).map(|k| element(entry, k));
        json!({
            "key": entry.key(),
            "type": format!("array<{name}>"),
            "tag": KvType::ARRAY_TAG,
            "element_tag": tag,
            "value": elements.collect::<hurray::Result<Value>>()?,
        })
    } else {
        json!({
            "key": entry.key(),
            "type": name,
            "tag": tag,
            "value": element(entry, 0)?,
        })
    })
}

/// One element; 0 is that of a value that is no array.
pub(crate) fn element(entry: &KvEntry<'_>, k: u64) -> hurray::Result<Value> {
    Ok(match entry.kind() {
        KvType::String => entry.string(k)?.into(),
        KvType::I64 => entry.i64(k)?.into(),
        KvType::U64 => entry.u64(k)?.into(),
        KvType::F64 => float(entry.f64(k)?),
        KvType::Bool => entry.bool(k)?.into(),
        KvType::Bytes => hex(entry.bytes(k)?),
    })
}

/// A value in a line for people: the beginning of a long one.
pub(crate) fn short(entry: &KvEntry<'_>) -> hurray::Result<String> {
    const SHOWN: u64 = 8;
    if !entry.is_array() {
        return short_element(entry, 0);
    }
    let shown = (0..entry.count().min(SHOWN)).map(|k| short_element(entry, k));
    let list = shown.collect::<hurray::Result<Vec<String>>>()?.join(", ");
    Ok(match entry.count() {
        count if count > SHOWN => format!("[{list}, ...] ({count} elements)"),
        _ => format!("[{list}]"),
    })
}

fn short_element(entry: &KvEntry<'_>, k: u64) -> hurray::Result<String> {
    const SHOWN: usize = 32;
    Ok(match entry.kind() {
        KvType::String => quoted(entry.string(k)?),
        KvType::Bytes => {
            let bytes = entry.bytes(k)?;
            match bytes.get(..SHOWN) {
                Some(head) if bytes.len() > SHOWN => {
                    format!("{}... ({} bytes)", digits(head), bytes.len())
                }
                _ => digits(bytes),
            }
        }
        _ => match element(entry, k)? {
            Value::String(text) => text,
            number => number.to_string(),
        },
    })
}

/// Names of types as JSON output has them.
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
