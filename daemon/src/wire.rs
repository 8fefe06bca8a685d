//! The one place that maps wire messages to domain values and back, and errors to status codes.

pub(crate) mod backup;
pub(crate) mod capture;
pub(crate) mod checkpoint;
pub(crate) mod compact;
pub(crate) mod conflicts;
pub(crate) mod consolidate;
pub(crate) mod edit;
pub(crate) mod examine;
pub(crate) mod exchange;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod lifecycle;
pub(crate) mod metrics;
pub(crate) mod provider;
pub(crate) mod purge;
pub(crate) mod relations;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod store;
pub(crate) mod topics;

use helix_app::Refusal;
use helix_app::brief::{self, Briefing};
use helix_app::context::{self, Block};
use helix_app::find::{Answer, Wanted};
use helix_app::shown::TextShown;
use helix_app::stale::{self, StaleMemory};
use helix_app::told::Told;
use helix_engine::Counted;
use helix_memory::{ErrorKind, GitContext, Provenance, SourceState, Timestamp};
use helix_proto::v1;
use helix_surface::brief::Detail;
use history::at;
use prost::Message as _;
use tonic::Status;

/// Maps a refusal to a status with its message.
pub(crate) fn refused(refusal: &Refusal) -> Status {
    let message = refusal.message().to_owned();
    match refusal.kind() {
        ErrorKind::Invalid => Status::invalid_argument(message),
        ErrorKind::NotFound => Status::not_found(message),
        ErrorKind::Conflict => Status::already_exists(message),
        ErrorKind::Changed => Status::aborted(message),
        ErrorKind::Denied => Status::permission_denied(message),
        ErrorKind::Exhausted => Status::resource_exhausted(message),
        ErrorKind::Unavailable => Status::unavailable(message),
        ErrorKind::Corrupt => Status::data_loss(message),
        ErrorKind::Newer => Status::failed_precondition(message),
        ErrorKind::Internal => Status::internal(message),
    }
}

/// Reads how much of a text is shown.
pub(crate) fn text_shown(wire: v1::TextShown) -> TextShown {
    match wire {
        v1::TextShown::Unspecified => TextShown::Unspecified,
        v1::TextShown::Line => TextShown::Line,
        v1::TextShown::Opening => TextShown::Opening,
        v1::TextShown::Body => TextShown::Body,
    }
}

/// Reads what somebody wants to read.
pub(crate) fn wanted(wire: v1::ReadRequest) -> Wanted {
    let shown = text_shown(wire.shown());
    let v1::ReadRequest {
        reference,
        references,
        index,
        match_text,
        limit,
        cursor,
        moment,
        ..
    } = wire;
    Wanted {
        reference,
        references,
        index,
        match_text,
        limit,
        cursor,
        shown,
        at: at(moment),
    }
}

/// Writes what was read.
pub(crate) fn read(answer: &Answer) -> v1::ReadReply {
    v1::ReadReply {
        memories: answer.memories.iter().map(told).collect(),
        topic: answer.topic.clone(),
        total: answer.total,
        matching: answer.matching,
        notes: answer.notes.clone(),
        next_cursor: answer.next_cursor.clone(),
    }
}

/// Reads what somebody wants to be briefed about.
pub(crate) fn brief(wire: v1::BriefRequest) -> brief::Wanted {
    let detail = match wire.detail() {
        v1::BriefDetail::Summary => Detail::Summary,
        v1::BriefDetail::Scan => Detail::Scan,
        v1::BriefDetail::Full => Detail::Full,
    };
    let v1::BriefRequest {
        query,
        since_hours,
        focus,
        compact,
        scopes,
        text_only,
        moment,
        ..
    } = wire;
    brief::Wanted {
        query,
        detail,
        since_hours,
        focus,
        is_compact: compact,
        scopes,
        is_text_only: text_only,
        at: at(moment),
    }
}

/// Writes a briefing.
pub(crate) fn briefing(briefing: Briefing) -> v1::BriefReply {
    let Briefing {
        text,
        json,
        memories,
    } = briefing;
    v1::BriefReply {
        text,
        json,
        memories: u32::try_from(memories).unwrap_or(u32::MAX),
    }
}

/// Reads what a block is wanted for.
pub(crate) fn context(wire: v1::ContextRequest) -> context::Wanted {
    let v1::ContextRequest {
        query,
        scopes,
        budget_tokens,
        moment,
        ..
    } = wire;
    context::Wanted {
        query,
        scopes,
        budget_tokens,
        at: at(moment),
    }
}

/// Writes a block.
pub(crate) fn block(block: Block) -> v1::ContextReply {
    let Block {
        text,
        handles,
        tokens,
        left_out,
        has_further,
        notes,
    } = block;
    let (tokens, left_out) = (
        u32::try_from(tokens).unwrap_or(u32::MAX),
        u32::try_from(left_out).unwrap_or(u32::MAX),
    );
    v1::ContextReply {
        text,
        handles,
        tokens,
        left_out,
        notes,
        has_further,
    }
}

/// Writes a memory.
pub(crate) fn told(told: &Told) -> v1::Memory {
    let Told {
        memory,
        links,
        superseded_by,
        contradicted_by,
        index,
        source,
        shape,
        faded: _,
    } = told;
    let git = memory.provenance.last().map(|newest| newest.git.clone());
    let GitContext { branch, commit } = git.unwrap_or_default();
    v1::Memory {
        id: memory.id.as_bytes().to_vec(),
        handle: memory.handle.as_str().to_owned(),
        topic: memory.topic.as_str().to_owned(),
        text: memory.text.clone(),
        kind: memory.kind.as_str().to_owned(),
        tags: memory.tags.clone(),
        scope: memory.scope.to_string(),
        source: memory.source.as_ref().map(|source| v1::SourceRef {
            path: source.path.clone(),
            line: source.line.unwrap_or(0),
            content_hash: source
                .content_hash
                .map(|hash| hash.to_vec())
                .unwrap_or_default(),
            git_blob: source
                .git_blob
                .map(|blob| blob.to_vec())
                .unwrap_or_default(),
        }),
        links: links.clone(),
        importance: memory.importance,
        confidence: memory.confidence,
        pinned: memory.pinned,
        origin: memory.origin.name().to_owned(),
        provenance: memory.provenance.iter().map(self::provenance).collect(),
        attributes: memory.attributes.clone().into_iter().collect(),
        valid_from_us: memory.valid_from.as_micros(),
        valid_to_us: memory.valid_to.map(Timestamp::as_micros),
        recorded_at_us: memory.recorded_at.as_micros(),
        last_seen_at_us: memory.last_seen_at.as_micros(),
        access_count: memory.access_count,
        status: memory.status.name().to_owned(),
        sequence: memory.sequence.0,
        source_state: source_state(*source).into(),
        index: *index,
        superseded_by: superseded_by.clone(),
        doubted_confidence: source.is_stale().then(|| source.cap(memory.confidence)),
        moved_to_line: source.moved_to(),
        summary: memory.summary.clone(),
        shape: shape.name().to_owned(),
        effective_confidence: told.effective_confidence(),
        branch,
        commit,
        suspicions: memory.suspicions.clone(),
        contradicted_by: contradicted_by.clone(),
    }
}

/// Writes who stands behind something.
pub(crate) fn provenance(provenance: &Provenance) -> v1::Provenance {
    v1::Provenance {
        agent: provenance.agent.clone(),
        reference: provenance.reference.clone(),
        extractor: provenance.extractor.clone(),
        origin: provenance.origin.name().to_owned(),
        at_us: provenance.at.as_micros(),
        branch: provenance.git.branch.clone(),
        commit: provenance.git.commit.clone(),
    }
}

/// Writes what has become of a source.
fn source_state(state: SourceState) -> v1::SourceState {
    match state {
        SourceState::Unknown => v1::SourceState::Unknown,
        SourceState::Fresh | SourceState::Moved(_) => v1::SourceState::Fresh,
        SourceState::Changed => v1::SourceState::Changed,
        SourceState::Deleted => v1::SourceState::Deleted,
    }
}

/// Reads whose sources are to be looked at.
pub(crate) fn stale_wanted(wire: v1::StaleRequest) -> stale::Wanted {
    let v1::StaleRequest {
        scopes,
        topic,
        refresh,
        ..
    } = wire;
    stale::Wanted {
        scopes,
        topic,
        refresh,
    }
}

/// How many bytes of a reply a stale memory takes.
pub(crate) fn stale_bytes(memory: &StaleMemory) -> usize {
    stale_memory(memory).encoded_len()
}

/// Writes what was found of sources.
pub(crate) fn stale(found: stale::Found) -> v1::StaleReply {
    let stale::Found {
        stale,
        checked,
        unknown,
        unseen,
    } = found;
    v1::StaleReply {
        stale: stale.iter().map(stale_memory).collect(),
        checked,
        unknown,
        unseen,
    }
}

fn stale_memory(memory: &StaleMemory) -> v1::StaleMemory {
    let StaleMemory {
        told: memory,
        current,
        current_line,
    } = memory;
    v1::StaleMemory {
        memory: Some(told(memory)),
        current: current.clone(),
        current_line: *current_line,
    }
}

/// Writes counts by name.
pub(crate) fn counted(counted: Vec<Counted>) -> Vec<v1::NamedCount> {
    counted
        .into_iter()
        .map(|Counted { name, count }| v1::NamedCount { name, count })
        .collect()
}

/// Returns what a hook is answered with, as it goes over the wire.
pub(crate) fn hook(answer: helix_app::hook::Reply) -> v1::HookReply {
    let steps = answer.steps.into_iter().map(|step| v1::HookStep {
        part: step.part.to_owned(),
        found: step.found,
    });
    v1::HookReply {
        stdout: answer.stdout,
        steps: steps.collect(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_ends_name_the_same_scratch_scope() {
        assert_eq!(helix_proto::SCRATCH_SCOPE, helix_memory::Scope::SCRATCH);
    }
}
