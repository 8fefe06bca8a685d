//! The daemon and its strand.

use std::collections::BTreeMap;

use helix_client::v1::{self, EmbedderState};
use serde::Serialize;

use super::life::JobDocument;
use crate::time::rfc3339;

/// Microseconds of one second.
const SECOND_US: i64 = 1_000_000;

/// The daemon as it is.
#[derive(Debug, Serialize)]
pub(crate) struct StatusDocument<'a> {
    version: &'a str,
    pid: u32,
    socket: &'a str,
    home: &'a str,
    started_at: String,
    uptime_s: i64,
    strand: &'a str,
    sequence: u64,
    memories_by_status: BTreeMap<&'a str, u64>,
    topics: u64,
    projects: u64,
    indexes: Vec<IndexDocument<'a>>,
    embedder: EmbedderDocument<'a>,
    resident_bytes: u64,
    store_bytes: u64,
    open_connections: u32,
    hooks_answered: u64,
    injected_tokens: u64,
    injections_delivered: u64,
    injections_cut: u64,
    injections_unknown: u64,
    lifecycle_mode: &'a str,
    lifecycle_auto_from: Option<String>,
    jobs: Vec<JobDocument<'a>>,
}

/// One index.
#[derive(Debug, Serialize)]
pub(super) struct IndexDocument<'a> {
    name: &'a str,
    watermark: u64,
    entries: u64,
    problem: Option<&'a str>,
}

/// The embedder.
#[derive(Debug, Serialize)]
pub(super) struct EmbedderDocument<'a> {
    state: &'static str,
    model: Option<&'a str>,
    detail: Option<&'a str>,
    pending: u64,
    uncompared: u64,
}

impl<'a> StatusDocument<'a> {
    /// Describes a daemon as it is at a time.
    pub(crate) fn new(status: &'a v1::StatusReply, now_us: i64) -> Self {
        let counts = status
            .memories_by_status
            .iter()
            .map(|count| (count.name.as_str(), count.count));
        Self {
            version: &status.version,
            pid: status.pid,
            socket: &status.socket,
            home: &status.home,
            started_at: rfc3339(status.started_at_us),
            uptime_s: now_us.saturating_sub(status.started_at_us).max(0) / SECOND_US,
            strand: &status.strand,
            sequence: status.sequence,
            memories_by_status: counts.collect(),
            topics: status.topics,
            projects: status.projects,
            indexes: status.indexes.iter().map(IndexDocument::from).collect(),
            embedder: EmbedderDocument::new(status.embedder.as_ref()),
            resident_bytes: status.resident_bytes,
            store_bytes: status.store_bytes,
            open_connections: status.open_connections,
            hooks_answered: status.hooks_answered,
            injected_tokens: status.injected_tokens,
            injections_delivered: status.injections_delivered,
            injections_cut: status.injections_cut,
            injections_unknown: status.injections_unknown,
            lifecycle_mode: &status.lifecycle_mode,
            lifecycle_auto_from: (status.lifecycle_auto_from_us > 0)
                .then(|| rfc3339(status.lifecycle_auto_from_us)),
            jobs: status.jobs.iter().map(JobDocument::from).collect(),
        }
    }
}

impl<'a> From<&'a v1::IndexStatus> for IndexDocument<'a> {
    fn from(index: &'a v1::IndexStatus) -> Self {
        Self {
            name: &index.name,
            watermark: index.watermark,
            entries: index.entries,
            problem: said(&index.problem),
        }
    }
}

impl<'a> EmbedderDocument<'a> {
    pub(super) fn new(embedder: Option<&'a v1::EmbedderStatus>) -> Self {
        Self {
            state: embedder_state(
                embedder.map_or(EmbedderState::Unspecified, v1::EmbedderStatus::state),
            ),
            model: embedder.and_then(|embedder| said(&embedder.model)),
            detail: embedder.and_then(|embedder| said(&embedder.detail)),
            pending: embedder.map_or(0, |embedder| embedder.pending),
            uncompared: embedder.map_or(0, |embedder| embedder.uncompared),
        }
    }
}

/// Names a state of the embedder.
pub(crate) fn embedder_state(state: EmbedderState) -> &'static str {
    match state {
        EmbedderState::Unspecified => "unknown",
        EmbedderState::Absent => "absent",
        EmbedderState::Loading => "loading",
        EmbedderState::Ready => "ready",
        EmbedderState::Failed => "failed",
        EmbedderState::Off => "off",
    }
}

fn said(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
