//! From the states of a text's tokens to one vector, and to one a token.

use helix_engine::TokenVector;
use tokenizers::Encoding;

use super::slot::Pooling;

/// The states of a text, as the graph gives them.
#[derive(Clone, Copy)]
pub(super) struct States<'a> {
    /// All numbers, token after token; those of one vector where the graph pools by itself.
    pub(super) numbers: &'a [f32],
    /// Tokens.
    pub(super) tokens: usize,
    /// Numbers in a vector.
    pub(super) dimensions: usize,
}

impl States<'_> {
    /// The text's vector; `None` when the numbers are not as many as they should be.
    pub(super) fn pooled(self, pooling: Pooling) -> Option<Vec<f32>> {
        let expected = match pooling {
            Pooling::None => 1,
            Pooling::Mean | Pooling::Cls | Pooling::Last => self.tokens,
        };
        if expected == 0 || self.numbers.len() != expected * self.dimensions {
            return None;
        }
        let mut states = self.numbers.chunks_exact(self.dimensions);
        match pooling {
            Pooling::Mean => Some(mean(states, self.dimensions)),
            Pooling::Cls | Pooling::None => states.next().map(<[f32]>::to_vec),
            Pooling::Last => states.next_back().map(<[f32]>::to_vec),
        }
    }

    /// The tokens, each with the word that it is part of, behind as many bytes of a prefix; none
    /// where the graph gives no states.
    pub(super) fn tokens(
        self,
        prefix_bytes: usize,
        text: &str,
        encoding: &Encoding,
    ) -> Vec<TokenVector> {
        if self.numbers.len() != self.tokens * self.dimensions {
            return Vec::new();
        }
        let states = self.numbers.chunks_exact(self.dimensions.max(1));
        let token = |(span, state): (Option<(usize, usize)>, &[f32])| {
            let (start, end) = span.filter(|(start, _)| *start >= prefix_bytes)?;
            TokenVector::of(text.get(start..end)?, state)
        };
        word_spans(encoding)
            .into_iter()
            .zip(states)
            .filter_map(token)
            .collect()
    }
}

/// Where the word of each token begins and ends, in bytes; nothing for what the tokenizer added.
fn word_spans(encoding: &Encoding) -> Vec<Option<(usize, usize)>> {
    let tokens = encoding.get_word_ids().iter().zip(encoding.get_offsets());
    let tokens: Vec<(Option<u32>, (usize, usize))> =
        tokens.map(|(word, offsets)| (*word, *offsets)).collect();
    let words = tokens.chunk_by(|(one, _), (next, _)| one == next);
    words
        .flat_map(|word| {
            let begins_and_ends = word.first().zip(word.last());
            let span = begins_and_ends
                .and_then(|((id, (start, _)), (_, (_, end)))| id.map(|_| (*start, *end)));
            vec![span; word.len()]
        })
        .collect()
}

#[allow(clippy::cast_precision_loss)]
fn mean<'a>(tokens: impl Iterator<Item = &'a [f32]>, dimensions: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; dimensions];
    let mut count = 0_usize;
    for state in tokens {
        count += 1;
        for (sum, value) in sum.iter_mut().zip(state) {
            *sum += value;
        }
    }
    for value in &mut sum {
        *value /= count.max(1) as f32;
    }
    sum
}

/// Scales a vector to unit length; one without a direction stays as it is.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pooled(pooling: Pooling, numbers: &[f32]) -> Option<Vec<f32>> {
        let states = States {
            numbers,
            tokens: 3,
            dimensions: 2,
        };
        states.pooled(pooling)
    }

    #[test]
    fn states_become_one_vector() {
        let states = [1.0, 0.0, 3.0, 0.0, 5.0, 3.0];
        assert_eq!(pooled(Pooling::Mean, &states).unwrap(), [3.0, 1.0]);
        assert_eq!(pooled(Pooling::Cls, &states).unwrap(), [1.0, 0.0]);
        assert_eq!(pooled(Pooling::Last, &states).unwrap(), [5.0, 3.0]);
        assert_eq!(pooled(Pooling::None, &states), None);
    }

    #[test]
    fn a_graph_that_pools_gives_one_vector() {
        assert_eq!(pooled(Pooling::None, &[1.0, 2.0]).unwrap(), [1.0, 2.0]);
        assert_eq!(pooled(Pooling::Mean, &[1.0]), None);
    }

    #[test]
    fn vectors_are_brought_to_unit_length() {
        let mut vector = [3.0, 4.0];
        normalise(&mut vector);
        assert_eq!(vector.to_vec(), vec![0.6, 0.8]);
        let mut nothing = [0.0, 0.0];
        normalise(&mut nothing);
        assert_eq!(nothing.to_vec(), vec![0.0, 0.0]);
    }
}
