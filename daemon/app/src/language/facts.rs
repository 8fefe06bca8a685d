//! Facts that a model finds in the turns of a session, beside those of the rules.

use std::sync::PoisonError;

use helix_capture::{Candidate, Evidence, Novelty, Slice, SliceKind, Speaker};
use helix_proto::provider::FACT_KINDS;

use super::{Answer, Fact, Sent, Task, Turn, ask};
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

/// Questions that nobody answered, after which no more are asked of one run.
const FAILURES_MAX: u32 = 2;

/// What asking about turns came to, or would.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Questions that were answered.
    pub questions: u64,
    /// Turns in them.
    pub turns: u64,
    /// Who answered last; of a dry run, who would be asked first.
    pub by: String,
    /// Tokens of questions and answers; of a dry run at most, about.
    pub tokens: u64,
    /// True if they are paid for.
    pub is_paid: bool,
    /// Millionths of a dollar, where a price is known.
    pub micro_usd: u64,
    /// Why a question was not answered; empty when all were.
    pub error: String,
    /// What would be sent, of a dry run.
    pub would_send: Vec<Sent>,
    failures: u32,
}

impl Asked {
    /// Returns whether asking on is worth it.
    pub(crate) fn goes_on(&self) -> bool {
        self.failures < FAILURES_MAX
    }

    fn failed(&mut self, error: &str) {
        self.failures += 1;
        error.clone_into(&mut self.error);
    }

    fn count(&mut self, turns: usize) {
        self.questions += 1;
        self.turns += turns as u64;
    }

    /// Counts an answer, or what a question would cost.
    fn took(&mut self, answer: &Answer, is_dry: bool, turns: usize) {
        if !answer.error.is_empty() {
            return self.failed(&answer.error);
        }
        if is_dry {
            let Some(first) = answer.would_send.first() else {
                return self.failed("no backend can be used");
            };
            self.by.clone_from(&first.backend);
            self.tokens += first.tokens_max;
            self.is_paid = first.is_paid;
            self.micro_usd += first.cost_micro_usd;
            self.would_send.extend(answer.would_send.iter().cloned());
            return self.count(turns);
        }
        self.by.clone_from(&answer.by);
        for attempt in &answer.attempts {
            self.tokens += attempt.tokens_in + attempt.tokens_out;
            self.is_paid |= attempt.is_paid;
            self.micro_usd += attempt.cost_micro_usd;
        }
        self.count(turns);
    }
}

/// The turns of a part of a session that a model is asked about.
pub(crate) fn turns(slices: impl Iterator<Item = Slice>) -> Vec<Slice> {
    slices
        .filter(is_spoken)
        .take(TURNS_MAX * QUESTIONS_MAX)
        .collect()
}

/// Finds facts by asking a language model. Where nobody answers it finds none.
pub(crate) struct Model<'a> {
    pub(crate) app: &'a App,
    /// Facts at most.
    pub(crate) at_most: usize,
    /// Asks nobody, and notes what that would cost.
    pub(crate) is_dry: bool,
    /// What asking came to so far.
    pub(crate) asked: &'a mut Asked,
}

impl Model<'_> {
    /// Finds facts in turns, as [`turns`] chose them.
    pub(crate) fn find(&mut self, turns: &[Slice], known: &dyn Novelty) -> Vec<Candidate> {
        let mut found = Vec::new();
        for group in turns.chunks(TURNS_MAX) {
            if !self.asked.goes_on() {
                break;
            }
            let facts = self.ask(group).into_iter();
            let candidates = facts.filter_map(|fact| candidate(group, fact));
            found.extend(candidates.filter(|found| known.novelty(&found.text) >= NOVELTY_MIN));
        }
        found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        found.truncate(self.at_most);
        found
    }

    fn ask(&mut self, group: &[Slice]) -> Vec<Fact> {
        let turn = |slice: &Slice| Turn {
            is_of_user: slice.speaker == Speaker::User,
            text: slice.text.clone(),
        };
        let task = Task::Turns(group.iter().map(turn).collect());
        let asking = self.app.language.asking.lock();
        let _asking = asking.unwrap_or_else(PoisonError::into_inner);
        match ask(self.app, task, self.is_dry) {
            Ok(answer) => {
                self.asked.took(&answer, self.is_dry, group.len());
                answer.facts
            }
            Err(error) => {
                tracing::debug!(%error, "no model was asked about a session; the rules' facts are kept");
                self.asked.failed(error.message());
                Vec::new()
            }
        }
    }
}

/// What a person or an agent said. Commands, changes and outputs stay here.
fn is_spoken(slice: &Slice) -> bool {
    slice.kind == SliceKind::Turn && slice.deed.is_none() && slice.speaker != Speaker::Tool
}

fn candidate(group: &[Slice], fact: Fact) -> Option<Candidate> {
    let slice = group.get(fact.turn)?;
    let kind = FACT_KINDS.into_iter().find(|kind| *kind == fact.kind)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_ends_where_nobody_answers() {
        let mut asked = Asked::default();
        let silent = Answer {
            error: "openai/m: it did not answer in time".to_owned(),
            ..Answer::default()
        };
        asked.took(&silent, false, 3);
        assert!(asked.goes_on());
        asked.took(&silent, false, 3);
        assert!(!asked.goes_on());
        assert_eq!(asked.turns, 0);
        assert!(asked.error.contains("in time"));
    }

    #[test]
    fn a_dry_run_counts_what_the_first_backend_would_take() {
        let sent = |backend: &str, tokens_max| Sent {
            backend: backend.to_owned(),
            tokens_max,
            is_paid: true,
            cost_micro_usd: 7,
            ..Sent::default()
        };
        let mut asked = Asked::default();
        let dry = Answer {
            would_send: vec![sent("openai/a", 900), sent("openai/b", 800)],
            ..Answer::default()
        };
        asked.took(&dry, true, 5);
        asked.took(&dry, true, 6);
        assert_eq!((asked.questions, asked.turns), (2, 11));
        assert_eq!((asked.tokens, asked.micro_usd), (1_800, 14));
        assert_eq!(asked.by, "openai/a");
        assert_eq!(asked.would_send.len(), 4);
    }
}
