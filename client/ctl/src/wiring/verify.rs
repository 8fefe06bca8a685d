//! A second opinion on every edit before it is written: read both texts as plain values, drop what
//! is ours from each, and compare. It shares no code with the editing, so that a defect there, or
//! in the syntax tree's library, ends in an error and not in a damaged file.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::client::{HookForm, HookShape};
use super::document::{strip_mark, value_of};
use super::error::WiringError;
use super::hooks::{HOOKS, VERSION};
use super::spec::{ARGUMENTS, SERVER_NAME, SERVER_PROGRAM, own_verb, runs, words};
use super::target::{Part, Syntax, Target};

/// Reads a text as a plain value; `None` when it holds none.
pub(super) fn read_as(syntax: Syntax, text: &str) -> Result<Option<Value>, WiringError> {
    match syntax {
        Syntax::Json => value_of(text),
        Syntax::Toml => {
            let table: Result<toml::Table, _> = strip_mark(text).1.parse();
            let value = table
                .ok()
                .and_then(|table| serde_json::to_value(table).ok());
            value.map(Some).ok_or_else(|| failed("not be valid"))
        }
    }
}

/// Checks that an edit changed nothing but our entries, and that strict JSON stayed strict.
pub(super) fn rest_is_kept(before: &str, after: &str, target: &Target) -> Result<(), WiringError> {
    let read_first = read_as(target.syntax, before)?;
    let read_again = read_as(target.syntax, after).map_err(|_| failed("not be valid"))?;
    // As text, because maps compare equal in any order.
    let kept = |value| foreign(value, target).to_string();
    let (first, again) = (kept(read_first), kept(read_again));
    if first != again {
        return Err(failed("change entries that are not Helix's"));
    }
    let strict = |text: &str| serde_json::from_str::<IgnoredAny>(strip_mark(text).1).is_ok();
    if strict(before) && !strict(after) {
        return Err(failed("no longer be strict JSON"));
    }
    Ok(())
}

/// Checks that nothing of ours is left.
pub(super) fn none_left(after: &str, target: &Target) -> Result<(), WiringError> {
    let value = read_as(target.syntax, after)
        .map_err(|_| failed("not be valid"))?
        .unwrap_or_default();
    let found = target.parts.iter().any(|part| match part {
        Part::Hooks(form) => {
            handlers(&value, form.shape).any(|(_, _, handler)| verb(handler).is_some())
        }
        Part::Server(form) => {
            let entry = target
                .server_keys(form)
                .into_iter()
                .try_fold(&value, |at, key| at.get(key));
            entry.is_some_and(is_own_server)
        }
    });
    if found {
        Err(failed("still hold entries of Helix's"))
    } else {
        Ok(())
    }
}

/// Returns whether something of ours stands where these keys lead.
pub(super) fn holds(root: &Value, keys: &[String]) -> bool {
    if keys == [HOOKS] {
        let shapes = [HookShape::Lines, HookShape::GroupsOfPrograms];
        return shapes
            .into_iter()
            .any(|shape| handlers(root, shape).any(|(_, _, handler)| verb(handler).is_some()));
    }
    keys.iter()
        .try_fold(root, |at, key| at.get(key))
        .is_some_and(is_own_server)
}

/// Every handler in a settings file, with its event and, where there are groups, its group.
pub(super) fn handlers(
    root: &Value,
    shape: HookShape,
) -> impl Iterator<Item = (&str, Option<&Value>, &Value)> {
    let events = root
        .get(HOOKS)
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    events.flat_map(move |(event, elements)| {
        let elements = elements.as_array().map(Vec::as_slice).unwrap_or_default();
        elements.iter().flat_map(move |element| {
            let (group, handlers) = match shape {
                HookShape::Lines => (None, std::slice::from_ref(element)),
                HookShape::GroupsOfPrograms | HookShape::GroupsOfLines => {
                    let handlers = element.get(HOOKS).and_then(Value::as_array);
                    (
                        Some(element),
                        handlers.map(Vec::as_slice).unwrap_or_default(),
                    )
                }
            };
            handlers
                .iter()
                .map(move |handler| (event.as_str(), group, handler))
        })
    })
}

/// The program and the arguments that a handler runs; empty when it runs none.
pub(super) fn handler_words(handler: &Value) -> Vec<String> {
    let texts = |list: &Vec<Value>| {
        list.iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let arguments = handler.get(ARGUMENTS).and_then(Value::as_array).map(texts);
    let command = handler.get("command").and_then(Value::as_str);
    command
        .map(|command| words(command, arguments))
        .unwrap_or_default()
}

/// Helix's event of a handler that is ours.
fn verb(handler: &Value) -> Option<String> {
    own_verb(&handler_words(handler)).map(str::to_owned)
}

/// The program of a server, wherever its entry has it.
pub(super) fn server_program(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str())
}

fn is_own_server(entry: &Value) -> bool {
    server_program(entry).is_some_and(|program| runs(program, SERVER_PROGRAM))
}

/// Returns the part of a value that is not ours, without the containers that are empty then.
fn foreign(value: Option<Value>, target: &Target) -> Value {
    let mut root = value.unwrap_or_else(|| Value::Object(Map::new()));
    for part in &target.parts {
        match part {
            Part::Hooks(form) => strip_hooks(&mut root, form),
            Part::Server(form) => strip_at(&mut root, &target.servers_keys(form), &strip_server),
        }
    }
    root
}

/// Strips the object that the keys lead to, and drops each on the way that is empty then.
fn strip_at(value: &mut Value, keys: &[&str], strip: &dyn Fn(&mut Map<String, Value>)) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    let Some((key, deeper)) = keys.split_first() else {
        return strip(object);
    };
    if let Some(inner) = object.get_mut(*key) {
        strip_at(inner, deeper, strip);
    }
    if object.get(*key).is_some_and(is_empty) {
        object.shift_remove(*key);
    }
}

fn strip_hooks(root: &mut Value, form: &HookForm) {
    strip_at(root, &[HOOKS], &|events| {
        events
            .values_mut()
            .filter_map(Value::as_array_mut)
            .for_each(|elements| match form.shape {
                HookShape::Lines => elements.retain(|handler| verb(handler).is_none()),
                HookShape::GroupsOfPrograms | HookShape::GroupsOfLines => strip_groups(elements),
            });
        events.retain(|_, elements| !is_empty(elements));
    });
    // It comes and goes with our hooks, and means the same whether it is there or not.
    if let (HookShape::Lines, Some(root)) = (form.shape, root.as_object_mut())
        && root.get(VERSION).is_some_and(|version| version == 1)
    {
        root.shift_remove(VERSION);
    }
}

fn strip_groups(groups: &mut Vec<Value>) {
    groups.retain_mut(|group| {
        let Some(Value::Array(handlers)) = group.get_mut(HOOKS) else {
            return true;
        };
        handlers.retain(|handler| verb(handler).is_none());
        // One of ours stays, without handlers, when somebody's comment is in it.
        !handlers.is_empty()
    });
}

fn strip_server(servers: &mut Map<String, Value>) {
    if servers
        .get(SERVER_NAME)
        .is_some_and(|entry| entry.is_null() || is_own_server(entry))
    {
        servers.shift_remove(SERVER_NAME);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn failed(problem: &'static str) -> WiringError {
    WiringError::SelfCheck { problem }
}
