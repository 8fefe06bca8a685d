//! Finding texts that share rare words, cheaply.

use super::statistics::idf;
use super::{LexicalError, LexicalIndex, LexicalQuery, Mode};

impl LexicalIndex {
    /// Makes a query of a text's `count` rarest words, any of which suffices. Rare words have short posting lists.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn rarest(&self, text: &str, count: usize) -> Result<LexicalQuery, LexicalError> {
        let query = LexicalQuery::parse(text, Mode::Any);
        let mut by_rarity: Vec<(u64, usize)> =
            self.frequencies(&query)?.into_iter().enumerate().map(|(place, count)| (count, place)).collect();
        by_rarity.sort_unstable();
        let rarest: Vec<usize> = by_rarity.into_iter().take(count).map(|(_, place)| place).collect();
        Ok(query.retain(|place| rarest.contains(&place)))
    }

    /// How telling each of a query's terms is, in its order: the inverse document frequency of BM25, in nats. A term that no
    /// memory has is the most telling.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn rarities(&self, query: &LexicalQuery) -> Result<Vec<f32>, LexicalError> {
        let documents = self.document_count()?;
        Ok(self.frequencies(query)?.into_iter().map(|frequency| idf(frequency.min(documents), documents)).collect())
    }

    /// How often each of a query's terms occurs, over all fields.
    fn frequencies(&self, query: &LexicalQuery) -> Result<Vec<u64>, LexicalError> {
        let state = self.read();
        let mut frequencies = state.committed.frequencies(query, &self.fields).map_err(LexicalError::Read)?;
        for generation in state.generations() {
            for (sums, term) in frequencies.iter_mut().zip(query.terms()) {
                for (sum, more) in sums.iter_mut().zip(generation.counts(&term.token)) {
                    *sum += more;
                }
            }
        }
        Ok(frequencies.iter().map(|counts| counts.iter().sum()).collect())
    }
}
