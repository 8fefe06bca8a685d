//! `helix-mcp`: Helix's MCP server over stdio, which an agent client starts inside of the project.
//!
//! stdout carries protocol only; logs go to stderr when `HELIX_LOG` asks for them.

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use helix_mcp::ToolSet;
use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;

/// Names the log filter, e.g. `helix_mcp=debug` or `rmcp=trace`.
const LOG_VARIABLE: &str = "HELIX_LOG";

/// Helix's MCP server over stdio. An agent client starts it in the project's directory.
#[derive(Parser)]
#[command(name = "helix-mcp", version)]
struct Options {
    /// The tools to offer.
    #[arg(long, value_enum, value_name = "SET", default_value_t)]
    tools: ToolSet,
}

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            let code = if error.use_stderr() {
                helix_client::exit::USAGE
            } else {
                helix_client::exit::OK
            };
            // Nothing can be done about a closed stream.
            drop(error.print());
            return ExitCode::from(code);
        }
    };
    start_log();
    match run(options.tools) {
        Ok(()) => ExitCode::from(helix_client::exit::OK),
        Err(error) => {
            eprintln!("helix-mcp: {error:#}");
            ExitCode::from(helix_client::exit::INTERNAL)
        }
    }
}

/// One thread is enough for a bridge that waits, and it starts fastest.
fn run(tools: ToolSet) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?;
    let result = runtime.block_on(helix_mcp::serve(tools));
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
