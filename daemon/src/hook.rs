//! The hook handler: one entry for every event, from the frame and from gRPC alike.
//!
//! It answers within its deadline or says nothing. An event that is not known is answered at once with nothing, and so is
//! everything that Helix's own tools do.

mod ambient;
mod approve;
mod attention;
mod build;
mod changes;
mod delivery;
mod dialect;
mod event;
mod exact;
mod files;
mod handler;
mod incidents;
mod prompt;
mod reading;
mod receipts;
mod relevant;
mod session;
mod sessions;
mod stop;
mod subagent;
mod turn;
mod twice;
mod watch;
mod whose;

pub(crate) use attention::Attention;
pub(crate) use files::Files;
pub(crate) use incidents::Incidents;
pub(crate) use receipts::{Fate, Receipt, Receipts};
pub(crate) use sessions::Sessions;
pub(crate) use turn::Gate;
pub(crate) use twice::Twice;
pub(crate) use watch::Watches;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use helix_engine::model::{Memory, MemoryNumber, Timestamp};
use helix_engine::policy::work::activity::Activity;
use helix_engine::strand::{ReadError, Request};
use helix_engine::surface::inject::{self, Content, INJECTION_MAX_TOKENS, Injection};
use helix_proto::SCRATCH_SESSION;
use helix_proto::v1::HookRequest;
use jiff::tz::TimeZone;

use crate::project::Project;
use crate::runtime::Runtime;
use crate::serve::Peer;
use crate::sources::{HOOK_READ_MAX_BYTES, Look};
use delivery::{Answer, Given, deliver};
use dialect::Dialect;
use event::{ClientEvent, Input};
use handler::Handler;
use sessions::{Said, Start};
use turn::Turn;
use watch::Watched;

/// How long an event may take inside the daemon; the shim gives up after 140 ms.
const DEADLINE: Duration = Duration::from_millis(120);

/// Directories of which the projects are found at the start: more sessions than one person goes on with.
const WARM_DIRECTORIES_MAX: usize = 8;

/// One event, and everything that is needed to answer it.
struct Context<'a> {
    runtime: &'a Runtime,
    request: &'a HookRequest,
    input: &'a Input,
    dialect: Dialect,
    client: ClientEvent,
    /// The project that the session works in.
    home: Arc<Project>,
    /// The project whose memories are looked through: that of what the event is about.
    project: Arc<Project>,
    /// Whose context the answer reaches.
    key: String,
    now: Timestamp,
    began: Instant,
    /// Who waits for the answer.
    peer: Peer,
}

impl Context<'_> {
    /// The same event for another call of a tool that it stands for.
    fn on<'b>(&'b self, input: &'b Input, project: Arc<Project>) -> Context<'b> {
        let home = Arc::clone(&self.home);
        Context { input, home, project, key: self.key.clone(), peer: self.peer.clone(), ..*self }
    }

    /// How much of the deadline is left.
    fn time_left(&self) -> Duration {
        DEADLINE.saturating_sub(self.began.elapsed())
    }

    /// Whether somebody still waits for the answer.
    fn is_awaited(&self) -> bool {
        !self.time_left().is_zero() && !self.peer.is_gone()
    }

    /// Whether anything may be recorded.
    fn is_real(&self) -> bool {
        !self.request.dry_run && !self.input.session_id.starts_with(SCRATCH_SESSION)
    }

    /// Whether the session is told this for the first time. From now on it was, where anything may be recorded.
    fn tells_first(&self, said: Said) -> bool {
        let sessions = &self.runtime.sessions;
        if self.is_real() { sessions.tell(&self.key, said, self.now) } else { !sessions.was_told(&self.key, said) }
    }

    /// Changes what the session is doing, and persists it some time. A dry run changes a copy.
    fn work<T>(&self, change: impl FnOnce(&mut Activity) -> T) -> T {
        self.work_and_keep(false, change)
    }

    /// Changes what the session is doing, and persists it at once when it `matters` later.
    fn work_and_keep<T>(&self, matters: bool, change: impl FnOnce(&mut Activity) -> T) -> T {
        let key = &self.input.session_id;
        if !self.is_real() {
            return change(&mut self.runtime.sessions.activity(key, self.now).unwrap_or_default());
        }
        let (result, state) = self.runtime.sessions.work(key, self.now, matters, change);
        if let Some(state) = state {
            self.runtime.writer.write_later(Request::Session { key: key.clone(), state });
        }
        result
    }

    /// Whose hooks tell of this event: those of the project that the session works in.
    fn watched(&self) -> Watched {
        Watched::of(self.dialect, &self.home.scope)
    }

    /// Looks in the client's transcript for what the session was told before.
    fn confirm(&self) {
        let transcript = Path::new(&self.input.transcript_path);
        if self.is_real() && transcript.is_absolute() {
            let runtime = self.runtime;
            runtime.receipts.confirm_later(&runtime.writer, &self.input.session_id, transcript);
        }
    }

    /// Frames notes and memories under a heading, marking those whose source is not what it was.
    fn frame(&self, heading: &str, notes: &[String], memories: &[Memory]) -> Injection {
        let sources = &self.sources();
        let content = Content { heading, notes, memories, sources, zone: &TimeZone::system() };
        inject::frame(&content, INJECTION_MAX_TOKENS)
    }

    /// Looks at the files that memories are about; at none while too many events wait for what they look at.
    fn sources(&self) -> Look<'_> {
        let look = self.runtime.sources.look(&self.project, HOOK_READ_MAX_BYTES);
        if self.runtime.hook_gate.is_stuck() { look.blind() } else { look }
    }

    /// The beginning of a file; empty when it cannot be read, and while too many events wait for what they read.
    fn head(&self, file: &Path) -> String {
        if self.runtime.hook_gate.is_stuck() { String::new() } else { files::head(file) }
    }

    /// A path as the project's memories name it: relative to its root where it is inside.
    fn relative(&self, file: &Path) -> String {
        self.project.relative(file).to_string_lossy().into_owned()
    }

    /// A path as the session knows it: relative to the root of its own project where it is inside.
    fn shown(&self, file: &Path) -> String {
        self.home.relative(file).to_string_lossy().into_owned()
    }
}

/// A text for the model as a session starts, as Claude Code and Codex take it.
pub(crate) fn said_at_start(text: &str) -> Vec<u8> {
    let said = Dialect::Claude.additional_context(ClientEvent::SessionStart, text);
    said.map(|said| said.to_string().into_bytes()).unwrap_or_default()
}

/// Notes that somebody asked for a memory: whoever was given it, it was worth giving.
pub(crate) fn follow(runtime: &Runtime, number: MemoryNumber) {
    runtime.sessions.follow_everywhere(number);
    runtime.attention.followed(&runtime.writer, number);
}

/// Makes ready what the first event would otherwise wait for, as long as the daemon runs: patterns, the names of all time zones,
/// the projects of sessions that go on, for which git is asked, and grammars. Takes some hundred milliseconds: call it
/// off the async threads.
pub(crate) fn warm_up(runtime: &Weak<Runtime>) {
    build::warm_up();
    drop(TimeZone::system());
    let directories =
        runtime.upgrade().map(|runtime| runtime.sessions.directories(runtime.now(), WARM_DIRECTORIES_MAX));
    for directory in directories.unwrap_or_default() {
        let Some(runtime) = runtime.upgrade() else { return };
        drop(runtime.project(&directory));
    }
    helix_engine::code::warm_up();
}

/// Answers an event with the bytes for the hook's stdout; empty for nothing.
pub(crate) async fn answer(runtime: Arc<Runtime>, request: HookRequest, peer: Peer) -> Vec<u8> {
    runtime.hooks_answered.fetch_add(1, Ordering::Relaxed);
    let Some(handler) = Handler::of(&request.event) else {
        return Vec::new();
    };
    let came = Came { handler, request, peer, began: Instant::now() };
    let deadline = came.began + DEADLINE;
    let mut turn = Box::pin(runtime.hook_gate.turn());
    if let Ok(turn) = tokio::time::timeout_at(deadline.into(), &mut turn).await {
        return came.worked_on(runtime, turn, deadline).await;
    }
    tracing::warn!("a hook waited longer than {DEADLINE:?} for its turn and was answered with nothing");
    record_later(runtime, turn, came);
    Vec::new()
}

/// Has what an event tells recorded when it is its turn, which came too late for an answer.
fn record_later(runtime: Arc<Runtime>, turn: impl Future<Output = Turn> + Send + 'static, came: Came) {
    let Some(kept) = runtime.hook_gate.keep(came.request.stdin.len()) else {
        return tracing::warn!("too much waits to be recorded, so what a hook told was not");
    };
    // Whoever asked has given up, and a connection that is held takes a descriptor.
    let came = Came { peer: Peer::Gone, ..came };
    tokio::spawn(async move {
        let turn = turn.await;
        came.worked_on(runtime, turn, Instant::now() + DEADLINE).await;
        drop(kept);
    });
}

/// Waits until everything is recorded that hooks told and that was not answered in time.
pub(crate) async fn recorded(runtime: &Runtime) {
    runtime.hook_gate.recorded().await;
}

/// An event that came.
struct Came {
    handler: Handler,
    request: HookRequest,
    peer: Peer,
    began: Instant,
}

impl Came {
    /// Works on it in a thread. Returns the bytes for the hook's stdout; nothing when that takes longer than the deadline.
    async fn worked_on(self, runtime: Arc<Runtime>, turn: Turn, deadline: Instant) -> Vec<u8> {
        let (turn, event) = (Arc::new(turn), self.request.event.clone());
        let work = {
            let (runtime, turn) = (Arc::clone(&runtime), Arc::clone(&turn));
            tokio::task::spawn_blocking(move || {
                let _ended = turn.until_done();
                handle(&runtime, self, &turn)
            })
        };
        // Also where nobody waits for this any more, and it goes no further.
        let _given_up = turn.until_given_up();
        match tokio::time::timeout_at(deadline.into(), work).await {
            Ok(Ok(stdout)) => stdout,
            Ok(Err(error)) => {
                tracing::error!(%error, "a hook failed");
                Vec::new()
            }
            Err(_) => {
                tracing::warn!("a hook took longer than {DEADLINE:?} and was answered with nothing");
                turn.was_late(&runtime, &event);
                Vec::new()
            }
        }
    }
}

fn handle(runtime: &Runtime, came: Came, turn: &Turn) -> Vec<u8> {
    let Came { handler, request, peer, began } = came;
    let request = &request;
    let was_given_up = peer.is_gone();
    let Some(mut input) = Input::parse(&request.stdin) else {
        tracing::debug!(event = request.event, truncated = request.truncated, "a hook's input was not understood");
        return Vec::new();
    };
    let Some(dialect) = Dialect::of(&request.client, &request.cursor_version, &input) else { return Vec::new() };
    let event = dialect.event(&input.hook_event_name);
    let Some(client) = event.filter(|event| handler.answers(*event, dialect)) else { return Vec::new() };
    input.tool_name = dialect.tool(input.tool_name);
    if (input.is_own_tool() || input.runs_own_program()) && handler != Handler::ApproveMcp {
        return Vec::new();
    }
    let directory = input.directory(&request.project_dir);
    let home = runtime.project(&directory);
    let context = Context {
        runtime,
        request,
        project: whose::project_of_event(runtime, handler, &home, &input),
        home: Arc::clone(&home),
        key: input.session_key(),
        now: runtime.now(),
        dialect,
        client,
        input: &input,
        began,
        peer,
    };
    let came_too_late = context.time_left().is_zero();
    // What nothing is recorded of is not remembered either.
    let first = if context.is_real() {
        let Some(first) = runtime.twice.first(
            &input.session_id,
            &request.event,
            &request.stdin,
            !input.tool_use_id.is_empty(),
            began,
        ) else {
            tracing::debug!(event = request.event, "an event came twice; is the agent wired twice?");
            return Vec::new();
        };
        Some(first)
    } else {
        None
    };
    if context.is_real() {
        let watched = context.watched();
        runtime.watches.fired(&runtime.writer, &watched, &request.event, context.now);
        turn.is_of(watched, was_given_up);
        if handler == Handler::Prompt && !runtime.hook_gate.is_stuck() {
            let transcript = Path::new(&input.transcript_path);
            runtime.sessions.take_up_fork(&input.session_id, &directory, transcript, context.now);
        }
    }
    let stdout = match decide(&context, handler) {
        Ok(answer) => deliver(&context, &answer),
        Err(error) => {
            tracing::error!(%error, event = request.event, "a hook could not read the strand");
            runtime.watches.failed(&runtime.writer, &context.watched());
            Vec::new()
        }
    };
    if context.is_real() {
        runtime.sessions.meet(&input.session_id, context.now);
        // A subagent is known by now if anything is to be kept of it.
        for key in [&input.session_id, &context.key] {
            runtime.sessions.heard(key, context.now);
            runtime.sessions.works_in(key, &home, &directory);
        }
        if !context.is_awaited() {
            turn.was_late(runtime, &request.event);
        }
    }
    if let Some(first) = first {
        // One that is merely recorded has its like, if any, behind it in the line.
        first.answered(came_too_late || context.is_awaited(), Instant::now());
    }
    stdout
}

fn decide(context: &Context<'_>, handler: Handler) -> Result<Answer, ReadError> {
    Ok(match handler {
        Handler::Session => {
            if context.is_real() {
                context.runtime.receipts.confirm_others_later(&context.runtime.writer, &context.input.session_id);
            }
            session::give(context)?.into()
        }
        Handler::Prompt => {
            context.confirm();
            context.follow_mentions(&context.input.prompt)?;
            prompt::give(context)?.into()
        }
        Handler::Ambient => ambient::give(context)?.into(),
        Handler::PostBuild | Handler::ErrorContext => {
            context.follow_command()?;
            build::give(context)?.into()
        }
        Handler::Stop => {
            context.confirm();
            context.follow_mentions(&context.input.last_assistant_message)?;
            stop::give(context)?.into()
        }
        Handler::Subagent => subagent::give(context)?,
        Handler::ApproveMcp if approve::is_harmless(context.input) => Answer::Allowed,
        Handler::ApproveMcp => Answer::Silence,
        // What the session knows is persisted, and given at the start that follows.
        Handler::PreCompact | Handler::SessionEnd => {
            if handler == Handler::SessionEnd {
                context.judge();
            }
            context.work_and_keep(true, |_| ());
            context.confirm();
            if handler == Handler::PreCompact && !context.dialect.starts_after_compaction() && context.is_real() {
                context.runtime.sessions.begin(&context.key, Start::LostContext, context.now);
            }
            Answer::Silence
        }
    })
}
