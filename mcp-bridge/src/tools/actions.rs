//! Tools with actions: which arguments an action takes, which it needs, and what to say when a call
//! has others.

use crate::arguments::{ArgumentError, Arguments};

/// The argument that names the action.
pub(super) const ACTION: &str = "action";

/// What one action takes.
pub(super) struct Action<T> {
    /// Its name.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) is: T,
    /// What it needs.
    pub(super) needs: &'static [&'static str],
    /// What it takes besides.
    pub(super) takes: &'static [&'static str],
}

/// Finds the action that a call names, else `default`, and checks that the call's arguments are
/// ones it takes.
pub(super) fn chosen<T: Copy>(
    arguments: &Arguments,
    actions: &[Action<T>],
    default: Option<&str>,
) -> Result<T, ArgumentError> {
    let choices: Vec<(&'static str, &'static str)> =
        actions.iter().map(|one| (one.name, one.name)).collect();
    let name = arguments.choice(ACTION, &choices)?.or(default);
    let action = actions
        .iter()
        .find(|one| Some(one.name) == name)
        .ok_or_else(|| ArgumentError::NoAction(names(actions)))?;
    check(arguments, action, actions)?;
    Ok(action.is)
}

fn names<T>(actions: &[Action<T>]) -> String {
    actions
        .iter()
        .map(|one| one.name)
        .collect::<Vec<_>>()
        .join(", ")
}

impl<T> Action<T> {
    fn knows(&self, name: &str) -> bool {
        self.needs.contains(&name) || self.takes.contains(&name)
    }
}

fn check<T>(
    arguments: &Arguments,
    action: &Action<T>,
    actions: &[Action<T>],
) -> Result<(), ArgumentError> {
    let known: Vec<&str> = action.needs.iter().chain(action.takes).copied().collect();
    let unexpected: Vec<&str> = arguments
        .said()
        .filter(|name| *name != ACTION && !action.knows(name))
        .collect();
    if !unexpected.is_empty() {
        let known = if known.is_empty() {
            "nothing else".to_owned()
        } else {
            known.join(", ")
        };
        let elsewhere = elsewhere(&unexpected, actions);
        return Err(ArgumentError::NotFor {
            action: action.name,
            unexpected: unexpected.join(", "),
            elsewhere,
            known,
        });
    }
    match action.needs.iter().find(|name| !arguments.says(name)) {
        Some(name) => Err(ArgumentError::MissingFor {
            action: action.name,
            name,
        }),
        None => Ok(()),
    }
}

/// Whose arguments these are, when there are actions that take all of them.
fn elsewhere<T>(unexpected: &[&str], actions: &[Action<T>]) -> String {
    let takes_all = |action: &&Action<T>| unexpected.iter().all(|name| action.knows(name));
    let others: Vec<&str> = actions
        .iter()
        .filter(takes_all)
        .map(|action| action.name)
        .collect();
    if others.is_empty() {
        String::new()
    } else {
        format!(", which action={} takes", others.join("|"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;
    use crate::schema::{Parameter, Shape};

    const PARAMETERS: [Parameter; 4] = [
        Parameter::optional("action", Shape::Text, ""),
        Parameter::optional("topic", Shape::Text, ""),
        Parameter::optional("days", Shape::Whole, ""),
        Parameter::optional("all", Shape::Flag, ""),
    ];

    const ACTIONS: [Action<u8>; 3] = [
        Action {
            name: "list",
            is: 1,
            needs: &[],
            takes: &[],
        },
        Action {
            name: "recent",
            is: 2,
            needs: &[],
            takes: &["days"],
        },
        Action {
            name: "xref",
            is: 3,
            needs: &["topic"],
            takes: &["days"],
        },
    ];

    fn choose(given: &Value) -> Result<u8, String> {
        let arguments = Arguments::new("topics", &PARAMETERS, given.as_object().cloned()).unwrap();
        chosen(&arguments, &ACTIONS, Some("list")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_action_is_found_by_its_name() {
        assert_eq!(choose(&json!({})), Ok(1));
        assert_eq!(choose(&json!({"action": "Recent", "days": 3})), Ok(2));
        assert_eq!(choose(&json!({"action": "xref", "topic": "a"})), Ok(3));
    }

    #[test]
    fn what_says_nothing_is_not_refused() {
        assert_eq!(
            choose(&json!({"action": "recent", "topic": "", "all": false})),
            Ok(2)
        );
        assert_eq!(
            choose(&json!({"action": "recent", "topic": null, "all": "false"})),
            Ok(2)
        );
    }

    #[test]
    fn errors_say_what_the_action_takes() {
        let errors = [
            choose(&json!({"action": "prnue"})),
            choose(&json!({"action": "recent", "topic": "a", "all": true})),
            choose(&json!({"days": 1})),
            choose(&json!({"action": "xref"})),
        ]
        .map(Result::unwrap_err);
        insta::assert_snapshot!(errors.join("\n"), @r#"
        action: expected one of list, recent, xref, got "prnue"
        action=recent does not take topic, all; it takes days
        action=list does not take days, which action=recent|xref takes; it takes nothing else
        action=xref needs topic; give it and call again
        "#);
    }
}
