//! `helixctl capture`: what sessions said, distilled into the review.

mod import;
mod memories;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use helix_client::v1;
use helix_proto::exit;
use v1::capture_switch::Which;

use self::import::Import;
use self::memories::Memories;
use crate::context::Context;
use crate::document::CaptureDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Commands below `capture`.
#[derive(Debug, Subcommand)]
pub(crate) enum Capture {
    /// Distils sessions when they end: those of this project, unless told otherwise
    On(Switch),
    /// Distils no sessions when they end: none of this project, unless told otherwise
    Off(Switch),
    /// Leaves one session out: the one whose shell this is, unless named
    Pause(Pause),
    /// Says what is captured, why, and what was kept
    Status(Plain),
    /// Distils the transcripts that lie on this machine
    Import(Import),
    /// Reads the memories and rules that agents keep in files of their own: on, off, or what is read
    Memories(Memories),
}

/// Arguments of `capture on` and `capture off`.
#[derive(Debug, Args)]
pub(crate) struct Switch {
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    plain: Plain,
}

/// What a switch is for.
#[derive(Debug, Args)]
pub(crate) struct Of {
    /// Means every project
    #[arg(long, conflicts_with_all = ["project", "path"])]
    global: bool,
    /// Means the project of this directory
    #[arg(long, value_name = "DIR", conflicts_with = "path")]
    project: Option<PathBuf>,
    /// Means what lies at or below this path
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
}

/// Arguments of `capture pause`.
#[derive(Debug, Args)]
pub(crate) struct Pause {
    /// Names the session
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Names the session, too
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    session: Option<String>,
    /// Ends the pause
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    plain: Plain,
}

/// How to print.
#[derive(Debug, Args)]
pub(crate) struct Plain {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Capture {
    /// Does it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let paused = self.paused();
        let (switch, json) = match self {
            Self::Import(import) => return import.run(context),
            Self::Memories(memories) => return memories.run(context),
            Self::Status(plain) => (None, plain.json),
            Self::On(switch) => (Some(switch.of.wire(context, true)), switch.plain.json),
            Self::Off(switch) => (Some(switch.of.wire(context, false)), switch.plain.json),
            Self::Pause(pause) => {
                let which = Which::Session(pause.id.or(pause.session).unwrap_or_default());
                let (on, which) = (pause.resume, Some(which));
                (Some(v1::CaptureSwitch { on, which }), pause.plain.json)
            }
        };
        let is_switched = switch.is_some();
        let request = v1::CaptureRequest {
            caller: Some(context.caller()),
            switch,
            memories: None,
        };
        let reply = context.ask(async |rpc| rpc.capture(request.clone()).await)?;
        if json {
            screen::json(&CaptureDocument::from(&reply))?;
        } else if is_switched {
            screen::print(&render::capture_switched(&reply, paused.as_ref()))?;
        } else {
            screen::print(&render::capture(context.screen.look, &reply))?;
        }
        Ok(exit::OK)
    }
}

impl Capture {
    /// The session that is named to be paused or to go on.
    fn paused(&self) -> Option<render::Paused> {
        let Self::Pause(pause) = self else {
            return None;
        };
        Some(render::Paused {
            session: pause.id.as_ref().or(pause.session.as_ref())?.clone(),
            goes_on: pause.resume,
        })
    }
}

impl Of {
    /// Says it as the daemon reads it.
    fn wire(&self, context: &Context, on: bool) -> v1::CaptureSwitch {
        let absolute = |path: &PathBuf| context.cwd.join(path).to_string_lossy().into_owned();
        let which = match (&self.project, &self.path) {
            (Some(project), _) => Which::Project(absolute(project)),
            (None, Some(path)) => Which::Path(absolute(path)),
            (None, None) if self.global => Which::Everything(true),
            (None, None) => Which::Project(String::new()),
        };
        v1::CaptureSwitch {
            on,
            which: Some(which),
        }
    }
}
