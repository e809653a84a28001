//! What accepted vectors say beyond fields and bytes: the trees of composites, their merged views,
//! and the values of elements.

use libtest_mimic::Trial;

use crate::vectors::Vector;
use crate::{composites, merged, values};

pub(crate) fn trials(vectors: &[Vector]) -> Vec<Trial> {
    let trial = |kind: &str, vector: &Vector, check: fn(&Vector)| {
        let name = format!("{kind}/{}", vector.id);
        let vector = vector.clone();
        Trial::test(name, move || {
            check(&vector);
            Ok(())
        })
    };
    let mut trials = Vec::new();
    for vector in vectors.iter().filter(|vector| vector.accepted) {
        if composites::given(vector).is_some() {
            trials.push(trial("composites", vector, composites::check));
        }
        if merged::given(vector).next().is_some() {
            trials.push(trial("merged", vector, merged::check));
        }
        if values::given(vector).next().is_some() {
            trials.push(trial("values", vector, values::check));
        }
    }
    trials
}
