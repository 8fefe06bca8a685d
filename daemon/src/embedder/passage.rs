//! The vectors of a memory's text.

use helix_engine::{Memory, TextVectors};

use super::pooling::normalise;

/// Names how texts are divided before they are embedded, behind the model's name: vectors that were
/// made otherwise are made again.
pub(super) const SPACE_SUFFIX: &str = "+turns";

/// The texts whose vectors make up a memory's: the sentences of a turn, else the whole.
///
/// Measured on 529 questions about conversations, by meaning alone (R@5 / nDCG@10): .405 / .345 by
/// the whole turn, .519 / .452 by the mean of its sentences. Other texts lose up to .02 by it.
pub(super) fn parts(text: &str) -> Vec<String> {
    let utterances = Memory::utterances(text);
    if utterances.is_empty() {
        vec![text.to_owned()]
    } else {
        utterances
    }
}

/// The vectors of a text from those of its parts: the mean of the wholes, of unit length, one alone
/// as it is; and all tokens.
pub(super) fn joined(parts: impl Iterator<Item = TextVectors>) -> TextVectors {
    let mut all = TextVectors::default();
    let mut count = 0;
    for part in parts {
        count += 1;
        all.whole.resize(part.whole.len(), 0.0);
        for (sum, value) in all.whole.iter_mut().zip(part.whole) {
            *sum += value;
        }
        all.tokens.extend(part.tokens);
    }
    if count > 1 {
        normalise(&mut all.whole);
    }
    all
}
