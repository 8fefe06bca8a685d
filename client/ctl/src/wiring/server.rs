//! The MCP server entry inside a JSON document, such as `mcpServers.helix`, in the root or in a
//! project's object.
//!
//! The entry is ours when its program's file name is the bridge's. Arguments and environment that
//! the user gave to it stay; only the path and what is set here are ours to change.

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};

use super::client::{ServerForm, ServerShape};
use super::document::{Document, member, object, position, set, string};
use super::error::WiringError;
use super::prune::{Before, Past, prune, restore};
use super::spec::{self, ARGUMENTS, Programs, SERVER_NAME, SERVER_PROGRAM};
use super::target::Target;

/// Adds the entry, or moves the one that is there to the bridge.
pub(super) fn install(
    document: &mut Document,
    target: &Target,
    form: &ServerForm,
    programs: &Programs,
) -> Result<(), WiringError> {
    let keys = target.server_keys(form);
    let mut at = document.root_or_new()?;
    let mut rest = keys.as_slice();
    while let Some((key, deeper)) = rest.split_first() {
        let Some(found) = object(&at, key)? else {
            let nest = |inner, key: &&str| CstInputValue::Object(vec![((*key).to_owned(), inner)]);
            let entry = deeper
                .iter()
                .rev()
                .fold(spec::server(form.shape, target, programs), nest);
            return document.put(at, key, entry);
        };
        (at, rest) = (found, deeper);
    }
    if is_ours(&at) {
        update(&at, form.shape, target, programs);
        return Ok(());
    }
    let (line, column) = position(&at.into());
    Err(WiringError::ForeignServer {
        name: SERVER_NAME,
        line,
        column,
    })
}

/// Takes our entry out, and each container that is empty then and that the original file surely did
/// not have.
pub(super) fn uninstall(
    document: &mut Document,
    target: &Target,
    form: &ServerForm,
    past: &Past<'_>,
) -> Result<(), WiringError> {
    let keys = target.server_keys(form);
    // An original entry that was ours too does not come back.
    let before = match past.at(&keys) {
        Before::Null => Before::Null,
        Before::Absent | Before::Present | Before::Unknown => Before::Absent,
    };
    let mut is_found = false;
    // Behind a repeated key another of ours may come to light.
    while let Some(entry) = document.member_at(&keys)?.filter(is_own_member) {
        restore(document, entry, before)?;
        is_found = true;
    }
    if !is_found {
        return Ok(());
    }
    for depth in (1..keys.len()).rev() {
        let path = keys.get(..depth).unwrap_or_default();
        let container = document.member_at(path)?;
        let is_empty = |at: &CstObjectProp| {
            at.object_value()
                .is_some_and(|held| held.properties().is_empty())
        };
        match container.filter(is_empty) {
            Some(emptied) => prune(document, emptied, past.container(path))?,
            None => break,
        }
    }
    Ok(())
}

fn update(entry: &CstObject, shape: ServerShape, target: &Target, programs: &Programs) {
    let bridge = programs.bridge(target);
    match shape {
        ServerShape::Typed => set(entry, "type", "stdio".into()),
        ServerShape::Plain => {}
        ServerShape::Local => set(entry, "type", "local".into()),
    }
    match shape {
        ServerShape::Typed | ServerShape::Plain => {
            set(entry, "command", bridge.into());
            if programs.choose_tools() || member(entry, ARGUMENTS).is_none() {
                let there = words(entry, ARGUMENTS);
                set(entry, ARGUMENTS, programs.arguments(there).into());
            }
        }
        ServerShape::Local => {
            let there = command(entry).into_iter().skip(1).collect();
            let words = programs.command_line(target, there);
            set(entry, "command", words.into());
            if member(entry, "enabled").is_none() {
                set(entry, "enabled", CstInputValue::Bool(true));
            }
        }
    }
    let key = spec::environment_key(shape);
    match member(entry, key).and_then(|found| found.object_value()) {
        _ if programs.environment.is_empty() => {}
        Some(found) => programs
            .environment
            .iter()
            .for_each(|(name, value)| set(&found, name, value.as_str().into())),
        None => set(entry, key, spec::variables(&programs.environment)),
    }
}

fn is_own_member(member: &CstObjectProp) -> bool {
    member.object_value().is_some_and(|entry| is_ours(&entry))
}

fn is_ours(entry: &CstObject) -> bool {
    command(entry)
        .first()
        .is_some_and(|program| spec::runs(program, SERVER_PROGRAM))
}

/// The program, and what of its arguments stands beside it.
fn command(entry: &CstObject) -> Vec<String> {
    match string(entry, "command") {
        Some(program) => vec![program],
        None => words(entry, "command"),
    }
}

/// The texts of an array.
fn words(entry: &CstObject, name: &str) -> Vec<String> {
    let array = member(entry, name).and_then(|found| found.array_value());
    let elements = array.map(|array| array.elements()).unwrap_or_default();
    elements
        .iter()
        .filter_map(|word| word.as_string_lit()?.decoded_value().ok())
        .collect()
}
