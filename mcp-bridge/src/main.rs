//! `helix-mcp`: Helix's MCP server over stdio, which an agent client starts inside of the project.
//!
//! stdout carries protocol only; logs go to stderr when `HELIX_LOG` asks for them.

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;

/// Names the log filter, e.g. `helix_mcp=debug` or `rmcp=trace`.
const LOG_VARIABLE: &str = "HELIX_LOG";

/// Helix's MCP server over stdio. An agent client starts it in the project's directory; it takes no
/// arguments.
#[derive(Parser)]
#[command(name = "helix-mcp", version)]
struct Options {}

fn main() -> ExitCode {
    if let Err(error) = Options::try_parse() {
        let code = if error.use_stderr() {
            helix_client::exit::USAGE
        } else {
            helix_client::exit::OK
        };
        // Nothing can be done about a closed stream.
        drop(error.print());
        return ExitCode::from(code);
    }
    start_log();
    match run() {
        Ok(()) => ExitCode::from(helix_client::exit::OK),
        Err(error) => {
            eprintln!("helix-mcp: {error:#}");
            ExitCode::from(helix_client::exit::INTERNAL)
        }
    }
}

/// One thread is enough for a bridge that waits, and it starts fastest.
fn run() -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?;
    let result = runtime.block_on(helix_mcp::serve());
    // A blocked read of stdin must not hold up the exit.
    runtime.shutdown_background();
    result
}

fn start_log() {
    if std::env::var_os(LOG_VARIABLE).is_some_and(|value| !value.is_empty()) {
        let filter = EnvFilter::from_env(LOG_VARIABLE);
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .init();
    }
}
