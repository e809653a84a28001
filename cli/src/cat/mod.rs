//! `hrry cat`: the elements of a tensor.

mod boxes;
mod npy;
mod number;
mod packing;
mod slices;
mod source;
mod text;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use hurray::ErrorKind;
use hurray::container::{File, OpenOptions};
use hurray::descriptor::Layout;
use hurray::values::Target;

use crate::escape::quoted;
use crate::failure::{Failure, Result};
use crate::input;
use crate::style::Style;
pub(crate) use number::Float;
use number::Number;
use packing::Packing;
use slices::{Selection, Slices};
use source::Source;
use text::Rows;

/// Print the elements of a tensor.
///
/// Of a quantized tensor its values, as float32; of a sparse one all elements, zeros included; of
/// a composite head the merged view of its members, in the head's type. A row of the last dimension
/// is a line; above each matrix of a tensor with more dimensions stands its place. Values are
/// aligned on a terminal and elsewhere separated by TABs. Floats have the fewest digits that give
/// the same number again; types that are not interpreted are shown as hexadecimal bits.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The .hrry file
    file: PathBuf,
    /// Name of the tensor
    name: String,
    /// A part of it, much as numpy writes slices: 0:2,:,5
    ///
    /// An index takes its dimension away, a range keeps it; dimensions that are left out are
    /// whole. Bounds lie inside the shape, in order; there are no steps. Bounds below 0 count from the end: put -- before a box that begins with one.
    #[arg(value_name = "BOX")]
    slices: Option<Slices>,
    /// Write the elements themselves, row-major and little-endian: in the stored type, packed below
    /// a byte; of a quantized tensor float32
    #[arg(long, conflicts_with = "npy")]
    raw: bool,
    /// Write a .npy file; types that numpy does not have, dequantized values among them, become
    /// float32. Private types cannot
    #[arg(long)]
    npy: bool,
    /// Of a quantized tensor the stored numbers, not the values that they stand for
    #[arg(long)]
    codes: bool,
    /// Of a block-paged tensor the tokens of this sequence
    #[arg(long, value_name = "N")]
    sequence: Option<u64>,
    /// Accept what a strict reader refuses, where it can be read safely
    #[arg(long)]
    permissive: bool,
}

/// Elements that are held at a time.
const PIECE: u64 = 1 << 16;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let path = arguments.file.as_path();
    input::demand_file(path, "printing elements")?;
    if (arguments.raw || arguments.npy) && io::stdout().is_terminal() {
        let what = "bytes would spill on the terminal: send them to a file or a pipe";
        return Err(Failure::usage(path, what));
    }
    let options = OpenOptions { mode: input::mode(arguments.permissive), ..OpenOptions::default() };
    let file = File::open(path, &options).map_err(|error| Failure::library(path, &error))?;
    let (name, sequence) = (&arguments.name, arguments.sequence);
    let index = file
        .find(name.as_bytes())
        .ok_or_else(|| Failure::usage(path, format_args!("has no tensor {}", quoted(name))))?;
    let source = Source::of(&file, index, sequence, arguments.codes);
    let source = source.map_err(|error| match error.kind() {
        ErrorKind::Index { .. } | ErrorKind::WrongType { .. } if sequence.is_some() => {
            let what = format_args!("--sequence: tensor {}: {error}", quoted(name));
            Failure::usage(path, what)
        }
        _ => Failure::library(path, &error),
    })?;
    let whole = Slices::default();
    let slices = arguments.slices.as_ref().unwrap_or(&whole);
    let selection = slices.of(source.shape()).map_err(|what| Failure::usage(path, what))?;
    let cat = Cat { path, file: &file, index, source: &source, selection: &selection };
    match (arguments.raw, arguments.npy) {
        (true, _) => cat.raw(),
        (_, true) => cat.npy(),
        _ => cat.text(),
    }
}

/// A box on its way to standard output.
struct Cat<'c> {
    path: &'c Path,
    file: &'c File,
    index: u64,
    source: &'c Source,
    selection: &'c Selection,
}

impl Cat<'_> {
    fn text(&self) -> Result<()> {
        let style = Style::of_output();
        let (target, number) = if self.source.is_dequantized() {
            (Target::F32, Number::F32)
        } else {
            Number::of(self.source.element_type(), self.bits()?)
        };
        let out = BufWriter::new(io::stdout().lock());
        let mut rows = Rows::new(out, number, self.selection, style.is_terminal());
        self.each(target, number.width(), |bytes| rows.put(bytes))?;
        rows.finish().map_err(|error| Failure::output(&error))
    }

    fn raw(&self) -> Result<()> {
        let bits = self.bits()?;
        if self.source.is_dequantized() {
            return self.numbers(Target::F32, 4, &[]);
        }
        if bits >= 8 {
            return self.numbers(Target::Stored, bits as usize / 8, &[]);
        }
        let mut out = BufWriter::new(io::stdout().lock());
        let mut packing = Packing::new(bits);
        let mut packed = Vec::new();
        self.each(Target::Bytes, 1, |elements| {
            packed.clear();
            packing.put(elements, &mut packed);
            out.write_all(&packed)
        })?;
        packed.clear();
        packing.finish(&mut packed);
        out.write_all(&packed).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
    }

    fn npy(&self) -> Result<()> {
        let element_type = self.source.element_type();
        let form = match self.source.is_dequantized() {
            true => Some(npy::FLOAT32),
            false => npy::form(element_type),
        };
        let Some((descr, target)) = form else {
            let what = format_args!("numpy has no numbers for {}", element_type.name());
            return Err(Failure::invalid(self.path, what));
        };
        let width = match target {
            Target::F32 => 4,
            Target::Stored => self.bits()? as usize / 8,
            _ => 1,
        };
        self.numbers(target, width, &npy::header(descr, &self.selection.shape()))
    }

    /// Writes a header, and then elements as they are copied.
    fn numbers(&self, target: Target, width: usize, header: &[u8]) -> Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(header).map_err(|error| Failure::output(&error))?;
        self.each(target, width, |bytes| {
            if cfg!(target_endian = "big") && target == Target::F32 {
                bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
            }
            out.write_all(bytes)
        })?;
        out.flush().map_err(|error| Failure::output(&error))
    }

    /// Hands on the elements, as they are copied, in order.
    fn each(
        &self,
        target: Target,
        width: usize,
        mut put: impl FnMut(&mut [u8]) -> io::Result<()>,
    ) -> Result<()> {
        let Selection { lower, extent, .. } = self.selection;
        let mut memory = Vec::new();
        boxes::pieces(lower, extent, PIECE, |lower, extent| {
            let elements: u64 = extent.iter().product();
            memory.resize(usize::try_from(elements).unwrap_or(usize::MAX) * width, 0);
            self.source
                .read(lower, extent, target, &mut memory)
                .map_err(|error| self.cannot(error))?;
            put(&mut memory).map_err(|error| Failure::output(&error))
        })
    }

    fn bits(&self) -> Result<u32> {
        self.source.bits().ok_or_else(|| {
            let what = format_args!("tensor {}: elements of a type that is not known", self.index);
            Failure::invalid(self.path, what)
        })
    }

    fn cannot(&self, error: hurray::Error) -> Failure {
        let name = self.file.entry(self.index).map(|entry| entry.name).unwrap_or_default();
        let is_paged = || {
            let tensor = self.file.tensor(self.index);
            tensor.is_ok_and(|t| matches!(t.descriptor().layout(), Layout::BlockPaged(_)))
        };
        if matches!(error.kind(), ErrorKind::State { .. }) && is_paged() {
            let what = format_args!("tensor {}: {error}; see --sequence", quoted(name));
            return Failure::usage(self.path, what);
        }
        Failure::library(self.path, &error.in_tensor(self.index, name))
    }
}
