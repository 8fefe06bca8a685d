//! What is captured, what an import kept, and what became of an event.

use std::collections::BTreeMap;

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;
use super::provider::SentDocument;
use crate::time::rfc3339;

/// What is captured.
#[derive(Debug, Serialize)]
pub(crate) struct CaptureDocument<'a> {
    on: bool,
    why: &'a str,
    waiting: u32,
    switches: Vec<SettingDocument<'a>>,
    recordings: BTreeMap<&'a str, bool>,
    recorded: BTreeMap<&'a str, RecordingDocument<'a>>,
    kept: Vec<LineDocument<'a>>,
    memories: Option<CaptureFilesDocument<'a>>,
}

/// What is recorded by itself.
#[derive(Debug, Serialize)]
struct RecordingDocument<'a> {
    on: bool,
    why: &'a str,
    what: &'a str,
    kept: u64,
}

/// The files of agents' own that are read.
#[derive(Debug, Serialize)]
pub(crate) struct CaptureFilesDocument<'a> {
    on: bool,
    why: &'a str,
    user_on: bool,
    switches: Vec<SettingDocument<'a>>,
    files: Vec<FileDocument<'a>>,
    notes: &'a [String],
    report: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct FileDocument<'a> {
    path: &'a str,
    client: &'a str,
    scope: &'a str,
    memories: u32,
    at: String,
}

#[derive(Debug, Serialize)]
struct SettingDocument<'a> {
    which: &'a str,
    on: bool,
    at: String,
}

/// What was kept of a project, or would be.
#[derive(Debug, Serialize)]
struct LineDocument<'a> {
    name: Option<&'a str>,
    scope: &'a str,
    at: Option<String>,
    bytes: Option<u64>,
    sessions: u64,
    kept: BTreeMap<&'a str, u64>,
    known: u64,
    forgotten: u64,
    left_out: u64,
    slices: u64,
    dropped: u64,
    unreadable: u64,
}

/// What an import kept, or would.
#[derive(Debug, Serialize)]
pub(crate) struct CaptureImportDocument<'a> {
    dry_run: bool,
    whole: bool,
    projects: Vec<LineDocument<'a>>,
    total: Option<LineDocument<'a>>,
    notes: &'a [String],
    asked: Option<AskedDocument<'a>>,
    would_send: Vec<SentDocument<'a>>,
}

/// What language models were asked, or would be.
#[derive(Debug, Serialize)]
struct AskedDocument<'a> {
    by: &'a str,
    questions: u64,
    turns: u64,
    tokens: u64,
    paid: bool,
    cost_micro_usd: u64,
    tokens_left: u64,
}

/// What became of an event.
#[derive(Debug, Serialize)]
pub(crate) struct EventDocument<'a> {
    outcome: &'a str,
    memory: Option<MemoryDocument<'a>>,
}

impl<'a> From<&'a v1::CaptureReply> for CaptureDocument<'a> {
    fn from(reply: &'a v1::CaptureReply) -> Self {
        let recordings = reply.recordings.iter();
        Self {
            on: reply.on,
            why: &reply.why,
            waiting: reply.waiting,
            switches: reply.switches.iter().map(SettingDocument::from).collect(),
            recordings: recordings
                .map(|recording| (recording.name.as_str(), recording.on))
                .collect(),
            recorded: reply.recordings.iter().map(recorded).collect(),
            kept: reply.kept.iter().map(LineDocument::from).collect(),
            memories: reply.memories.as_ref().map(CaptureFilesDocument::from),
        }
    }
}

fn recorded(recording: &v1::CaptureRecording) -> (&str, RecordingDocument<'_>) {
    let document = RecordingDocument {
        on: recording.on,
        why: &recording.why,
        what: &recording.what,
        kept: recording.kept,
    };
    (recording.name.as_str(), document)
}

impl<'a> From<&'a v1::CaptureFiles> for CaptureFilesDocument<'a> {
    fn from(files: &'a v1::CaptureFiles) -> Self {
        Self {
            on: files.on,
            why: &files.why,
            user_on: files.user_on,
            switches: files.switches.iter().map(SettingDocument::from).collect(),
            files: files.files.iter().map(FileDocument::from).collect(),
            notes: &files.notes,
            report: Some(files.report.as_str()).filter(|report| !report.is_empty()),
        }
    }
}

impl<'a> From<&'a v1::CaptureFile> for FileDocument<'a> {
    fn from(file: &'a v1::CaptureFile) -> Self {
        Self {
            path: &file.path,
            client: &file.client,
            scope: &file.scope,
            memories: file.memories,
            at: rfc3339(file.at_us),
        }
    }
}

impl<'a> From<&'a v1::CaptureSetting> for SettingDocument<'a> {
    fn from(setting: &'a v1::CaptureSetting) -> Self {
        Self {
            which: &setting.which,
            on: setting.on,
            at: rfc3339(setting.at_us),
        }
    }
}

impl<'a> From<&'a v1::CaptureLine> for LineDocument<'a> {
    fn from(line: &'a v1::CaptureLine) -> Self {
        let kept = line.kept.iter();
        Self {
            name: Some(line.name.as_str()).filter(|name| !name.is_empty()),
            scope: &line.scope,
            at: (line.at_us != 0).then(|| rfc3339(line.at_us)),
            bytes: (line.at_us == 0).then_some(line.bytes),
            sessions: line.sessions,
            kept: kept.map(|(kind, count)| (kind.as_str(), *count)).collect(),
            known: line.known,
            forgotten: line.forgotten,
            left_out: line.left_out,
            slices: line.slices,
            dropped: line.dropped,
            unreadable: line.unreadable,
        }
    }
}

impl<'a> CaptureImportDocument<'a> {
    /// Of what the daemon said last.
    pub(crate) fn new(
        summary: &'a v1::CaptureSummary,
        would_send: &'a [v1::ModelSent],
        dry_run: bool,
    ) -> Self {
        let asked = summary.asked.as_ref();
        Self {
            dry_run,
            whole: summary.whole,
            projects: summary.projects.iter().map(LineDocument::from).collect(),
            total: summary.total.as_ref().map(LineDocument::from),
            notes: &summary.notes,
            asked: asked.map(|asked| AskedDocument {
                by: &asked.by,
                questions: asked.questions,
                turns: asked.turns,
                tokens: asked.tokens,
                paid: asked.paid,
                cost_micro_usd: asked.cost_micro_usd,
                tokens_left: asked.tokens_left,
            }),
            would_send: would_send.iter().map(SentDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::EventReply> for EventDocument<'a> {
    fn from(reply: &'a v1::EventReply) -> Self {
        Self {
            outcome: &reply.outcome,
            memory: reply.memory.as_ref().map(MemoryDocument::from),
        }
    }
}
