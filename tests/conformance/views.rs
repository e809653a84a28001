//! What accepted vectors say beyond fields and bytes: the trees of composites and their merged
//! views; and, not offered yet by this version, the values of elements, which wait by name.

use libtest_mimic::{Completion, Trial};
use serde_json::Value;

use crate::vectors::Vector;
use crate::{composites, merged};

pub(crate) fn trials(vectors: &[Vector]) -> Vec<Trial> {
    let waits = |kind: &str, vector: &Vector, reason: &'static str| {
        Trial::ignorable_test(format!("{kind}/{}", vector.id), move || {
            Ok(Completion::ignored_with(format!("waits for {reason}")))
        })
    };
    let mut trials = Vec::new();
    for vector in vectors.iter().filter(|vector| vector.accepted) {
        if composites::given(vector).is_some() {
            let name = format!("composites/{}", vector.id);
            let vector = vector.clone();
            trials.push(Trial::test(name, move || {
                composites::check(&vector);
                Ok(())
            }));
        }
        if merged::given(vector).next().is_some() {
            let name = format!("merged/{}", vector.id);
            let vector = vector.clone();
            trials.push(Trial::ignorable_test(name, move || merged::check(&vector)));
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
