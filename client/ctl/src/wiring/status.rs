//! What stands in a client's file, compared with what should.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::document::value_of;
use super::error::WiringError;
use super::hooks::HOOKS;
use super::server;
use super::spec::{ENVIRONMENT, HOOK_PROGRAM, HookRow, SERVER_NAME, SERVER_PROGRAM, Spec, runs};
use super::target::Level;

/// The state of our entries in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WiringStatus {
    /// Events, or the server's name, that are there.
    pub(crate) installed: Vec<String>,
    /// Those that are not.
    pub(crate) missing: Vec<String>,
    /// Programs of ours that the file names and that do not exist.
    pub(crate) stale: Vec<PathBuf>,
    /// Whatever else a user should know, each a lowercase fragment.
    pub(crate) notes: Vec<String>,
}

impl WiringStatus {
    /// Tells whether everything is as `install` would leave it.
    pub(crate) fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.stale.is_empty() && self.notes.is_empty()
    }

    fn program(&mut self, found: &str, wanted: &str, exists: &dyn Fn(&Path) -> bool) {
        let path = PathBuf::from(found);
        if !exists(&path) && !self.stale.contains(&path) {
            self.stale.push(path);
        }
        if found != wanted {
            self.note(format!("`{found}` runs instead of `{wanted}`; install again to move to this one"));
        }
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// One handler of ours, with where it stands.
struct Found<'a> {
    event: &'a str,
    matcher: Option<&'a str>,
    shared: bool,
    handler: &'a Value,
}

/// Compares a file's text with what it should hold. `exists` answers whether a program is there.
///
/// # Errors
/// When the text is not JSON with comments.
pub(crate) fn plan_status(
    existing: Option<&str>,
    spec: &Spec,
    level: &Level,
    exists: &dyn Fn(&Path) -> bool,
) -> Result<WiringStatus, WiringError> {
    let root = value_of(existing.unwrap_or_default())?.unwrap_or_default();
    let mut status = WiringStatus::default();
    match spec {
        Spec::Hooks { command, rows } => {
            let found = ours(&root);
            for row in *rows {
                row_status(&mut status, &found, row);
            }
            for one in &found {
                found_status(&mut status, one, rows);
                status.program(one.handler.get("command").and_then(Value::as_str).unwrap_or_default(), command, exists);
            }
            if root.get("disableAllHooks") == Some(&Value::Bool(true)) {
                status.note("`disableAllHooks` is set, so no hook runs".to_owned());
            }
        }
        Spec::Server { command, environment } => {
            let entry = server::keys(level).into_iter().try_fold(&root, |at, key| at.get(key));
            server_status(&mut status, entry, command, exists);
            if !status.installed.is_empty() {
                environment_status(&mut status, entry, environment);
            }
        }
    }
    Ok(status)
}

fn row_status(status: &mut WiringStatus, found: &[Found<'_>], row: &HookRow) {
    let mut matching = found.iter().filter(|one| one.event == row.event && one.verb() == Some(row.verb));
    let Some(first) = matching.next() else {
        status.missing.push(row.event.to_owned());
        return;
    };
    status.installed.push(row.event.to_owned());
    if first.matcher != row.matcher && !(first.matcher == Some("") && row.matcher.is_none()) {
        let wanted = row.matcher.unwrap_or("everything");
        let sharing = if first.shared { ", in a group shared with other hooks" } else { "" };
        status.note(format!(
            "{} is narrowed to `{}` instead of `{wanted}`{sharing}",
            row.event,
            first.matcher.unwrap_or("everything")
        ));
    }
    if matching.next().is_some() {
        status.note(format!("{} runs more than once; install again to leave one", row.event));
    }
}

fn found_status(status: &mut WiringStatus, found: &Found<'_>, rows: &[HookRow]) {
    if !rows.iter().any(|row| row.event == found.event && Some(row.verb) == found.verb()) {
        status.note(format!("{} holds a hook that this version does not use; install again to remove it", found.event));
    }
}

fn server_status(status: &mut WiringStatus, entry: Option<&Value>, wanted: &str, exists: &dyn Fn(&Path) -> bool) {
    match entry.and_then(|entry| entry.get("command")).and_then(Value::as_str) {
        Some(command) if runs(command, SERVER_PROGRAM) => {
            status.installed.push(SERVER_NAME.to_owned());
            status.program(command, wanted, exists);
        }
        other => {
            status.missing.push(SERVER_NAME.to_owned());
            if other.is_some() || entry.is_some_and(|entry| !entry.is_null()) {
                status.note(format!("the server `{SERVER_NAME}` is another program; rename or remove that entry"));
            }
        }
    }
}

fn environment_status(status: &mut WiringStatus, entry: Option<&Value>, wanted: &[(String, String)]) {
    let found = entry.and_then(|entry| entry.get(ENVIRONMENT));
    for (name, value) in wanted {
        if found.and_then(|found| found.get(name)).and_then(Value::as_str) != Some(value) {
            status.note(format!("the server is not started with {name}=`{value}`; connect again to set it"));
        }
    }
}

fn ours(root: &Value) -> Vec<Found<'_>> {
    let events = root.get(HOOKS).and_then(Value::as_object).into_iter().flatten();
    let groups =
        events.flat_map(|(event, groups)| groups.as_array().into_iter().flatten().map(move |group| (event, group)));
    groups
        .flat_map(|(event, group)| {
            let handlers = group.get(HOOKS).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let matcher = group.get("matcher").and_then(Value::as_str);
            let shared = handlers.len() > 1;
            handlers.iter().map(move |handler| Found { event, matcher, shared, handler })
        })
        .filter(|found| {
            let command = found.handler.get("command").and_then(Value::as_str);
            command.is_some_and(|command| runs(command, HOOK_PROGRAM))
        })
        .collect()
}

impl Found<'_> {
    fn verb(&self) -> Option<&str> {
        self.handler.get("args")?.get(0)?.as_str()
    }
}
