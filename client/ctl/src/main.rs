//! Helix on the command line.
//!
//! Data goes one way: `arguments` → `command` → the daemon (over `helix-client`), the model's files
//! (`model`) or the agents' settings (`wiring`) → `document` for `--json`, `render` for people →
//! `screen`. Commands keep no state.

mod arguments;
mod ask;
mod command;
mod context;
mod document;
mod editor;
mod failure;
mod finding;
mod input;
mod interrupt;
mod model;
mod pick;
mod programs;
mod progress;
mod render;
mod screen;
mod text;
mod time;
mod wiring;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use helix_proto::exit;

use arguments::Arguments;
use failure::Failure;

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(explain(&error)),
    };
    match arguments.run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            report(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Prints what clap has to say: help and version are answers, all else is a wrong command line.
fn explain(error: &clap::Error) -> u8 {
    // Whoever closed the stream does not want to read it.
    drop(error.print());
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => exit::OK,
        _ => exit::USAGE,
    }
}

fn report(failure: &Failure) {
    match failure {
        Failure::ReaderGone => {}
        failure => drop(writeln!(
            io::stderr().lock(),
            "helixctl: {}",
            text::one_line(&failure.to_string())
        )),
    }
}
