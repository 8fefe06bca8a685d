//! Compares a new statement with a known one: it takes its place, contradicts it, says the same
//! with more, or none of these.
//!
//! Decided from the texts alone. A supersession has to be certain, because it takes a memory out of
//! use: the new text says what ended, and the old one said that of the same subject; or it says
//! that something changed and gives another value of the same. Two values without a word of change
//! are a contradiction that somebody settles. Words in common prove nothing: a name, identifier or
//! word of substance that only the old text has makes it another fact.
//!
//! Measured on `tests/fixtures/memory-pairs.json` by `cargo xtask bench memory`.

mod rules;
mod statement;

pub use statement::{Role, Statement, tokens};

use std::collections::BTreeSet;

use rules::Rules;

use crate::model::{Memory, Origin};

/// The meaning of a new statement for a known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Neither: both stand.
    Apart,
    /// The new one holds in place of the known one.
    Supersedes(Why),
    /// Both cannot hold, and nothing says which does.
    Contradicts(Why),
    /// The new text has all of the known one, and more.
    Extends,
}

/// Why statements are versions of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The new one says what ended, and the known one says just that.
    Ended,
    /// The same subject with another number.
    Number,
    /// The same subject with another value.
    Value,
    /// One denies what the other says.
    Negation,
}

impl Why {
    /// Says it in words for people, of the new statement.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Ended => "names what it replaces",
            Self::Number => "gives another number of the same",
            Self::Value => "gives another value of the same",
            Self::Negation => "says the opposite of the same",
        }
    }
}

/// Share of the known subject's words that the new text must have, where a name of it is not
/// enough.
const SUBJECT_SHARED_MIN: f32 = 0.6;

/// The same where both also share a name or identifier.
const SUBJECT_SHARED_WITH_NAME_MIN: f32 = 0.3;

/// The same in writing without blanks, whose words are single characters here.
const SUBJECT_SHARED_UNSPACED_MIN: f32 = 0.8;

/// Share of what ended that the known text must have.
const GONE_KNOWN_MIN: f32 = 0.6;

/// Jaccard similarity from which a word of change and another number are enough.
const CHANGED_ALIKE_MIN: f32 = 0.4;

/// Jaccard similarity from which another number alone is a contradiction.
const NUMBER_ALIKE_MIN: f32 = 0.3;

/// Jaccard similarity from which a negation alone is a contradiction.
const NEGATION_ALIKE_MIN: f32 = 0.75;

/// Words of the value that two statements differ in, at most.
const VALUE_WORDS_MAX: usize = 3;

/// Fewest words of a text that another can extend.
const EXTENDED_WORDS_MIN: usize = 4;

/// Decides what `new` means to `known`.
#[must_use]
pub fn relate(known: &Statement, new: &Statement) -> Verdict {
    let Some(rules) = rules::rules() else {
        return Verdict::Apart;
    };
    if known.words.is_empty() || new.words.is_empty() {
        return Verdict::Apart;
    }
    if extends(known, new) {
        return Verdict::Extends;
    }
    if names_the_end(known, new) {
        return Verdict::Supersedes(Why::Ended);
    }
    let difference = Difference::of(known, new);
    let is_changed = new.is_change && !known.is_change;
    if difference.is_changed_number(is_changed) {
        return Verdict::Supersedes(Why::Number);
    }
    let is_denied = known.is_negated != new.is_negated;
    if is_denied && is_changed && difference.is_changed_sense(known) {
        return Verdict::Supersedes(Why::Negation);
    }
    if difference.is_other_number() {
        return Verdict::Contradicts(Why::Number);
    }
    if is_other_value(known, new, rules) {
        return if is_changed {
            Verdict::Supersedes(Why::Value)
        } else {
            Verdict::Contradicts(Why::Value)
        };
    }
    if is_denied && difference.is_plain_negation(known, new) {
        return Verdict::Contradicts(Why::Negation);
    }
    Verdict::Apart
}

/// Who says the new statement, and how sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Whose word it is.
    pub by: Origin,
    /// 0 to 1.
    pub confidence: f32,
}

/// Confidence that the new statement may have less than the known one and still take its place.
const CONFIDENCE_YIELDED: f32 = 0.3;

/// What is left of a verdict on a memory beside who says it: what a tool or an import says takes no
/// place of what a person or agent said, nobody's word that of a pinned memory, and what is much
/// less certain contradicts at most.
#[must_use]
pub fn allowed(verdict: Verdict, known: &Memory, new: Standing) -> Verdict {
    let is_weaker = new.by.authority() < known.origin.authority() && !new.by.is_shown_unasked();
    let is_doubtful = new.confidence + CONFIDENCE_YIELDED < known.confidence;
    match verdict {
        Verdict::Supersedes(why) if is_weaker || is_doubtful || known.pinned => {
            Verdict::Contradicts(why)
        }
        Verdict::Extends if is_weaker || is_doubtful || known.pinned => Verdict::Apart,
        verdict => verdict,
    }
}

/// Returns whether the new text begins with all of the known one and goes on, in the same sense.
fn extends(known: &Statement, new: &Statement) -> bool {
    let words = known.sequence.len();
    words >= EXTENDED_WORDS_MIN
        && new.sequence.len() > words
        && new.sequence.starts_with(&known.sequence)
        && new.is_negated == known.is_negated
        && new.departures.len() == known.departures.len()
        && new.is_change == known.is_change
}

/// Returns whether the new text says that what the known one says has ended, of the same subject.
fn names_the_end(known: &Statement, new: &Statement) -> bool {
    let ended_before: BTreeSet<&str> = known
        .departures
        .iter()
        .flat_map(statement::Part::words)
        .collect();
    new.departures.iter().any(|gone| {
        let said: BTreeSet<&str> = gone.words().filter(|word| known.has(word)).collect();
        let share = ratio(said.len(), gone.words.len());
        let is_said = !said.is_empty() && share >= GONE_KNOWN_MIN && known.has_all(&gone.names);
        is_said && said.is_disjoint(&ended_before) && shares_subject(known, new, gone)
    })
}

/// Returns whether the known text speaks of what the new one speaks of, apart from what ended.
fn shares_subject(known: &Statement, new: &Statement, gone: &statement::Part) -> bool {
    let is_subject = |word: &&String| !gone.words.contains(*word);
    let mut foreign = known.names.iter().filter(is_subject);
    if foreign.any(|name| !new.has(name) && !statement::is_number(name)) {
        return false;
    }
    let subject = known.words.iter().filter(is_subject);
    let (all, shared) = subject.fold((0, 0), |(all, shared), word| {
        (all + 1, shared + usize::from(new.has(word)))
    });
    let covered = if all == 0 { 0.0 } else { ratio(shared, all) };
    if new.is_unspaced {
        return shared > 0 && covered >= SUBJECT_SHARED_UNSPACED_MIN;
    }
    let has_name = known
        .names
        .iter()
        .filter(is_subject)
        .any(|name| new.has(name));
    (shared > 0 && covered >= SUBJECT_SHARED_MIN)
        || (has_name && covered >= SUBJECT_SHARED_WITH_NAME_MIN)
}

/// In which words two statements differ.
struct Difference {
    shared: usize,
    alike: f32,
    /// Words other than numbers that only the known one, or only the new one has.
    only_known: usize,
    only_new: usize,
    /// The same of names and identifiers.
    names_only_known: usize,
    names_only_new: usize,
    numbers_known: usize,
    numbers_only_known: usize,
    numbers_only_new: usize,
}

impl Difference {
    fn of(known: &Statement, new: &Statement) -> Self {
        let only = |one: &BTreeSet<String>, other: &Statement, numbers: bool| {
            one.iter()
                .filter(|word| statement::is_number(word) == numbers && !other.has(word))
                .count()
        };
        let shared = known.words.intersection(&new.words).count();
        Self {
            shared,
            alike: ratio(shared, known.words.len() + new.words.len() - shared),
            only_known: only(&known.words, new, false),
            only_new: only(&new.words, known, false),
            names_only_known: only(&known.names, new, false),
            names_only_new: only(&new.names, known, false),
            numbers_known: known
                .names
                .iter()
                .filter(|name| statement::is_number(name))
                .count(),
            numbers_only_known: only(&known.names, new, true),
            numbers_only_new: only(&new.names, known, true),
        }
    }

    /// The new text says that a number changed, of all that the known one speaks of.
    fn is_changed_number(&self, is_changed: bool) -> bool {
        is_changed
            && self.numbers_known > 0
            && self.numbers_only_new > 0
            && self.shared >= 2
            && self.only_known == 0
            && self.names_only_known == 0
            && self.names_only_new == 0
            && self.alike >= CHANGED_ALIKE_MIN
    }

    /// The new text turns all of the known one round, and says that this is a change.
    fn is_changed_sense(&self, known: &Statement) -> bool {
        self.only_known == 0
            && self.names_only_known == 0
            && self.shared >= 2
            && self.alike >= CHANGED_ALIKE_MIN
            && known.departures.is_empty()
    }

    /// Both say the same of one thing, with one number for another.
    fn is_other_number(&self) -> bool {
        self.numbers_only_known == 1
            && self.numbers_only_new == 1
            && self.shared >= 2
            && self.only_known + self.only_new <= 1
            && self.names_only_known == 0
            && self.names_only_new == 0
            && self.alike >= NUMBER_ALIKE_MIN
    }

    /// One is nearly the other, with a negation more.
    fn is_plain_negation(&self, known: &Statement, new: &Statement) -> bool {
        self.alike >= NEGATION_ALIKE_MIN
            && self.names_only_known == 0
            && self.names_only_new == 0
            && (self.only_known == 0 || self.only_new == 0)
            && known.departures.is_empty()
            && new.departures.is_empty()
    }
}

/// Returns whether two statements are the same but for a value behind a predicate that takes only
/// one.
fn is_other_value(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let (one, other) = (&known.sequence, &new.sequence);
    let before = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let rest = one.len().min(other.len()) - before;
    let behind = one.iter().rev().zip(other.iter().rev());
    let behind = behind.take(rest).take_while(|(a, b)| a == b).count();
    let middle = |words: &[String]| -> Vec<String> {
        let end = words.len() - behind;
        words.get(before..end).unwrap_or_default().to_vec()
    };
    let (known_value, new_value) = (middle(one), middle(other));
    let is_value = |value: &[String]| {
        (1..=VALUE_WORDS_MAX).contains(&value.len())
            && value.iter().any(|word| !rules.is_form(word))
            && !rules.is_negated(&value.join(" "))
    };
    let start = one.get(..before).unwrap_or_default();
    is_value(&known_value)
        && is_value(&new_value)
        && start.iter().any(|word| !rules.is_form(word))
        && rules.ends_in_predicate(&start.join(" "))
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 {
        0.0
    } else {
        part as f32 / whole as f32
    }
}

#[cfg(test)]
mod tests;
