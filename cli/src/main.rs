//! `hrry`: converts, shows, checks and changes `.hrry` tensor files.

mod cat;
mod convert;
mod describe;
mod escape;
mod extract;
mod facts;
mod failure;
mod generate;
mod hash;
mod info;
mod input;
mod kv;
mod ls;
mod partition;
mod progress;
mod safetensors;
mod stats;
mod style;
mod trees;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Converts, shows, checks and changes .hrry tensor files.
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
    Cat(cat::Arguments),
    Convert(convert::Arguments),
    Extract(extract::Arguments),
    Info(info::Arguments),
    Kv(kv::Arguments),
    Ls(ls::Arguments),
    Stats(stats::Arguments),
    Verify(verify::Arguments),
}

// What those call who build the program; help and manual pages do not know of it. Not a doc comment:
// clap would take that for the description of the program.
#[derive(Subcommand)]
enum Hidden {
    #[command(hide = true)]
    Generate(generate::Arguments),
}

fn main() -> ExitCode {
    let known = Arguments::command();
    let matches = Hidden::augment_subcommands(known.clone()).get_matches();
    let done = match (Hidden::from_arg_matches(&matches), Arguments::from_arg_matches(&matches)) {
        (Ok(Hidden::Generate(arguments)), _) => generate::run(&arguments, known),
        (_, Ok(Arguments { command })) => run(&command),
        (_, Err(error)) => error.exit(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: &Command) -> failure::Result<()> {
    match command {
        Command::Cat(arguments) => cat::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Extract(arguments) => extract::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Kv(arguments) => kv::run(arguments),
        Command::Ls(arguments) => ls::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
    }
}
