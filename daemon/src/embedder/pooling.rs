//! From the states of a text's tokens to one vector, and to one a token.

use helix_engine::TokenVector;
use tokenizers::Encoding;

use super::slot::Pooling;

/// The states of some texts, as the graph gives them.
#[derive(Clone, Copy)]
pub(super) struct States<'a> {
    /// All numbers, text after text.
    pub(super) numbers: &'a [f32],
    /// One for each token that counts, 0 for filling; as many for each text.
    pub(super) mask: &'a [i64],
    /// Texts.
    pub(super) texts: usize,
    /// Numbers in a vector.
    pub(super) dimensions: usize,
}

impl States<'_> {
    /// One vector for each text; `None` when the numbers are not as many as they should be.
    pub(super) fn pooled(self, pooling: Pooling) -> Option<Vec<Vec<f32>>> {
        let width = match pooling {
            Pooling::None => 1,
            Pooling::Mean | Pooling::Cls | Pooling::Last => self.mask.len() / self.texts.max(1),
        };
        if width == 0 || self.numbers.len() != self.texts * width * self.dimensions {
            return None;
        }
        let states = self.numbers.chunks_exact(width * self.dimensions);
        let vectors: Vec<Vec<f32>> = match pooling {
            Pooling::None => states.map(<[f32]>::to_vec).collect(),
            Pooling::Mean | Pooling::Cls | Pooling::Last => states
                .zip(self.mask.chunks_exact(width))
                .map(|(states, mask)| one(pooling, states, mask, self.dimensions))
                .collect(),
        };
        Some(vectors)
    }

    /// The tokens of the text at a place, each with the word that it is part of, behind as many
    /// bytes of a prefix; none where the graph gives no states.
    pub(super) fn tokens(
        self,
        at: usize,
        prefix_bytes: usize,
        text: &str,
        encoding: &Encoding,
    ) -> Vec<TokenVector> {
        let width = self.mask.len() / self.texts.max(1);
        let size = width * self.dimensions;
        if self.numbers.len() != self.texts * size {
            return Vec::new();
        }
        let states = self
            .numbers
            .get(at * size..(at + 1) * size)
            .unwrap_or_default();
        let states = states.chunks_exact(self.dimensions.max(1));
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

fn one(pooling: Pooling, states: &[f32], mask: &[i64], dimensions: usize) -> Vec<f32> {
    let mut tokens = states
        .chunks_exact(dimensions)
        .zip(mask)
        .filter(|(_, mask)| **mask != 0)
        .map(|(state, _)| state);
    let picked = match pooling {
        Pooling::Cls => tokens.next(),
        Pooling::Last => tokens.next_back(),
        Pooling::Mean | Pooling::None => return mean(tokens, dimensions),
    };
    picked.map_or_else(|| vec![0.0; dimensions], <[f32]>::to_vec)
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

    /// Two texts of three tokens, the second with one token of filling.
    const NUMBERS: [f32; 12] = [1.0, 0.0, 3.0, 0.0, 5.0, 3.0, 2.0, 2.0, 4.0, 6.0, 9.0, 9.0];
    const MASK: [i64; 6] = [1, 1, 1, 1, 1, 0];

    fn pooled(pooling: Pooling) -> Vec<Vec<f32>> {
        let states = States {
            numbers: &NUMBERS,
            mask: &MASK,
            texts: 2,
            dimensions: 2,
        };
        states.pooled(pooling).unwrap()
    }

    #[test]
    fn filling_never_counts() {
        assert_eq!(pooled(Pooling::Mean), [[3.0, 1.0], [3.0, 4.0]]);
        assert_eq!(pooled(Pooling::Cls), [[1.0, 0.0], [2.0, 2.0]]);
        assert_eq!(pooled(Pooling::Last), [[5.0, 3.0], [4.0, 6.0]]);
    }

    #[test]
    fn a_graph_that_pools_gives_one_vector_a_text() {
        let states = |numbers| States {
            numbers,
            mask: &MASK,
            texts: 2,
            dimensions: 2,
        };
        let pooled = states(&[1.0, 2.0, 3.0, 4.0]).pooled(Pooling::None);
        assert_eq!(pooled.unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(states(&NUMBERS).pooled(Pooling::None), None);
        assert_eq!(states(&[1.0]).pooled(Pooling::Mean), None);
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
