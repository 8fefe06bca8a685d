//! Compares a new statement with a known one: it takes its place, contradicts it, says the same
//! with more, or none of these.
//!
//! Decided from the texts alone. A supersession has to be certain, because it takes a memory out of
//! use: the new text says what ended, and the old one said that of the same subject; or it says
//! that something changed and gives another value of the same. Two values without a word of change
//! are a contradiction that somebody settles. Words in common prove nothing: a name, identifier or
//! word of substance that only the old text has makes it another fact.
//!
//! Measured on `tests/fixtures/memory-pairs*.json` by `cargo xtask bench memory`.

mod claims;
mod conflict;
mod outline;
mod rules;
mod statement;
mod subject;
mod value;
mod which;
mod whole;

pub use conflict::{EXTRACTOR, conflict};
pub use outline::{Outline, Sought};
pub use statement::{Role, Statement, tokens};

use std::collections::BTreeSet;

use compact_str::CompactString;

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
    /// The new one says what the known one says has ended.
    Again,
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
            Self::Again => "says again what that replaced",
        }
    }
}

/// Share of the known subject's words that the new text must have, where a name of it is not
/// enough.
const SUBJECT_SHARED_MIN: f32 = 0.6;

/// The same where both also share a name or identifier.
const SUBJECT_SHARED_WITH_NAME_MIN: f32 = 0.3;

/// The same in writing without blanks, whose words are single characters here.
const SUBJECT_SHARED_UNSPACED_MIN: f32 = 0.6;

/// Share of the known subject's words among those that ended, from which the subject itself has.
const SUBJECT_GONE_MIN: f32 = 0.6;

/// Share of what ended that the known text must have.
const GONE_KNOWN_MIN: f32 = 0.6;

/// Words that a text may have more where it says that a number changed.
const CHANGED_WORDS_MAX: usize = 2;

/// Jaccard similarity from which a word of change and the other sense are enough.
const SENSE_ALIKE_MIN: f32 = 0.3;

/// Jaccard similarity, and words in common, from which a negation alone is a contradiction.
const NEGATION_ALIKE_MIN: f32 = 0.75;
const NEGATION_SHARED_MIN: usize = 2;

/// Fewest words of a text that another can extend.
const EXTENDED_WORDS_MIN: usize = 4;

/// Returns whether a text denies what its words say.
#[must_use]
pub(crate) fn is_negated(text: &str) -> bool {
    rules::rules().is_some_and(|rules| rules.is_negated(text))
}

/// Decides what `new` means to `known`.
#[must_use]
pub fn relate(known: &Statement, new: &Statement) -> Verdict {
    let Some(rules) = rules::rules() else {
        return Verdict::Apart;
    };
    match compare(known, new, rules) {
        Verdict::Supersedes(why) if !whole::is_whole(known, new, why, rules) => {
            Verdict::Contradicts(why)
        }
        verdict => verdict,
    }
}

/// The same, as if the known text said one thing only.
fn compare(known: &Statement, new: &Statement, rules: &Rules) -> Verdict {
    if known.words.is_empty() || new.words.is_empty() || turns_round(known, new) {
        return Verdict::Apart;
    }
    if extends(known, new) {
        return Verdict::Extends;
    }
    // An owner may stand where other sentences have their subject.
    let is_other_subject =
        subject::is_another(known, new, rules) && !claims::clash(&known.claims, &new.claims);
    if known.which.is_another(&new.which, &new.departures) || is_other_subject {
        return Verdict::Apart;
    }
    if known.is_tentative != new.is_tentative {
        return Verdict::Apart;
    }
    if let Some(gone) = named_end(known, new, rules) {
        let is_whole = !subject::narrows(known, new, rules)
            && !subject::is_elsewhere(known, new)
            && !names_more(known, new, gone)
            && !leaves_more(known, new, gone);
        return contradiction(Why::Ended, is_whole);
    }
    if says_again(known, new, rules) {
        return contradiction(Why::Again, new.is_change);
    }
    if ends_another_value(known, new) || ends_another_value(new, known) {
        return Verdict::Apart;
    }
    // Of two changes the later holds, unless both are of the same: then nobody knows.
    let is_changed = new.is_change
        && !known
            .departures
            .iter()
            .any(|gone| new.departures.contains(gone));
    if claims::clash_of_stance(&known.claims, &new.claims) {
        return contradiction(Why::Negation, is_changed);
    }
    if is_another_of_many(known, new) || is_beside(known, new) {
        return Verdict::Apart;
    }
    let difference = Difference::of(known, new, rules);
    if difference.is_changed_number(is_changed) {
        return Verdict::Supersedes(Why::Number);
    }
    let is_denied = known.is_negated != new.is_negated;
    if (is_changed || !is_denied) && claims::clash(&known.claims, &new.claims) {
        if subject::is_elsewhere(known, new) {
            return Verdict::Apart;
        }
        return contradiction(Why::Value, is_changed);
    }
    let mut denials = denied(known, new, rules).peekable();
    if denials.peek().is_some() {
        if denials.any(|denial| value::takes_the_place(known, denial, rules)) {
            return Verdict::Supersedes(Why::Ended);
        }
        return contradiction(Why::Negation, is_changed);
    }
    if is_denied && is_changed && difference.is_changed_sense(known) {
        return Verdict::Supersedes(Why::Negation);
    }
    if (is_changed || !is_denied)
        && difference.is_other_number()
        && !subject::is_narrower(known, new, rules)
    {
        return contradiction(Why::Number, is_changed);
    }
    if is_changed && claims::clash_if_changed(&known.claims, &new.claims) {
        return Verdict::Contradicts(Why::Value);
    }
    if value::is_other(known, new, rules) {
        return contradiction(Why::Value, is_changed);
    }
    if is_opposite(known, new, rules) {
        return contradiction(Why::Negation, is_changed);
    }
    if is_denied && is_plain_negation(known, new, rules) {
        return Verdict::Contradicts(Why::Negation);
    }
    Verdict::Apart
}

/// Returns whether both texts have the very same words in another order: `from CSV to JSON` and
/// `from JSON to CSV`.
fn turns_round(known: &Statement, new: &Statement) -> bool {
    let sorted = |statement: &Statement| {
        let mut words: Vec<CompactString> = statement.sequence.clone();
        words.sort_unstable();
        words
    };
    known.sequence.len() == new.sequence.len()
        && known.sequence != new.sequence
        && sorted(known) == sorted(new)
}

/// What a contradiction is: the new text takes the place where it says that something changed.
fn contradiction(why: Why, is_changed: bool) -> Verdict {
    if is_changed {
        Verdict::Supersedes(why)
    } else {
        Verdict::Contradicts(why)
    }
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

/// The part of which the new text says that it ended, where the known one says it of the same
/// subject.
fn named_end<'n>(
    known: &Statement,
    new: &'n Statement,
    rules: &Rules,
) -> Option<&'n statement::Part> {
    let ended_before: BTreeSet<&str> = known
        .departures
        .iter()
        .flat_map(statement::Part::words)
        .collect();
    let others = new.departures.iter();
    let others: Vec<_> = others
        .filter(|gone| is_of_another(known, new, gone, rules))
        .collect();
    new.departures.iter().find(|gone| {
        is_said(known, gone)
            && !others
                .iter()
                .any(|other| gone.words.is_subset(&other.words))
            && gone
                .words()
                .all(|word| !ended_before.contains(word) || !known.has(word))
            && (shares_subject(known, new, gone)
                || claims::is_named_gone(&known.claims, &new.claims, gone))
    })
}

/// Returns whether what ended is said of something that the known text does not name.
fn names_more(known: &Statement, new: &Statement, gone: &statement::Part) -> bool {
    let is_telling =
        |word: &CompactString| !statement::is_number(word) && !new.verbs.contains(word);
    gone.around
        .iter()
        .any(|word| !known.has(word) && is_telling(word))
}

/// Returns whether only the subject of the known text has ended, and it says more of that.
fn leaves_more(known: &Statement, new: &Statement, gone: &statement::Part) -> bool {
    let mut named = gone
        .words()
        .filter(|word| !statement::is_number(word))
        .peekable();
    !known.is_unspaced
        && named.peek().is_some()
        && named.all(|word| known.subject.contains(word))
        && known.specific.iter().any(|word| !new.has(word))
}

/// Returns whether the new text says what the known one says has ended: had it come first, the known
/// one would have taken its place.
fn says_again(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    !new.is_negated && named_end(new, known, rules).is_some()
}

/// Returns whether what ended is another thing than the known text speaks of: each names something
/// that the other does not, the new one in what ended or before it.
fn is_of_another(
    known: &Statement,
    new: &Statement,
    gone: &statement::Part,
    rules: &Rules,
) -> bool {
    let mut foreign = gone
        .words
        .iter()
        .filter(|word| !known.has(word) && !new.verbs.contains(*word));
    let before = known.sequence.iter().map(|word| statement::stem(word));
    let mut before = before.take_while(|word| !gone.words.contains(word));
    let is_beside = names_more(known, new, gone);
    let is_other_subject = (is_beside
        || !new.begins_elsewhere && new.subject.iter().any(|word| !known.has(word)))
        && before.any(|word| known.specific.contains(&word) && !new.has(&word));
    (is_other_subject || foreign.next().is_some()) && only_known(known, new, rules).next().is_some()
}

/// The words of any sort that only the known text has, but for verbs and those that deny or
/// strengthen.
fn only_known<'s>(
    known: &'s Statement,
    new: &'s Statement,
    rules: &'s Rules,
) -> impl Iterator<Item = &'s CompactString> {
    let own = known.words.iter().filter(|word| !new.has(word));
    own.filter(|word| !known.verbs.contains(*word) && !rules.is_polarity(word))
}

/// Returns whether the known text says most of a part.
fn is_said(known: &Statement, part: &statement::Part) -> bool {
    let said = part.words().filter(|word| known.has(word)).count();
    let share = ratio(said, part.words.len());
    said > 0 && share >= GONE_KNOWN_MIN && known.has_all(&part.names)
}

/// What the new text denies that the known one says and does not deny itself, of the very same
/// subject.
fn denied<'n>(
    known: &'n Statement,
    new: &'n Statement,
    rules: &'n Rules,
) -> impl Iterator<Item = &'n statement::Denial> {
    new.denials.iter().filter(move |denial| {
        let gone = &denial.gone;
        let mut subject = known.lead.iter().filter(|word| !gone.words.contains(*word));
        let is_same = subject.all(|word| new.has(word) || rules.is_polarity(word));
        let is_denied = known.denials.iter().any(|own| own.gone == *gone);
        !is_denied && is_said(known, gone) && is_same && shares_subject(known, new, gone)
    })
}

/// Returns whether all numbers in which two texts differ may stand beside others of their kind, as
/// in `supports Python 3.9` and `supports Python 3.12`.
fn is_another_of_many(known: &Statement, new: &Statement) -> bool {
    let are_of_many = |one: &Statement, other: &Statement| {
        let names = one.names.iter();
        let mut own = names
            .filter(|name| statement::is_number(name) && !other.has(name))
            .peekable();
        own.peek().is_some() && own.all(|name| one.of_many.contains(name))
    };
    are_of_many(known, new) && are_of_many(new, known)
}

/// Returns whether the new text says that it holds beside what is known.
fn is_beside(known: &Statement, new: &Statement) -> bool {
    new.is_adding
        && known.is_negated == new.is_negated
        && new.departures.is_empty()
        && new.denials.is_empty()
}

/// Returns whether a text names what the other does not name only to say that it holds no longer:
/// "no longer listens on 7001" is true of what listens on 7002.
fn ends_another_value(ending: &Statement, other: &Statement) -> bool {
    let own = |name: &&CompactString| !other.has(name);
    let is_gone = |name: &CompactString| {
        let mut gone = ending.departures.iter();
        gone.any(|part| part.words.contains(name))
    };
    let mut names = ending.names.iter().filter(own).peekable();
    names.peek().is_some() && names.all(is_gone)
}

/// Share of the words of the known text's first clause that ended.
fn gone_of_lead(known: &Statement, gone: &statement::Part) -> f32 {
    let ended = known.lead.iter().filter(|word| gone.words.contains(*word));
    ratio(ended.count(), known.lead.len())
}

/// Returns whether the known text speaks of what the new one speaks of, apart from what ended.
fn shares_subject(known: &Statement, new: &Statement, gone: &statement::Part) -> bool {
    let is_subject = |word: &&CompactString| !gone.words.contains(*word);
    if gone_of_lead(known, gone) >= SUBJECT_GONE_MIN {
        return true;
    }
    let mut subject = known.subject.iter().peekable();
    if subject.peek().is_some()
        && subject.all(|word| new.has(word))
        && !subject::is_elsewhere(known, new)
    {
        return true;
    }
    let mut foreign = known.lead_names.iter().filter(is_subject);
    if foreign.any(|name| !new.has(name) && !statement::is_number(name)) {
        return false;
    }
    let (telling, telling_shared) = shared(known.lead.iter().filter(is_subject), new);
    let (all, all_shared) = shared(known.words.iter().filter(is_subject), new);
    if all_shared == 0 || (telling > 0 && telling_shared == 0) {
        return false;
    }
    let covered = ratio(telling_shared, telling).max(ratio(all_shared, all));
    if new.is_unspaced {
        return covered >= SUBJECT_SHARED_UNSPACED_MIN;
    }
    let mut names = known.names.iter().filter(is_subject);
    let has_name = names.any(|name| new.has(name));
    covered >= SUBJECT_SHARED_MIN || (has_name && covered >= SUBJECT_SHARED_WITH_NAME_MIN)
}

/// How many words there are, and how many of them a statement has.
fn shared<'w>(
    words: impl Iterator<Item = &'w CompactString>,
    statement: &Statement,
) -> (usize, usize) {
    words.fold((0, 0), |(all, shared), word| {
        (all + 1, shared + usize::from(statement.has(word)))
    })
}

/// In which words two statements differ.
struct Difference {
    alike: f32,
    /// Names and identifiers other than numbers that only the known one, or only the new one has.
    names_only_known: usize,
    names_only_new: usize,
    /// Words other than numbers that say of what the texts are.
    shared_specific: usize,
    /// Those of [`only_known`].
    only_known: usize,
    only_known_specific: usize,
    only_new_specific: usize,
    /// Each has a verb of its own: they speak of two attributes.
    are_other_verbs: bool,
    numbers_known: usize,
    numbers_only_known: usize,
    numbers_only_new: usize,
}

impl Difference {
    fn of(known: &Statement, new: &Statement, rules: &Rules) -> Self {
        let verb_only = |one: &Statement, other: &Statement| {
            let mut verbs = one.verbs.iter();
            verbs.any(|verb| !other.has(verb))
        };
        let only = |one: &BTreeSet<CompactString>, other: &Statement, numbers: bool| {
            one.iter()
                .filter(|word| statement::is_number(word) == numbers && !other.has(word))
                .count()
        };
        let shared = known.words.intersection(&new.words).count();
        Self {
            alike: ratio(shared, known.words.len() + new.words.len() - shared),
            names_only_known: only(&known.names, new, false),
            names_only_new: only(&new.names, known, false),
            shared_specific: known
                .specific
                .intersection(&new.specific)
                .filter(|word| !statement::is_number(word))
                .count(),
            only_known: only_known(known, new, rules).count(),
            only_known_specific: only(&known.specific, new, false),
            only_new_specific: only(&new.specific, known, false),
            are_other_verbs: verb_only(known, new) && verb_only(new, known),
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
            && self.shared_specific >= 1
            && self.only_known_specific == 0
            && self.names_only_known == 0
            && self.names_only_new == 0
            && self.only_new_specific <= CHANGED_WORDS_MAX
            && !self.are_other_verbs
    }

    /// The new text turns all of the known one round, and says that this is a change.
    fn is_changed_sense(&self, known: &Statement) -> bool {
        self.only_known == 0
            && self.shared_specific >= 2
            && self.alike >= SENSE_ALIKE_MIN
            && known.departures.is_empty()
    }

    /// Both say the same of one thing, with one number for another.
    fn is_other_number(&self) -> bool {
        let others_max = usize::from(self.shared_specific >= 2);
        self.numbers_only_known == 1
            && !self.are_other_verbs
            && self.numbers_only_new == 1
            && self.shared_specific >= 1
            && self.only_known_specific + self.only_new_specific <= others_max
            && self.names_only_known == 0
            && self.names_only_new == 0
    }
}

/// Returns whether one text is nearly the other, with a negation more.
fn is_plain_negation(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let (one, other) = (unturned(known, rules), unturned(new, rules));
    let shared = one.intersection(&other).count();
    let is_enough = shared >= NEGATION_SHARED_MIN
        || (shared > 0 && sequence(known, rules).eq(sequence(new, rules)));
    (one.is_subset(&other) || other.is_subset(&one))
        && is_enough
        && ratio(shared, one.len().max(other.len())) >= NEGATION_ALIKE_MIN
        && known.departures.is_empty()
        && new.departures.is_empty()
}

/// All words of a statement in order without those that deny or strengthen it.
fn sequence<'s>(
    statement: &'s Statement,
    rules: &Rules,
) -> impl Iterator<Item = &'s CompactString> {
    let words = statement.sequence.iter();
    words.filter(|word| !rules.is_polarity(&statement::stem(word)))
}

/// The words of a statement without those that deny or strengthen it.
fn unturned<'s>(statement: &'s Statement, rules: &Rules) -> BTreeSet<&'s str> {
    let words = if statement.is_unspaced {
        &statement.specific
    } else {
        &statement.words
    };
    let words = words.iter().map(CompactString::as_str);
    words.filter(|word| !rules.is_polarity(word)).collect()
}

/// Returns whether two statements are the same but for two words of which only one can hold.
fn is_opposite(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let mut only_known = known.opposed.difference(&new.opposed);
    let mut only_new = new.opposed.difference(&known.opposed);
    let (Some(one), Some(other)) = (only_known.next(), only_new.next()) else {
        return false;
    };
    if only_known.next().is_some() || only_new.next().is_some() {
        return false;
    }
    let of_pair =
        |word: &CompactString| *word == statement::stem(one) || *word == statement::stem(other);
    let differing = known.specific.symmetric_difference(&new.specific);
    rules.are_opposite(one, other)
        && differing.filter(|word| !of_pair(word)).count() == 0
        && (known.specific.intersection(&new.specific).count() >= 2
            || differs_in_one_word(known, new))
}

/// Returns whether two statements are the same but for one word.
fn differs_in_one_word(known: &Statement, new: &Statement) -> bool {
    let words = known.sequence.iter().zip(&new.sequence);
    known.sequence.len() == new.sequence.len()
        && known.sequence.len() >= EXTENDED_WORDS_MIN
        && words.filter(|(one, other)| one != other).count() == 1
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
mod labelled_tests;
#[cfg(test)]
mod tests;
