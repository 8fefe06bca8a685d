//! Lines like `[tags: a, b]` in a text that an edit brings: they are taken for what they say, as
//! when it is stored.

use helix_exchange::OwnLines;

use crate::own_lines::{stayed_notes, taken_note};

/// Stands where the text begins that lines are added to.
const BEFORE: &str = "-\n";

/// A text without the lines, and what they say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Stated {
    /// The text that is left, which may be nothing.
    pub(super) text: String,
    pub(super) tags: Vec<String>,
    pub(super) source: Option<String>,
    pub(super) confidence: Option<f32>,
    pub(super) links: Vec<String>,
    /// Notes for the author.
    pub(super) notes: Vec<String>,
}

impl Stated {
    /// Reads a text that stands alone.
    pub(super) fn alone(text: &str) -> Self {
        let own = OwnLines::of(text, &[]);
        own.map_or_else(|| Self::only(text), |own| Self::of(&own))
    }

    /// Reads a text that is added to another, and may be nothing but such lines.
    pub(super) fn added(text: &str) -> Self {
        if let Some(own) = OwnLines::of(text, &[]) {
            return Self::of(&own);
        }
        let below = format!("{BEFORE}{text}");
        // Where lines are taken off its end alone, what is left may be what stands before it.
        let of_lines = |own: &OwnLines<'_>| BEFORE.starts_with(own.text);
        OwnLines::of(&below, &[]).filter(of_lines).map_or_else(
            || Self::only(text),
            |own| Self {
                text: String::new(),
                ..Self::of(&own)
            },
        )
    }

    fn only(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            notes: stayed_notes(text).collect(),
            ..Self::default()
        }
    }

    fn of(own: &OwnLines<'_>) -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            text: own.text.to_owned(),
            tags: owned(&own.tags),
            source: own.source.map(str::to_owned),
            confidence: own.confidence,
            links: owned(&own.links),
            notes: [taken_note(&own.names())]
                .into_iter()
                .chain(stayed_notes(own.text))
                .collect(),
        }
    }

    /// Returns whether there is anything to change but links.
    pub(super) fn has_more_than_links(&self) -> bool {
        !self.text.trim().is_empty()
            || !self.tags.is_empty()
            || self.source.is_some()
            || self.confidence.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_for_what_they_say() {
        for stated in [Stated::alone, Stated::added]
            .map(|read| read("[tags: gotcha, q]\n[confidence: 0.3]\nUse arm64."))
        {
            assert_eq!(
                (stated.text.as_str(), stated.confidence),
                ("Use arm64.", Some(0.3))
            );
            assert_eq!(stated.tags, ["gotcha", "q"]);
            assert_eq!(
                stated.notes,
                ["tags, confidence came from lines of the text, which are no longer in it"]
            );
        }
        for text in [
            "Use arm64.",
            "[WIP] Use arm64.",
            "[note: x]\nUse arm64.",
            "",
        ] {
            let plain = Stated {
                text: text.to_owned(),
                ..Stated::default()
            };
            assert_eq!(
                [Stated::alone(text), Stated::added(text)],
                [plain, Stated::only(text)],
                "{text}"
            );
        }
    }

    #[test]
    fn added_lines_may_be_nothing_else() {
        let stated = Stated::added("[tags: gotcha]\n[links: a:1]\n");
        assert_eq!(
            (stated.text.as_str(), stated.tags.len(), stated.links.len()),
            ("", 1, 1)
        );
        assert!(
            stated.has_more_than_links() && !Stated::added("[links: a:1]").has_more_than_links()
        );
        // A whole text has to have one.
        let alone = Stated::alone("[tags: gotcha]");
        assert_eq!(
            (alone.text.as_str(), alone.tags.len(), alone.notes.len()),
            ("[tags: gotcha]", 0, 1)
        );
    }

    #[test]
    fn lines_inside_of_a_text_are_noted() {
        let stated = Stated::added("Tags are written so:\n[tags: a]\nas the manual says.");
        assert!(stated.text.contains("[tags: a]") && stated.tags.is_empty());
        assert_eq!(stated.notes.len(), 1, "{stated:?}");
    }
}
