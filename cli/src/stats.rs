//! `hrry stats`: what the values of tensors come to, beside what the file says of them.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use hurray::ErrorKind;
use hurray::container::{File, OpenOptions, Tensor};
use hurray::descriptor::layout::Kind;
use hurray::descriptor::{Descriptor, Statistics};
use hurray::validate::STATISTICS_TOLERANCE;
use hurray::values::Values;
use serde_json::{Map, Value, json};

use crate::cat::Float;
use crate::describe;
use crate::escape::{escaped, quoted};
use crate::failure::{Failure, Failures, Result};
use crate::input;
use crate::progress::Progress;

/// Compute statistics of tensors from their values.
///
/// Reads all data. Of a quantized tensor they are those of the values that its codes stand for; bool
/// counts as 0 and 1. NNZ is how many are not zero, of a sparse layout how many are stored; ZEROS is
/// the share of the others. MIN and MAX leave out what is not a number. N:M says that at most N of
/// every M elements that follow one another are not zero, for the M that the file names, else 4.
/// Where the statistics in a file say something else, that stands behind the number in brackets.
/// Composite heads, complex numbers and types that are not interpreted have none.
///
/// Aligned with a heading on a terminal; elsewhere one tensor a line, columns separated by TABs.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The .hrry file
    file: PathBuf,
    /// Names of tensors; all of them when there is none
    names: Vec<String>,
    /// Write JSON: the computed statistics and those of the file, with all digits
    #[arg(long)]
    json: bool,
    /// Accept what a strict reader refuses, where it can be read safely
    #[arg(long)]
    permissive: bool,
}

const HEADING: [&str; 9] =
    ["NAME", "NNZ", "ZEROS", "MIN", "MAX", "MEAN", "STDDEV", "N:M", "SPECIAL"];

type Row = [String; 9];

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let path = arguments.file.as_path();
    input::demand_file(path, "reading values")?;
    let options = OpenOptions { mode: input::mode(arguments.permissive), ..OpenOptions::default() };
    let at_fault = |error| Failure::library(path, &error);
    let file = File::open(path, &options).map_err(at_fault)?;
    let tensors = chosen(path, &file, &arguments.names)?;
    let mut failures = Failures::default();
    let progress = Progress::new(0, false);
    let (mut done, mut rows, mut list) = (0, Vec::new(), Vec::new());
    let aligned = io::stdout().is_terminal();
    let mut out = BufWriter::new(io::stdout().lock());
    for i in tensors {
        let computed = file.tensor(i).and_then(|tensor| {
            let mut all = 0;
            let found = compute(&tensor, &mut |bytes, total| {
                all = total;
                progress.reach(done + bytes, done + total);
            })?;
            done += all;
            Ok((tensor, found))
        });
        let (tensor, found) = match computed {
            Ok(found) => found,
            Err(error) => {
                let name = file.entry(i).map(|entry| entry.name).unwrap_or_default();
                failures.say(Failure::library(path, &error.in_tensor(i, name)));
                continue;
            }
        };
        let said = tensor.descriptor().statistics();
        if arguments.json {
            list.push(object(tensor.name(), found.as_ref(), said));
        } else if aligned {
            rows.push(row(tensor.name(), found.as_ref(), said));
        } else {
            let row = row(tensor.name(), found.as_ref(), said);
            writeln!(out, "{}", row.join("\t")).map_err(|error| Failure::output(&error))?;
        }
    }
    drop(progress);
    let written = if arguments.json {
        let document = json!({ "file": path.to_string_lossy(), "tensors": list });
        serde_json::to_writer_pretty(&mut out, &document)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(out))
    } else {
        table(&mut out, rows)
    };
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    failures.done()
}

/// The tensors that are named, else all in the order of the file.
fn chosen(path: &Path, file: &File, names: &[String]) -> Result<Vec<u64>> {
    if names.is_empty() {
        let all = (0..file.tensor_count()).map(|k| file.in_file_order(k));
        return all.collect::<hurray::Result<_>>().map_err(|error| Failure::library(path, &error));
    }
    let find = |name: &String| {
        let found = file.find(name.as_bytes());
        found.ok_or_else(|| Failure::usage(path, format_args!("has no tensor {}", quoted(name))))
    };
    names.iter().map(find).collect()
}

/// `None` where there are no such numbers.
fn compute(tensor: &Tensor, told: &mut dyn FnMut(u64, u64)) -> hurray::Result<Option<Statistics>> {
    let d = tensor.descriptor();
    let mut progress = |done, total| {
        told(done, total);
        true
    };
    let found = Values::of(tensor)?.statistics(groups(d), Some(&mut progress));
    match found {
        Ok(found) => Ok(Some(found)),
        // A head, a paged tensor without a view of its own; a type that is not interpreted; more
        // elements than 64 bits count, or nobody knows how many.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::State { .. }
                    | ErrorKind::Unsupported { .. }
                    | ErrorKind::Overflow { .. }
            ) || d.has_dynamic_dimension() =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Elements of a group of the n:m pattern: of a sparse tensor, which may be as large as it likes,
/// only where the file names them.
fn groups(d: &Descriptor) -> u8 {
    match d.statistics().and_then(Statistics::nm) {
        Some(nm) => nm.m,
        None if d.layout().kind() == Kind::Sparse => 0,
        None => 4,
    }
}

fn row(name: &str, found: Option<&Statistics>, said: Option<&Statistics>) -> Row {
    let mut cells: Row = std::array::from_fn(|_| "-".to_owned());
    cells[0] = escaped(name);
    let Some(found) = found else { return cells };
    let differing = differing(found, said);
    let mut cell = |column: usize, show: &dyn Fn(&Statistics) -> Option<String>, keys: &[&str]| {
        if let Some(text) = show(found) {
            cells[column] = text;
        }
        let differs = keys.iter().any(|key| differing.contains(key));
        if let Some(text) = said.filter(|_| differs).and_then(show) {
            cells[column] += &format!(" ({text})");
        }
    };
    let float = |value: f64| Float(value).to_string();
    cell(1, &|s| s.nnz().map(|nnz| nnz.to_string()), &["nnz"]);
    cell(2, &|s| s.sparsity_ratio().map(float), &["sparsity_ratio"]);
    cell(3, &|s| s.range().map(|range| float(range.min)), &["value_min"]);
    cell(4, &|s| s.range().map(|range| float(range.max)), &["value_max"]);
    cell(5, &|s| s.spread().map(|spread| float(spread.mean)), &["value_mean"]);
    cell(6, &|s| s.spread().map(|spread| float(spread.stddev)), &["value_stddev"]);
    cell(7, &|s| s.nm().map(|nm| format!("{}:{}", nm.n, nm.m)), &["nm_n"]);
    let special = |s: &Statistics| {
        s.special().map(|special| {
            match (special.has_nan, special.has_inf) {
                (false, false) => "none",
                (true, false) => "nan",
                (false, true) => "inf",
                (true, true) => "nan,inf",
            }
            .to_owned()
        })
    };
    cell(8, &special, &["has_nan", "has_inf"]);
    cells
}

/// The fields in which a file says something else.
fn differing(found: &Statistics, said: Option<&Statistics>) -> Vec<&'static str> {
    let Some(said) = said else { return Vec::new() };
    let mut keys = Vec::new();
    let mut hold = |key, differs: Option<bool>| {
        if differs == Some(true) {
            keys.push(key);
        }
    };
    let other = |a: f64, b: f64, within: f64| {
        let is_same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= within;
        !is_same
    };
    let pair = found.nnz().zip(said.nnz());
    hold("nnz", pair.map(|(a, b)| a != b));
    let pair = found.sparsity_ratio().zip(said.sparsity_ratio());
    hold("sparsity_ratio", pair.map(|(a, b)| other(a, b, STATISTICS_TOLERANCE)));
    let pair = found.range().zip(said.range());
    hold("value_min", pair.map(|(a, b)| other(a.min, b.min, 0.0)));
    hold("value_max", pair.map(|(a, b)| other(a.max, b.max, 0.0)));
    hold("value_abs_max", pair.map(|(a, b)| other(a.abs_max, b.abs_max, 0.0)));
    let within = found.range().map_or(0.0, |range| STATISTICS_TOLERANCE * range.abs_max);
    let pair = found.spread().zip(said.spread());
    hold("value_mean", pair.map(|(a, b)| other(a.mean, b.mean, within)));
    hold("value_stddev", pair.map(|(a, b)| other(a.stddev, b.stddev, within)));
    let pair = found.nm().zip(said.nm());
    hold("nm_n", pair.map(|(a, b)| a.n > b.n));
    let pair = found.special().zip(said.special());
    hold("has_nan", pair.map(|(a, b)| a.has_nan != b.has_nan));
    hold("has_inf", pair.map(|(a, b)| a.has_inf != b.has_inf));
    keys
}

fn object(name: &str, found: Option<&Statistics>, said: Option<&Statistics>) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), name.into());
    fields.insert("computed".into(), found.map(describe::statistics).into());
    fields.insert("file".into(), said.map(describe::statistics).into());
    fields.insert("differing".into(), found.map(|found| differing(found, said)).into());
    fields.into()
}

fn table(out: &mut impl Write, rows: Vec<Row>) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows: Vec<Row> = std::iter::once(HEADING.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 9] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            line += &match column {
                0 => format!("{cell:<width$}  "),
                _ => format!("{cell:>width$}  "),
            };
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
