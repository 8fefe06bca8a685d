//! What a tool's parameters are, once: the JSON Schema that is advertised and the names that are
//! accepted come from here.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The natural type of a parameter. Every one of them is also accepted as a string.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// Any text.
    Text,
    /// A whole number.
    Whole,
    /// A number from 0 to 1.
    Fraction,
    /// Yes or no.
    Flag,
    /// Several words.
    List,
    /// Several objects.
    Objects,
    /// A JSON document.
    Json,
    /// One of these.
    Choice(&'static [&'static str]),
}

/// One parameter of a tool.
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its type.
    pub(crate) shape: Shape,
    /// What the model has to know; empty when the name says it.
    pub(crate) about: &'static str,
    /// Whether a call needs it.
    pub(crate) required: bool,
}

impl Parameter {
    /// A parameter that a call needs.
    pub(crate) const fn required(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            about,
            required: true,
        }
    }

    /// A parameter with a default.
    pub(crate) const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            about,
            required: false,
        }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.shape {
            Shape::Text => json!({"type": "string"}),
            Shape::Whole => json!({"type": ["integer", "string"]}),
            Shape::Fraction => json!({"type": ["number", "string"]}),
            Shape::Flag => json!({"type": ["boolean", "string"]}),
            Shape::List => json!({"type": ["string", "array"], "items": {"type": "string"}}),
            Shape::Objects => json!({"type": ["array", "string"], "items": {"type": "object"}}),
            Shape::Json => json!({"type": ["string", "object", "array"]}),
            Shape::Choice(names) => json!({"type": "string", "enum": names}),
        };
        if let (Some(fields), false) = (schema.as_object_mut(), self.about.is_empty()) {
            fields.insert("description".to_owned(), self.about.into());
        }
        schema
    }
}

/// The JSON Schema of a tool's arguments.
pub(crate) fn input_schema(parameters: &[Parameter]) -> JsonObject {
    let properties: JsonObject = parameters
        .iter()
        .map(|one| (one.name.to_owned(), one.schema()))
        .collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|one| one.required)
        .map(|one| one.name)
        .collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema
}
