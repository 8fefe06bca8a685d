//! Applies fields that somebody changed in an exported file, beside text, kind, tags, importance,
//! confidence and pin.

use helix_exchange::{Base, Portable, Rest};
use helix_memory::{Edit, EditedFields as Fields, Memory, SourceRef, Sourced, Status, Topic};
use helix_redact::Secrets;

/// Fields that are taken, and fields that are not.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Taken {
    /// In no order.
    pub(super) edits: Vec<Edit>,
    /// True if the links become those of the file.
    pub(super) takes_links: bool,
    /// Names of fields that are kept as they are here.
    pub(super) untaken: Vec<&'static str>,
}

/// Compares the memory of the strand with the one of the file and what the file says it was.
pub(super) fn taken(ours: &Memory, theirs: &Portable, base: &Base) -> Taken {
    let mut taken = Taken::default();
    let here = Portable::from_memory(ours, |_| None);
    let edited = base.edited(theirs);
    // Links have other names there, and are as they were where nothing else says so.
    let changed_here = if edited.is_empty() {
        Vec::new()
    } else {
        base.edited(&here)
    };
    for field in edited {
        match edit(field, ours, theirs) {
            Decision::Same => {}
            Decision::Edit(_) if field != Rest::Links && changed_here.contains(&field) => {
                taken.untaken.push(field.name());
            }
            Decision::Edit(edit) => taken.edits.push(edit),
            Decision::Links => taken.takes_links = true,
            Decision::Not => taken.untaken.push(field.name()),
        }
    }
    taken
}

/// The decision about a changed field.
enum Decision {
    /// It is so here.
    Same,
    Edit(Edit),
    Links,
    /// No edit makes it so.
    Not,
}

fn edit(field: Rest, ours: &Memory, theirs: &Portable) -> Decision {
    let is_same = match field {
        Rest::Topic => ours.topic.as_str() == theirs.topic,
        Rest::Source => place(ours.source.as_ref()) == place(theirs.source.as_ref()),
        Rest::ValidFrom => theirs.valid_from == Some(ours.valid_from),
        Rest::ValidTo => theirs.valid_to == ours.valid_to,
        Rest::Status => theirs.status == Some(ours.status),
        Rest::Scope => theirs.scope.as_ref() == Some(&ours.scope),
        Rest::Handle => theirs.handle.as_deref() == Some(ours.handle.as_str()),
        Rest::Origin => theirs.origin == Some(ours.origin),
        Rest::Attributes => theirs.attributes == ours.attributes,
        Rest::Provenance => theirs.provenance == ours.provenance,
        Rest::RecordedAt => theirs.recorded_at == Some(ours.recorded_at),
        Rest::Links | Rest::LastSeenAt | Rest::AccessCount => false,
    };
    if is_same {
        return Decision::Same;
    }
    match field {
        Rest::Topic => Topic::kept(&theirs.topic, &mut Secrets::default())
            .map_or(Decision::Not, |topic| Decision::Edit(Edit::Move { topic })),
        Rest::Source => Decision::Edit(Edit::Set(Box::new(Fields {
            source: Some(theirs.source.as_ref().map(sourced)),
            ..Fields::default()
        }))),
        Rest::Links => Decision::Links,
        Rest::ValidFrom => theirs.valid_from.map_or(Decision::Not, |valid_from| {
            Decision::Edit(Edit::Repair {
                valid_from,
                recorded_at: ours.recorded_at,
            })
        }),
        Rest::Status => match (ours.status, theirs.status) {
            (Status::Active, Some(Status::Forgotten)) => Decision::Edit(Edit::Forget),
            (_, Some(Status::Active)) => Decision::Edit(Edit::Restore),
            _ => Decision::Not,
        },
        Rest::ValidTo
        | Rest::Scope
        | Rest::Handle
        | Rest::Origin
        | Rest::Attributes
        | Rest::Provenance
        | Rest::RecordedAt
        | Rest::LastSeenAt
        | Rest::AccessCount => Decision::Not,
    }
}

/// A place that somebody wrote: what was recorded of another says nothing about it.
fn sourced(source: &SourceRef) -> Sourced {
    let reference = SourceRef {
        path: source.path.clone(),
        line: source.line,
        ..SourceRef::default()
    };
    Sourced {
        reference,
        ..Sourced::default()
    }
}

fn place(source: Option<&SourceRef>) -> Option<(&str, Option<u32>)> {
    source.map(|source| (source.path.as_str(), source.line))
}
