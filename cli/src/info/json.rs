//! The JSON form (docs/info-json.md), written tensor by tensor.

use std::io::{self, Write};
use std::path::Path;

use hurray::container::Entry;
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::describe;
use crate::facts::{Described, Facts};
use crate::trees::Trees;

/// Grows when a field changes its meaning or goes; new fields do not count.
const INFO_VERSION: u32 = 1;

/// Writes the document and a line end.
pub(super) fn write(out: &mut impl Write, path: &Path, trees: &Trees<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Document { path, trees })?;
    writeln!(out)
}

struct Document<'a> {
    path: &'a Path,
    trees: &'a Trees<'a>,
}

struct Keys<'a>(&'a Facts);

struct Tensors<'a>(&'a Facts);

struct Composites<'a>(&'a Trees<'a>);

/// A head, and so eight levels down at most.
struct Composite<'a>(&'a Trees<'a>, usize);

struct Members<'a>(&'a Trees<'a>, usize);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let facts = self.trees.facts();
        let file = facts.file();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("info_version", &INFO_VERSION)?;
        map.serialize_entry("file", &self.path.to_string_lossy())?;
        map.serialize_entry("file_size", &file.size())?;
        map.serialize_entry("tensor_count", &file.tensor_count())?;
        map.serialize_entry("header", &describe::header(file))?;
        map.serialize_entry("trailer", &describe::trailer(file))?;
        map.serialize_entry("kv", &Keys(facts))?;
        map.serialize_entry("tensors", &Tensors(facts))?;
        map.serialize_entry("composites", &Composites(self.trees))?;
        map.end()
    }
}

impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kv = self.0.file().kv();
        let entries = (0..kv.len()).filter_map(|i| kv.get(i));
        let entries =
            entries.map(|entry| describe::entry(&entry)).collect::<hurray::Result<Vec<_>>>();
        serializer.collect_seq(entries.map_err(S::Error::custom)?)
    }
}

impl Serialize for Tensors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = self.0.file();
        let entries = (0..file.tensor_count()).filter_map(|i| Some((i, file.index().entry(i)?)));
        let alignment = u64::from(file.header().alignment());
        serializer.collect_seq(
            entries.map(|(i, entry)| {
                self.0.tensor(i, |described| tensor(&entry, described, alignment))
            }),
        )
    }
}

impl Serialize for Composites<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.outermost().map(|k| Composite(self.0, k)))
    }
}

impl Serialize for Composite<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Self(trees, k) = self;
        let head = trees.head(k);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("head", trees.name(head.tensor))?;
        for (key, value) in describe::composition(head.rule, head.promised) {
            map.serialize_entry(&key, &value)?;
        }
        map.serialize_entry("complete", &head.complete)?;
        map.serialize_entry("members", &Members(trees, k))?;
        map.end()
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let &Self(trees, k) = self;
        let mut list = serializer.serialize_seq(None)?;
        for member in trees.members(k) {
            let member = member.map_err(S::Error::custom)?;
            match member.head {
                Some(inner) => list.serialize_element(&Composite(trees, inner))?,
                None => list.serialize_element(trees.name(member.tensor))?,
            }
        }
        list.end()
    }
}

/// A tensor; if its descriptor is at fault, `error` says so in place of it.
fn tensor(entry: &Entry<'_>, described: Result<&Described, &str>, alignment: u64) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), entry.name.into());
    fields.insert("index_entry".into(), describe::index_entry(entry));
    match described {
        Err(error) => {
            fields.insert("error".into(), error.into());
        }
        Ok(Described { descriptor, bytes, hashes }) => {
            fields.extend(describe::descriptor(descriptor, bytes));
            // An opaque descriptor has no buffer table to place.
            let offsets = descriptor.buffer_offsets(entry.data_offset, alignment);
            let offsets: &[u64] = offsets.as_deref().unwrap_or_default();
            let buffers = descriptor.buffers().iter().zip(offsets).enumerate();
            let buffers = buffers.map(|(k, (buffer, &offset))| {
                let hash = hashes.get(k).map(String::as_str);
                describe::buffer(descriptor.buffer_name(k as u64), buffer, offset, hash)
            });
            fields.insert("buffers".into(), buffers.collect());
        }
    }
    fields.into()
}
