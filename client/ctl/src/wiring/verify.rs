//! A second opinion on every edit before it is written: read both texts as plain values, drop what is ours
//! from each, and compare. It shares no code with the editing, so that a defect there, or in the
//! syntax tree's library, ends in an error and not in a damaged file.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::document::value_of;
use super::error::WiringError;
use super::hooks::HOOKS;
use super::plan::Part;
use super::server::SERVERS;
use super::spec::{HOOK_PROGRAM, SERVER_NAME, SERVER_PROGRAM, runs};
use super::target::Level;

/// Checks that an edit changed nothing but our entries, and that strict JSON stayed strict.
pub(super) fn rest_is_kept(before: &str, after: &str, part: Part, level: &Level) -> Result<(), WiringError> {
    let read_first = value_of(before)?;
    let read_again = value_of(after).map_err(|_| failed("not be valid"))?;
    // As text, because maps compare equal in any order.
    let kept = |value| foreign(value, part, level).to_string();
    let (first, again) = (kept(read_first), kept(read_again));
    if first != again {
        return Err(failed("change entries that are not Helix's"));
    }
    let strict = |text: &str| serde_json::from_str::<IgnoredAny>(text.trim_start_matches('\u{feff}')).is_ok();
    if strict(before) && !strict(after) {
        return Err(failed("no longer be strict JSON"));
    }
    Ok(())
}

/// Checks that nothing of ours is left.
pub(super) fn none_left(after: &str, part: Part, level: &Level) -> Result<(), WiringError> {
    let value = value_of(after).map_err(|_| failed("not be valid"))?.unwrap_or_default();
    let found = match part {
        Part::Hooks => handlers(&value).any(|handler| is_run_by(handler, HOOK_PROGRAM)),
        Part::Server => {
            let mut keys = level.keys().into_iter().chain([SERVERS, SERVER_NAME]);
            let entry = keys.try_fold(&value, |at, key| at.get(key));
            entry.is_some_and(|entry| is_run_by(entry, SERVER_PROGRAM))
        }
    };
    if found { Err(failed("still hold entries of Helix's")) } else { Ok(()) }
}

/// What is not ours, without the containers that are empty then.
fn foreign(value: Option<Value>, part: Part, level: &Level) -> Value {
    let mut root = value.unwrap_or_else(|| Value::Object(Map::new()));
    let mut keys = level.keys();
    match part {
        Part::Hooks => strip_at(&mut root, &[HOOKS], strip_events),
        Part::Server => {
            keys.push(SERVERS);
            strip_at(&mut root, &keys, strip_server);
        }
    }
    root
}

/// Strips the object that the keys lead to, and drops each on the way that is empty then.
fn strip_at(value: &mut Value, keys: &[&str], strip: fn(&mut Map<String, Value>)) {
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

fn strip_events(events: &mut Map<String, Value>) {
    events.values_mut().filter_map(Value::as_array_mut).for_each(strip_groups);
    events.retain(|_, groups| !is_empty(groups));
}

fn strip_groups(groups: &mut Vec<Value>) {
    groups.retain_mut(|group| {
        let Some(Value::Array(handlers)) = group.get_mut(HOOKS) else {
            return true;
        };
        let before = handlers.len();
        handlers.retain(|handler| !is_run_by(handler, HOOK_PROGRAM));
        handlers.len() == before || !handlers.is_empty()
    });
}

fn strip_server(servers: &mut Map<String, Value>) {
    let ours = |entry: &Value| entry.is_null() || is_run_by(entry, SERVER_PROGRAM);
    if servers.get(SERVER_NAME).is_some_and(ours) {
        servers.shift_remove(SERVER_NAME);
    }
}

fn handlers(root: &Value) -> impl Iterator<Item = &Value> {
    let events = root.get(HOOKS).and_then(Value::as_object).into_iter().flat_map(Map::values);
    let groups = events.filter_map(Value::as_array).flatten();
    groups.filter_map(|group| group.get(HOOKS)?.as_array()).flatten()
}

fn is_run_by(entry: &Value, program: &str) -> bool {
    entry.get("command").and_then(Value::as_str).is_some_and(|command| runs(command, program))
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
