//! `brief`: a compressed overview of a topic, of several, or of everything.

use helix_client::v1::{BriefDetail, BriefRequest, Caller};
use tonic::Code;

use super::{Description, HOURS_MAX, Nature, at_commas};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::{CallError, Daemon};
use crate::failure::Failure;
use crate::render;
use crate::schema::{Parameter, Shape};

pub(super) const DESCRIPTION: Description = Description {
    name: "brief",
    title: "Brief on a topic",
    about: "Compressed overview by category (gotchas, decisions, invariants …) of a topic, topics by glob, or words; without \
            query of everything. Use it before working in an area.",
    parameters: &PARAMETERS,
    nature: Nature::Reads,
};

const DETAILS: [(&str, BriefDetail); 3] = [
    ("summary", BriefDetail::Summary),
    ("scan", BriefDetail::Scan),
    ("full", BriefDetail::Full),
];

const PARAMETERS: [Parameter; 6] = [
    Parameter::optional("query", Shape::Text, "topic, glob like iris-*, or words"),
    Parameter::optional(
        "detail",
        Shape::Choice(&["summary", "scan", "full"]),
        "default summary; scan: a line a category",
    ),
    Parameter::optional("since", Shape::Whole, "only the last N hours"),
    Parameter::optional("focus", Shape::List, "categories, e.g. gotchas,invariants"),
    Parameter::optional("compact", Shape::Flag, "only the top 5"),
    Parameter::optional("scope", Shape::List, ""),
];

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = request(caller, arguments)?;
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

fn request(caller: Caller, arguments: &Arguments) -> Result<BriefRequest, ArgumentError> {
    Ok(BriefRequest {
        caller: Some(caller),
        query: arguments
            .text("query")?
            .unwrap_or_default()
            .trim()
            .to_owned(),
        detail: arguments
            .choice("detail", &DETAILS)?
            .unwrap_or_default()
            .into(),
        since_hours: arguments.whole("since", 1..=HOURS_MAX)?.unwrap_or_default(),
        focus: arguments.list("focus", at_commas)?,
        compact: arguments.flag("compact")?,
        scopes: arguments.list("scope", at_commas)?,
        text_only: true,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::shown;
    use super::*;

    fn asked(given: &Value) -> Result<BriefRequest, ArgumentError> {
        request(
            Caller::default(),
            &Arguments::new("brief", &PARAMETERS, given.as_object().cloned()).unwrap(),
        )
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({}),
            json!({"query": " iris-* ", "detail": "Scan", "since": "24", "focus": "gotchas, invariants"}),
            json!({"detail": "full", "compact": "true", "scope": "all", "focus": ["gaps"]}),
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
