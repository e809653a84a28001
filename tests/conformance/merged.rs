//! The merged views of composites that accepted vectors give.

use hurray::composite::Membership;
use serde_json::Value;

use crate::numbers;
use crate::vectors::Vector;
use crate::verdicts;

/// The merged views in an entry of a manifest, by the name of the head.
pub(crate) fn given(vector: &Vector) -> impl Iterator<Item = (&String, &Value)> {
    let values = vector.entry["values"].as_object();
    let merged = values.into_iter().flatten().map(|(name, values)| (name, &values["merged"]));
    merged.filter(|(_, merged)| !merged.is_null())
}

/// Demands the values that the vector gives.
pub(crate) fn check(vector: &Vector) {
    let file = verdicts::open(&vector.path).unwrap();
    let membership = Membership::of(&file).unwrap();
    for (name, merged) in given(vector) {
        let composite = membership.open(file.find(name.as_bytes()).unwrap()).unwrap();
        let head = composite.head().unwrap();
        let (shape, element_type) = (head.shape(), head.element_type());
        let wanted = numbers::wanted(merged);
        let bits = element_type.bits().unwrap() as usize;
        let size = match bits {
            6 => wanted.len().div_ceil(4) * 3,
            _ => (wanted.len() * bits).div_ceil(8),
        };
        let mut found = vec![0xAA; size];
        composite
            .read(&vec![0; shape.len()], shape, &mut found)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = numbers::unpacked(element_type, &found, wanted.len());
        assert_eq!(numbers::of(element_type, &found), wanted, "{name}");
    }
}
