//! `hrry convert`: a `.hrry` file from a safetensors model.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hurray::container::{KvValue, Writer, WriterOptions};
use hurray::descriptor::{Builder, DYNAMIC, Descriptor};

use crate::escape::{escaped, quoted};
use crate::failure::{Failure, Result};
use crate::partition::{self, Expression, Step};
use crate::progress::Progress;
use crate::safetensors::{Model, Part, Stored, Tensor};

/// Make a .hrry file from a safetensors model.
///
/// Names, element types, shapes, metadata and the order of the tensors are kept; BOOL is packed to
/// a bit an element. DST holds the whole new file when the command is done, and what it held
/// before when the command fails.
///
/// With --partition, shards of one tensor, as tensor-parallel training leaves them, are joined: they
/// become the members of a partition, keep their names and are written in the order of their
/// numbers, behind a head that is the whole. The head's name is theirs without the number, and with
/// one of the separators between which that stood. So layers.0.w.rank_0, layers.0.w.rank_1, ... and
///
///   --partition '.*\.rank_(\d+)'
///
/// make layers.0.w.rank.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A .safetensors file, or the .index.json of a model in several files
    #[arg(value_name = "SRC")]
    source: PathBuf,
    /// The .hrry file to write
    #[arg(value_name = "DST")]
    destination: PathBuf,
    /// Alignment of tensor data in the file: a power of two from 4096 to 2097152
    #[arg(long, value_name = "BYTES", default_value_t = 4096, value_parser = alignment)]
    align: u32,
    /// Join shards of one tensor. The expression is matched against whole names; its one group
    /// holds the shard's number, from 0 or 1 on. Names that are equal outside of the group are one
    /// tensor. Can be given several times
    #[arg(long, value_name = "REGEX", value_parser = Expression::parse)]
    partition: Vec<Expression>,
    /// Dimension along which shards follow each other, from 0 on. Needed where their shapes are
    /// equal; without it, it is the one in which they differ. Given once it is for all that any
    /// --partition matches; else it is given as often as --partition, for each in turn
    #[arg(long, value_name = "N", requires = "partition")]
    axis: Vec<usize>,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

fn alignment(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(value) if value.is_power_of_two() && (4096..=2_097_152).contains(&value) => Ok(value),
        _ => Err("not a power of two from 4096 to 2097152".into()),
    }
}

/// Data held at a time: this much, and what becomes of it.
const PIECE: usize = 4 << 20;

/// A tensor to be written.
pub(crate) struct Planned<'m> {
    pub(crate) part: &'m Part,
    pub(crate) tensor: &'m Tensor,
    pub(crate) stored: Stored,
    pub(crate) descriptor: Descriptor,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (source, destination) = (&arguments.source, &arguments.destination);
    let model = Model::open(source)?;
    if model.is_read_from(destination) {
        return Err(Failure::usage(destination, "is a file that the model is read from"));
    }
    let expressions = expressions(arguments)?;
    let steps = partition::join(plan(&model, source)?, &expressions, source)?;

    let partitions = steps.iter().filter(|step| matches!(step, Step::Partition { .. })).count();
    let options = WriterOptions {
        alignment: arguments.align,
        count_hint: u64::try_from(model.tensor_count() + partitions).ok(),
        ..WriterOptions::default()
    };
    let mut writer = Writer::create(destination, &options)
        .map_err(|error| Failure::library(destination, &error))?;
    for (key, value) in &model.metadata {
        writer.kv(key, KvValue::String(value)).map_err(|error| {
            at_fault(source, destination, &format!("metadata {}", quoted(key)), &error)
        })?;
    }
    let mut copy = Copy {
        writer,
        destination,
        progress: Progress::new(model.data_length(), arguments.quiet),
        memory: vec![0; PIECE],
    };
    for step in &steps {
        match step {
            Step::Tensor(planned) => copy.tensor(planned)?,
            Step::Partition { name, head, members } => {
                let failed = |error: hurray::Error| {
                    at_fault(source, destination, &format!("tensor {}", quoted(name)), &error)
                };
                let descriptors: Vec<_> = members.iter().map(|member| &member.descriptor).collect();
                copy.writer.composite_begin(name, head, &descriptors).map_err(failed)?;
                members.iter().try_for_each(|member| copy.tensor(member))?;
                copy.writer.composite_end().map_err(failed)?;
            }
        }
    }
    let Copy { writer, progress, .. } = copy;
    writer.finish().map_err(|error| Failure::library(destination, &error))?;
    drop(progress);
    if arguments.quiet { Ok(()) } else { summary(&model, &steps, destination) }
}

/// The expressions of the command line, each with its axis.
fn expressions(arguments: &Arguments) -> Result<Vec<(&Expression, Option<usize>)>> {
    let Arguments { partition, axis, .. } = arguments;
    let axis_of = |k: usize| match &axis[..] {
        [] => None,
        [only] => Some(*only),
        all => Some(all[k]),
    };
    if axis.len() > 1 && axis.len() != partition.len() {
        let (given, expressions) = (axis.len(), partition.len());
        let what = format!(
            "needs one --axis for each --partition, or one for all: there are {given} and {expressions}"
        );
        return Err(Failure::usage(&arguments.source, what));
    }
    Ok(partition.iter().enumerate().map(|(k, expression)| (expression, axis_of(k))).collect())
}

/// A file being written, with what the data goes through.
struct Copy<'a> {
    writer: Writer,
    destination: &'a Path,
    progress: Progress,
    memory: Vec<u8>,
}

impl Copy<'_> {
    /// Writes a tensor, piece by piece.
    fn tensor(&mut self, planned: &Planned<'_>) -> Result<()> {
        let Self { writer, destination, progress, memory } = self;
        let Planned { part, tensor, stored, descriptor } = planned;
        let failed = |error: hurray::Error| {
            at_fault(&part.path, destination, &format!("tensor {}", quoted(&tensor.name)), &error)
        };
        writer.begin(&tensor.name, descriptor).map_err(failed)?;
        let mut at = 0;
        while at < tensor.length() {
            let length = usize::try_from(tensor.length() - at).unwrap_or(PIECE).min(PIECE);
            let piece = &mut memory[..length];
            part.read(tensor, at, piece)?;
            let packed = stored.apply(piece, at).map_err(|what| {
                let what = format!("tensor {}: {what}", quoted(&tensor.name));
                Failure::invalid(&part.path, what)
            })?;
            writer.write(packed).map_err(failed)?;
            at += length as u64;
            progress.advance(length as u64);
        }
        writer.end().map_err(failed)
    }
}

/// A descriptor for every tensor, before anything is written. Types without a counterpart are
/// found all at once.
fn plan<'m>(model: &'m Model, source: &Path) -> Result<Vec<Planned<'m>>> {
    let mut plan = Vec::with_capacity(model.tensor_count());
    let (mut refused, mut refusals) = (0, String::new());
    for part in &model.parts {
        for tensor in &part.tensors {
            let Some((element_type, stored)) = tensor.dtype.and_then(|known| known.counterpart)
            else {
                refused += 1;
                let name = escaped(&tensor.name);
                let _ = write!(refusals, "\n  {:<12} {name}", escaped(&tensor.dtype_name));
                continue;
            };
            let invalid = |what: &dyn std::fmt::Display| {
                let what = format!("tensor {}: {what}", quoted(&tensor.name));
                Failure::invalid(&part.path, what)
            };
            if tensor.shape.contains(&DYNAMIC) {
                return Err(invalid(&"a dimension of 2^64 - 1 has another meaning in .hrry"));
            }
            let descriptor = Builder::new(element_type, &tensor.shape)
                .and_then(|builder| builder.build())
                .map_err(|error| invalid(&error))?;
            plan.push(Planned { part, tensor, stored, descriptor });
        }
    }
    match refused {
        0 => Ok(plan),
        _ => {
            let what = format!("{refused} tensor(s) of a type that .hrry does not have:{refusals}");
            Err(Failure::invalid(source, what))
        }
    }
}

/// An error of the writer is about what it was given, or about the file that it writes.
fn at_fault(source: &Path, destination: &Path, what: &str, error: &hurray::Error) -> Failure {
    if Failure::is_io(error) {
        Failure::library(destination, error)
    } else if error.tensor().is_some() {
        Failure::library(source, error) // says which one by itself
    } else {
        Failure::invalid(source, format_args!("{what}: {error}"))
    }
}

fn summary(model: &Model, steps: &[Step<'_>], destination: &Path) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut text = format!(
        "{}: {} tensors, {} bytes of data\n",
        escaped(&destination.to_string_lossy()),
        model.tensor_count(),
        model.data_length()
    );
    let shards = steps.iter().filter_map(|step| match step {
        Step::Partition { members, .. } => Some(members.len()),
        Step::Tensor(_) => None,
    });
    let (partitions, joined) = (shards.clone().count(), shards.sum::<usize>());
    if partitions > 0 {
        let _ = writeln!(text, "{joined} of them joined into {partitions} partition(s)");
    }
    if model.unlisted > 0 {
        let _ = writeln!(text, "note: {} of them are not in the index", model.unlisted);
    }
    out.write_all(text.as_bytes()).map_err(|error| Failure::output(&error))
}

impl Stored {
    /// Turns a piece of a tensor's data, which begins at its byte `at`, into what is stored. Works
    /// in place. Pieces but the last are whole multiples of eight bytes.
    fn apply(self, piece: &mut [u8], at: u64) -> Result<&[u8], String> {
        match self {
            Self::Same => Ok(piece),
            Self::ByteToBit => {
                if let Some(k) = piece.iter().position(|&byte| byte > 1) {
                    let place = at + k as u64;
                    return Err(format!("element {place} of BOOL is {}, not 0 or 1", piece[k]));
                }
                let packed = piece.len().div_ceil(8);
                for k in 0..packed {
                    let bytes = &piece[8 * k..piece.len().min(8 * k + 8)];
                    let bit = |(i, &byte): (usize, &u8)| byte << i;
                    piece[k] = bytes.iter().enumerate().map(bit).sum();
                }
                Ok(&piece[..packed])
            }
            Self::Exponents => match piece.iter().position(|&byte| matches!(byte, 0 | 0xFF)) {
                None => Ok(piece),
                Some(k) => {
                    let place = at + k as u64;
                    Err(format!(
                        "element {place} of F8_E8M0 is {:#04x}, which float8_e8m0 does not have",
                        piece[k]
                    ))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_lowest_first() {
        let mut piece = [1, 0, 1, 1, 0];
        assert_eq!(Stored::ByteToBit.apply(&mut piece, 0).unwrap(), [0x0D]);
        let mut piece = [0, 0, 0, 0, 0, 0, 0, 1, 1];
        assert_eq!(Stored::ByteToBit.apply(&mut piece, 0).unwrap(), [0x80, 0x01]);
        assert_eq!(Stored::ByteToBit.apply(&mut [], 0).unwrap().len(), 0);
        let error = Stored::ByteToBit.apply(&mut [0, 2], 16).unwrap_err();
        assert_eq!(error, "element 17 of BOOL is 2, not 0 or 1");
    }
}
