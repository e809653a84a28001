//! `hrry ls`: the tensors of a file.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use hurray::descriptor::DYNAMIC;

use crate::escape::escaped;
use crate::facts::Facts;
use crate::failure::{Failure, Failures, Result};
use crate::input::{self, Input};

/// List the tensors of a .hrry file, in the order of the file.
///
/// Columns: name, element type, shape, layout, bytes of data, offset of the data. Aligned with a
/// heading on a terminal; elsewhere one tensor a line, columns separated by TABs, no heading.
/// Control characters in names are escaped. An unknown dimension is shown as ?.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The .hrry file, or - for standard input
    file: PathBuf,
    /// Accept what a strict reader refuses, where it can be read safely
    #[arg(long)]
    permissive: bool,
}

const HEADING: [&str; 6] = ["NAME", "TYPE", "SHAPE", "LAYOUT", "BYTES", "OFFSET"];

/// Columns that hold numbers stand to the right.
const RIGHT: [bool; 6] = [false, false, false, false, true, true];

type Row = [String; 6];

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let path = input::shown(&arguments.file);
    let input = Input::open(&arguments.file, input::mode(arguments.permissive))?;
    let facts = Facts::of(input, false).map_err(|error| Failure::library(path, &error))?;

    let rows = (0..facts.file().tensor_count())
        .map(|k| row(&facts, k).map_err(|error| Failure::library(path, &error)));
    let terminal = io::stdout().is_terminal();
    let mut out = BufWriter::new(io::stdout().lock());
    if terminal { aligned(&mut out, rows) } else { plain(&mut out, rows) }?;
    out.flush().map_err(|error| Failure::output(&error))?;
    let mut said = Failures::default();
    for error in facts.failures() {
        said.say(Failure::library(path, &error));
    }
    said.done()
}

/// The `k`-th tensor of the file. Where its descriptor is at fault its columns stay empty.
fn row(facts: &Facts, k: u64) -> hurray::Result<Row> {
    let index = facts.file().in_file_order(k)?;
    let entry = facts.file().entry(index)?;
    let [element_type, shape, layout] = facts.tensor(index, |described| match described {
        Ok(described) => [
            described.descriptor.element_type().name().to_owned(),
            shape(described.descriptor.shape()),
            described.descriptor.layout().tag().name().to_owned(),
        ],
        Err(_) => ["-", "-", "-"].map(str::to_owned),
    });
    let (bytes, offset) = (entry.data_length.to_string(), entry.data_offset.to_string());
    Ok([escaped(entry.name), element_type, shape, layout, bytes, offset])
}

fn shape(dimensions: &[u64]) -> String {
    let text = |&dimension: &u64| match dimension {
        DYNAMIC => "?".to_owned(),
        known => known.to_string(),
    };
    format!("[{}]", dimensions.iter().map(text).collect::<Vec<_>>().join(","))
}

fn plain(out: &mut impl Write, rows: impl Iterator<Item = Result<Row>>) -> Result<()> {
    for row in rows {
        writeln!(out, "{}", row?.join("\t")).map_err(|error| Failure::output(&error))?;
    }
    Ok(())
}

fn aligned(out: &mut impl Write, rows: impl Iterator<Item = Result<Row>>) -> Result<()> {
    let heading = Ok(HEADING.map(str::to_owned));
    let rows = std::iter::once(heading).chain(rows).collect::<Result<Vec<Row>>>()?;
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in &rows {
        let mut line = String::new();
        for ((cell, width), right) in row.iter().zip(widths).zip(RIGHT) {
            line += &if right { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
        }
        writeln!(out, "{}", line.trim_end()).map_err(|error| Failure::output(&error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_their_headings() {
        let row = |cells: [&str; 6]| Ok(cells.map(str::to_owned));
        let rows = [
            row(["weight", "float32", "[64,384]", "row_major", "98304", "4096"]),
            row(["größe", "int4", "[?]", "strided", "7", "1048576"]),
        ];
        let mut out = Vec::new();
        aligned(&mut out, rows.into_iter()).unwrap();
        let expected = "\
NAME    TYPE     SHAPE     LAYOUT     BYTES   OFFSET
weight  float32  [64,384]  row_major  98304     4096
größe   int4     [?]       strided        7  1048576
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn shapes_of_every_kind() {
        assert_eq!(shape(&[]), "[]");
        assert_eq!(shape(&[0, DYNAMIC, u64::MAX - 1]), "[0,?,18446744073709551614]");
    }
}
