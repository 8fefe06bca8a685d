//! The MCP server entry inside a document: `mcpServers.helix`, in the root or in a project's object.
//!
//! The entry is ours when its command's file name is the bridge's. Arguments and environment that the user
//! gave to it stay; only the path and what is set here are ours to change.

use jsonc_parser::cst::{CstInputValue, CstObject};
use serde_json::Value;

use super::document::{Document, member, object, position, set, string};
use super::error::WiringError;
use super::prune::{Before, prune};
use super::spec::{self, ENVIRONMENT, SERVER_NAME, SERVER_PROGRAM};
use super::target::Level;

/// The key that holds every server.
pub(super) const SERVERS: &str = "mcpServers";

/// The keys that lead to the entry.
pub(super) fn keys(level: &Level) -> Vec<&str> {
    level.keys().into_iter().chain([SERVERS, SERVER_NAME]).collect()
}

/// Adds the entry, or moves the one that is there to `command`.
pub(super) fn install(
    document: &Document,
    command: &str,
    environment: &[(String, String)],
    level: &Level,
) -> Result<(), WiringError> {
    let keys = keys(level);
    let mut at = document.root_or_new()?;
    let mut rest = keys.as_slice();
    while let Some((key, deeper)) = rest.split_first() {
        let Some(found) = object(&at, key)? else {
            let nest = |inner, key: &&str| CstInputValue::Object(vec![((*key).to_owned(), inner)]);
            set(&at, key, deeper.iter().rev().fold(spec::server(command, environment), nest));
            return Ok(());
        };
        (at, rest) = (found, deeper);
    }
    if is_ours(&at) {
        update(&at, command, environment);
        return Ok(());
    }
    let (line, column) = position(&at.into());
    Err(WiringError::ForeignServer { name: SERVER_NAME, line, column })
}

/// Takes our entry out, and each container that is empty then and that the original file did not have.
pub(super) fn uninstall(document: &Document, original: Option<&Value>, level: &Level) -> Result<(), WiringError> {
    let keys = keys(level);
    let Some(root) = document.root()? else {
        return Ok(());
    };
    let mut containers = vec![root];
    for key in keys.iter().take(keys.len() - 1) {
        let Some(found) = containers.last().map(|at| object(at, key)).transpose()?.flatten() else {
            return Ok(());
        };
        containers.push(found);
    }
    let entry = containers.last().and_then(|servers| member(servers, SERVER_NAME));
    let Some(entry) = entry.filter(|entry| entry.object_value().is_some_and(|entry| is_ours(&entry))) else {
        return Ok(());
    };
    // An original entry that was ours too does not come back.
    match Before::of(original, &keys) {
        Before::Null => prune(entry, Before::Null),
        Before::Absent | Before::Present => prune(entry, Before::Absent),
    }
    while let (Some(emptied), Some(parent)) = (containers.pop(), containers.last()) {
        let path = keys.get(..containers.len()).unwrap_or_default();
        let named = path.last().and_then(|key| member(parent, key));
        match named.filter(|_| emptied.properties().is_empty()) {
            Some(named) => prune(named, Before::of(original, path)),
            None => break,
        }
    }
    Ok(())
}

fn update(entry: &CstObject, command: &str, environment: &[(String, String)]) {
    set(entry, "type", "stdio".into());
    set(entry, "command", command.into());
    if member(entry, "args").is_none() {
        set(entry, "args", CstInputValue::Array(Vec::new()));
    }
    match member(entry, ENVIRONMENT).and_then(|found| found.object_value()) {
        _ if environment.is_empty() => {}
        Some(found) => environment.iter().for_each(|(name, value)| set(&found, name, value.as_str().into())),
        None => set(entry, ENVIRONMENT, spec::variables(environment)),
    }
}

fn is_ours(entry: &CstObject) -> bool {
    string(entry, "command").is_some_and(|command| spec::runs(&command, SERVER_PROGRAM))
}
