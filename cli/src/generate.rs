//! `hrry generate`: manual pages and completions, made from the command line that they are about.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;

use crate::failure::{Failure, Result};

/// Write manual pages and completions: what `make man` does.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder in which man/ and completions/ are made
    folder: PathBuf,
}

/// Shells and the files that they look for.
const COMPLETIONS: [(Shell, &str); 3] =
    [(Shell::Bash, "hrry"), (Shell::Zsh, "_hrry"), (Shell::Fish, "hrry.fish")];

/// Runs the command; `command` is the whole command line without this part of it.
pub(crate) fn run(arguments: &Arguments, mut command: Command) -> Result<()> {
    let man = folder(&arguments.folder, "man")?;
    let completions = folder(&arguments.folder, "completions")?;
    // A page for each `help` would say nothing.
    let pages = command.clone().disable_help_subcommand(true);
    let pages = pages.mut_subcommands(|command| command.disable_help_subcommand(true));
    for (shell, name) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command, "hrry", &mut text);
        let path = completions.join(name);
        fs::write(&path, text).map_err(|error| Failure::io(&path, &error))?;
    }
    clap_mangen::generate_to(pages, &man).map_err(|error| Failure::io(&man, &error))
}

fn folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let folder = parent.join(name);
    fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
    Ok(folder)
}
