//! Ctrl-C while something goes on that should be ended in order.

use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;

/// Does some work until Ctrl-C comes, which drops the work and all that it holds. From then on Ctrl-C no longer ends the program
/// by itself, so the work must never wait for long without giving way.
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut interrupts = signal(SignalKind::interrupt()).map_err(Failure::io("watching for Ctrl-C"))?;
    tokio::select! {
        done = work => done,
        _ = interrupts.recv() => Err(Failure::Interrupted),
    }
}
