//! `Capture` and `CaptureImport`: what is captured, and the import of what lies on this machine.

use std::path::PathBuf;
use std::sync::Arc;

use helix_app::capture::import::{self, Progress, Reports};
use helix_app::capture::memories;
use helix_app::capture::status::status;
use helix_app::capture::switches::{self, Which};
use helix_app::language::Sent;
use helix_app::project::Project;
use helix_app::sources::FILES_PATIENCE;
use helix_app::{App, Asker, Refusal};
use helix_memory::Scope;
use helix_proto::v1;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use v1::capture_switch::Which as Wire;

use super::call::{begin_long, refused};
use crate::capture;
use crate::runtime::Runtime;
use crate::wire;
use crate::work::Long;

/// Reports that wait for the reader.
const REPORTS_MAX: usize = 16;

/// Says what is captured, after it was switched as the caller wants it.
pub(super) fn capture(
    app: &App,
    asker: &Asker,
    wire: v1::CaptureRequest,
) -> Result<v1::CaptureReply, Refusal> {
    if let Some(switch) = wire.switch {
        let which = which(app, asker, switch.which)?;
        if switch.on && app.settings.capture.transcripts == Some(false) {
            return Err(Refusal::denied(
                "`transcripts = false` in config.toml forbids it; take that line out first",
            ));
        }
        switches::set(app, &app.hooks.captures.switches, which, switch.on)?;
    }
    let report = match wire.memories {
        Some(wanted) => memories(app, asker, wanted)?,
        None => None,
    };
    let mut status = status(app, asker)?;
    status.memories.report = report;
    Ok(wire::capture::status(&status))
}

/// Switches the reading of agents' own files, and reads them, as the caller wants it.
fn memories(
    app: &App,
    asker: &Asker,
    wire: v1::CaptureMemories,
) -> Result<Option<memories::Report>, Refusal> {
    let home = wire::capture::home(&wire)?;
    let mut is_wanted = wire.read;
    if let Some(switch) = wire.switch {
        let which = which(app, asker, switch.which)?;
        memories::switch(app, which, switch.on, home)?;
        is_wanted |= switch.on;
    }
    if !is_wanted {
        return Ok(None);
    }
    memories::read(app, &asker.project).map(Some)
}

/// Reads what a switch is for.
fn which(app: &App, asker: &Asker, wire: Option<Wire>) -> Result<Which, Refusal> {
    Ok(match wire {
        None | Some(Wire::Everything(_)) => Which::Everything,
        Some(Wire::Project(directory)) if directory.is_empty() => project(&asker.project)?,
        Some(Wire::Project(directory)) => {
            let directory = absolute(directory)?;
            let found = app.memory.project(&directory, FILES_PATIENCE);
            let found = found.ok_or_else(|| {
                Refusal::unavailable("nothing answers in that directory; try again")
            })?;
            project(&found)?
        }
        Some(Wire::Path(path)) => Which::Path(absolute(path)?),
        Some(Wire::Session(session)) if session.is_empty() => {
            if asker.actor.session.is_empty() {
                return Err(Refusal::invalid(
                    "no session is known here; name the one that is to be paused",
                ));
            }
            Which::Session(asker.actor.session.clone())
        }
        Some(Wire::Session(session)) => Which::Session(session),
    })
}

fn project(project: &Project) -> Result<Which, Refusal> {
    match &project.scope {
        Scope::Global => Err(Refusal::invalid(
            "this is no project; name one, or switch it for everything",
        )),
        own => Ok(Which::Project {
            scope: own.to_string(),
            name: project.name.clone(),
        }),
    }
}

fn absolute(path: String) -> Result<PathBuf, Refusal> {
    let path = PathBuf::from(path);
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Refusal::invalid(format!(
        "the path {} is not absolute; give the full path",
        path.display()
    )))
}

/// What the caller is told.
type Report = Result<v1::CaptureProgress, Status>;

/// Begins an import; what comes is how far it is, and last what it came to.
pub(super) fn import(
    runtime: &Arc<Runtime>,
    mut wire: v1::CaptureImportRequest,
) -> Result<ReceiverStream<Report>, Refusal> {
    let going = begin_long(runtime, Long::Capture)?;
    let caller = wire.caller.take();
    let wanted = wire::capture::wanted(wire)?;
    let (sender, answer) = mpsc::channel(REPORTS_MAX);
    let runtime = Arc::clone(runtime);
    let imported = Arc::clone(&runtime).pools.long.submit(Box::new(move || {
        let _going = going;
        let asker = runtime.asker(caller.as_ref());
        let telling = Telling(sender);
        let importing = || import::import(&runtime.app, &asker, &wanted, &telling);
        let outcome = capture::behind_others(importing).unwrap_or_else(|error| {
            Err(Refusal::unavailable(format!(
                "the import was not done: {error}"
            )))
        });
        let last = outcome.map(|summary| wire::capture::summary(&summary));
        // A caller that is gone reads nothing.
        telling.0.blocking_send(last.map_err(refused)).ok();
    }));
    imported.map_err(|error| Refusal::unavailable(error.to_string()))?;
    Ok(ReceiverStream::new(answer))
}

/// The caller of an import.
struct Telling(mpsc::Sender<Report>);

impl Reports for Telling {
    fn is_gone(&self) -> bool {
        self.0.is_closed()
    }

    fn progress(&self, progress: &Progress) {
        // Progress that nobody waits for may be missed.
        self.0.try_send(Ok(wire::capture::progress(progress))).ok();
    }

    fn would_send(&self, sent: Vec<Sent>) {
        let told = v1::CaptureProgress {
            would_send: sent.into_iter().map(wire::provider::sent).collect(),
            ..v1::CaptureProgress::default()
        };
        // A caller that is gone reads nothing.
        self.0.blocking_send(Ok(told)).ok();
    }
}
