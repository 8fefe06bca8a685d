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
mod context;
mod delivery;
mod dialect;
mod event;
mod exact;
mod files;
mod handler;
mod incidents;
mod lateness;
mod load;
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
pub use lateness::Lateness;
pub use load::{HANGING_MAX, Load};
pub use receipts::{Fate, Receipt, Receipts};
pub use sessions::{Place, Sessions};
pub use trace::Step;
pub use twice::Twice;
pub use watch::Watches;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use context::Context;
use delivery::{Answer, Given, deliver};
use dialect::Dialect;
use event::{ClientEvent, Input};
use handler::Handler;
use helix_engine::ReadError;
use helix_memory::{MemoryNumber, Timestamp};
use jiff::tz::TimeZone;
use sessions::Start;
use trace::Trace;

use crate::capture::ended::Captures;
use crate::capture::memories;
use crate::ports::Awaiting;
use crate::project::Project;
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
        app.memory.reach.look_of(
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
    let place = path.parent().unwrap_or(path);
    let look = move || asked.is_dir();
    app.memory
        .reach
        .look_of(place, vec![path.to_owned()], REACH_PATIENCE, look)
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
