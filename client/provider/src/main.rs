//! helix-provider: asks language models on behalf of helixd, which opens no network socket itself.
//!
//! helixd starts it where `[provider]` is configured, and speaks with it over its standard streams
//! (`helix_proto::provider`). It keeps nothing on disk; keys come from the environment and go to
//! their backend alone. What is sent went through the redaction here once more, and has no code.
//!
//! Data moves one way: order → `prompt` (redacted) → `cache` → `route` → `api` or `command` →
//! `items` → answer.

mod agents;
mod api;
mod backend;
mod cache;
mod command;
mod items;
mod parent;
mod price;
mod prompt;
mod prose;
mod route;
mod serve;

use std::env;
use std::process::ExitCode;

/// The argument behind which a command stands that is to end with this program's parent.
const TIED: &str = "--tied";

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    match arguments.next() {
        None => serve::serve(),
        Some(first) if first == TIED => command::become_it(arguments.collect()),
        Some(_) => {
            eprintln!(
                "helix-provider {}: helixd starts this program; see `helixctl provider --help`",
                env!("CARGO_PKG_VERSION")
            );
            ExitCode::from(helix_proto::exit::USAGE)
        }
    }
}
