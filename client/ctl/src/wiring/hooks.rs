//! Hook handlers inside a settings document: `hooks.{Event}[].hooks[]`, or `hooks.{event}[]` where
//! a client has no groups.
//!
//! A handler is ours when the program that it runs has the shim's file name. Ours are brought to
//! what the table says, wherever they stand; a group's matcher is only touched when nobody else's
//! handler shares the group.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp};

use super::client::{HookForm, HookShape};
use super::document::{Document, array, member, object, set, string};
use super::error::WiringError;
use super::prune::{Before, Past, is_commented, prune};
use super::spec::{self, ARGUMENTS, Shim};
use super::table::HookRow;

/// The settings key that holds every event, and within a group its handlers.
pub(super) const HOOKS: &str = "hooks";
/// The key that a file of plain lists must carry.
pub(super) const VERSION: &str = "version";
/// The only version there is.
const VERSION_NUMBER: u32 = 1;

/// The result of bringing an array of handlers to the table.
struct Reconciled<'a> {
    /// The row of the last handler that stays.
    last_met: Option<&'a HookRow>,
    /// True if a handler was taken out.
    removed: bool,
}

/// Brings the document's handlers to the table of `form`, all of them running `shim`.
pub(super) fn install(
    document: &mut Document,
    form: &HookForm,
    shim: Shim<'_>,
) -> Result<(), WiringError> {
    let root = document.root_or_new()?;
    if form.shape == HookShape::Lines && member(&root, VERSION).is_none() {
        document.put_first(root, VERSION, &VERSION_NUMBER.into())?;
    }
    let root = document.root_or_new()?;
    let mut unmet: Vec<&HookRow> = form.rows.iter().collect();
    if let Some(hooks) = object(&root, HOOKS)? {
        for event in event_names(&hooks) {
            if let Some(elements) = elements(&hooks, &event, form.rows)?
                && reconcile_event(&elements, form, shim, &event, &mut unmet)?
            {
                remove_if_empty(&hooks, &event, &elements);
            }
        }
    }
    unmet
        .into_iter()
        .try_for_each(|row| add(document, form, shim, row))
}

/// Takes our handlers out, and the containers that are empty then unless the original file had
/// them. Where nobody knows, an event's list goes and what holds all events stays.
pub(super) fn uninstall(
    document: &mut Document,
    form: &HookForm,
    past: &Past<'_>,
) -> Result<(), WiringError> {
    let mut events: Vec<String> = Vec::new();
    while let Some((event, ours)) = first_ours(document, form.shape)? {
        document.remove(&ours)?;
        if !events.contains(&event) {
            events.push(event);
        }
    }
    for event in &events {
        let emptied = hooks_of(document)?.and_then(|hooks| emptied_event(&hooks, event));
        if let Some(emptied) = emptied {
            prune(document, emptied, before_event(form, past, event))?;
        }
    }
    let Some(root) = document.root()?.filter(|_| !events.is_empty()) else {
        return Ok(());
    };
    let is_empty = object(&root, HOOKS)?.is_some_and(|hooks| hooks.properties().is_empty());
    if let (true, Some(emptied)) = (is_empty, member(&root, HOOKS)) {
        prune(document, emptied, past.container(&[HOOKS]))?;
    }
    remove_own_version(document, form, past)
}

/// Returns the former content in the place of an event's list. Where nobody knows, the list is as
/// ours as what was in it.
fn before_event(form: &HookForm, past: &Past<'_>, event: &str) -> Before {
    let keys = [HOOKS, event];
    // An event that is not in the table any more got its list from an earlier version.
    let is_in_table = form.rows.iter().any(|row| row.event == event);
    let before = if is_in_table {
        past.container(&keys)
    } else {
        past.at(&keys)
    };
    if before == Before::Unknown {
        Before::Absent
    } else {
        before
    }
}

fn hooks_of(document: &Document) -> Result<Option<CstObject>, WiringError> {
    document
        .root()?
        .map_or(Ok(None), |root| object(&root, HOOKS))
}

fn emptied_event(hooks: &CstObject, event: &str) -> Option<CstObjectProp> {
    member(hooks, event).filter(|found| {
        found
            .array_value()
            .is_some_and(|elements| elements.elements().is_empty())
    })
}

/// A version goes with our hooks when the original surely had none, unless somebody has put hooks
/// of their own beside ours since, which need it.
pub(super) fn remove_own_version(
    document: &mut Document,
    form: &HookForm,
    past: &Past<'_>,
) -> Result<(), WiringError> {
    let Some(root) = document.root()? else {
        return Ok(());
    };
    let is_needed = object(&root, HOOKS)?.is_some_and(|hooks| !hooks.properties().is_empty());
    let was_needed = past.at(&[HOOKS]) == Before::Present;
    match (form.shape, past.at(&[VERSION]), member(&root, VERSION)) {
        (HookShape::Lines, Before::Absent, Some(version)) if was_needed || !is_needed => {
            document.remove(&version.into())
        }
        _ => Ok(()),
    }
}

/// Brings one event's handlers to the table; tells whether anything was taken out.
fn reconcile_event(
    elements: &CstArray,
    form: &HookForm,
    shim: Shim<'_>,
    event: &str,
    unmet: &mut Vec<&HookRow>,
) -> Result<bool, WiringError> {
    if form.shape == HookShape::Lines {
        return Ok(reconcile(elements, form, shim, event, unmet)?.removed);
    }
    let mut removed = false;
    for group in objects(elements) {
        let Some(handlers) = handlers(&group) else {
            continue;
        };
        let done = reconcile(&handlers, form, shim, event, unmet)?;
        removed |= done.removed;
        match (done.last_met, handlers.elements().len()) {
            (Some(row), 1) => set_matcher(&group, row),
            (None, 0) if done.removed => group.remove(),
            _ => {}
        }
    }
    Ok(removed)
}

/// Updates the handlers that the table still wants and takes out those of ours that it does not.
fn reconcile<'a>(
    handlers: &CstArray,
    form: &HookForm,
    shim: Shim<'_>,
    event: &str,
    unmet: &mut Vec<&'a HookRow>,
) -> Result<Reconciled<'a>, WiringError> {
    let mut done = Reconciled {
        last_met: None,
        removed: false,
    };
    for handler in objects(handlers) {
        let words = words(&handler);
        let Some(verb) = spec::own_verb(&words) else {
            continue;
        };
        if let Some(at) = unmet
            .iter()
            .position(|row| row.event == event && row.verb == verb)
        {
            let row = unmet.remove(at);
            update(&handler, form, shim, row)?;
            done.last_met = Some(row);
        } else {
            handler.remove();
            done.removed = true;
        }
    }
    Ok(done)
}

/// Brings what a handler runs up to date. All the rest, such as how long the client waits, is set
/// where it is missing: what the user made of it stays.
fn update(
    handler: &CstObject,
    form: &HookForm,
    shim: Shim<'_>,
    row: &HookRow,
) -> Result<(), WiringError> {
    for (name, value) in spec::handler(form, shim, row)? {
        if spec::is_program(&name) || member(handler, &name).is_none() {
            set(handler, &name, value);
        }
    }
    if form.shape != HookShape::GroupsOfPrograms
        && let Some(arguments) = member(handler, ARGUMENTS)
    {
        arguments.remove();
    }
    Ok(())
}

fn set_matcher(group: &CstObject, row: &HookRow) {
    match (row.matcher, member(group, "matcher")) {
        (Some(matcher), _) => set(group, "matcher", matcher.into()),
        (None, Some(found)) => found.remove(),
        (None, None) => {}
    }
}

fn add(
    document: &mut Document,
    form: &HookForm,
    shim: Shim<'_>,
    row: &HookRow,
) -> Result<(), WiringError> {
    let (root, element) = (document.root_or_new()?, spec::element(form, shim, row)?);
    let Some(hooks) = object(&root, HOOKS)? else {
        let event = (row.event.to_owned(), CstInputValue::Array(vec![element]));
        return document.put(root, HOOKS, CstInputValue::Object(vec![event]));
    };
    match array(&hooks, row.event)? {
        Some(elements) => document.append(elements, &element),
        None => document.put(hooks, row.event, CstInputValue::Array(vec![element])),
    }
}

/// The first handler of ours with its event, or its whole group where that holds nothing of anybody
/// else's.
fn first_ours(
    document: &Document,
    shape: HookShape,
) -> Result<Option<(String, CstNode)>, WiringError> {
    let Some(hooks) = hooks_of(document)? else {
        return Ok(None);
    };
    for event in event_names(&hooks) {
        let Some(elements) = elements(&hooks, &event, &[])? else {
            continue;
        };
        let mut found = objects(&elements)
            .into_iter()
            .filter_map(|element| match shape {
                HookShape::Lines => is_ours(&element).then(|| element.into()),
                HookShape::GroupsOfPrograms | HookShape::GroupsOfLines => ours_in_group(element),
            });
        if let Some(ours) = found.next() {
            return Ok(Some((event, ours)));
        }
    }
    Ok(None)
}

fn ours_in_group(group: CstObject) -> Option<CstNode> {
    let handlers = handlers(&group)?;
    let mut ours: Vec<CstObject> = objects(&handlers).into_iter().filter(is_ours).collect();
    if ours.is_empty() {
        return None;
    }
    let holds_comment =
        is_commented(&group.clone().into()) || is_commented(&handlers.clone().into());
    let is_whole = ours.len() == handlers.elements().len() && !holds_comment;
    Some(if is_whole {
        group.into()
    } else {
        ours.swap_remove(0).into()
    })
}

fn remove_if_empty(hooks: &CstObject, event: &str, elements: &CstArray) {
    if let (true, Some(found)) = (elements.elements().is_empty(), member(hooks, event)) {
        found.remove();
    }
}

/// Returns the elements under an event. Events that are not ours to fill may have any shape and are
/// then skipped.
fn elements(
    hooks: &CstObject,
    event: &str,
    rows: &[HookRow],
) -> Result<Option<CstArray>, WiringError> {
    if rows.iter().any(|row| row.event == event) {
        return array(hooks, event);
    }
    Ok(member(hooks, event).and_then(|found| found.array_value()))
}

fn event_names(hooks: &CstObject) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in hooks
        .properties()
        .iter()
        .filter_map(CstObjectProp::decoded_name)
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn handlers(group: &CstObject) -> Option<CstArray> {
    member(group, HOOKS)?.array_value()
}

fn objects(array: &CstArray) -> Vec<CstObject> {
    array
        .elements()
        .iter()
        .filter_map(CstNode::as_object)
        .collect()
}

fn is_ours(handler: &CstObject) -> bool {
    spec::own_verb(&words(handler)).is_some()
}

/// The program and the arguments that a handler runs; empty when it runs none.
fn words(handler: &CstObject) -> Vec<String> {
    let arguments = member(handler, ARGUMENTS)
        .and_then(|found| found.array_value())
        .map(|found| {
            let texts = found.elements();
            texts
                .iter()
                .filter_map(|element| element.as_string_lit()?.decoded_value().ok())
                .collect()
        });
    string(handler, "command")
        .map(|command| spec::words(&command, arguments))
        .unwrap_or_default()
}
