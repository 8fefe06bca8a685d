//! Late interaction: texts compared token by token, as `ColBERT` does it.
//!
//! One vector of a whole text blurs its names, and words alone miss what is said in other words.
//! The states of a text's tokens, which the model computes anyway on its way to the one vector, tell
//! both: each token of a question looks for the token of a text that is nearest to it, and the text
//! scores the mean of these cosines, weighed by how telling the question's words are.
//!
//! A text keeps the signs of its tokens' states, one bit a dimension, 48 bytes a token at 384
//! dimensions: on development sets they rank as well as the floats do. Tokens of stop words and
//! marks are left out, about half of them.

use super::code::{Code, cosine};
use super::{VectorError, VectorIndex, kernel};
use crate::index::lexical::LexicalQuery;

/// The first byte of stored signs; another layout takes another number.
const FORMAT_VERSION: u8 = 1;

/// Tokens of a text that are kept at most: those of some 2,000 words.
const TOKENS_MAX: usize = 1_024;

/// Tokens of a question that are compared at most, the most telling ones.
const QUERY_TOKENS_MAX: usize = 48;

const BYTE_BITS: usize = 8;

/// The signs of each byte, 1 for a set bit and -1 for another, the lowest bit first: unpacking bit
/// by bit took most of a comparison.
const SIGNS: [[i8; BYTE_BITS]; 256] = signs_of_bytes();

/// What a model makes of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextVectors {
    /// The vector of the whole.
    pub whole: Vec<f32>,
    /// The states of its tokens, as long as the whole vector; none where the model gives none.
    pub tokens: Vec<TokenVector>,
}

/// A token with its state.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenVector {
    /// The word that it is part of, as it is written in the text.
    pub word: String,
    /// Its state, of any length.
    pub state: Code,
}

impl TokenVector {
    /// Keeps the state of a token as a code; `None` where it cannot be one.
    #[must_use]
    pub fn of(word: &str, state: &[f32]) -> Option<Self> {
        Some(Self {
            word: word.to_owned(),
            state: Code::quantize(state).ok()?,
        })
    }
}

impl TextVectors {
    /// Most components of a vector.
    pub const DIMENSIONS_MAX: usize = VectorIndex::DIMENSIONS_MAX;
}

impl From<Vec<f32>> for TextVectors {
    fn from(whole: Vec<f32>) -> Self {
        Self {
            whole,
            tokens: Vec::new(),
        }
    }
}

/// The signs of the states of a text's telling tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenSigns {
    /// Dimensions of a token.
    dimensions: usize,
    /// A token's dimensions, the first in the lowest bit, filled up to whole bytes; then the next
    /// token's.
    bits: Vec<u8>,
}

impl TokenSigns {
    /// Takes the signs of a text's telling tokens, or of all where none is telling.
    #[must_use]
    pub fn of(tokens: &[TokenVector]) -> Self {
        let dimensions = tokens.first().map_or(0, |token| token.state.dimensions());
        let is_kept = |token: &&TokenVector| token.state.dimensions() == dimensions;
        let telling: Vec<&TokenVector> = tokens
            .iter()
            .filter(|token| LexicalQuery::is_telling(&token.word))
            .collect();
        let chosen = if telling.is_empty() {
            tokens.iter().collect()
        } else {
            telling
        };
        let kept = chosen.into_iter().filter(is_kept).take(TOKENS_MAX);
        Self {
            dimensions,
            bits: kept.flat_map(|token| signs(token.state.levels())).collect(),
        }
    }

    /// The stored form: a version byte, the dimensions in two bytes, then the bits.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let dimensions = u16::try_from(self.dimensions).unwrap_or_default();
        let head = [FORMAT_VERSION].into_iter().chain(dimensions.to_le_bytes());
        head.chain(self.bits.iter().copied()).collect()
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// Refuses bytes of another version and bytes that are no whole number of tokens.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VectorError> {
        let damaged = |reason| VectorError::Damaged { reason };
        let (head, bits) = bytes.split_first_chunk().ok_or(damaged("no head"))?;
        let &[version, low, high] = head;
        if version != FORMAT_VERSION {
            return Err(damaged("unknown version"));
        }
        let dimensions = usize::from(u16::from_le_bytes([low, high]));
        let token_bytes = dimensions.div_ceil(BYTE_BITS);
        let is_whole = if token_bytes == 0 {
            bits.is_empty()
        } else {
            bits.len().is_multiple_of(token_bytes)
        };
        if !is_whole {
            return Err(damaged("a part of a token"));
        }
        Ok(Self {
            dimensions,
            bits: bits.to_vec(),
        })
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bits
            .len()
            .checked_div(self.dimensions.div_ceil(BYTE_BITS))
            .unwrap_or_default()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row of 1 and -1 a token.
    fn rows(&self) -> Vec<i8> {
        let token_bytes = self.dimensions.div_ceil(BYTE_BITS).max(1);
        let mut rows = Vec::with_capacity(self.len() * token_bytes * BYTE_BITS);
        for (token, at) in self.bits.chunks_exact(token_bytes).zip(1..) {
            for byte in token {
                rows.extend_from_slice(&SIGNS[usize::from(*byte)]);
            }
            // The last byte may be filled up.
            rows.truncate(at * self.dimensions);
        }
        rows
    }
}

const fn signs_of_bytes() -> [[i8; BYTE_BITS]; 256] {
    let mut signs = [[-1; BYTE_BITS]; 256];
    let mut byte = 0;
    while byte < signs.len() {
        let mut bit = 0;
        while bit < BYTE_BITS {
            if byte >> bit & 1 == 1 {
                signs[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    signs
}

/// A set bit for each level above zero, filled up to whole bytes.
fn signs(levels: &[i8]) -> impl Iterator<Item = u8> {
    levels.chunks(BYTE_BITS).map(|levels| {
        let bits = levels.iter().zip(0..);
        bits.fold(0, |byte, (&level, bit)| byte | u8::from(level > 0) << bit)
    })
}

/// The tokens of a question, ready to be compared with texts.
#[derive(Clone, Debug)]
pub struct TokenQuery {
    dimensions: usize,
    tokens: Vec<QueryToken>,
}

#[derive(Clone, Debug)]
struct QueryToken {
    /// Its part of the score; all together make 1.
    weight: f32,
    levels: Vec<i16>,
    scale: f32,
}

impl TokenQuery {
    /// Weighs the tokens of a question by how telling their words are, 0 for those that tell
    /// nothing. `None` where none does.
    #[must_use]
    pub fn new(tokens: &[TokenVector], weight: impl Fn(&str) -> f32) -> Option<Self> {
        let dimensions = tokens.first()?.state.dimensions();
        let mut weighed: Vec<(f32, &Code)> = tokens
            .iter()
            .filter(|token| token.state.dimensions() == dimensions)
            .map(|token| (weight(&token.word), &token.state))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
        weighed.truncate(QUERY_TOKENS_MAX);
        let total: f32 = weighed.iter().map(|(weight, _)| weight).sum();
        let token = |(weight, state): (f32, &Code)| QueryToken {
            weight: weight / total,
            levels: state.widened(),
            scale: state.scale(),
        };
        let tokens: Vec<QueryToken> = weighed.into_iter().map(token).collect();
        (!tokens.is_empty()).then_some(Self { dimensions, tokens })
    }

    /// The weighed mean over the question's tokens of the cosine of the nearest token of the text,
    /// -1 to 1; `None` for a text without tokens, and for one of another model.
    #[must_use]
    pub fn score(&self, text: &TokenSigns) -> Option<f32> {
        if text.is_empty() || text.dimensions != self.dimensions {
            return None;
        }
        let rows = text.rows();
        let row_scale = length_of_signs(self.dimensions).recip();
        let mut dots = vec![0; text.len()];
        let score = self.tokens.iter().map(|token| {
            kernel::dot_rows(&token.levels, &rows, &mut dots);
            let best = dots.iter().copied().max().unwrap_or_default();
            token.weight * cosine(best, token.scale, row_scale)
        });
        Some(score.sum())
    }
}

/// The length of a vector of as many 1 and -1.
#[expect(
    clippy::cast_precision_loss,
    reason = "a vector has at most some thousand dimensions"
)]
fn length_of_signs(dimensions: usize) -> f32 {
    (dimensions as f32).sqrt()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn token(word: &str, state: &[f32]) -> TokenVector {
        TokenVector {
            word: word.to_owned(),
            state: Code::quantize(state).unwrap(),
        }
    }

    fn query(tokens: &[TokenVector]) -> TokenQuery {
        TokenQuery::new(tokens, |_| 1.0).unwrap()
    }

    #[test]
    fn each_token_of_a_question_looks_for_its_nearest() {
        let text = TokenSigns::of(&[
            token("port", &[1.0, 1.0, 1.0, 1.0]),
            token("8081", &[1.0, -1.0, 1.0, -1.0]),
        ]);
        let same = query(&[token("8081", &[1.0, -1.0, 1.0, -1.0])]);
        assert!((same.score(&text).unwrap() - 1.0).abs() < 1e-3);
        let opposite = query(&[token("x", &[-1.0, -1.0, -1.0, -1.0])]);
        assert!((opposite.score(&text).unwrap()).abs() < 1e-3);
        let both = query(&[
            token("8081", &[1.0, -1.0, 1.0, -1.0]),
            token("x", &[-1.0, -1.0, -1.0, -1.0]),
        ]);
        assert!((both.score(&text).unwrap() - 0.5).abs() < 1e-3);
    }

    #[test]
    fn a_word_counts_as_much_as_it_tells() {
        let text = TokenSigns::of(&[token("port", &[1.0, 1.0, 1.0, 1.0])]);
        let tokens = [
            token("port", &[1.0, 1.0, 1.0, 1.0]),
            token("the", &[-1.0, -1.0, -1.0, -1.0]),
        ];
        let weighed = TokenQuery::new(&tokens, |word| if word == "the" { 0.0 } else { 2.0 });
        assert!((weighed.unwrap().score(&text).unwrap() - 1.0).abs() < 1e-3);
        assert!(TokenQuery::new(&tokens, |_| 0.0).is_none());
        assert!(TokenQuery::new(&[], |_| 1.0).is_none());
    }

    #[test]
    fn stop_words_and_marks_of_a_text_are_left_out() {
        let tokens = [
            token("the", &[1.0, 1.0]),
            token("port", &[1.0, -1.0]),
            token(":", &[-1.0, -1.0]),
        ];
        assert_eq!(TokenSigns::of(&tokens), TokenSigns::of(&tokens[1..2]));
        assert_eq!(TokenSigns::of(&tokens[..1]).len(), 1, "or nothing remains");
        assert!(TokenSigns::of(&[]).is_empty());
    }

    #[test]
    fn texts_of_another_model_are_not_compared() {
        let text = TokenSigns::of(&[token("port", &[1.0, 1.0])]);
        let other = query(&[token("port", &[1.0, 1.0, 1.0])]);
        assert_eq!(other.score(&text), None);
        assert_eq!(other.score(&TokenSigns::default()), None);
    }

    #[test]
    fn each_bit_becomes_a_sign_and_those_that_fill_up_none() {
        let state: Vec<f32> = (0..11).map(|at| [1.0, -1.0, -1.0][at % 3]).collect();
        let opposite: Vec<f32> = state.iter().map(|level| -level).collect();
        let signs = TokenSigns::of(&[token("port", &state), token("host", &opposite)]);
        let wanted = state.iter().chain(&opposite);
        let wanted: Vec<i8> = wanted
            .map(|level| if *level > 0.0 { 1 } else { -1 })
            .collect();
        assert_eq!(signs.rows(), wanted);
    }

    #[test]
    fn bytes_that_no_signs_have_are_refused() {
        for bytes in [
            &[][..],
            &[1, 0],
            &[2, 8, 0, 7],
            &[1, 16, 0, 7],
            &[1, 0, 0, 7],
        ] {
            assert!(TokenSigns::from_bytes(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn bytes_give_the_signs_back(states in prop::collection::vec(prop::collection::vec(0.1_f32..1.0, 21), 0..9)) {
            let tokens: Vec<TokenVector> = states.iter().map(|state| token("word", state)).collect();
            let signs = TokenSigns::of(&tokens);
            prop_assert_eq!(signs.len(), states.len());
            prop_assert_eq!(TokenSigns::from_bytes(&signs.to_bytes()).unwrap(), signs);
        }

        #[test]
        fn any_bytes_are_signs_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(signs) = TokenSigns::from_bytes(&bytes) {
                prop_assert_eq!(signs.to_bytes(), bytes);
            }
        }
    }
}
