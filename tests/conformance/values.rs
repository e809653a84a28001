//! The values of elements that accepted vectors give: as stored, and dequantized.

use hurray::Tensor;
use hurray::container::{Access, File, OpenOptions};
use hurray::values::{self, Target, Values};
use serde_json::Value;

use crate::numbers::{self, Number};
use crate::vectors::Vector;

/// Tensors in an entry of a manifest whose values are given, by name.
pub(crate) fn given(vector: &Vector) -> impl Iterator<Item = (&String, &Value)> {
    let values = vector.entry["values"].as_object();
    let has_values =
        |values: &Value| !values["dense"].is_null() || !values["dequantized"].is_null();
    values.into_iter().flatten().filter(move |(_, values)| has_values(values))
}

pub(crate) fn check(vector: &Vector) {
    for access in [Access::Auto, Access::Reads] {
        let options = OpenOptions { access, ..OpenOptions::default() };
        let file = File::open(&vector.path, &options).unwrap();
        for (name, given) in given(vector) {
            let tensor = file.tensor(file.find(name.as_bytes()).unwrap()).unwrap();
            if !given["dense"].is_null() {
                dense(&tensor, &numbers::wanted(&given["dense"]));
            }
            if !given["dequantized"].is_null() {
                dequantized(&tensor, &numbers::wanted(&given["dequantized"]));
            }
        }
    }
}

/// Every target that takes `bytes` bytes an element.
fn copied(tensor: &Tensor, target: Target, bytes: usize) -> Vec<u8> {
    let shape = tensor.descriptor().shape();
    let mut out = vec![0xAA; bytes];
    let lower = vec![0; shape.len()];
    let values = Values::of(tensor).unwrap();
    let copy = values.copy(&lower, shape, target, &mut out);
    copy.unwrap_or_else(|error| panic!("{}: {error}", tensor.name()));
    out
}

fn dense(tensor: &Tensor, wanted: &[Number]) {
    let (d, name) = (tensor.descriptor(), tensor.name());
    let (element_type, count) = (d.element_type(), wanted.len());
    let bytes = copied(tensor, Target::Bytes, count * numbers::width(element_type));
    assert_eq!(numbers::of(element_type, &bytes), wanted, "{name}: bytes");
    let bits = element_type.bits().unwrap() as usize;
    let size = match bits {
        6 => count.div_ceil(4) * 3,
        _ => (count * bits).div_ceil(8),
    };
    let stored = numbers::unpacked(element_type, &copied(tensor, Target::Stored, size), count);
    assert_eq!(numbers::of(element_type, &stored), wanted, "{name}: stored");
    match wanted.first() {
        Some(Number::Float(_)) => {
            let found = numbers::of_f64(&copied(tensor, Target::F64, count * 8));
            assert_eq!(found, wanted, "{name}: float64");
        }
        Some(Number::Int(_)) => {
            let fits =
                |number: &Number| matches!(number, Number::Int(x) if i64::try_from(*x).is_ok());
            if wanted.iter().all(fits) {
                let found = numbers::of_i64(&copied(tensor, Target::I64, count * 8));
                assert_eq!(found, wanted, "{name}: int64");
            }
        }
        _ => {}
    }
    let values = Values::of(tensor).unwrap();
    let mut index = vec![0; d.shape().len()];
    for wanted in wanted {
        let element = values.element(&index).unwrap();
        let found = match element.value {
            values::Value::Float(value) => Number::Float(value),
            values::Value::Int(value) => Number::Int(value.into()),
            values::Value::Uint(value) => Number::Int(value.into()),
            values::Value::Bool(value) => Number::Int(value.into()),
            values::Value::Complex(real, imaginary) => Number::Complex(real, imaginary),
            values::Value::Opaque => panic!("{name}: {index:?} has no value"),
        };
        assert_eq!(found, *wanted, "{name}: {index:?}");
        for (x, &size) in index.iter_mut().zip(d.shape()).rev() {
            *x += 1;
            if *x < size {
                break;
            }
            *x = 0;
        }
    }
}

fn dequantized(tensor: &Tensor, wanted: &[Number]) {
    let (count, values) = (wanted.len() as u64, Values::of(tensor).unwrap());
    let mut out = vec![0xAA; wanted.len() * 4];
    values.dequantize(0, count, Target::F32, &mut out).unwrap();
    assert_eq!(numbers::of_f32(&out), wanted, "{}: dequantized", tensor.name());
    // In two parts, cut anywhere.
    let first = count / 3;
    let (head, tail) = out.split_at_mut(first as usize * 4);
    values.dequantize(0, first, Target::F32, head).unwrap();
    values.dequantize(first, count - first, Target::F32, tail).unwrap();
    assert_eq!(numbers::of_f32(&out), wanted, "{}: dequantized in parts", tensor.name());
}
