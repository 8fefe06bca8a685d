//! The models of `weights.toml`: one for each occasion, with meaning and by words alone.

use std::sync::LazyLock;

use serde::Deserialize;

/// Numbers that `tests/fit-relevance.py` printed.
const DATA: &str = include_str!("weights.toml");

/// Read once. A test reads the same text, so that it is valid here.
static MODELS: LazyLock<Models> = LazyLock::new(|| toml::from_str(DATA).unwrap_or_default());

/// On what occasion a memory would be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Somebody said something to the agent.
    Prompt,
    /// A command failed.
    Failure,
    /// Another agent is given a task.
    Task,
    /// The agent opens a file; the words are the file's own.
    File,
}

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Models {
    prompt: Pair,
    failure: Pair,
    task: Pair,
    file: Pair,
}

/// The models of one occasion.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    /// Where the embedder answered in time.
    meaning: Model,
    /// Where it did not. A file without meaning is shown nothing.
    #[serde(default)]
    words: Model,
}

/// A logistic model: the weight of each sign, and the relevance from which it says that a memory
/// helps. A sign without a weight does not count.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Model {
    pub(super) bias: f32,
    pub(super) cosine: f32,
    pub(super) tokens: f32,
    pub(super) coverage: f32,
    pub(super) beginning: f32,
    /// Of the logarithm of one more than the rarity.
    pub(super) rarity: f32,
    pub(super) words: f32,
    /// Of the logarithm of one more than the score.
    pub(super) word_score: f32,
    pub(super) identifier: f32,
    pub(super) agreement: f32,
    pub(super) general: f32,
    pub(super) ours: f32,
    /// Of a procedure for who asks how something is done.
    pub(super) procedure: f32,
    /// Of the most relevant memory, of the second and of all behind it.
    thresholds: [f32; 3],
}

impl Default for Model {
    /// A model that shows nothing.
    fn default() -> Self {
        Self {
            bias: 0.0,
            cosine: 0.0,
            tokens: 0.0,
            coverage: 0.0,
            beginning: 0.0,
            rarity: 0.0,
            words: 0.0,
            word_score: 0.0,
            identifier: 0.0,
            agreement: 0.0,
            general: 0.0,
            ours: 0.0,
            procedure: 0.0,
            thresholds: [f32::INFINITY; 3],
        }
    }
}

impl Occasion {
    pub(super) fn model(self, has_meaning: bool) -> &'static Model {
        let pair = match self {
            Self::Prompt => &MODELS.prompt,
            Self::Failure => &MODELS.failure,
            Self::Task => &MODELS.task,
            Self::File => &MODELS.file,
        };
        if has_meaning {
            &pair.meaning
        } else {
            &pair.words
        }
    }

    /// How relevant a memory must be to be shown behind so many that are more relevant, with
    /// meaning or by words alone.
    #[must_use]
    pub fn threshold(self, has_meaning: bool, more_relevant: usize) -> f32 {
        let [first, second, further] = self.model(has_meaning).thresholds;
        match more_relevant {
            0 => first,
            1 => second,
            _ => further,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_weights_are_valid_and_who_comes_behind_others_needs_as_much_or_more() {
        let models: Models = toml::from_str(DATA).unwrap();
        for pair in [&models.prompt, &models.failure, &models.task] {
            assert!(pair.words.bias < 0.0);
            assert!(pair.words.thresholds.is_sorted());
        }
        for pair in [&models.prompt, &models.failure, &models.task, &models.file] {
            assert!(pair.meaning.bias < 0.0);
            assert!(pair.meaning.thresholds.is_sorted());
            assert!(pair.meaning.thresholds.iter().all(|least| *least < 1.0));
        }
    }

    #[test]
    fn a_model_without_weights_shows_nothing() {
        assert!(Model::default().thresholds.iter().all(|least| *least > 1.0));
    }
}
