//! Asking a person before something is undone.

use std::io::{self, IsTerminal};

use dialoguer::Confirm;

use crate::failure::Failure;

/// Asks on the terminal; no is the answer of somebody in doubt. Without a terminal, `flag` has to say it.
pub(crate) fn confirmed(question: &str, flag: &str) -> Result<bool, Failure> {
    if !is_there_somebody() {
        return Err(Failure::Usage(format!("nobody is there to confirm; nothing was done; say {flag}")));
    }
    Confirm::new().with_prompt(question).default(false).interact().map_err(failed)
}

/// Whether a person can be asked: prompts are drawn on stderr and answered on stdin.
pub(crate) fn is_there_somebody() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// A prompt that could not be drawn or read.
pub(crate) fn failed(error: dialoguer::Error) -> Failure {
    let dialoguer::Error::IO(source) = error;
    Failure::io("asking on the terminal")(source)
}
