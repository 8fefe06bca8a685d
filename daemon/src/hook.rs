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
pub(crate) use turn::{Gate, THREADS_MAX};
pub(crate) use twice::Twice;
pub(crate) use watch::Watches;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use helix_engine::model::{Memory, MemoryNumber, Timestamp};
use helix_engine::policy::work::activity::Activity;
use helix_engine::strand::ReadError;
use helix_engine::surface::inject::{self, Content, INJECTION_MAX_TOKENS, Injection};
use helix_proto::SCRATCH_SESSION;
use helix_proto::v1::HookRequest;
use jiff::tz::TimeZone;
use tokio::sync::oneshot;

use crate::project::{Project, plain};
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

/// How long an event waits for a place that it touches, where its deadline leaves it no longer: as long as a busy machine may take.
const REACH_PATIENCE: Duration = Duration::from_millis(60);

/// How long an event that was answered with nothing waits for its project, to be recorded there.
const RECORD_PATIENCE: Duration = Duration::from_secs(10);

/// How long a project may take that is looked for at the start.
const WARM_PATIENCE: Duration = Duration::from_secs(2);

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
        self.runtime.sessions.work(key, self.now, matters, change)
    }

    /// Whose hooks tell of this event: those of the project that the session works in.
    fn watched(&self) -> Watched {
        Watched::of(self.dialect, &self.home.scope)
    }

    /// Where the session writes its transcript, as far as its client says.
    fn transcript(&self) -> Option<&Path> {
        Some(Path::new(&self.input.transcript_path)).filter(|transcript| transcript.is_absolute())
    }

    /// Looks for whose fork the session is, where it is one of which that is not known.
    fn read_fork(&self) {
        if let Some(transcript) = self.transcript() {
            self.runtime.sessions.read_fork(&self.runtime.reach, &self.input.session_id, transcript, self.now);
        }
    }

    /// Looks in the client's transcript for what the session was told before.
    fn confirm(&self) {
        if self.is_real()
            && let Some(transcript) = self.transcript()
        {
            let runtime = self.runtime;
            let (reach, writer) = (&runtime.reach, &runtime.writer);
            runtime.receipts.confirm_later(reach, writer, &self.input.session_id, transcript, self.now);
        }
    }

    /// As [`Self::confirm`], before the session is given anything else: a prompt that was blocked is written again.
    fn confirm_prompts(&self) {
        let runtime = self.runtime;
        let is_done = self.is_real()
            && self.transcript().is_some_and(|transcript| {
                let (reach, writer) = (&runtime.reach, &runtime.writer);
                runtime.receipts.confirm_prompts(reach, writer, &self.input.session_id, transcript, self.now)
            });
        if !is_done {
            self.confirm();
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
        if self.runtime.hook_gate.is_stuck() {
            return String::new();
        }
        let asked = file.to_owned();
        self.ask_at(file, move || files::head(&asked)).unwrap_or_default()
    }

    /// Asks something at a path that may lie anywhere; `None` where nothing answers in time.
    fn ask_at<T: Send + 'static>(&self, path: &Path, question: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        self.runtime.reach.ask(place_of(&self.home, path), REACH_PATIENCE, question)
    }

    fn relative_to(&self, project: &Arc<Project>, file: &Path) -> PathBuf {
        if plain(file).starts_with(&project.root) {
            return project.relative(file);
        }
        // A link may lead inside.
        let (project, asked) = (Arc::clone(project), file.to_owned());
        self.ask_at(file, move || project.relative(&asked)).unwrap_or_else(|| file.to_owned())
    }

    /// A path as the project's memories name it: relative to its root where it is inside.
    fn relative(&self, file: &Path) -> String {
        self.relative_to(&self.project, file).to_string_lossy().into_owned()
    }

    /// A path as the session knows it: relative to the root of its own project where it is inside.
    fn shown(&self, file: &Path) -> String {
        self.relative_to(&self.home, file).to_string_lossy().into_owned()
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
        drop(runtime.project(&directory, WARM_PATIENCE));
    }
    helix_code::warm_up();
    if let Some(runtime) = runtime.upgrade() {
        runtime.receipts.confirm_left(&runtime.reach, &runtime.writer, runtime.now());
    }
}

/// Answers an event with the bytes for the hook's stdout; empty for nothing.
pub(crate) async fn answer(runtime: Arc<Runtime>, request: HookRequest, peer: Peer) -> Vec<u8> {
    runtime.hooks_answered.fetch_add(1, Ordering::Relaxed);
    let Some(handler) = Handler::of(&request.event) else {
        return Vec::new();
    };
    let came = Came { handler, request, peer, began: Instant::now(), is_put_off: false };
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

/// Has what an event tells recorded once its project is found, which took too long for an answer. Where nothing answers there, it
/// is not.
fn record_when_found(runtime: Arc<Runtime>, directory: PathBuf, came: Came) {
    if came.is_put_off {
        return;
    }
    let Some(kept) = runtime.hook_gate.keep(came.request.stdin.len()) else {
        return tracing::warn!("too much waits to be recorded, so what a hook told was not");
    };
    let came = Came { peer: Peer::Gone, is_put_off: true, ..came };
    tokio::spawn(async move {
        let Some(_project) = runtime.project_later(&directory, RECORD_PATIENCE).await else {
            return tracing::warn!("nothing answers where a hook was told of, so it was not recorded");
        };
        let turn = runtime.hook_gate.turn().await;
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
    /// Whether it waited for its project already.
    is_put_off: bool,
}

impl Came {
    /// Works on it in a thread. Returns the bytes for the hook's stdout; nothing when that takes longer than the deadline.
    async fn worked_on(self, runtime: Arc<Runtime>, turn: Turn, deadline: Instant) -> Vec<u8> {
        let (turn, event) = (Arc::new(turn), self.request.event.clone());
        let (reply, work) = oneshot::channel();
        let job = {
            let (runtime, turn) = (Arc::clone(&runtime), Arc::clone(&turn));
            // Also where nobody waits for it any more: what it tells is recorded.
            move || {
                let _ended = turn.until_done();
                reply.send(handle(&runtime, self, &turn)).ok();
            }
        };
        if let Err(error) = runtime.pools.hooks.submit(Box::new(job)) {
            tracing::error!(%error, "no thread for a hook");
            return Vec::new();
        }
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

fn handle(runtime: &Arc<Runtime>, came: Came, turn: &Turn) -> Vec<u8> {
    let Came { handler, ref request, ref peer, began, .. } = came;
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
    let Some((home, project)) = projects(runtime, handler, &directory, &input, began) else {
        record_when_found(Arc::clone(runtime), directory, came);
        return Vec::new();
    };
    let context = Context {
        runtime,
        request,
        project,
        home: Arc::clone(&home),
        key: input.session_key(),
        now: runtime.now(),
        dialect,
        client,
        input: &input,
        began,
        peer: peer.clone(),
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
        context.read_fork();
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
        if let Some(transcript) = context.transcript() {
            runtime.sessions.writes_to(&input.session_id, transcript);
        }
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

/// The session's project and that of what the event is about. `None` where nothing answers in time at one of the places that it
/// touches: nothing more is looked at there, so that this thread never hangs.
fn projects(
    runtime: &Runtime,
    handler: Handler,
    directory: &Path,
    input: &Input,
    began: Instant,
) -> Option<(Arc<Project>, Arc<Project>)> {
    let patience = DEADLINE.saturating_sub(began.elapsed()).max(REACH_PATIENCE);
    let home = runtime.project(directory, patience)?;
    if let Some(touched) = input.place() {
        let (place, asked) = (place_of(&home, &touched).to_owned(), touched);
        runtime.reach.ask(&place, REACH_PATIENCE, move || asked.exists())?;
    }
    let project = whose::project_of_event(runtime, handler, &home, input);
    Some((home, project))
}

/// What hangs together with a path: the session's project, else its directory.
fn place_of<'p>(home: &'p Project, path: &'p Path) -> &'p Path {
    if path.starts_with(&home.root) { &home.root } else { path.parent().unwrap_or(path) }
}

fn decide(context: &Context<'_>, handler: Handler) -> Result<Answer, ReadError> {
    Ok(match handler {
        Handler::Session => {
            if context.is_real() {
                let (runtime, session) = (context.runtime, &context.input.session_id);
                runtime.receipts.confirm_others_later(&runtime.reach, &runtime.writer, session, context.now);
            }
            session::give(context)?.into()
        }
        Handler::Prompt => {
            context.confirm_prompts();
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
