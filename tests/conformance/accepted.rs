//! Accepted vectors: every field that a manifest gives, every byte of every buffer.

use hurray::container::{Access, File, OpenOptions, Tensor};
use hurray::descriptor::{Descriptor, Mode};
use serde_json::{Value, json};

use crate::compare::{merged, same, sha256, without_unknown};
use crate::vectors::Vector;
use crate::{container, describe};

pub(crate) fn check(vector: &Vector) {
    if vector.is_descriptor() {
        return descriptor(vector);
    }
    for access in [Access::Auto, Access::Reads, Access::Memory] {
        let options = OpenOptions { access, ..OpenOptions::default() };
        let file = File::open(&vector.path, &options).unwrap();
        if let Some(content) = vector.entry.get("content") {
            same("content", &self::content(&file), &expected(content));
        }
        if let Some(expect) = vector.entry.get("expect") {
            same("expect", &self::expect(&file), &expected(expect));
            assert_eq!(json!(sha256(&vector.bytes())), expect["sha256"]);
        }
        for i in 0..file.tensor_count() {
            round_trip(file.tensor(i).unwrap().descriptor());
        }
    }
}

fn descriptor(vector: &Vector) {
    let bytes = vector.bytes();
    let descriptor = Descriptor::decode(&bytes, Mode::Strict).unwrap();
    same("expect", &describe::expect(&descriptor), &expected(&vector.entry["expect"]));
    // One of them comes with more bytes than it says that it has.
    let length = usize::try_from(Descriptor::length_of(&bytes).unwrap()).unwrap();
    assert_eq!(round_trip(&descriptor), bytes[..length], "canonical bytes");
}

/// Encodes, and demands that the bytes decode to the same.
fn round_trip(descriptor: &Descriptor) -> Vec<u8> {
    let bytes = descriptor.encode().unwrap();
    assert_eq!(bytes.len() as u64, descriptor.encoded_len().unwrap());
    assert_eq!(&Descriptor::decode(&bytes, Mode::Strict).unwrap(), descriptor);
    bytes
}

fn content(file: &File) -> Value {
    json!({
        "header": container::header(file),
        "trailer": container::trailer(file),
        "kv": container::kv(file),
        "tensors": tensors(file).map(|tensor| content_tensor(&tensor)).collect::<Value>(),
    })
}

fn expect(file: &File) -> Value {
    json!({
        "file_size": file.size(),
        "header": container::header(file),
        "trailer": container::trailer(file),
        "tensor_count": file.tensor_count(),
        "kv": container::kv(file),
        "index": tensors(file).map(|tensor| expect_tensor(&tensor)).collect::<Value>(),
    })
}

/// All tensors in the order of the index. Each must be found again by name.
fn tensors(file: &File) -> impl Iterator<Item = Tensor> {
    (0..file.tensor_count()).map(|i| {
        let tensor = file.tensor(i).unwrap();
        assert_eq!(file.find(tensor.name().as_bytes()), Some(i), "tensor {:?}", tensor.name());
        tensor
    })
}

fn content_tensor(tensor: &Tensor) -> Value {
    let mut facts = describe::content(tensor.descriptor());
    let buffers = facts["buffers"].as_array_mut().unwrap();
    for (buffer, data) in buffers.iter_mut().zip(buffers_data(tensor)) {
        *buffer = merged(buffer.take(), data);
    }
    merged(facts, json!({ "name": tensor.name() }))
}

fn expect_tensor(tensor: &Tensor) -> Value {
    let entry = tensor.entry().unwrap();
    let name = tensor.name();
    let bytes = tensor.descriptor_bytes();
    json!({
        "name": if name.len() < 65_535 { json!(name) } else { Value::Null },
        "name_length": name.len(),
        "name_sha256": sha256(name.as_bytes()),
        "descriptor_offset": entry.descriptor_offset,
        "descriptor_length": entry.descriptor_length,
        "descriptor_sha256": sha256(bytes),
        "data_offset": entry.data_offset,
        "data_length": entry.data_length,
        "buffers_data": buffers_data(tensor).collect::<Value>(),
        "descriptor": describe::expect(tensor.descriptor()),
    })
}

/// Where each buffer lies, and what is in it.
fn buffers_data(tensor: &Tensor) -> impl Iterator<Item = Value> {
    (0..tensor.buffer_count()).map(|k| {
        let buffer = tensor.buffer(k).unwrap();
        let mut bytes = vec![0; usize::try_from(buffer.size).unwrap()];
        tensor.read(k, 0, &mut bytes).unwrap();
        json!({
            "index": k,
            "offset": buffer.file_offset,
            "size": buffer.size,
            "sha256": sha256(&bytes),
        })
    })
}

/// What a manifest says, without what is not held against this version's answers field by field.
fn expected(value: &Value) -> Value {
    let mut value = value.clone();
    prune(&mut value);
    value
}

fn prune(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // The whole file's bytes are compared at once; composites and values have tests of
            // their own; a float beside its bits, and a scheme's payload beside its fields, say
            // nothing new.
            for key in ["sha256", "composites", "raw_hex", "length", "bytes_consumed"] {
                if key != "sha256" || fields.contains_key("file_size") {
                    fields.remove(key);
                }
            }
            if fields.contains_key("bits") {
                fields.remove("value");
            }
            if fields.contains_key("scale_bits") {
                fields.remove("scale");
            }
            for key in ["statistics", "stats"] {
                fields.get_mut(key).map(without_unknown);
            }
            fields.values_mut().for_each(prune);
        }
        Value::Array(entries) => entries.iter_mut().for_each(prune),
        _ => {}
    }
}
