//! A question as a language model is asked it: instructions, data and the shape of the answer.

use helix_proto::provider::{FACT_KINDS, v1};
use serde_json::{Value, json};
use v1::ask::Task;

use crate::prose::sendable;

const PAIRS: &str = include_str!("prompt/pairs.txt");
const SLICES: &str = include_str!("prompt/slices.txt");

/// Pairs and slices of one question, at most: more make a model careless.
const ITEMS_MAX: usize = 32;

/// Bytes of the data of one question, at most.
const INPUT_MAX_BYTES: usize = 64 * 1024;

/// Tokens of an answer: for its frame and for each item.
const FRAME_TOKENS: u32 = 128;
const PAIR_TOKENS: u32 = 48;
const SLICE_TOKENS: u32 = 160;

/// Characters of a token, about.
const TOKEN_CHARS: usize = 4;

/// How two statements may be related.
pub(crate) const VERDICTS: [&str; 4] = ["same", "replaces", "contradicts", "different"];

/// What the items of an answer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A verdict on each pair.
    Verdicts,
    /// Facts, perhaps none.
    Facts,
}

/// A question, ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prompt {
    pub(crate) wanted: Wanted,
    /// Pairs or slices in it.
    pub(crate) items: usize,
    pub(crate) instructions: &'static str,
    /// JSON.
    pub(crate) input: String,
    /// The JSON schema of the answer.
    pub(crate) schema: Value,
    pub(crate) answer_tokens: u32,
}

/// Why a task cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsendable {
    /// It has no item.
    #[error("there is nothing to ask")]
    Empty,
    /// It has too many items, or too long ones.
    #[error("the question is too large; ask less at once")]
    TooLarge,
}

impl Prompt {
    /// Makes the question of a task, without secrets and code.
    ///
    /// # Errors
    /// [`Unsendable`].
    pub(crate) fn of(task: Task) -> Result<Self, Unsendable> {
        let prompt = match task {
            Task::Pairs(pairs) => of_pairs(&pairs.pairs),
            Task::Slices(slices) => of_slices(&slices.slices),
        };
        if prompt.items == 0 {
            return Err(Unsendable::Empty);
        }
        if prompt.items > ITEMS_MAX || prompt.input.len() > INPUT_MAX_BYTES {
            return Err(Unsendable::TooLarge);
        }
        Ok(prompt)
    }

    /// Tokens of the question, about.
    pub(crate) fn tokens(&self) -> u64 {
        let schema = self.schema.to_string().len();
        let bytes = self.instructions.len() + self.input.len() + schema;
        u64::try_from(bytes / TOKEN_CHARS + 1).unwrap_or(u64::MAX)
    }

    /// Tokens of question and answer, at most about.
    pub(crate) fn tokens_max(&self) -> u64 {
        self.tokens() + u64::from(self.answer_tokens)
    }

    /// The name of the question: the same for the same question.
    pub(crate) fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for part in [self.instructions, &self.input, &self.schema.to_string()] {
            hasher.update(&part.len().to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize()
    }
}

fn of_pairs(pairs: &[v1::Pair]) -> Prompt {
    let told = pairs.iter().enumerate().map(|(place, pair)| {
        json!({
            "pair": place,
            "earlier": sendable(&pair.earlier),
            "later": sendable(&pair.later),
        })
    });
    let told: Vec<Value> = told.collect();
    Prompt {
        wanted: Wanted::Verdicts,
        items: pairs.len(),
        instructions: PAIRS,
        input: json!({ "pairs": told }).to_string(),
        schema: schema(&json!({
            "pair": { "type": "integer" },
            "verdict": { "type": "string", "enum": VERDICTS },
            "confidence": { "type": "number" },
        })),
        answer_tokens: answer_tokens(PAIR_TOKENS, pairs.len()),
    }
}

fn of_slices(slices: &[v1::Slice]) -> Prompt {
    let told = slices.iter().enumerate().map(|(place, slice)| {
        json!({
            "turn": place,
            "speaker": if slice.speaker == "user" { "developer" } else { "assistant" },
            "text": sendable(&slice.text),
        })
    });
    let told: Vec<Value> = told.collect();
    Prompt {
        wanted: Wanted::Facts,
        items: slices.len(),
        instructions: SLICES,
        input: json!({ "turns": told }).to_string(),
        schema: schema(&json!({
            "turn": { "type": "integer" },
            "kind": { "type": "string", "enum": FACT_KINDS },
            "text": { "type": "string" },
            "confidence": { "type": "number" },
        })),
        answer_tokens: answer_tokens(SLICE_TOKENS, slices.len()),
    }
}

fn answer_tokens(each: u32, items: usize) -> u32 {
    let items = u32::try_from(items.min(ITEMS_MAX)).unwrap_or(u32::MAX);
    FRAME_TOKENS + each * items
}

/// The schema of an answer whose items have these properties, all of them.
fn schema(properties: &Value) -> Value {
    let names = properties.as_object().into_iter().flatten();
    let names: Vec<&String> = names.map(|(name, _)| name).collect();
    json!({
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": properties,
                    "required": names,
                    "additionalProperties": false,
                },
            },
        },
        "required": ["items"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pairs(count: usize, text: &str) -> Task {
        let pair = v1::Pair {
            earlier: text.to_owned(),
            later: "b".to_owned(),
        };
        Task::Pairs(v1::Pairs {
            pairs: vec![pair; count],
        })
    }

    #[test]
    fn one_question_has_one_name() {
        let one = Prompt::of(pairs(2, "a")).unwrap();
        let other = Prompt::of(pairs(2, "c")).unwrap();
        assert_eq!(one.hash(), Prompt::of(pairs(2, "a")).unwrap().hash());
        assert_ne!(one.hash(), other.hash());
    }

    #[test]
    fn questions_are_bounded() {
        assert_eq!(Prompt::of(pairs(0, "")), Err(Unsendable::Empty));
        assert_eq!(Prompt::of(pairs(33, "a")), Err(Unsendable::TooLarge));
        let long = "a".repeat(4_000);
        assert_eq!(Prompt::of(pairs(20, &long)), Err(Unsendable::TooLarge));
    }
}
