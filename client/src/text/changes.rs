//! Differences between two versions of a memory, for every program that shows it. The words
//! are as they were stored: whoever shows them cleans them.

use helix_proto::v1::{ChangedEdge, ChangedMemory, Memory, Provenance, WhyReply};
use similar::{ChangeTag, TextDiff};

use super::memory::source;
use super::{View, dates};

/// Statuses of a memory that is out of use, so that reaching one is a removal.
const GONE: [&str; 2] = ["forgotten", "pruned"];

/// The status of a memory that is in use.
const ACTIVE: &str = "active";

/// Relations of which a suggestion asks for a decision.
const DECIDED: [&str; 2] = ["contradicts", "supersedes"];

/// The status of a relation that a machine suggests.
const SUGGESTED: &str = "suggested";

/// How a memory changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there, and is now.
    Added,
    /// It was there, and is gone.
    Removed,
    /// It is another.
    Changed,
}

/// A line that one of two texts lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// True if the later text has it; else the earlier one.
    pub is_new: bool,
    /// The line without its end.
    pub text: String,
}

/// A field beside the text with both its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// As it was; may be empty.
    pub before: String,
    /// As it is; may be empty.
    pub after: String,
}

impl Change {
    /// How this memory changed.
    #[must_use]
    pub fn of(changed: &ChangedMemory) -> Self {
        let before = in_use(changed.before.as_ref()).is_some();
        let after = in_use(changed.after.as_ref()).is_some();
        match (before, after) {
            (false, true) => Self::Added,
            (true, false) => Self::Removed,
            (true, true) | (false, false) => Self::Changed,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

fn in_use(memory: Option<&Memory>) -> Option<&Memory> {
    memory.filter(|memory| !GONE.contains(&memory.status.as_str()))
}

/// The session in which something was said of a memory, and where it comes from beside that:
/// `in session s-1 from notes/linker.md`. As it was stored; empty where nobody knows.
#[must_use]
pub fn whence(reply: &WhyReply, said: &Provenance) -> String {
    let mut operations = reply.operations.iter();
    let operation = operations.find(|line| line.at_us == said.at_us);
    let session = operation.map_or("", |line| line.session.as_str());
    match (session, said.reference.as_str()) {
        ("", "") => String::new(),
        ("", reference) => format!("in {reference}"),
        (session, "") => format!("in session {session}"),
        (session, reference) if session == reference => format!("in session {session}"),
        (session, reference) => format!("in session {session} from {reference}"),
    }
}

/// The newest version of a memory that changed.
#[must_use]
pub fn newest(changed: &ChangedMemory) -> Option<&Memory> {
    changed.after.as_ref().or(changed.before.as_ref())
}

/// The lines that one of the two texts lacks. A memory that is gone has no text.
#[must_use]
pub fn lines(changed: &ChangedMemory) -> Vec<Line> {
    let text = |memory| in_use(memory).map_or("", |memory| memory.text.as_str());
    let before = text(changed.before.as_ref());
    let after = text(changed.after.as_ref());
    let mut lines = Vec::new();
    for change in TextDiff::from_lines(before, after).iter_all_changes() {
        let is_new = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => false,
            ChangeTag::Insert => true,
        };
        lines.push(Line {
            is_new,
            text: change.value().trim_end_matches(['\r', '\n']).to_owned(),
        });
    }
    lines
}

/// The fields beside the text that are different. Of a memory that is new only its status, where it
/// is out of use by now.
#[must_use]
pub fn fields(changed: &ChangedMemory, view: &View) -> Vec<Field> {
    let (Some(before), Some(after)) = (&changed.before, &changed.after) else {
        return standing(changed).into_iter().collect();
    };
    let before = values(before, view);
    let pairs = before.into_iter().zip(values(after, view));
    let fields = pairs.map(|((name, before), (_, after))| Field {
        name,
        before,
        after,
    });
    fields.filter(|field| field.before != field.after).collect()
}

/// The status of a memory that is new and not active.
fn standing(changed: &ChangedMemory) -> Option<Field> {
    let after = changed.after.as_ref()?;
    let is_noteworthy = changed.before.is_none() && after.status != ACTIVE;
    is_noteworthy.then(|| Field {
        name: "status",
        before: String::new(),
        after: match after.superseded_by.as_str() {
            "" => after.status.clone(),
            by => format!("{} by {by}", after.status),
        },
    })
}

/// Splits relations into those that somebody made or changed, and the number of those that a
/// machine suggests and nobody looked at. What somebody has to decide is not among the latter.
#[must_use]
pub fn without_suggestions(edges: &[ChangedEdge]) -> (Vec<&ChangedEdge>, usize) {
    let is_new_suggestion = |edge: &&ChangedEdge| {
        let mut states = [&edge.before, &edge.after].into_iter().flatten();
        let is_open = DECIDED.contains(&edge.relation.as_str());
        !is_open && edge.after.is_some() && states.all(|state| state.status == SUGGESTED)
    };
    let (suggested, others): (Vec<_>, Vec<_>) = edges.iter().partition(is_new_suggestion);
    (others, suggested.len())
}

fn values(memory: &Memory, view: &View) -> [(&'static str, String); 12] {
    let until = memory.valid_to_us.map(|at| dates::time_of(at, &view.zone));
    [
        ("handle", memory.handle.clone()),
        ("topic", memory.topic.clone()),
        ("status", memory.status.clone()),
        ("kind", memory.kind.clone()),
        ("tags", memory.tags.join(", ")),
        ("links", memory.links.join(", ")),
        ("source", source(memory)),
        ("origin", memory.origin.clone()),
        ("importance", memory.importance.to_string()),
        ("confidence", memory.confidence.to_string()),
        ("pinned", memory.pinned.to_string()),
        ("valid to", until.unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use helix_proto::v1::EdgeState;
    use jiff::tz::TimeZone;

    use super::*;

    fn memory(text: &str, status: &str) -> Memory {
        Memory {
            text: text.to_owned(),
            status: status.to_owned(),
            ..Memory::default()
        }
    }

    fn changed(before: Option<Memory>, after: Option<Memory>) -> ChangedMemory {
        ChangedMemory { before, after }
    }

    #[test]
    fn what_goes_out_of_use_is_removed() {
        let active = || Some(memory("a", "active"));
        let gone = || Some(memory("a", "forgotten"));
        let change = |before, after| Change::of(&changed(before, after));
        assert_eq!(change(None, active()), Change::Added);
        assert_eq!(change(gone(), active()), Change::Added);
        assert_eq!(change(active(), gone()), Change::Removed);
        let superseded = Some(memory("a", "superseded"));
        assert_eq!(change(active(), superseded), Change::Changed);
    }

    #[test]
    fn lines_of_both_texts_are_left_out() {
        let before = Some(memory("one\ntwo\r\n", "active"));
        let after = Some(memory("one\nthree", "active"));
        let lines = lines(&changed(before, after));
        let line = |is_new, text: &str| Line {
            is_new,
            text: text.to_owned(),
        };
        assert_eq!(lines, [line(false, "two"), line(true, "three")]);
    }

    #[test]
    fn what_is_new_and_out_of_use_says_so() {
        let view = View {
            zone: TimeZone::UTC,
        };
        assert_eq!(
            fields(&changed(None, Some(memory("a", "active"))), &view),
            []
        );
        let superseded = Memory {
            superseded_by: "a/b".to_owned(),
            ..memory("a", "superseded")
        };
        let said = fields(&changed(None, Some(superseded)), &view);
        let status = Field {
            name: "status",
            before: String::new(),
            after: "superseded by a/b".to_owned(),
        };
        assert_eq!(said, [status]);
    }

    #[test]
    fn suggestions_that_nobody_looked_at_are_counted() {
        let state = |status: &str| {
            Some(EdgeState {
                status: status.to_owned(),
                ..EdgeState::default()
            })
        };
        let edge = |before, after| ChangedEdge {
            before,
            after,
            ..ChangedEdge::default()
        };
        let edges = [
            edge(None, state("suggested")),
            edge(state("suggested"), state("suggested")),
            edge(state("suggested"), state("active")),
            edge(None, state("active")),
            edge(state("suggested"), None),
            ChangedEdge {
                relation: "contradicts".to_owned(),
                ..edge(None, state("suggested"))
            },
        ];
        let (others, suggested) = without_suggestions(&edges);
        assert_eq!(suggested, 2);
        assert_eq!(others, edges.iter().skip(2).collect::<Vec<_>>());
    }

    #[test]
    fn fields_that_are_alike_are_left_out() {
        let view = View {
            zone: TimeZone::UTC,
        };
        let superseded = Memory {
            valid_to_us: Some(0),
            ..memory("a", "superseded")
        };
        let both = changed(Some(memory("a", "active")), Some(superseded));
        let names: Vec<&str> = fields(&both, &view)
            .iter()
            .map(|field| field.name)
            .collect();
        assert_eq!(names, ["status", "valid to"]);
        let new = changed(None, Some(memory("a", "active")));
        assert_eq!(fields(&new, &view), []);
    }
}
