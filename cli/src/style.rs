//! Colours for a person at a terminal.

use std::io::{self, IsTerminal};

/// How output for people looks: aligned and coloured on a terminal, plain elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    terminal: bool,
    colour: bool,
}

impl Style {
    /// What standard output asks for.
    pub(crate) fn of_output() -> Self {
        let terminal = io::stdout().is_terminal();
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { terminal, colour: terminal && !unwanted }
    }

    /// What a terminal with colours asks for.
    #[cfg(test)]
    pub(crate) fn coloured() -> Self {
        Self { terminal: true, colour: true }
    }

    /// What a pipe or a file asks for.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self { terminal: false, colour: false }
    }

    /// Whether somebody watches.
    pub(crate) fn is_terminal(self) -> bool {
        self.terminal
    }

    /// A name that stands out.
    pub(crate) fn name(self, text: &str) -> String {
        self.painted("1;36", text)
    }

    /// What a line is about.
    pub(crate) fn label(self, text: &str) -> String {
        self.painted("2", text)
    }

    /// Good news.
    pub(crate) fn good(self, text: &str) -> String {
        self.painted("32", text)
    }

    /// Bad news.
    pub(crate) fn bad(self, text: &str) -> String {
        self.painted("1;31", text)
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
