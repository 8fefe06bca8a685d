//! A text as statements are compared: its words, its names and numbers, and what it says has ended.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use compact_str::CompactString;

use super::claims::{Claim, claims};
use super::rules::{Departed, Rules, rules};
use super::which::Which;
use super::whole::pieces;
use crate::policy::resemble::is_unspaced;
use crate::policy::stems;

/// Words of what ended, at most: more is no name of it.
const GONE_WORDS_MAX: usize = 8;

/// Words before a verb that are a subject, at most: before more stands a verb that is not listed.
pub(super) const SUBJECT_WORDS_MAX: usize = 10;

/// Words behind the last word for where something holds, at most.
const TAIL_WORDS_MAX: usize = 3;

/// Words of a first clause, at least.
const CLAUSE_WORDS_MIN: usize = 4;

/// Characters of a subject in writing without blanks, at least.
const SUBJECT_CHARS_MIN: usize = 3;

/// Bytes of a text that are read: what it says of its subject stands at its beginning.
const READ_MAX_BYTES: usize = 2_000;

/// A part of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Stems of its words, those of form left out.
    pub(super) words: BTreeSet<CompactString>,
    /// Those among them that are names, identifiers, paths, versions or numbers.
    pub(super) names: BTreeSet<CompactString>,
    /// Stems of the words beside it in its clause that say of which thing it is said.
    pub(super) around: BTreeSet<CompactString>,
}

impl Part {
    fn of(read: &[Word<'_>]) -> Self {
        let mut part = Self::default();
        for (place, word) in read.iter().enumerate() {
            let Some(stem) = &word.stem else { continue };
            if is_name(word.written, place == 0) {
                part.names.insert(stem.clone());
            }
            part.words.insert(stem.clone());
        }
        part
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(CompactString::as_str)
    }
}

/// A word of a text.
struct Word<'t> {
    written: &'t str,
    lower: CompactString,
    /// `None` where it carries nothing of what the text says.
    stem: Option<CompactString>,
}

impl<'t> Word<'t> {
    fn of(written: &'t str, rules: &Rules) -> Self {
        let lower = lowered(written);
        let is_silent = is_of_form(&lower, rules) && !rules.is_capital_name(written);
        Self {
            written,
            stem: (!is_silent).then(|| stem(&lower)),
            lower,
        }
    }
}

/// What a text says is not so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Denial {
    pub(super) gone: Part,
    /// Lower-case words of the text without the denial, in order.
    pub(super) rest: Vec<CompactString>,
}

/// A text that is compared with others.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is read of a text by itself"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Stems of its words, those of form left out.
    pub(super) words: BTreeSet<CompactString>,
    /// Those among them that are names, identifiers, paths, versions or numbers.
    pub(super) names: BTreeSet<CompactString>,
    /// All words in order, in lower case.
    pub(super) sequence: Vec<CompactString>,
    /// Statements that something has ended.
    pub(super) departures: Vec<Part>,
    /// What it says is not so, without saying that it ever was.
    pub(super) denials: Vec<Denial>,
    /// Which of many alike it is about.
    pub(super) which: Which,
    /// Values that it gives to attributes.
    pub(super) claims: Vec<Claim>,
    /// Stems of its words that say which thing it is about and what of it: not of form, and not of
    /// what sort it is.
    pub(super) specific: BTreeSet<CompactString>,
    /// The same of its first clause, which says what it is about.
    pub(super) lead: BTreeSet<CompactString>,
    /// The names among those.
    pub(super) lead_names: BTreeSet<CompactString>,
    /// Stems of the words before its first verb that name something and are no numbers; empty where
    /// no verb is known.
    pub(super) subject: BTreeSet<CompactString>,
    /// It says of all that there is: `we use`, `use`.
    pub(super) is_general: bool,
    /// Its end: a word for where or when something holds, and the stems behind it.
    pub(super) tail: Option<(CompactString, BTreeSet<CompactString>)>,
    /// Stems of its verbs, those of form left out.
    pub(super) verbs: BTreeSet<CompactString>,
    /// Numbers and versions that may stand beside others of their kind.
    pub(super) of_many: BTreeSet<CompactString>,
    /// It begins with when or where something holds, and not with its subject.
    pub(super) begins_elsewhere: bool,
    /// It says something beside what is known.
    pub(super) is_adding: bool,
    /// Lower-case words of it that have an opposite.
    pub(super) opposed: BTreeSet<CompactString>,
    /// It says that something changed.
    pub(super) is_change: bool,
    /// It says what may come, or what somebody thought of.
    pub(super) is_tentative: bool,
    /// It denies what its words say.
    pub(super) is_negated: bool,
    /// It is written without blanks.
    pub(super) is_unspaced: bool,
    /// Words of each part of a list and of each clause; empty where there is only one.
    pub(super) pieces: Vec<BTreeSet<CompactString>>,
}

impl Statement {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = Self::read_part(text);
        let Some(rules) = rules() else {
            return Self::default();
        };
        let (text, former) = rules.without_former(text);
        let read: Vec<Word<'_>> = words(text).map(|word| Word::of(word, rules)).collect();
        let whole = Part::of(&read);
        let lead = match words(first_clause(text)).count() {
            all if all == read.len() => whole.clone(),
            first => Part::of(read.get(..first).unwrap_or_default()),
        };
        let written: Vec<&str> = read.iter().map(|word| word.written).collect();
        let sequence: Vec<CompactString> = read.into_iter().map(|word| word.lower).collect();
        let is_unspaced = text.chars().any(is_unspaced);
        let (asserted, mut turns) = Turns::asserted(text, rules);
        turns.follow(text, former, rules);
        let asserts_nothing = match &asserted {
            Cow::Borrowed(_) => whole.words.is_empty(),
            Cow::Owned(asserted) => part(asserted, rules).words.is_empty(),
        };
        Self {
            which: Which::of(text, &written, &sequence, is_unspaced, rules),
            departures: turns.departures,
            denials: turns.denials,
            subject: subject(&sequence, is_unspaced, rules),
            is_general: !is_unspaced && is_general(&sequence, rules),
            tail: tail(&sequence, rules),
            verbs: verbs(&sequence, rules),
            of_many: of_many(text, &sequence, rules),
            begins_elsewhere: sequence
                .first()
                .is_some_and(|word| rules.is_elsewhere(word)),
            is_adding: sequence.iter().any(|word| rules.is_adding(word)),
            opposed: opposed(&sequence, rules),
            sequence,
            is_change: turns.is_change,
            is_tentative: rules.is_tentative(text) || asserts_nothing,
            is_negated: rules.is_negated(&asserted),
            is_unspaced,
            pieces: pieces(text, rules),
            claims: claims(text, rules),
            specific: specific(&whole.words, rules),
            lead: specific(&lead.words, rules),
            lead_names: specific(&lead.names, rules),
            words: whole.words,
            names: whole.names,
        }
    }

    /// The part of a text that is read.
    #[must_use]
    pub fn read_part(text: &str) -> &str {
        text.get(..text.floor_char_boundary(READ_MAX_BYTES))
            .unwrap_or(text)
    }

    /// Returns whether it is written without blanks between words.
    #[must_use]
    pub fn is_unspaced(&self) -> bool {
        self.is_unspaced
    }

    /// Returns whether it denies something.
    #[must_use]
    pub fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Returns whether it says that something ended.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        !self.departures.is_empty()
    }

    /// Returns whether it says that something changed.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.is_change
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    pub(super) fn has_all(&self, words: &BTreeSet<CompactString>) -> bool {
        words.is_subset(&self.words)
    }
}

/// Ends and changes that a text tells of.
struct Turns {
    departures: Vec<Part>,
    denials: Vec<Denial>,
    is_change: bool,
}

impl Turns {
    fn of(text: &str, rules: &Rules) -> Self {
        Self {
            departures: gone(&rules.departures(text, &text.to_lowercase()), rules),
            denials: denials(text, rules),
            is_change: rules.is_change(text),
        }
    }

    /// Adds what held before what a text says.
    fn follow(&mut self, text: &str, former: Option<&str>, rules: &Rules) {
        let Some(gone) = former else { return };
        let around = [text, ""];
        self.departures
            .extend(self::gone(&[Departed { gone, around }], rules));
        self.is_change = true;
    }

    /// The part of a text that says what is so, with its ends and changes. A text that speaks of
    /// none and asks nothing is taken whole: to look costs more than to read the rest.
    fn asserted<'t>(text: &'t str, rules: &Rules) -> (Cow<'t, str>, Self) {
        let turns = Self::of(text, rules);
        let is_plain = turns.departures.is_empty() && turns.denials.is_empty() && !turns.is_change;
        if is_plain && !text.contains(['?', '？']) {
            return (Cow::Borrowed(text), turns);
        }
        let asserted = rules.asserted(text);
        let turns = match &asserted {
            Cow::Borrowed(_) => turns,
            Cow::Owned(asserted) => Self::of(asserted, rules),
        };
        (asserted, turns)
    }
}

/// What stands before the first name in another script: the subject in writing without blanks.
fn unspaced_subject(clause: &str) -> Option<&str> {
    let name = clause.find(|c: char| c.is_ascii_alphabetic())?;
    let before = clause.get(..name)?;
    let length = before.chars().filter(|c| is_unspaced(*c)).count();
    (length >= SUBJECT_CHARS_MIN).then_some(before)
}

/// The parts of a text that say what is not so, or no longer.
pub(super) fn gone(named: &[Departed<'_>], rules: &Rules) -> Vec<Part> {
    let read = |Departed { gone, around }: &Departed<'_>| {
        let gone = part(gone, rules);
        let around = around.iter().filter(|around| !around.contains(is_unspaced));
        let around = around.flat_map(|around| specific(&part(around, rules).words, rules));
        Part {
            around: around.filter(|word| !gone.words.contains(word)).collect(),
            ..gone
        }
    };
    named
        .iter()
        .filter(|departed| departed.gone.split_whitespace().count() <= GONE_WORDS_MAX)
        .map(read)
        .filter(|gone| !gone.words.is_empty())
        .collect()
}

/// The numbers of a text that may stand beside others of their kind.
fn of_many(text: &str, sequence: &[CompactString], rules: &Rules) -> BTreeSet<CompactString> {
    if sequence.iter().any(|word| rules.is_exclusive(word)) {
        return BTreeSet::new();
    }
    let is_kind = |what: &str| words(what).all(|word| !rules.is_form(&lowered(word)));
    let many = rules.many(text).into_iter();
    let named = many
        .filter(|(what, _)| is_kind(what))
        .map(|(_, number)| number);
    named.flat_map(words).map(lowered).collect()
}

/// The parts of a text that say what is not so, each with what else the text says.
fn denials(text: &str, rules: &Rules) -> Vec<Denial> {
    let read = |(denied, gone): (Range<usize>, &str)| {
        let gone = self::gone(
            &[Departed {
                gone,
                around: [""; 2],
            }],
            rules,
        )
        .pop()?;
        let around = [text.get(..denied.start)?, text.get(denied.end..)?];
        let rest = around.into_iter().flat_map(words).map(lowered).collect();
        Some(Denial { gone, rest })
    };
    rules.denials(text).into_iter().filter_map(read).collect()
}

/// The words before the first verb, unless they are too many to name a subject.
fn subject(
    sequence: &[CompactString],
    is_unspaced: bool,
    rules: &Rules,
) -> BTreeSet<CompactString> {
    let verb = if is_unspaced {
        rules.unspaced_verb(sequence)
    } else {
        rules.verb(sequence)
    };
    let before = verb
        .filter(|place| *place <= SUBJECT_WORDS_MAX)
        .unwrap_or(0);
    let telling = sequence.iter().take(before);
    telling
        .filter(|word| !is_of_form(word, rules) && !is_number(word))
        .map(|word| stem(word))
        .filter(|stem| !rules.is_polarity(stem))
        .collect()
}

/// Returns whether only words of form stand before the first verb.
fn is_general(sequence: &[CompactString], rules: &Rules) -> bool {
    let verb = rules.verb(sequence).and_then(|verb| sequence.get(..verb));
    verb.is_some_and(|before| before.iter().all(|word| is_of_form(word, rules)))
}

/// The last word of some for where or when something holds, and the stems of the words behind it;
/// `None` where they are none, too many, or a value.
fn tail(
    sequence: &[CompactString],
    rules: &Rules,
) -> Option<(CompactString, BTreeSet<CompactString>)> {
    let place = sequence.iter().rposition(|word| rules.is_tail(word))?;
    let (before, behind) = (sequence.get(place)?, sequence.get(place + 1..)?);
    let stems: BTreeSet<CompactString> = behind
        .iter()
        .filter(|word| !is_of_form(word, rules))
        .map(|word| stem(word))
        .collect();
    let is_value = behind
        .iter()
        .any(|word| word.contains(|c: char| c.is_ascii_digit()));
    let is_short = (1..=TAIL_WORDS_MAX).contains(&stems.len());
    (is_short && !is_value).then(|| (before.clone(), stems))
}

fn verbs(sequence: &[CompactString], rules: &Rules) -> BTreeSet<CompactString> {
    let verbs = (0..sequence.len()).filter(|place| rules.is_verb_at(sequence, *place));
    verbs
        .filter_map(|place| sequence.get(place))
        .filter(|verb| !rules.is_form(verb))
        .map(|verb| stem(verb))
        .collect()
}

fn opposed(sequence: &[CompactString], rules: &Rules) -> BTreeSet<CompactString> {
    let opposed = sequence.iter().filter(|word| rules.has_opposite(word));
    opposed.cloned().collect()
}

/// Those of some stems that say which thing it is.
pub(super) fn specific(stems: &BTreeSet<CompactString>, rules: &Rules) -> BTreeSet<CompactString> {
    let specific = stems.iter().filter(|stem| !rules.is_generic(stem));
    specific.cloned().collect()
}

/// A text up to the first mark behind which something else may begin, unless that is too short to
/// say anything.
fn first_clause(text: &str) -> &str {
    let is_end = |c: char| matches!(c, ',' | ';' | '(' | '，' | '；' | '。');
    let clause = text.split(is_end).next().unwrap_or(text);
    let clause = clause.split(". ").next().unwrap_or(clause);
    if let Some(subject) = unspaced_subject(clause) {
        return subject;
    }
    if clause.split_whitespace().count() < CLAUSE_WORDS_MIN && !clause.contains(is_unspaced) {
        return text;
    }
    clause
}

/// What a word does in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It carries nothing of what the text says.
    Form,
    /// It is a plain word.
    Plain,
    /// It is written like a name.
    Name,
    /// It is a number, an identifier, a path or a version.
    Exact,
}

/// The words of a text in order: the stem of each, and what it does.
#[must_use]
pub fn tokens(text: &str) -> Vec<(String, Role)> {
    let Some(rules) = rules() else {
        return Vec::new();
    };
    let read = |(place, word): (usize, &str)| {
        let lower = lowered(word);
        let role = match &lower {
            lower if is_of_form(lower, rules) => Role::Form,
            _ if is_exact(word) => Role::Exact,
            _ if is_name(word, place == 0) => Role::Name,
            _ => Role::Plain,
        };
        (stem(&lower).into_string(), role)
    };
    words(text).enumerate().map(read).collect()
}

pub(super) fn part(text: &str, rules: &Rules) -> Part {
    let read: Vec<Word<'_>> = words(text).map(|word| Word::of(word, rules)).collect();
    Part::of(&read)
}

/// The stem of a lower-case word; what is no plain word is its own.
pub(super) fn stem(lower: &str) -> CompactString {
    let is_plain = lower.chars().all(|c| c.is_alphabetic() || c == '-');
    if is_plain {
        stems::stem(lower)
    } else {
        CompactString::new(lower)
    }
}

/// Whether a lower-cased word carries nothing of what a text says.
pub(super) fn is_of_form(lower: &str, rules: &Rules) -> bool {
    let is_letter = lower.len() == 1 && lower.chars().all(|c| c.is_ascii_alphabetic());
    lower.is_empty() || is_letter || rules.is_form(lower)
}

/// The words of a text, without the punctuation around them; each character of a script without
/// blanks is one.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '`' | ',' | ';' | '(' | ')' | '"');
    text.split(is_between)
        .flat_map(single_characters)
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '_' && c != '/')
        })
        .filter(|word| word.chars().any(char::is_alphanumeric))
}

/// Splits a run at each character of a script without blanks.
fn single_characters(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if is_unspaced(first) {
            first.len_utf8()
        } else {
            rest.find(is_unspaced).unwrap_or(rest.len())
        };
        let (word, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(word)
    })
}

pub(super) fn lowered(word: &str) -> CompactString {
    let lower = if word.is_ascii() {
        let mut lower = CompactString::new(word);
        lower.make_ascii_lowercase();
        lower
    } else {
        CompactString::from(word.to_lowercase())
    };
    let plain = lower.strip_suffix("'s").or(lower.strip_suffix("’s"));
    plain.map(CompactString::new).unwrap_or(lower)
}

/// Returns whether a word is a name, an identifier, a path, a version or a number.
fn is_name(word: &str, begins_text: bool) -> bool {
    let is_capital = word.chars().next().is_some_and(char::is_uppercase);
    is_exact(word) || (is_capital && !begins_text)
}

/// Returns whether a word is an identifier, a path, a version or a number.
fn is_exact(word: &str) -> bool {
    let has_inner_capital = word.chars().skip(1).any(char::is_uppercase);
    word.contains(|c: char| c.is_ascii_digit() || matches!(c, '_' | '/'))
        || word.as_bytes().windows(2).any(|pair| pair == b"::")
        || word.trim_end_matches('.').contains('.')
        || has_inner_capital
}

/// Returns whether a word is a number, perhaps with a unit.
pub(super) fn is_number(word: &str) -> bool {
    let word = word.trim_start_matches(['$', 'v']);
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let unit = word.len() - digits.len();
    unit <= 3
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'))
}
