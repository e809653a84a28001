//! The index being put together by the writer (container.md, Index).

use super::named_entries::{Fields, LENGTH_FIELD, NamedEntries, name_from};
use super::place::Place;
use crate::bytes::math;
use crate::error::Result;

const FIELDS: Fields = Fields { name: "tensor name", length: "name_length" };

/// Bytes of the count that the index begins with.
const COUNT: u64 = 8;

/// Bytes of an entry after its name.
const REST: usize = 32;

/// The fields of an entry behind its name.
fn encode(place: Place) -> [u8; REST] {
    const FLAGS: [u8; 4] = [0; 4];
    let mut bytes = [0; REST];
    let fields = place
        .descriptor_offset
        .to_le_bytes()
        .into_iter()
        .chain(place.descriptor_length.to_le_bytes())
        .chain(place.data_offset.to_le_bytes())
        .chain(place.data_length.to_le_bytes())
        .chain(FLAGS);
    bytes.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
    bytes
}

/// The entries so far: all that the writer keeps of the tensors it has written.
pub(super) struct IndexEncoder {
    entries: NamedEntries,
}

impl IndexEncoder {
    /// An index without entries.
    pub(super) fn new() -> Result<Self> {
        Ok(Self { entries: NamedEntries::new()? })
    }

    /// How many tensors it has.
    pub(super) fn len(&self) -> u64 {
        self.entries.len()
    }

    /// The name of the tensor that was written as number `tensor`.
    pub(super) fn name(&self, tensor: u64) -> Option<&str> {
        self.entries.name(tensor)
    }

    /// Appends an entry. Refuses an empty, too long or duplicate name, and then nothing changes.
    pub(super) fn push(&mut self, name: &str, place: Place) -> Result<()> {
        self.entries.push(&FIELDS, name, REST, |bytes| bytes.extend_from_slice(&encode(place)))
    }

    /// Bytes that it takes in the file.
    pub(super) fn encoded_len(&self) -> Result<u64> {
        math::add(COUNT, math::wide(self.entries.bytes().len()), "index_length")
    }

    /// Hands out the index in pieces, in the order of writing or in that of the names' bytes.
    pub(super) fn emit(self, sorted: bool, mut put: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        put(&self.entries.len().to_le_bytes())?;
        if !sorted {
            return put(self.entries.bytes());
        }
        let (bytes, mut starts) = self.entries.into_parts();
        // Sorting in place takes no memory.
        starts.sort_unstable_by_key(|&start| name_from(&bytes, start));
        for &start in &starts {
            let name = name_from(&bytes, start);
            let size = LENGTH_FIELD.saturating_add(name.len()).saturating_add(REST);
            put(bytes.get(start..).and_then(|rest| rest.get(..size)).unwrap_or_default())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, Fault};

    const PLACE: Place = Place {
        descriptor_offset: 64,
        descriptor_length: 61,
        data_offset: 4096,
        data_length: 0x0102_0304_0506_0708,
    };

    fn emitted(names: &[&str], sorted: bool) -> Vec<u8> {
        let mut index = IndexEncoder::new().unwrap();
        for name in names {
            index.push(name, PLACE).unwrap();
        }
        let length = index.encoded_len().unwrap();
        let mut all = Vec::new();
        index
            .emit(sorted, |bytes| {
                all.extend_from_slice(bytes);
                Ok(())
            })
            .unwrap();
        assert_eq!(length, math::wide(all.len()));
        all
    }

    #[test]
    fn an_entry_field_by_field() {
        let mut expected = vec![1, 0, 0, 0, 0, 0, 0, 0, 2, 0, b'a', b'b'];
        expected.extend_from_slice(&[64, 0, 0, 0, 0, 0, 0, 0, 61, 0, 0, 0]);
        expected.extend_from_slice(&[0, 16, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0]);
        assert_eq!(emitted(&["ab"], false), expected);
        assert_eq!(emitted(&["ab"], true), expected);
        assert_eq!(emitted(&[], true), [0; 8]);
    }

    #[test]
    fn sorted_by_the_bytes_of_the_names() {
        let names = ["é", "z", "Z", "zz", "a\u{0}", "a"];
        let sorted = ["Z", "a", "a\u{0}", "z", "zz", "é"];
        assert_eq!(emitted(&names, true), emitted(&sorted, false));
        assert_ne!(emitted(&names, false), emitted(&sorted, false));
    }

    #[test]
    fn names_that_cannot_be() {
        let mut index = IndexEncoder::new().unwrap();
        for k in 0..1000 {
            index.push(&format!("tensor {k}"), PLACE).unwrap();
        }
        let long = "n".repeat(65_535);
        index.push(&long, PLACE).unwrap();
        let before = index.encoded_len().unwrap();
        let error = index.push("tensor 741", PLACE).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Duplicate { what: "tensor name", first: 741 });
        assert_eq!(error.fault(), Fault::Caller);
        assert!(index.push("", PLACE).is_err());
        let error = index.push(&format!("{long}n"), PLACE).unwrap_err();
        assert_eq!(error.to_string(), "name_length 65536 is not in 1 to 65535");
        assert_eq!((index.len(), index.encoded_len().unwrap()), (1001, before));
    }
}
