//! A home whose daemon runs, and a connection to it: what most suites begin with.

use anyhow::Result;

use crate::{Daemon, Home, Rpc};

/// A running daemon in a home of its own. It ends before its home goes.
#[derive(Debug)]
pub struct Served {
    /// A connection to the daemon.
    pub rpc: Rpc,
    /// The daemon.
    pub daemon: Daemon,
    /// Its home.
    pub home: Home,
}

impl Served {
    /// Starts a daemon in a new home, without the embedder.
    ///
    /// # Errors
    /// When it cannot be started or does not answer.
    pub fn new() -> Result<Self> {
        Self::on(Home::new()?)
    }

    /// Starts a daemon in a home.
    ///
    /// # Errors
    /// When it cannot be started or does not answer.
    pub fn on(home: Home) -> Result<Self> {
        let daemon = Daemon::start(&home)?;
        let rpc = Rpc::connect(&home)?;
        Ok(Self { rpc, daemon, home })
    }

    /// Kills the daemon and starts another in the same home.
    ///
    /// # Errors
    /// When the other cannot be started or does not answer.
    pub fn restarted(self) -> Result<Self> {
        let Self { rpc, daemon, home } = self;
        drop(rpc);
        daemon.kill()?;
        Self::on(home)
    }
}
