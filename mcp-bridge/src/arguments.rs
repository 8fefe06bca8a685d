//! Lenient reading of a tool's arguments: models send `"5"` for 5 and `"true"` for true, and `""`
//! or null for nothing.

use std::ops::RangeInclusive;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::schema::{Parameter, Shape};

/// Most characters of a wrong value that an error repeats.
const SHOWN_MAX_CHARS: usize = 40;

/// Why a call's arguments cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    /// Not an argument of this tool.
    #[error("unknown argument {unknown}; {tool} takes: {known}")]
    Unknown {
        /// The tool.
        tool: &'static str,
        /// What was given.
        unknown: String,
        /// What exists.
        known: String,
    },
    /// Not given.
    #[error("{0}: required; give it and call again")]
    Missing(&'static str),
    /// No action, and the tool has none by default.
    #[error("action: required; give one of {0}")]
    NoAction(String),
    /// Not given, and this action needs it.
    #[error("action={action} needs {name}; give it and call again")]
    MissingFor {
        /// The action.
        action: &'static str,
        /// What it needs.
        name: &'static str,
    },
    /// This action has no use for it.
    #[error("action={action} does not take {unexpected}{elsewhere}; it takes {known}")]
    NotFor {
        /// The action.
        action: &'static str,
        /// What was given.
        unexpected: String,
        /// Which actions take it: `, which action=entries|xref takes`.
        elsewhere: String,
        /// What it takes.
        known: String,
    },
    /// Two arguments that say the same thing differently.
    #[error("{one} and {other} both say which memory is meant; give one of them")]
    Together {
        /// The first.
        one: &'static str,
        /// The second.
        other: &'static str,
    },
    /// Too many or too much.
    #[error("{name}: {got} are more than the limit of {limit}; split the call")]
    TooMany {
        /// The argument.
        name: &'static str,
        /// What was given.
        got: usize,
        /// What is allowed.
        limit: usize,
    },
    /// Not what it should be.
    #[error("{name}: expected {expected}, got {got}")]
    Wrong {
        /// The argument.
        name: &'static str,
        /// What it should be.
        expected: String,
        /// What was given.
        got: String,
    },
}

/// The arguments of one call, all of them known.
pub(crate) struct Arguments(JsonObject);

impl Arguments {
    /// Takes a call's arguments, none of which may be unknown.
    pub(crate) fn new(
        tool: &'static str,
        parameters: &[Parameter],
        given: Option<JsonObject>,
    ) -> Result<Self, ArgumentError> {
        let given = given.unwrap_or_default();
        let is_unknown = |name: &&String| parameters.iter().all(|one| one.name != name.as_str());
        let unknown: Vec<String> = given
            .keys()
            .filter(is_unknown)
            .map(|name| shown(name))
            .collect();
        if unknown.is_empty() {
            return Ok(Self(given));
        }
        let known = parameters
            .iter()
            .map(|one| one.name)
            .collect::<Vec<_>>()
            .join(", ");
        Err(ArgumentError::Unknown {
            tool,
            unknown: unknown.join(", "),
            known,
        })
    }

    /// Text that must be there.
    pub(crate) fn required_text(&self, name: &'static str) -> Result<String, ArgumentError> {
        self.text(name)?.ok_or(ArgumentError::Missing(name))
    }

    /// Text; numbers and booleans are taken as written.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<String>, ArgumentError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(scalar @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(scalar.to_string())),
            Some(other) => Err(wrong(name, "text", other)),
        }
    }

    /// A whole number in a range.
    pub(crate) fn whole(
        &self,
        name: &'static str,
        range: RangeInclusive<u32>,
    ) -> Result<Option<u32>, ArgumentError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let Some(number) = as_number(value).filter(|number| number.fract() == 0.0) else {
            return Err(wrong(name, "a whole number like 10", value));
        };
        let inside = f64::from(*range.start())..=f64::from(*range.end());
        if !inside.contains(&number) {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            return Err(wrong(name, expected, value));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in the range of u32"
        )]
        Ok(Some(number as u32))
    }

    /// A number from 0 to 1.
    pub(crate) fn fraction(&self, name: &'static str) -> Result<Option<f32>, ArgumentError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match as_number(value) {
            #[expect(clippy::cast_possible_truncation, reason = "the wire carries f32")]
            Some(number) if (0.0..=1.0).contains(&number) => Ok(Some(number as f32)),
            _ => Err(wrong(name, "a number from 0 to 1 like 0.85", value)),
        }
    }

    /// Yes or no; no unless given.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, ArgumentError> {
        Ok(self.optional_flag(name)?.unwrap_or_default())
    }

    /// Yes or no, where not saying it is a third thing.
    pub(crate) fn optional_flag(&self, name: &'static str) -> Result<Option<bool>, ArgumentError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let word = match value {
            Value::Bool(flag) => return Ok(Some(*flag)),
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.trim().to_lowercase(),
            _ => String::new(),
        };
        match word.as_str() {
            "true" | "yes" | "1" => Ok(Some(true)),
            "false" | "no" | "0" => Ok(Some(false)),
            _ => Err(wrong(name, "true or false", value)),
        }
    }

    /// Several words: an array, an array written as a string, or a string split at `separator`.
    /// Numbers are taken as written: an earlier entry's index is a link.
    pub(crate) fn list(
        &self,
        name: &'static str,
        separator: fn(char) -> bool,
    ) -> Result<Vec<String>, ArgumentError> {
        let Some(value) = self.value(name) else {
            return Ok(Vec::new());
        };
        let expected = "words like \"a,b\" or [\"a\", \"b\"]";
        match value {
            Value::Array(items) => words_of(items).ok_or_else(|| wrong(name, expected, value)),
            Value::String(text) => {
                let written = serde_json::from_str::<Vec<Value>>(text)
                    .ok()
                    .and_then(|items| words_of(&items));
                Ok(written.unwrap_or_else(|| split(text, separator)))
            }
            Value::Number(number) => Ok(vec![number.to_string()]),
            _ => Err(wrong(name, expected, value)),
        }
    }

    /// One of several names, whatever its case.
    pub(crate) fn choice<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&'static str, T)],
    ) -> Result<Option<T>, ArgumentError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let word = value
            .as_str()
            .map(|text| text.trim().to_lowercase())
            .unwrap_or_default();
        if let Some((_, chosen)) = choices.iter().find(|(choice, _)| *choice == word) {
            return Ok(Some(*chosen));
        }
        let names = choices
            .iter()
            .map(|(choice, _)| *choice)
            .collect::<Vec<_>>()
            .join(", ");
        Err(wrong(name, format!("one of {names}"), value))
    }

    /// Reads an argument in the shape that is advertised for it.
    pub(crate) fn understand(&self, parameter: &Parameter) -> Result<(), ArgumentError> {
        let name = parameter.name;
        match parameter.shape {
            Shape::Text if parameter.required => self.required_text(name).map(drop),
            Shape::Text | Shape::Json => self.text(name).map(drop),
            Shape::Whole => self.whole(name, 0..=u32::MAX).map(drop),
            Shape::Fraction => self.fraction(name).map(drop),
            Shape::Flag => self.flag(name).map(drop),
            Shape::List => self
                .list(name, |character| {
                    character == ',' || character.is_whitespace()
                })
                .map(drop),
            Shape::Choice(names) => {
                let choices: Vec<(&'static str, ())> =
                    names.iter().map(|name| (*name, ())).collect();
                self.choice(name, &choices).map(drop)
            }
            Shape::Objects => self.objects(name, "objects").map(drop),
        }
    }

    /// Several objects: an array of them, or that array written as a string. One that is none costs
    /// only itself.
    pub(crate) fn objects(
        &self,
        name: &'static str,
        expected: &'static str,
    ) -> Result<Vec<Result<JsonObject, ArgumentError>>, ArgumentError> {
        let Some(value) = self.value(name) else {
            return Ok(Vec::new());
        };
        let written = value
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        match written.as_ref().unwrap_or(value) {
            Value::Array(items) => {
                let is_none = |item| {
                    wrong(
                        "entry",
                        "an object like {\"topic\": \"a\", \"text\": \"b\"}",
                        item,
                    )
                };
                Ok(items
                    .iter()
                    .map(|item| item.as_object().cloned().ok_or_else(|| is_none(item)))
                    .collect())
            }
            Value::Object(one) => Ok(vec![Ok(one.clone())]),
            _ => Err(wrong(name, expected, value)),
        }
    }

    /// A JSON document: a value, or one written as a string, which is taken as written.
    pub(crate) fn json(&self, name: &'static str) -> Result<Option<String>, ArgumentError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(value @ (Value::Object(_) | Value::Array(_))) => Ok(Some(value.to_string())),
            Some(other) => Err(wrong(name, "a JSON document", other)),
        }
    }

    /// Whether an argument says something: null, blank text and a flag's `false` do not.
    pub(crate) fn says(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| {
            let is_false = value.as_bool() == Some(false)
                || value.as_str().is_some_and(|text| text.trim() == "false");
            !is_false
        })
    }

    /// The names of the arguments that say something.
    pub(crate) fn said(&self) -> impl Iterator<Item = &str> {
        self.0
            .keys()
            .map(String::as_str)
            .filter(|name| self.says(name))
    }

    /// Null and blank text count as not given.
    fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| {
            !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty())
        })
    }
}

/// An error about the value of an argument.
pub(crate) fn wrong(name: &'static str, expected: impl Into<String>, got: &Value) -> ArgumentError {
    ArgumentError::Wrong {
        name,
        expected: expected.into(),
        got: shown(&got.to_string()),
    }
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_MAX_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn words_of(items: &[Value]) -> Option<Vec<String>> {
    let words = items.iter().map(|item| match item {
        Value::String(word) => Some(word.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    Some(
        words
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect(),
    )
}

fn split(text: &str, separator: fn(char) -> bool) -> Vec<String> {
    text.split(separator)
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
