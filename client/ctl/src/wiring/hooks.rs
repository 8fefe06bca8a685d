//! Hook handlers inside a settings document: `hooks.{Event}[].hooks[]`.
//!
//! A handler is ours when its command's file name is the shim's. Ours are brought to what the table says,
//! wherever they stand; a group's matcher is only touched when nobody else's handler shares the group.

use jsonc_parser::cst::{CstArray, CstInputValue, CstObject};

use super::document::{Document, array, member, object, set, string};
use super::error::WiringError;
use super::prune::{Before, prune};
use super::spec::{self, HOOK_PROGRAM, HookRow};

/// The settings key that holds every event.
pub(super) const HOOKS: &str = "hooks";

/// Brings the document's handlers to `rows`, all of them running `command`.
pub(super) fn install(document: &Document, command: &str, rows: &[HookRow]) -> Result<(), WiringError> {
    let root = document.root_or_new()?;
    let mut unmet: Vec<&HookRow> = rows.iter().collect();
    if let Some(hooks) = object(&root, HOOKS)? {
        for event in event_names(&hooks) {
            if let Some(groups) = groups(&hooks, &event, rows)?
                && reconcile(&groups, command, &event, &mut unmet)
            {
                remove_if_empty(&hooks, &event, &groups, Before::Absent);
            }
        }
    }
    for row in unmet {
        let hooks = match object(&root, HOOKS)? {
            Some(hooks) => hooks,
            None => new_object(&root, HOOKS),
        };
        add(&hooks, command, row)?;
    }
    Ok(())
}

/// Takes our handlers out, and the containers that are empty then unless the original file had them.
pub(super) fn uninstall(document: &Document, original: Option<&serde_json::Value>) -> Result<(), WiringError> {
    let Some(root) = document.root()? else {
        return Ok(());
    };
    let Some(hooks) = object(&root, HOOKS)? else {
        return Ok(());
    };
    let mut removed = false;
    for event in event_names(&hooks) {
        let Some(groups) = groups(&hooks, &event, &[])? else {
            continue;
        };
        if remove_ours(&groups) {
            removed = true;
            remove_if_empty(&hooks, &event, &groups, Before::of(original, &[HOOKS, &event]));
        }
    }
    if let (true, true, Some(found)) = (removed, hooks.properties().is_empty(), member(&root, HOOKS)) {
        prune(found, Before::of(original, &[HOOKS]));
    }
    Ok(())
}

/// Updates what the table still wants and takes out what it does not; tells whether anything was taken out.
fn reconcile(groups: &CstArray, command: &str, event: &str, unmet: &mut Vec<&HookRow>) -> bool {
    let mut removed = false;
    for group in objects(groups) {
        let Some(handlers) = handlers(&group) else {
            continue;
        };
        let mut last_met = None;
        let mut emptied = false;
        for handler in objects(&handlers).into_iter().filter(is_ours) {
            let verb = first_argument(&handler);
            let wanted = unmet.iter().position(|row| row.event == event && Some(row.verb) == verb.as_deref());
            if let Some(at) = wanted {
                last_met = Some(update(&handler, command, unmet.remove(at)));
            } else {
                handler.remove();
                emptied = true;
            }
        }
        removed |= emptied;
        match (last_met, handlers.elements().len()) {
            (Some(row), 1) => set_matcher(&group, row),
            (None, 0) if emptied => group.remove(),
            _ => {}
        }
    }
    removed
}

fn update<'a>(handler: &CstObject, command: &str, row: &'a HookRow) -> &'a HookRow {
    if let CstInputValue::Object(members) = spec::handler(command, row) {
        for (name, value) in members {
            set(handler, &name, value);
        }
    }
    row
}

fn set_matcher(group: &CstObject, row: &HookRow) {
    match (row.matcher, member(group, "matcher")) {
        (Some(matcher), _) => set(group, "matcher", matcher.into()),
        (None, Some(found)) => found.remove(),
        (None, None) => {}
    }
}

fn add(hooks: &CstObject, command: &str, row: &HookRow) -> Result<(), WiringError> {
    let group = spec::group(command, row);
    if let Some(groups) = array(hooks, row.event)? {
        groups.append(group);
        return Ok(());
    }
    set(hooks, row.event, CstInputValue::Array(vec![group]));
    Ok(())
}

/// Tells whether anything was ours. A group that becomes empty goes with its handler.
fn remove_ours(groups: &CstArray) -> bool {
    let mut removed = false;
    for group in objects(groups) {
        let Some(handlers) = handlers(&group) else {
            continue;
        };
        let ours: Vec<CstObject> = objects(&handlers).into_iter().filter(is_ours).collect();
        if ours.is_empty() {
            continue;
        }
        removed = true;
        if ours.len() == handlers.elements().len() {
            group.remove();
        } else {
            ours.into_iter().for_each(CstObject::remove);
        }
    }
    removed
}

fn remove_if_empty(hooks: &CstObject, event: &str, groups: &CstArray, before: Before) {
    if let (true, Some(found)) = (groups.elements().is_empty(), member(hooks, event)) {
        prune(found, before);
    }
}

/// The groups of an event. Events that are not ours to fill may have any shape and are then skipped.
fn groups(hooks: &CstObject, event: &str, rows: &[HookRow]) -> Result<Option<CstArray>, WiringError> {
    if rows.iter().any(|row| row.event == event) {
        return array(hooks, event);
    }
    Ok(member(hooks, event).and_then(|found| found.array_value()))
}

fn event_names(hooks: &CstObject) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in hooks.properties().iter().filter_map(jsonc_parser::cst::CstObjectProp::decoded_name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn new_object(parent: &CstObject, name: &str) -> CstObject {
    match member(parent, name) {
        Some(found) => found.object_value_or_set(),
        None => parent.object_value_or_set(name),
    }
}

fn handlers(group: &CstObject) -> Option<CstArray> {
    member(group, HOOKS)?.array_value()
}

fn objects(array: &CstArray) -> Vec<CstObject> {
    array.elements().iter().filter_map(jsonc_parser::cst::CstNode::as_object).collect()
}

fn is_ours(handler: &CstObject) -> bool {
    string(handler, "command").is_some_and(|command| spec::runs(&command, HOOK_PROGRAM))
}

fn first_argument(handler: &CstObject) -> Option<String> {
    let arguments = member(handler, "args")?.array_value()?;
    arguments.elements().first()?.as_string_lit()?.decoded_value().ok()
}
