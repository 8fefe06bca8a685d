//! `search`: memories by words and by meaning.

use helix_client::limits::{SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX};
use helix_client::v1::{Caller, Filter, MatchMode, SearchRequest, TextShown};
use jiff::Zoned;
use serde_json::Value;

use super::{DAYS_MAX, Description, HOURS_MAX, Nature, at_commas};
use crate::arguments::{ArgumentError, Arguments, wrong};
use crate::daemon::Daemon;
use crate::dates::{self, DAY_SHAPE};
use crate::failure::Failure;
use crate::render::{self, Detail, Found, View};
use crate::schema::{Parameter, Shape};

pub(super) const DESCRIPTION: Description = Description {
    name: "search",
    title: "Search memories",
    about: "Find memories by words and meaning. Search before working on something unfamiliar, before deciding, and when \
            an error looks known; brief gives an overview instead.",
    parameters: &PARAMETERS,
    nature: Nature::Reads,
};

const DETAILS: [(&str, Detail); 6] = [
    ("medium", Detail::Medium),
    ("full", Detail::Full),
    ("brief", Detail::Brief),
    ("grouped", Detail::Grouped),
    ("topics", Detail::Topics),
    ("count", Detail::Count),
];

const MODES: [(&str, MatchMode); 2] = [("and", MatchMode::All), ("or", MatchMode::Any)];

const PARAMETERS: [Parameter; 14] = [
    Parameter::optional(
        "query",
        Shape::Text,
        "words, \"a phrase\", -without; may hold tag: topic: source: kind: scope: before: after:",
    ),
    Parameter::optional(
        "detail",
        Shape::Choice(&["medium", "full", "brief", "grouped", "topics", "count"]),
        "default medium",
    ),
    Parameter::optional("limit", Shape::Whole, "default 10"),
    Parameter::optional(
        "after",
        Shape::Text,
        "YYYY-MM-DD, today, yesterday, this-week",
    ),
    Parameter::optional("before", Shape::Text, "up to and including that day"),
    Parameter::optional("days", Shape::Whole, "only the last N days"),
    Parameter::optional("hours", Shape::Whole, "overrides days"),
    Parameter::optional("tag", Shape::List, ""),
    Parameter::optional("topic", Shape::List, ""),
    Parameter::optional("kind", Shape::List, ""),
    Parameter::optional(
        "scope",
        Shape::List,
        "project, global or all; default project and global",
    ),
    Parameter::optional(
        "mode",
        Shape::Choice(&["and", "or"]),
        "and: only what has all words; or: any",
    ),
    Parameter::optional("explain", Shape::Flag, "show why each matched"),
    Parameter::optional(
        "cursor",
        Shape::Text,
        "from the previous answer: shows what follows",
    ),
];

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let now = Zoned::now();
    let Asked { request, detail } = ask(caller, arguments, &now)?;
    let explain = arguments.flag("explain")?;
    let query = request.query.clone();
    let is_filtered = request
        .filter
        .as_ref()
        .is_some_and(|filter| *filter != Filter::default());
    let is_first = request.cursor.is_empty();
    let mut reply = daemon
        .call(async move |rpc| rpc.search(request.clone()).await)
        .await?;
    reply.notes = daemon.untold(reply.notes);
    if let (Detail::Topics, Some(limit)) = (detail, arguments.whole("limit", 1..=SEARCH_LIMIT_MAX)?)
    {
        let hidden = reply.topic_counts.len().saturating_sub(limit as usize);
        reply.topic_counts.truncate(limit as usize);
        reply.notes.extend(
            (hidden > 0).then(|| format!("{hidden} more topics; a higher limit shows them")),
        );
    }
    let found = Found {
        reply: &reply,
        query: &query,
        is_filtered,
        is_first,
        detail,
        explain,
    };
    Ok(render::found(
        &found,
        &View {
            zone: now.time_zone().clone(),
        },
    ))
}

/// A search as it goes to the daemon, and as it is shown.
#[derive(Debug)]
struct Asked {
    request: SearchRequest,
    detail: Detail,
}

fn ask(caller: Caller, arguments: &Arguments, now: &Zoned) -> Result<Asked, ArgumentError> {
    let detail = arguments
        .choice("detail", &DETAILS)?
        .unwrap_or(Detail::Medium);
    let limit = arguments
        .whole("limit", 1..=SEARCH_LIMIT_MAX)?
        .unwrap_or(SEARCH_LIMIT_DEFAULT);
    let request = SearchRequest {
        caller: Some(caller),
        query: arguments.text("query")?.unwrap_or_default(),
        filter: Some(filter(arguments, now)?),
        limit,
        mode: arguments.choice("mode", &MODES)?.unwrap_or_default().into(),
        // The full detail marks the lines with matched terms.
        explain: arguments.flag("explain")? || detail == Detail::Full,
        passive: detail.counts(),
        cursor: arguments
            .text("cursor")?
            .unwrap_or_default()
            .trim()
            .to_owned(),
        count_only: detail.counts(),
        shown: shown(detail).into(),
        ..SearchRequest::default()
    };
    Ok(Asked { request, detail })
}

/// How much of the texts a level of detail shows.
fn shown(detail: Detail) -> TextShown {
    match detail {
        Detail::Medium => TextShown::Opening,
        Detail::Full => TextShown::Body,
        Detail::Brief | Detail::Grouped | Detail::Topics | Detail::Count => TextShown::Unspecified,
    }
}

fn filter(arguments: &Arguments, now: &Zoned) -> Result<Filter, ArgumentError> {
    Ok(Filter {
        topics: arguments.list("topic", at_commas)?,
        tags: arguments.list("tag", at_commas)?,
        kinds: arguments.list("kind", at_commas)?,
        scopes: arguments.list("scope", at_commas)?,
        after_us: after(arguments, now)?,
        before_us: day(arguments, "before", |text| dates::up_to(text, now))?,
        ..Filter::default()
    })
}

/// The later of `after` and the start of the last `hours`, else `days`.
fn after(arguments: &Arguments, now: &Zoned) -> Result<Option<i64>, ArgumentError> {
    let from = day(arguments, "after", |text| dates::from(text, now))?;
    let days = arguments.whole("days", 1..=DAYS_MAX)?;
    let hours = arguments
        .whole("hours", 1..=HOURS_MAX)?
        .or(days.map(|days| days * 24));
    let recent = hours
        .and_then(|hours| dates::hours_ago(hours, now))
        .map(|at| at.timestamp().as_microsecond());
    Ok(from.max(recent))
}

fn day(
    arguments: &Arguments,
    name: &'static str,
    read: impl FnOnce(&str) -> Option<Zoned>,
) -> Result<Option<i64>, ArgumentError> {
    let Some(text) = arguments.text(name)? else {
        return Ok(None);
    };
    match read(text.trim()) {
        Some(at) => Ok(Some(at.timestamp().as_microsecond())),
        None => Err(wrong(name, DAY_SHAPE, &Value::String(text))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn asked(given: &Value) -> Result<Asked, ArgumentError> {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        let arguments = Arguments::new("search", &PARAMETERS, given.as_object().cloned()).unwrap();
        ask(Caller::default(), &arguments, &now)
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        insta::assert_debug_snapshot!(
            asked(&json!({
                "query": "linking arm64", "detail": "brief", "limit": "5", "after": "2026-11-01", "before": "2026-11-20",
                "tag": ["gotcha"], "topic": "build-gotchas", "kind": "gotcha,bug_fix", "scope": "all", "mode": "or",
                "explain": "true", "cursor": "abc",
            }))
            .unwrap()
        );
    }

    #[test]
    fn hours_override_days_and_the_later_bound_counts() {
        let after = |given| {
            asked(&given)
                .unwrap()
                .request
                .filter
                .unwrap()
                .after_us
                .unwrap()
        };
        assert_eq!(
            after(json!({"days": 2, "hours": 3})),
            after(json!({"hours": "3"}))
        );
        assert_eq!(after(json!({"days": 2})), after(json!({"hours": 48})));
        assert_eq!(
            after(json!({"days": 30, "after": "today"})),
            after(json!({"after": "2026-11-21"}))
        );
    }

    #[test]
    fn counting_is_the_daemons_work_and_counts_no_access() {
        for detail in ["count", "topics"] {
            let asked = asked(&json!({"query": "x", "detail": detail})).unwrap();
            assert_eq!(
                (asked.request.count_only, asked.request.passive),
                (true, true)
            );
        }
        let asked = asked(&json!({"query": "x"})).unwrap();
        assert_eq!(
            (asked.request.count_only, asked.request.passive),
            (false, false)
        );
    }

    #[test]
    fn a_wrong_day_is_explained() {
        let error = asked(&json!({"after": "soon"})).unwrap_err();
        insta::assert_snapshot!(
            error,
            @r#"after: expected a day like 2026-11-21, today, yesterday or this-week, or a time like 2026-11-21T14:30, got "soon""#
        );
    }
}
