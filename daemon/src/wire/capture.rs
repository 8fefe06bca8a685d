//! `Capture`, `CaptureImport` and `Event` as the wire has them.

use std::path::PathBuf;

use helix_app::Refusal;
use helix_app::capture::Tally;
use helix_app::capture::import::{Line, Progress, Summary, Wanted};
use helix_app::capture::ledger::Entry;
use helix_app::capture::memories::{self, FileRead, Report};
use helix_app::capture::status::{Recording, Status};
use helix_app::capture::switches::Switch;
use helix_app::event::{Event, Taken};
use helix_capture::read::places::Home;
use helix_memory::Timestamp;
use helix_proto::v1;

use super::told;

/// Writes what is captured.
pub(crate) fn status(status: &Status) -> v1::CaptureReply {
    v1::CaptureReply {
        on: status.standing.is_on,
        why: status.standing.why.clone(),
        switches: status.switches.iter().map(setting).collect(),
        recordings: status.recordings.iter().map(recording).collect(),
        kept: status.kept.iter().map(entry).collect(),
        waiting: u32::try_from(status.waiting).unwrap_or(u32::MAX),
        memories: Some(files(&status.memories)),
    }
}

fn files(status: &memories::Status) -> v1::CaptureFiles {
    let report = status.report.as_ref();
    v1::CaptureFiles {
        on: status.standing.is_on,
        why: status.standing.why.clone(),
        user_on: status.user.is_on,
        switches: status.switches.iter().map(setting).collect(),
        files: status.files.iter().map(file).collect(),
        notes: status.notes.clone(),
        report: report.map(Report::words).unwrap_or_default(),
    }
}

fn file(file: &FileRead) -> v1::CaptureFile {
    v1::CaptureFile {
        path: file.path.to_string_lossy().into_owned(),
        client: file.client.clone(),
        scope: file.scope.clone(),
        memories: u32::try_from(file.memories).unwrap_or(u32::MAX),
        at_us: file.at.as_micros(),
    }
}

/// Reads where agents keep their own files; `None` for as it was.
pub(crate) fn home(wire: &v1::CaptureMemories) -> Result<Option<Home>, Refusal> {
    if wire.home.is_empty() {
        return Ok(None);
    }
    Ok(Some(Home {
        directory: absolute(&wire.home)?,
        claude: moved(&wire.claude_config_dir),
        codex: moved(&wire.codex_home),
        ..Home::default()
    }))
}

fn absolute(home: &str) -> Result<PathBuf, Refusal> {
    let home = PathBuf::from(home);
    if home.is_absolute() {
        return Ok(home);
    }
    Err(Refusal::invalid(
        "the home directory is not an absolute path; give the full path",
    ))
}

fn setting(switch: &Switch) -> v1::CaptureSetting {
    v1::CaptureSetting {
        which: switch.which.words(),
        on: switch.is_on,
        at_us: switch.at.as_micros(),
    }
}

fn recording(recording: &Recording) -> v1::CaptureRecording {
    v1::CaptureRecording {
        name: recording.name.to_owned(),
        on: recording.is_on,
        what: recording.what.to_owned(),
        why: recording.why(),
        kept: recording.kept,
    }
}

fn entry(entry: &Entry) -> v1::CaptureLine {
    v1::CaptureLine {
        scope: entry.scope.clone(),
        name: entry.name.clone(),
        at_us: entry.at.as_micros(),
        ..tally(&entry.all)
    }
}

fn tally(tally: &Tally) -> v1::CaptureLine {
    v1::CaptureLine {
        sessions: tally.sessions,
        kept: tally.kept.clone().into_iter().collect(),
        known: tally.known,
        forgotten: tally.forgotten,
        slices: tally.slices,
        dropped: tally.dropped,
        unreadable: tally.unreadable,
        left_out: tally.left_out,
        words: tally.words(),
        ..v1::CaptureLine::default()
    }
}

/// Reads what is to be imported.
pub(crate) fn wanted(wire: v1::CaptureImportRequest) -> Result<Wanted, Refusal> {
    let home = absolute(&wire.home)?;
    Ok(Wanted {
        home: Home {
            directory: home,
            claude: moved(&wire.claude_config_dir),
            codex: moved(&wire.codex_home),
            data: moved(&wire.xdg_data_home),
            config: moved(&wire.xdg_config_home),
        },
        agents: wire.agents,
        since: (wire.since_us != 0).then(|| Timestamp::from_micros(wire.since_us)),
        project: wire.project,
        is_dry: wire.dry_run,
        git: wire.git,
        without_models: wire.without_models,
        shows_sent: wire.show_sent,
        takes_all: wire.all_facts,
    })
}

/// A relative path counts as none, as the clients take it.
fn moved(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(path)).filter(|path| path.is_absolute())
}

/// Writes how far an import is.
pub(crate) fn progress(progress: &Progress) -> v1::CaptureProgress {
    v1::CaptureProgress {
        done: progress.done,
        total: progress.total,
        bytes: progress.bytes,
        bytes_total: progress.bytes_total,
        facts: progress.facts,
        ..v1::CaptureProgress::default()
    }
}

/// Writes what an import came to.
pub(crate) fn summary(summary: &Summary) -> v1::CaptureProgress {
    let total = summary.total();
    v1::CaptureProgress {
        facts: total.kept_count(),
        summary: Some(v1::CaptureSummary {
            projects: summary.projects.iter().map(line).collect(),
            total: Some(tally(&total)),
            notes: summary.notes.clone(),
            whole: summary.is_whole,
            asked: summary.asked.as_ref().map(|asked| v1::CaptureAsked {
                by: asked.by.clone(),
                questions: asked.questions,
                turns: asked.turns,
                tokens: asked.tokens,
                paid: asked.is_paid,
                cost_micro_usd: asked.micro_usd,
                tokens_left: summary.tokens_left,
            }),
        }),
        ..v1::CaptureProgress::default()
    }
}

fn line(line: &Line) -> v1::CaptureLine {
    v1::CaptureLine {
        name: line.name.clone(),
        scope: line.scope.clone(),
        bytes: line.bytes,
        ..tally(&line.tally)
    }
}

/// Reads an event.
pub(crate) fn event(wire: v1::EventRequest) -> Result<Event, Refusal> {
    Event::read(&wire.r#type, wire.text, wire.file, wire.command)
}

/// Writes what became of an event.
pub(crate) fn taken(taken: &Taken) -> v1::EventReply {
    v1::EventReply {
        outcome: taken.outcome.clone(),
        memory: taken.memory.as_ref().map(told),
    }
}
