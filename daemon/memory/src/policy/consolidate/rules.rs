//! The patterns of `consolidate.toml`, compiled.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use compact_str::CompactString;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::statement::stem;
use crate::policy::resemble::is_unspaced;

/// Bytes of a word that may be a verb by its ending, at least: `red` and `seed` are none.
const PAST_MIN_BYTES: usize = 5;

static COMPILED: LazyLock<Option<Rules>> = LazyLock::new(|| Rules::read().ok());

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    replacements: Vec<String>,
    endings: Vec<String>,
    former: Vec<String>,
    occasions: String,
    departing: String,
    denials: Vec<String>,
    elsewhere: String,
    tails: String,
    joining: String,
    changes: Vec<String>,
    tentative: Vec<String>,
    unasserted: Vec<String>,
    negations: Vec<String>,
    predicates: Vec<String>,
    many: Vec<String>,
    exclusive: String,
    adding: String,
    form: String,
    capitals: String,
    generic: String,
    antonyms: String,
    verbs: String,
    before_nouns: String,
    unspaced_verbs: String,
    units: String,
    numbered: String,
    needing: String,
    polarity: String,
    ordinals: String,
    environments: String,
    bounds: String,
}

/// Why the rules cannot be used; a test keeps such a build from being made.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuleError {
    #[error("reading consolidate.toml: {0}")]
    Table(#[from] toml::de::Error),
    #[error("compiling a pattern of consolidate.toml: {0}")]
    Pattern(#[from] regex::Error),
    #[error("compiling the words of consolidate.toml: {0}")]
    Words(#[from] aho_corasick::BuildError),
}

/// Patterns of which hardly any fits a text: one pass says which do.
struct Patterns {
    each: Vec<Regex>,
    any: RegexSet,
}

impl Patterns {
    fn fitting(&self, text: &str) -> impl Iterator<Item = &Regex> {
        let places = self.any.matches(text).into_iter();
        places.filter_map(|place| self.each.get(place))
    }
}

/// The compiled rules.
pub(super) struct Rules {
    departures: Vec<Departure>,
    /// Ends of texts that name what held before.
    former: Patterns,
    /// Begins when or why something is so.
    occasions: Regex,
    /// Words of which a text with one has some, found in one pass.
    departing: AhoCorasick,
    denials: Patterns,
    elsewhere: FxHashSet<String>,
    tails: FxHashSet<String>,
    joining: FxHashSet<String>,
    changes: RegexSet,
    tentative: RegexSet,
    unasserted: Vec<Regex>,
    negations: Vec<Regex>,
    predicates: RegexSet,
    many: Vec<Regex>,
    /// Lower-case words beside which a value is the only one.
    exclusive: FxHashSet<String>,
    adding: FxHashSet<String>,
    form: FxHashSet<String>,
    capitals: FxHashSet<String>,
    /// Stems of words that say only of what sort a thing is.
    generic: FxHashSet<CompactString>,
    /// Lower-case words of which only one can hold.
    antonyms: Vec<(String, String)>,
    /// All of those words.
    opposed: FxHashSet<String>,
    /// Lower-case words that end the subject of a sentence.
    verbs: FxHashSet<String>,
    /// Lower-case words behind which no verb stands.
    before_nouns: FxHashSet<String>,
    /// Characters that end it in writing without blanks.
    unspaced_verbs: FxHashSet<String>,
    units: FxHashSet<String>,
    /// Lower-case words for one of many that a number behind them tells apart.
    numbered: FxHashSet<String>,
    /// Lower-case words behind which such a word is the value: `requires Node 18`.
    needing: FxHashSet<String>,
    /// Stems of words that deny a statement or strengthen it and say nothing else.
    polarity: FxHashSet<CompactString>,
    ordinals: FxHashSet<String>,
    /// Words for where something holds, each with the one it is compared as.
    environments: Names,
    /// Words for a bound, each with the bound.
    bounds: Names,
}

/// The rules; `None` in a build that cannot be used, where nothing is decided.
pub(super) fn rules() -> Option<&'static Rules> {
    COMPILED.as_ref()
}

impl Rules {
    pub(super) fn read() -> Result<Self, RuleError> {
        let table: Table = toml::from_str(include_str!("../consolidate.toml"))?;
        let one = |pattern: &String| RegexBuilder::new(pattern).case_insensitive(true).build();
        let set = |patterns: &[String]| {
            RegexSetBuilder::new(patterns)
                .case_insensitive(true)
                .build()
        };
        Ok(Self {
            departures: departures(&table)?,
            former: Patterns {
                each: table.former.iter().map(one).collect::<Result<_, _>>()?,
                any: set(&table.former)?,
            },
            occasions: one(&table.occasions)?,
            departing: AhoCorasick::new(table.departing.split_whitespace())?,
            denials: Patterns {
                each: table.denials.iter().map(one).collect::<Result<_, _>>()?,
                any: set(&table.denials)?,
            },
            elsewhere: words(&table.elsewhere).collect(),
            tails: words(&table.tails).collect(),
            joining: words(&table.joining).collect(),
            changes: set(&table.changes)?,
            tentative: set(&table.tentative)?,
            unasserted: table.unasserted.iter().map(one).collect::<Result<_, _>>()?,
            negations: table.negations.iter().map(one).collect::<Result<_, _>>()?,
            predicates: set(&table.predicates)?,
            many: table.many.iter().map(one).collect::<Result<_, _>>()?,
            exclusive: words(&table.exclusive).collect(),
            adding: words(&table.adding).collect(),
            form: words(&table.form).collect(),
            capitals: words(&table.capitals).collect(),
            generic: table.generic.split_whitespace().map(stem).collect(),
            opposed: words(&table.antonyms.replace(':', " ")).collect(),
            antonyms: pairs(&table.antonyms),
            verbs: words(&table.verbs).collect(),
            before_nouns: words(&table.before_nouns).collect(),
            unspaced_verbs: words(&table.unspaced_verbs).collect(),
            units: words(&table.units).collect(),
            numbered: words(&table.numbered).collect(),
            needing: words(&table.needing).collect(),
            polarity: table.polarity.split_whitespace().map(stem).collect(),
            ordinals: words(&table.ordinals).collect(),
            environments: Names::of(&table.environments),
            bounds: Names::of(&table.bounds),
        })
    }

    /// Lists the statements of a text that something has ended; `lower` is the text in lower case.
    pub(super) fn departures<'t>(&self, text: &'t str, lower: &str) -> Vec<Departed<'t>> {
        let found = self.departing.find_overlapping_iter(lower);
        let found: BTreeSet<usize> = found.map(|word| word.pattern().as_usize()).collect();
        if found.is_empty() {
            return Vec::new();
        }
        let departures = self.departures.iter();
        let fitting = departures.filter(|departure| !departure.words.is_disjoint(&found));
        let named = fitting.flat_map(|departure| {
            let gone = self.gone(std::iter::once(&departure.pattern), text);
            gone.into_iter().map(|(place, gone)| {
                let around = if departure.is_replaced {
                    [""; 2]
                } else {
                    self.clause(text, place)
                };
                Departed {
                    gone: self.before_occasion(gone),
                    around,
                }
            })
        });
        named.collect()
    }

    /// A text up to an end that names what held before, and that.
    pub(super) fn without_former<'t>(&self, text: &'t str) -> (&'t str, Option<&'t str>) {
        let text = text.trim_end();
        let former = self.former.fitting(text).find_map(|pattern| {
            let captures = pattern.captures(text)?;
            let (end, gone) = (captures.get(0)?, captures.name("gone")?);
            let rest = text.get(..end.start())?.trim_end();
            (!rest.is_empty()).then_some((rest, Some(gone.as_str())))
        });
        former.unwrap_or((text, None))
    }

    /// The clause around a place of a text, before and behind it, up to a word for when or why.
    fn clause<'t>(&self, text: &'t str, place: Range<usize>) -> [&'t str; 2] {
        let before = text.get(..place.start).unwrap_or_default();
        let before = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
        let behind = text.get(place.end..).unwrap_or_default();
        let behind = behind.split(CLAUSE_ENDS).next().unwrap_or_default();
        [before, behind].map(|clause| self.before_occasion(clause))
    }

    /// A part of a text up to a word for when or why.
    pub(super) fn before_occasion<'t>(&self, part: &'t str) -> &'t str {
        let end = self.occasions.find(part).map(|found| found.start());
        end.and_then(|end| part.get(..end)).unwrap_or(part)
    }

    /// Lists what a text says is not so, each with the place of the words that say it.
    pub(super) fn denials<'t>(&self, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
        self.gone(self.denials.fitting(text), text)
    }

    fn gone<'r, 't>(
        &self,
        patterns: impl Iterator<Item = &'r Regex>,
        text: &'t str,
    ) -> Vec<(Range<usize>, &'t str)> {
        let is_elsewhere = |gone: &str| {
            let first = gone.split_whitespace().next().unwrap_or_default();
            self.is_elsewhere(&first.to_lowercase())
        };
        patterns
            .flat_map(|pattern| pattern.captures_iter(text))
            .filter_map(|captures| {
                let gone = captures.name("gone")?.as_str();
                let gone = gone.split(" but ").next().unwrap_or(gone);
                Some((captures.get(0)?.range(), gone))
            })
            .filter(|(_, gone)| !is_elsewhere(gone))
            .collect()
    }

    /// Returns whether a text says that something changed.
    pub(super) fn is_change(&self, text: &str) -> bool {
        self.changes.is_match(text)
    }

    /// Returns whether a lower-case word that begins something makes it a time or place.
    pub(super) fn is_elsewhere(&self, word: &str) -> bool {
        self.elsewhere.contains(word)
    }

    /// Returns whether behind a lower-case word stands where or when something holds.
    pub(super) fn is_tail(&self, word: &str) -> bool {
        self.tails.contains(word)
    }

    /// Returns whether a word, in whatever case, begins a further part of a list or another clause.
    pub(super) fn joins(&self, word: &str) -> bool {
        self.joining.contains(word) || self.joining.contains(word.to_lowercase().as_str())
    }

    /// Returns whether a text says what may come, or what somebody thought of.
    pub(super) fn is_tentative(&self, text: &str) -> bool {
        self.tentative.is_match(text)
    }

    /// A text without its questions, its conditions and what others say.
    pub(super) fn asserted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut asserted = Cow::Borrowed(text);
        for pattern in &self.unasserted {
            if pattern.is_match(&asserted) {
                asserted = Cow::Owned(pattern.replace_all(&asserted, ". ").into_owned());
            }
        }
        asserted
    }

    /// Returns whether a text denies what its words say.
    pub(super) fn is_negated(&self, text: &str) -> bool {
        let negations = self.negations.iter();
        let count: usize = negations
            .map(|negation| negation.find_iter(text).count())
            .sum();
        count % 2 == 1
    }

    /// Lists the values of a text that stand beside others of their kind, each with the words for
    /// the kind.
    pub(super) fn many<'t>(&self, text: &'t str) -> Vec<(&'t str, &'t str)> {
        let captures = self
            .many
            .iter()
            .flat_map(|pattern| pattern.captures_iter(text));
        captures
            .filter_map(|found| Some((found.name("what")?.as_str(), found.name("n")?.as_str())))
            .collect()
    }

    /// Returns whether a value beside a lower-case word is the only one, or a bound.
    pub(super) fn is_exclusive(&self, word: &str) -> bool {
        self.exclusive.contains(word)
    }

    /// Returns whether a lower-case word says that both hold.
    pub(super) fn is_adding(&self, word: &str) -> bool {
        self.adding.contains(word)
    }

    /// Returns whether a text ends where the only value of something is to follow.
    pub(super) fn ends_in_predicate(&self, text: &str) -> bool {
        self.predicates.is_match(text)
    }

    /// Returns whether a stem says only of what sort a thing is.
    pub(super) fn is_generic(&self, stem: &str) -> bool {
        self.generic.contains(stem)
    }

    /// Returns whether only one of two lower-case words can hold.
    pub(super) fn are_opposite(&self, one: &str, other: &str) -> bool {
        self.antonyms
            .iter()
            .any(|(left, right)| (left == one && right == other) || (left == other && right == one))
    }

    /// Returns whether a lower-case word has an opposite.
    pub(super) fn has_opposite(&self, word: &str) -> bool {
        self.opposed.contains(word)
    }

    /// Returns whether a lower-case word ends the subject of a sentence.
    pub(super) fn is_verb(&self, word: &str) -> bool {
        let is_past = word.len() >= PAST_MIN_BYTES && word.ends_with("ed") && word.is_ascii();
        is_past || self.verbs.contains(word)
    }

    /// The place of the first verb of some lower-case words. One that begins them before another is
    /// a noun: `uploads go`.
    pub(super) fn verb(&self, sequence: &[CompactString]) -> Option<usize> {
        let is_verb = |place: usize| self.is_verb_at(sequence, place);
        (0..sequence.len()).find(|place| is_verb(*place) && !(*place == 0 && is_verb(1)))
    }

    /// Returns whether some lower-case words have a verb at a place: behind a word that a noun
    /// follows, as in `the timeout of returns`, none stands.
    pub(super) fn is_verb_at(&self, sequence: &[CompactString], place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|before| sequence.get(before));
        let is_noun = before.is_some_and(|before| self.before_nouns.contains(before.as_str()));
        !is_noun && sequence.get(place).is_some_and(|word| self.is_verb(word))
    }

    /// The place of the character that ends the subject in writing without blanks.
    pub(super) fn unspaced_verb(&self, sequence: &[CompactString]) -> Option<usize> {
        let mut words = sequence.iter();
        words.position(|word| self.unspaced_verbs.contains(word.as_str()))
    }

    /// Returns whether a lower-case word is a unit of measure.
    pub(super) fn is_unit(&self, word: &str) -> bool {
        self.units.contains(word)
    }

    /// Returns whether a number behind a lower-case word tells one of many apart.
    pub(super) fn is_numbered(&self, word: &str) -> bool {
        self.numbered.contains(word)
    }

    /// Returns whether what follows a lower-case word is needed, whatever word it is.
    pub(super) fn is_needing(&self, word: &str) -> bool {
        self.needing.contains(word)
    }

    /// Returns whether a stem denies a statement or strengthens it, and says nothing else.
    pub(super) fn is_polarity(&self, stem: &str) -> bool {
        self.polarity.contains(stem)
    }

    /// Returns whether a lower-case word tells one of a few apart.
    pub(super) fn is_ordinal(&self, word: &str) -> bool {
        self.ordinals.contains(word)
    }

    /// Words for where something holds.
    pub(super) fn environments(&self) -> &Names {
        &self.environments
    }

    /// Words for a bound.
    pub(super) fn bounds(&self) -> &Names {
        &self.bounds
    }

    /// Returns whether a word, as it is written, is a name that would be of form in lower case.
    pub(super) fn is_capital_name(&self, word: &str) -> bool {
        self.capitals.contains(word)
    }

    /// Returns whether a lower-case word carries nothing of what a statement says.
    pub(super) fn is_form(&self, word: &str) -> bool {
        self.form.contains(word)
    }
}

/// Lower-case words that name something, each with the name that it is compared as.
pub(super) struct Names {
    of: FxHashMap<String, String>,
    /// Those that are written without blanks: they stand within a run.
    unspaced: Vec<(String, String)>,
}

impl Names {
    fn of(listed: &str) -> Self {
        let (unspaced, spaced): (Vec<_>, Vec<_>) = pairs(listed)
            .into_iter()
            .partition(|(word, _)| word.contains(is_unspaced));
        Self {
            of: spaced.into_iter().collect(),
            unspaced,
        }
    }

    /// The name that a lower-case word stands for.
    pub(super) fn get(&self, word: &str) -> Option<&str> {
        self.of.get(word).map(String::as_str)
    }

    /// The names within a text that is written without blanks.
    pub(super) fn unspaced(&self, text: &str) -> impl Iterator<Item = &str> {
        let named = self.unspaced.iter();
        named
            .filter(|(word, _)| text.contains(word.as_str()))
            .map(|(_, name)| name.as_str())
    }
}

fn words(listed: &str) -> impl Iterator<Item = String> {
    listed.split_whitespace().map(str::to_owned)
}

/// How a text names what ended.
struct Departure {
    pattern: Regex,
    /// The places of the words of the list that the pattern has: a text with none of them does not
    /// fit.
    words: BTreeSet<usize>,
    /// Whether its clause names what took the place.
    is_replaced: bool,
}

/// Something that a text says has ended.
#[derive(Debug)]
pub(super) struct Departed<'t> {
    /// The words for it.
    pub(super) gone: &'t str,
    /// The clause before and behind them, where that says of which thing it is said.
    pub(super) around: [&'t str; 2],
}

/// Marks at which a clause ends.
const CLAUSE_ENDS: [char; 10] = [',', ';', ':', '(', ')', '。', '，', '；', '：', '\n'];

/// Begins the part of a pattern that names what ended.
const GONE: &str = "(?P<gone>";

fn departures(table: &Table) -> Result<Vec<Departure>, RuleError> {
    let departure = |(written, is_replaced): (&String, bool)| {
        let words = table.departing.split_whitespace().enumerate();
        let own = written.replace(GONE, "");
        let words = words.filter(|(_, word)| own.contains(word));
        Ok(Departure {
            words: words.map(|(place, _)| place).collect(),
            pattern: RegexBuilder::new(written).case_insensitive(true).build()?,
            is_replaced,
        })
    };
    let replacements = table.replacements.iter().map(|written| (written, true));
    let endings = table.endings.iter().map(|written| (written, false));
    replacements.chain(endings).map(departure).collect()
}

/// Pairs of words with a colon between them.
pub(super) fn pairs(listed: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (one, other) = pair.split_once(':')?;
        Some((one.to_owned(), other.to_owned()))
    };
    listed.split_whitespace().filter_map(pair).collect()
}
