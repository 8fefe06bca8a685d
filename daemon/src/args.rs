//! The command line of the daemon.

use std::path::PathBuf;

use clap::Parser;

/// Keeps Helix's knowledge base hot and answers over one Unix socket.
#[derive(Debug, Parser)]
#[command(version, about)]
pub(crate) struct Args {
    /// Directory that holds everything (environment: `HELIX_HOME`)
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Socket to listen on (environment: `HELIX_SOCKET`)
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,

    /// Directory of models (environment: `HELIX_MODEL_DIR`)
    #[arg(long, value_name = "DIR")]
    pub(crate) models: Option<PathBuf>,

    /// What to log, e.g. `info` or `helixd=debug` (environment: `HELIX_LOG`)
    #[arg(long, value_name = "FILTER")]
    pub(crate) log: Option<String>,

    /// Do not load the embedder: words only (environment: `HELIX_EMBEDDER=off`)
    #[arg(long)]
    pub(crate) no_embedder: bool,

    /// Leave the parent: new session, no inherited descriptors. Used by the programs that start
    /// the daemon
    #[arg(long, hide = true)]
    pub(crate) detached: bool,

    /// Put a backup in the place of the store and end, keeping the present one beside it. Used by
    /// `helixctl restore`, which stops the daemon before
    #[arg(long, value_name = "PATH", hide = true)]
    pub(crate) restore: Option<PathBuf>,

    /// Only say, with the exit code, whether a store of this format can be opened. Asked before an
    /// upgrade
    #[arg(long, value_name = "FORMAT", hide = true)]
    pub(crate) can_open: Option<u64>,
}
