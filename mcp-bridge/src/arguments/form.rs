//! A tool's form: which arguments a call may give, in one flat schema, and the reading of a call
//! into the tool's type.
//!
//! A tool with actions is an enum tagged by `action`, with one variant for each. Clients accept no
//! alternatives at the top of a schema, so the parameters of all actions are listed side by side,
//! and descriptions say which actions take them.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ArgumentError;
use super::actions::{ACTION, Action, action_names, merged};
use super::fields::{Fields, schema_of};

/// What a call's arguments are read into.
pub(crate) trait Parameters: DeserializeOwned + JsonSchema {}

impl<T: DeserializeOwned + JsonSchema> Parameters for T {}

/// The arguments that a tool takes.
pub(crate) struct Form {
    tool: &'static str,
    all: Fields,
    actions: Vec<Action>,
    default_action: Option<&'static str>,
}

impl Form {
    /// The form of a tool whose calls are read into `T`. A call that names no action means
    /// `default_action`.
    pub(crate) fn of<T: JsonSchema>(
        tool: &'static str,
        default_action: Option<&'static str>,
    ) -> Self {
        let schema = schema_of::<T>();
        let variants = schema.get("oneOf").and_then(Value::as_array);
        let actions: Vec<Action> = variants
            .into_iter()
            .flatten()
            .filter_map(Action::of)
            .collect();
        let all = if actions.is_empty() {
            Fields::of(&schema)
        } else {
            merged(&actions, default_action)
        };
        Self {
            tool,
            all,
            actions,
            default_action,
        }
    }

    /// The JSON Schema that clients are told.
    pub(crate) fn input_schema(&self) -> JsonObject {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), self.all.schemas.clone().into());
        schema.insert("required".to_owned(), self.all.required.clone().into());
        schema
    }

    /// The names of the parameters, in order; optional ones have a question mark.
    pub(crate) fn outline(&self) -> String {
        let marked = |name: &String| {
            let is_required = self.all.required.contains(name);
            format!("{name}{}", if is_required { "" } else { "?" })
        };
        let names: Vec<String> = self.all.schemas.keys().map(marked).collect();
        names.join(", ")
    }

    /// Reads a call. Null and blank text count as not given.
    pub(crate) fn read<T: Parameters>(
        &self,
        given: Option<JsonObject>,
    ) -> Result<T, ArgumentError> {
        let mut given = given.unwrap_or_default();
        self.refuse_unknown(&given)?;
        given.retain(|_, value| !is_blank(value));
        if self.actions.is_empty() {
            self.all.check(&given)?;
            return read(with_names(given));
        }
        let action = self.action(given.shift_remove(ACTION))?;
        self.check(action, &given)?;
        let mut named = with_names(given);
        named.insert(ACTION.to_owned(), action.name.clone().into());
        read(named)
    }

    fn refuse_unknown(&self, given: &JsonObject) -> Result<(), ArgumentError> {
        let is_unknown = |name: &&String| !self.all.schemas.contains_key(*name);
        let unknown: Vec<String> = given
            .keys()
            .filter(is_unknown)
            .map(|name| super::shown(name))
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(ArgumentError::Unknown {
            tool: self.tool,
            unknown: unknown.join(", "),
            known: self.all.names().join(", "),
        })
    }

    /// The action that a call names, whatever its case, else the default one.
    fn action(&self, given: Option<Value>) -> Result<&Action, ArgumentError> {
        let named = |name: &str| self.actions.iter().find(|action| action.name == name);
        let known = || action_names(&self.actions).join(", ");
        let Some(given) = given else {
            let default = self.default_action.and_then(named);
            return default.ok_or_else(|| ArgumentError::NoAction(known()));
        };
        let word = given.as_str().unwrap_or_default();
        named(&word.trim().to_lowercase()).ok_or_else(|| {
            ArgumentError::wrong(ACTION, &format!("one of {}", known()), &given.to_string())
        })
    }

    /// Checks that a call gives what its action needs and nothing that it does not take. A flag's
    /// `false` asks for nothing.
    fn check(&self, action: &Action, given: &JsonObject) -> Result<(), ArgumentError> {
        let unexpected: Vec<&str> = given
            .iter()
            .filter(|(name, value)| !action.takes.has(name) && !is_false(value))
            .map(|(name, _)| name.as_str())
            .collect();
        if !unexpected.is_empty() {
            return Err(ArgumentError::NotFor {
                action: action.name.clone(),
                unexpected: unexpected.join(", "),
                elsewhere: self.elsewhere(&unexpected),
                known: action.known(),
            });
        }
        match action.takes.missing(given).first() {
            Some(name) => Err(ArgumentError::missing_for(&action.name, name)),
            None => Ok(()),
        }
    }

    /// Whose arguments these are, when there are actions that take all of them.
    fn elsewhere(&self, unexpected: &[&str]) -> String {
        let others: Vec<&str> = self
            .actions
            .iter()
            .filter(|action| unexpected.iter().all(|name| action.takes.has(name)))
            .map(|action| action.name.as_str())
            .collect();
        if others.is_empty() {
            String::new()
        } else {
            format!(", which action={} takes", others.join("|"))
        }
    }
}

/// Puts its name to each value: see [`Given`](super::Given).
fn with_names(given: JsonObject) -> JsonObject {
    let member = |(name, value): (String, Value)| {
        let given = JsonObject::from_iter([(name.clone(), value)]);
        (name, given.into())
    };
    given.into_iter().map(member).collect()
}

/// Reads arguments of which none is unknown or missing.
fn read<T: Parameters>(named: JsonObject) -> Result<T, ArgumentError> {
    serde_json::from_value(named.into()).map_err(|error| ArgumentError::Wrong(error.to_string()))
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn is_false(value: &Value) -> bool {
    value.as_bool() == Some(false) || value.as_str().is_some_and(|text| text.trim() == "false")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde::Deserialize;
    use serde_json::json;

    use super::super::{Flag, Text, Whole};
    use super::*;

    #[derive(Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
    #[serde(default)]
    struct Recent {
        /// default 7
        days: Option<Whole<1, 90>>,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq)]
    struct Xref {
        topic: Text,
        /// default 30
        days: Option<Whole<1, 90>>,
        #[serde(default)]
        all: Flag,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq)]
    #[serde(tag = "action", rename_all = "lowercase")]
    enum Sample {
        List,
        Recent(Recent),
        Xref(Xref),
    }

    fn form() -> Form {
        Form::of::<Sample>("topics", Some("list"))
    }

    fn choose(given: &Value) -> Result<Sample, String> {
        let read = form().read(given.as_object().cloned());
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn an_action_is_found_by_its_name() {
        assert_eq!(choose(&json!({})), Ok(Sample::List));
        let days = Some(Whole(3));
        assert_eq!(
            choose(&json!({"action": " Recent", "days": "3"})),
            Ok(Sample::Recent(Recent { days }))
        );
        assert_eq!(
            choose(&json!({"action": "xref", "topic": "a", "days": 3, "all": "yes"})),
            Ok(Sample::Xref(Xref {
                topic: Text("a".to_owned()),
                days,
                all: Flag(true)
            }))
        );
    }

    #[test]
    fn what_says_nothing_is_not_refused() {
        let recent = || Ok(Sample::Recent(Recent::default()));
        assert_eq!(
            choose(&json!({"action": "recent", "topic": "", "all": false})),
            recent()
        );
        assert_eq!(
            choose(&json!({"action": "recent", "topic": null, "all": "false"})),
            recent()
        );
    }

    #[test]
    fn errors_say_what_the_action_takes() {
        let errors = [
            choose(&json!({"action": "prnue"})),
            choose(&json!({"action": "recent", "topic": "a", "all": true})),
            choose(&json!({"days": 1})),
            choose(&json!({"action": "xref"})),
            choose(&json!({"action": "recent", "days": 91})),
            choose(&json!({"action": "recent", "day": 9})),
        ]
        .map(Result::unwrap_err);
        insta::assert_snapshot!(errors.join("\n"), @r#"
        action: expected one of list, recent, xref, got "prnue"
        action=recent does not take topic, all, which action=xref takes; it takes days
        action=list does not take days, which action=recent|xref takes; it takes nothing else
        action=xref needs topic; give it and call again
        days: expected a whole number from 1 to 90, got 91
        unknown argument day; topics takes: action, days, topic, all
        "#);
    }

    #[test]
    fn the_schema_is_flat_and_says_whose_a_parameter_is() {
        let schema = serde_json::to_string_pretty(&form().input_schema()).unwrap();
        insta::assert_snapshot!(schema, @r#"
        {
          "type": "object",
          "properties": {
            "action": {
              "type": "string",
              "enum": [
                "list",
                "recent",
                "xref"
              ],
              "description": "default list"
            },
            "days": {
              "type": [
                "integer",
                "string"
              ],
              "description": "recent: default 7; xref: default 30"
            },
            "topic": {
              "type": "string",
              "description": "xref"
            },
            "all": {
              "type": [
                "boolean",
                "string"
              ],
              "description": "xref"
            }
          },
          "required": []
        }
        "#);
    }
}
