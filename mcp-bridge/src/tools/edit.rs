//! `edit`: changes to a memory or a whole topic.

use helix_client::v1::edit_request::Action as Wire;
use helix_client::v1::{
    AppendText, Caller, ChangeTags, DeleteMemories, EditRequest, MergeTopic, RenameTopic,
    RestoreMemory, ReviseText, SetFields, Target,
};

use super::actions::{Action, chosen};
use super::{Description, Nature, at_commas, at_commas_and_spaces};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Change, View};
use crate::schema::{Parameter, Shape};

pub(super) const DESCRIPTION: Description = Description {
    name: "edit",
    title: "Change memories",
    about: "Correct what is stored, as soon as you see that it is wrong or outdated. append or revise (text), delete, tag \
            (tags, remove), set (source, confidence and so on), rename a topic (new_name), merge it (into), restore what \
            was deleted. append, delete and tag with a topic alone mean its newest memory.",
    parameters: &PARAMETERS,
    nature: Nature::Changes { idempotent: false },
};

const PARAMETERS: [Parameter; 18] = [
    Parameter::required(
        "action",
        Shape::Choice(&[
            "append", "revise", "delete", "tag", "set", "rename", "merge", "restore",
        ]),
        "",
    ),
    Parameter::required("topic", Shape::Text, "topic, handle, id or topic:index"),
    Parameter::optional("text", Shape::Text, ""),
    Parameter::optional("index", Shape::Whole, "0-based, in the topic"),
    Parameter::optional(
        "match_str",
        Shape::Text,
        "text that only the one you mean has",
    ),
    Parameter::optional("tag", Shape::Text, "append: to the newest with this tag"),
    Parameter::optional("tags", Shape::List, "to add"),
    Parameter::optional("remove", Shape::List, "tags to remove"),
    Parameter::optional("all", Shape::Flag, "delete or restore the whole topic"),
    Parameter::optional(
        "scope",
        Shape::List,
        "delete all: project (default), global or all",
    ),
    Parameter::optional("new_name", Shape::Text, ""),
    Parameter::optional("into", Shape::Text, "topic"),
    Parameter::optional("kind", Shape::Text, "set"),
    Parameter::optional("source", Shape::Text, "set: path:line, or none"),
    Parameter::optional("confidence", Shape::Fraction, "set"),
    Parameter::optional("importance", Shape::Fraction, "set"),
    Parameter::optional("pinned", Shape::Flag, "set"),
    Parameter::optional("links", Shape::List, "set: replaces all, or none"),
];

const ACTIONS: [Action<Change>; 8] = [
    Action {
        name: "append",
        is: Change::Append,
        needs: &["topic", "text"],
        takes: &["index", "match_str", "tag"],
    },
    Action {
        name: "revise",
        is: Change::Revise,
        needs: &["topic", "text"],
        takes: &["index", "match_str"],
    },
    Action {
        name: "delete",
        is: Change::Delete,
        needs: &["topic"],
        takes: &["index", "match_str", "all", "scope"],
    },
    Action {
        name: "tag",
        is: Change::Tag,
        needs: &["topic"],
        takes: &["tags", "remove", "index", "match_str"],
    },
    Action {
        name: "set",
        is: Change::Set,
        needs: &["topic"],
        takes: &[
            "kind",
            "source",
            "confidence",
            "importance",
            "pinned",
            "links",
            "index",
            "match_str",
        ],
    },
    Action {
        name: "rename",
        is: Change::Rename,
        needs: &["topic", "new_name"],
        takes: &[],
    },
    Action {
        name: "merge",
        is: Change::Merge,
        needs: &["topic", "into"],
        takes: &[],
    },
    Action {
        name: "restore",
        is: Change::Restore,
        needs: &["topic"],
        takes: &["index", "match_str", "all"],
    },
];

/// What takes a source or the links away; a blank text counts as not given, since some models send
/// it with every call.
const NONE: &str = "none";

/// Arguments that say which memory of a topic is meant; a call gives one of them at most.
const POINTERS: [&str; 4] = ["index", "match_str", "tag", "all"];

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let change = chosen(arguments, &ACTIONS, None)?;
    let request = EditRequest {
        caller: Some(caller),
        action: Some(action(change, arguments)?),
        ..EditRequest::default()
    };
    let asked = arguments.required_text("topic")?;
    let reply = daemon
        .call_at_most_once(async move |rpc| rpc.edit(request.clone()).await)
        .await?;
    Ok(render::edited(&reply, change, &asked, &View::local()))
}

fn action(change: Change, arguments: &Arguments) -> Result<Wire, ArgumentError> {
    let topic = arguments.required_text("topic")?.trim().to_owned();
    let text = || arguments.required_text("text");
    Ok(match change {
        Change::Append => Wire::Append(AppendText {
            target: Some(target(topic, arguments)?),
            text: text()?,
        }),
        Change::Revise => Wire::Revise(ReviseText {
            target: Some(target(topic, arguments)?),
            text: text()?,
        }),
        Change::Delete => {
            let all = arguments.flag("all")?;
            let scopes = arguments.list("scope", at_commas)?;
            Wire::Delete(DeleteMemories {
                target: Some(target(topic, arguments)?),
                all,
                scopes,
            })
        }
        Change::Tag => {
            let (add, remove) = (
                arguments.list("tags", at_commas)?,
                arguments.list("remove", at_commas)?,
            );
            if add.is_empty() && remove.is_empty() {
                return Err(ArgumentError::MissingFor {
                    action: "tag",
                    name: "tags or remove",
                });
            }
            Wire::Tag(ChangeTags {
                target: Some(target(topic, arguments)?),
                add,
                remove,
            })
        }
        Change::Set => Wire::Set(fields(topic, arguments)?),
        Change::Rename => Wire::Rename(RenameTopic {
            topic,
            new_name: arguments.required_text("new_name")?,
        }),
        Change::Merge => Wire::Merge(MergeTopic {
            topic,
            into: arguments.required_text("into")?,
        }),
        Change::Restore => {
            let all = arguments.flag("all")?;
            let Target {
                reference,
                index,
                match_text,
                ..
            } = target(topic, arguments)?;
            Wire::Restore(RestoreMemory {
                reference,
                index,
                match_text,
                all,
            })
        }
    })
}

fn fields(reference: String, arguments: &Arguments) -> Result<SetFields, ArgumentError> {
    let mut links = arguments.list("links", at_commas_and_spaces)?;
    let replace_links = !links.is_empty();
    links.retain(|link| link != NONE);
    let fields = SetFields {
        target: None,
        kind: arguments.text("kind")?,
        source: arguments.text("source")?.map(|source| {
            if source.trim() == NONE {
                String::new()
            } else {
                source
            }
        }),
        importance: arguments.fraction("importance")?,
        confidence: arguments.fraction("confidence")?,
        pinned: arguments.optional_flag("pinned")?,
        replace_links,
        links,
        ..SetFields::default()
    };
    if fields == SetFields::default() {
        return Err(ArgumentError::MissingFor {
            action: "set",
            name: "kind, source, confidence or another field",
        });
    }
    Ok(SetFields {
        target: Some(target(reference, arguments)?),
        ..fields
    })
}

fn target(reference: String, arguments: &Arguments) -> Result<Target, ArgumentError> {
    let mut said = POINTERS.into_iter().filter(|name| arguments.says(name));
    if let (Some(one), Some(other)) = (said.next(), said.next()) {
        return Err(ArgumentError::Together { one, other });
    }
    Ok(Target {
        reference,
        index: arguments.whole("index", 0..=u32::MAX)?,
        match_text: arguments.text("match_str")?.unwrap_or_default(),
        tag: arguments.text("tag")?.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::shown;
    use super::*;

    fn asked(given: &Value) -> Result<Wire, ArgumentError> {
        let arguments = Arguments::new("edit", &PARAMETERS, given.as_object().cloned()).unwrap();
        action(chosen(&arguments, &ACTIONS, None)?, &arguments)
    }

    #[test]
    fn every_action_reaches_the_daemon() {
        let requests = [
            json!({"action": "append", "topic": "build", "text": "more", "tag": "gotcha"}),
            json!({"action": "revise", "topic": "build", "text": "new", "index": "3"}),
            json!({"action": "delete", "topic": "build", "match_str": "old linker"}),
            json!({"action": "delete", "topic": "build", "all": "true"}),
            json!({"action": "delete", "topic": "build", "all": true, "scope": "global"}),
            json!({"action": "tag", "topic": "build:2", "tags": "gotcha, perf", "remove": ["todo"]}),
            json!({"action": "set", "topic": "build", "index": 0, "source": "build.rs:9", "confidence": "0.5"}),
            json!({"action": "set", "topic": "build/arch", "pinned": "false", "links": "a/b c:3", "kind": "gotcha"}),
            json!({"action": "set", "topic": "build/arch", "source": "none", "links": "none"}),
            json!({"action": "rename", "topic": "build", "new_name": "building"}),
            json!({"action": "merge", "topic": "build", "into": "ci"}),
            json!({"action": "restore", "topic": "build/arch"}),
            json!({"action": "restore", "topic": "build", "index": 1}),
            json!({"action": "restore", "topic": "build", "all": true}),
        ]
        .map(|given| shown(&asked(&given).unwrap()));
        insta::assert_snapshot!(requests.join("\n"));
    }

    #[test]
    fn wrong_calls_say_what_to_do() {
        let errors = [
            json!({"topic": "build"}),
            json!({"action": "replace", "topic": "build"}),
            json!({"action": "revise", "topic": "build"}),
            json!({"action": "rename", "topic": "build"}),
            json!({"action": "merge", "topic": "build", "into": "ci", "index": 0}),
            json!({"action": "tag", "topic": "build"}),
            json!({"action": "set", "topic": "build"}),
            json!({"action": "revise", "topic": "build", "text": "a", "index": 0, "match_str": "b"}),
            json!({"action": "delete", "topic": "build", "all": true, "index": 0}),
            json!({"action": "restore"}),
        ]
        .map(|given| asked(&given).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
