//! One event, and everything that is needed to answer it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_memory::{Memory, Timestamp};
use helix_proto::SCRATCH_SESSION;
use helix_surface::inject::{self, Content, INJECTION_MAX_TOKENS, Injection, doubt};
use jiff::tz::TimeZone;

use super::dialect::Dialect;
use super::event::{ClientEvent, Input};
use super::paths::Paths;
use super::sessions::Said;
use super::trace::Trace;
use super::watch::Watched;
use super::{DEADLINE, Request, files, receipts};
use crate::ports::Awaiting;
use crate::project::Project;
use crate::sources::{HOOK_READ_MAX_BYTES, Look};
use crate::work::activity::Activity;
use crate::{App, disputes};

/// One event, and everything that is needed to answer it.
pub(super) struct Context<'a> {
    pub(super) app: &'a App,
    pub(super) request: &'a Request,
    pub(super) input: &'a Input,
    pub(super) dialect: Dialect,
    pub(super) client: ClientEvent,
    /// The project that the session works in.
    pub(super) home: Arc<Project>,
    /// The project whose memories are looked through: that of what the event is about.
    pub(super) project: Arc<Project>,
    /// Whose context the answer reaches.
    pub(super) key: String,
    pub(super) now: Timestamp,
    pub(super) began: Instant,
    /// Who waits for the answer.
    pub(super) peer: Arc<dyn Awaiting>,
    /// Why it is answered so.
    pub(super) trace: &'a Trace,
}

impl Context<'_> {
    /// The same event for another call of a tool that it stands for.
    pub(super) fn on<'b>(&'b self, input: &'b Input, project: Arc<Project>) -> Context<'b> {
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
    pub(super) fn time_left(&self) -> Duration {
        DEADLINE.saturating_sub(self.began.elapsed())
    }

    /// Returns whether somebody still waits for the answer.
    pub(super) fn is_awaited(&self) -> bool {
        !self.time_left().is_zero() && !self.peer.is_gone()
    }

    /// Returns whether anything may be recorded.
    pub(super) fn is_real(&self) -> bool {
        !self.request.dry_run && !self.input.session_id.starts_with(SCRATCH_SESSION)
    }

    /// Returns whether the session is told this for the first time. From now on it was, where
    /// anything may be recorded.
    pub(super) fn tells_first(&self, said: Said) -> bool {
        let sessions = &self.app.hooks.sessions;
        if self.is_real() {
            sessions.tell(&self.key, said, self.now)
        } else {
            !sessions.was_told(&self.key, said)
        }
    }

    /// Changes what the session is doing, and persists it some time. A dry run changes a copy.
    pub(super) fn work<T>(&self, change: impl FnOnce(&mut Activity) -> T) -> T {
        self.work_and_keep(false, change)
    }

    /// Changes what the session is doing, and persists it at once when it `matters` later.
    pub(super) fn work_and_keep<T>(
        &self,
        matters: bool,
        change: impl FnOnce(&mut Activity) -> T,
    ) -> T {
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
    pub(super) fn settle_edits(&self, matters: impl FnOnce(&Activity) -> bool) {
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
    pub(super) fn watched(&self) -> Watched {
        Watched::of(self.dialect, &self.home.scope)
    }

    /// Where the session writes its transcript, as far as its client says.
    pub(super) fn transcript(&self) -> Option<&Path> {
        Some(Path::new(&self.input.transcript_path)).filter(|transcript| transcript.is_absolute())
    }

    /// Looks for whose fork the session is, where it is one of which that is not known.
    pub(super) fn read_fork(&self) {
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
    pub(super) fn confirm(&self) {
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
    pub(super) fn confirm_prompts(&self) {
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
    pub(super) fn frame(&self, heading: &str, notes: &[String], memories: &[Memory]) -> Injection {
        let sources = &self.sources();
        let strand = &self.app.memory.strand;
        let content = Content {
            heading,
            notes,
            memories,
            sources,
            remark: &|memory| {
                let doubt = doubt(strand.confidence_of(memory, self.now));
                doubt + &disputes::remark(self.app, memory)
            },
            zone: &TimeZone::system(),
        };
        inject::frame(&content, INJECTION_MAX_TOKENS)
    }

    /// Looks at the files that memories are about; at none while too many events wait for what they
    /// look at.
    pub(super) fn sources(&self) -> Look<'_> {
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
    pub(super) fn head(&self, file: &Path) -> String {
        if self.app.hooks.load.is_stuck() {
            return String::new();
        }
        let asked = file.to_owned();
        self.ask_at(file, move || files::head(&asked))
            .unwrap_or_default()
    }

    /// Asks something at a path that may lie anywhere; `None` where nothing answers in time.
    pub(super) fn ask_at<T: Send + 'static>(
        &self,
        path: &Path,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.paths().ask(path, question)
    }

    /// Looks at paths as the project's memories name them.
    pub(super) fn paths(&self) -> Paths<'_> {
        self.paths_of(&self.project)
    }

    pub(super) fn paths_of<'p>(&'p self, project: &'p Arc<Project>) -> Paths<'p> {
        Paths {
            reach: &self.app.memory.reach,
            home: &self.home,
            project,
        }
    }

    /// A path as the project's memories name it: relative to its root where it is inside.
    pub(super) fn relative(&self, file: &Path) -> String {
        self.paths().relative(file).to_string_lossy().into_owned()
    }

    /// A path as the session knows it: relative to the root of its own project where it is inside.
    pub(super) fn shown(&self, file: &Path) -> String {
        self.paths_of(&self.home)
            .relative(file)
            .to_string_lossy()
            .into_owned()
    }
}
