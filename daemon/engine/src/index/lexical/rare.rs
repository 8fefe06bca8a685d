//! Finding texts that share rare words, cheaply.

use super::{LexicalError, LexicalIndex, LexicalQuery, Mode};

/// Terms of a text that are asked for. Two texts that share more than seven in ten of their words share, but for
/// freaks, one of the rarest dozen, and rare words have short posting lists.
const RARE_TERMS: usize = 12;

impl LexicalIndex {
    /// Makes a query of a text's rarest words, any of which suffices.
    ///
    /// # Errors
    ///
    /// When the segments cannot be read.
    pub fn rarest(&self, text: &str) -> Result<LexicalQuery, LexicalError> {
        let query = LexicalQuery::parse(text, Mode::Any);
        let frequencies = {
            let state = self.read();
            let mut frequencies = state.committed.frequencies(&query, &self.fields).map_err(LexicalError::Read)?;
            for generation in state.generations() {
                for (sums, term) in frequencies.iter_mut().zip(query.terms()) {
                    for (sum, more) in sums.iter_mut().zip(generation.frequencies(&term.token)) {
                        *sum += more;
                    }
                }
            }
            frequencies
        };
        let mut by_rarity: Vec<(u64, usize)> =
            frequencies.iter().enumerate().map(|(place, counts)| (counts.iter().sum(), place)).collect();
        by_rarity.sort_unstable();
        let rarest: Vec<usize> = by_rarity.into_iter().take(RARE_TERMS).map(|(_, place)| place).collect();
        Ok(query.retain(|place| rarest.contains(&place)))
    }
}
