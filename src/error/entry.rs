//! What is wrong with a number that stands in the data of a tensor.

use std::fmt;

/// One number in a buffer of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferEntry {
    /// What the buffer holds, or the part of it that the number belongs to.
    pub buffer: &'static str,
    /// The level of a tree, where there is one such buffer for each.
    pub level: Option<u32>,
    /// Its number among those alike, from 0.
    pub index: u64,
}

impl fmt::Display for BufferEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.buffer)?;
        if let Some(level) = self.level {
            write!(f, "_{level}")?;
        }
        write!(f, "[{}]", self.index)
    }
}

/// The rule that a number in a buffer breaks.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the numbers are named as in the messages")]
pub enum EntryFault {
    /// The first pointer.
    #[error("is {found}, must be 0")]
    Start { found: u64 },
    /// The last pointer.
    #[error("is {found}, must be {expected}")]
    End { found: u64, expected: u64 },
    /// A pointer below the one before it.
    #[error("is {value}, must not be below {previous}")]
    Descends { value: u64, previous: u64 },
    /// An index that leaves what it is an index into.
    #[error("is {value}, must be below {limit}")]
    Bound { value: u64, limit: u64 },
    /// An index that is not above the one before it.
    #[error("is {value}, must be above {previous}")]
    NotAbove { value: u64, previous: u64 },
    /// The first index of a tuple that is not after the tuple before it.
    #[error("begins coordinates that do not come after those before")]
    Unsorted,
    /// The first index of a tuple that stands at another place too.
    #[error("begins coordinates that begin at {first} already")]
    Repeated { first: u64 },
    /// A signed number outside its limits, both inclusive.
    #[error("is {value}, must be in {min} to {max}")]
    Limits { value: i64, min: i64, max: i64 },
    /// A floating-point number.
    #[error("is {value}, must be {rule}")]
    Float { value: f64, rule: &'static str },
    /// A code that its type does not have.
    #[error("is {value:#04x}, which {element_type} does not have")]
    Code { value: u8, element_type: &'static str },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_named_by_buffer_level_and_place() {
        let entry = BufferEntry { buffer: "crd", level: Some(2), index: 7 };
        assert_eq!(entry.to_string(), "crd_2[7]");
        assert_eq!(BufferEntry { level: None, ..entry }.to_string(), "crd[7]");
    }
}
