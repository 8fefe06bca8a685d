//! The hook handler: one entry for every event, from the frame and from gRPC alike.
//!
//! It answers within its deadline or says nothing. An event that is not known is answered at once
//! with nothing, and so is everything that Helix's own tools do.

mod ambient;
mod approve;
mod attention;
mod build;
mod capture;
mod changes;
mod codes;
mod delivery;
mod dialect;
mod event;
mod exact;
mod files;
mod handler;
mod incidents;
mod paths;
mod prompt;
mod reading;
mod receipts;
mod relevant;
pub(crate) mod reported;
mod session;
mod sessions;
mod stop;
mod subagent;
mod trace;
mod twice;
mod watch;
mod whose;
mod words;

pub use attention::Attention;
pub(crate) use attention::note_recalled;
pub use files::Files;
pub use incidents::Incidents;
pub use receipts::{Fate, Receipt, Receipts};
pub use sessions::{Place, Sessions};
pub use trace::Step;
pub use twice::Twice;
pub use watch::Watches;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use delivery::{Answer, Given, deliver};
use dialect::Dialect;
use event::{ClientEvent, Input};
use handler::Handler;
use helix_engine::{Memory, MemoryNumber, ReadError, Timestamp};
use helix_proto::SCRATCH_SESSION;
use helix_surface::inject::{self, Content, INJECTION_MAX_TOKENS, Injection};
use jiff::tz::TimeZone;
use paths::Paths;
use sessions::{Said, Start};
use trace::Trace;
use watch::Watched;

use crate::capture::ended::Captures;
use crate::capture::memories;
use crate::ports::Awaiting;
use crate::project::Project;
use crate::sources::{HOOK_READ_MAX_BYTES, Look};
use crate::work::activity::Activity;
use crate::{App, moment};

/// How long an event may take inside the daemon; the shim gives up after 140 ms.
pub const DEADLINE: Duration = Duration::from_millis(120);

/// How long an event waits for a place that it touches, where its deadline leaves it no longer: as
/// long as a busy machine may take.
const REACH_PATIENCE: Duration = Duration::from_millis(60);

/// How long a project may take that is looked for at the start.
const WARM_PATIENCE: Duration = Duration::from_secs(2);

/// Directories of which the projects are found at the start: more sessions than one person goes on
/// with.
const WARM_DIRECTORIES_MAX: usize = 8;

/// One event as the shim sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Its name as the shim was started with it, e.g. `ambient`.
    pub event: String,
    /// What the client wrote to the hook's stdin.
    pub stdin: Vec<u8>,
    /// Whether stdin was longer than the shim's limit and its end is missing.
    pub truncated: bool,
    /// `CURSOR_VERSION` of the shim's environment; empty when unset.
    pub cursor_version: String,
    /// `CLAUDE_PROJECT_DIR` of the shim's environment; empty when unset.
    pub project_dir: String,
    /// Reports what would be injected without recording it.
    pub dry_run: bool,
    /// The client whose words the input is in, as the shim was told; empty for Claude Code's and
    /// Codex's.
    pub client: String,
}

/// What the user has switched on.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether subagents are given memories with their prompts.
    pub subagent_prompts: bool,
    /// Whether a session is reminded at its end to store what it learned.
    pub stop_reminder: bool,
}

/// How many events wait for their turn and for what they look at.
#[derive(Debug, Default)]
pub struct Load {
    /// Events that wait for a place.
    pub waiting: AtomicUsize,
    /// Threads that work on after they gave their place away.
    pub hanging: AtomicUsize,
}

/// Threads that may work on after they gave their place away; later ones keep theirs. From then on
/// nothing is read of files. The one that reached this gave its place away too, so whatever the
/// others wait for, there is one that answers.
pub const HANGING_MAX: usize = 4;

/// How long a step waits at most for hooks that wait for their turn.
const GIVE_WAY_MAX: Duration = Duration::from_secs(5);

/// Pause between two looks at the hooks.
const GIVE_WAY_PAUSE: Duration = Duration::from_millis(10);

impl Load {
    /// Returns whether others wait for their turn, so that nobody may take longer than it must.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    /// Lets waiting hooks go first, between two steps of what nobody waits for; returns whether to
    /// go on.
    pub fn give_way(&self, is_ending: impl Fn() -> bool) -> bool {
        let deadline = Instant::now() + GIVE_WAY_MAX;
        while self.is_crowded() && !is_ending() && Instant::now() < deadline {
            thread::sleep(GIVE_WAY_PAUSE);
        }
        !is_ending()
    }

    /// Returns whether so many threads hang that no further one may wait for a file.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.hanging.load(Ordering::Acquire) >= HANGING_MAX
    }
}

/// What is known of the sessions that go on, of what they were told and of what they do.
pub struct Hooks {
    /// What each session was given and does.
    pub sessions: Arc<Sessions>,
    /// Whether what hooks say is heeded.
    pub attention: Attention,
    /// Events that were told lately.
    pub twice: Twice,
    /// Whether the hooks themselves work.
    pub watches: Watches,
    /// What is known of failed builds and tests.
    pub incidents: Incidents,
    /// Sessions that ended, and whether they are distilled.
    pub captures: Captures,
    /// What hooks said.
    pub receipts: Arc<Receipts>,
    /// What the files declare that agents work on.
    pub files: Files,
    /// How many events wait.
    pub load: Arc<Load>,
    /// What the user has switched on.
    pub options: Options,
    /// Since when events come.
    pub since: Timestamp,
    /// Tokens injected since then.
    pub injected_tokens: AtomicU64,
}

/// Where it is noted, once, that an event's answer comes too late.
#[derive(Debug, Default)]
pub struct Lateness(Mutex<Option<Late>>);

#[derive(Debug)]
struct Late {
    watched: Watched,
    /// Whether nobody waited any more when the event was taken up.
    was_given_up: bool,
}

impl Lateness {
    /// Notes where it is to be noted if the answer comes too late.
    fn is_of(&self, watched: Watched, was_given_up: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Late {
            watched,
            was_given_up,
        });
    }

    /// Notes that the answer comes too late.
    pub fn was_late(&self, app: &App, event: &str) {
        let Some(late) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        // Whoever changes the program knows that events go unanswered meanwhile.
        let is_excused =
            app.life.is_ending() || (late.was_given_up && app.life.has_just_taken_over());
        if !is_excused {
            let (hooks, now) = (&app.hooks, app.memory.now());
            hooks
                .watches
                .was_late(&app.memory.outbox, &late.watched, event, hooks.since, now);
        }
    }
}

/// One event, and everything that is needed to answer it.
struct Context<'a> {
    app: &'a App,
    request: &'a Request,
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
    peer: Arc<dyn Awaiting>,
    /// Why it is answered so.
    trace: &'a Trace,
}

impl Context<'_> {
    /// The same event for another call of a tool that it stands for.
    fn on<'b>(&'b self, input: &'b Input, project: Arc<Project>) -> Context<'b> {
        let home = Arc::clone(&self.home);
        Context {
            input,
            home,
            project,
            key: self.key.clone(),
            peer: Arc::clone(&self.peer),
            ..*self
        }
    }

    /// How much of the deadline is left.
    fn time_left(&self) -> Duration {
        DEADLINE.saturating_sub(self.began.elapsed())
    }

    /// Returns whether somebody still waits for the answer.
    fn is_awaited(&self) -> bool {
        !self.time_left().is_zero() && !self.peer.is_gone()
    }

    /// Returns whether anything may be recorded.
    fn is_real(&self) -> bool {
        !self.request.dry_run && !self.input.session_id.starts_with(SCRATCH_SESSION)
    }

    /// Returns whether the session is told this for the first time. From now on it was, where
    /// anything may be recorded.
    fn tells_first(&self, said: Said) -> bool {
        let sessions = &self.app.hooks.sessions;
        if self.is_real() {
            sessions.tell(&self.key, said, self.now)
        } else {
            !sessions.was_told(&self.key, said)
        }
    }

    /// Changes what the session is doing, and persists it some time. A dry run changes a copy.
    fn work<T>(&self, change: impl FnOnce(&mut Activity) -> T) -> T {
        self.work_and_keep(false, change)
    }

    /// Changes what the session is doing, and persists it at once when it `matters` later.
    fn work_and_keep<T>(&self, matters: bool, change: impl FnOnce(&mut Activity) -> T) -> T {
        let key = &self.input.session_id;
        if !self.is_real() {
            return change(
                &mut self
                    .app
                    .hooks
                    .sessions
                    .activity(key, self.now)
                    .unwrap_or_default(),
            );
        }
        self.app.hooks.sessions.work(key, self.now, matters, change)
    }

    /// Leaves out what calls would have changed that were refused, which only the transcript says,
    /// where it `matters` for what the session is doing.
    fn settle_edits(&self, matters: impl FnOnce(&Activity) -> bool) {
        let Some(transcript) = self.transcript().filter(|_| self.is_real()) else {
            return;
        };
        let activity = self
            .app
            .hooks
            .sessions
            .activity(&self.input.session_id, self.now);
        if !activity.is_some_and(|activity| activity.has_calls() && matters(&activity)) {
            return;
        }
        let read = transcript.to_owned();
        let failed = self
            .ask_at(transcript, move || receipts::failed_calls(&read))
            .unwrap_or_default();
        if !failed.is_empty() {
            self.work(|activity| activity.refuse(&failed));
        }
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
            self.app.hooks.sessions.read_fork(
                &self.app.memory.reach,
                &self.input.session_id,
                transcript,
                self.now,
            );
        }
    }

    /// Looks in the client's transcript for what the session was told before.
    fn confirm(&self) {
        if self.is_real()
            && let Some(transcript) = self.transcript()
        {
            let app = self.app;
            let (reach, outbox) = (&app.memory.reach, &app.memory.outbox);
            app.hooks
                .receipts
                .confirm_later(reach, outbox, &self.input.session_id, transcript);
        }
    }

    /// As [`Self::confirm`], before the session is given anything else: a prompt that was blocked
    /// is written again.
    fn confirm_prompts(&self) {
        let app = self.app;
        let is_done = self.is_real()
            && self.transcript().is_some_and(|transcript| {
                let (reach, outbox) = (&app.memory.reach, &app.memory.outbox);
                app.hooks.receipts.confirm_prompts(
                    reach,
                    outbox,
                    &self.input.session_id,
                    transcript,
                )
            });
        if !is_done {
            self.confirm();
        }
    }

    /// Frames notes and memories under a heading, marking those whose source is not what it was.
    fn frame(&self, heading: &str, notes: &[String], memories: &[Memory]) -> Injection {
        let sources = &self.sources();
        let content = Content {
            heading,
            notes,
            memories,
            sources,
            zone: &TimeZone::system(),
        };
        inject::frame(&content, INJECTION_MAX_TOKENS)
    }

    /// Looks at the files that memories are about; at none while too many events wait for what they
    /// look at.
    fn sources(&self) -> Look<'_> {
        let look = self
            .app
            .memory
            .sources
            .look(&self.project, HOOK_READ_MAX_BYTES);
        if self.app.hooks.load.is_stuck() {
            look.blind()
        } else {
            look
        }
    }

    /// The beginning of a file; empty when it cannot be read, and while too many events wait for
    /// what they read.
    fn head(&self, file: &Path) -> String {
        if self.app.hooks.load.is_stuck() {
            return String::new();
        }
        let asked = file.to_owned();
        self.ask_at(file, move || files::head(&asked))
            .unwrap_or_default()
    }

    /// Asks something at a path that may lie anywhere; `None` where nothing answers in time.
    fn ask_at<T: Send + 'static>(
        &self,
        path: &Path,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.paths().ask(path, question)
    }

    /// Looks at paths as the project's memories name them.
    fn paths(&self) -> Paths<'_> {
        self.paths_of(&self.project)
    }

    fn paths_of<'p>(&'p self, project: &'p Arc<Project>) -> Paths<'p> {
        Paths {
            reach: &self.app.memory.reach,
            home: &self.home,
            project,
        }
    }

    /// A path as the project's memories name it: relative to its root where it is inside.
    fn relative(&self, file: &Path) -> String {
        self.paths().relative(file).to_string_lossy().into_owned()
    }

    /// A path as the session knows it: relative to the root of its own project where it is inside.
    fn shown(&self, file: &Path) -> String {
        self.paths_of(&self.home)
            .relative(file)
            .to_string_lossy()
            .into_owned()
    }
}

/// A text for the model as a session starts, as Claude Code and Codex take it.
#[must_use]
pub fn said_at_start(text: &str) -> Vec<u8> {
    let said = Dialect::Claude.additional_context(ClientEvent::SessionStart, text);
    said.map(|said| said.to_string().into_bytes())
        .unwrap_or_default()
}

/// Notes that somebody asked for a memory: whoever was given it, it was worth giving.
pub fn follow(app: &App, number: MemoryNumber) {
    if moment::is_other(app) {
        return;
    }
    app.hooks.sessions.follow_everywhere(number);
    app.hooks.attention.followed(&app.memory.outbox, number);
}

/// Makes ready what the first event would otherwise wait for, as long as the daemon runs: patterns,
/// the names of all time zones, the projects of sessions that go on, for which git is asked, and
/// grammars. Takes some hundred milliseconds: call it off the async threads.
pub fn warm_up(app: impl Fn() -> Option<Arc<App>>) {
    build::warm_up();
    drop(TimeZone::system());
    let directories = app().map(|app| {
        app.hooks
            .sessions
            .directories(app.memory.now(), WARM_DIRECTORIES_MAX)
    });
    for directory in directories.unwrap_or_default() {
        let Some(app) = app() else { return };
        drop(app.memory.project(&directory, WARM_PATIENCE));
    }
    helix_code::warm_up();
    if let Some(app) = app() {
        app.hooks
            .receipts
            .confirm_left(&app.memory.reach, &app.memory.outbox);
    }
}

/// An event that came and is to be answered.
#[derive(Clone)]
pub struct Came {
    handler: Handler,
    /// What came.
    pub request: Arc<Request>,
    /// Who waits for the answer.
    pub peer: Arc<dyn Awaiting>,
    /// When it came.
    pub began: Instant,
}

impl Came {
    /// Notes when an event came; `None` for one that is not known, which is answered with nothing.
    #[must_use]
    pub fn now(request: Request, peer: Arc<dyn Awaiting>) -> Option<Self> {
        let handler = Handler::of(&request.event)?;
        Some(Self {
            handler,
            request: Arc::new(request),
            peer,
            began: Instant::now(),
        })
    }
}

/// Nothing answers where an event was told of, in this directory. It is recorded once its project
/// is found.
#[derive(Debug)]
pub struct Unmet(pub PathBuf);

/// What an event is answered with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The bytes for the hook's stdout; empty for nothing.
    pub stdout: Vec<u8>,
    /// Why; for a dry run only.
    pub steps: Vec<Step>,
}

/// Answers an event. Blocks: call it off the async threads.
///
/// # Errors
/// [`Unmet`] when its project does not answer; then nothing was done.
pub fn answer(app: &App, came: &Came, late: &Lateness) -> Result<Reply, Unmet> {
    let trace = Trace::new(came.request.dry_run);
    let stdout = stdout(app, came, late, &trace)?;
    Ok(Reply {
        stdout,
        steps: trace.into_steps(),
    })
}

fn stdout(app: &App, came: &Came, late: &Lateness, trace: &Trace) -> Result<Vec<u8>, Unmet> {
    let Came {
        handler,
        request,
        peer,
        began,
    } = came;
    let (handler, began) = (*handler, *began);
    let was_given_up = peer.is_gone();
    let Some(mut input) = Input::parse(&request.stdin) else {
        tracing::debug!(
            event = request.event,
            truncated = request.truncated,
            "a hook's input was not understood"
        );
        trace.note("input", || {
            "is not the JSON object that a hook is given".to_owned()
        });
        return Ok(Vec::new());
    };
    let Some(dialect) = Dialect::of(&request.client, &request.cursor_version, &input) else {
        trace.note("input", || "is of a client that is not known".to_owned());
        return Ok(Vec::new());
    };
    let event = dialect.event(&input.hook_event_name);
    let Some(client) = event.filter(|event| handler.answers(*event, dialect)) else {
        trace.note("input", || {
            format!(
                "{:?} is not answered by {}",
                input.hook_event_name, request.event
            )
        });
        return Ok(Vec::new());
    };
    input.tool_name = dialect.tool(input.tool_name);
    if (input.is_own_tool() || input.runs_own_program()) && handler != Handler::ApproveMcp {
        trace.note("input", || {
            "what Helix's own tools do is answered with nothing".to_owned()
        });
        return Ok(Vec::new());
    }
    if dialect.tells_after_line(client)
        && let Some(before) = input.before_line(|directory| is_directory(app, directory))
    {
        input.cwd = before;
    }
    let directory = input.directory(&request.project_dir);
    let Some((home, project)) = projects(app, handler, &directory, &input, began) else {
        return Err(Unmet(directory));
    };
    trace.note("project", || {
        let session = format!("the session works in {} ({})", home.name, home.scope);
        if project.scope == home.scope {
            session
        } else {
            format!(
                "{session}; the event is about {} ({})",
                project.name, project.scope
            )
        }
    });
    let context = Context {
        app,
        request,
        project,
        home: Arc::clone(&home),
        key: input.session_key(),
        now: app.memory.now(),
        dialect,
        client,
        input: &input,
        began,
        peer: Arc::clone(peer),
        trace,
    };
    let came_too_late = context.time_left().is_zero();
    // What nothing is recorded of is not remembered either.
    let first = if context.is_real() {
        let Some(first) = app.hooks.twice.first(
            &input.session_id,
            &request.event,
            &request.stdin,
            !input.tool_use_id.is_empty(),
            began,
        ) else {
            tracing::debug!(
                event = request.event,
                "an event came twice; is the agent wired twice?"
            );
            return Ok(Vec::new());
        };
        Some(first)
    } else {
        None
    };
    if context.is_real() {
        let watched = context.watched();
        app.hooks
            .watches
            .fired(&app.memory.outbox, &watched, &request.event, context.now);
        late.is_of(watched, was_given_up);
        context.read_fork();
    }
    let stdout = match decide(&context, handler) {
        Ok(answer) => deliver(&context, &answer),
        Err(error) => {
            tracing::error!(%error, event = request.event, "a hook could not read the strand");
            app.hooks
                .watches
                .failed(&app.memory.outbox, &context.watched());
            Vec::new()
        }
    };
    if context.is_real() {
        app.hooks.sessions.meet(&input.session_id, context.now);
        if let Some(transcript) = context.transcript() {
            app.hooks.sessions.writes_to(&input.session_id, transcript);
        }
        // A subagent is known by now if anything is to be kept of it.
        for key in [&input.session_id, &context.key] {
            app.hooks.sessions.heard(key, context.now);
            app.hooks.sessions.works_in(key, &home, &directory);
        }
        app.hooks.sessions.changed();
        if !context.is_awaited() {
            late.was_late(app, &request.event);
        }
    }
    if let Some(first) = first {
        // One that is merely recorded has its like, if any, behind it in the line.
        first.answered(came_too_late || context.is_awaited(), Instant::now());
    }
    Ok(stdout)
}

/// The session's project and that of what the event is about. `None` where nothing answers in time
/// at one of the places that it touches: nothing more is looked at there, so that this thread never
/// hangs.
fn projects(
    app: &App,
    handler: Handler,
    directory: &Path,
    input: &Input,
    began: Instant,
) -> Option<(Arc<Project>, Arc<Project>)> {
    let patience = DEADLINE.saturating_sub(began.elapsed()).max(REACH_PATIENCE);
    let home = app.memory.project(directory, patience)?;
    if let Some(touched) = input.place() {
        let asked = touched.clone();
        let look = move || asked.exists();
        app.memory.reach.ask_of(
            place_of(&home, &touched),
            vec![touched.clone()],
            REACH_PATIENCE,
            look,
        )?;
    }
    let project = whose::project_of_event(app, handler, &home, input);
    Some((home, project))
}

/// Returns whether a directory is there; not where nothing answers.
fn is_directory(app: &App, path: &Path) -> bool {
    let asked = path.to_owned();
    app.memory
        .reach
        .ask(path.parent().unwrap_or(path), REACH_PATIENCE, move || {
            asked.is_dir()
        })
        == Some(true)
}

/// Returns what hangs together with a path: the session's project, else its directory.
fn place_of<'p>(home: &'p Project, path: &'p Path) -> &'p Path {
    if path.starts_with(&home.root) {
        &home.root
    } else {
        path.parent().unwrap_or(path)
    }
}

fn decide(context: &Context<'_>, handler: Handler) -> Result<Answer, ReadError> {
    Ok(match handler {
        Handler::Session => {
            if context.is_real() {
                let (app, session) = (context.app, &context.input.session_id);
                app.hooks.receipts.confirm_others_later(
                    &app.memory.reach,
                    &app.memory.outbox,
                    session,
                );
            }
            let given = session::give(context)?;
            if context.is_real() && context.input.agent_id.is_empty() {
                memories::queue(context.app, &context.home);
            }
            given.into()
        }
        Handler::Prompt => {
            context.confirm_prompts();
            context.follow_mentions(&context.input.prompt)?;
            prompt::give(context)?.into()
        }
        Handler::Ambient => reading::give_before(context)?.into(),
        Handler::PostBuild | Handler::ErrorContext => {
            context.follow_command()?;
            build::give(context)?.into()
        }
        Handler::Stop => {
            context.settle_edits(|_| true);
            context.confirm();
            context.follow_mentions(&context.input.last_assistant_message)?;
            let given = stop::give(context)?;
            capture::queue(context, false);
            given.into()
        }
        Handler::Subagent => subagent::give(context)?,
        Handler::ApproveMcp if approve::is_harmless(context.input) => Answer::Allowed,
        Handler::ApproveMcp => Answer::Silence,
        // What the session knows is persisted, and given at the start that follows.
        Handler::PreCompact | Handler::SessionEnd => {
            if handler == Handler::SessionEnd {
                context.judge();
            }
            context.settle_edits(|_| true);
            context.work_and_keep(true, |_| ());
            context.confirm();
            if handler == Handler::PreCompact
                && !context.dialect.starts_after_compaction()
                && context.is_real()
            {
                context
                    .app
                    .hooks
                    .sessions
                    .begin(&context.key, Start::LostContext, context.now);
            }
            capture::queue(context, true);
            Answer::Silence
        }
    })
}
