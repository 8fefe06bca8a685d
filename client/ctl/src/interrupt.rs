//! Ctrl-C, a closed terminal or an order to end while something goes on that should be ended in
//! order.

use std::future::pending;
use std::process;
use std::sync::mpsc;
use std::thread;

use tokio::signal::unix::{SignalKind, signal};

use crate::context::wait;
use crate::failure::Failure;
use crate::screen;

/// Does some work until one of these comes, which drops the work and all that it holds. From then
/// on they no longer end the program by itself, so the work must never wait for long without giving
/// way.
pub(crate) async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let watch = |kind| signal(kind).map_err(Failure::io("watching for Ctrl-C"));
    let mut interrupts = watch(SignalKind::interrupt())?;
    let (mut ends, mut hang_ups) = (
        watch(SignalKind::terminate())?,
        watch(SignalKind::hangup())?,
    );
    tokio::select! {
        done = work => done,
        _ = interrupts.recv() => Err(Failure::Interrupted),
        _ = ends.recv() => Err(Failure::Interrupted),
        _ = hang_ups.recv() => Err(Failure::Interrupted),
    }
}

/// Ends the program when one of these comes, after saying what that leaves behind. For work that
/// nothing else can end, such as writing to a pipe that nobody reads.
pub(crate) fn end_when_interrupted(left: &'static str) -> Result<(), Failure> {
    let (watching, watched) = mpsc::channel::<()>();
    let watch = move || {
        let ended: Result<(), Failure> = wait(unless_interrupted(async move {
            drop(watching);
            pending().await
        }));
        if let Err(failure @ Failure::Interrupted) = ended {
            let failure = Failure::Within {
                what: left.to_owned(),
                failure: Box::new(failure),
            };
            screen::remark(&format!("helixctl: {failure}"));
            process::exit(failure.exit_code().into());
        }
    };
    thread::Builder::new()
        .name("interrupts".to_owned())
        .spawn(watch)
        .map_err(Failure::io("starting a thread"))?;
    // Nothing is ever sent: the other end goes once the signals are watched, or cannot be.
    watched.recv().ok();
    Ok(())
}
