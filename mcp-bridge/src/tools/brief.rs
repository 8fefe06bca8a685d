//! `brief`: a compressed overview of a topic, of several, or of everything.

use helix_client::v1::{BriefDetail, BriefRequest, Caller};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;
use tonic::Code;

use super::moment::moment;
use super::{Call, Description, HOURS_MAX, Nature};
use crate::arguments::{ArgumentError, Choice, Flag, Text, Whole, Words};
use crate::daemon::{CallError, Daemon};
use crate::failure::Failure;
use crate::render;

/// What to give an overview of.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Brief {
    /// topic, glob like iris-*, or words
    query: Text,
    /// default summary; scan: a line a category
    detail: Option<Choice<Detail>>,
    /// only the last N hours
    since: Option<Whole<1, HOURS_MAX>>,
    /// categories, e.g. gotchas,invariants
    focus: Words,
    /// only the top 5
    compact: Flag,
    scope: Words,
    as_of: Text,
    valid_at: Text,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Detail {
    Summary,
    Scan,
    Full,
}

impl Call for Brief {
    const DESCRIPTION: Description = Description {
        name: "brief",
        title: "Brief on a topic",
        about: "Compressed overview by category (gotchas, decisions, invariants …) of a topic, \
                topics by glob, or words; without query of everything. Use it before working in an \
                area.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller, &Zoned::now())?;
        let (query, since_hours) = (request.query.clone(), request.since_hours);
        match daemon
            .call(async move |rpc| rpc.brief(request.clone()).await)
            .await
        {
            Ok(reply) => Ok(render::briefed(&reply, &query)),
            // To find nothing is an answer, here as in a search.
            Err(CallError::Refused(status)) if status.code() == Code::NotFound => {
                Ok(render::nothing_to_brief(status.message(), since_hours))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Brief {
    fn request(self, caller: Caller, now: &Zoned) -> Result<BriefRequest, ArgumentError> {
        let detail = self.detail.map(|detail| match detail.0 {
            Detail::Summary => BriefDetail::Summary,
            Detail::Scan => BriefDetail::Scan,
            Detail::Full => BriefDetail::Full,
        });
        Ok(BriefRequest {
            caller: Some(caller),
            query: self.query.trimmed(),
            detail: detail.unwrap_or_default().into(),
            since_hours: self.since.map(|hours| hours.0).unwrap_or_default(),
            focus: self.focus.0,
            compact: self.compact.0,
            scopes: self.scope.0,
            text_only: true,
            moment: moment(&self.as_of, &self.valid_at, now)?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::{read, shown};
    use super::*;

    fn asked(given: &Value) -> Result<BriefRequest, ArgumentError> {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        read::<Brief>(given)?.request(Caller::default(), &now)
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({}),
            json!({"query": " iris-* ", "detail": "Scan", "since": "24", "focus": "gotchas, invariants"}),
            json!({"detail": "full", "compact": "true", "scope": "all", "focus": ["gaps"]}),
            json!({"as_of": 17, "valid_at": "2026-11-20"}),
        ]
        .map(|given| shown(&asked(&given).unwrap()));
        insta::assert_snapshot!(requests.join("\n"));
    }

    #[test]
    fn a_wrong_detail_is_explained() {
        insta::assert_snapshot!(
            asked(&json!({"detail": "medium"})).unwrap_err(),
            @r#"detail: expected one of summary, scan, full, got "medium""#
        );
    }
}
