//! Changing a memory: what an edit makes of it, or why it cannot be done.
//!
//! An edit is decided on the record alone. The handle that follows a move, the sequence and the
//! history belong to the store.

mod orders;
mod text;

use std::collections::BTreeMap;

use helix_redact::{Redact, Redacted, Secrets};

pub use self::orders::gives_orders;
use self::orders::suspect_again;
use super::admit::{AdmitError, FIELD_MAX_BYTES, checked_summary, limit, unit_interval};
use super::tags::{TAG_MAX_BYTES, TAGS_MAX};
use crate::error::ErrorKind;
use crate::model::{
    Actor, Kind, Kinds, Memory, MemoryId, Origin, Scope, SourceRef, Status, Timestamp, Topic,
};
use crate::policy::admit::Admitted;
use crate::policy::tags::Tags;

impl Memory {
    /// Attribute that holds the id of the memory that superseded this one.
    pub const ATTRIBUTE_SUPERSEDED_BY: &str = "helix.superseded-by";
}

/// Attribute that says why a memory is withheld: in other words it says what was forgotten.
pub const ATTRIBUTE_WITHHELD: &str = "helix.withheld";

/// Attribute of a memory that left the review without anybody's trust.
pub const ATTRIBUTE_UNTRUSTED: &str = "helix.untrusted";

/// A change of one memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Adds lines; when the fact became true stays.
    Append {
        /// The lines.
        text: String,
    },
    /// Replaces the text wholly and notes when.
    Revise {
        /// The new text.
        text: String,
        /// Its source as the author saw it now; `None` leaves what is recorded.
        seen: Option<Box<Sourced>>,
    },
    /// Adds tags, then removes tags.
    Tag {
        /// As a caller wrote them.
        add: Vec<String>,
        /// As a caller wrote them.
        remove: Vec<String>,
    },
    /// Puts it into another topic.
    Move {
        /// Which.
        topic: Redacted<Topic>,
    },
    /// Replaces fields that are not text.
    Set(Box<Fields>),
    /// Marks it as forgotten.
    Forget,
    /// Makes it active again.
    Restore,
    /// Marks it as replaced by a newer memory.
    Supersede {
        /// Which.
        by: MemoryId,
    },
    /// Takes over what a duplicate had beside its text.
    Absorb(Box<Absorbed>),
    /// Takes it out of what is shown by default, because it faded.
    Archive,
    /// Takes an archived one out of the indexes.
    Prune,
    /// Trusts what came from outside, in the name of whoever approves it.
    Approve {
        /// Who does.
        by: Origin,
    },
    /// Refuses what came from outside: as if it were forgotten.
    Reject,
    /// Takes it out of use until a person decides, because it says what was forgotten.
    Withhold {
        /// Why, in words for people.
        because: String,
    },
    /// Puts it back to an earlier version, apart from its number, id and accesses.
    Revert {
        /// That version.
        to: Box<Memory>,
    },
    /// Puts its times right.
    Repair {
        /// When the fact became true.
        valid_from: Timestamp,
        /// When it was recorded.
        recorded_at: Timestamp,
    },
}

/// Where a memory comes from, with what is known of that place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sourced {
    /// The place.
    pub reference: SourceRef,
    /// The hash of its line, as [`Memory::ATTRIBUTE_LINE`] holds it.
    pub line: Option<String>,
    /// Whose it is, as [`Memory::ATTRIBUTE_SOURCE_PROJECT`] holds it: kept where the memory is a global
    /// one.
    pub project: Option<String>,
}

impl Sourced {
    /// What a memory holds of its source.
    #[must_use]
    pub fn of(memory: &Memory) -> Option<Self> {
        let attribute = |key| memory.attributes.get(key).cloned();
        Some(Self {
            reference: memory.source.clone()?,
            line: attribute(Memory::ATTRIBUTE_LINE),
            project: attribute(Memory::ATTRIBUTE_SOURCE_PROJECT),
        })
    }

    /// Puts a source, or none, in the place of the one that a memory has.
    fn put(source: Option<&Self>, memory: &mut Memory) {
        let project = source
            .and_then(|source| source.project.clone())
            .filter(|_| memory.scope == Scope::Global);
        let line = source.and_then(|source| source.line.clone());
        memory.source = source.map(|source| source.reference.clone());
        for (key, value) in [
            (Memory::ATTRIBUTE_LINE, line),
            (Memory::ATTRIBUTE_SOURCE_PROJECT, project),
        ] {
            memory.attributes.remove(key);
            memory
                .attributes
                .extend(value.map(|value| (key.to_owned(), value)));
        }
    }
}

/// Fields to replace; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    /// Registered.
    pub kind: Option<Kind>,
    /// `Some(None)` takes the source away.
    pub source: Option<Option<Sourced>>,
    /// 0 to 1.
    pub importance: Option<f32>,
    /// 0 to 1.
    pub confidence: Option<f32>,
    /// Exempt from decay.
    pub pinned: Option<bool>,
    /// All links.
    pub links: Option<Vec<MemoryId>>,
    /// Where it came from, as a person vouches for it.
    pub origin: Option<Origin>,
    /// One line for lists; empty takes it away.
    pub summary: Option<String>,
    /// When the fact became true.
    pub valid_from: Option<Timestamp>,
    /// When it stopped being true; `Some(None)` says that it holds.
    pub valid_to: Option<Option<Timestamp>>,
    /// Attributes to set; the others stay.
    pub attributes: BTreeMap<String, String>,
}

/// What a duplicate leaves to the memory that stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Absorbed {
    /// The duplicate.
    pub id: MemoryId,
    /// Its kind, which the memory that stays takes over when its own says nothing.
    pub kind: Kind,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its links.
    pub links: Vec<MemoryId>,
    /// Its source, which the memory that stays takes over when it has none.
    pub source: Option<Sourced>,
    /// Its importance.
    pub importance: f32,
    /// Its confidence.
    pub confidence: f32,
    /// Whether it is exempt from decay.
    pub pinned: bool,
    /// Its accesses.
    pub access_count: u64,
    /// The accesses of the memory that stays, where more are known than the store has.
    pub known_count: u64,
}

impl Redact for Edit {
    fn redact(&mut self, secrets: &mut Secrets) {
        match self {
            Self::Append { text } => secrets.written(text),
            Self::Revise { text, seen } => {
                secrets.written(text);
                seen.redact(secrets);
            }
            // A tag that is taken away is not kept.
            Self::Tag { add, remove: _ } => add.redact(secrets),
            Self::Set(fields) => fields.redact(secrets),
            Self::Absorb(absorbed) => absorbed.redact(secrets),
            // What is put back was redacted when it was written.
            Self::Revert { to: _ }
            | Self::Approve { by: _ }
            | Self::Archive
            | Self::Prune
            | Self::Reject
            | Self::Withhold { because: _ }
            | Self::Move { topic: _ }
            | Self::Forget
            | Self::Restore
            | Self::Supersede { by: _ }
            | Self::Repair {
                valid_from: _,
                recorded_at: _,
            } => {}
        }
    }
}

impl Redact for Sourced {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            reference,
            line,
            project,
        } = self;
        reference.redact(secrets);
        line.redact(secrets);
        project.redact(secrets);
    }
}

impl Redact for Fields {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            kind: _,
            source,
            importance: _,
            confidence: _,
            pinned: _,
            links: _,
            origin: _,
            summary,
            valid_from: _,
            valid_to: _,
            attributes,
        } = self;
        source.redact(secrets);
        summary.redact(secrets);
        attributes.redact(secrets);
    }
}

impl Redact for Absorbed {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            id: _,
            kind: _,
            tags,
            links: _,
            source,
            importance: _,
            confidence: _,
            pinned: _,
            access_count: _,
            known_count: _,
        } = self;
        tags.redact(secrets);
        source.redact(secrets);
    }
}

/// Why an edit is refused.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// A limit or a range, as for a new memory.
    #[error(transparent)]
    Admit(#[from] AdmitError),
    /// The text would be empty.
    #[error("no text is given; a memory cannot be emptied, delete it instead")]
    NoText,
    /// Out of use.
    #[error("{handle} is {}; restore it first", status.name())]
    OutOfUse {
        /// Which memory.
        handle: String,
        /// Where it is in its life.
        status: Status,
    },
    /// Not yet trusted.
    #[error("{0} came from outside and is quarantined; restoring does not make it trusted")]
    Quarantined(String),
    /// A circle of one.
    #[error("{0} cannot supersede itself; name the memory that replaces it")]
    Itself(String),
}

impl EditError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Admit(error) => error.kind(),
            Self::NoText | Self::Itself(_) => ErrorKind::Invalid,
            Self::OutOfUse { .. } => ErrorKind::Conflict,
            Self::Quarantined(_) => ErrorKind::Denied,
        }
    }
}

impl Edit {
    /// Does an edit to a memory. Returns whether anything is different; after an error the memory is to
    /// be thrown away.
    ///
    /// # Errors
    /// `EditError` says what stands against it and what to do.
    pub fn apply(&self, memory: &mut Memory, at: Timestamp) -> Result<bool, EditError> {
        let before = memory.clone();
        match self {
            Edit::Append { text } => text::append(in_use(memory)?, text, at)?,
            Edit::Revise { text, seen } => {
                text::revise(in_use(memory)?, text, seen.as_deref(), at)?;
            }
            Edit::Tag { add, remove } => tag(in_use(memory)?, add, remove)?,
            // What was forgotten follows its topic, so that it comes back to the others.
            Edit::Move { topic } => memory.topic.clone_from(&**topic),
            Edit::Set(fields) => set(in_use(memory)?, fields)?,
            Edit::Forget | Edit::Reject => {
                if memory.status == Status::Quarantined {
                    mark_untrusted(memory);
                }
                memory.status = Status::Forgotten;
                memory.valid_to = memory.valid_to.or(Some(at));
            }
            Edit::Archive => fade(memory, Status::Active, Status::Archived)?,
            Edit::Prune => fade(memory, Status::Archived, Status::Pruned)?,
            Edit::Approve { by } => approve(memory, *by, at)?,
            Edit::Withhold { because } => withhold(memory, because)?,
            Edit::Revert { to } => revert(memory, to),
            Edit::Restore => restore(memory, at)?,
            Edit::Supersede { by } => supersede(in_use(memory)?, *by, at)?,
            Edit::Absorb(absorbed) => absorb(in_use(memory)?, absorbed),
            Edit::Repair {
                valid_from,
                recorded_at,
            } => {
                memory.valid_from = *valid_from;
                memory.recorded_at = *recorded_at;
                memory.valid_to = memory.valid_to.map(|valid_to| valid_to.max(*valid_from));
            }
        }
        follow_kind(self, &before, memory);
        suspect_again(self, &before, memory);
        Ok(*memory != before)
    }
}

/// Returns whether an edit brings back what left the review without anybody's trust, and no person
/// asks for it.
#[must_use]
pub fn brings_back_untrusted(edit: &Edit, before: &Memory, actor: &Actor) -> bool {
    matches!(edit, Edit::Restore)
        && actor.origin != Origin::User
        && before.attributes.contains_key(ATTRIBUTE_UNTRUSTED)
}

/// Moves a memory on in its life, from one status alone.
fn fade(memory: &mut Memory, from: Status, to: Status) -> Result<(), EditError> {
    if memory.status != from && memory.status != to {
        return Err(EditError::OutOfUse {
            handle: memory.handle.as_str().to_owned(),
            status: memory.status,
        });
    }
    memory.status = to;
    Ok(())
}

/// Trusts what came from outside; what is trusted already stays as it is, but for its origin.
fn approve(memory: &mut Memory, by: Origin, at: Timestamp) -> Result<(), EditError> {
    match memory.status {
        Status::Quarantined | Status::Active => {}
        status @ (Status::Superseded | Status::Archived | Status::Forgotten | Status::Pruned) => {
            return Err(EditError::OutOfUse {
                handle: memory.handle.as_str().to_owned(),
                status,
            });
        }
    }
    memory.status = Status::Active;
    memory.origin = memory.origin.confirmed_by(by);
    memory.suspicions.clear();
    memory.attributes.remove(ATTRIBUTE_WITHHELD);
    memory.last_seen_at = memory.last_seen_at.max(at);
    Ok(())
}

/// Remembers that nobody vouched for it, for when it is brought back.
fn mark_untrusted(memory: &mut Memory) {
    let attribute = (ATTRIBUTE_UNTRUSTED.to_owned(), "true".to_owned());
    memory.attributes.extend([attribute]);
}

/// Has a memory that nobody vouched for wait for a person's word.
fn withhold(memory: &mut Memory, because: &str) -> Result<(), EditError> {
    match memory.status {
        Status::Active | Status::Quarantined => {}
        status @ (Status::Superseded | Status::Archived | Status::Forgotten | Status::Pruned) => {
            return Err(EditError::OutOfUse {
                handle: memory.handle.as_str().to_owned(),
                status,
            });
        }
    }
    memory.status = Status::Quarantined;
    let attribute = (ATTRIBUTE_WITHHELD.to_owned(), because.to_owned());
    memory.attributes.extend([attribute]);
    Ok(())
}

/// Puts a memory back to an earlier version.
fn revert(memory: &mut Memory, to: &Memory) {
    let now = std::mem::replace(memory, to.clone());
    memory.number = now.number;
    memory.id = now.id;
    memory.access_count = now.access_count;
    memory.last_seen_at = now.last_seen_at;
    memory.sequence = now.sequence;
}

/// A kind that nobody chose goes on following tags and text.
fn follow_kind(edit: &Edit, before: &Memory, memory: &mut Memory) {
    let says_kind = matches!(
        edit,
        Edit::Revise { .. } | Edit::Tag { .. } | Edit::Absorb(_)
    );
    if !says_kind || suggested_kind(before).is_none_or(|kind| kind != before.kind) {
        return;
    }
    if let Some(kind) = suggested_kind(memory) {
        memory.kind = kind;
    }
    if let Edit::Absorb(absorbed) = edit
        && memory.kind.as_str() == Kind::DEFAULT
    {
        memory.kind.clone_from(&absorbed.kind);
    }
}

/// The kind that a memory's tags and text suggest.
fn suggested_kind(memory: &Memory) -> Option<Kind> {
    Kind::suggest(&memory.tags, &memory.text, &Kinds::default()).ok()
}

fn in_use(memory: &mut Memory) -> Result<&mut Memory, EditError> {
    match memory.status {
        Status::Active | Status::Superseded | Status::Archived | Status::Quarantined => Ok(memory),
        status @ (Status::Forgotten | Status::Pruned) => Err(EditError::OutOfUse {
            handle: memory.handle.as_str().to_owned(),
            status,
        }),
    }
}

fn tag(memory: &mut Memory, add: &[String], remove: &[String]) -> Result<(), EditError> {
    let before = memory.tags.len();
    let added = add
        .iter()
        .flat_map(|tag| tag.split(','))
        .filter_map(Tags::normalise_one);
    memory.tags.extend(added);
    let removed = remove
        .iter()
        .flat_map(|tag| tag.split(','))
        .filter_map(Tags::normalise_one);
    let removed: Vec<String> = removed
        .flat_map(|tag| Tags::former_spellings(&tag).into_iter().chain([tag]))
        .collect();
    memory.tags.retain(|tag| !removed.contains(tag));
    memory.tags.sort_unstable();
    memory.tags.dedup();
    if let Some(long) = memory.tags.iter().find(|tag| tag.len() > TAG_MAX_BYTES) {
        return Err(limit("tag", long.len(), "bytes", TAG_MAX_BYTES, "shorten it").into());
    }
    // One that the text's prefix added to a full list does not stand in the way of other changes.
    if memory.tags.len() > TAGS_MAX.max(before) {
        return Err(limit(
            "tags",
            memory.tags.len(),
            "entries",
            TAGS_MAX,
            "remove those you would not search for",
        )
        .into());
    }
    Ok(())
}

fn set(memory: &mut Memory, fields: &Fields) -> Result<(), EditError> {
    if let Some(kind) = &fields.kind {
        memory.kind = kind.clone();
    }
    if let Some(source) = &fields.source {
        let length = source
            .as_ref()
            .map_or(0, |source| source.reference.path.len());
        if length > FIELD_MAX_BYTES {
            return Err(limit("source", length, "bytes", FIELD_MAX_BYTES, "shorten it").into());
        }
        Sourced::put(source.as_ref(), memory);
    }
    if let Some(importance) = fields.importance {
        memory.importance = unit_interval("importance", importance)?;
    }
    if let Some(confidence) = fields.confidence {
        memory.confidence = unit_interval("confidence", confidence)?;
    }
    memory.pinned = fields.pinned.unwrap_or(memory.pinned);
    memory.origin = fields.origin.unwrap_or(memory.origin);
    if let Some(summary) = &fields.summary {
        memory.summary = checked_summary(summary)?;
    }
    memory.valid_from = fields.valid_from.unwrap_or(memory.valid_from);
    memory.valid_to = fields.valid_to.unwrap_or(memory.valid_to);
    if let Some(links) = &fields.links {
        let links = unique(links);
        if links.len() > Admitted::LINKS_MAX {
            return Err(limit(
                "links",
                links.len(),
                "entries",
                Admitted::LINKS_MAX,
                "keep the most telling ones",
            )
            .into());
        }
        memory.links = links;
    }
    memory.attributes.extend(fields.attributes.clone());
    Ok(())
}

fn restore(memory: &mut Memory, at: Timestamp) -> Result<(), EditError> {
    match memory.status {
        Status::Active => return Ok(()),
        Status::Quarantined => {
            return Err(EditError::Quarantined(memory.handle.as_str().to_owned()));
        }
        Status::Superseded | Status::Archived | Status::Forgotten | Status::Pruned => {}
    }
    memory.status = Status::Active;
    memory.valid_to = None;
    memory.last_seen_at = memory.last_seen_at.max(at);
    memory.attributes.remove(Memory::ATTRIBUTE_SUPERSEDED_BY);
    memory.attributes.remove(ATTRIBUTE_UNTRUSTED);
    Ok(())
}

fn supersede(memory: &mut Memory, by: MemoryId, at: Timestamp) -> Result<(), EditError> {
    if memory.id == by {
        return Err(EditError::Itself(memory.handle.as_str().to_owned()));
    }
    if memory.status == Status::Superseded {
        return Ok(());
    }
    memory.status = Status::Superseded;
    memory.valid_to = memory.valid_to.or(Some(at));
    memory
        .attributes
        .insert(Memory::ATTRIBUTE_SUPERSEDED_BY.to_owned(), by.to_string());
    Ok(())
}

/// What does not fit into the limits is left with the duplicate, which stays readable.
fn absorb(memory: &mut Memory, absorbed: &Absorbed) {
    let new_tags: Vec<&String> = absorbed
        .tags
        .iter()
        .filter(|tag| !memory.tags.contains(tag))
        .collect();
    let free = TAGS_MAX.saturating_sub(memory.tags.len());
    let new_tags: Vec<String> = new_tags.into_iter().take(free).cloned().collect();
    memory.tags.extend(new_tags);
    memory.tags.sort_unstable();
    let links: Vec<MemoryId> = memory
        .links
        .iter()
        .chain(&absorbed.links)
        .copied()
        .collect();
    memory.links = unique(&links)
        .into_iter()
        .filter(|id| *id != memory.id && *id != absorbed.id)
        .collect();
    memory.links.truncate(Admitted::LINKS_MAX);
    if memory.source.is_none() {
        Sourced::put(absorbed.source.as_ref(), memory);
    }
    memory.importance = memory.importance.max(absorbed.importance);
    memory.confidence = memory.confidence.max(absorbed.confidence);
    memory.pinned |= absorbed.pinned;
    memory.access_count = memory
        .access_count
        .max(absorbed.known_count)
        .saturating_add(absorbed.access_count);
}

fn unique(links: &[MemoryId]) -> Vec<MemoryId> {
    let mut kept = Vec::with_capacity(links.len());
    for link in links {
        if !kept.contains(link) {
            kept.push(*link);
        }
    }
    kept
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
