//! Which of many alike a statement is about: the numbers of its subject and the environments that it
//! holds in. `Deploy 1 failed` and `Deploy 2 failed` are about two things, not two values of one.

use std::collections::BTreeSet;

use compact_str::CompactString;

use super::rules::{Names, Rules};
use super::statement::{Part, SUBJECT_WORDS_MAX, is_number};

/// Which of many alike a statement is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Which {
    /// Lower-case numbers, versions and tickets that name its subject.
    numbers: BTreeSet<CompactString>,
    /// Environments that it holds in.
    environments: BTreeSet<CompactString>,
    /// The same, and those that are part of a name.
    mentioned: BTreeSet<CompactString>,
    /// The bounds that it gives: a lower or an upper one.
    bounds: BTreeSet<CompactString>,
}

impl Which {
    /// Reads a text; `written` are its words, and `sequence` the same in lower case.
    pub(super) fn of(
        text: &str,
        written: &[&str],
        sequence: &[CompactString],
        is_unspaced: bool,
        rules: &Rules,
    ) -> Self {
        let all = |names: &Names| {
            let spaced = sequence.iter().filter_map(|word| names.get(word));
            let mut all: BTreeSet<CompactString> = spaced.map(CompactString::new).collect();
            if is_unspaced {
                all.extend(names.unspaced(text).map(CompactString::new));
            }
            all
        };
        let mentioned = all(rules.environments());
        let environments = if is_unspaced {
            mentioned.clone()
        } else {
            environments(sequence, rules)
        };
        Self {
            numbers: numbers(written, sequence, rules),
            environments,
            mentioned,
            bounds: all(rules.bounds()),
        }
    }

    /// Returns whether two statements are about different ones. What the new text names as `gone` is
    /// what the known one is about.
    pub(super) fn is_another(&self, new: &Self, gone: &[Part]) -> bool {
        let are_bounds = !self.bounds.is_empty() && !new.bounds.is_empty();
        let is_other_bound = are_bounds && self.bounds.is_disjoint(&new.bounds);
        is_other_bound
            || self.is_elsewhere(new)
            || new.is_elsewhere(self)
            || self.is_other_number(new, gone)
    }

    /// A statement about one environment says nothing of another, nor of all.
    fn is_elsewhere(&self, new: &Self) -> bool {
        !self.environments.is_empty() && self.environments.is_disjoint(&new.mentioned)
    }

    fn is_other_number(&self, new: &Self, gone: &[Part]) -> bool {
        let is_gone = |number: &CompactString| gone.iter().any(|gone| gone.words.contains(number));
        let are_both_numbered = !self.numbers.is_empty() && !new.numbers.is_empty();
        are_both_numbered
            && self.numbers.is_disjoint(&new.numbers)
            && !self.numbers.iter().any(is_gone)
    }
}

/// The environments among some words. Behind a word of substance such a word belongs to a name, as in
/// `GitLab CI`.
fn environments(sequence: &[CompactString], rules: &Rules) -> BTreeSet<CompactString> {
    let is_alone = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| sequence.get(before));
        before.is_none_or(|before| {
            rules.is_form(before)
                || rules.is_unit(before)
                || rules.is_verb(before)
                || rules.environments().get(before).is_some()
        })
    };
    let named = sequence.iter().enumerate();
    named
        .filter(|(place, _)| is_alone(*place))
        .filter_map(|(_, word)| rules.environments().get(word))
        .map(CompactString::new)
        .collect()
}

/// The words with digits and the single capitals that name the subject: those before its verb, and
/// those behind a word for one of many.
fn numbers(written: &[&str], sequence: &[CompactString], rules: &Rules) -> BTreeSet<CompactString> {
    let is_letter = |place: usize| {
        let word = written.get(place).copied().unwrap_or_default();
        place > 0 && word != "I" && word.len() == 1 && word.chars().all(|c| c.is_ascii_uppercase())
    };
    let is_value = |place: &usize| {
        let behind = sequence.get(place + 1);
        behind.is_some_and(|behind| rules.is_needing(behind))
    };
    let subject = rules
        .verb(sequence)
        .filter(|place| *place <= SUBJECT_WORDS_MAX && !is_value(place))
        .unwrap_or(0);
    let is_label = |(place, word): &(usize, &CompactString)| {
        let before = place.checked_sub(1).and_then(|before| sequence.get(before));
        let is_needed = place.checked_sub(2).and_then(|place| sequence.get(place));
        let is_needed = is_needed.is_some_and(|word| rules.is_needing(word));
        let is_behind_noun = before.is_some_and(|before| {
            rules.is_numbered(before) && (!is_needed || rules.is_unit(before))
        });
        let behind = sequence.get(place + 1);
        let is_measure = is_number(word) && behind.is_some_and(|behind| rules.is_unit(behind));
        // Of `the v1 endpoint` there may be another.
        let is_before_noun =
            is_version(word) && behind.is_some_and(|behind| !rules.is_form(behind));
        let is_subject = *place < subject || is_behind_noun || is_before_noun;
        let is_named = rules.is_ordinal(word)
            || is_letter(*place)
            || word.contains(|c: char| c.is_ascii_digit());
        is_named && is_subject && !is_measure
    };
    let labels = sequence.iter().enumerate().filter(is_label);
    labels.map(|(_, word)| word.clone()).collect()
}

/// Returns whether a lower-case word is `v1` or alike.
fn is_version(word: &str) -> bool {
    word.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}
