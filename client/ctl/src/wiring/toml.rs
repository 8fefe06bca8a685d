//! The MCP server entry inside a TOML file: the table `mcp_servers.helix`.
//!
//! Values are edited in toml's own tree; its lines are then laid over the file's, so that every
//! line that says the same as before keeps its bytes, line ends included.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::client::ServerForm;
use super::document::{end_of, strip_mark};
use super::error::WiringError;
use super::prune::Original;
use super::spec::{ARGUMENTS, Programs, SERVER_NAME, SERVER_PROGRAM, runs};
use super::target::Syntax;

/// The key of a server's environment.
const ENVIRONMENT: &str = "env";
/// The key of the variables that the client hands on from its own environment, of which it keeps
/// most back.
const INHERITED: &str = "env_vars";
/// The variables by which the bridge finds the daemon that the hooks talk to.
const INHERITED_VARIABLES: &[&str] = &[
    "HELIX_HOME",
    "HELIX_SOCKET",
    "HELIX_MODEL_DIR",
    "XDG_RUNTIME_DIR",
    "XDG_DATA_HOME",
];

/// Adds the entry, or moves the one that is there to the bridge.
pub(super) fn install(
    text: &str,
    form: &ServerForm,
    bridge: &str,
    programs: &Programs,
) -> Result<String, WiringError> {
    edit(text, form, |document| {
        let servers = document
            .entry(form.servers)
            .or_insert_with(|| Item::Table(implicit()));
        let Some(servers) = servers.as_table_like_mut() else {
            return;
        };
        if let Some(entry) = servers
            .get_mut(SERVER_NAME)
            .and_then(Item::as_table_like_mut)
        {
            update(entry, bridge, programs);
        } else {
            let mut entry = Table::new();
            update(&mut entry, bridge, programs);
            servers.insert(SERVER_NAME, Item::Table(entry));
        }
    })
}

/// Takes our entry out. A table of servers that has a line of its own was there before us, and
/// stays.
pub(super) fn uninstall(
    text: &str,
    form: &ServerForm,
    original: Original<'_>,
) -> Result<String, WiringError> {
    if !holds_entry(text, form)? {
        return Ok(text.to_owned());
    }
    let left = edit(text, form, |document| {
        if let Some(servers) = document
            .get_mut(form.servers)
            .and_then(Item::as_table_like_mut)
        {
            servers.remove(SERVER_NAME);
        }
        let servers = document.get(form.servers).and_then(Item::as_table);
        if servers.is_some_and(|servers| servers.is_empty() && servers.is_implicit()) {
            document.remove(form.servers);
        }
    })?;
    Ok(match original {
        Original::Recorded {
            text: Some(before), ..
        } => without_added_end(left, before),
        Original::Recorded { text: None, .. } | Original::Unknown => left,
    })
}

/// The text without the line end that our table needed before it, where the original had none
/// there.
fn without_added_end(text: String, before: &str) -> String {
    let ends_as_before = !before.ends_with('\n') && text.lines().last() == before.lines().last();
    match text.strip_suffix('\n').filter(|_| ends_as_before) {
        Some(line) => line.strip_suffix('\r').unwrap_or(line).to_owned(),
        None => text,
    }
}

/// Returns whether an entry of ours is there. Nobody else's is an error here.
fn holds_entry(text: &str, form: &ServerForm) -> Result<bool, WiringError> {
    let document = parse(strip_mark(text).1)?.into_mut();
    let servers = document.get(form.servers).and_then(Item::as_table_like);
    Ok(servers
        .and_then(|servers| servers.get(SERVER_NAME))
        .is_some_and(is_ours))
}

/// Parses, checks that the entry may be ours, edits, and lays the result over the text.
fn edit(
    text: &str,
    form: &ServerForm,
    change: impl FnOnce(&mut DocumentMut),
) -> Result<String, WiringError> {
    let (marked, body) = strip_mark(text);
    let parsed = parse(body)?;
    if let Some(servers) = parsed.get(form.servers) {
        let position = |item: &Item| {
            item.span()
                .map_or((1, 1), |span| position(body, span.start))
        };
        let Some(table) = servers.as_table_like() else {
            let (line, column) = position(servers);
            let (key, found) = (form.servers.to_owned(), with_article(servers.type_name()));
            return Err(WiringError::Shape {
                key,
                expected: "a table",
                found,
                line,
                column,
            });
        };
        if let Some(entry) = table.get(SERVER_NAME).filter(|entry| !is_ours(entry)) {
            let (line, column) = position(entry);
            return Err(WiringError::ForeignServer {
                name: SERVER_NAME,
                line,
                column,
            });
        }
    }
    let mut document = parsed.into_mut();
    if !is_same(body, &document.to_string()) {
        return Err(WiringError::SelfCheck {
            problem: "lose lines that are not Helix's",
        });
    }
    change(&mut document);
    let mark = if marked {
        text.get(..text.len() - body.len()).unwrap_or_default()
    } else {
        ""
    };
    Ok(mark.to_owned() + &laid_over(body, &document.to_string()))
}

fn parse(body: &str) -> Result<toml_edit::Document<&str>, WiringError> {
    toml_edit::Document::parse(body).map_err(|error| {
        let (line, column) = error
            .span()
            .map_or((1, 1), |span| position(body, span.start));
        let problem = error.message().lines().collect::<Vec<_>>().join(", ");
        WiringError::Syntax {
            language: Syntax::Toml.name(),
            problem,
            line,
            column,
        }
    })
}

fn position(body: &str, at: usize) -> (usize, usize) {
    end_of(body.get(..at).unwrap_or_default())
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

fn is_ours(entry: &Item) -> bool {
    let command = entry
        .as_table_like()
        .and_then(|entry| entry.get("command"))
        .and_then(Item::as_str);
    command.is_some_and(|command| runs(command, SERVER_PROGRAM))
}

/// A table that is not written itself, but only what is in it.
fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

fn update(entry: &mut dyn TableLike, bridge: &str, programs: &Programs) {
    set(entry, "command", bridge);
    if programs.choose_tools() || !entry.contains_key(ARGUMENTS) {
        let there = entry.get(ARGUMENTS).map(words).unwrap_or_default();
        let arguments: Array = programs.arguments(there).into_iter().collect();
        entry.insert(ARGUMENTS, value(arguments));
    }
    if !programs.environment.is_empty() {
        if entry
            .get(ENVIRONMENT)
            .and_then(Item::as_table_like)
            .is_none()
        {
            entry.insert(ENVIRONMENT, value(InlineTable::new()));
        }
        if let Some(variables) = entry.get_mut(ENVIRONMENT).and_then(Item::as_table_like_mut) {
            for (name, value) in &programs.environment {
                set(variables, name, value);
            }
        }
    }
    if !entry.contains_key(INHERITED) {
        entry.insert(
            INHERITED,
            value(INHERITED_VARIABLES.iter().copied().collect::<Array>()),
        );
    }
}

/// The texts of an array.
fn words(item: &Item) -> Vec<String> {
    let array = item.as_array().into_iter().flatten();
    array.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Sets a text unless it says the same already; what is written around the old one stays.
fn set(table: &mut dyn TableLike, key: &str, text: &str) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(found) if found.as_str() == Some(text) => {}
        Some(found) => {
            let decor = found.decor().clone();
            *found = Value::from(text);
            *found.decor_mut() = decor;
        }
        None => {
            table.insert(key, value(text));
        }
    }
}

fn is_same(left: &str, right: &str) -> bool {
    left.lines().eq(right.lines())
}

/// The lines of `after`, with the bytes of `before` where a line says the same. Comments above what
/// was taken out stay.
fn laid_over(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let raw: Vec<&str> = before.split_inclusive('\n').collect();
    let end = if before.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut text = String::with_capacity(after.len());
    let mut push = |line: &str, end: &str| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(end);
        }
        text.push_str(line);
    };
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (gone, come) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            raw.get(gone)
                .unwrap_or_default()
                .iter()
                .for_each(|line| push(line, end));
            continue;
        }
        let kept = comments_above(old.get(gone.clone()).unwrap_or_default());
        raw.get(gone.start..gone.start + kept)
            .unwrap_or_default()
            .iter()
            .for_each(|line| push(line, end));
        for line in new.get(come).unwrap_or_default() {
            push(&format!("{line}{end}"), end);
        }
    }
    text
}

/// How many of these lines are comments, with what is between them, above the first that says
/// something.
fn comments_above(lines: &[&str]) -> usize {
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let first = lines
        .iter()
        .position(|line| !is_comment(line) && !line.trim().is_empty())
        .unwrap_or(0);
    lines
        .get(..first)
        .and_then(|above| above.iter().rposition(is_comment))
        .map_or(0, |last| last + 1)
}
