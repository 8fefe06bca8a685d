//! `model.toml`: how the texts of a model are prepared and its states become a vector.
//!
//! The file lies beside the ONNX file and is all that a model needs to be used. The model that
//! Helix installs by itself has none: its description is compiled in.

use helix_engine::TextVectors;
use serde::{Deserialize, Serialize};

use super::arithmetic;

/// Name of the file.
pub(super) const SLOT_FILE: &str = "model.toml";

/// Most bytes of it: it says a dozen things.
pub(super) const SLOT_MAX_BYTES: u64 = 64 * 1024;

/// Most tokens of a text that a model may take: attention costs their square.
const TOKENS_MAX: usize = 8_192;

/// Longest name, in bytes: it is a folder's name as well.
const NAME_MAX_BYTES: usize = 64;

/// Longest prefix, in bytes.
const PREFIX_MAX_BYTES: usize = 1_024;

/// The description of the model that Helix installs.
const BUILT_IN: &str = include_str!("slot.toml");

/// A model as its file describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slot {
    /// The name by which people choose it.
    pub(crate) name: String,
    /// How the states of a text's tokens become one vector.
    pub(crate) pooling: Pooling,
    /// Numbers in a vector.
    pub(crate) dimensions: usize,
    /// Tokens of a text that are read; the rest of it is left out.
    #[serde(default = "default_tokens")]
    pub(crate) tokens_max: usize,
    /// True if vectors are brought to unit length.
    #[serde(default = "yes")]
    pub(crate) normalise: bool,
    /// Its licence, for readers.
    #[serde(default)]
    pub(crate) licence: String,
    /// Where it comes from, for readers.
    #[serde(default)]
    pub(crate) source: String,
    /// The ONNX file.
    #[serde(default = "default_graph")]
    pub(crate) graph: String,
    /// The tokenizer's file.
    #[serde(default = "default_tokenizer")]
    pub(crate) tokenizer: String,
    /// The graph's output; empty: the first of those that are known.
    #[serde(default)]
    pub(crate) output: String,
    /// The arithmetic of the graph.
    #[serde(default)]
    pub(crate) arithmetic: Arithmetic,
    /// Put before texts.
    #[serde(default)]
    pub(crate) prefix: Prefix,
}

/// The arithmetic of products with matrices that a graph stores as integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Arithmetic {
    /// As the graph says.
    #[default]
    Graph,
    /// In integers.
    Int8,
}

impl Arithmetic {
    /// The end of the name of a model's vectors that it makes.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Graph => "",
            Self::Int8 => "+int8",
        }
    }
}

/// Put before texts, as the model was trained.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prefix {
    /// Before a question.
    #[serde(default)]
    pub(crate) query: String,
    /// Before a memory's text.
    #[serde(default)]
    pub(crate) passage: String,
}

/// How states become a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pooling {
    /// The mean of all tokens.
    Mean,
    /// The first token.
    Cls,
    /// The last token.
    Last,
    /// The graph pools by itself.
    None,
}

impl Pooling {
    /// Its name in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Last => "last",
            Self::None => "none",
        }
    }
}

impl Slot {
    /// The model that Helix installs by itself.
    ///
    /// # Errors
    /// Never: a test reads it.
    pub(crate) fn built_in() -> Result<Self, String> {
        Self::parse(BUILT_IN)
    }

    /// Reads a description.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut slot: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        slot.check()?;
        if !arithmetic::is_exact_here() {
            slot.arithmetic = Arithmetic::Graph;
        }
        Ok(slot)
    }

    fn check(&self) -> Result<(), String> {
        if !is_name(&self.name) {
            return Err(format!(
                "name must be 1 to {NAME_MAX_BYTES} lowercase letters, digits, dots and dashes"
            ));
        }
        if !(1..=TextVectors::DIMENSIONS_MAX).contains(&self.dimensions) {
            return Err(format!(
                "dimensions must be 1 to {dimensions_max}",
                dimensions_max = TextVectors::DIMENSIONS_MAX
            ));
        }
        if !(1..=TOKENS_MAX).contains(&self.tokens_max) {
            return Err(format!("tokens_max must be 1 to {TOKENS_MAX}"));
        }
        for prefix in [&self.prefix.query, &self.prefix.passage] {
            if prefix.len() > PREFIX_MAX_BYTES {
                return Err(format!("a prefix has at most {PREFIX_MAX_BYTES} bytes"));
            }
        }
        for file in [&self.graph, &self.tokenizer] {
            if !is_file_name(file) {
                return Err(format!("{file:?} is no name of a file in the same folder"));
            }
        }
        Ok(())
    }

    /// Hash of everything that a vector depends on but the weights.
    pub(super) fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let numbers = [
            self.dimensions,
            self.tokens_max,
            usize::from(self.normalise),
        ];
        for number in numbers {
            hasher.update(&(number as u64).to_le_bytes());
        }
        let texts = [
            self.pooling.name(),
            &self.output,
            &self.prefix.query,
            &self.prefix.passage,
        ];
        hasher.update(self.arithmetic.suffix().as_bytes());
        for text in texts {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize()
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    (1..=NAME_MAX_BYTES).contains(&name.len())
        && name.chars().all(is_allowed)
        && !name.starts_with(['.', '-'])
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0'])
}

fn yes() -> bool {
    true
}

fn default_tokens() -> usize {
    256
}

fn default_graph() -> String {
    "model.onnx".to_owned()
}

fn default_tokenizer() -> String {
    "tokenizer.json".to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_built_in_description_is_sound() {
        let slot = Slot::built_in().unwrap();
        assert_eq!(slot.pooling, Pooling::Mean);
        assert_eq!(slot.prefix, Prefix::default());
    }

    #[test]
    fn a_description_is_read() {
        let text = "name = 'e5-small-v2'\npooling = 'mean'\ndimensions = 384\ntokens_max = 512\n\
                    licence = 'MIT'\n[prefix]\nquery = 'query: '\npassage = 'passage: '\n";
        let slot = Slot::parse(text).unwrap();
        assert_eq!(slot.prefix.query, "query: ");
        assert!(slot.normalise);
        assert_eq!(slot.graph, "model.onnx");
    }

    #[test]
    fn a_wrong_description_says_what_is_wrong() {
        let sound = "pooling = 'cls'\ndimensions = 384\n";
        let cases = [
            (format!("name = '../x'\n{sound}"), "name must be"),
            (
                format!("name = 'x'\n{sound}graph = 'a/b'\n"),
                "no name of a file",
            ),
            (format!("name = 'x'\n{sound}tokens_max = 0\n"), "tokens_max"),
            (
                format!("name = 'x'\n{sound}poling = 'cls'\n"),
                "unknown field",
            ),
            (
                "name = 'x'\npooling = 'max'\ndimensions = 3\n".to_owned(),
                "unknown variant",
            ),
            ("name = 'x'\npooling = 'cls'\n".to_owned(), "dimensions"),
        ];
        for (text, said) in cases {
            let error = Slot::parse(&text).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn vectors_of_another_preparation_are_others() {
        let mut plain = Slot::built_in().unwrap();
        plain.arithmetic = Arithmetic::Int8;
        let mut prefixed = plain.clone();
        prefixed.prefix.query = "query: ".to_owned();
        let mut first = plain.clone();
        first.pooling = Pooling::Cls;
        let mut exact = plain.clone();
        exact.arithmetic = Arithmetic::Graph;
        let mut licensed = plain.clone();
        licensed.licence = "MIT".to_owned();
        assert_ne!(plain.hash(), prefixed.hash());
        assert_ne!(plain.hash(), first.hash());
        assert_ne!(plain.hash(), exact.hash());
        assert_eq!(plain.hash(), licensed.hash());
    }
}
