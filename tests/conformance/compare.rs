//! Holding what the library says against what a manifest says.

use serde_json::Value;

/// Demands that every key of `expected` is in `found`, with an equal value, all the way down.
///
/// Numbers are equal as 64-bit integers or bit for bit as floats; infinities and NaN are text on
/// both sides.
pub(crate) fn same(what: &str, found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, expected) in expected {
                let place = format!("{what}.{key}");
                match found.get(key) {
                    Some(found) => same(&place, found, expected),
                    None => panic!("{place}: nothing to hold against {expected}"),
                }
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{what}: entries");
            for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
                same(&format!("{what}[{k}]"), found, expected);
            }
        }
        (Value::Number(found), Value::Number(expected)) if found.is_f64() => {
            let bits = |number: &serde_json::Number| number.as_f64().map(f64::to_bits);
            assert_eq!(bits(found), bits(expected), "{what}: {found} against {expected}");
        }
        _ => assert_eq!(found, expected, "{what}"),
    }
}

/// A float as the manifests write it.
pub(crate) fn float(value: f64) -> Value {
    if value.is_nan() {
        "nan".into()
    } else if value.is_infinite() {
        if value > 0.0 { "inf" } else { "-inf" }.into()
    } else {
        value.into()
    }
}

/// Bytes in hexadecimal, lower case.
pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of bytes as the manifests write it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    hex(sha2::Sha256::digest(bytes))
}

/// The keys of both.
pub(crate) fn merged(mut left: Value, right: Value) -> Value {
    if let (Value::Object(left), Value::Object(right)) = (&mut left, right) {
        left.extend(right);
    }
    left
}

/// Fields whose valid bit is clear say nothing (descriptor.md, Statistics section); a manifest
/// gives their bytes all the same.
pub(crate) fn without_unknown(statistics: &mut Value) {
    let keys: [&[&str]; 6] = [
        &["nnz"],
        &["sparsity_ratio"],
        &["value_min", "value_max", "value_abs_max"],
        &["value_mean", "value_stddev"],
        &["nm_n", "nm_m"],
        &["has_nan", "has_inf"],
    ];
    let Some(fields) = statistics.as_object_mut() else { return };
    let mask = fields["computed_mask"].as_u64().unwrap();
    for key in (0..6).filter(|bit| mask & (1 << bit) == 0).flat_map(|bit| keys[bit]) {
        fields.remove(*key);
    }
}
