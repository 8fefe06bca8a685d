//! `Edit` and `Forget` as the wire has them.

use helix_app::edit::{Action, Answer, SetFields, Target, Wanted};
use helix_app::{Refusal, forget};
use helix_memory::Sequence;
use helix_proto::v1;
use helix_proto::v1::edit_request::Action as Wire;

use super::told;

/// Reads what somebody wants changed.
pub(crate) fn wanted(wire: v1::EditRequest) -> Result<Wanted, Refusal> {
    let action = wire.action.ok_or_else(|| {
        Refusal::invalid("the request names no action; give append, revise, delete, tag, rename, merge, set or restore")
    })?;
    Ok(Wanted {
        action: self::action(action),
        expected: wire.expected_sequence.map(Sequence),
    })
}

fn action(wire: Wire) -> Action {
    match wire {
        Wire::Append(v1::AppendText { target, text }) => Action::Append {
            target: self::target(target),
            text,
        },
        Wire::Revise(v1::ReviseText { target, text }) => Action::Revise {
            target: self::target(target),
            text,
        },
        Wire::Delete(wire) => delete(wire),
        Wire::Tag(v1::ChangeTags {
            target,
            add,
            remove,
        }) => Action::Tag {
            target: self::target(target),
            add,
            remove,
        },
        Wire::Set(wire) => set(wire),
        Wire::Rename(v1::RenameTopic { topic, new_name }) => Action::Rename { topic, new_name },
        Wire::Merge(v1::MergeTopic { topic, into }) => Action::Merge { topic, into },
        Wire::Restore(wire) => restore(wire),
        Wire::Split(v1::SplitMemory {
            target,
            into,
            preview,
        }) => Action::Split {
            target: self::target(target),
            into,
            is_preview: preview,
        },
    }
}

fn delete(wire: v1::DeleteMemories) -> Action {
    let v1::DeleteMemories {
        target,
        all,
        scopes,
    } = wire;
    let target = self::target(target);
    if all {
        Action::DeleteAll { target, scopes }
    } else {
        Action::Delete { target, scopes }
    }
}

fn set(wire: v1::SetFields) -> Action {
    let v1::SetFields {
        target,
        kind,
        source,
        importance,
        confidence,
        pinned,
        links,
        replace_links,
        origin,
        summary,
        priority,
        weight,
    } = wire;
    Action::Set {
        target: self::target(target),
        fields: SetFields {
            kind,
            source,
            importance,
            confidence,
            pinned,
            links,
            replace_links,
            origin,
            summary,
            priority,
            weight,
        },
    }
}

fn restore(wire: v1::RestoreMemory) -> Action {
    let v1::RestoreMemory {
        reference,
        index,
        match_text,
        all,
    } = wire;
    if all {
        return Action::RestoreAll { topic: reference };
    }
    Action::Restore {
        target: Target {
            reference,
            index,
            match_text,
            tag: String::new(),
        },
    }
}

fn target(wire: Option<v1::Target>) -> Target {
    let v1::Target {
        reference,
        index,
        match_text,
        tag,
    } = wire.unwrap_or_default();
    Target {
        reference,
        index,
        match_text,
        tag,
    }
}

/// Writes what an edit came to.
pub(crate) fn answer(answer: Answer) -> v1::EditReply {
    let Answer {
        memories,
        changed,
        topic,
        warnings,
        candidates,
        candidates_total,
        parts,
    } = answer;
    v1::EditReply {
        memories: memories.iter().map(told).collect(),
        changed: u32::try_from(changed).unwrap_or(u32::MAX),
        topic,
        warnings,
        candidates: candidates.iter().map(told).collect(),
        candidates_total: u32::try_from(candidates_total).unwrap_or(u32::MAX),
        parts,
    }
}

/// Writes what forgetting came to.
pub(crate) fn forgotten(answer: &forget::Answer) -> v1::ForgetReply {
    match answer {
        forget::Answer::Forgotten {
            memory,
            was_forgotten,
            notes,
        } => v1::ForgetReply {
            forgotten: memory.as_deref().map(told),
            candidates: Vec::new(),
            was_forgotten: *was_forgotten,
            notes: notes.clone(),
        },
        forget::Answer::Candidates(candidates) => v1::ForgetReply {
            candidates: candidates.iter().map(told).collect(),
            ..v1::ForgetReply::default()
        },
    }
}
