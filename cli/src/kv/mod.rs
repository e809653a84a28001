//! `hrry kv`: the keys of a file and their values.

mod rewrite;
mod value;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hurray::container::{File, KvEntry, KvType};
use serde_json::Value;

use crate::describe;
use crate::escape::{escaped, quoted};
use crate::failure::{Failure, Result};
use crate::input::{self, Input};
use crate::style::Style;
use value::{Type, Typed};

/// List, get, set and delete the keys of a .hrry file.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    List(List),
    Get(Get),
    Set(Set),
    Delete(Delete),
}

/// List the keys with their types and values, in the order of the file.
///
/// Aligned with a heading on a terminal; elsewhere one key a line, columns separated by TABs.
/// Control characters are escaped and long values cut: `get` gives them whole.
#[derive(clap::Args)]
struct List {
    /// The .hrry file, or - for standard input
    file: PathBuf,
}

/// Print the value of a key.
///
/// Texts as they are, bytes in hexadecimal, the elements of an array one a line. With --json also
/// texts that hold line ends can be told apart.
#[derive(clap::Args)]
struct Get {
    /// The .hrry file, or - for standard input
    file: PathBuf,
    /// The key
    key: String,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Give a key a value.
///
/// The whole file is written anew beside the old one and then takes its place: it holds the old
/// or the new content, never a part. Tensors keep their bytes and their order. A new key comes
/// last.
#[derive(clap::Args)]
struct Set {
    /// The .hrry file
    file: PathBuf,
    /// The key
    key: String,
    /// The value: a text, a number, true or false, bytes in hexadecimal; for an array a JSON array
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// Type of the value; when not given, the one that the key has already, or string
    #[arg(long = "type", value_name = "TYPE", value_parser = types())]
    kind: Option<Type>,
}

/// Take a key away.
///
/// The file is written anew, as by `set`.
#[derive(clap::Args)]
struct Delete {
    /// The .hrry file
    file: PathBuf,
    /// The key
    key: String,
}

fn types() -> impl TypedValueParser<Value = Type> {
    let names: Vec<&'static str> = Type::all().map(Type::name).collect();
    PossibleValuesParser::new(names)
        .map(|name| Type::find(&name).unwrap_or(Type { kind: KvType::String, array: false }))
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::List(arguments) => list(&arguments.file),
        Command::Get(arguments) => get(arguments),
        Command::Set(arguments) => set(arguments),
        Command::Delete(arguments) => delete(arguments),
    }
}

/// Opens a file for its keys; a stream is read to its end.
fn open(path: &Path) -> Result<File> {
    match Input::open(path, input::mode(false))? {
        Input::File(file) => Ok(file),
        Input::Stream(stream) => {
            stream.finish().map_err(|error| Failure::library(input::shown(path), &error))
        }
    }
}

fn list(path: &Path) -> Result<()> {
    let file = open(path)?;
    let entries = (0..file.kv().len()).filter_map(|i| file.kv().get(i));
    let rows = entries.map(|entry| {
        let value = describe::short(&entry)?;
        Ok([escaped(entry.key()), entry.type_name().to_owned(), value])
    });
    let mut rows = rows
        .collect::<hurray::Result<Vec<[String; 3]>>>()
        .map_err(|error| Failure::library(input::shown(path), &error))?;
    let style = Style::of_output();
    let mut text = String::new();
    if style.is_terminal() && !rows.is_empty() {
        rows.insert(0, ["KEY", "TYPE", "VALUE"].map(str::to_owned));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let (first, second) = (width(0).unwrap_or(0), width(1).unwrap_or(0));
        for [key, kind, value] in &rows {
            text += &format!("{key:<first$}  {kind:<second$}  {value}\n");
        }
    } else {
        for row in &rows {
            text += &row.join("\t");
            text.push('\n');
        }
    }
    print(&text)
}

fn get(arguments: &Get) -> Result<()> {
    let Get { file: path, key, json } = arguments;
    let file = open(path)?;
    let found = file.kv().find(key.as_bytes()).and_then(|i| file.kv().get(i));
    let entry = found.ok_or_else(|| no_key(path, key))?;
    let elements = (0..entry.count()).map(|k| describe::element(&entry, k));
    let elements = elements
        .collect::<hurray::Result<Vec<Value>>>()
        .map_err(|error| Failure::library(input::shown(path), &error))?;
    if !json {
        let lines = elements.iter().map(plain);
        return print(&lines.map(|line| line + "\n").collect::<String>());
    }
    print(&format!("{:#}\n", if entry.is_array() { elements.into() } else { only(elements) }))
}

fn only(elements: Vec<Value>) -> Value {
    elements.into_iter().next().unwrap_or_default()
}

/// An element without quotes.
fn plain(element: &Value) -> String {
    match element {
        Value::String(text) => text.clone(),
        Value::Object(bytes) => bytes.values().map(plain).collect(),
        other => other.to_string(),
    }
}

fn set(arguments: &Set) -> Result<()> {
    let Set { file: path, key, value, kind } = arguments;
    let file = open_to_change(path)?;
    let place = file.kv().find(key.as_bytes());
    let held = place.and_then(|i| file.kv().get(i)).map(|entry| Type::of(&entry));
    let kind = kind.or(held).unwrap_or(Type { kind: KvType::String, array: false });
    let new = Typed::parse(kind, value).map_err(|what| {
        let what = format!("key {}: {} is {what}", quoted(key), quoted(value));
        Failure::usage(path, what)
    })?;
    let mut values = rewrite::keys(&file).map_err(|error| Failure::library(path, &error))?;
    match values.iter_mut().find(|(other, _)| other == key) {
        Some((_, value)) => *value = new,
        None => values.push((key.clone(), new)),
    }
    rewrite::rewrite(path, &file, &values)
}

fn delete(arguments: &Delete) -> Result<()> {
    let Delete { file: path, key } = arguments;
    let file = open_to_change(path)?;
    file.kv().find(key.as_bytes()).ok_or_else(|| no_key(path, key))?;
    let mut values = rewrite::keys(&file).map_err(|error| Failure::library(path, &error))?;
    values.retain(|(other, _)| other != key);
    rewrite::rewrite(path, &file, &values)
}

fn open_to_change(path: &Path) -> Result<File> {
    input::demand_file(path, "changing keys")?;
    open(path)
}

fn no_key(path: &Path, key: &str) -> Failure {
    Failure::usage(input::shown(path), format_args!("has no key {}", quoted(key)))
}

fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::output(&error))
}

impl Type {
    fn of(entry: &KvEntry<'_>) -> Self {
        Self { kind: entry.kind(), array: entry.is_array() }
    }
}
