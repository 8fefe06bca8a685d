//! `read`: one memory, or all memories of a topic, in full.

use helix_client::v1::{Caller, ReadRequest, TextShown};

use super::{Description, Nature, at_commas};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Shown, View};
use crate::schema::{Parameter, Shape};

pub(super) const DESCRIPTION: Description = Description {
    name: "read",
    title: "Read memories",
    about: "Full text and metadata of one memory, of several, or of all memories of a topic. For what search and brief \
            shortened.",
    parameters: &PARAMETERS,
    nature: Nature::Reads,
};

const PARAMETERS: [Parameter; 3] = [
    Parameter::required("topic", Shape::List, "topic, handle, id or topic:index; several memories with commas"),
    Parameter::optional("index", Shape::Whole, "0-based, one memory of the topic"),
    Parameter::optional("match_str", Shape::Text, "only those with this text"),
];

pub(super) async fn run(daemon: &Daemon, caller: Caller, arguments: &Arguments) -> Result<String, Failure> {
    let request = ReadRequest { shown: TextShown::Body.into(), ..request(caller, arguments)? };
    let (index, match_text) = (request.index, request.match_text.clone());
    let reply = daemon.call(async move |rpc| rpc.read(request.clone()).await).await?;
    Ok(render::read(&Shown { reply: &reply, index, match_text: &match_text }, &View::local()))
}

/// What to read; a topic's entries are listed from the same.
pub(super) fn request(caller: Caller, arguments: &Arguments) -> Result<ReadRequest, ArgumentError> {
    let mut named = arguments.list("topic", at_commas)?;
    let (reference, references) = match named.len() {
        0 => return Err(ArgumentError::Missing("topic")),
        1 => (named.remove(0), Vec::new()),
        _ => (String::new(), named),
    };
    Ok(ReadRequest {
        caller: Some(caller),
        reference,
        references,
        index: arguments.whole("index", 0..=u32::MAX)?,
        match_text: arguments.text("match_str")?.unwrap_or_default(),
        ..ReadRequest::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::samples::shown;
    use super::*;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({"topic": " build "}),
            json!({"topic": "build", "index": "3"}),
            json!({"topic": "build", "match_str": "Linker"}),
            json!({"topic": "build:1, build/arm64"}),
            json!({"topic": ["build:1", "build/arm64"]}),
        ]
        .map(|given| {
            let arguments = Arguments::new("read", &PARAMETERS, given.as_object().cloned()).unwrap();
            shown(&request(Caller::default(), &arguments).unwrap())
        });
        insta::assert_snapshot!(requests.join("\n"));
    }
}
