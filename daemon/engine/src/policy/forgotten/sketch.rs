//! Tells a paraphrase from another fact of the same form, by hashes of the words alone.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::Sketch;
use crate::policy::consolidate::{Role, Statement, tokens};

/// Words of a text that are compared: what it says stands at its beginning.
const WORDS_MAX: usize = 400;

/// Share of the words that two texts have in the same order, from which they are of one form: where
/// each has a word of its own then, it is another value.
const ONE_FORM_TENTHS: usize = 7;

/// The bits of a word's hash that say what it does.
const ROLE: u32 = 0b11;

/// Says the opposite of its words.
const NEGATED: u32 = 1;

/// Says that something changed.
const CHANGE: u32 = 1 << 1;

/// Says that something ended.
const ENDING: u32 = 1 << 2;

/// Is written without blanks.
const UNSPACED: u32 = 1 << 3;

/// The lists that each word is in, by the hash of its stem.
static CONTRASTS: LazyLock<HashMap<u32, Vec<usize>>> =
    LazyLock::new(|| contrasts().unwrap_or_default());

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    contrasts: Vec<Vec<String>>,
}

fn contrasts() -> Result<HashMap<u32, Vec<usize>>, toml::de::Error> {
    let table: Table = toml::from_str(include_str!("contrasts.toml"))?;
    let mut lists: HashMap<u32, Vec<usize>> = HashMap::new();
    for (list, words) in table.contrasts.iter().enumerate() {
        for word in words {
            for (stem, _) in tokens(word) {
                lists.entry(hash(&stem)).or_default().push(list);
            }
        }
    }
    Ok(lists)
}

/// Reads a text. The hashes are the same in every version of Helix that reads words as this one
/// does; in others fewer paraphrases are recognised.
#[must_use]
pub fn sketch(text: &str) -> Sketch {
    let read = tokens(text).into_iter().take(WORDS_MAX);
    let words = read.map(|(stem, role)| hash(&stem) | bits(role)).collect();
    let statement = Statement::of(text);
    let mut turns = 0;
    for (is_turned, bit) in [
        (statement.is_negated(), NEGATED),
        (statement.is_change(), CHANGE),
        (statement.is_ending(), ENDING),
        (statement.is_unspaced(), UNSPACED),
    ] {
        turns |= if is_turned { bit } else { 0 };
    }
    Sketch { words, turns }
}

/// Returns whether a text says another thing than the one that was forgotten, however alike they
/// are in meaning: it has another value, or, in a sentence of the same form, another word of
/// substance.
#[must_use]
pub fn is_another_fact(forgotten: &Sketch, returning: &Sketch) -> bool {
    let is_of_one_form = || Words::of(forgotten).is_of_one_form(&Words::of(returning));
    has_another_value(forgotten, returning) || is_of_one_form()
}

/// Returns whether a text denies the one that was forgotten, speaks of a change, or has a number, a
/// name or a word in place of one that excludes it. False where nothing is known of the other's
/// words.
#[must_use]
pub fn has_another_value(forgotten: &Sketch, returning: &Sketch) -> bool {
    if forgotten.is_empty() {
        return false;
    }
    let is_turned = (forgotten.turns ^ returning.turns) & (NEGATED | CHANGE | ENDING) != 0;
    let (old, new) = (Words::of(forgotten), Words::of(returning));
    is_turned || old.names_another(&new) || old.contrasts_with(&new)
}

/// Returns whether two texts have a word of substance in common.
#[must_use]
pub fn share_a_word(one: &Sketch, other: &Sketch) -> bool {
    let (one, other) = (Words::of(one), Words::of(other));
    one.substance
        .intersection(&other.substance)
        .next()
        .is_some()
}

/// A hash of a stem whose lowest bits are free.
fn hash(stem: &str) -> u32 {
    let hash = *blake3::hash(stem.as_bytes()).as_bytes();
    hash.first_chunk().copied().map_or(0, u32::from_le_bytes) & !ROLE
}

const fn bits(role: Role) -> u32 {
    match role {
        Role::Form => 0,
        Role::Plain => 1,
        Role::Name => 2,
        Role::Exact => 3,
    }
}

/// A text's words by what they do.
struct Words {
    /// All of them, in order.
    order: Vec<u32>,
    /// All of them.
    all: BTreeSet<u32>,
    /// Those that are not of form.
    substance: BTreeSet<u32>,
    /// Those that are written like names.
    names: BTreeSet<u32>,
    /// Numbers, identifiers, paths and versions.
    exact: BTreeSet<u32>,
    is_unspaced: bool,
}

impl Words {
    fn of(sketch: &Sketch) -> Self {
        let of = |role: Role| {
            let words = sketch.words.iter();
            let of_role = words.filter(move |word| **word & ROLE == bits(role));
            of_role.map(|word| word & !ROLE).collect::<BTreeSet<u32>>()
        };
        let (names, exact) = (of(Role::Name), of(Role::Exact));
        let mut substance = of(Role::Plain);
        substance.extend(&names);
        substance.extend(&exact);
        let order: Vec<u32> = sketch.words.iter().map(|word| word & !ROLE).collect();
        Self {
            all: order.iter().copied().collect(),
            order,
            substance,
            names,
            exact,
            is_unspaced: sketch.turns & UNSPACED != 0,
        }
    }

    /// Whether only one of two texts has some number or identifier, or only the new one some name.
    fn names_another(&self, new: &Self) -> bool {
        !self.exact.is_subset(&new.all)
            || !new.exact.is_subset(&self.all)
            || !new.names.is_subset(&self.all)
    }

    /// Returns whether each of two texts has a word that excludes one of the other.
    fn contrasts_with(&self, new: &Self) -> bool {
        let old_only = lists(self.all.difference(&new.all));
        let new_only = lists(new.all.difference(&self.all));
        !old_only.is_disjoint(&new_only)
    }

    /// Returns whether two texts are of one form, and each has a word of substance of its own.
    fn is_of_one_form(&self, new: &Self) -> bool {
        let has_more = |one: &Self, other: &Self| !one.substance.is_subset(&other.all);
        if !has_more(self, new) || !has_more(new, self) {
            return false;
        }
        let longest = self.order.len().max(new.order.len());
        self.is_unspaced || in_common(&self.order, &new.order) * 10 >= longest * ONE_FORM_TENTHS
    }
}

/// The lists that some words are in.
fn lists<'w>(words: impl Iterator<Item = &'w u32>) -> BTreeSet<usize> {
    let lists = words.filter_map(|word| CONTRASTS.get(word));
    lists.flatten().copied().collect()
}

/// The length of the longest sequence of words that two texts have in the same order.
fn in_common(one: &[u32], other: &[u32]) -> usize {
    let mut lengths = vec![0; other.len() + 1];
    for word in one {
        let mut before = 0;
        for (place, candidate) in other.iter().enumerate() {
            let above = lengths.get(place + 1).copied().unwrap_or_default();
            let left = lengths.get(place).copied().unwrap_or_default();
            let length = if word == candidate {
                before + 1
            } else {
                above.max(left)
            };
            if let Some(slot) = lengths.get_mut(place + 1) {
                *slot = length;
            }
            before = above;
        }
    }
    lengths.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde::Deserialize;

    use super::*;
    use crate::model::{Departure, Origin, Timestamp, Tombstone};
    use crate::policy::forgotten::{Returning, text_hash, word_hashes};

    const FORGOTTEN: &str = "The billing service listens on port 8081.";

    #[derive(Deserialize)]
    struct Pair {
        forgotten: String,
        returning: String,
        same: bool,
    }

    fn stone(text: &str) -> Tombstone {
        Tombstone {
            scope: "global".to_owned(),
            text_hash: text_hash(text),
            word_hashes: word_hashes(text),
            sketch: sketch(text),
            code: Vec::new(),
            model: String::new(),
            departure: Departure::Forgotten,
            origin: Origin::User,
            agent: String::new(),
            at: Timestamp::default(),
            handle: "t/h".to_owned(),
        }
    }

    #[test]
    fn the_lists_are_read() {
        let lists = contrasts().unwrap();
        assert!(lists.len() > 100, "{}", lists.len());
    }

    #[test]
    fn another_value_makes_another_fact() {
        let forgotten = sketch(FORGOTTEN);
        for another in [
            "The billing service listens on port 8082.",
            "The search service listens on port 8081.",
            "The billing service no longer listens on port 8081.",
            "The billing service does not listen on port 8081.",
            "Billing answers on port 8081 of Gandalf.",
        ] {
            assert!(is_another_fact(&forgotten, &sketch(another)), "{another}");
        }
        for same in [
            "Billing answers on port 8081.",
            "Port 8081 is where the billing service listens.",
        ] {
            assert!(!is_another_fact(&forgotten, &sketch(same)), "{same}");
        }
        let (one, other) = (
            "Production is deployed daily by the bot.",
            "The bot deploys to staging each day.",
        );
        assert!(is_another_fact(&sketch(one), &sketch(other)));
    }

    #[test]
    fn what_is_nearly_the_same_in_words_is_not_the_same_with_another_value() {
        let stone = stone(FORGOTTEN);
        assert!(Returning::of("the billing service listens on port 8081").is(&stone));
        assert!(Returning::of("The billing service still listens on port 8081.").is(&stone));
        assert!(!Returning::of("The billing service listens on port 8082.").is(&stone));
    }

    #[test]
    fn words_alone_take_few_near_misses_for_what_was_forgotten() {
        let pairs = include_str!("../../../../../tests/fixtures/forgotten-pairs.json");
        let pairs: Vec<Pair> = serde_json::from_str(pairs).unwrap();
        let near_misses = pairs.iter().filter(|pair| !pair.same);
        let taken = near_misses
            .filter(|pair| Returning::of(&pair.returning).is(&stone(&pair.forgotten)))
            .map(|pair| pair.returning.as_str());
        let taken: Vec<&str> = taken.collect();
        assert!(taken.len() <= 14, "{taken:?}");
    }
}
