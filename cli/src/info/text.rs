//! The form for people.

use std::io::{self, Write};
use std::path::Path;

use hurray::descriptor::layout::Composition;
use hurray::descriptor::{DYNAMIC, Descriptor, Device};
use serde_json::Value;

use crate::describe;
use crate::escape::escaped;
use crate::facts::{Described, Facts};
use crate::input;
use crate::style::Style;
use crate::trees::{Head, Trees};

/// Writes facts one a line: about the file, then its keys, its composites, its tensors.
pub(super) fn write(
    out: &mut impl Write,
    style: Style,
    path: &Path,
    trees: &Trees<'_>,
) -> io::Result<()> {
    let facts = trees.facts();
    let mut lines = Lines { out, style };
    about_file(&mut lines, path, facts)?;
    keys(&mut lines, facts)?;
    for outermost in trees.outermost() {
        let head = trees.head(outermost);
        lines.head("composite", &escaped(trees.name(head.tensor)))?;
        lines.line("rule", &whole(trees, head))?;
        members(&mut lines, trees, outermost, 0)?;
    }
    let file = facts.file();
    let alignment = u64::from(file.header().alignment());
    for i in 0..file.tensor_count() {
        let Some(entry) = file.index().entry(i) else { continue };
        lines.head("tensor", &escaped(entry.name))?;
        facts.tensor(i, |described| match described {
            Ok(described) => tensor(&mut lines, described, entry.data_offset, alignment),
            Err(error) => lines.line("error", error),
        })?;
    }
    Ok(())
}

/// Labels and their values.
struct Lines<'o, W> {
    out: &'o mut W,
    style: Style,
}

impl<W: Write> Lines<'_, W> {
    fn line(&mut self, label: &str, value: &str) -> io::Result<()> {
        if self.style.is_terminal() {
            let padded = format!("{label:<12}");
            writeln!(self.out, "  {}  {value}", self.style.label(&padded))
        } else {
            writeln!(self.out, "{label}\t{value}")
        }
    }

    /// What the lines that follow are about.
    fn head(&mut self, label: &str, name: &str) -> io::Result<()> {
        if self.style.is_terminal() {
            writeln!(self.out, "\n{} {}", self.style.label(label), self.style.name(name))
        } else {
            writeln!(self.out, "{label}\t{name}")
        }
    }
}

fn about_file<W: Write>(lines: &mut Lines<'_, W>, path: &Path, facts: &Facts) -> io::Result<()> {
    let file = facts.file();
    let (header, trailer) = (file.header(), file.trailer());
    let flags = header.flags();
    let mut index = format!("{} bytes at {}", trailer.index_length, trailer.index_offset);
    index += if flags.sorted() { ", sorted" } else { "" };
    if let Some(crc) = trailer.crc {
        index += &format!(", crc32c {crc:#010x}");
    }
    lines.head("file", &escaped(&input::shown(path).to_string_lossy()))?;
    lines.line("size", &file.size().to_string())?;
    lines.line("version", &format!("1.{}", header.version_minor()))?;
    lines.line("alignment", &header.alignment().to_string())?;
    lines.line("tensors", &file.tensor_count().to_string())?;
    lines.line("keys", &file.kv().len().to_string())?;
    let hint = header.tensor_count_hint().map_or("none".to_owned(), |hint| hint.to_string());
    lines.line("count hint", &hint)?;
    lines.line("descriptors", &format!("from {}", header.first_descriptor_offset()))?;
    if let Some(kv) = trailer.kv {
        lines.line("kv section", &format!("{} bytes at {}", kv.length, kv.offset))?;
    }
    lines.line("index", &index)
}

fn keys<W: Write>(lines: &mut Lines<'_, W>, facts: &Facts) -> io::Result<()> {
    let kv = facts.file().kv();
    for entry in (0..kv.len()).filter_map(|i| kv.get(i)) {
        let value = describe::short(&entry).map_err(io::Error::other)?;
        lines.head("key", &escaped(entry.key()))?;
        lines.line("type", entry.type_name())?;
        lines.line("value", &value)?;
    }
    Ok(())
}

/// The members of a head, each in a line with its place in the head; below a head, and further in,
/// those of its own.
fn members<W: Write>(
    lines: &mut Lines<'_, W>,
    trees: &Trees<'_>,
    head: usize,
    depth: usize,
) -> io::Result<()> {
    for member in trees.members(head) {
        let member = member.map_err(io::Error::other)?;
        let mut text = "  ".repeat(depth) + &escaped(trees.name(member.tensor));
        let place = trees.facts().peek(member.tensor, place).unwrap_or_default();
        let inner = member.head.map(|inner| whole(trees, trees.head(inner)));
        for part in [Some(place), inner].into_iter().flatten().filter(|part| !part.is_empty()) {
            text += "  ";
            text += &part;
        }
        lines.line("member", &text)?;
        if let Some(inner) = member.head {
            // Heads nest to eight levels.
            members(lines, trees, inner, depth + 1)?;
        }
    }
    Ok(())
}

/// The role of a member, and its box in the head.
fn place(descriptor: &Descriptor) -> String {
    let role = descriptor.member_role().map(|role| describe::role_name(role).to_owned());
    let at = descriptor
        .shard()
        .map(|shard| format!("{} at {}", shape(descriptor.shape()), shape(shard.offset())));
    [role, at].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What a composite is, in a few words.
fn whole(trees: &Trees<'_>, head: &Head) -> String {
    let rule = describe::composition_name(head.rule);
    let of = match head.rule {
        Composition::Partition | Composition::Overlay(_) => {
            trees.facts().peek(head.tensor, |head| format!(" of {}", shape(head.shape())))
        }
        Composition::Group | Composition::Private(_) => None,
    };
    let members = match (head.found, head.promised) {
        (found, promised) if found < promised => format!("{found} of {promised} members: torn"),
        (1, _) => "1 member".to_owned(),
        (found, _) => format!("{found} members"),
    };
    format!("{rule}{}, {members}", of.unwrap_or_default())
}

fn tensor<W: Write>(
    lines: &mut Lines<'_, W>,
    described: &Described,
    data_offset: u64,
    alignment: u64,
) -> io::Result<()> {
    let Described { descriptor, bytes, hashes } = described;
    let all = describe::descriptor(descriptor, bytes);
    let element_type = descriptor.element_type();
    lines.line("type", &format!("{} ({:#04x})", element_type.name(), element_type.tag()))?;
    lines.line("shape", &shape(descriptor.shape()))?;
    let layout = descriptor.layout().tag();
    let mut text = format!("{} ({:#04x})", layout.name(), layout.tag());
    if let Some(fields) = all.get("layout_fields").map(inline).filter(|text| !text.is_empty()) {
        text += "  ";
        text += &fields;
    }
    lines.line("layout", &text)?;
    if descriptor.byte_offset() != 0 {
        lines.line("byte offset", &descriptor.byte_offset().to_string())?;
    }
    for (key, label) in [
        ("quant", "quantization"),
        ("shard", "shard"),
        ("stats", "statistics"),
        ("ext_type", "made of"),
        ("member_role_name", "role"),
    ] {
        match all.get(key) {
            None | Some(Value::Null) => {}
            Some(value) => lines.line(label, &inline(value))?,
        }
    }
    let offsets = descriptor.buffer_offsets(data_offset, alignment);
    let offsets: &[u64] = offsets.as_deref().unwrap_or_default();
    for (k, (buffer, offset)) in descriptor.buffers().iter().zip(offsets).enumerate() {
        let device = match buffer.device {
            0 => String::new(),
            tag => format!(", device {}", Device::from_tag(tag).name()),
        };
        let text = format!(
            "{}: {} bytes at {offset}, alignment {}{device}",
            descriptor.buffer_name(k as u64),
            buffer.byte_size,
            buffer.alignment
        );
        lines.line(&format!("buffer {k}"), &text)?;
        if let Some(hash) = hashes.get(k) {
            lines.line("sha256", hash)?;
        }
    }
    Ok(())
}

fn shape(dimensions: &[u64]) -> String {
    let text = |&dimension: &u64| match dimension {
        DYNAMIC => "?".to_owned(),
        known => known.to_string(),
    };
    let dimensions = dimensions.iter().map(text).collect::<Vec<_>>().join(",");
    format!("[{dimensions}]")
}

/// Fields in one line: `name=value name=value`.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| match value {
                Value::Object(_) => format!("{key}=({})", inline(value)),
                _ => format!("{key}={}", inline(value)),
            };
            let empty = |value: &Value| value.get("hex").is_some_and(|digits| digits == "");
            let said = fields.iter().filter(|(_, value)| !empty(value));
            said.map(field).collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => escaped(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(style: Style) -> String {
        let mut out = Vec::new();
        let mut lines = Lines { out: &mut out, style };
        lines.head("tensor", "größe").unwrap();
        lines.line("type", "int4 (0x48)").unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_terminal_and_a_pipe() {
        assert_eq!(written(Style::plain()), "tensor\tgröße\ntype\tint4 (0x48)\n");
        assert_eq!(
            written(Style::coloured()),
            "\n\x1b[2mtensor\x1b[0m \x1b[1;36mgröße\x1b[0m\n  \x1b[2mtype        \x1b[0m  int4 (0x48)\n"
        );
    }

    #[test]
    fn fields_in_a_line() {
        let value = serde_json::json!({"a": 1, "b": {"c": [2, 3]}, "d": "x\ty", "e": {"hex": ""}});
        assert_eq!(inline(&value), "a=1 b=(c=[2,3]) d=x\\ty");
    }
}
