//! The hooks' events as they come: each waits its turn, is answered within its deadline or with
//! nothing, and is recorded in any case. What is answered is decided by [`helix_app::hook`].

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use helix_app::hook::{Came, DEADLINE, Reply, Request, Unmet, answer as decide};
use helix_app::ports::Awaiting;
use helix_proto::v1::HookRequest;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::peer::Peer;
use crate::runtime::Runtime;
use crate::turn::Turn;

/// How long an event that was answered with nothing waits for its project, to be recorded there.
const RECORD_PATIENCE: Duration = Duration::from_secs(10);

impl Awaiting for Peer {
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
}

/// Makes ready what the first event would otherwise wait for, as long as the daemon runs.
pub(crate) fn warm_up(runtime: &Weak<Runtime>) {
    helix_app::hook::warm_up(|| runtime.upgrade().map(|runtime| Arc::clone(&runtime.app)));
}

/// Answers an event.
pub(crate) async fn answer(runtime: Arc<Runtime>, request: HookRequest, peer: Peer) -> Reply {
    runtime.hooks_answered.fetch_add(1, Ordering::Relaxed);
    let Some(came) = Came::now(of_wire(request), Arc::new(peer)) else {
        return Reply::default();
    };
    let deadline = came.began + DEADLINE;
    let mut turn = Box::pin(runtime.gate.turn());
    if let Ok(turn) = tokio::time::timeout_at(deadline.into(), &mut turn).await {
        return worked_on(runtime, came, turn, deadline, Unfound::Later).await;
    }
    tracing::warn!(
        "a hook waited longer than {DEADLINE:?} for its turn and was answered with nothing"
    );
    record_later(runtime, turn, came);
    Reply::default()
}

fn of_wire(request: HookRequest) -> Request {
    let HookRequest {
        event,
        stdin,
        truncated,
        cursor_version,
        project_dir,
        dry_run,
        client,
    } = request;
    Request {
        event,
        stdin,
        truncated,
        cursor_version,
        project_dir,
        dry_run,
        client,
    }
}

/// The fate of an event whose project is not found in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfound {
    /// It is recorded once its project is found.
    Later,
    /// It waited for that already.
    Dropped,
}

/// The same event, for whose answer nobody waits: whoever asked has given up, and a connection that
/// is held takes a descriptor.
fn unawaited(mut came: Came) -> Came {
    came.peer = Arc::new(Peer::Gone);
    came
}

/// Has what an event tells recorded when it is its turn, which came too late for an answer.
fn record_later(
    runtime: Arc<Runtime>,
    turn: impl Future<Output = Turn> + Send + 'static,
    came: Came,
) {
    let Some(kept) = runtime.gate.keep(came.request.stdin.len()) else {
        return tracing::warn!("too much waits to be recorded, so what a hook told was not");
    };
    let came = unawaited(came);
    tokio::spawn(async move {
        let turn = turn.await;
        worked_on(
            runtime,
            came,
            turn,
            Instant::now() + DEADLINE,
            Unfound::Later,
        )
        .await;
        drop(kept);
    });
}

/// Has what an event tells recorded once its project is found, which took too long for an answer.
/// Where nothing answers there, it is not.
fn record_when_found(on: &Handle, runtime: Arc<Runtime>, directory: PathBuf, came: Came) {
    let Some(kept) = runtime.gate.keep(came.request.stdin.len()) else {
        return tracing::warn!("too much waits to be recorded, so what a hook told was not");
    };
    let came = unawaited(came);
    on.spawn(async move {
        let Some(_project) = runtime.project_later(&directory, RECORD_PATIENCE).await else {
            return tracing::warn!(
                "nothing answers where a hook was told of, so it was not recorded"
            );
        };
        let turn = runtime.gate.turn().await;
        worked_on(
            runtime,
            came,
            turn,
            Instant::now() + DEADLINE,
            Unfound::Dropped,
        )
        .await;
        drop(kept);
    });
}

/// Waits until everything is recorded that hooks told and that was not answered in time.
pub(crate) async fn recorded(runtime: &Runtime) {
    runtime.gate.recorded().await;
}

/// Works on an event in a thread. Answers nothing when that takes longer than the deadline.
async fn worked_on(
    runtime: Arc<Runtime>,
    came: Came,
    turn: Turn,
    deadline: Instant,
    unfound: Unfound,
) -> Reply {
    let (turn, event) = (Arc::new(turn), came.request.event.clone());
    let (reply, work) = oneshot::channel();
    let job = {
        let (runtime, turn, on) = (Arc::clone(&runtime), Arc::clone(&turn), Handle::current());
        // Also where nobody waits for it any more: what it tells is recorded.
        move || {
            let _ended = turn.until_done();
            let answer = match decide(&runtime.app, &came, turn.lateness()) {
                Ok(answer) => answer,
                Err(Unmet(directory)) => {
                    if unfound == Unfound::Later {
                        record_when_found(&on, Arc::clone(&runtime), directory, came);
                    }
                    Reply::default()
                }
            };
            reply.send(answer).ok();
        }
    };
    if let Err(error) = runtime.pools.hooks.submit(Box::new(job)) {
        tracing::error!(%error, "no thread for a hook");
        return Reply::default();
    }
    // Also where nobody waits for this any more, and it goes no further.
    let _given_up = turn.until_given_up();
    match tokio::time::timeout_at(deadline.into(), work).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::error!(%error, "a hook failed");
            Reply::default()
        }
        Err(_) => {
            tracing::warn!("a hook took longer than {DEADLINE:?} and was answered with nothing");
            turn.lateness().was_late(&runtime.app, &event);
            Reply::default()
        }
    }
}
