//! Finding texts that share rare words, cheaply.

use super::statistics::idf;
use super::{LexicalError, LexicalIndex, LexicalQuery, Mode};

/// Memories of the strand on which the weights of relevance were fitted, about.
const REFERENCE_DOCUMENTS: u64 = 200;

/// Memories that a strand counts as having at least.
const DOCUMENTS_MIN: u64 = 50;

/// How telling a query's terms are.
#[derive(Clone, Debug, Default)]
pub struct Rarities {
    /// Of each term, in the query's order, in nats.
    pub of_terms: Vec<f32>,
    /// Factor by which a BM25 score for these terms means the same in a small strand and in a large
    /// one.
    pub score_scale: f32,
    /// How much of the query its words can say here.
    pub telling: Telling,
}

impl Rarities {
    /// How telling a word of the query is: as its term, else as the most telling term that it is
    /// part of. 0 for a word that says nothing.
    #[must_use]
    pub fn of_word(&self, query: &LexicalQuery, word: &str) -> f32 {
        if !LexicalQuery::is_telling(word) {
            return 0.0;
        }
        let word = word.to_lowercase();
        let terms = query.terms().iter().zip(&self.of_terms);
        let best = |is_meant: &dyn Fn(&str) -> bool| {
            let meant = terms.clone().filter(|(term, _)| is_meant(&term.word));
            meant.map(|(_, &rarity)| rarity).max_by(f32::total_cmp)
        };
        best(&|term| term == word)
            .or_else(|| best(&|term| term.contains(&word)))
            .unwrap_or_default()
    }
}

/// A text's words, the rarest first.
#[derive(Clone, Debug)]
pub struct RareWords {
    query: LexicalQuery,
    /// How many memories have a word, and its place in the query.
    by_rarity: Vec<(u64, usize)>,
}

impl RareWords {
    /// Asks for any of the `count` rarest words, whether a memory has them or not.
    #[must_use]
    pub fn rarest(&self, count: usize) -> LexicalQuery {
        let rarest: Vec<usize> = self
            .by_rarity
            .iter()
            .take(count)
            .map(|(_, place)| *place)
            .collect();
        self.query.clone().retain(|place| rarest.contains(&place))
    }

    /// Asks for each of the `count` rarest words that a memory has, one query a word.
    pub fn rarest_known(&self, count: usize) -> impl Iterator<Item = LexicalQuery> {
        let known = self.by_rarity.iter().filter(|(memories, _)| *memories > 0);
        known
            .take(count)
            .map(|(_, known)| self.query.clone().retain(|place| place == *known))
    }
}

/// How much of a query its words can say in a strand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Telling {
    /// The BM25 score, in nats, that singles out one of all memories, or what the query's words say
    /// in all where that is less. A word that one memory has says so much; a name that a tenth of
    /// them have says a third of it among a thousand.
    pub needed: f32,
    /// The share of what its words say that is said by words which some memory has, from 0 to 1.
    pub known: f32,
}

impl LexicalIndex {
    /// Makes a query of a text's `count` rarest words, any of which suffices. Rare words have short
    /// posting lists.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn rarest(&self, text: &str, count: usize) -> Result<LexicalQuery, LexicalError> {
        Ok(self.rare_words(text)?.rarest(count))
    }

    /// Orders a text's words by how many memories have them.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn rare_words(&self, text: &str) -> Result<RareWords, LexicalError> {
        let query = LexicalQuery::parse(text, Mode::Any);
        let mut by_rarity: Vec<(u64, usize)> = self
            .frequencies(&query)?
            .into_iter()
            .enumerate()
            .map(|(place, count)| (count, place))
            .collect();
        by_rarity.sort_unstable();
        Ok(RareWords { query, by_rarity })
    }

    /// How telling a query's terms are: each by the inverse document frequency of BM25, in nats, as
    /// if there were 200 memories, so that it means the same in a small strand and in a large one.
    /// In a very small one a word is not telling for being there once: it counts as if there were
    /// 50.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count is between 0 and the count"
    )]
    pub fn rarities(&self, query: &LexicalQuery) -> Result<Rarities, LexicalError> {
        let documents = self.read().totals().documents;
        let rarity = |frequency: u64| match documents {
            0..=REFERENCE_DOCUMENTS => idf(frequency.min(documents), documents.max(DOCUMENTS_MIN)),
            documents => {
                let share = frequency.min(documents) as f64 / documents as f64;
                idf(
                    (share * REFERENCE_DOCUMENTS as f64).round() as u64,
                    REFERENCE_DOCUMENTS,
                )
            }
        };
        let frequencies = self.frequencies(query)?;
        let of_terms: Vec<f32> = frequencies.iter().copied().map(rarity).collect();
        let (mut asked, mut known) = (0.0_f32, 0.0_f32);
        for &frequency in &frequencies {
            let nats = idf(frequency, documents);
            asked += nats;
            known += if frequency > 0 { nats } else { 0.0 };
        }
        let (mut here, mut everywhere) = (0.0, 0.0);
        for (frequency, rarity) in frequencies.into_iter().zip(&of_terms) {
            if frequency > 0 {
                here += idf(frequency.min(documents), documents);
                everywhere += rarity;
            }
        }
        let score_scale = if here > 0.0 { everywhere / here } else { 1.0 };
        Ok(Rarities {
            of_terms,
            score_scale,
            telling: Telling {
                needed: asked.min((documents as f64).ln_1p() as f32),
                known: if asked > 0.0 { known / asked } else { 1.0 },
            },
        })
    }

    /// Whether any of a query's terms is in few memories: in one of `one_in`, or in `few` of a
    /// small strand.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn is_rare(
        &self,
        query: &LexicalQuery,
        one_in: u64,
        few: u64,
    ) -> Result<bool, LexicalError> {
        let most = few.max(self.read().totals().documents / one_in.max(1));
        Ok(self
            .frequencies(query)?
            .into_iter()
            .any(|frequency| frequency > 0 && frequency <= most))
    }

    /// How often each of a query's terms occurs, over all fields.
    pub(crate) fn frequencies(&self, query: &LexicalQuery) -> Result<Vec<u64>, LexicalError> {
        let state = self.read();
        let mut frequencies = state
            .committed_frequencies(query, &self.fields)
            .map_err(LexicalError::Read)?;
        for generation in state.generations() {
            for (sums, term) in frequencies.iter_mut().zip(query.terms()) {
                for (sum, more) in sums.iter_mut().zip(generation.frequencies(&term.token)) {
                    *sum += more;
                }
            }
        }
        Ok(frequencies
            .iter()
            .map(|counts| counts.iter().sum())
            .collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::document;
    use super::*;

    fn telling(index: &LexicalIndex, words: &str) -> Telling {
        let query = LexicalQuery::parse(words, Mode::Any);
        index.rarities(&query).unwrap().telling
    }

    #[test]
    fn singling_out_takes_more_among_more_memories_and_never_more_than_was_asked() {
        let index = LexicalIndex::in_memory().unwrap();
        let needed = |words: &str| telling(&index, words).needed;
        for number in 0..100 {
            let text = if number == 7 { "socket" } else { "build" };
            index.upsert(0, &document(number, text));
        }
        let among_a_hundred = 101_f32.ln();
        assert!((needed("socket parser") - among_a_hundred).abs() < 1e-4);
        // A word that nearly all have says next to nothing, and no more can be asked of it.
        assert!(needed("build") < 0.1);
        for number in 100..1_000 {
            index.upsert(0, &document(number, "build"));
        }
        assert!(needed("socket parser") > among_a_hundred + 2.0);
    }

    #[test]
    fn a_word_is_as_telling_as_the_term_that_it_is_part_of() {
        let index = LexicalIndex::in_memory().unwrap();
        for number in 0..9 {
            let text = if number == 7 {
                "FxHashSet build"
            } else {
                "build"
            };
            index.upsert(0, &document(number, text));
        }
        let query = LexicalQuery::parse("Why does FxHashSet build?", Mode::Any);
        let rarities = index.rarities(&query).unwrap();
        let telling = |word: &str| rarities.of_word(&query, word);
        assert!(telling("FxHashSet") > telling("build"));
        assert!(telling("Hash") > telling("build"));
        assert!(telling("build") > telling("does"));
        assert!(telling("?").abs() < f32::EPSILON && telling("does").abs() < f32::EPSILON);
    }

    #[test]
    fn words_that_no_memory_has_are_not_known() {
        let index = LexicalIndex::in_memory().unwrap();
        for number in 0..100 {
            let text = if number == 7 { "socket" } else { "build" };
            index.upsert(0, &document(number, text));
        }
        let known = |words: &str| telling(&index, words).known;
        assert!(known("socket build") >= 1.0);
        assert!((0.4..0.5).contains(&known("socket parser")));
        assert!(known("parser") <= 0.0);
        assert!(known("") >= 1.0);
    }
}
