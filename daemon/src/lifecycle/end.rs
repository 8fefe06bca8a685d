//! Coming to an end: who may ask for it, what is waited for, and how long.
//!
//! A hand-over first waits for imports, exports and the like while everybody is served as ever.
//! Then, as in a stop, nobody new is served, long work ends early and requests in flight are
//! finished.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::libc::SIGXFSZ;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::failure::{Failure, io_failure};
use crate::runtime::Runtime;
use crate::serve::Backlog;
use crate::successor::Successor;
use crate::work::Work;

/// How long a hand-over waits for long work, which then ends early.
const LONG_WORK_DEADLINE: Duration = Duration::from_mins(1);

/// How long connections may take to end whose requests never come whole.
const DRAIN_DEADLINE: Duration = Duration::from_secs(3);

/// How long the work of requests in flight may take beyond that: as long as a request may take at
/// all.
const WORK_DEADLINE: Duration = Duration::from_secs(30);

/// How long the last answers may take to be read.
const ANSWER_DEADLINE: Duration = Duration::from_millis(500);

/// How often the daemon looks whether its home is still there, and how long that may take.
const HOME_INTERVAL: Duration = Duration::from_secs(1);

/// The signals that ask the daemon to stop, and those that would end it without being asked.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    /// A terminal that is closed is none of the daemon's, a file that may not grow is an error of
    /// the write, and the others mean nothing here.
    _survived: [Signal; 5],
}

impl Signals {
    /// Keeps them from ending the process by themselves, from now on.
    pub(super) fn new() -> Result<Self, Failure> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())
                .map_err(io_failure("handling", "SIGTERM"))?,
            interrupt: signal(SignalKind::interrupt()).map_err(io_failure("handling", "SIGINT"))?,
            _survived: [
                signal(SignalKind::hangup()).map_err(io_failure("handling", "SIGHUP"))?,
                signal(SignalKind::from_raw(SIGXFSZ)).map_err(io_failure("handling", "SIGXFSZ"))?,
                signal(SignalKind::user_defined1()).map_err(io_failure("handling", "SIGUSR1"))?,
                signal(SignalKind::user_defined2()).map_err(io_failure("handling", "SIGUSR2"))?,
                signal(SignalKind::alarm()).map_err(io_failure("handling", "SIGALRM"))?,
            ],
        })
    }

    /// Waits for one, and says which.
    pub(super) async fn any(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// Waits until the home is not where it was any more.
async fn home_gone(runtime: &Runtime, is_in_place: impl Fn() -> bool + Send + 'static) {
    let home = runtime.config.paths.home.clone();
    let is_in_place = Arc::new(Mutex::new(is_in_place));
    loop {
        sleep(HOME_INTERVAL).await;
        let look = Arc::clone(&is_in_place);
        let look = move || look.lock().unwrap_or_else(PoisonError::into_inner)();
        if crate::reach::asked(&runtime.app.memory.reach, &home, HOME_INTERVAL, look).await
            == Some(false)
        {
            return;
        }
    }
}

/// Serves until the daemon is asked to end. Returns who takes over, if somebody does, and whether
/// it ends because its home is gone.
pub(super) async fn asked(
    runtime: &Runtime,
    is_in_place: impl Fn() -> bool + Send + 'static,
    signals: &mut Signals,
    server: &mut JoinHandle<()>,
) -> (Option<Successor>, bool) {
    tokio::select! {
        successor = asked_by_somebody(runtime, signals, server) => (successor, false),
        () = home_gone(runtime, is_in_place) => {
            tracing::error!(home = %runtime.config.paths.home.display(), "the home was removed or replaced, so the daemon ends");
            (None, true)
        }
    }
}

async fn asked_by_somebody(
    runtime: &Runtime,
    signals: &mut Signals,
    server: &mut JoinHandle<()>,
) -> Option<Successor> {
    let successor = || {
        runtime
            .successor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    };
    tokio::select! {
        signal = signals.any() => tracing::info!("asked to stop by {signal}"),
        () = runtime.stop.notified() => tracing::info!("asked to end"),
        _ = &mut *server => tracing::error!("the server ended by itself"),
    }
    let long = runtime.work.long();
    if successor().is_some() && !long.is_empty() && !server.is_finished() {
        tracing::info!(
            waits_for = long.join(", "),
            "the hand-over waits, {LONG_WORK_DEADLINE:?} at most"
        );
        let deadline = sleep(LONG_WORK_DEADLINE);
        tokio::pin!(deadline);
        // Asked to stop meanwhile, there is no successor any more.
        while successor().is_some() {
            tokio::select! {
                signal = signals.any() => {
                    tracing::info!("asked to stop by {signal}");
                    return None;
                }
                () = runtime.stop.notified() => {}
                () = runtime.work.no_long() => break,
                () = &mut deadline => break,
            }
        }
    }
    successor().filter(|_| !server.is_finished())
}

/// Ends the server: long work ends early, requests in flight are finished. Returns whether a signal
/// came meanwhile.
pub(super) async fn drain(
    work: &Arc<Work>,
    stop: oneshot::Sender<Backlog>,
    backlog: Backlog,
    signals: &mut Signals,
    server: &mut JoinHandle<()>,
) -> bool {
    work.end();
    // One that ended by itself needs not be told.
    stop.send(backlog).ok();
    let cut = cut(work);
    tokio::pin!(cut);
    let mut was_signalled = false;
    while !server.is_finished() {
        tokio::select! {
            _ = &mut *server => {}
            _ = signals.any() => was_signalled = true,
            () = &mut cut => {
                tracing::warn!("connections that did not end were cut off");
                server.abort();
                break;
            }
        }
    }
    was_signalled
}

/// Waits until the connections that are left are to be cut off.
async fn cut(work: &Work) {
    sleep(DRAIN_DEADLINE).await;
    if timeout(WORK_DEADLINE, work.idle()).await.is_err() {
        tracing::warn!("requests in flight were cut off after {WORK_DEADLINE:?}");
    }
    sleep(ANSWER_DEADLINE).await;
}
