//! `read`: one memory, or all memories of a topic, in full.

use helix_client::v1::{Caller, ReadRequest, TextShown};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;

use super::moment::moment;
use super::{Call, Description, Nature};
use crate::arguments::{ArgumentError, Index, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Shown, View};

/// Most memories of one page.
const READ_LIMIT_MAX: u32 = 500;

/// A number of memories on a page.
pub(super) type Limit = Whole<1, READ_LIMIT_MAX>;

/// What to read; a topic's entries are listed from the same.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Read {
    /// topic, handle, id or topic:index; several memories with commas
    pub(super) topic: Words,
    /// 0-based, one memory of the topic
    pub(super) index: Option<Index>,
    /// only those with this text
    #[serde(default)]
    pub(super) match_str: Text,
    /// of a topic; default as many as fit
    pub(super) limit: Option<Limit>,
    /// from the previous answer: the next page
    #[serde(default)]
    pub(super) cursor: Text,
    #[serde(default)]
    pub(super) as_of: Text,
    #[serde(default)]
    pub(super) valid_at: Text,
}

impl Call for Read {
    const DESCRIPTION: Description = Description {
        name: "read",
        title: "Read memories",
        about: "Full text and metadata of one memory, of several, or of all memories of a topic. \
                For what search and brief shortened.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller, TextShown::Body)?;
        paged(daemon, request, render::read).await
    }
}

impl Read {
    /// The request for it.
    pub(super) fn request(
        self,
        caller: Caller,
        shown: TextShown,
    ) -> Result<ReadRequest, ArgumentError> {
        let mut named = self.topic.0;
        let (reference, references) = match named.len() {
            0 => return Err(ArgumentError::Missing("topic".to_owned())),
            1 => (named.remove(0), Vec::new()),
            _ => (String::new(), named),
        };
        Ok(ReadRequest {
            caller: Some(caller),
            reference,
            references,
            index: self.index.map(|index| index.0),
            match_text: self.match_str.0,
            limit: self.limit.map(|limit| limit.0).unwrap_or_default(),
            cursor: self.cursor.trimmed(),
            shown: shown.into(),
            moment: moment(&self.as_of, &self.valid_at, &Zoned::now())?,
        })
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::samples::{read, shown};
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
            json!({"topic": "build", "as_of": "17"}),
        ]
        .map(|given| {
            let call: Read = read(&given).unwrap();
            shown(
                &call
                    .request(Caller::default(), TextShown::Unspecified)
                    .unwrap(),
            )
        });
        insta::assert_snapshot!(requests.join("\n"));
    }
}
