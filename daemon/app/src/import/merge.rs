//! Decides between the two versions of a memory that a file and the strand both have.

use helix_exchange::Portable;
use helix_memory::{Edit, EditedFields as Fields, Kinds, Memory, Tags};

use super::incoming::Claim;
use crate::Refusal;

/// The way to merge it.
#[derive(Debug, PartialEq)]
pub(super) enum Merge {
    /// Nothing: it is as it should be.
    Known,
    /// It was edited in the file and not changed here.
    Revise(Vec<Edit>),
    /// It is different here, and nobody can tell which of the two is wanted.
    Conflict,
}

/// Compares the memory of the strand with the one of the file.
pub(super) fn merge(
    ours: &Memory,
    theirs: &Portable,
    claim: Claim<'_>,
    kinds: &Kinds,
) -> Result<Merge, Refusal> {
    let text_differs = ours.text.trim_end() != theirs.text.trim_end();
    let base = match claim {
        Claim::None if text_differs => return Ok(Merge::Conflict),
        // What was written later elsewhere is not to be passed over in silence; an old export of
        // ours is.
        Claim::Exported if text_differs && is_newer(theirs, ours) => return Ok(Merge::Conflict),
        Claim::None | Claim::Untouched | Claim::Exported => return Ok(Merge::Known),
        Claim::Edited(base) => base,
    };
    let wants_text = text_differs && !base.has_text(&theirs.text);
    let wants_fields = !base.has_fields(theirs);
    let fields = if wants_fields {
        field_edits(ours, theirs, kinds)?
    } else {
        Vec::new()
    };
    let text_moved = wants_text && !base.has_text(&ours.text);
    let fields_moved =
        !fields.is_empty() && !base.has_fields(&Portable::from_memory(ours, |_| None));
    if text_moved || fields_moved {
        return Ok(Merge::Conflict);
    }
    let text = wants_text.then(|| Edit::Revise {
        text: theirs.text.clone(),
        seen: None,
    });
    let edits: Vec<Edit> = text.into_iter().chain(fields).collect();
    Ok(if edits.is_empty() {
        Merge::Known
    } else {
        Merge::Revise(edits)
    })
}

fn is_newer(theirs: &Portable, ours: &Memory) -> bool {
    theirs.written_at() > Portable::from_memory(ours, |_| None).written_at()
}

/// Returns the edits that make the fields which people edit like those of the file.
fn field_edits(ours: &Memory, theirs: &Portable, kinds: &Kinds) -> Result<Vec<Edit>, Refusal> {
    let kind = theirs
        .kind
        .as_deref()
        .map(|name| kinds.resolve(name))
        .transpose()?;
    let fields = Fields {
        kind: kind.filter(|kind| *kind != ours.kind),
        importance: theirs
            .importance
            .filter(|value| value.to_bits() != ours.importance.to_bits()),
        confidence: theirs
            .confidence
            .filter(|value| value.to_bits() != ours.confidence.to_bits()),
        pinned: (theirs.pinned != ours.pinned).then_some(theirs.pinned),
        ..Fields::default()
    };
    let wanted: Vec<String> = theirs
        .tags
        .iter()
        .filter_map(|tag| Tags::normalise_one(tag))
        .collect();
    let add: Vec<String> = wanted
        .iter()
        .filter(|tag| !ours.tags.contains(tag))
        .cloned()
        .collect();
    let remove: Vec<String> = ours
        .tags
        .iter()
        .filter(|tag| !wanted.contains(tag))
        .cloned()
        .collect();
    let set = (fields != Fields::default()).then(|| Edit::Set(Box::new(fields)));
    let tag = (!add.is_empty() || !remove.is_empty()).then_some(Edit::Tag { add, remove });
    Ok(set.into_iter().chain(tag).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::path::Path;

    use helix_engine::{MemoryStorage, Outcome, Request, Strand};
    use helix_exchange::Base;
    use helix_exchange::markdown::{Reader, Writer};
    use helix_memory::{Actor, MemoryNumber, Origin, Scope, Timestamp, Topic};

    use super::super::incoming::Incoming;
    use super::*;
    use crate::exchange::Format;
    use helix_memory::Admitted;

    /// A strand with one memory.
    fn stored(text: &str) -> Memory {
        let (strand, mut writer, _) =
            Strand::open(&MemoryStorage, None::<&Path>, Kinds::default()).unwrap();
        let draft = helix_memory::Draft {
            topic: "t".into(),
            text: text.into(),
            ..Default::default()
        };
        let admitted = Admitted::of(draft, &Scope::Global, strand.kinds()).unwrap();
        let request = Request::Store {
            words: Box::new(Strand::read_words(&admitted)),
            admitted: Box::new(admitted),
            links: Vec::new(),
            stamps: None,
            force: false,
            corrects: Vec::new(),
            entropy: [1; 10],
            actor: Actor {
                origin: Origin::User,
                agent: String::new(),
                session: String::new(),
                ..Actor::default()
            },
            at: Timestamp::from_micros(1),
        };
        let outcome = writer
            .commit(vec![request])
            .unwrap()
            .pop()
            .unwrap()
            .unwrap();
        let Outcome::Stored(memory) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(memory.number, MemoryNumber(0));
        *memory
    }

    /// Exports a memory, edits the file and reads it again.
    fn edited(memory: &Memory, edit: impl Fn(String) -> String) -> Incoming {
        let mut writer = Writer::new(Vec::new(), &Topic::parse("t").unwrap(), 1).unwrap();
        writer
            .write(&Portable::from_memory(memory, |_| None))
            .unwrap();
        let file = edit(String::from_utf8(writer.finish().unwrap()).unwrap());
        let section = Reader::new(file.as_bytes(), "t")
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        Incoming::new(section.memory, section.base, Format::Markdown)
    }

    fn merged(ours: &Memory, theirs: &Incoming) -> Merge {
        merge(ours, &theirs.memory, Claim::of(theirs), &Kinds::default()).unwrap()
    }

    #[test]
    fn an_edited_file_changes_what_was_edited_and_nothing_else() {
        let ours = stored("The build needs arm64.");
        assert_eq!(merged(&ours, &edited(&ours, |file| file)), Merge::Known);
        let text = edited(&ours, |file| file.replace("arm64.", "arm64 and ranlib."));
        let revise = Edit::Revise {
            text: "The build needs arm64 and ranlib.".to_owned(),
            seen: None,
        };
        assert_eq!(merged(&ours, &text), Merge::Revise(vec![revise]));
        let fields = edited(&ours, |file| {
            file.replace(
                "\"confidence\":1.0",
                "\"confidence\":0.5,\"tags\":[\"builds\"]",
            )
        });
        let set = Edit::Set(Box::new(Fields {
            confidence: Some(0.5),
            ..Fields::default()
        }));
        let tag = Edit::Tag {
            add: vec!["build".to_owned()],
            remove: Vec::new(),
        };
        assert_eq!(merged(&ours, &fields), Merge::Revise(vec![set, tag]));
        let bad = edited(&ours, |file| file.replace("\"kind\":\"", "\"kind\":\"no-"));
        assert!(merge(&ours, &bad.memory, Claim::of(&bad), &Kinds::default()).is_err());
    }

    #[test]
    fn what_was_changed_on_both_sides_is_a_conflict() {
        let exported = stored("The build needs arm64.");
        let text = edited(&exported, |file| {
            file.replace("arm64.", "arm64 and ranlib.")
        });
        let ours = Memory {
            text: "The build needs arm64.\nAppended here.".to_owned(),
            ..exported.clone()
        };
        assert_eq!(merged(&ours, &text), Merge::Conflict);
        let fields = edited(&exported, |file| {
            file.replace("\"confidence\":1.0", "\"confidence\":0.5")
        });
        assert_eq!(
            merged(
                &Memory {
                    confidence: 0.7,
                    ..exported.clone()
                },
                &fields
            ),
            Merge::Conflict
        );
        // An old export that nobody touched, and one that says the same, change nothing.
        assert_eq!(merged(&ours, &edited(&exported, |file| file)), Merge::Known);
        assert_eq!(
            merged(
                &Memory {
                    confidence: 0.5,
                    ..exported
                },
                &fields
            ),
            Merge::Known
        );
    }

    #[test]
    fn a_file_that_says_nothing_of_its_age_replaces_nothing() {
        let ours = stored("The build needs arm64.");
        let theirs = |text: &str| {
            let memory = Portable {
                text: text.to_owned(),
                ..Portable::from_memory(&ours, |_| None)
            };
            Incoming::new(memory, Base::default(), Format::Json)
        };
        assert_eq!(
            merged(&ours, &theirs("The build needs arm64.\n")),
            Merge::Known
        );
        assert_eq!(
            merged(&ours, &theirs("The build needs x86.")),
            Merge::Conflict
        );
    }

    #[test]
    fn an_export_that_nobody_touched_is_passed_over_unless_it_is_newer() {
        let ours = stored("The build needs arm64.");
        let mut theirs = Portable {
            text: "The build needs x86.".to_owned(),
            ..Portable::from_memory(&ours, |_| None)
        };
        let merged =
            |theirs: &Portable| merge(&ours, theirs, Claim::Exported, &Kinds::default()).unwrap();
        assert_eq!(merged(&theirs), Merge::Known);
        theirs.attributes.insert(
            Memory::ATTRIBUTE_MODIFIED.to_owned(),
            "2026-11-21T22:14:00Z".to_owned(),
        );
        assert_eq!(merged(&theirs), Merge::Conflict);
    }
}
