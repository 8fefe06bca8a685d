//! helixd: keeps a knowledge base hot and answers over one Unix socket.
//!
//! This crate is the imperative shell around `helix-engine`: configuration, lifecycle, the
//! services, the hook handler, the writer thread, the embedder's worker, the background indexer.
//! See `daemon/ARCHITECTURE.md` for the invariants.

mod ablation;
mod args;
mod capture;
mod complaint;
mod config;
mod detach;
mod embedder;
mod environment;
mod failure;
mod git;
mod handover;
mod home;
mod hook;
mod indexer;
mod lifecycle;
mod listen;
mod peer;
mod pools;
mod ports;
mod project;
mod provider;
mod reach;
mod restore;
mod rpc;
mod runtime;
mod scheduler;
mod serve;
mod successor;
mod suggester;
mod system;
mod telemetry;
mod turn;
mod wire;
mod work;
mod writer;

use std::io::{self, Write};

use clap::Parser;
use helix_engine::Store;
use helix_proto::paths::Paths;

use crate::args::Args;
use crate::failure::Failure;
use crate::listen::Inherited;

fn main() {
    let args = Args::parse_or_exit();
    if let Some(format) = args.can_open {
        let is_known = format <= Store::FORMAT;
        system::leave(if is_known {
            helix_proto::exit::OK
        } else {
            helix_proto::exit::NEWER_FORMAT
        });
    }
    environment::complete();
    let outcome = run(&args);
    git::end();
    system::leave(match outcome {
        Ok(()) => helix_proto::exit::OK,
        Err(failure) => {
            tracing::error!(error = %failure, "stopping");
            // The start's log may stand on the very disk that is full.
            writeln!(io::stderr(), "helixd: {failure}").ok();
            failure.exit_code()
        }
    })
}

fn run(args: &Args) -> Result<(), Failure> {
    let inherited = listen::inherited()?;
    if args.detached && !successor::is_taking_over() {
        detach::leave_parent(&inherited)?;
    }
    let paths = config::places(args)?;
    serve(args, inherited, paths.clone()).inspect_err(|failure| {
        if failure.is_lasting() && args.restore.is_none() {
            complaint::leave(&paths, failure);
        }
    })
}

fn serve(args: &Args, inherited: Inherited, paths: Paths) -> Result<(), Failure> {
    // Before anything is kept or logged.
    helix_redact::check().map_err(|error| Failure::Rules(error.to_string()))?;
    let config = config::load(args, paths)?;
    ablation::read();
    config.entropy.set();
    let home = home::Home::open(&config.paths)?;
    let telemetry = telemetry::start(&config, args.detached)?;
    if let Some(backup) = &args.restore {
        return restore::restore(&config, backup);
    }
    match lifecycle::run(config, home, inherited, args.detached)? {
        None => Ok(()),
        Some(handover) => {
            // What was logged is written before the program changes.
            drop(telemetry);
            git::end();
            Err(handover.exec())
        }
    }
}

impl Args {
    /// Parses the command line; usage errors end the process with code 64.
    fn parse_or_exit() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            let code = if error.use_stderr() {
                helix_proto::exit::USAGE
            } else {
                helix_proto::exit::OK
            };
            // Nothing can be done about a closed terminal.
            drop(error.print());
            std::process::exit(i32::from(code))
        })
    }
}
