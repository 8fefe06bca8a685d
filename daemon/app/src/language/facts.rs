//! Facts that a model finds in the turns of a session, beside those of the rules.

use std::sync::PoisonError;

use helix_capture::{Candidate, Evidence, Extractor, Novelty, Slice, SliceKind, Speaker};

use super::{Fact, Task, Turn, ask};
use crate::App;

/// The extractor in the provenance of what a model found.
pub(crate) const EXTRACTOR: &str = "model";

/// Turns of one question.
const TURNS_MAX: usize = 12;

/// Questions of one part of a session: the budget is for more than one.
const QUESTIONS_MAX: usize = 2;

/// Novelty below which a fact is known already, as the rules have it.
const NOVELTY_MIN: f64 = 0.25;

/// Confidence in what a model says that somebody said, at most.
const CONFIDENCE_MAX: f64 = 0.8;

/// Kinds by the names that a model knows.
const KINDS: [&str; 8] = [
    "decision",
    "convention",
    "preference",
    "gotcha",
    "bug_fix",
    "procedure",
    "architecture",
    "fact",
];

/// Finds facts by asking a language model. Where nobody answers it finds none.
pub(crate) struct Model<'a> {
    pub(crate) app: &'a App,
    /// Facts at most.
    pub(crate) at_most: usize,
}

impl Extractor for Model<'_> {
    fn extract(&self, slices: &[Slice], known: &dyn Novelty) -> Vec<Candidate> {
        let spoken: Vec<&Slice> = slices.iter().filter(|slice| is_spoken(slice)).collect();
        let mut found = Vec::new();
        for group in spoken.chunks(TURNS_MAX).take(QUESTIONS_MAX) {
            let facts = self.asked(group).into_iter();
            let candidates = facts.filter_map(|fact| candidate(group, fact));
            found.extend(candidates.filter(|found| known.novelty(&found.text) >= NOVELTY_MIN));
        }
        found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        found.truncate(self.at_most);
        found
    }
}

impl Model<'_> {
    fn asked(&self, group: &[&Slice]) -> Vec<Fact> {
        let turn = |slice: &&Slice| Turn {
            is_of_user: slice.speaker == Speaker::User,
            text: slice.text.clone(),
        };
        let asking = self.app.language.asking.lock();
        let _asking = asking.unwrap_or_else(PoisonError::into_inner);
        match ask(
            self.app,
            Task::Turns(group.iter().map(turn).collect()),
            false,
        ) {
            Ok(answer) => answer.facts,
            Err(error) => {
                tracing::debug!(%error, "no model was asked about a session; the rules' facts are kept");
                Vec::new()
            }
        }
    }
}

/// What a person or an agent said. Commands, changes and outputs stay here.
fn is_spoken(slice: &Slice) -> bool {
    slice.kind == SliceKind::Turn && slice.deed.is_none() && slice.speaker != Speaker::Tool
}

fn candidate(group: &[&Slice], fact: Fact) -> Option<Candidate> {
    let slice = group.get(fact.turn)?;
    let kind = KINDS.into_iter().find(|kind| *kind == fact.kind)?;
    Some(Candidate {
        kind,
        text: fact.text,
        entities: Vec::new(),
        attributes: Vec::new(),
        confidence: fact.confidence.min(CONFIDENCE_MAX),
        is_said_by_user: slice.speaker == Speaker::User,
        evidence: vec![Evidence {
            place: slice.place.clone(),
            session: slice.session.clone(),
            at: slice.at,
        }],
        reason: "a language model found it in what was said".to_owned(),
    })
}
