//! The daemon and its strand.

use helix_client::text::memory::count_of;
use helix_client::v1::{EmbedderState, EmbedderStatus, IndexStatus, StatusReply};

use super::life::{job_header, job_row};
use super::table::{Field, rows};
use crate::document::embedder_state;
use crate::screen::{Look, Paint};
use crate::text::one_line;
use crate::time::{day, span};

/// Bytes of one mebibyte.
const MIB_BYTES: u64 = 1024 * 1024;

/// Writes everything that the daemon says of itself, as of a time.
pub(crate) fn status(look: Look, status: &StatusReply, now_us: i64) -> String {
    let facts = rows(look, &[], facts(status, now_us));
    let indexes = rows(
        look,
        index_header(look),
        status
            .indexes
            .iter()
            .map(|index| index_row(look, index))
            .collect(),
    );
    let jobs = status.jobs.iter().map(|job| job_row(look, job, now_us));
    facts + &indexes + &rows(look, job_header(look), jobs.collect())
}

fn facts(status: &StatusReply, now_us: i64) -> Vec<Vec<Field>> {
    let counts = status
        .memories_by_status
        .iter()
        .map(|count| format!("{} {}", count.count, one_line(&count.name)));
    let counts: Vec<String> = counts.collect();
    let counts = if counts.is_empty() {
        "none".to_owned()
    } else {
        counts.join(", ")
    };
    let fact = |name: &str, value: Field| vec![Field::painted(Paint::Faint, name), value];
    vec![
        fact(
            "helixd",
            format!("{}, pid {}", one_line(&status.version), status.pid).into(),
        ),
        fact(
            "uptime",
            span(now_us.saturating_sub(status.started_at_us)).into(),
        ),
        fact("socket", one_line(&status.socket).into()),
        fact("home", one_line(&status.home).into()),
        fact(
            "strand",
            format!("{}, sequence {}", one_line(&status.strand), status.sequence).into(),
        ),
        fact("memories", counts.into()),
        fact("topics", status.topics.to_string().into()),
        fact("projects", status.projects.to_string().into()),
        fact("embedder", embedder(status.embedder.as_ref())),
        fact("lifecycle", lifecycle(status).into()),
        fact("resident", size(status.resident_bytes).into()),
        fact("store", size(status.store_bytes).into()),
        fact("connections", status.open_connections.to_string().into()),
        fact(
            "hooks",
            format!(
                "{} answered, {} tokens injected",
                status.hooks_answered, status.injected_tokens
            )
            .into(),
        ),
        fact(
            "injections",
            format!(
                "{} delivered, {} cut, {} unknown",
                status.injections_delivered, status.injections_cut, status.injections_unknown
            )
            .into(),
        ),
    ]
}

/// The mode, and until when it holds.
fn lifecycle(status: &StatusReply) -> String {
    let mode = one_line(&status.lifecycle_mode);
    if status.lifecycle_auto_from_us > 0 {
        format!("{mode}, auto from {}", day(status.lifecycle_auto_from_us))
    } else {
        mode
    }
}

fn embedder(embedder: Option<&EmbedderStatus>) -> Field {
    let state = embedder.map_or(EmbedderState::Unspecified, EmbedderStatus::state);
    let pending = embedder.map_or(0, |embedder| embedder.pending);
    let said = embedder
        .into_iter()
        .flat_map(|embedder| [&embedder.model, &embedder.detail])
        .map(|text| one_line(text));
    let waiting = (pending > 0).then(|| format!("{pending} waiting"));
    let uncompared = embedder.map_or(0, |embedder| embedder.uncompared);
    let compared =
        (uncompared > 0).then(|| format!("{uncompared} to be compared with what was forgotten"));
    let parts = said.filter(|text| !text.is_empty());
    let parts = parts.chain(waiting).chain(compared);
    let text = [embedder_state(state).to_owned()]
        .into_iter()
        .chain(parts)
        .collect::<Vec<_>>()
        .join(", ");
    match state {
        EmbedderState::Ready => Field::painted(Paint::Good, text),
        EmbedderState::Failed => Field::painted(Paint::Bad, text),
        EmbedderState::Absent => Field::painted(Paint::Warning, text),
        EmbedderState::Unspecified | EmbedderState::Loading | EmbedderState::Off => text.into(),
    }
}

/// The columns of [`index_row`].
pub(super) fn index_header(look: Look) -> &'static [&'static str] {
    if look.table_width.is_some() {
        &["index", "watermark", "entries", "state"]
    } else {
        &[]
    }
}

/// One index and its state.
pub(super) fn index_row(look: Look, index: &IndexStatus) -> Vec<Field> {
    let state = match one_line(&index.problem) {
        problem if problem.is_empty() => Field::painted(Paint::Good, "ok"),
        problem => Field::painted(Paint::Bad, problem),
    };
    let name = one_line(&index.name);
    let (watermark, entries) = (index.watermark, index.entries);
    if look.table_width.is_some() {
        vec![
            name.into(),
            watermark.to_string().into(),
            entries.to_string().into(),
            state,
        ]
    } else {
        vec![
            "index".into(),
            name.into(),
            format!("up to sequence {watermark}").into(),
            count_of(entries, "entry", "entries").into(),
            state,
        ]
    }
}

/// A number of bytes as people read it.
pub(super) fn size(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) / MIB_BYTES;
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}
