//! Labelled slices, and how the rules do on them: for tests and benchmarks.

use serde::Deserialize;

use crate::{
    Candidate, Deed, KnownTexts, Language, Options, Place, Rules, Slice, SliceKind, Speaker,
};

/// A labelled slice with what was said and done before it.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// The set it belongs to: `fit` chose the weights and words, the others did not.
    pub half: String,
    kind: String,
    speaker: String,
    #[serde(default)]
    before: Vec<Earlier>,
    /// The text of the slice.
    pub text: String,
    deed: Option<Done>,
    /// Facts that are worth keeping; none where nothing is.
    pub facts: Vec<Fact>,
}

/// Something that was said or done before.
#[derive(Clone, Debug, Deserialize)]
struct Earlier {
    kind: Option<String>,
    speaker: String,
    text: String,
    deed: Option<Done>,
}

/// A command that was run, or files that were changed.
#[derive(Clone, Debug, Deserialize)]
struct Done {
    command: Option<String>,
    #[serde(default)]
    output: String,
    exit: Option<i32>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    change: String,
}

/// A fact that is worth keeping.
#[derive(Clone, Debug, Deserialize)]
pub struct Fact {
    kind: Vec<String>,
    all: Vec<String>,
    #[serde(default)]
    none: Vec<String>,
}

impl Fact {
    /// Whether a candidate is this fact: of an allowed kind, with all its words.
    #[must_use]
    pub fn is(&self, candidate: &Candidate) -> bool {
        self.kind.iter().any(|kind| kind == candidate.kind) && self.is_said_by(candidate)
    }

    /// Whether a candidate says this fact, of whatever kind.
    #[must_use]
    pub fn is_said_by(&self, candidate: &Candidate) -> bool {
        let text = candidate.text.to_lowercase();
        let has = |words: &String| text.contains(&words.to_lowercase());
        self.all.iter().all(has) && !self.none.iter().any(has)
    }
}

impl Case {
    /// The slice, behind those before it.
    #[must_use]
    pub fn slices(&self) -> Vec<Slice> {
        let mut slices: Vec<Slice> = self
            .before
            .iter()
            .map(|earlier| {
                let kind = earlier.kind.as_deref().unwrap_or("turn");
                slice(kind, &earlier.speaker, &earlier.text, earlier.deed.as_ref())
            })
            .collect();
        slices.push(slice(
            &self.kind,
            &self.speaker,
            &self.text,
            self.deed.as_ref(),
        ));
        slices
    }

    /// The language of its text.
    #[must_use]
    pub fn language(&self) -> Language {
        Language::of(&self.text)
    }
}

fn slice(kind: &str, speaker: &str, text: &str, done: Option<&Done>) -> Slice {
    Slice {
        kind: match kind {
            "deed" => SliceKind::Deed,
            "note" => SliceKind::Note,
            "diff" => SliceKind::Diff,
            "commit" => SliceKind::Commit,
            "log" => SliceKind::Log,
            "document" => SliceKind::Document,
            _ => SliceKind::Turn,
        },
        speaker: match speaker {
            "user" => Speaker::User,
            "tool" => Speaker::Tool,
            _ => Speaker::Assistant,
        },
        text: text.to_owned(),
        deed: done.map(deed),
        agent: "golden".to_owned(),
        session: "golden".to_owned(),
        directory: None,
        branch: None,
        at: None,
        place: Place::default(),
    }
}

fn deed(done: &Done) -> Deed {
    match &done.command {
        Some(line) => Deed::Command {
            line: line.clone(),
            directory: None,
            output: done.output.clone(),
            exit: done.exit,
            is_failed: done.exit.is_some_and(|exit| exit != 0),
        },
        None => Deed::Edit {
            files: done.files.clone(),
            change: done.change.clone(),
            is_failed: false,
        },
    }
}

/// A case, and what the rules kept of it.
#[derive(Clone, Debug)]
pub struct Played<'c> {
    /// The labelled slice.
    pub case: &'c Case,
    /// What was kept of it.
    pub kept: Vec<Candidate>,
    /// Whether the gate dropped it.
    pub is_dropped: bool,
}

/// Plays a case.
#[must_use]
pub fn play(case: &Case, options: Options) -> Played<'_> {
    let slices = case.slices();
    let last = slices.len().saturating_sub(1);
    let found = Rules::new(options).extract_from(&slices, last, &KnownTexts::default());
    Played {
        case,
        kept: found.candidates,
        is_dropped: found.dropped > 0,
    }
}

/// How many facts were kept, and how many of them are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Slices that were played.
    pub slices: usize,
    /// Those that the gate dropped.
    pub dropped: usize,
    /// Facts that were kept.
    pub kept: usize,
    /// Those of them that are worth keeping.
    pub right: usize,
    /// Facts that are worth keeping.
    pub facts: usize,
    /// Those of them that were kept.
    pub found: usize,
    /// Facts that were kept and are worth it, of whatever kind.
    pub right_of_any_kind: usize,
    /// Facts worth keeping that were kept, of whatever kind.
    pub found_of_any_kind: usize,
}

impl Tally {
    /// Counts one case.
    pub fn count(&mut self, played: &Played<'_>) {
        let facts = &played.case.facts;
        self.slices += 1;
        self.dropped += usize::from(played.is_dropped);
        self.kept += played.kept.len();
        self.right += count(&played.kept, |kept| facts.iter().any(|fact| fact.is(kept)));
        self.facts += facts.len();
        self.found += count(facts, |fact| played.kept.iter().any(|kept| fact.is(kept)));
        self.right_of_any_kind += count(&played.kept, |kept| {
            facts.iter().any(|fact| fact.is_said_by(kept))
        });
        self.found_of_any_kind += count(facts, |fact| {
            played.kept.iter().any(|kept| fact.is_said_by(kept))
        });
    }

    /// Share of the kept facts that are worth keeping.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.right, self.kept)
    }

    /// Share of the facts worth keeping that were kept.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.found, self.facts)
    }

    /// Precision where the kind does not count.
    #[must_use]
    pub fn precision_of_any_kind(&self) -> f64 {
        share(self.right_of_any_kind, self.kept)
    }

    /// Recall where the kind does not count.
    #[must_use]
    pub fn recall_of_any_kind(&self) -> f64 {
        share(self.found_of_any_kind, self.facts)
    }

    /// Share of the slices that the gate dropped.
    #[must_use]
    pub fn drop_rate(&self) -> f64 {
        share(self.dropped, self.slices)
    }
}

fn count<T>(items: &[T], is_counted: impl Fn(&T) -> bool) -> usize {
    items.iter().filter(|item| is_counted(item)).count()
}

#[expect(clippy::cast_precision_loss, reason = "some hundred slices")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SLICES: &str = include_str!("../../../tests/fixtures/capture-slices.json");

    /// Written by somebody who did not know the rules.
    const HELD: &str = include_str!("../../../tests/fixtures/capture-slices-held.json");

    /// Plays a half and prints what it gets wrong.
    fn tally(slices: &str, half: &str) -> Tally {
        let cases: Vec<Case> = serde_json::from_str(slices).unwrap();
        let mut tally = Tally::default();
        for case in cases.iter().filter(|case| case.half == half) {
            let played = play(case, Options::default());
            explain(&played);
            tally.count(&played);
        }
        tally
    }

    fn explain(played: &Played<'_>) {
        let facts = &played.case.facts;
        for kept in &played.kept {
            if !facts.iter().any(|fact| fact.is(kept)) {
                eprintln!(
                    "WRONG {}: {} {:?} [{}]",
                    played.case.id, kept.kind, kept.text, kept.reason
                );
            }
        }
        for fact in facts {
            if !played.kept.iter().any(|kept| fact.is(kept)) {
                let how = if played.is_dropped {
                    "dropped"
                } else {
                    "passed"
                };
                eprintln!(
                    "MISSED {} ({how}): {:?} {:?}",
                    played.case.id, fact.all, played.case.text
                );
            }
        }
    }

    #[test]
    fn the_fitted_half_keeps_its_figures() {
        let tally = tally(SLICES, "fit");
        eprintln!("{tally:?} {} {}", tally.precision(), tally.recall());
        assert!(tally.precision() >= 0.95, "{tally:?}");
        assert!(tally.recall() >= 0.85, "{tally:?}");
    }

    #[test]
    fn the_other_half_keeps_its_figures() {
        let tally = tally(SLICES, "check");
        eprintln!("{tally:?} {} {}", tally.precision(), tally.recall());
        assert!(tally.precision() >= 0.9, "{tally:?}");
        assert!(tally.recall() >= 0.75, "{tally:?}");
    }

    #[test]
    fn slices_of_another_writer_keep_their_figures() {
        let tally = tally(HELD, "held");
        eprintln!("{tally:?} {} {}", tally.precision(), tally.recall());
        assert!(tally.precision() >= 0.7, "{tally:?}");
        assert!(tally.recall() >= 0.5, "{tally:?}");
    }

    /// Pronouns and demonstratives; half of them stand for something that the slices name.
    const REFERENTS: &str = include_str!("../../../tests/fixtures/capture-referents.json");

    #[test]
    fn what_a_pronoun_stands_for_is_named_or_dropped() {
        for half in ["referent-fit", "referent-check"] {
            let tally = tally(REFERENTS, half);
            eprintln!("{half} {tally:?} {} {}", tally.precision(), tally.recall());
            assert!(tally.precision() >= 0.9, "{half} {tally:?}");
            assert!(tally.recall() >= 0.6, "{half} {tally:?}");
        }
    }

    #[test]
    fn half_of_the_slices_hold_nothing() {
        let cases: Vec<Case> = serde_json::from_str(SLICES).unwrap();
        let empty = count(&cases, |case| case.facts.is_empty());
        assert!(cases.len() >= 240, "{}", cases.len());
        assert!(empty * 2 >= cases.len(), "{empty} of {}", cases.len());
    }
}
