//! The trees of composites that accepted vectors give.

use hurray::composite::{Composite, Membership};
use hurray::container::File;
use serde_json::Value;

use crate::vectors::Vector;
use crate::verdicts;

/// A tensor, or a head with its members.
#[derive(Debug, PartialEq)]
struct Node {
    name: String,
    members: Option<Vec<Node>>,
}

/// The trees in an entry of a manifest, if it has any.
pub(crate) fn given(vector: &Vector) -> Option<&Vec<Value>> {
    let facts = ["content", "expect"].iter().filter_map(|key| vector.entry.get(*key));
    facts.filter_map(|facts| facts["composites"].as_array()).find(|trees| !trees.is_empty())
}

pub(crate) fn check(vector: &Vector) {
    let wanted: Vec<_> = given(vector).unwrap().iter().map(wanted).collect();
    let file = verdicts::open(&vector.path).unwrap();
    let membership = Membership::of(&file).unwrap();
    let heads = (0..membership.head_count()).map(|k| membership.head_at(k).unwrap());
    let outermost: Vec<_> = heads.filter(|head| head.level == 1).collect();
    let found: Vec<_> =
        outermost.iter().map(|head| node(&file, &membership, head.tensor, 1)).collect();
    assert_eq!(found, wanted);

    for head in outermost {
        assert!(head.complete && head.outer.is_none());
        let composite = membership.open(head.tensor).unwrap();
        assert!(composite.is_complete() && composite.is_exact());
        assert_eq!(composite.member_count(), u64::from(head.promised));
        let members = membership.members_of(head.tensor).unwrap();
        assert_eq!(members, all_members(&composite));
    }
}

fn all_members(composite: &Composite) -> Vec<u64> {
    (0..composite.member_count()).map(|k| composite.member_at(k).unwrap()).collect()
}

fn wanted(given: &Value) -> Node {
    let name = |value: &Value| value.as_str().unwrap().to_owned();
    if given.is_string() {
        return Node { name: name(given), members: None };
    }
    let members = given["members"].as_array();
    let members = members.map(|members| members.iter().map(wanted).collect());
    match given.get("head") {
        Some(head) => {
            assert_eq!(given["complete"], true);
            Node { name: name(head), members }
        }
        None => Node { name: name(&given["name"]), members },
    }
}

fn node(file: &File, membership: &Membership, tensor: u64, level: u32) -> Node {
    let name = file.entry(tensor).unwrap().name.to_owned();
    let Some(head) = membership.head_of(tensor).unwrap() else {
        return Node { name, members: None };
    };
    assert_eq!((head.tensor, head.level), (tensor, level));
    let members = membership.members_of(tensor).unwrap();
    let members = members.into_iter().map(|member| {
        assert_eq!(membership.composite_of(member).unwrap(), Some(tensor));
        node(file, membership, member, level + 1)
    });
    Node { name, members: Some(members.collect()) }
}
