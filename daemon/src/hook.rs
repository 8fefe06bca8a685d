//! The hook handler: one entry for every event, from the frame and from gRPC alike.
//!
//! It answers within its deadline or says nothing. An event that is not handled is answered at once with nothing.

mod ambient;
mod event;
mod session;
mod sessions;

pub(crate) use sessions::Sessions;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use helix_engine::model::MemoryNumber;
use helix_engine::strand::{ReadError, Request};
use helix_engine::surface::inject::Injection;
use helix_proto::v1::HookRequest;

use crate::project::Project;
use crate::runtime::Runtime;
use event::{ClientEvent, Input};
use sessions::GivenCheckpoint;

/// How long an event may take inside the daemon; the shim gives up after 140 ms.
const DEADLINE: Duration = Duration::from_millis(120);

/// What an event gives to the agent.
struct Given {
    injection: Injection,
    /// The memories in it, best first.
    memories: Vec<MemoryNumber>,
    /// The checkpoint in it.
    checkpoint: Option<GivenCheckpoint>,
}

/// Answers an event with the bytes for the hook's stdout; empty for nothing.
pub(crate) async fn answer(runtime: Arc<Runtime>, request: HookRequest) -> Vec<u8> {
    runtime.hooks_answered.fetch_add(1, Ordering::Relaxed);
    let Some(handled) = Handled::of(&request.event) else {
        return Vec::new();
    };
    let work = tokio::task::spawn_blocking(move || handle(&runtime, handled, &request));
    match tokio::time::timeout(DEADLINE, work).await {
        Ok(Ok(stdout)) => stdout,
        Ok(Err(error)) => {
            tracing::error!(%error, "a hook failed");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!("a hook took longer than {DEADLINE:?} and was answered with nothing");
            Vec::new()
        }
    }
}

/// The events that have something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handled {
    Session,
    Ambient,
}

impl Handled {
    fn of(event: &str) -> Option<Self> {
        match event {
            "session" => Some(Self::Session),
            "ambient" => Some(Self::Ambient),
            _ => None,
        }
    }

    /// The client's event that this one answers. The client drops an answer that names another.
    fn answers(self) -> ClientEvent {
        match self {
            Self::Session => ClientEvent::SessionStart,
            Self::Ambient => ClientEvent::PreToolUse,
        }
    }
}

fn handle(runtime: &Runtime, handled: Handled, request: &HookRequest) -> Vec<u8> {
    let Some(input) = Input::parse(&request.stdin) else {
        tracing::debug!(event = request.event, truncated = request.truncated, "a hook's input was not understood");
        return Vec::new();
    };
    if input.hook_event_name != handled.answers().name() {
        return Vec::new();
    }
    let project = project_of(runtime, handled, request, &input);
    let key = input.session_key();
    if handled == Handled::Session && !request.dry_run {
        runtime.sessions.begin(&key, input.forgets_context(), runtime.now());
    }
    let given = match handled {
        Handled::Session => session::give(runtime, &project, &input, &key).map_err(ReadError::from),
        Handled::Ambient => ambient::give(runtime, &project, &input, &key),
    };
    match given {
        Ok(Some(given)) => deliver(runtime, handled, request, &key, &given),
        Ok(None) => Vec::new(),
        Err(error) => {
            tracing::error!(%error, event = request.event, "a hook could not read the strand");
            Vec::new()
        }
    }
}

/// The project of the session, or of the file, when a session works above several repositories or reaches into another.
fn project_of(runtime: &Runtime, handled: Handled, request: &HookRequest, input: &Input) -> Arc<Project> {
    let project = runtime.project(&input.directory(&request.project_dir));
    let file = if handled == Handled::Ambient { input.file() } else { None };
    let elsewhere = file.filter(|file| project.is_directory() || !file.starts_with(&project.root));
    match elsewhere.as_deref().and_then(Path::parent).filter(|directory| directory.is_dir()) {
        Some(directory) => runtime.project(directory),
        None => project,
    }
}

/// Notes what the session was given, and renders it.
fn deliver(runtime: &Runtime, handled: Handled, request: &HookRequest, key: &str, given: &Given) -> Vec<u8> {
    if !request.dry_run {
        let taken = given.memories.get(..given.injection.taken).unwrap_or_default();
        // Two hooks of one session at the same time: the second finds the memories taken and says nothing.
        let claimed = runtime.sessions.claim(key, taken, given.checkpoint, runtime.now());
        let Some(state) = claimed else { return Vec::new() };
        runtime.writer.write_later(Request::Session { key: key.to_owned(), state });
        runtime.injected_tokens.fetch_add(given.injection.tokens() as u64, Ordering::Relaxed);
        tracing::debug!(event = request.event, memories = taken.len(), tokens = given.injection.tokens(), "injected");
    }
    event::additional_context(handled.answers(), &given.injection.text)
}
