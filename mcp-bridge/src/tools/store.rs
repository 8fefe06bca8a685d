//! `store`: one memory, acknowledged after its durable commit.

use helix_client::Rpc;
use helix_client::v1::{Caller, Draft, StoreRequest};

use super::{Description, Nature, at_commas, at_commas_and_spaces};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;
use crate::schema::{Parameter, Shape};

pub(super) const DESCRIPTION: Description = Description {
    name: "store",
    title: "Store a memory",
    about: "Save one durable fact for future sessions: a decision and its reason, a gotcha, a convention, how something \
            works. Self-contained, one fact per call. Near-duplicates are reported, not stored; correct those with edit.",
    parameters: &PARAMETERS,
    nature: Nature::Adds,
};

const PARAMETERS: [Parameter; 12] = [
    Parameter::required("topic", Shape::Text, "group, e.g. build-gotchas"),
    Parameter::required("text", Shape::Text, "the fact; first line is its summary"),
    Parameter::optional("tags", Shape::List, "e.g. \"gotcha,build\""),
    Parameter::optional("source", Shape::Text, "path:line it is about"),
    Parameter::optional("confidence", Shape::Fraction, "0-1, default 1"),
    Parameter::optional("links", Shape::List, "related handles"),
    Parameter::optional(
        "kind",
        Shape::Text,
        "decision, convention, procedure, gotcha, bug_fix, pattern, architecture, preference, fact …; default from tags",
    ),
    Parameter::optional("scope", Shape::Text, "project (default) or global"),
    Parameter::optional("importance", Shape::Fraction, "0-1"),
    Parameter::optional("pinned", Shape::Flag, "never fades"),
    Parameter::optional("force", Shape::Flag, "store despite a near-duplicate"),
    Parameter::optional("terse", Shape::Flag, "minimal answer"),
];

/// How many parameters say how to store, and stand last: `force` and `terse`.
const MANNERS: usize = 2;

/// What is stored, here and in each entry of a batch.
pub(super) const DRAFT_PARAMETERS: &[Parameter] = PARAMETERS.split_at(PARAMETERS.len() - MANNERS).0;

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = request(caller, arguments)?;
    let terse = arguments.flag("terse")?;
    let is_forced = request.force;
    let call = async move |rpc: &mut Rpc| rpc.store(request.clone()).await;
    let reply = if is_forced {
        daemon.call_at_most_once(call).await?
    } else {
        daemon.call(call).await?
    };
    Ok(render::stored(&reply, terse))
}

fn request(caller: Caller, arguments: &Arguments) -> Result<StoreRequest, ArgumentError> {
    Ok(StoreRequest {
        caller: Some(caller),
        draft: Some(draft(arguments)?),
        force: arguments.flag("force")?,
    })
}

/// What to store.
pub(super) fn draft(arguments: &Arguments) -> Result<Draft, ArgumentError> {
    if !arguments.says("topic") && !arguments.says("text") {
        return Err(ArgumentError::Missing("topic and text"));
    }
    Ok(Draft {
        topic: arguments.required_text("topic")?,
        text: arguments.required_text("text")?,
        kind: arguments.text("kind")?.unwrap_or_default(),
        tags: arguments.list("tags", at_commas)?,
        scope: arguments.text("scope")?.unwrap_or_default(),
        source: arguments.text("source")?.unwrap_or_default(),
        links: arguments.list("links", at_commas_and_spaces)?,
        importance: arguments.fraction("importance")?,
        confidence: arguments.fraction("confidence")?,
        pinned: arguments.flag("pinned")?,
        ..Draft::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let given = json!({
            "topic": "build-gotchas", "text": "Needs arm64.\nElse linking fails.", "tags": "gotcha, build",
            "source": "build.rs:12", "confidence": "0.85", "links": "a/b, c:3 d/e", "kind": "gotcha", "scope": "global",
            "importance": 0.5, "pinned": "true", "force": true,
        });
        let arguments = Arguments::new("store", &PARAMETERS, given.as_object().cloned()).unwrap();
        insta::assert_debug_snapshot!(request(Caller::default(), &arguments).unwrap());
    }

    #[test]
    fn topic_and_text_are_required() {
        let arguments = Arguments::new(
            "store",
            &PARAMETERS,
            json!({"text": "a"}).as_object().cloned(),
        )
        .unwrap();
        assert_eq!(
            request(Caller::default(), &arguments),
            Err(ArgumentError::Missing("topic"))
        );
    }
}
