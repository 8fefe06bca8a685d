//! A session's work, the state of a task, and texts made for readers.

use helix_client::v1;
use serde::Serialize;
use serde_json::Value;

use crate::time::rfc3339;

/// A session's changes.
#[derive(Debug, Serialize)]
pub(crate) struct SessionDocument<'a> {
    session: &'a str,
    /// Without a session: the hours whose changes are listed, of everybody in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_hours: Option<u32>,
    total: u32,
    operations: Vec<OperationDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activity: Option<ActivityDocument<'a>>,
}

/// The sessions that are known.
#[derive(Debug, Serialize)]
pub(crate) struct SessionsDocument<'a> {
    total: u32,
    sessions: Vec<KnownSessionDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct KnownSessionDocument<'a> {
    session: &'a str,
    project: Option<&'a str>,
    project_name: Option<&'a str>,
    phase: Option<&'a str>,
    last_event_at: String,
    injected: u32,
}

#[derive(Debug, Serialize)]
struct OperationDocument<'a> {
    sequence: u64,
    at: String,
    kind: &'a str,
    handle: &'a str,
    summary: &'a str,
    agent: &'a str,
}

/// The checkpoint that was saved, loaded or cleared; `null` when there is none.
#[derive(Debug, Serialize)]
pub(crate) struct CheckpointDocument<'a> {
    checkpoint: Option<TaskDocument<'a>>,
    text: &'a str,
    warnings: &'a [String],
    /// The task and the age of the one that was replaced.
    replaced: Option<&'a str>,
    /// Those that were replaced or cleared before, newest first.
    earlier: Vec<TaskDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct TaskDocument<'a> {
    task: &'a str,
    done: &'a [String],
    next: &'a [String],
    hypotheses: &'a [String],
    blocked: Option<&'a str>,
    files: &'a [String],
    saved_at: String,
    agent: &'a str,
}

/// A brief as the daemon structured it.
#[derive(Debug, Serialize)]
pub(crate) struct BriefDocument {
    memories: u32,
    brief: Value,
}

/// A packed block.
#[derive(Debug, Serialize)]
pub(crate) struct ContextDocument<'a> {
    text: &'a str,
    handles: &'a [String],
    tokens: u32,
    left_out: u32,
    /// True if more are left out than that.
    has_further: bool,
    notes: &'a [String],
}

/// The receipts of hooks.
#[derive(Debug, Serialize)]
pub(crate) struct ReceiptsDocument<'a> {
    delivered: u64,
    cut: u64,
    withheld: u64,
    unknown: u64,
    receipts: Vec<ReceiptDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ReceiptDocument<'a> {
    at: String,
    session: &'a str,
    event: &'a str,
    handles: &'a [String],
    tokens: u32,
    latency_us: u64,
    fate: &'a str,
}

/// A session's present activity.
#[derive(Debug, Serialize)]
pub(crate) struct ActivityDocument<'a> {
    phase: &'a str,
    injected: u32,
    focus: &'a [String],
    touched: &'a [String],
    edited: &'a [String],
    failing: &'a [String],
    mended: u32,
    build: Option<BuildDocument<'a>>,
}

/// How the last command that builds or tests went.
#[derive(Debug, Serialize)]
struct BuildDocument<'a> {
    tool: &'a str,
    succeeded: bool,
    at: String,
}

/// A handover.
#[derive(Debug, Serialize)]
pub(crate) struct UpgradeDocument<'a> {
    old_version: &'a str,
    new_version: &'a str,
    old_pid: u32,
    pid: u32,
}

impl<'a> From<&'a v1::SessionLogReply> for SessionDocument<'a> {
    fn from(reply: &'a v1::SessionLogReply) -> Self {
        let document = |operation: &'a v1::LoggedOperation| OperationDocument {
            sequence: operation.sequence,
            at: rfc3339(operation.at_us),
            kind: &operation.kind,
            handle: &operation.handle,
            summary: &operation.summary,
            agent: &operation.agent,
        };
        let operations = reply.operations.iter().map(document).collect();
        let activity = reply.activity.as_ref().map(|activity| ActivityDocument {
            phase: &activity.phase,
            injected: activity.injected,
            focus: &activity.focus,
            touched: &activity.touched,
            edited: &activity.edited,
            failing: &activity.failing,
            mended: activity.mended,
            build: activity.last_run.as_deref().map(|tool| BuildDocument {
                tool,
                succeeded: activity.has_last_run_succeeded,
                at: rfc3339(activity.last_run_at_us),
            }),
        });
        let recent_hours = Some(reply.recent_hours).filter(|hours| *hours > 0);
        Self {
            session: &reply.session,
            recent_hours,
            total: reply.total,
            operations,
            activity,
        }
    }
}

impl<'a> From<&'a v1::SessionLogReply> for SessionsDocument<'a> {
    fn from(reply: &'a v1::SessionLogReply) -> Self {
        let known = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        let sessions = reply.sessions.iter().map(|session| KnownSessionDocument {
            session: &session.session,
            project: known(&session.project),
            project_name: known(&session.project_name),
            phase: known(&session.phase),
            last_event_at: rfc3339(session.last_event_at_us),
            injected: session.injected,
        });
        Self {
            total: reply.total,
            sessions: sessions.collect(),
        }
    }
}

impl<'a> From<&'a v1::ReceiptsReply> for ReceiptsDocument<'a> {
    fn from(reply: &'a v1::ReceiptsReply) -> Self {
        let document = |receipt: &'a v1::Receipt| ReceiptDocument {
            at: rfc3339(receipt.at_us),
            session: &receipt.session,
            event: &receipt.event,
            handles: &receipt.handles,
            tokens: receipt.tokens,
            latency_us: receipt.latency_us,
            fate: &receipt.fate,
        };
        Self {
            delivered: reply.delivered,
            cut: reply.cut,
            withheld: reply.withheld,
            unknown: reply.unknown,
            receipts: reply.receipts.iter().map(document).collect(),
        }
    }
}

impl<'a> From<&'a v1::CheckpointReply> for CheckpointDocument<'a> {
    fn from(reply: &'a v1::CheckpointReply) -> Self {
        let document = |checkpoint: &'a v1::TaskCheckpoint| TaskDocument {
            task: &checkpoint.task,
            done: &checkpoint.done,
            next: &checkpoint.next,
            hypotheses: &checkpoint.hypotheses,
            blocked: Some(checkpoint.blocked.as_str()).filter(|blocked| !blocked.is_empty()),
            files: &checkpoint.files,
            saved_at: rfc3339(checkpoint.saved_at_us),
            agent: &checkpoint.agent,
        };
        Self {
            checkpoint: reply.checkpoint.as_ref().map(document),
            text: &reply.text,
            warnings: &reply.warnings,
            replaced: Some(reply.replaced.as_str()).filter(|replaced| !replaced.is_empty()),
            earlier: reply.earlier.iter().map(document).collect(),
        }
    }
}

impl TryFrom<&v1::BriefReply> for BriefDocument {
    type Error = serde_json::Error;

    fn try_from(reply: &v1::BriefReply) -> Result<Self, Self::Error> {
        Ok(Self {
            memories: reply.memories,
            brief: serde_json::from_str(&reply.json)?,
        })
    }
}

impl<'a> From<&'a v1::ContextReply> for ContextDocument<'a> {
    fn from(reply: &'a v1::ContextReply) -> Self {
        Self {
            text: &reply.text,
            handles: &reply.handles,
            tokens: reply.tokens,
            left_out: reply.left_out,
            has_further: reply.has_further,
            notes: &reply.notes,
        }
    }
}

impl<'a> UpgradeDocument<'a> {
    /// Describes a handover from a process.
    pub(crate) fn new(reply: &'a v1::UpgradeReply, old_pid: u32) -> Self {
        Self {
            old_version: &reply.old_version,
            new_version: &reply.new_version,
            old_pid,
            pid: reply.pid,
        }
    }
}
