//! `Status`: what the daemon is and holds.

use std::fs;
use std::process;
use std::sync::atomic::Ordering;

use helix_app::{Refusal, receipts};
use helix_engine::model::Sequence;
use helix_engine::policy::work::watch::Late;
use helix_proto::holder::Holder;
use helix_proto::v1;

use crate::embedder::State;
use crate::runtime::Runtime;

/// Describes the daemon.
pub(super) fn status(runtime: &Runtime) -> Result<v1::StatusReply, Refusal> {
    let snapshot = runtime
        .app
        .memory
        .strand
        .snapshot()
        .map_err(|error| Refusal::of(error.kind(), &error))?;
    let sequence = snapshot
        .sequence()
        .map_err(|error| Refusal::of(error.kind(), &error))?;
    let catalog = runtime.app.memory.strand.catalog();
    let by_status = catalog.count_by_status().iter();
    let memories_by_status = by_status
        .map(|(status, &count)| v1::NamedCount {
            name: status.name().to_owned(),
            count,
        })
        .collect();
    let (topics, projects) = (catalog.topic_count() as u64, catalog.project_count() as u64);
    drop(catalog);
    let receipts = receipts::count(&runtime.app)?;
    let store = runtime
        .config
        .paths
        .strand(&runtime.config.strand)
        .join(helix_engine::store::STORE_FILE);
    let paths = &runtime.config.paths;
    let socket = Holder::elsewhere(paths).unwrap_or_else(|| paths.socket.clone());
    Ok(v1::StatusReply {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: process::id(),
        socket: socket.display().to_string(),
        home: runtime.config.paths.home.display().to_string(),
        started_at_us: runtime.started_at.as_micros(),
        strand: runtime.config.strand.clone(),
        sequence: sequence.0,
        memories_by_status,
        topics,
        projects,
        indexes: indexes(runtime, sequence)?,
        embedder: Some(embedder(runtime, sequence)),
        resident_bytes: resident_bytes(),
        store_bytes: fs::metadata(store).map_or(0, |found| found.len()),
        open_connections: runtime.connections.load(Ordering::Relaxed),
        hooks_answered: runtime.hooks_answered.load(Ordering::Relaxed),
        injected_tokens: runtime.app.hooks.injected_tokens.load(Ordering::Relaxed),
        injections_delivered: receipts.delivered,
        injections_cut: receipts.cut,
        injections_unknown: receipts.unknown,
        late_hooks: runtime
            .app
            .hooks
            .watches
            .late(runtime.now())
            .into_iter()
            .map(late)
            .collect(),
    })
}

fn late(late: Late) -> v1::LateHook {
    v1::LateHook {
        event: late.event,
        times: late.times.into(),
        after_start: late.after_start.into(),
        last_at_us: late.last_at_us,
    }
}

/// Describes the word index and the vectors.
pub(super) fn indexes(
    runtime: &Runtime,
    newest: Sequence,
) -> Result<Vec<v1::IndexStatus>, Refusal> {
    let lexical = runtime.app.memory.strand.lexical();
    // What is not in a segment yet is searched as well, so that each acknowledged write is found.
    let watermark = newest.0;
    let meaning = runtime.app.memory.strand.meaning_status(newest);
    let words = v1::IndexStatus {
        name: "lexical".to_owned(),
        watermark,
        entries: lexical
            .document_count()
            .map_err(|error| Refusal::internal(error.to_string()))?,
        problem: String::new(),
    };
    let vectors = v1::IndexStatus {
        name: "vectors".to_owned(),
        watermark: meaning.watermark.0,
        entries: meaning.vectors as u64,
        problem: match runtime.embedder.state() {
            State::Failed(why) | State::Absent(why) => why,
            State::Off | State::Loading | State::Ready(_) => String::new(),
        },
    };
    Ok(vec![words, vectors])
}

/// Describes the embedder.
pub(super) fn embedder(runtime: &Runtime, newest: Sequence) -> v1::EmbedderStatus {
    let pending = runtime.app.memory.strand.meaning_status(newest).pending as u64;
    let (state, model, detail) = match runtime.embedder.state() {
        State::Off => (
            v1::EmbedderState::Off,
            String::new(),
            "switched off: searching by words only".to_owned(),
        ),
        State::Absent(why) => (
            v1::EmbedderState::Absent,
            String::new(),
            format!("searching by words only: {why}"),
        ),
        State::Failed(why) => (
            v1::EmbedderState::Failed,
            String::new(),
            format!("searching by words only: {why}"),
        ),
        State::Loading => (
            v1::EmbedderState::Loading,
            String::new(),
            "searching by words until it is loaded".to_owned(),
        ),
        State::Ready(model) => (v1::EmbedderState::Ready, model, String::new()),
    };
    v1::EmbedderStatus {
        state: state.into(),
        model,
        detail,
        pending,
    }
}

/// Resident set of this process; 0 where the system does not say.
fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
