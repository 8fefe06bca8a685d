//! A memory on its way from one strand to another.

use std::collections::{BTreeMap, HashSet};

use helix_memory::{
    Draft, LineHash, Memory, MemoryId, Origin, Provenance, Scope, SourceRef, Status, Timestamp,
};
use helix_redact::{Redact, Secrets};

/// Attribute names that only the daemon may set; a draft that carries one is refused.
const ATTRIBUTE_STAMPED: &str = "helix.";

/// A memory as it travels: what a format cannot carry, or its author did not say, is `None` or
/// empty.
///
/// Nothing in it is trusted: topic, kind and tags are as written, and numbers may lie outside of
/// their range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Portable {
    /// Its id where it comes from; `None` for a memory that has never been in a strand.
    pub id: Option<MemoryId>,
    /// Its handle where it comes from.
    pub handle: Option<String>,
    /// Topic name, not yet sanitised.
    pub topic: String,
    /// The statement.
    pub text: String,
    /// Kind's name.
    pub kind: Option<String>,
    /// Tags as written.
    pub tags: Vec<String>,
    /// Who it applies to.
    pub scope: Option<Scope>,
    /// The file that it is about.
    pub source: Option<SourceRef>,
    /// Handles or `topic:index`; in a flat list also the [index](Self::index) of another memory.
    pub links: Vec<String>,
    /// Its index in a flat list, which names no topics that its memories could be counted in;
    /// `None` elsewhere.
    pub index: Option<usize>,
    /// 0 to 1.
    pub importance: Option<f32>,
    /// 0 to 1.
    pub confidence: Option<f32>,
    /// Never decays.
    pub pinned: bool,
    /// Where it came from before it was exported; what is imported gets the origin `import`
    /// whatever this says.
    pub origin: Option<Origin>,
    /// Its producers, oldest first.
    pub provenance: Vec<Provenance>,
    /// Kind-specific fields.
    pub attributes: BTreeMap<String, String>,
    /// When the fact became true.
    pub valid_from: Option<Timestamp>,
    /// When it stopped being true.
    pub valid_to: Option<Timestamp>,
    /// When it was learned.
    pub recorded_at: Option<Timestamp>,
    /// When it was last stored again, recalled or confirmed.
    pub last_seen_at: Option<Timestamp>,
    /// How often it was recalled or confirmed.
    pub access_count: u64,
    /// Where it is in its life.
    pub status: Option<Status>,
    /// One line for lists; empty for none.
    pub summary: String,
}

impl Portable {
    /// Takes a memory out of its strand. `link` names the memory that an id means, as a handle or
    /// `topic:index`; links that it cannot name are left out.
    pub fn from_memory(memory: &Memory, link: impl Fn(MemoryId) -> Option<String>) -> Self {
        Self {
            id: Some(memory.id),
            handle: Some(memory.handle.as_str().to_owned()),
            topic: memory.topic.as_str().to_owned(),
            text: memory.text.clone(),
            kind: Some(memory.kind.as_str().to_owned()),
            tags: memory.tags.clone(),
            scope: Some(memory.scope.clone()),
            source: memory.source.clone(),
            links: named_once(memory.links.iter().filter_map(|id| link(*id))),
            index: None,
            importance: Some(memory.importance),
            confidence: Some(memory.confidence),
            pinned: memory.pinned,
            origin: Some(memory.origin),
            provenance: memory.provenance.clone(),
            attributes: memory.attributes.clone(),
            valid_from: Some(memory.valid_from),
            valid_to: memory.valid_to,
            recorded_at: Some(memory.recorded_at),
            last_seen_at: Some(memory.last_seen_at),
            access_count: memory.access_count,
            status: Some(memory.status),
            summary: memory.summary.clone(),
        }
    }

    /// Returns the draft that storing it anew starts from. A draft has no room for id, handle,
    /// origin, provenance, status and the times other than `valid_from`, which is the time of
    /// recording unless known: who imports keeps those.
    #[must_use]
    pub fn draft(&self) -> Draft {
        self.clone().take_draft()
    }

    /// Does so by taking what the draft holds, topic, handle and links apart, which the importer
    /// still needs.
    pub fn take_draft(&mut self) -> Draft {
        let modified = Memory::modified(&self.attributes).map(|(key, _)| key.to_owned());
        let is_stamped =
            |key: &str| key.starts_with(ATTRIBUTE_STAMPED) || modified.as_deref() == Some(key);
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.retain(|key, _| !is_stamped(key));
        Draft {
            summary: std::mem::take(&mut self.summary),
            topic: self.topic.clone(),
            text: std::mem::take(&mut self.text),
            kind: self.kind.take(),
            tags: std::mem::take(&mut self.tags),
            // A session of another strand means nothing here.
            scope: self
                .scope
                .take()
                .filter(|scope| !matches!(scope, Scope::Session(_))),
            source: self.source.take(),
            links: self.links.clone(),
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            attributes,
            valid_from: self.valid_from.or(self.recorded_at),
        }
    }
}

impl Portable {
    /// When its author last looked at what it is about: when it was learned, or its text revised.
    /// `None` when nobody says.
    #[must_use]
    pub fn written_at(&self) -> Option<Timestamp> {
        self.recorded_at
            .or(self.valid_from)
            .max(Memory::revised_at(&self.attributes))
    }

    /// Helix's own attributes that say something about text and source, under their names of today;
    /// the others are the business of the strand that it comes from.
    #[must_use]
    pub fn stamped(&self) -> BTreeMap<String, String> {
        let of_source = |key: &'static str, holds: fn(&str) -> bool| {
            let written = self
                .attributes
                .get(key)
                .filter(|written| self.source.is_some() && holds(written));
            written.map(|written| (key, written.as_str()))
        };
        let line = of_source(Memory::ATTRIBUTE_LINE, |written| {
            LineHash::parse(written).is_some()
        });
        let project = of_source(Memory::ATTRIBUTE_SOURCE_PROJECT, |written| {
            Scope::parse(written).is_ok()
        });
        let modified = Memory::modified(&self.attributes)
            .map(|(_, written)| (Memory::ATTRIBUTE_MODIFIED, written));
        let kept = [line, project, modified].into_iter().flatten();
        kept.map(|(key, written)| (key.to_owned(), written.to_owned()))
            .collect()
    }
}

impl Redact for Portable {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            id: _,
            handle,
            topic,
            text,
            kind,
            tags,
            scope,
            source,
            links,
            index: _,
            importance: _,
            confidence: _,
            pinned: _,
            origin: _,
            provenance,
            attributes,
            valid_from: _,
            valid_to: _,
            recorded_at: _,
            last_seen_at: _,
            access_count: _,
            status: _,
            summary,
        } = self;
        summary.redact(secrets);
        secrets.all_written([topic, text]);
        handle.redact(secrets);
        kind.redact(secrets);
        tags.redact(secrets);
        scope.redact(secrets);
        source.redact(secrets);
        links.redact(secrets);
        provenance.redact(secrets);
        attributes.redact(secrets);
    }
}

/// Names once each, in their order: two memories that became one are linked to by one name.
pub fn named_once(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = HashSet::new();
    names.filter(|name| known.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::samples;

    #[test]
    fn a_memory_travels_whole() {
        let memory = samples::memory();
        let portable = Portable::from_memory(&memory, |id| {
            (id == memory.links[0]).then(|| "other/one".to_owned())
        });
        assert_eq!(portable.links, ["other/one"], "the second link has no name");
        assert_eq!(
            (portable.id, portable.status),
            (Some(memory.id), Some(memory.status))
        );
        assert_eq!(portable.recorded_at, Some(memory.recorded_at));
        let draft = portable.draft();
        assert_eq!(
            (draft.topic.as_str(), draft.text.as_str()),
            (memory.topic.as_str(), memory.text.as_str())
        );
        assert_eq!(draft.valid_from, Some(memory.valid_from));
        assert!(
            draft.attributes.keys().all(|key| key == "file"),
            "stamped attributes stay behind"
        );
    }

    #[test]
    fn what_is_stamped_about_text_and_source_travels_and_older_names_are_understood() {
        let with = |attributes: &[(&str, &str)]| Portable {
            attributes: attributes
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            source: Some(SourceRef::parse("a.rs:3")),
            ..Portable::default()
        };
        let line = LineHash::of(b"x").unwrap().to_string();
        let all = [
            ("helix.line", line.as_str()),
            ("helix.modified", "2026-02-15"),
            ("helix.source-project", "project:p"),
        ];
        assert_eq!(with(&all).stamped(), with(&all).attributes);
        let sourceless = Portable {
            source: None,
            ..with(&all)
        };
        assert_eq!(
            sourceless.stamped().into_keys().collect::<Vec<_>>(),
            ["helix.modified"]
        );
        assert!(
            with(&[("helix.line", "no hash"), ("helix.stamp", "1")])
                .stamped()
                .is_empty()
        );
        let older = with(&[("modified", "2026-02-15 10:30")]);
        assert_eq!(
            older.stamped(),
            with(&[("helix.modified", "2026-02-15 10:30")]).attributes
        );
        assert!(older.draft().attributes.is_empty());
        let foreign = with(&[("modified", "by hand")]);
        assert!(
            foreign.stamped().is_empty() && foreign.draft().attributes.contains_key("modified")
        );
    }

    #[test]
    fn it_was_written_when_it_was_learned_or_revised() {
        let at = |text: &str| {
            let stamp: jiff::Timestamp = text.parse().unwrap();
            Timestamp::from_micros(stamp.as_microsecond())
        };
        let learned = Portable {
            recorded_at: Some(at("2026-02-01T00:00:00Z")),
            ..Portable::default()
        };
        assert_eq!(Portable::default().written_at(), None);
        assert_eq!(learned.written_at(), learned.recorded_at);
        let revised = |date: &str| {
            let attributes =
                BTreeMap::from([(Memory::ATTRIBUTE_MODIFIED.to_owned(), date.to_owned())]);
            Portable {
                attributes,
                ..learned.clone()
            }
            .written_at()
        };
        assert_eq!(
            revised("2026-02-15 10:30"),
            Some(at("2026-02-15T10:30:00Z"))
        );
        assert_eq!(revised("2025-12-31"), learned.recorded_at);
        assert_eq!(revised("some day"), learned.recorded_at);
    }

    #[test]
    fn what_became_one_is_linked_to_once() {
        let names = ["a/x", "b/y", "a/x"].map(str::to_owned);
        assert_eq!(named_once(names.into_iter()), ["a/x", "b/y"]);
    }

    #[test]
    fn a_draft_takes_no_foreign_session_and_dates_from_the_recording() {
        let at = Timestamp::from_micros(7);
        let portable = Portable {
            scope: Some(Scope::Session("s".into())),
            recorded_at: Some(at),
            ..Portable::default()
        };
        let draft = portable.draft();
        assert_eq!((draft.scope, draft.valid_from), (None, Some(at)));
    }
}
