//! The merged views of composites that accepted vectors give, as far as they can be read.

use hurray::ErrorKind;
use hurray::composite::Membership;
use hurray::descriptor::ElementType;
use libtest_mimic::{Completion, Failed};
use serde_json::Value;

use crate::vectors::Vector;
use crate::verdicts;

/// The merged views in an entry of a manifest, by the name of the head.
pub(crate) fn given(vector: &Vector) -> impl Iterator<Item = (&String, &Value)> {
    let values = vector.entry["values"].as_object();
    let merged = values.into_iter().flatten().map(|(name, values)| (name, &values["merged"]));
    merged.filter(|(_, merged)| !merged.is_null())
}

/// Demands the values that the vector gives. Views that cannot be read yet are passed over; a test
/// with nothing else in it waits.
pub(crate) fn check(vector: &Vector) -> Result<Completion, Failed> {
    let file = verdicts::open(&vector.path).unwrap();
    let membership = Membership::of(&file).unwrap();
    let (mut compared, mut waits) = (0, None);
    for (name, merged) in given(vector) {
        let composite = membership.open(file.find(name.as_bytes()).unwrap()).unwrap();
        let head = composite.head().unwrap();
        let shape = head.shape();
        let width = head.element_bits().unwrap().div_ceil(8);
        let elements = usize::try_from(head.element_count().unwrap()).unwrap();
        let mut found = vec![0; elements * width as usize];
        match composite.read(&vec![0; shape.len()], shape, &mut found) {
            Ok(()) => {
                compare(name, head.element_type(), &found, merged);
                compared += 1;
            }
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => {
                waits = Some(error.kind().to_string());
            }
            Err(error) => return Err(format!("{name}: {error}").into()),
        }
    }
    Ok(match waits {
        Some(reason) if compared == 0 => Completion::ignored_with(format!("waits: {reason}")),
        _ => Completion::Completed,
    })
}

fn compare(name: &str, element_type: ElementType, found: &[u8], merged: &Value) {
    let wanted = merged["v"].as_array().unwrap();
    match merged["kind"].as_str().unwrap() {
        "float" => {
            let found = floats(element_type, found);
            assert_eq!(found.len(), wanted.len());
            assert!(found.iter().zip(wanted).all(|(f, w)| same_float(*f, w)), "{name}: {found:?}");
        }
        "complex" => {
            let part = match element_type {
                ElementType::COMPLEX64 => ElementType::FLOAT32,
                _ => ElementType::FLOAT64,
            };
            let found = floats(part, found);
            let wanted: Vec<_> = wanted.iter().flat_map(|pair| pair.as_array().unwrap()).collect();
            assert_eq!(found.len(), wanted.len());
            assert!(found.iter().zip(wanted).all(|(f, w)| same_float(*f, w)), "{name}: {found:?}");
        }
        "int" => {
            let found: Vec<_> = integers(element_type, found);
            let wanted: Vec<i128> = wanted
                .iter()
                .map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned).parse().unwrap())
                .collect();
            assert_eq!(found, wanted, "{name}");
        }
        other => panic!("{name}: values of kind {other}"),
    }
}

fn same_float(found: f64, wanted: &Value) -> bool {
    match wanted.as_str().unwrap() {
        "nan" => found.is_nan(),
        bits => found == f64::from_bits(u64::from_str_radix(bits, 16).unwrap()),
    }
}

fn floats(element_type: ElementType, bytes: &[u8]) -> Vec<f64> {
    match element_type {
        ElementType::FLOAT16 => bytes.as_chunks().0.iter().map(|b| f16(*b)).collect(),
        ElementType::BFLOAT16 => {
            let wide = |b: &[u8; 2]| f64::from(f32::from_le_bytes([0, 0, b[0], b[1]]));
            bytes.as_chunks().0.iter().map(wide).collect()
        }
        ElementType::FLOAT32 => {
            bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect()
        }
        ElementType::FLOAT64 => {
            bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
        }
        other => panic!("no floats of {other}"),
    }
}

fn f16(bytes: [u8; 2]) -> f64 {
    let bits = u16::from_le_bytes(bytes);
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    let magnitude = match exponent {
        0 => mantissa * 2_f64.powi(-14),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + mantissa) * 2_f64.powi(exponent - 15),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

fn integers(element_type: ElementType, bytes: &[u8]) -> Vec<i128> {
    let signed = [ElementType::INT8, ElementType::INT16, ElementType::INT32, ElementType::INT64]
        .contains(&element_type);
    let width = element_type.bits().unwrap() as usize / 8;
    let value = |element: &[u8]| {
        let negative = signed && element.last().is_some_and(|byte| byte >> 7 == 1);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        wide[..width].copy_from_slice(element);
        i128::from_le_bytes(wide)
    };
    bytes.chunks(width).map(value).collect()
}
