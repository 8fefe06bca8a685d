//! Values that a model may write in more than one way: `"5"` for 5, `"true"` for true, `"a,b"` for
//! `["a", "b"]`.
//!
//! serde forgets where a value came from once it has looked ahead, as it does for a tagged enum or
//! a flattened struct. Each value therefore comes together with its name, as a [`Given`], and every
//! error names its argument.
//!
//! The empty descriptions keep what is said here from the model: it reads the comments of the
//! fields.

use std::borrow::Cow;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::Error as NoSuchVariant;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::Value;

use super::ArgumentError;

/// A value and the name of its argument, as an object with one member.
#[derive(Debug, Deserialize)]
#[serde(from = "JsonObject")]
pub(crate) struct Given {
    name: String,
    value: Value,
}

/// Any text; numbers and booleans are taken as written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(inline, description = "", extend("type" = "string"))]
pub(crate) struct Text(pub(crate) String);

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(inline, description = "", extend("type" = ["integer", "string"]))]
pub(crate) struct Whole<const MIN: u32, const MAX: u32>(pub(crate) u32);

/// A position that begins with 0.
pub(crate) type Index = Whole<0, { u32::MAX }>;

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(try_from = "Given")]
#[schemars(inline, description = "", extend("type" = ["number", "string"]))]
pub(crate) struct Fraction(pub(crate) f32);

/// Yes or no; no unless given.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(inline, description = "", extend("type" = ["boolean", "string"]))]
pub(crate) struct Flag(pub(crate) bool);

/// Words, separated by commas in a string.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(
    inline,
    description = "",
    extend("type" = ["string", "array"], "items" = {"type": "string"})
)]
pub(crate) struct Words(pub(crate) Vec<String>);

/// Handles, separated by commas or spaces in a string.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(
    inline,
    description = "",
    extend("type" = ["string", "array"], "items" = {"type": "string"})
)]
pub(crate) struct Handles(pub(crate) Vec<String>);

/// Steps, separated by semicolons in a string; they may hold commas.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(
    inline,
    description = "",
    extend("type" = ["string", "array"], "items" = {"type": "string"})
)]
pub(crate) struct Steps(pub(crate) Vec<String>);

/// Texts, one a line in a string.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(
    inline,
    description = "",
    extend("type" = ["string", "array"], "items" = {"type": "string"})
)]
pub(crate) struct Parts(pub(crate) Vec<String>);

/// A JSON document: a value, or one written as a string, which is taken as written.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "Given")]
#[schemars(inline, description = "", extend("type" = ["string", "object", "array"]))]
pub(crate) struct Document(pub(crate) String);

/// One of the names of an enum's variants, whatever its case.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "Given", bound = "T: DeserializeOwned + JsonSchema")]
pub(crate) struct Choice<T>(pub(crate) T);

impl Given {
    /// An error that repeats the value.
    pub(crate) fn wrong(&self, expected: &str) -> ArgumentError {
        ArgumentError::wrong(&self.name, expected, &self.value.to_string())
    }

    /// Several values: an array of them, that array written as a string, or a single object.
    pub(crate) fn objects(&self, expected: &str) -> Result<Vec<Value>, ArgumentError> {
        let written = self
            .value
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        match written.as_ref().unwrap_or(&self.value) {
            Value::Array(items) => Ok(items.clone()),
            one @ Value::Object(_) => Ok(vec![one.clone()]),
            _ => Err(self.wrong(expected)),
        }
    }

    /// Several words: an array, an array written as a string, or a string split at `separator`.
    /// Numbers are taken as written: an earlier entry's index is a link.
    fn words(&self, separator: fn(char) -> bool) -> Result<Vec<String>, ArgumentError> {
        let expected = "words like \"a,b\" or [\"a\", \"b\"]";
        match &self.value {
            Value::Array(items) => words_of(items).ok_or_else(|| self.wrong(expected)),
            Value::String(text) => {
                let written = serde_json::from_str::<Vec<Value>>(text)
                    .ok()
                    .and_then(|items| words_of(&items));
                Ok(written.unwrap_or_else(|| split(text, separator)))
            }
            Value::Number(number) => Ok(vec![number.to_string()]),
            _ => Err(self.wrong(expected)),
        }
    }

    fn number(&self) -> Option<f64> {
        match &self.value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

impl From<JsonObject> for Given {
    fn from(member: JsonObject) -> Self {
        let (name, value) = member.into_iter().next().unwrap_or_default();
        Self { name, value }
    }
}

impl JsonSchema for Given {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Given".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}

impl Text {
    /// The text without the blanks around it.
    pub(crate) fn trimmed(&self) -> String {
        self.0.trim().to_owned()
    }
}

impl TryFrom<Given> for Text {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        match given.value {
            Value::String(text) => Ok(Self(text)),
            Value::Number(_) | Value::Bool(_) => Ok(Self(given.value.to_string())),
            _ => Err(given.wrong("text")),
        }
    }
}

impl<const MIN: u32, const MAX: u32> TryFrom<Given> for Whole<MIN, MAX> {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        let number = given.number().filter(|number| number.fract() == 0.0);
        let Some(number) = number else {
            return Err(given.wrong("a whole number like 10"));
        };
        if !(f64::from(MIN)..=f64::from(MAX)).contains(&number) {
            return Err(given.wrong(&format!("a whole number from {MIN} to {MAX}")));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in the range of u32"
        )]
        Ok(Self(number as u32))
    }
}

impl TryFrom<Given> for Fraction {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        match given.number() {
            #[expect(clippy::cast_possible_truncation, reason = "the wire carries f32")]
            Some(number) if (0.0..=1.0).contains(&number) => Ok(Self(number as f32)),
            _ => Err(given.wrong("a number from 0 to 1 like 0.85")),
        }
    }
}

impl TryFrom<Given> for Flag {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        let word = match &given.value {
            Value::String(text) => text.trim().to_lowercase(),
            Value::Bool(_) | Value::Number(_) => given.value.to_string(),
            _ => String::new(),
        };
        match word.as_str() {
            "true" | "yes" | "1" => Ok(Self(true)),
            "false" | "no" | "0" => Ok(Self(false)),
            _ => Err(given.wrong("true or false")),
        }
    }
}

impl TryFrom<Given> for Words {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        given.words(|character| character == ',').map(Self)
    }
}

impl TryFrom<Given> for Handles {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        let is_between = |character: char| character == ',' || character.is_whitespace();
        given.words(is_between).map(Self)
    }
}

impl TryFrom<Given> for Steps {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        given.words(|character| character == ';').map(Self)
    }
}

impl TryFrom<Given> for Parts {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        given.words(|character| character == '\n').map(Self)
    }
}

impl TryFrom<Given> for Document {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        match given.value {
            Value::String(text) => Ok(Self(text)),
            Value::Object(_) | Value::Array(_) => Ok(Self(given.value.to_string())),
            _ => Err(given.wrong("a JSON document")),
        }
    }
}

impl<T: DeserializeOwned + JsonSchema> TryFrom<Given> for Choice<T> {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        let word = given.value.as_str().unwrap_or_default();
        let word = word.trim().to_lowercase();
        let chosen: Result<T, NoSuchVariant> = T::deserialize(word.into_deserializer());
        chosen
            .map(Self)
            .map_err(|_| given.wrong(&format!("one of {}", variants::<T>().join(", "))))
    }
}

impl<T: JsonSchema> JsonSchema for Choice<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": variants::<T>()})
    }
}

/// The names of an enum's variants.
fn variants<T: JsonSchema>() -> Vec<String> {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let names = schema.get("enum").and_then(Value::as_array);
    names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn words_of(items: &[Value]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for item in items {
        let word = match item {
            Value::String(word) => word.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        if !word.is_empty() {
            words.push(word);
        }
    }
    Some(words)
}

fn split(text: &str, separator: fn(char) -> bool) -> Vec<String> {
    text.split(separator)
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
