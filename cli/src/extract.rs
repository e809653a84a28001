//! `hrry extract`: the bytes of a buffer.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hurray::container::{File, OpenOptions, Tensor};

use crate::escape::quoted;
use crate::failure::{Failure, Result};
use crate::input;

/// Write the bytes of a tensor's buffer as they stand in the file.
///
/// No padding comes with them. `hrry info` shows the buffers that a tensor has.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The .hrry file
    file: PathBuf,
    /// Name of the tensor
    name: String,
    /// Which buffer
    #[arg(long, value_name = "K", default_value_t = 0)]
    buffer: u64,
    /// File to write; - is standard output, which is also the default unless it is a terminal
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Accept what a strict reader refuses, where it can be read safely
    #[arg(long)]
    permissive: bool,
}

/// Data held at a time.
const PIECE: u64 = 1 << 20;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { file: path, name, buffer, output, permissive } = arguments;
    input::demand_file(path, "extracting")?;
    if output.is_none() && io::stdout().is_terminal() {
        let what = "bytes would spill on the terminal: say where with -o, or -o - if they shall";
        return Err(Failure::usage(path, what));
    }
    let options = OpenOptions { mode: input::mode(*permissive), ..OpenOptions::default() };
    let failed = |error: hurray::Error| Failure::library(path, &error);
    let file = File::open(path, &options).map_err(failed)?;
    let index = file
        .find(name.as_bytes())
        .ok_or_else(|| Failure::usage(path, format_args!("has no tensor {}", quoted(name))))?;
    let tensor = file.tensor(index).map_err(failed)?;
    if *buffer >= tensor.buffer_count() {
        let (name, count) = (quoted(name), tensor.buffer_count());
        let what = format_args!("tensor {name} has no buffer {buffer}, there are {count}");
        return Err(Failure::usage(path, what));
    }
    match output.as_deref().filter(|out| out.as_os_str() != "-") {
        None => {
            let mut out = io::stdout().lock();
            copy(path, &tensor, *buffer, &mut out, Failure::output)
        }
        Some(target) => {
            demand_other(path, target)?;
            let failed = |error: &io::Error| Failure::io(target, error);
            let mut out = fs::File::create(target).map_err(|error| failed(&error))?;
            copy(path, &tensor, *buffer, &mut out, failed)
        }
    }
}

/// Writes the buffer; `failed` says whose fault a failure to write is.
fn copy(
    path: &Path,
    tensor: &Tensor,
    buffer: u64,
    out: &mut dyn Write,
    failed: impl Fn(&io::Error) -> Failure,
) -> Result<()> {
    let read = |error: hurray::Error| Failure::library(path, &error);
    let size = tensor.buffer(buffer).map_err(read)?.size;
    let mut memory = vec![0; usize::try_from(size.min(PIECE)).unwrap_or_default()];
    let mut at = 0;
    while at < size {
        let now = usize::try_from(size - at).unwrap_or(memory.len()).min(memory.len());
        let piece = &mut memory[..now];
        tensor.read(buffer, at, piece).map_err(read)?;
        out.write_all(piece).map_err(|error| failed(&error))?;
        at += now as u64;
    }
    out.flush().map_err(|error| failed(&error))
}

/// Writing to the file that is read would destroy it.
fn demand_other(path: &Path, target: &Path) -> Result<()> {
    let place = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    match (place(path), place(target)) {
        (Some(source), Some(found)) if source == found => {
            Err(Failure::usage(target, "is the file that is read"))
        }
        _ => Ok(()),
    }
}
