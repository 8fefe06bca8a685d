//! `helixctl up`: a running daemon.

use clap::Args;
use helix_client::{Client, ConnectError, Start};
use helix_proto::exit;

use crate::context::{Context, wait};
use crate::failure::{Failure, Outcome};
use crate::progress::while_slow;
use crate::screen;
use crate::text::one_line;

/// Arguments of `up`.
#[derive(Debug, Args)]
pub(crate) struct Up {}

impl Up {
    /// Starts the daemon unless it runs, and waits until it answers.
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let Self {} = self;
        wait(async {
            let client = match context.connect(Start::Never).await {
                Err(Failure::Connect(ConnectError::Absent { .. })) => start(context).await?,
                found => found?,
            };
            // Of several that found none at once, one started it.
            let did = if client.has_started {
                "started"
            } else {
                "already runs"
            };
            let v = one_line(&client.greeting.version);
            let (pid, socket) = (client.greeting.pid, client.socket.display());
            screen::print(&format!("helixd {v} {did}: pid {pid}, socket {socket}\n"))?;
            Ok(exit::OK)
        })
    }
}

async fn start(context: &Context) -> Result<Client, Failure> {
    while_slow(
        context.screen,
        "waiting for helixd to start",
        context.connect(Start::IfAbsent),
    )
    .await
}
