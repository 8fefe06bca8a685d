//! The deterministic extractor: statements from what was said, lessons from what was done.

use std::collections::BTreeSet;

use crate::deeds::{self, Lesson};
use crate::entities::{Class, entities};
use crate::gate::weigh;
use crate::known::{overlap, words};
use crate::language::word_count;
use crate::note;
use crate::statement::{Setting, Statement, statements};
use crate::{Candidate, Deed, Evidence, Extractor, Gate, Novelty, Slice, SliceKind, Speaker};

/// Slices before one in which the names are looked for that its pronouns stand for.
const CONTEXT_SLICES: usize = 3;

/// Share of words from which two facts are one.
const SAME_FROM: f64 = 0.55;

/// Novelty below which a fact is known already.
const NOVELTY_MIN: f64 = 0.25;

/// Facts beyond the limit of a session that are counted: more are no longer looked at.
const LEFT_OUT_MAX: usize = 100;

/// Words of a correction that may need what it is against.
const SHORT_WORDS: usize = 8;

/// Confidence in what an assistant says, at most: it is not always right about causes.
const ASSISTANT_CONFIDENCE_MAX: f64 = 0.8;

/// What may be set of [`Rules`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Score from which the gate keeps a slice, 0 to 1.
    pub cutoff: f64,
    /// Facts of one session at most, before `turns_per_extra` is counted. A caller that reads a
    /// session in steps passes those that are left.
    pub at_most: usize,
    /// Turns after which a long session may have one fact more; 0 allows none.
    pub turns_per_extra: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cutoff: Gate::default_cutoff(),
            at_most: 5,
            turns_per_extra: 40,
        }
    }
}

/// Facts of some slices, and how many slices were dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// Best first, each once.
    pub candidates: Vec<Candidate>,
    /// Facts that were found beyond the limit of a session, and are not among the candidates.
    pub left_out: usize,
    /// Slices that were judged.
    pub slices: usize,
    /// Those of them that the gate dropped.
    pub dropped: usize,
}

/// Finds facts by rules, without a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rules {
    options: Options,
}

impl Rules {
    /// Takes its options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Extracts facts that end in `slices[from..]` and counts the dropped slices among these.
    /// Those before `from` were read in an earlier step and only explain later ones.
    #[must_use]
    pub fn extract_from(&self, slices: &[Slice], from: usize, known: &dyn Novelty) -> Extraction {
        let gate = Gate::new(self.options.cutoff);
        let mut found = Vec::new();
        let mut dropped = 0;
        for (at, slice) in slices.iter().enumerate().skip(from) {
            let weighed = weigh(slice);
            if !gate.judge_weighed(&weighed, &slice.text, known).is_kept {
                dropped += 1;
                continue;
            }
            if slice.deed.is_some() {
                continue;
            }
            let before = mentioned_before(slices, at);
            let setting = Setting {
                kind: slice.kind,
                speaker: slice.speaker,
                before: &before,
                cutoff: self.options.cutoff,
            };
            for mut statement in statements(&weighed, &setting) {
                contrast(&mut statement, slice, slices.get(..at).unwrap_or_default());
                found.push(stated(statement, slice));
            }
        }
        for lesson in deeds::lessons(slices) {
            if lesson.evidence.last().is_some_and(|last| *last >= from) {
                found.push(learnt(lesson, slices));
            }
        }
        let turns = slices
            .iter()
            .skip(from)
            .filter(|slice| slice.kind == SliceKind::Turn);
        let (candidates, left_out) = self.best(found, turns.count(), known);
        Extraction {
            candidates,
            left_out,
            slices: slices.len().saturating_sub(from),
            dropped,
        }
    }

    /// The best facts, each once, without those that are known; and how many more there are.
    fn best(
        &self,
        mut found: Vec<Candidate>,
        turns: usize,
        known: &dyn Novelty,
    ) -> (Vec<Candidate>, usize) {
        found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        let extra = turns
            .checked_div(self.options.turns_per_extra)
            .unwrap_or_default();
        let at_most = self.options.at_most + extra;
        let mut told: Vec<Told> = Vec::new();
        for candidate in found {
            if told.len() == at_most + LEFT_OUT_MAX {
                break;
            }
            let new = Told::of(candidate);
            let is_told = told.iter().any(|earlier| earlier.says(&new, known));
            if !is_told && known.novelty(&new.candidate.text) >= NOVELTY_MIN {
                told.push(new);
            }
        }
        let left_out = told.len().saturating_sub(at_most);
        told.truncate(at_most);
        let kept = told.into_iter().map(|told| told.candidate);
        (kept.collect(), left_out)
    }
}

/// A fact with its words.
struct Told {
    words: BTreeSet<String>,
    candidate: Candidate,
}

impl Told {
    fn of(candidate: Candidate) -> Self {
        Self {
            words: words(&candidate.text),
            candidate,
        }
    }

    /// Whether another fact says the same in nearly the same words.
    fn says(&self, other: &Self, known: &dyn Novelty) -> bool {
        overlap(&self.words, &other.words) >= SAME_FROM
            && !known.are_apart(&self.candidate.text, &other.candidate.text)
    }
}

impl Extractor for Rules {
    fn extract(&self, slices: &[Slice], known: &dyn Novelty) -> Vec<Candidate> {
        self.extract_from(slices, 0, known).candidates
    }
}

/// What the slices before one mention, the nearest first.
fn mentioned_before(slices: &[Slice], at: usize) -> Vec<String> {
    let start = at.saturating_sub(CONTEXT_SLICES);
    let before = slices.get(start..at).unwrap_or_default().iter().rev();
    before.map(mentioned).collect()
}

fn mentioned(slice: &Slice) -> String {
    match &slice.deed {
        Some(Deed::Command { line, .. }) => format!("`{line}`"),
        Some(Deed::Edit { files, .. }) => files.join(" "),
        None => slice.text.clone(),
    }
}

/// Words that say already what is not to be done.
const CONTRASTS: [&str; 6] = ["not ", "n't", "instead", "rather than", "never", "不"];

/// Adds the command that a short correction is against, where it does not say so itself.
fn contrast(statement: &mut Statement, slice: &Slice, before: &[Slice]) {
    let is_correction = slice.speaker == Speaker::User && crate::cues::is_correction(&slice.text);
    let says_so = CONTRASTS.iter().any(|word| statement.text.contains(word));
    let Some(Some(Deed::Command { line, .. })) = before.last().map(|last| &last.deed) else {
        return;
    };
    if is_correction && !says_so && word_count(&statement.text) <= SHORT_WORDS {
        let bare = statement.text.trim_end_matches(['.', '。']);
        statement.text = format!("{bare} (instead of `{}`).", line.trim());
    }
}

/// A candidate from what was said.
fn stated(statement: Statement, slice: &Slice) -> Candidate {
    let kind = match slice.kind {
        SliceKind::Note => note::kind(&slice.text),
        SliceKind::Commit => crate::message::kind(&slice.text, statement.kind),
        _ => statement.kind,
    };
    let said_by = match slice.speaker {
        Speaker::User => "the user said",
        Speaker::Assistant => "the assistant said",
        Speaker::Tool => "it was said",
    };
    let reason = match slice.kind {
        SliceKind::Note => "a note".to_owned(),
        SliceKind::Commit => crate::message::reason(&slice.text).to_owned(),
        _ => format!("{said_by} \"{}\"", statement.because),
    };
    let most = match slice.speaker {
        Speaker::User => 1.0,
        Speaker::Assistant | Speaker::Tool => ASSISTANT_CONFIDENCE_MAX,
    };
    Candidate {
        kind,
        entities: names(&statement.text),
        attributes: attributes(&statement.text, kind),
        confidence: statement.score.min(most),
        is_said_by_user: slice.speaker == Speaker::User,
        evidence: vec![evidence(slice, statement.line)],
        reason,
        text: statement.text,
    }
}

/// A candidate from what was done.
fn learnt(lesson: Lesson, slices: &[Slice]) -> Candidate {
    let places = lesson.evidence.iter().filter_map(|at| slices.get(*at));
    Candidate {
        kind: lesson.kind,
        entities: names(&lesson.text),
        attributes: lesson.attributes,
        confidence: lesson.confidence,
        is_said_by_user: false,
        evidence: places.map(|slice| evidence(slice, 0)).collect(),
        reason: lesson.reason,
        text: lesson.text,
    }
}

fn names(text: &str) -> Vec<String> {
    let found = entities(text).into_iter();
    found.map(|entity| entity.text).collect()
}

/// What is told beside the text: the commands of a procedure and of a fix.
fn attributes(text: &str, kind: &str) -> Vec<(String, String)> {
    if !matches!(kind, "procedure" | "bug_fix") {
        return Vec::new();
    }
    let commands = entities(text)
        .into_iter()
        .filter(|entity| entity.class == Class::Command);
    let attributes = commands.map(|command| ("command".to_owned(), command.text));
    attributes.collect()
}

/// The line of a statement. In a transcript a whole turn is one line; elsewhere the lines count.
fn evidence(slice: &Slice, line: u64) -> Evidence {
    let mut place = slice.place.clone();
    let is_lined = matches!(slice.kind, SliceKind::Document | SliceKind::Note);
    if is_lined && place.line > 0 {
        place.line += line;
    }
    Evidence {
        place,
        session: slice.session.clone(),
        at: slice.at,
    }
}

#[cfg(test)]
mod tests;
