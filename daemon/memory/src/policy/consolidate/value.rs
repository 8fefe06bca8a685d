//! Two statements that are the same but for a value.

use compact_str::CompactString;

use super::rules::Rules;
use super::statement::{Denial, Statement, stem};

/// Words of the value that two statements differ in, at most.
const VALUE_WORDS_MAX: usize = 3;

/// Two sequences of words, without those that they begin and end with in common.
struct Differing<'s> {
    before: &'s [CompactString],
    one: &'s [CompactString],
    other: &'s [CompactString],
    has_behind: bool,
}

impl<'s> Differing<'s> {
    fn of(one: &'s [CompactString], other: &'s [CompactString]) -> Self {
        let before = one.iter().zip(other).take_while(|(a, b)| a == b).count();
        let rest = one.len().min(other.len()) - before;
        let behind = one.iter().rev().zip(other.iter().rev());
        let behind = behind.take(rest).take_while(|(a, b)| a == b).count();
        let middle = |words: &'s [CompactString]| words.get(before..words.len() - behind);
        Self {
            before: one.get(..before).unwrap_or_default(),
            one: middle(one).unwrap_or_default(),
            other: middle(other).unwrap_or_default(),
            has_behind: behind > 0,
        }
    }
}

fn is_value(words: &[CompactString], rules: &Rules) -> bool {
    (1..=VALUE_WORDS_MAX).contains(&words.len()) && words.iter().any(|word| !rules.is_form(word))
}

/// Returns whether two statements are the same but for a value behind a predicate that takes only
/// one.
pub(super) fn is_other(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let differing = Differing::of(&known.sequence, &new.sequence);
    let is_plain = |words| is_value(words, rules) && !rules.is_negated(&words.join(" "));
    let has_verb = |words: &[CompactString]| words.iter().any(|word| rules.is_verb(word));
    is_plain(differing.one)
        && is_plain(differing.other)
        && !(has_verb(differing.one) && has_verb(differing.other))
        && differing.before.iter().any(|word| !rules.is_form(word))
        && rules.ends_in_predicate(&differing.before.join(" "))
}

/// Returns whether a new text without what it denies is the known one with another value in the
/// place of just that: `uses luxon, not moment` of `uses moment`.
pub(super) fn takes_the_place(known: &Statement, denial: &Denial, rules: &Rules) -> bool {
    let differing = Differing::of(&known.sequence, &denial.rest);
    let gone = &denial.gone.words;
    let is_gone = |word: &CompactString| rules.is_form(word) || gone.contains(&stem(word));
    let has_more = !differing.before.is_empty() || differing.has_behind;
    has_more
        && !known.is_negated
        && is_value(differing.one, rules)
        && is_value(differing.other, rules)
        && differing.one.iter().all(is_gone)
        && known.has_all(gone)
}
