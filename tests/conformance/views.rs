//! What accepted vectors say beyond fields and bytes, and what this version does not offer yet:
//! the trees of composites, and the values of elements. Each waits by name.

use libtest_mimic::{Completion, Trial};
use serde_json::Value;

use crate::vectors::Vector;

pub(crate) fn trials(vectors: &[Vector]) -> Vec<Trial> {
    let waits = |kind: &str, vector: &Vector, reason: &'static str| {
        Trial::ignorable_test(format!("{kind}/{}", vector.id), move || {
            Ok(Completion::ignored_with(format!("waits for {reason}")))
        })
    };
    let mut trials = Vec::new();
    for vector in vectors.iter().filter(|vector| vector.accepted) {
        let facts = ["content", "expect"].iter().filter_map(|key| vector.entry.get(*key));
        if facts.clone().any(|facts| !is_empty(&facts["composites"])) {
            trials.push(waits("composites", vector, "composites: the tree of members"));
        }
        if !is_empty(&vector.entry["values"]) {
            trials.push(waits("values", vector, "values of elements"));
        }
    }
    trials
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(entries) => entries.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}
