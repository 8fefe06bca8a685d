//! Expressions that are data.

use regex::{Captures, Regex, Replacer};
use serde::Deserialize;

/// An expression whose classes mean ASCII: what tools print around a message is, and the tables of
/// Unicode make the first use take a hundred times as long. The default matches nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) struct Pattern(Option<Regex>);

/// An expression as a file has it: one, or those of which any may match.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    One(String),
    Any(Vec<String>),
}

impl TryFrom<Written> for Pattern {
    type Error = regex::Error;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        match written {
            Written::One(pattern) => Self::compile(&pattern),
            Written::Any(patterns) => Self::compile(&patterns.join("|")),
        }
    }
}

impl Pattern {
    /// Compiles an expression.
    pub(crate) fn compile(pattern: &str) -> Result<Self, regex::Error> {
        let ascii = [
            (r"\w", "[0-9A-Za-z_]"),
            (r"\d", "[0-9]"),
            (r"\s", r"[ \t]"),
            (r"\S", r"[^ \t\n]"),
            (r"\b", r"(?-u:\b)"),
        ];
        let pattern = ascii
            .iter()
            .fold(pattern.to_owned(), |pattern, (class, meant)| {
                pattern.replace(class, meant)
            });
        Regex::new(&pattern).map(Some).map(Self)
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(text))
    }

    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.0.as_ref()?.captures(text)
    }

    /// All matches of a text.
    pub(crate) fn all<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.0.iter().flat_map(|regex| regex.captures_iter(text))
    }

    pub(crate) fn replace_all(&self, text: &str, with: impl Replacer) -> String {
        match &self.0 {
            Some(regex) => regex.replace_all(text, with).into_owned(),
            None => text.to_owned(),
        }
    }
}
