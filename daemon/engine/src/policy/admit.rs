//! Turning a draft into what will be stored, or refusing it with a reason.

use std::collections::BTreeMap;

use helix_redact::{Redact, Redacted, Secrets};

use crate::error::ErrorKind;
use crate::model::{
    Draft, Handle, InvalidTopic, Kind, Kinds, Memory, MemoryId, MemoryNumber, Scope, SourceRef,
    Timestamp, Topic, UnknownKind,
};
use crate::policy::importance::{self, Rated};
use crate::policy::resemble::WordSet;
use crate::policy::suspect::{self, Beside};
use crate::policy::tags::{TAG_MAX_BYTES, TAGS_MAX, Tags};
use helix_neutral::quoted;

/// Most attributes of one memory.
pub const ATTRIBUTES_MAX: usize = 64;

/// Longest attribute key or value, and longest source path, in bytes.
pub const FIELD_MAX_BYTES: usize = 4 * 1024;

/// Attribute names that would let a caller forge what the daemon stamps.
const ATTRIBUTE_RESERVED: &str = "helix.";

/// A draft with every decision made except those that need the store: id, handle, links. Without
/// secrets: only [`Admitted::of`] makes one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Admitted {
    /// Sanitised.
    pub topic: Redacted<Topic>,
    /// Not empty, within limits.
    pub text: String,
    /// Its hash, by which exactly equal texts are found.
    pub text_hash: u64,
    /// Registered.
    pub kind: Kind,
    /// Normalised.
    pub tags: Vec<String>,
    /// Decided.
    pub scope: Scope,
    /// As given.
    pub source: Option<SourceRef>,
    /// As given; resolved against the store later.
    pub links: Vec<String>,
    /// 0 to 1.
    pub importance: f32,
    /// 0 to 1.
    pub confidence: f32,
    /// As given.
    pub pinned: bool,
    /// Within limits.
    pub attributes: BTreeMap<String, String>,
    /// As given.
    pub valid_from: Option<Timestamp>,
    /// One line for lists; empty when none was given.
    pub summary: String,
    /// Names of what looks like orders to an agent.
    pub suspicions: Vec<String>,
    /// Warnings for the author, e.g. that the topic was renamed.
    pub warnings: Vec<String>,
}

/// Why a draft is refused.
#[derive(Debug, thiserror::Error)]
pub enum AdmitError {
    /// No text.
    #[error("the memory has no text; give `text`")]
    NoText,
    /// The topic is unusable.
    #[error(transparent)]
    Topic(#[from] InvalidTopic),
    /// The kind is unknown.
    #[error(transparent)]
    Kind(#[from] UnknownKind),
    /// A field is larger than its limit.
    #[error("{field} has {actual} {unit}, the limit is {limit}; {advice}")]
    Limit {
        /// Which field.
        field: &'static str,
        /// Its size.
        actual: usize,
        /// The unit of the count.
        unit: &'static str,
        /// The most it may have.
        limit: usize,
        /// The advice.
        advice: &'static str,
    },
    /// A number outside of 0 to 1.
    #[error("{field} is {value}, which is not between 0 and 1")]
    Range {
        /// Which field.
        field: &'static str,
        /// Its value.
        value: f32,
    },
    /// Session scope needs working memory.
    #[error("scope `session` cannot be stored durably; use `project` or `global`")]
    SessionScope,
    /// A forged attribute.
    #[error("attribute names that start with `{ATTRIBUTE_RESERVED}` are Helix's own; rename it")]
    Reserved,
}

impl AdmitError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NoText
            | Self::Topic(_)
            | Self::Kind(_)
            | Self::Range { .. }
            | Self::SessionScope
            | Self::Reserved => ErrorKind::Invalid,
            Self::Limit { .. } => ErrorKind::Exhausted,
        }
    }
}

impl Admitted {
    /// Returns the active memory that it becomes, learned at this time.
    #[must_use]
    pub fn into_memory(
        self,
        id: MemoryId,
        number: MemoryNumber,
        handle: Handle,
        at: Timestamp,
    ) -> Memory {
        let topic = self.topic.into_inner();
        Memory {
            kind: self.kind,
            tags: self.tags,
            scope: self.scope,
            source: self.source,
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            attributes: self.attributes,
            summary: self.summary,
            suspicions: self.suspicions,
            valid_from: self.valid_from.unwrap_or(at),
            ..Memory::new(id, number, handle, topic, self.text, at)
        }
    }

    /// Longest memory text, in bytes: larger things belong in files, and a memory is read whole.
    pub const TEXT_MAX_BYTES: usize = 64 * 1024;

    /// Most links of one memory.
    pub const LINKS_MAX: usize = 64;

    /// Decides what a draft becomes. `home` is the scope of memories that name none and are not about
    /// the user.
    ///
    /// # Errors
    /// `AdmitError` says which field is wrong and what to do.
    pub fn of(draft: Draft, home: &Scope, kinds: &Kinds) -> Result<Admitted, AdmitError> {
        check_sizes(&draft)?;
        let mut secrets = Secrets::default();
        // Before anything is decided, so that hashes, words and vectors are of what is kept.
        let draft = Redacted::of(draft, &mut secrets).into_inner();
        let topic = Topic::kept(&draft.topic, &mut secrets)?;
        let tags = Tags::normalise(&draft.tags, &draft.text);
        if let Some(tag) = tags.iter().find(|tag| tag.len() > TAG_MAX_BYTES) {
            return Err(limit(
                "tag",
                tag.len(),
                "bytes",
                TAG_MAX_BYTES,
                "shorten it",
            ));
        }
        let kind = kind_of(draft.kind.as_deref(), &tags, &draft.text, kinds)?;
        let scope = match draft.scope {
            Some(Scope::Session(_)) => return Err(AdmitError::SessionScope),
            Some(scope) => scope,
            None if is_about_user(&kind, kinds) => Scope::Global,
            None => Redacted::from(home.clone()).into_inner(),
        };
        let mut warnings: Vec<String> = secrets.note().into_iter().collect();
        if topic.as_str() != draft.topic.trim() {
            warnings.push(format!(
                "topic {} became {}",
                quoted(&draft.topic),
                quoted(topic.as_str())
            ));
        }
        let mut text = draft.text;
        text.truncate(text.trim_end().len());
        let source = draft.source.filter(|source| !source.path.is_empty());
        let importance = match draft.importance {
            Some(stated) => unit_interval("importance", stated)?,
            None => importance::rate(Rated {
                kind: &kind,
                text: &text,
                pinned: draft.pinned,
                has_source: source.is_some(),
            }),
        };
        let suspicions = suspicions(
            &text,
            Beside {
                topic: &draft.topic,
                summary: &draft.summary,
                tags: &draft.tags,
                source: source.as_ref().map(|source| source.path.as_str()),
                attributes: Some(&draft.attributes),
            },
        );
        Ok(Admitted {
            topic,
            kind,
            tags,
            scope,
            source,
            links: draft.links,
            importance,
            confidence: unit_interval("confidence", draft.confidence.unwrap_or(1.0))?,
            pinned: draft.pinned,
            attributes: draft.attributes,
            valid_from: draft.valid_from,
            summary: checked_summary(&draft.summary)?,
            suspicions,
            warnings,
            text_hash: WordSet::text_hash(&text),
            text,
        })
    }

    /// Returns whether what a draft says, without a scope of its own, is said of the user and so holds
    /// everywhere.
    #[must_use]
    pub fn holds_everywhere(
        kind: Option<&str>,
        tags: &[String],
        text: &str,
        kinds: &Kinds,
    ) -> bool {
        kind_of(kind, &Tags::normalise(tags, text), text, kinds)
            .is_ok_and(|kind| is_about_user(&kind, kinds))
    }
}

/// Names of what looks like orders in what a memory says, and beside it.
fn suspicions(text: &str, beside: Beside<'_>) -> Vec<String> {
    let mut names = suspect::names_of(text);
    let mut more = beside.suspicions();
    more.retain(|name| !names.contains(name));
    names.append(&mut more);
    names
}

impl Redact for Admitted {
    /// Finds what was put in after it was admitted.
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            topic: _,
            text,
            text_hash: hash,
            kind: _,
            tags,
            scope,
            source,
            links: _,
            importance: _,
            confidence: _,
            pinned: _,
            attributes,
            valid_from: _,
            summary,
            suspicions: _,
            warnings: _,
        } = self;
        let before = secrets.count();
        secrets.written(text);
        if secrets.count() > before {
            *hash = WordSet::text_hash(text);
        }
        summary.redact(secrets);
        tags.redact(secrets);
        scope.redact(secrets);
        source.redact(secrets);
        attributes.redact(secrets);
    }
}

/// The kind that is named, or the one that normalised tags and text suggest.
fn kind_of(
    named: Option<&str>,
    tags: &[String],
    text: &str,
    kinds: &Kinds,
) -> Result<Kind, UnknownKind> {
    match named.filter(|name| !name.trim().is_empty()) {
        Some(name) => kinds.resolve(name),
        None => Kind::suggest(tags, text, kinds),
    }
}

fn is_about_user(kind: &Kind, kinds: &Kinds) -> bool {
    kinds.spec(kind).is_some_and(|spec| spec.about_user)
}

fn check_sizes(draft: &Draft) -> Result<(), AdmitError> {
    if draft.text.trim().is_empty() {
        return Err(AdmitError::NoText);
    }
    if draft.text.len() > Admitted::TEXT_MAX_BYTES {
        return Err(limit(
            "text",
            draft.text.len(),
            "bytes",
            Admitted::TEXT_MAX_BYTES,
            "split it into several memories",
        ));
    }
    if draft.tags.len() > TAGS_MAX {
        return Err(limit(
            "tags",
            draft.tags.len(),
            "entries",
            TAGS_MAX,
            "keep those you would search for",
        ));
    }
    if draft.links.len() > Admitted::LINKS_MAX {
        return Err(limit(
            "links",
            draft.links.len(),
            "entries",
            Admitted::LINKS_MAX,
            "keep the most telling ones",
        ));
    }
    if draft.attributes.len() > ATTRIBUTES_MAX {
        return Err(limit(
            "attributes",
            draft.attributes.len(),
            "entries",
            ATTRIBUTES_MAX,
            "drop some",
        ));
    }
    if draft
        .attributes
        .keys()
        .any(|key| key.starts_with(ATTRIBUTE_RESERVED))
    {
        return Err(AdmitError::Reserved);
    }
    let fields = draft
        .attributes
        .iter()
        .flat_map(|(key, value)| [key.len(), value.len()]);
    let source = draft.source.iter().map(|source| source.path.len());
    let links = draft.links.iter().map(String::len);
    match fields
        .chain(source)
        .chain(links)
        .find(|len| *len > FIELD_MAX_BYTES)
    {
        Some(len) => Err(limit(
            "an attribute, link or source path",
            len,
            "bytes",
            FIELD_MAX_BYTES,
            "shorten it",
        )),
        None => Ok(()),
    }
}

/// Reads a summary: one line of at most [`Memory::SUMMARY_MAX_CHARS`] characters.
pub(super) fn checked_summary(summary: &str) -> Result<String, AdmitError> {
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    match summary.chars().count() {
        0..=Memory::SUMMARY_MAX_CHARS => Ok(summary),
        chars => Err(limit(
            "summary",
            chars,
            "characters",
            Memory::SUMMARY_MAX_CHARS,
            "say it in one line",
        )),
    }
}

pub(super) fn unit_interval(field: &'static str, value: f32) -> Result<f32, AdmitError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(AdmitError::Range { field, value })
    }
}

pub(super) fn limit(
    field: &'static str,
    actual: usize,
    unit: &'static str,
    limit: usize,
    advice: &'static str,
) -> AdmitError {
    AdmitError::Limit {
        field,
        actual,
        unit,
        limit,
        advice,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn draft(text: &str) -> Draft {
        Draft {
            topic: "Build Gotchas".into(),
            text: text.into(),
            ..Draft::default()
        }
    }

    fn check(draft: Draft) -> Result<Admitted, AdmitError> {
        Admitted::of(draft, &Scope::Project("p".into()), &Kinds::default())
    }

    #[test]
    fn defaults_come_from_the_text_and_the_caller() {
        let admitted = check(draft("gotcha: pass -arch arm64\n")).unwrap();
        assert_eq!(admitted.topic.as_str(), "build-gotchas");
        assert_eq!(admitted.kind.as_str(), "gotcha");
        assert_eq!(admitted.scope, Scope::Project("p".into()));
        assert_eq!(admitted.text, "gotcha: pass -arch arm64");
        assert_eq!(admitted.warnings.len(), 1);
    }

    #[test]
    fn nothing_that_is_admitted_has_a_secret() {
        let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6".repeat(3));
        let admitted = check(Draft {
            topic: format!("deploy {token}"),
            tags: vec!["bot".into(), token.clone()],
            scope: Some(Scope::Project(token.clone())),
            source: Some(SourceRef {
                path: format!("keys/{token}.txt"),
                ..SourceRef::default()
            }),
            attributes: [
                ("db_password".to_owned(), "hunter2".to_owned()),
                (token.clone(), token.clone()),
            ]
            .into(),
            ..draft(&format!("log in with {token}"))
        });
        let admitted = admitted.unwrap();
        assert_eq!(admitted.topic.as_str(), "deploy-redacted-github-token");
        assert!(
            admitted
                .warnings
                .iter()
                .any(|warning| warning.contains("8 secrets were taken out")),
            "{admitted:?}"
        );
        let told = format!("{admitted:?}").to_lowercase();
        assert!(
            !told.contains(&token.to_lowercase()) && !told.contains("hunter2"),
            "{told}"
        );
        assert_eq!(
            admitted.text_hash,
            WordSet::text_hash("log in with [redacted:github-token]")
        );
        let alone = check(Draft {
            topic: token.clone(),
            ..draft("x")
        })
        .unwrap();
        assert_eq!(alone.topic.as_str(), "redacted-github-token");
    }

    #[test]
    fn preferences_are_global() {
        let admitted = check(Draft {
            kind: Some("preference".into()),
            ..draft("pytest, never unittest")
        })
        .unwrap();
        assert_eq!(admitted.scope, Scope::Global);
        let admitted = check(draft("Preference: pytest, never unittest")).unwrap();
        assert_eq!(
            (admitted.kind.as_str(), admitted.scope),
            ("preference", Scope::Global)
        );
        let stated = check(Draft {
            kind: Some("fact".into()),
            ..draft("preference: pytest")
        })
        .unwrap();
        assert_eq!(
            (stated.kind.as_str(), stated.scope),
            ("fact", Scope::Project("p".into()))
        );
    }

    #[test]
    fn refusals_name_the_field() {
        let too_long = check(draft(&"x".repeat(Admitted::TEXT_MAX_BYTES + 1))).unwrap_err();
        assert_eq!(too_long.kind(), ErrorKind::Exhausted);
        assert!(too_long.to_string().contains("65536"), "{too_long}");
        assert!(matches!(check(draft(" \n")), Err(AdmitError::NoText)));
        let out_of_range = Draft {
            confidence: Some(f32::NAN),
            ..draft("x")
        };
        assert!(matches!(
            check(out_of_range),
            Err(AdmitError::Range {
                field: "confidence",
                ..
            })
        ));
    }
}
