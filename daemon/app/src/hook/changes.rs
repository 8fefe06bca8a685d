//! The lines that a change takes away from a file, and those that it brings in.

mod sql;

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::event::Input;
use super::words::is_common_name;

/// Names that a change adds and that are looked up. Those that no memory has cost least.
const ADDED_MAX: usize = 64;

/// Bytes of what is written that are read for its names.
const ADDED_READ_MAX_BYTES: usize = 32 * 1024;

/// Longest text that is made of a file to see what an edit takes from it.
const APPLIED_MAX_BYTES: usize = 1024 * 1024;

/// Shortest name that says anything.
const NAME_MIN_CHARS: usize = 4;

/// What a tool puts in the place of what.
#[derive(Debug, Default)]
pub(super) struct Change {
    before: Vec<String>,
    after: Vec<String>,
    /// The file before and after, where a name may go that the edit does not declare.
    whole: Option<(String, String)>,
}

/// One replacement in a file.
struct Edit {
    old: String,
    new: String,
    is_everywhere: bool,
}

impl Change {
    /// Returns what the tool does to a file; `held` reads what that holds.
    pub(super) fn of(input: &Input, file: Option<&Path>, held: impl Fn(&Path) -> String) -> Self {
        let edits = edits(input);
        let written = input.tool_text("content").unwrap_or_default().to_owned();
        let pairs: Vec<(String, String)> = match input.tool_name.as_str() {
            "Write" => vec![(replaced(input, file, held), written)],
            "apply_patch" => {
                let deleted = file
                    .filter(|file| input.deletes(file))
                    .map(held)
                    .unwrap_or_default();
                vec![(patch_lines(input, '-') + &deleted, patch_lines(input, '+'))]
            }
            _ => {
                let whole = edits
                    .iter()
                    .any(Edit::takes_names)
                    .then(|| replaced(input, file, held));
                let whole =
                    whole.and_then(|before| applied(&before, &edits).map(|after| (before, after)));
                let (before, after) = edits.into_iter().map(|edit| (edit.old, edit.new)).unzip();
                return Self {
                    before,
                    after,
                    whole,
                };
            }
        };
        let (before, after) = pairs.into_iter().unzip();
        Self {
            before,
            after,
            whole: None,
        }
    }

    /// Returns what is written, piece by piece.
    pub(super) fn written(&self) -> &[String] {
        &self.after
    }

    /// The symbols that what is written declares.
    pub(super) fn declared_symbols(&self, file: Option<&Path>) -> Vec<String> {
        declared(&self.after, file)
    }

    /// The symbols that were declared before and are not after. A name alone may be replaced: then
    /// what the file declares says what it was.
    pub(super) fn removed_symbols(&self, file: Option<&Path>) -> Vec<String> {
        let after = self.declared_symbols(file);
        let mut removed = declared(&self.before, file);
        removed.retain(|name| !after.contains(name));
        if let Some((before, after)) = &self.whole {
            let left: HashSet<&str> = helix_code::words(after).collect();
            for name in helix_code::declared_in_part(file, before) {
                if !left.contains(name.as_str()) && !removed.contains(&name) {
                    removed.push(name);
                }
            }
        }
        removed.truncate(helix_code::SYMBOLS_MAX);
        removed
    }

    /// The names in what is written that are not in what it replaces, each once: of tables first,
    /// then what has the looks of an identifier. A capital at the beginning may be that of a
    /// sentence.
    pub(super) fn added_names(&self, file: Option<&Path>) -> Vec<String> {
        let is_sql = file
            .and_then(Path::extension)
            .is_some_and(|extension| extension.eq_ignore_ascii_case("sql"));
        let known: HashSet<&str> = self
            .before
            .iter()
            .flat_map(|text| helix_code::words(text))
            .collect();
        let mut added: Vec<String> = Vec::new();
        for text in &self.after {
            let text = text
                .get(..text.floor_char_boundary(ADDED_READ_MAX_BYTES))
                .unwrap_or(text);
            let looks_so = |word: &&str| is_identifier(word) || (is_sql && sql::is_telling(word));
            for name in sql::tables(text, is_sql).chain(helix_code::words(text).filter(looks_so)) {
                let is_new = !known.contains(name) && name.chars().count() >= NAME_MIN_CHARS;
                if is_new && added.len() < ADDED_MAX && !added.iter().any(|known| known == name) {
                    added.push(name.to_owned());
                }
            }
        }
        added
    }
}

impl Edit {
    fn of(edit: &Value) -> Self {
        let text = |name: &str| {
            edit.get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let is_everywhere = edit
            .get("replace_all")
            .and_then(Value::as_bool)
            .unwrap_or_default();
        Self {
            old: text("old_string"),
            new: text("new_string"),
            is_everywhere,
        }
    }

    /// Returns whether it takes a word that it does not put back.
    fn takes_names(&self) -> bool {
        let kept: HashSet<&str> = helix_code::words(&self.new).collect();
        helix_code::words(&self.old).any(|word| !kept.contains(word))
    }
}

fn declared(texts: &[String], file: Option<&Path>) -> Vec<String> {
    texts
        .iter()
        .flat_map(|text| helix_code::declared_in_part(file, text))
        .collect()
}

/// The replacements that a tool makes one after the other.
fn edits(input: &Input) -> Vec<Edit> {
    match input.tool_name.as_str() {
        "Edit" => vec![Edit::of(&input.tool_input)],
        "MultiEdit" => {
            let edits = input.tool_input.get("edits").and_then(Value::as_array);
            edits.into_iter().flatten().map(Edit::of).collect()
        }
        _ => Vec::new(),
    }
}

/// A text after these edits; `None` where one does not fit, and where it would be too long.
fn applied(text: &str, edits: &[Edit]) -> Option<String> {
    let mut text = text.to_owned();
    for Edit {
        old,
        new,
        is_everywhere,
    } in edits
    {
        let most = if *is_everywhere { usize::MAX } else { 1 };
        let places = if old.is_empty() {
            0
        } else {
            text.matches(old.as_str()).take(most).count()
        };
        if places == 0
            || text.len().saturating_add(places.saturating_mul(new.len())) > APPLIED_MAX_BYTES
        {
            return None;
        }
        text = text.replacen(old.as_str(), new, places);
    }
    Some(text)
}

/// Returns what a file held that is changed or written anew; empty where it is written already and
/// nobody says.
fn replaced(input: &Input, file: Option<&Path>, held: impl Fn(&Path) -> String) -> String {
    match input.text_before() {
        Some(text) => text.to_owned(),
        None if input.tool_response.is_null() => file.map(held).unwrap_or_default(),
        None => String::new(),
    }
}

/// The lines of a patch that begin with a mark, without it.
fn patch_lines(input: &Input, mark: char) -> String {
    let lines = input
        .patch_lines()
        .filter_map(|line| line.strip_prefix(mark));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns whether a word has the looks of an identifier wherever it stands: of parts, and no name
/// that programs use everywhere.
fn is_identifier(word: &str) -> bool {
    let has_parts = word.trim_matches('_').contains('_');
    let has_humps =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    (has_parts || has_humps) && !is_common_name(word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::files::head;
    use super::*;
    use serde_json::json;

    fn change(tool: &str, tool_input: Value, file: Option<&Path>) -> Change {
        Change::of(
            &Input {
                tool_name: tool.to_owned(),
                tool_input,
                ..Input::default()
            },
            file,
            head,
        )
    }

    #[test]
    fn removed_symbols_are_those_that_are_not_declared_again() {
        let of =
            |tool: &str, tool_input: Value| change(tool, tool_input, None).removed_symbols(None);
        let (old, new) = (
            "fn load_rows() {}\nstruct RowSet;",
            "struct RowSet;\nfn read_rows() {}",
        );
        assert_eq!(
            of("Edit", json!({"old_string": old, "new_string": new})),
            ["load_rows"]
        );
        let edits = json!([{"old_string": old, "new_string": ""}, {"old_string": "", "new_string": "struct RowSet;"}]);
        assert_eq!(of("MultiEdit", json!({ "edits": edits })), ["load_rows"]);
        assert!(of("Read", json!({"old_string": old})).is_empty());
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-fn load_rows() {}\n+fn read_rows() {}\n*** End Patch";
        assert_eq!(of("apply_patch", json!({ "input": patch })), ["load_rows"]);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), old).unwrap();
        let written = change("Write", json!({"content": new}), Some(file.path()));
        assert_eq!(written.removed_symbols(Some(file.path())), ["load_rows"]);
        let patch = format!(
            "*** Begin Patch\n*** Delete File: {}\n*** End Patch",
            file.path().display()
        );
        let deleted = change("apply_patch", json!({ "input": patch }), Some(file.path()));
        assert_eq!(
            deleted.removed_symbols(Some(file.path())),
            ["load_rows", "RowSet"]
        );
    }

    #[test]
    fn a_name_alone_may_be_replaced() {
        let file = tempfile::Builder::new().suffix(".py").tempfile().unwrap();
        let held =
            "class AmountParser:\n    pass\n\ndef parse():\n    return AmountParser(AmountKind)\n";
        std::fs::write(file.path(), held).unwrap();
        let of = |old: &str, new: &str, everywhere: bool| {
            let edit = json!({"old_string": old, "new_string": new, "replace_all": everywhere});
            change("Edit", edit, Some(file.path())).removed_symbols(Some(file.path()))
        };
        assert_eq!(of("AmountParser", "MoneyParser", true), ["AmountParser"]);
        assert_eq!(of("Amount", "Money", true), ["AmountParser"]);
        assert_eq!(of("parse", "read", false), ["parse"]);
        assert!(
            of("AmountParser", "MoneyParser", false).is_empty(),
            "it is still used"
        );
        assert!(
            of("AmountKind", "MoneyKind", true).is_empty(),
            "it is declared elsewhere"
        );
        assert!(of("Missing", "Money", true).is_empty() && of("", "Money", true).is_empty());
        let edits = json!([
            {"old_string": "AmountParser", "new_string": "Parser", "replace_all": true},
            {"old_string": "pass", "new_string": "unit = 1"},
        ]);
        let both = change("MultiEdit", json!({ "edits": edits }), Some(file.path()));
        assert_eq!(both.removed_symbols(Some(file.path())), ["AmountParser"]);
        let edit = Edit {
            old: "a".to_owned(),
            new: "b".repeat(APPLIED_MAX_BYTES),
            is_everywhere: true,
        };
        assert_eq!(applied("a", &[edit]), None);
    }

    #[test]
    fn what_a_file_held_that_is_written_already_is_read_from_the_answer() {
        let written = |tool_response: Value| {
            let file = tempfile::NamedTempFile::new().unwrap();
            let new = "fn read_rows() { formatMoney() }";
            std::fs::write(file.path(), new).unwrap();
            let tool_input = json!({ "content": new });
            let input = Input {
                tool_name: "Write".to_owned(),
                tool_input,
                tool_response,
                ..Input::default()
            };
            let change = Change::of(&input, Some(file.path()), head);
            (change.removed_symbols(None), change.added_names(None))
        };
        let known = json!({"returnDisplay": {"originalContent": "fn load_rows() { read_rows() }"}});
        assert_eq!(
            written(known),
            (vec!["load_rows".to_owned()], vec!["formatMoney".to_owned()])
        );
        let unknown = json!({"llmContent": "written"});
        assert_eq!(
            written(unknown),
            (
                Vec::new(),
                vec!["read_rows".to_owned(), "formatMoney".to_owned()]
            )
        );
    }

    #[test]
    fn added_names_are_those_that_are_not_replaced() {
        let of = |path: &str, old: &str, new: &str| {
            let edit = json!({"old_string": old, "new_string": new});
            change("Edit", edit, Some(Path::new(path))).added_names(Some(Path::new(path)))
        };
        let money = "return formatMoney(100, \"JPY\");";
        assert_eq!(of("/p/a.ts", "return String(100);", money), ["formatMoney"]);
        assert!(of("/p/a.ts", money, "return formatMoney(200, \"JPY\");").is_empty());
        assert_eq!(
            of("/p/a.go", "", "b := &auth.TokenBucket{}"),
            ["TokenBucket"]
        );
        assert_eq!(
            of("/p/a.py", "", "db.execute('SELECT pg_advisory_lock(1)')"),
            ["pg_advisory_lock"]
        );
        assert!(
            of(
                "/p/a.rs",
                "",
                "// The order of Things.\nlet map = HashMap::new().to_string();"
            )
            .is_empty()
        );
        let migration = "ALTER TABLE public.postings RENAME COLUMN amount TO cents;";
        assert_eq!(
            of("/p/1.sql", "", migration),
            ["postings", "RENAME", "COLUMN"]
        );
        assert_eq!(
            of("/p/1.sql", "", "alter table if exists postings add x int"),
            ["postings"]
        );
        assert_eq!(
            of(
                "/p/a.py",
                "",
                "db.execute(\"DELETE FROM postings WHERE id = 1\")"
            ),
            ["postings"]
        );
        assert!(of("/p/a.py", "", "from decimal import Decimal").is_empty());
    }

    #[test]
    fn the_names_of_a_patch_and_of_a_new_file_are_bounded() {
        let many: Vec<String> = (0..100).map(|n| format!("call_{n:03}x();\n")).collect();
        let many = many.concat();
        let written = change(
            "Write",
            json!({"content": many}),
            Some(Path::new("/nowhere/a.rs")),
        );
        assert_eq!(written.added_names(None).len(), ADDED_MAX);
        let patch = "*** Update File: a.rs\n@@\n-old_name();\n+old_name(newName);\n";
        assert_eq!(
            change("apply_patch", json!({ "input": patch }), None).added_names(None),
            ["newName"]
        );
    }
}
