//! `hrry`: converts, lists and checks `.hrry` tensor files.

mod convert;
mod escape;
mod failure;
mod ls;
mod progress;
mod safetensors;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Converts and lists .hrry tensor files.
///
/// Exit codes: 0 done, 1 a file is invalid or not supported, 2 usage, 3 input or output failed.
#[derive(Parser)]
#[command(name = "hrry", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Convert(convert::Arguments),
    Ls(ls::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Ls(arguments) => ls::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
