//! Finding texts that share rare words, cheaply.

use super::{LexicalError, LexicalIndex, LexicalQuery, Mode};

impl LexicalIndex {
    /// Makes a query of a text's `count` rarest words, any of which suffices. Rare words have short posting lists.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn rarest(&self, text: &str, count: usize) -> Result<LexicalQuery, LexicalError> {
        let query = LexicalQuery::parse(text, Mode::Any);
        let frequencies = {
            let state = self.read();
            let mut frequencies = state.committed.frequencies(&query, &self.fields).map_err(LexicalError::Read)?;
            for generation in state.generations() {
                for (sums, term) in frequencies.iter_mut().zip(query.terms()) {
                    for (sum, more) in sums.iter_mut().zip(generation.counts(&term.token)) {
                        *sum += more;
                    }
                }
            }
            frequencies
        };
        let mut by_rarity: Vec<(u64, usize)> =
            frequencies.iter().enumerate().map(|(place, counts)| (counts.iter().sum(), place)).collect();
        by_rarity.sort_unstable();
        let rarest: Vec<usize> = by_rarity.into_iter().take(count).map(|(_, place)| place).collect();
        Ok(query.retain(|place| rarest.contains(&place)))
    }
}
