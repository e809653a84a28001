//! `hrry convert`: a `.hrry` file from a safetensors model.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hurray::container::{KvValue, Writer, WriterOptions};
use hurray::descriptor::{Builder, DYNAMIC, Descriptor};

use crate::escape::{escaped, quoted};
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::safetensors::{Model, Part, Stored, Tensor};

/// Make a .hrry file from a safetensors model.
///
/// Names, element types, shapes, metadata and the order of the tensors are kept; BOOL is packed to
/// a bit an element. DST holds the whole new file when the command is done, and what it held
/// before when the command fails.
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

/// A tensor and its descriptor.
type Planned<'m> = (&'m Part, &'m Tensor, Stored, Descriptor);

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (source, destination) = (&arguments.source, &arguments.destination);
    let model = Model::open(source)?;
    if model.is_read_from(destination) {
        return Err(Failure::usage(destination, "is a file that the model is read from"));
    }
    let plan = plan(&model, source)?;

    let options = WriterOptions {
        alignment: arguments.align,
        count_hint: u64::try_from(plan.len()).ok(),
        ..WriterOptions::default()
    };
    let mut writer = Writer::create(destination, &options)
        .map_err(|error| Failure::library(destination, &error))?;
    for (key, value) in &model.metadata {
        writer.kv(key, KvValue::String(value)).map_err(|error| {
            at_fault(source, destination, &format!("metadata {}", quoted(key)), &error)
        })?;
    }
    let progress = Progress::new(model.data_length(), arguments.quiet);
    let mut memory = vec![0; PIECE];
    for (part, tensor, stored, descriptor) in &plan {
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
        writer.end().map_err(failed)?;
    }
    writer.finish().map_err(|error| Failure::library(destination, &error))?;
    drop(progress);
    if arguments.quiet { Ok(()) } else { summary(&model, destination) }
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
            plan.push((part, tensor, stored, descriptor));
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

fn summary(model: &Model, destination: &Path) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut text = format!(
        "{}: {} tensors, {} bytes of data\n",
        escaped(&destination.to_string_lossy()),
        model.tensor_count(),
        model.data_length()
    );
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
