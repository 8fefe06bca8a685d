//! The parameters of an object, from the JSON Schema of its type.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::ArgumentError;

/// Parameters in order, with their schemas, and those that a call must give.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) schemas: JsonObject,
    pub(super) required: Vec<String>,
}

impl Fields {
    /// The properties of an object's schema.
    pub(super) fn of(schema: &Value) -> Self {
        let mut fields = Self::default();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            fields.schemas.insert(name.clone(), plain(property.clone()));
        }
        let required = schema.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        fields.required = names.map(str::to_owned).collect();
        fields
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.schemas.contains_key(name)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.schemas.keys().map(String::as_str).collect()
    }

    pub(super) fn missing(&self, given: &JsonObject) -> Vec<&str> {
        let is_missing = |name: &&str| !given.contains_key(*name);
        self.required
            .iter()
            .map(String::as_str)
            .filter(is_missing)
            .collect()
    }

    pub(super) fn check(&self, given: &JsonObject) -> Result<(), ArgumentError> {
        match self.missing(given).as_slice() {
            [] => Ok(()),
            missing => Err(ArgumentError::Missing(missing.join(" and "))),
        }
    }
}

/// The JSON Schema of a type, with all that it refers to in place.
pub(super) fn schema_of<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// A parameter's schema as models read it: on one line, and without the null that every optional
/// one may be.
fn plain(mut schema: Value) -> Value {
    if let Some(kinds) = schema.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            replace(&mut schema, "type", kind);
        }
    }
    if let Some(names) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        names.retain(|name| !name.is_null());
    }
    let text = schema.get("description").and_then(Value::as_str);
    if let Some(text) = text.map(|text| text.replace('\n', " ")) {
        describe(&mut schema, text);
    }
    schema
}

pub(super) fn describe(schema: &mut Value, text: String) {
    if !text.is_empty() {
        replace(schema, "description", text.into());
    }
}

fn replace(schema: &mut Value, key: &str, value: Value) {
    if let Some(members) = schema.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}
