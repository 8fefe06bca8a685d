//! A tool's actions, from the schemas of an enum's variants, and the flat list of what they take.

use serde_json::{Value, json};

use super::fields::{Fields, describe};

/// The argument that names the action.
pub(super) const ACTION: &str = "action";

/// Most actions that a parameter's description names; what more of them take speaks for itself.
const NAMED_ACTIONS_MAX: usize = 4;

/// One action and what it takes.
pub(super) struct Action {
    pub(super) name: String,
    pub(super) takes: Fields,
}

impl Action {
    /// An action from a variant's schema.
    pub(super) fn of(variant: &Value) -> Option<Self> {
        let mut takes = Fields::of(variant);
        let tag = takes.schemas.shift_remove(ACTION)?;
        takes.required.retain(|name| name != ACTION);
        Some(Self {
            name: tag.get("const")?.as_str()?.to_owned(),
            takes,
        })
    }

    pub(super) fn known(&self) -> String {
        match self.takes.names().as_slice() {
            [] => "nothing else".to_owned(),
            names => names.join(", "),
        }
    }
}

/// The parameters of all actions, each where the first action has it that takes it. What all
/// actions need is required.
pub(super) fn merged(actions: &[Action], default_action: Option<&str>) -> Fields {
    let mut all = Fields::default();
    let mut tag = json!({"type": "string", "enum": action_names(actions)});
    match default_action {
        Some(name) => describe(&mut tag, format!("default {name}")),
        None => all.required.push(ACTION.to_owned()),
    }
    all.schemas.insert(ACTION.to_owned(), tag);
    for (name, schema) in actions.iter().flat_map(|action| &action.takes.schemas) {
        if all.has(name) {
            continue;
        }
        let mut schema = schema.clone();
        describe(&mut schema, description(name, actions));
        all.schemas.insert(name.clone(), schema);
        if actions.iter().all(|one| one.takes.required.contains(name)) {
            all.required.push(name.clone());
        }
    }
    all
}

/// Returns what actions say about a parameter, each text once, behind the names of the actions that
/// say it.
fn description(name: &str, actions: &[Action]) -> String {
    let takers = actions.iter().filter(|action| action.takes.has(name));
    let is_named = takers.clone().count() <= NAMED_ACTIONS_MAX;
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for action in takers {
        let schema = action.takes.schemas.get(name);
        let text = schema.and_then(|schema| schema.get("description"));
        let text = text.and_then(Value::as_str).unwrap_or_default();
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(&action.name),
            None => texts.push((text, vec![&action.name])),
        }
    }
    let mut parts = Vec::new();
    for (text, names) in texts {
        match (is_named, text) {
            (true, "") => parts.push(names.join(", ")),
            (true, text) => parts.push(format!("{}: {text}", names.join(", "))),
            (false, "") => {}
            (false, text) => parts.push(text.to_owned()),
        }
    }
    parts.join("; ")
}

pub(super) fn action_names(actions: &[Action]) -> Vec<&str> {
    actions.iter().map(|action| action.name.as_str()).collect()
}
