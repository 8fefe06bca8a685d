//! What was done: listed, compared between two places in the history, and explained.

use helix_client::v1::{Caller, DiffRequest, LogRequest, WhyRequest};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::{ArgumentError, Text, Whole};
use crate::daemon::Daemon;
use crate::dates::{self, DAY_SHAPE};
use crate::failure::Failure;
use crate::render::{self, View};
use crate::tools::moment::{place, sequence};

/// Most operations that one answer lists.
const OPERATIONS_MAX: u32 = 1_000;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Log {
    topic: Text,
    limit: Option<Whole<1, OPERATIONS_MAX>>,
    /// day or time
    after: Text,
    /// the next page
    cursor: Text,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Diff {
    /// sequence of log, day, time or now; default before the last session
    from: Text,
    /// default now
    to: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Why {
    topic: Text,
}

impl Log {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller, &Zoned::now())?;
        let reply = daemon
            .call(async move |rpc| rpc.log(request.clone()).await)
            .await?;
        Ok(render::log(&reply, &View::local()))
    }

    fn request(self, caller: Caller, now: &Zoned) -> Result<LogRequest, ArgumentError> {
        let cursor = self.cursor.trimmed();
        let before_sequence = if cursor.is_empty() {
            0
        } else {
            sequence(&cursor).ok_or_else(|| {
                ArgumentError::wrong("cursor", "the one of an answer to log", &cursor)
            })?
        };
        let after = self.after.trimmed();
        let since_us = if after.is_empty() {
            i64::MIN
        } else {
            let at = dates::from(&after, now)
                .ok_or_else(|| ArgumentError::wrong("after", DAY_SHAPE, &after))?;
            at.timestamp().as_microsecond()
        };
        Ok(LogRequest {
            caller: Some(caller),
            reference: self.topic.trimmed(),
            limit: self.limit.map_or(0, |limit| limit.0),
            since_us,
            before_sequence,
        })
    }
}

impl Diff {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller, &Zoned::now())?;
        let reply = daemon
            .call(async move |rpc| rpc.diff(request.clone()).await)
            .await?;
        Ok(render::difference(&reply, &View::local()))
    }

    fn request(self, caller: Caller, now: &Zoned) -> Result<DiffRequest, ArgumentError> {
        Ok(DiffRequest {
            caller: Some(caller),
            from: place("from", &self.from, |text| dates::from(text, now))?,
            to: place("to", &self.to, |text| dates::up_to(text, now))?,
        })
    }
}

impl Why {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let reply = daemon
            .call(async move |rpc| rpc.why(request.clone()).await)
            .await?;
        Ok(render::why(&reply, &View::local()))
    }

    fn request(self, caller: Caller) -> WhyRequest {
        WhyRequest {
            caller: Some(caller),
            reference: self.topic.trimmed(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::super::samples::{read, shown};
    use super::super::Topics;
    use super::*;

    /// The request that a call makes of the daemon.
    fn asked(given: &Value) -> Result<String, ArgumentError> {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        let caller = Caller::default();
        Ok(match read(given)? {
            Topics::Log(log) => shown(&log.request(caller, &now)?),
            Topics::Diff(diff) => shown(&diff.request(caller, &now)?),
            Topics::Why(why) => shown(&why.request(caller)),
            other => unreachable!("{other:?}"),
        })
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({"action": "log"}),
            json!({"action": "log", "topic": " build/arch ", "limit": "5", "after": "2026-11-20", "cursor": 41}),
            json!({"action": "diff"}),
            json!({"action": "diff", "from": 7, "to": "now"}),
            json!({"action": "diff", "from": "2026-11-20", "to": "2026-11-20"}),
            json!({"action": "why", "topic": "build/arch"}),
        ]
        .map(|given| asked(&given).unwrap());
        insta::assert_snapshot!(requests.join("\n"));
    }

    #[test]
    fn wrong_calls_say_what_to_do() {
        let errors = [
            json!({"action": "log", "cursor": "newest"}),
            json!({"action": "log", "after": "someday"}),
            json!({"action": "log", "limit": 0}),
            json!({"action": "diff", "from": "-1"}),
            json!({"action": "diff", "to": "later"}),
            json!({"action": "why"}),
        ]
        .map(|given| asked(&given).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
