//! Compares a client's file with what should stand in it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::client::{HookForm, ServerForm};
use super::error::WiringError;
use super::spec::{self, Programs, SERVER_NAME, SERVER_PROGRAM, own_verb, runs};
use super::table::HookRow;
use super::target::{Part, Target};
use super::verify::{handler_words, handlers, read_as, server_program};

/// The state of our entries in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WiringStatus {
    /// Hooks by event and verb, and the server's name, that are there.
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

    /// Tells whether any of our hooks is there.
    pub(crate) fn has_hooks(&self) -> bool {
        self.installed
            .iter()
            .any(|installed| installed != SERVER_NAME)
    }

    fn program(&mut self, found: &str, wanted: &str, exists: &dyn Fn(&Path) -> bool) {
        let path = PathBuf::from(found);
        if !exists(&path) && !self.stale.contains(&path) {
            self.stale.push(path);
        }
        if found != wanted {
            self.note(format!(
                "`{found}` runs instead of `{wanted}`; install again to move to this one"
            ));
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
    words: Vec<String>,
}

/// Compares a file's text with what it should hold. `exists` answers whether a program is there.
///
/// # Errors
/// When the text is not in the file's language.
pub(crate) fn plan_status(
    existing: Option<&str>,
    target: &Target,
    programs: &Programs,
    exists: &dyn Fn(&Path) -> bool,
) -> Result<WiringStatus, WiringError> {
    let root = read_as(target.syntax, existing.unwrap_or_default())?.unwrap_or_default();
    let mut status = WiringStatus::default();
    for part in &target.parts {
        match part {
            Part::Hooks(form) => hooks_status(
                &mut status,
                &root,
                form,
                programs.shim(target).program,
                exists,
            ),
            Part::Server(form) => {
                let entry = target
                    .server_keys(form)
                    .into_iter()
                    .try_fold(&root, |at, key| at.get(key));
                server_status(
                    &mut status,
                    entry,
                    form,
                    (programs.bridge(target), programs.environment.as_slice()),
                    exists,
                );
            }
        }
    }
    Ok(status)
}

fn hooks_status(
    status: &mut WiringStatus,
    root: &Value,
    form: &HookForm,
    wanted: &str,
    exists: &dyn Fn(&Path) -> bool,
) {
    let found = ours(root, form);
    for row in form.rows {
        row_status(status, &found, row);
    }
    for one in &found {
        found_status(status, one, form);
        status.program(
            one.words.first().map(String::as_str).unwrap_or_default(),
            wanted,
            exists,
        );
    }
    if root.get("disableAllHooks") == Some(&Value::Bool(true)) {
        status.note("`disableAllHooks` is set, so no hook runs".to_owned());
    }
}

fn row_status(status: &mut WiringStatus, found: &[Found<'_>], row: &HookRow) {
    let mut matching = found.iter().filter(|one| one.is(row));
    let Some(first) = matching.next() else {
        status.missing.push(row.label());
        return;
    };
    status.installed.push(row.label());
    if first.matcher != row.matcher && !(first.matcher == Some("") && row.matcher.is_none()) {
        let wanted = row.matcher.unwrap_or("everything");
        let sharing = if first.shared {
            ", in a group shared with other hooks"
        } else {
            ""
        };
        status.note(format!(
            "{} is narrowed to `{}` instead of `{wanted}`{sharing}",
            row.label(),
            first.matcher.unwrap_or("everything")
        ));
    }
    if matching.next().is_some() {
        status.note(format!(
            "{} runs more than once; install again to leave one",
            row.label()
        ));
    }
}

fn found_status(status: &mut WiringStatus, found: &Found<'_>, form: &HookForm) {
    if !form.rows.iter().any(|row| found.is(row)) {
        status.note(format!(
            "{} holds a hook that this version does not use; install again to remove it",
            found.event
        ));
    } else if found.words.get(2).map(String::as_str) != form.client {
        status.note(format!(
            "{} does not say which client asks; connect again to set it",
            found.event
        ));
    }
}

fn server_status(
    status: &mut WiringStatus,
    entry: Option<&Value>,
    form: &ServerForm,
    (bridge, environment): (&str, &[(String, String)]),
    exists: &dyn Fn(&Path) -> bool,
) {
    match entry.and_then(server_program) {
        Some(program) if runs(program, SERVER_PROGRAM) => {
            status.installed.push(SERVER_NAME.to_owned());
            status.program(program, bridge, exists);
            environment_status(status, entry, form, environment);
        }
        other => {
            status.missing.push(SERVER_NAME.to_owned());
            if other.is_some() || entry.is_some_and(|entry| !entry.is_null()) {
                status.note(format!(
                    "the server `{SERVER_NAME}` is another program; rename or remove that entry"
                ));
            }
        }
    }
}

fn environment_status(
    status: &mut WiringStatus,
    entry: Option<&Value>,
    form: &ServerForm,
    wanted: &[(String, String)],
) {
    let found = entry.and_then(|entry| entry.get(spec::environment_key(form.shape)));
    for (name, value) in wanted {
        if found
            .and_then(|found| found.get(name))
            .and_then(Value::as_str)
            != Some(value)
        {
            status.note(format!(
                "the server is not started with {name}=`{value}`; connect again to set it"
            ));
        }
    }
}

fn ours<'a>(root: &'a Value, form: &HookForm) -> Vec<Found<'a>> {
    let found = handlers(root, form.shape).map(|(event, group, handler)| {
        let matcher = group
            .unwrap_or(handler)
            .get("matcher")
            .and_then(Value::as_str);
        let beside = group
            .and_then(|group| group.get(super::hooks::HOOKS))
            .and_then(Value::as_array);
        Found {
            event,
            matcher,
            shared: beside.is_some_and(|list| list.len() > 1),
            words: handler_words(handler),
        }
    });
    found
        .filter(|found| own_verb(&found.words).is_some())
        .collect()
}

impl Found<'_> {
    fn is(&self, row: &HookRow) -> bool {
        self.event == row.event && own_verb(&self.words) == Some(row.verb)
    }
}
