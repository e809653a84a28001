//! The header of one safetensors file.
//!
//! A 64-bit length, then that many bytes of JSON: for each tensor its type, its shape and where
//! its data lies; then the data, without gaps, to the end of the file.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::Dtype;
use crate::escape::quoted;
use crate::failure::{Failure, Result};

/// The longest header that the format allows.
const LONGEST: u64 = 100_000_000;

/// What a header says, checked.
pub(super) struct Header {
    pub metadata: Vec<(String, String)>,
    /// In the order of their data.
    pub tensors: Vec<Tensor>,
    /// Where the data of the file begins.
    pub data_start: u64,
}

/// One tensor of a file.
#[derive(Debug)]
pub(crate) struct Tensor {
    pub name: String,
    /// The type as the header spells it.
    pub dtype_name: String,
    /// The type, when it is a known one.
    pub dtype: Option<Dtype>,
    pub shape: Vec<u64>,
    /// From the start of the file's data.
    pub begin: u64,
    pub end: u64,
}

impl Tensor {
    /// Bytes of data.
    pub(crate) fn length(&self) -> u64 {
        self.end - self.begin
    }
}

/// Reads and checks the header of a file of `size` bytes.
pub(super) fn read(file: &File, size: u64, path: &Path) -> Result<Header> {
    let invalid = |what: &dyn fmt::Display| Failure::invalid(path, what);
    let mut length = [0; 8];
    if size < 8 {
        return Err(invalid(&format_args!(
            "not a safetensors file: {size} bytes, 8 are the least"
        )));
    }
    file.read_exact_at(&mut length, 0).map_err(|error| Failure::io(path, &error))?;
    let length = u64::from_le_bytes(length);
    if length > size - 8 {
        return Err(invalid(&format_args!(
            "not a safetensors file, or cut short: a header of {length} bytes in a file of {size}"
        )));
    }
    if length > LONGEST {
        return Err(invalid(&format_args!(
            "header of {length} bytes, the format allows {LONGEST}"
        )));
    }
    // At most LONGEST, which fits.
    let mut text = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact_at(&mut text, 8).map_err(|error| Failure::io(path, &error))?;
    if text.first() != Some(&b'{') {
        return Err(invalid(&"not a safetensors file: the header does not begin with {"));
    }
    let raw: Raw = serde_json::from_slice(&text)
        .map_err(|error| invalid(&format_args!("header is not valid: {error}")))?;
    drop(text);
    let data_start = 8 + length;
    let tensors = check(raw.tensors, size - data_start)
        .map_err(|(name, what)| invalid(&format_args!("tensor {}: {what}", quoted(&name))))?;
    Ok(Header { metadata: raw.metadata, tensors, data_start })
}

/// Holds the tensors against each other and against the `available` bytes of data, and puts them
/// into the order of their data.
fn check(raw: Vec<(String, RawTensor)>, available: u64) -> Result<Vec<Tensor>, (String, String)> {
    let mut tensors = Vec::with_capacity(raw.len());
    for (name, raw) in raw {
        let (begin, end) = raw.data_offsets;
        if begin > end || end > available {
            let what = format!(
                "data_offsets [{begin}, {end}] are not inside the {available} bytes of data"
            );
            return Err((name, what));
        }
        let dtype = Dtype::find(&raw.dtype);
        let need = dtype.map(|dtype| size_of(dtype.bits, &raw.shape));
        match need {
            None => {}
            Some(Some(need)) if need == end - begin => {}
            Some(Some(need)) => {
                let what = format!(
                    "{} of shape {:?} takes {need} bytes, data_offsets give {}",
                    raw.dtype,
                    raw.shape,
                    end - begin
                );
                return Err((name, what));
            }
            Some(None) => {
                let what = format!(
                    "{} of shape {:?} is no whole number of bytes below 2^64",
                    raw.dtype, raw.shape
                );
                return Err((name, what));
            }
        }
        let (dtype_name, shape) = (raw.dtype, raw.shape);
        tensors.push(Tensor { name, dtype_name, dtype, shape, begin, end });
    }

    let mut names = HashSet::with_capacity(tensors.len());
    for tensor in &tensors {
        if !names.insert(tensor.name.as_str()) {
            return Err((tensor.name.clone(), "appears twice".into()));
        }
    }

    // Stable: empty tensors at one place keep the order of the header.
    tensors.sort_by_key(|tensor| (tensor.begin, tensor.end));
    let mut at = 0;
    for tensor in &tensors {
        if tensor.begin != at {
            let what = if tensor.begin < at { "overlap the data before" } else { "leave a gap" };
            let what = format!(
                "data_offsets [{}, {}] {what}: byte {at} comes next",
                tensor.begin, tensor.end
            );
            return Err((tensor.name.clone(), what));
        }
        at = tensor.end;
    }
    if at != available {
        let name = tensors.last().map(|tensor| tensor.name.clone()).unwrap_or_default();
        let what = format!("data ends at byte {at}, the file goes on to {available}");
        return Err((name, what));
    }
    Ok(tensors)
}

/// Bytes that a tensor takes, when that is a whole number below 2^64.
fn size_of(bits: u64, shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    // In bits: 2^64 bytes are 2^67 bits.
    let mut product = u128::from(bits);
    for &dimension in shape {
        product = product.checked_mul(dimension.into())?;
    }
    if product % 8 == 0 { u64::try_from(product / 8).ok() } else { None }
}

/// The header as it is spelt: every entry, in order, repeated ones too.
struct Raw {
    metadata: Vec<(String, String)>,
    tensors: Vec<(String, RawTensor)>,
}

/// Other fields than these are stepped over, as the reference implementation does.
#[derive(Deserialize)]
struct RawTensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Raw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
                let mut metadata = None;
                let mut tensors = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if key != "__metadata__" {
                        tensors.push((key, map.next_value()?));
                    } else if metadata.is_some() {
                        return Err(de::Error::custom("__metadata__ appears twice"));
                    } else {
                        metadata = Some(map.next_value::<Option<Object<String>>>()?);
                    }
                }
                let metadata = metadata.flatten().map(|object| object.0).unwrap_or_default();
                Ok(Raw { metadata, tensors })
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

/// An object with values of one kind: every entry in order, no key twice.
pub(super) struct Object<V>(pub Vec<(String, V)>);

impl<V> Default for Object<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Object<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Object<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<V>, A::Error> {
                let (mut entries, mut known) = (Vec::new(), HashSet::new());
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    if !known.insert(key.clone()) {
                        let what = format!("{} appears twice", quoted(&key));
                        return Err(de::Error::custom(what));
                    }
                    entries.push((key, value));
                }
                Ok(Object(entries))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::size_of;

    #[test]
    fn sizes_of_every_width() {
        assert_eq!(size_of(32, &[]), Some(4));
        assert_eq!(size_of(4, &[2, 3]), Some(3));
        assert_eq!(size_of(4, &[3]), None);
        assert_eq!(size_of(6, &[4]), Some(3));
        assert_eq!(size_of(8, &[u64::MAX]), Some(u64::MAX));
        assert_eq!(size_of(16, &[1 << 63]), None);
        assert_eq!(size_of(8, &[u64::MAX, u64::MAX, u64::MAX]), None);
        assert_eq!(size_of(8, &[u64::MAX, u64::MAX, u64::MAX, 0]), Some(0));
    }
}
