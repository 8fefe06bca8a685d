//! What a change takes away from a file.

use std::path::Path;

use helix_engine::code;
use serde_json::Value;

use super::event::Input;
use super::files::head;

/// The symbols that were declared before a change and are not after it.
pub(super) fn removed_symbols(input: &Input, file: Option<&Path>) -> Vec<String> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let pairs: Vec<(String, String)> = match input.tool_name.as_str() {
        "Edit" => vec![(text(&input.tool_input, "old_string"), text(&input.tool_input, "new_string"))],
        "MultiEdit" => {
            let edits = input.tool_input.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            edits.iter().map(|edit| (text(edit, "old_string"), text(edit, "new_string"))).collect()
        }
        "Write" => vec![(file.map(head).unwrap_or_default(), text(&input.tool_input, "content"))],
        _ => Vec::new(),
    };
    let declared = |texts: &mut dyn Iterator<Item = &String>| -> Vec<String> {
        texts.flat_map(|text| code::declared_in_part(file, text)).collect()
    };
    let after = declared(&mut pairs.iter().map(|(_, after)| after));
    let mut removed = declared(&mut pairs.iter().map(|(before, _)| before));
    removed.retain(|name| !after.contains(name));
    removed.truncate(code::SYMBOLS_MAX);
    removed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn removed_symbols_are_those_that_are_not_declared_again() {
        let of = |tool: &str, tool_input: Value| {
            removed_symbols(&Input { tool_name: tool.to_owned(), tool_input, ..Input::default() }, None)
        };
        let (old, new) = ("fn load_rows() {}\nstruct RowSet;", "struct RowSet;\nfn read_rows() {}");
        assert_eq!(of("Edit", json!({"old_string": old, "new_string": new})), ["load_rows"]);
        let edits = json!([{"old_string": old, "new_string": ""}, {"old_string": "", "new_string": "struct RowSet;"}]);
        assert_eq!(of("MultiEdit", json!({ "edits": edits })), ["load_rows"]);
        assert!(of("Read", json!({"old_string": old})).is_empty());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), old).unwrap();
        let input = Input { tool_name: "Write".to_owned(), tool_input: json!({"content": new}), ..Input::default() };
        assert_eq!(removed_symbols(&input, Some(file.path())), ["load_rows"]);
    }
}
