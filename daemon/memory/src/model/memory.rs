//! The memory record.

use std::collections::BTreeMap;

use super::{
    Actor, GitContext, Handle, Kind, MemoryId, MemoryNumber, Origin, Scope, Sequence, Timestamp,
    Topic,
};
use helix_neutral::one_line;

/// Whether a text may be put in front of an agent that did not ask: somebody stands behind it, and
/// it is not held back for looking like orders that no person gave.
#[must_use]
pub fn is_shown_unasked(origin: Origin, is_held_back: bool) -> bool {
    origin.is_shown_unasked() && (origin == Origin::User || !is_held_back)
}

impl Origin {
    /// Whether a text waits in the review, because it looks like orders and no person gave it.
    #[must_use]
    pub fn awaits_review(self, suspicions: &[String]) -> bool {
        self != Origin::User && !suspicions.is_empty()
    }
}

/// One stored statement with its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Globally unique id.
    pub id: MemoryId,
    /// Dense number inside the strand.
    pub number: MemoryNumber,
    /// Readable unique name.
    pub handle: Handle,
    /// The group it belongs to.
    pub topic: Topic,
    /// The statement.
    pub text: String,
    /// Its kind.
    pub kind: Kind,
    /// Normalised: lowercase, singular, sorted, unique.
    pub tags: Vec<String>,
    /// Who it applies to.
    pub scope: Scope,
    /// The file that it is about.
    pub source: Option<SourceRef>,
    /// Ids of memories it points to.
    pub links: Vec<MemoryId>,
    /// 0 to 1: how much it matters.
    pub importance: f32,
    /// 0 to 1 as stored; decay is computed when read and never written back.
    pub confidence: f32,
    /// Never decays.
    pub pinned: bool,
    /// Where it came from.
    pub origin: Origin,
    /// Its producers, oldest first.
    pub provenance: Vec<Provenance>,
    /// Kind-specific fields.
    pub attributes: BTreeMap<String, String>,
    /// One line for lists, at most [`Memory::SUMMARY_MAX_CHARS`] characters; empty when its author gave
    /// none.
    pub summary: String,
    /// Names of what looks like orders to an agent in its text; see `policy::suspect`.
    pub suspicions: Vec<String>,
    /// When the fact became true.
    pub valid_from: Timestamp,
    /// When it stopped being true; `None` while it holds.
    pub valid_to: Option<Timestamp>,
    /// When Helix learned it.
    pub recorded_at: Timestamp,
    /// When it was last stored again, recalled or confirmed.
    pub last_seen_at: Timestamp,
    /// How often it was recalled or confirmed.
    pub access_count: u64,
    /// Where it is in its life.
    pub status: Status,
    /// The operation that last changed it.
    pub sequence: Sequence,
}

impl Memory {
    /// Longest summary, in characters.
    pub const SUMMARY_MAX_CHARS: usize = 200;

    /// Returns a text that holds since `at`, with nothing else said of it: an active fact of an
    /// agent's, for everybody.
    #[must_use]
    pub fn new(
        id: MemoryId,
        number: MemoryNumber,
        handle: Handle,
        topic: Topic,
        text: String,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            number,
            handle,
            topic,
            text,
            kind: Kind::from_stored("fact"),
            tags: Vec::new(),
            scope: Scope::Global,
            source: None,
            links: Vec::new(),
            importance: 0.5,
            confidence: 1.0,
            pinned: false,
            origin: Origin::Agent,
            provenance: Vec::new(),
            attributes: BTreeMap::new(),
            summary: String::new(),
            suspicions: Vec::new(),
            valid_from: at,
            valid_to: None,
            recorded_at: at,
            last_seen_at: at,
            access_count: 0,
            status: Status::Active,
            sequence: Sequence(1),
        }
    }

    /// Returns whether it looks like orders to an agent.
    #[must_use]
    pub fn is_held_back(&self) -> bool {
        !self.suspicions.is_empty()
    }

    /// Whether it may be put in front of an agent that did not ask: somebody stands behind it, and
    /// it does not look like orders that no person gave.
    #[must_use]
    pub fn is_shown_unasked(&self) -> bool {
        is_shown_unasked(self.origin, self.is_held_back())
    }
}

/// A file, and where in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceRef {
    /// Path, relative to the project's root where it lies inside.
    pub path: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// BLAKE3 of the file's bytes when the memory was stored.
    pub content_hash: Option<[u8; 32]>,
    /// Git blob id (SHA-1) of the file's bytes when the memory was stored.
    pub git_blob: Option<[u8; 20]>,
}

/// Between the line that a source had and the one that it has now.
const NOW_LINE: &str = ", now line ";

impl SourceRef {
    /// Reads a path and the line that stands behind it in one of the ways in which tools write
    /// that: `path:line`, `path:line:column`, `path:line-line`, `path#Lline` and
    /// `path#Lline-Lline`. Of several lines it keeps the first; as [`SourceRef::place`] writes
    /// a line that moved, it is where it is now.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some((was, now)) = text.rsplit_once(NOW_LINE)
            && let (
                Self {
                    line: Some(_),
                    path,
                    ..
                },
                Ok(line),
            ) = (Self::parse(was), now.parse())
        {
            return Self {
                path,
                line: Some(line),
                ..Self::default()
            };
        }
        let (path, line) = text
            .rsplit_once("#L")
            .and_then(|(path, lines)| Some((path, first_line(lines)?)))
            .or_else(|| {
                let (path, last) = text.rsplit_once(':')?;
                let line = first_line(last)?;
                let column_before = path
                    .rsplit_once(':')
                    .and_then(|(path, line)| Some((path, line.parse().ok()?)));
                Some(
                    column_before
                        .filter(|(path, line)| *line > 0 && !path.is_empty())
                        .unwrap_or((path, line)),
                )
            })
            .filter(|(path, _)| !path.is_empty())
            .map_or((text, None), |(path, line)| (path, Some(line)));
        Self {
            path: path.to_owned(),
            line,
            ..Self::default()
        }
    }

    /// Writes it for readers: `src/a.rs`, `src/a.rs:3`, or `src/a.rs:3, now line 9` where the line
    /// moved since.
    #[must_use]
    pub fn place(&self, moved_to: Option<u32>, path_max_chars: usize) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let now = moved_to
            .map(|line| format!("{NOW_LINE}{line}"))
            .unwrap_or_default();
        format!("{}{line}{now}", one_line(&self.path, path_max_chars))
    }
}

/// Reads `12`, `12-15` or `12-L15`.
fn first_line(lines: &str) -> Option<u32> {
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    last.trim_start_matches('L').parse::<u32>().ok()?;
    first.parse().ok().filter(|line| *line > 0)
}

/// The production of a memory: by whom, when, from where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The agent client's name.
    pub agent: String,
    /// Session, file or command it came from.
    pub reference: String,
    /// Its extractor; empty when stated directly.
    pub extractor: String,
    /// Who stands behind it.
    pub origin: Origin,
    /// When.
    pub at: Timestamp,
    /// Where the work tree stood in which it was said.
    pub git: GitContext,
}

impl Provenance {
    /// Returns an actor's direct statement.
    #[must_use]
    pub fn stated(actor: &Actor, at: Timestamp) -> Self {
        Self {
            agent: actor.agent.clone(),
            reference: actor.session.clone(),
            extractor: String::new(),
            origin: actor.origin,
            at,
            git: actor.git.clone(),
        }
    }
}

/// Where a memory is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// In use.
    Active,
    /// A newer memory replaced it.
    Superseded,
    /// Faded; found only on demand.
    Archived,
    /// A user or agent asked to forget it; kept in the history.
    Forgotten,
    /// Imported and not yet trusted.
    Quarantined,
    /// Out of the indexes, kept in the history.
    Pruned,
}

impl Status {
    /// All states, in the order used on disk.
    pub const ALL: [Self; 6] = [
        Self::Active,
        Self::Superseded,
        Self::Archived,
        Self::Forgotten,
        Self::Quarantined,
        Self::Pruned,
    ];

    /// Returns the name used on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Archived => "archived",
            Self::Forgotten => "forgotten",
            Self::Quarantined => "quarantined",
            Self::Pruned => "pruned",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns whether the lexical and semantic indexes hold memories of this status.
    #[must_use]
    pub const fn is_indexed(self) -> bool {
        match self {
            Self::Active | Self::Superseded | Self::Archived | Self::Quarantined => true,
            Self::Forgotten | Self::Pruned => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_carry_lines() {
        let with_line = SourceRef::parse("src/infer.rs:42");
        assert_eq!(
            (with_line.path.as_str(), with_line.line),
            ("src/infer.rs", Some(42))
        );
        assert_eq!(SourceRef::parse("C:notes").path, "C:notes");
        assert_eq!(SourceRef::parse("a:0").line, None);
        for text in [
            "a.rs:2",
            "a.rs:2:5",
            "a.rs:2-9",
            "a.rs#L2",
            "a.rs#L2-L9",
            "a.rs#L2-9",
            " a.rs:2 ",
        ] {
            let parsed = SourceRef::parse(text);
            assert_eq!(
                (parsed.path.as_str(), parsed.line),
                ("a.rs", Some(2)),
                "{text}"
            );
        }
        for path in [
            "a#Lx",
            "#L2",
            "2-9",
            "a:b",
            "a:2-b",
            "a:-2",
            "https://host/page",
        ] {
            let parsed = SourceRef::parse(path);
            assert_eq!((parsed.path.as_str(), parsed.line), (path, None));
        }
    }

    #[test]
    fn places_say_where_a_line_went() {
        let places =
            |text| [None, Some(9)].map(|moved_to| SourceRef::parse(text).place(moved_to, 8));
        assert_eq!(
            places("src/a.rs:3"),
            ["src/a.rs:3", "src/a.rs:3, now line 9"]
        );
        assert_eq!(SourceRef::parse("src/a.rs").place(None, 80), "src/a.rs");
        let again = SourceRef::parse("src/a.rs:3, now line 9");
        assert_eq!((again.path.as_str(), again.line), ("src/a.rs", Some(9)));
        assert_eq!(SourceRef::parse("a, now line 9").path, "a, now line 9");
    }

    #[test]
    fn what_looks_like_orders_waits_unless_a_person_gave_it() {
        let suspicions = ["conceals".to_owned()];
        let waits =
            |suspicions: &[String]| Origin::ALL.map(|origin| origin.awaits_review(suspicions));
        assert_eq!(waits(&suspicions), [false, true, true, true]);
        assert_eq!(waits(&[]), [false; 4]);
    }

    #[test]
    fn status_names_round_trip() {
        for status in Status::ALL {
            assert_eq!(Status::parse(status.name()), Some(status));
        }
    }
}
