//! Looking into JSON whose shape a client may change at any time: an absent or odd member is empty.

use serde_json::Value;

/// A member of an object; null where there is none.
pub(super) fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// A member that is text; empty where it is anything else.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    member(value, name).as_str().unwrap_or_default()
}

/// Returns whether a member is true.
pub(super) fn is_set(value: &Value, name: &str) -> bool {
    member(value, name).as_bool() == Some(true)
}

/// The elements of a list; none of anything else.
pub(super) fn elements(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The first of some members that is there.
pub(super) fn first<'a>(value: &'a Value, names: &[String]) -> &'a Value {
    let there = names.iter().find_map(|name| value.get(name));
    there.unwrap_or(&Value::Null)
}

/// The text of a message: text itself, or the `text` of each part that has one, in lines.
pub(super) fn joined(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().map(|part| text(part, "text")).collect();
            let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Value::Object(_) => text(content, "text").to_owned(),
        _ => String::new(),
    }
}
