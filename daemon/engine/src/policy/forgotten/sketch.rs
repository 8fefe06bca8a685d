//! Tells a paraphrase from another fact of the same form, by hashes of the words alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::reading::{Part, opposed, read};
use crate::model::Sketch;
use crate::policy::consolidate::tokens;

/// Words of a text that are compared: what it says stands at its beginning.
const WORDS_MAX: usize = 400;

/// Share of the words that two texts have in the same order, from which they are of one form: where
/// each has a word of its own then, it is another value.
const ONE_FORM_TENTHS: usize = 7;

/// The bits of a word's hash that say what it does.
const PART: u32 = 0b111;

/// The bit of a word's hash that says that it is denied.
const DENIED: u32 = 1 << 3;

/// Says that something changed.
const CHANGE: u32 = 1 << 1;

/// Is written without blanks.
const UNSPACED: u32 = 1 << 3;

/// Has nouns with capitals.
const GERMAN: u32 = 1 << 4;

/// Was read as this version reads.
const CURRENT: u32 = 1 << 5;

/// The lists that each word is in, by the hash of its stem.
static CONTRASTS: LazyLock<HashMap<u32, Vec<usize>>> =
    LazyLock::new(|| contrasts().unwrap_or_default());

/// Words of which each of two texts has one, by their hashes.
static OPPOSED: LazyLock<Vec<(u32, u32)>> = LazyLock::new(|| {
    let pairs = opposed().iter();
    pairs.map(|(one, other)| (hash(one), hash(other))).collect()
});

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
    let read = read(text);
    let words = read.words.into_iter().take(WORDS_MAX);
    let words = words.map(|word| {
        let denied = if word.is_denied { DENIED } else { 0 };
        hash(&word.stem) | bits(word.part) | denied
    });
    let mut turns = CURRENT;
    for (holds, bit) in [
        (read.is_change, CHANGE),
        (read.is_unspaced, UNSPACED),
        (read.is_german, GERMAN),
    ] {
        turns |= if holds { bit } else { 0 };
    }
    Sketch {
        words: words.collect(),
        turns,
    }
}

/// Returns whether a sketch was made by another version of Helix, which read texts in another way.
#[must_use]
pub fn is_outdated(sketch: &Sketch) -> bool {
    sketch.turns & CURRENT == 0
}

/// Returns whether a text says another thing than the one that was forgotten, however alike they
/// are in meaning: it has another value, or, in a sentence of the same form, another word of
/// substance.
#[must_use]
pub fn is_another_fact(forgotten: &Sketch, returning: &Sketch) -> bool {
    let is_of_one_form = || Words::of(forgotten).is_of_one_form(&Words::of(returning));
    has_another_value(forgotten, returning) || is_of_one_form()
}

/// Returns whether a text denies what was forgotten, speaks of a change, or has a number, a name or
/// a word in place of one that excludes it. False where nothing is known of the other's words.
#[must_use]
pub fn has_another_value(forgotten: &Sketch, returning: &Sketch) -> bool {
    if is_outdated(forgotten) {
        return false;
    }
    let (old, new) = (Words::of(forgotten), Words::of(returning));
    (forgotten.turns ^ returning.turns) & CHANGE != 0
        || old.denies_another(&new)
        || old.names_another(&new)
        || old.contrasts_with(&new)
}

/// Returns the share of its words of substance that the text which has more of its own shares with
/// the other, between 0 and 1, and whether they are written without blanks.
#[must_use]
pub fn shared_words(one: &Sketch, other: &Sketch) -> (f32, bool) {
    let (one, other) = (Words::of(one), Words::of(other));
    let shared = one.substance.intersection(&other.substance).count();
    let longest = one.substance.len().max(other.substance.len()).max(1);
    #[expect(clippy::cast_precision_loss, reason = "some hundred words")]
    let share = shared as f32 / longest as f32;
    (share, one.is_unspaced)
}

/// A hash of a stem whose lowest bits are free.
fn hash(stem: &str) -> u32 {
    let hash = *blake3::hash(stem.as_bytes()).as_bytes();
    hash.first_chunk().copied().map_or(0, u32::from_le_bytes) & !(PART | DENIED)
}

const fn bits(part: Part) -> u32 {
    match part {
        Part::Form => 0,
        Part::Plain => 1,
        Part::Name => 2,
        Part::Exact => 3,
        Part::Unit => 4,
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
    /// Numbers, measures, identifiers, paths and versions.
    exact: BTreeSet<u32>,
    /// Units of measure without a number.
    units: BTreeSet<u32>,
    /// In which ways each word of substance stands there.
    senses: BTreeMap<u32, Senses>,
    is_unspaced: bool,
    is_german: bool,
}

/// In which ways a word stands in a text.
#[derive(Clone, Copy, Debug, Default)]
struct Senses {
    is_affirmed: bool,
    is_denied: bool,
}

impl Words {
    fn of(sketch: &Sketch) -> Self {
        let plain = |word: &u32| word & !(PART | DENIED);
        let of = |part: Part| {
            let words = sketch.words.iter();
            let of_part = words.filter(move |word| **word & PART == bits(part));
            of_part.map(plain).collect::<BTreeSet<u32>>()
        };
        let (names, exact, units) = (of(Part::Name), of(Part::Exact), of(Part::Unit));
        let mut substance = of(Part::Plain);
        substance.extend(names.iter().chain(&exact).chain(&units));
        let mut senses: BTreeMap<u32, Senses> = BTreeMap::new();
        for word in sketch
            .words
            .iter()
            .filter(|word| **word & PART != bits(Part::Form))
        {
            let senses = senses.entry(plain(word)).or_default();
            senses.is_denied |= word & DENIED != 0;
            senses.is_affirmed |= word & DENIED == 0;
        }
        let order: Vec<u32> = sketch.words.iter().map(plain).collect();
        Self {
            all: order.iter().copied().collect(),
            order,
            substance,
            names,
            exact,
            units,
            senses,
            is_unspaced: sketch.turns & UNSPACED != 0,
            is_german: sketch.turns & GERMAN != 0,
        }
    }

    /// Whether two texts say of a common word that it holds and that it does not. A word around
    /// them may stand in either clause of "this, not that" while what is denied is denied in both.
    fn denies_another(&self, new: &Self) -> bool {
        let common = self
            .senses
            .iter()
            .filter_map(|(word, old)| Some((old, new.senses.get(word)?)));
        let (mut is_ended, mut is_begun, mut is_agreed) = (false, false, false);
        for (old, new) in common {
            is_agreed |= old.is_denied && new.is_denied;
            is_ended |= !old.is_denied && !new.is_affirmed;
            is_begun |= !old.is_affirmed && !new.is_denied;
        }
        (is_ended && is_begun) || ((is_ended || is_begun) && !is_agreed)
    }

    /// Whether only one of two texts has some number or identifier, each another unit, or only the
    /// new one some name. In German every noun looks like one, so there each has one of its own.
    fn names_another(&self, new: &Self) -> bool {
        let has_own = |of: &BTreeSet<u32>, other: &Self| !of.is_subset(&other.all);
        has_own(&self.exact, new)
            || has_own(&new.exact, self)
            || (has_own(&self.units, new) && has_own(&new.units, self))
            || (has_own(&new.names, self)
                && (!(self.is_german && new.is_german) || has_own(&self.names, new)))
    }

    /// Returns whether each of two texts has a word that excludes one of the other.
    fn contrasts_with(&self, new: &Self) -> bool {
        let old_only = lists(self.all.difference(&new.all));
        let new_only = lists(new.all.difference(&self.all));
        !old_only.is_disjoint(&new_only) || self.is_opposed_to(new)
    }

    /// Returns whether each of two texts has one of two words that exclude each other.
    fn is_opposed_to(&self, new: &Self) -> bool {
        let has_own = |one: &Self, word: &u32, other: &Self| {
            one.all.contains(word) && !other.all.contains(word)
        };
        OPPOSED.iter().any(|(left, right)| {
            (has_own(self, left, new) && has_own(new, right, self))
                || (has_own(self, right, new) && has_own(new, left, self))
        })
    }

    /// Returns whether two texts are of one form, and each has a word of substance of its own.
    fn is_of_one_form(&self, new: &Self) -> bool {
        let has_more = |one: &Self, other: &Self| !one.substance.is_subset(&other.all);
        if !has_more(self, new) || !has_more(new, self) {
            return false;
        }
        let longest = self.order.len().max(new.order.len());
        in_common(&self.order, &new.order) * 10 >= longest * ONE_FORM_TENTHS
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
        assert!(lists.len() > 80, "{}", lists.len());
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
