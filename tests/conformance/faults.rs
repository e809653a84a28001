//! What each reject must be rejected for.
//!
//! `faults.txt` has one line a rule: the rule (or the file, where several files break one rule in
//! several ways), the call that finds it, and the message without its numbers and places.

use std::collections::BTreeSet;

use hurray::Error;

use crate::vectors::{Vector, known};
use crate::verdicts::Call;

struct Fault {
    of: &'static str,
    call: Call,
    message: &'static str,
}

fn table() -> impl Iterator<Item = Fault> {
    include_str!("faults.txt").lines().filter(|line| !line.is_empty()).map(|line| {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().unwrap_or_else(|| panic!("faults.txt: {line:?}"));
        let (of, call, message) = (part(), part(), part());
        let call = Call::find(call).unwrap_or_else(|| panic!("faults.txt: {line:?}"));
        Fault { of, call, message }
    })
}

/// Demands that the error is what the vector was made for.
pub(crate) fn check_own(vector: &Vector, call: Call, error: &Error) -> Result<(), String> {
    let row = |of: &str| table().find(|fault| fault.of == of);
    let found = plain(error);
    match row(&vector.id).or_else(|| row(&vector.rule)) {
        None => Err(format!("no line for {} in faults.txt; {call:?} says: {found}", vector.rule)),
        Some(fault) if fault.call != call || fault.message != found => {
            Err(format!("{:?} should say: {}\n{call:?} says: {found}", fault.call, fault.message))
        }
        Some(_) => Ok(()),
    }
}

/// The message without tensor and offset, every number as `#`.
fn plain(error: &Error) -> String {
    let section = error.section().map_or(String::new(), |section| format!("{section}: "));
    let mut text = String::new();
    for word in format!("{section}{}", error.kind()).split_inclusive([' ', ':', ',', ']', '[']) {
        let (number, end) = word.split_at(word.trim_end_matches([' ', ':', ',', ']', '[']).len());
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
        text.push_str(if is_number { "#" } else { number });
        text.push_str(end);
    }
    text
}

/// Demands that the table has lines only for what there is.
pub(crate) fn check(ids: &BTreeSet<String>, rules: &BTreeSet<String>, complete: bool) {
    let mut seen = BTreeSet::new();
    for fault in table() {
        assert!(seen.insert(fault.of), "faults.txt: {} twice", fault.of);
        if fault.of.contains('/') {
            known("faults.txt", fault.of, ids, complete);
        } else {
            assert!(!complete || rules.contains(fault.of), "faults.txt: no rule {}", fault.of);
        }
    }
}
