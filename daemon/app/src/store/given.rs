//! Fields that a caller gave beside the text, and those that are dropped because the text is known
//! already.

use helix_exchange::OwnLines;
use helix_memory::{Admitted, Memory, MemoryId, SourceRef, Tags};

use super::NewMemory;
use crate::located;
use crate::own_lines::{stayed_notes, taken_note};

/// The fields of a draft that were given.
#[derive(Debug)]
pub(super) struct Given {
    tags: Vec<String>,
    source: String,
    kind: bool,
    importance: Option<f32>,
    confidence: Option<f32>,
    pinned: bool,
}

impl Given {
    /// Notes them before the draft is taken apart.
    pub(super) fn of(draft: &NewMemory) -> Self {
        Self {
            tags: draft.tags.clone(),
            source: draft.source.clone(),
            kind: !draft.kind.trim().is_empty(),
            importance: draft.importance,
            confidence: draft.confidence,
            pinned: draft.pinned,
        }
    }

    /// Says that only the first of several lines is kept.
    pub(super) fn range_note(&self) -> Option<String> {
        located::range_note(&self.source)
    }

    /// Lists the fields that were given and differ in the memory that says the same, and how to
    /// change them.
    pub(super) fn untaken(
        &self,
        known: &Memory,
        admitted: &Admitted,
        links: &[MemoryId],
    ) -> Option<String> {
        let new_tags: Vec<String> = self
            .tags
            .iter()
            .flat_map(|tag| tag.split(','))
            .filter_map(Tags::normalise_one)
            .filter(|tag| !known.tags.contains(tag))
            .collect();
        let place =
            |source: Option<&SourceRef>| source.map(|source| (source.path.clone(), source.line));
        let differs = |given: Option<f32>, is: f32| {
            given.is_some_and(|given| (given - is).abs() > f32::EPSILON)
        };
        let fields = [
            (
                "source",
                !self.source.trim().is_empty()
                    && place(admitted.source.as_ref()) != place(known.source.as_ref()),
            ),
            ("kind", self.kind && admitted.kind != known.kind),
            ("importance", differs(self.importance, known.importance)),
            ("confidence", differs(self.confidence, known.confidence)),
            ("pinned", self.pinned && !known.pinned),
            (
                "links",
                links.iter().any(|link| !known.links.contains(link)),
            ),
        ];
        let fields: Vec<&str> = fields
            .into_iter()
            .filter(|(_, is_untaken)| *is_untaken)
            .map(|(name, _)| name)
            .collect();
        let tags = (!new_tags.is_empty()).then(|| {
            format!(
                "the tags {} were not taken (`tag` adds them)",
                new_tags.join(", ")
            )
        });
        let verb = if fields.len() == 1 && fields != ["links"] {
            "was"
        } else {
            "were"
        };
        let set = (!fields.is_empty()).then(|| {
            format!(
                "{} {verb} not taken (`set` changes what is known)",
                fields.join(", ")
            )
        });
        let topic =
            (admitted.topic != known.topic).then(|| format!("it stays in topic {}", known.topic));
        let told: Vec<String> = [tags, set, topic].into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Takes metadata lines out of a text, as the log's format writes them, and puts what they say
/// where it belongs. Returns what to tell the author.
pub(super) fn take_own_lines(draft: &mut NewMemory) -> Vec<String> {
    let taken = take(draft);
    taken.into_iter().chain(stayed_notes(&draft.text)).collect()
}

fn take(draft: &mut NewMemory) -> Option<String> {
    let stated = [
        ("source", !draft.source.trim().is_empty()),
        ("confidence", draft.confidence.is_some()),
    ];
    let stated: Vec<&str> = stated
        .into_iter()
        .filter(|(_, is_stated)| *is_stated)
        .map(|(name, _)| name)
        .collect();
    let own = OwnLines::of(&draft.text, &stated)?;
    let note = taken_note(&own.names());
    draft
        .tags
        .extend(own.tags.iter().map(|tag| (*tag).to_owned()));
    draft
        .links
        .extend(own.links.iter().map(|link| (*link).to_owned()));
    draft.source = own
        .source
        .map_or_else(|| std::mem::take(&mut draft.source), str::to_owned);
    draft.confidence = own.confidence.or(draft.confidence);
    draft.text = own.text.to_owned();
    Some(note)
}
