//! The life of one connection: serve until the client closes stdin or sends a signal, then finish
//! what is in flight.

use std::time::Duration;

use anyhow::Context;
use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::lines::Lines;
use crate::server::Server;
use crate::tools::ToolSet;
use crate::transport::Screened;
use crate::turn::Line;

/// Longest line that is read, in bytes: a memory is at most 64 KiB, so more is a mistake.
const LINE_MAX_BYTES: usize = 4 * 1024 * 1024;

/// How long calls may go without one of them finishing once the connection ends; clients kill what
/// lingers. `rmcp` ends all after five seconds.
const DRAIN_DEADLINE: Duration = Duration::from_secs(1);

/// Serves one client over stdio with a set of tools.
///
/// # Errors
/// When signals cannot be watched or the client's pipe breaks during the handshake. An end of the
/// connection is none.
pub async fn serve(tools: ToolSet) -> anyhow::Result<()> {
    let stop = Stop::new();
    stop_on_signals(&stop)?;
    let (input, output) = stdio_pipes();
    let lines = Lines::new(input, output, LINE_MAX_BYTES);
    let line = Line::new();
    let screened = Screened::new(lines, stop.clone(), line.clone(), tools);
    let running = match Box::pin(Server::new(tools).serve(screened)).await {
        Ok(running) => running,
        Err(_) if stop.is_stopped() => return Ok(()),
        Err(error) => return Err(error).context("greeting the client"),
    };
    let mut ended = std::pin::pin!(running.waiting());
    tokio::select! {
        result = &mut ended => return result.map(drop).context("serving the client"),
        () = stop.stopped() => {}
    }
    let mut left = line.len();
    loop {
        match timeout(DRAIN_DEADLINE, &mut ended).await {
            Ok(result) => return result.map(drop).context("finishing calls"),
            Err(_) if line.len() < left => left = line.len(),
            Err(_) => return Ok(()),
        }
    }
}

/// SIGINT (Claude) and SIGTERM (Codex, Gemini) both mean: finish and leave.
fn stop_on_signals(stop: &Stop) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("watching SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("watching SIGTERM")?;
    let stop = stop.clone();
    // Ends with the process.
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.stop();
    });
    Ok(())
}

/// Says to everybody that the connection ends. Once stopped, always stopped.
#[derive(Clone)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Stop {
    /// Makes one that has not stopped.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Ends the connection.
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether it has ended.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for the end.
    pub(crate) async fn stopped(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        drop(self.0.subscribe().wait_for(|stopped| *stopped).await);
    }
}
