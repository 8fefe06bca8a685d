//! Ctrl-C, a closed terminal or an order to end while something goes on that should be ended in order.

use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;

/// Does some work until one of these comes, which drops the work and all that it holds. From then on they no longer end the program
/// by itself, so the work must never wait for long without giving way.
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let watch = |kind| signal(kind).map_err(Failure::io("watching for Ctrl-C"));
    let mut interrupts = watch(SignalKind::interrupt())?;
    let (mut ends, mut hang_ups) = (watch(SignalKind::terminate())?, watch(SignalKind::hangup())?);
    tokio::select! {
        done = work => done,
        _ = interrupts.recv() => Err(Failure::Interrupted),
        _ = ends.recv() => Err(Failure::Interrupted),
        _ = hang_ups.recv() => Err(Failure::Interrupted),
    }
}
