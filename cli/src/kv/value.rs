//! Values with their types: from a file, from a command line, into a file.

use std::fmt::Display;
use std::str::FromStr;

use hurray::container::{KvEntry, KvType, KvValue, Writer};
use serde_json::Value;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Type {
    /// Of the elements, if it is an array.
    pub(super) kind: KvType,
    pub(super) array: bool,
}

impl Type {
    /// Every type.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let of = |array| KvType::ALL.into_iter().map(move |kind| Self { kind, array });
        of(false).chain(of(true))
    }

    /// As a command line has it.
    pub(super) fn name(self) -> &'static str {
        if !self.array {
            return self.kind.name();
        }
        match self.kind {
            KvType::String => "string-array",
            KvType::I64 => "i64-array",
            KvType::U64 => "u64-array",
            KvType::F64 => "f64-array",
            KvType::Bool => "bool-array",
            KvType::Bytes => "bytes-array",
        }
    }

    /// The type of this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name() == name)
    }
}

/// The elements of a value.
#[derive(Debug, PartialEq)]
enum Elements {
    Strings(Vec<String>),
    I64s(Vec<i64>),
    U64s(Vec<u64>),
    F64s(Vec<f64>),
    Bools(Vec<bool>),
    Bytes(Vec<Vec<u8>>),
}

/// A value; one that is no array has one element.
#[derive(Debug, PartialEq)]
pub(super) struct Typed {
    array: bool,
    elements: Elements,
}

impl Typed {
    /// The value of an entry.
    pub(super) fn of(entry: &KvEntry<'_>) -> hurray::Result<Self> {
        fn all<T>(
            entry: &KvEntry<'_>,
            element: impl Fn(u64) -> hurray::Result<T>,
        ) -> hurray::Result<Vec<T>> {
            (0..entry.count()).map(element).collect()
        }
        let elements = match entry.kind() {
            KvType::String => {
                Elements::Strings(all(entry, |k| entry.string(k).map(str::to_owned))?)
            }
            KvType::I64 => Elements::I64s(all(entry, |k| entry.i64(k))?),
            KvType::U64 => Elements::U64s(all(entry, |k| entry.u64(k))?),
            KvType::F64 => Elements::F64s(all(entry, |k| entry.f64(k))?),
            KvType::Bool => Elements::Bools(all(entry, |k| entry.bool(k))?),
            KvType::Bytes => Elements::Bytes(all(entry, |k| entry.bytes(k).map(<[u8]>::to_vec))?),
        };
        Ok(Self { array: entry.is_array(), elements })
    }

    /// What a command line says; an array in JSON. Fails with what it is instead.
    pub(super) fn parse(kind: Type, text: &str) -> Result<Self, String> {
        let texts = if kind.array { array(text)? } else { vec![text.to_owned()] };
        fn all<T>(
            texts: &[String],
            parse: impl Fn(&str) -> Result<T, String>,
        ) -> Result<Vec<T>, String> {
            texts.iter().map(|text| parse(text)).collect()
        }
        let elements = match kind.kind {
            KvType::String => Elements::Strings(texts),
            KvType::I64 => Elements::I64s(all(&texts, |text| number(text, "i64"))?),
            KvType::U64 => Elements::U64s(all(&texts, |text| number(text, "u64"))?),
            KvType::F64 => Elements::F64s(all(&texts, |text| number(text, "f64"))?),
            KvType::Bool => Elements::Bools(all(&texts, |text| number(text, "bool"))?),
            KvType::Bytes => Elements::Bytes(all(&texts, bytes)?),
        };
        Ok(Self { array: kind.array, elements })
    }

    /// Adds the value to a file that is being written.
    pub(super) fn put(&self, writer: &mut Writer, key: &str) -> hurray::Result<()> {
        let array = self.array;
        match &self.elements {
            Elements::Strings(values) => {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                put(writer, key, array, &values, KvValue::String, KvValue::Strings(&values))
            }
            Elements::I64s(values) => {
                put(writer, key, array, values, KvValue::I64, KvValue::I64s(values))
            }
            Elements::U64s(values) => {
                put(writer, key, array, values, KvValue::U64, KvValue::U64s(values))
            }
            Elements::F64s(values) => {
                put(writer, key, array, values, KvValue::F64, KvValue::F64s(values))
            }
            Elements::Bools(values) => {
                put(writer, key, array, values, KvValue::Bool, KvValue::Bools(values))
            }
            Elements::Bytes(values) => {
                let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
                put(writer, key, array, &values, KvValue::Bytes, KvValue::ByteStrings(&values))
            }
        }
    }
}

fn put<'v, T: Copy>(
    writer: &mut Writer,
    key: &str,
    array: bool,
    values: &'v [T],
    single: impl Fn(T) -> KvValue<'v>,
    all: KvValue<'v>,
) -> hurray::Result<()> {
    match values {
        [value] if !array => writer.kv(key, single(*value)),
        _ => writer.kv(key, all),
    }
}

/// The elements of a JSON array, each as a command line would have it alone.
fn array(text: &str) -> Result<Vec<String>, String> {
    let elements: Vec<Value> =
        serde_json::from_str(text).map_err(|error| format!("not a JSON array: {error}"))?;
    let element = |value: Value| match value {
        Value::String(text) => Ok(text),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        // What --json prints for bytes.
        Value::Object(fields) => match fields.get("hex") {
            Some(Value::String(digits)) if fields.len() == 1 => Ok(digits.clone()),
            _ => Err("an array with an object in it".to_owned()),
        },
        Value::Array(_) | Value::Null => Err("an array with an array or null in it".to_owned()),
    };
    elements.into_iter().map(element).collect()
}

fn number<T: FromStr<Err: Display>>(text: &str, kind: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("not of type {kind}: {error}"))
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || "not bytes: they are given as pairs of hexadecimal digits".to_owned();
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(wrong());
    }
    let byte = |&[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    pairs.iter().map(byte).collect::<Option<_>>().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: &str, text: &str) -> Result<Elements, String> {
        Typed::parse(Type::find(kind).unwrap(), text).map(|value| value.elements)
    }

    #[test]
    fn every_type_from_text() {
        assert_eq!(parse("string", "[1]"), Ok(Elements::Strings(vec!["[1]".into()])));
        assert_eq!(parse("i64", "-9223372036854775808"), Ok(Elements::I64s(vec![i64::MIN])));
        assert_eq!(parse("u64", "18446744073709551615"), Ok(Elements::U64s(vec![u64::MAX])));
        assert_eq!(parse("f64", "-inf"), Ok(Elements::F64s(vec![f64::NEG_INFINITY])));
        assert_eq!(parse("bool", "true"), Ok(Elements::Bools(vec![true])));
        assert_eq!(parse("bytes", "00fF"), Ok(Elements::Bytes(vec![vec![0, 255]])));
        let both = Elements::U64s(vec![1, u64::MAX]);
        assert_eq!(parse("u64-array", "[1, 18446744073709551615]"), Ok(both));
        let floats = Elements::F64s(vec![0.1, f64::INFINITY]);
        assert_eq!(parse("f64-array", "[0.1, \"inf\"]"), Ok(floats));
        let two = Elements::Bytes(vec![vec![], vec![10]]);
        assert_eq!(parse("bytes-array", r#"["", {"hex": "0a"}]"#), Ok(two));
        assert_eq!(parse("string-array", "[]"), Ok(Elements::Strings(vec![])));
    }

    #[test]
    fn what_is_no_value() {
        assert!(parse("i64", "1.5").unwrap_err().starts_with("not of type i64: "));
        assert!(parse("u64", "-1").is_err() && parse("bool", "1").is_err());
        assert!(parse("bytes", "abc").is_err() && parse("bytes", "+1").is_err());
        assert!(parse("u64-array", "1").unwrap_err().starts_with("not a JSON array: "));
        assert!(parse("u64-array", "[[1]]").is_err() && parse("u64-array", "[-1]").is_err());
    }
}
