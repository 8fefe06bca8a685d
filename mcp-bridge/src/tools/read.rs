//! `read`: one memory, or all memories of a topic, in full.

use helix_client::v1::{Caller, ReadRequest, TextShown};

use super::{Description, Nature, at_commas};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Shown, View};
use crate::schema::{Parameter, Shape};

/// Most memories of one page.
const READ_LIMIT_MAX: u32 = 500;

pub(super) const DESCRIPTION: Description = Description {
    name: "read",
    title: "Read memories",
    about: "Full text and metadata of one memory, of several, or of all memories of a topic. For what search and brief \
            shortened.",
    parameters: &PARAMETERS,
    nature: Nature::Reads,
};

const PARAMETERS: [Parameter; 5] = [
    Parameter::required(
        "topic",
        Shape::List,
        "topic, handle, id or topic:index; several memories with commas",
    ),
    Parameter::optional("index", Shape::Whole, "0-based, one memory of the topic"),
    Parameter::optional("match_str", Shape::Text, "only those with this text"),
    Parameter::optional("limit", Shape::Whole, "of a topic; default as many as fit"),
    Parameter::optional(
        "cursor",
        Shape::Text,
        "from the previous answer: the next page",
    ),
];

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = ReadRequest {
        shown: TextShown::Body.into(),
        ..request(caller, arguments)?
    };
    paged(daemon, request, render::read).await
}

/// Shows as many memories as fit. Where fewer fit than came, so many are asked for, so that the
/// cursor goes on behind them.
pub(super) async fn paged(
    daemon: &Daemon,
    mut request: ReadRequest,
    render: fn(&Shown<'_>, &View) -> (String, usize),
) -> Result<String, Failure> {
    let (index, match_text) = (request.index, request.match_text.clone());
    let ask = async |request: ReadRequest| {
        daemon
            .call(async move |rpc| rpc.read(request.clone()).await)
            .await
    };
    let mut reply = ask(request.clone()).await?;
    let (mut text, fitting) = render(
        &Shown {
            reply: &reply,
            index,
            match_text: &match_text,
        },
        &View::local(),
    );
    if fitting < reply.memories.len() && !reply.topic.is_empty() {
        request.limit = u32::try_from(fitting).unwrap_or(u32::MAX);
        reply = ask(request).await?;
        (text, _) = render(
            &Shown {
                reply: &reply,
                index,
                match_text: &match_text,
            },
            &View::local(),
        );
    }
    Ok(text)
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
        limit: arguments
            .whole("limit", 1..=READ_LIMIT_MAX)?
            .unwrap_or_default(),
        cursor: arguments
            .text("cursor")?
            .unwrap_or_default()
            .trim()
            .to_owned(),
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
            json!({"topic": "build", "limit": "20", "cursor": " QcgB "}),
            json!({"topic": "build:1, build/arm64"}),
            json!({"topic": ["build:1", "build/arm64"]}),
        ]
        .map(|given| {
            let arguments =
                Arguments::new("read", &PARAMETERS, given.as_object().cloned()).unwrap();
            shown(&request(Caller::default(), &arguments).unwrap())
        });
        insta::assert_snapshot!(requests.join("\n"));
    }
}
