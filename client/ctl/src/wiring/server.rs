//! The MCP server entry inside a document: `mcpServers.helix`.
//!
//! The entry is ours when its command's file name is the bridge's. Arguments and environment that the user
//! gave to it stay; only the path is ours to move.

use jsonc_parser::cst::{CstInputValue, CstObject};
use serde_json::Value;

use super::document::{Document, member, object, position, set, string};
use super::error::WiringError;
use super::prune::{Before, prune};
use super::spec::{self, SERVER_NAME, SERVER_PROGRAM};

/// The key that holds every server.
pub(super) const SERVERS: &str = "mcpServers";

/// Adds the entry, or moves the one that is there to `command`.
pub(super) fn install(document: &Document, command: &str) -> Result<(), WiringError> {
    let root = document.root_or_new()?;
    let Some(servers) = object(&root, SERVERS)? else {
        let entry = (SERVER_NAME.to_owned(), spec::server(command));
        set(&root, SERVERS, CstInputValue::Object(vec![entry]));
        return Ok(());
    };
    match object(&servers, SERVER_NAME)? {
        None => set(&servers, SERVER_NAME, spec::server(command)),
        Some(entry) if is_ours(&entry) => update(&entry, command),
        Some(entry) => {
            let (line, column) = position(&entry.into());
            return Err(WiringError::ForeignServer { name: SERVER_NAME, line, column });
        }
    }
    Ok(())
}

/// Takes our entry out, and the list of servers if it is empty then and the original file had none.
pub(super) fn uninstall(document: &Document, original: Option<&Value>) -> Result<(), WiringError> {
    let Some(root) = document.root()? else {
        return Ok(());
    };
    let Some(servers) = object(&root, SERVERS)? else {
        return Ok(());
    };
    let Some(found) = member(&servers, SERVER_NAME) else {
        return Ok(());
    };
    if !found.object_value().is_some_and(|entry| is_ours(&entry)) {
        return Ok(());
    }
    // An original entry that was ours too does not come back.
    match Before::of(original, &[SERVERS, SERVER_NAME]) {
        Before::Null => prune(found, Before::Null),
        Before::Absent | Before::Present => prune(found, Before::Absent),
    }
    if let (true, Some(emptied)) = (servers.properties().is_empty(), member(&root, SERVERS)) {
        prune(emptied, Before::of(original, &[SERVERS]));
    }
    Ok(())
}

fn update(entry: &CstObject, command: &str) {
    set(entry, "type", "stdio".into());
    set(entry, "command", command.into());
    if member(entry, "args").is_none() {
        set(entry, "args", CstInputValue::Array(Vec::new()));
    }
}

fn is_ours(entry: &CstObject) -> bool {
    string(entry, "command").is_some_and(|command| spec::runs(&command, SERVER_PROGRAM))
}
