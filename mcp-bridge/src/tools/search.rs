//! `search`: memories by words and by meaning.

use helix_client::limits::{SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX};
use helix_client::text::hits::then;
use helix_client::text::why_not::why_not;
use helix_client::v1::{Caller, Filter, MatchMode, SearchReply, SearchRequest, TextShown};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::context::Budget;
use super::moment::moment;
use super::{Call, DAYS_MAX, Description, HOURS_MAX, Nature};
use crate::arguments::{ArgumentError, Choice, Flag, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::dates::{self, DAY_SHAPE};
use crate::failure::Failure;
use crate::render::{self, Detail, Found, View};

/// A number of hits.
pub(super) type Limit = Whole<1, SEARCH_LIMIT_MAX>;

/// What to find.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Search {
    /// words, "a phrase", -without; may hold tag: topic: source: kind: scope: before: after:
    query: Text,
    /// default medium
    detail: Option<Choice<Level>>,
    /// default 10
    limit: Option<Limit>,
    /// YYYY-MM-DD, today, yesterday, this-week
    after: Text,
    /// up to and including that day
    before: Text,
    /// only the last N days
    days: Option<Whole<1, DAYS_MAX>>,
    /// overrides days
    hours: Option<Whole<1, HOURS_MAX>>,
    tag: Words,
    topic: Words,
    kind: Words,
    /// project, global or all; default project and global
    scope: Words,
    /// and: only what has all words; or: any
    mode: Option<Choice<Mode>>,
    /// show why each matched
    explain: Flag,
    /// from the previous answer: shows what follows
    cursor: Text,
    /// shows what fits: each text once, cut around the words
    budget_tokens: Option<Budget>,
    /// a handle: says why this search misses it
    why_not: Text,
    /// what was known then: a day, a time or a sequence
    as_of: Text,
    /// what held then
    valid_at: Text,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Medium,
    Full,
    Brief,
    Grouped,
    Topics,
    Count,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    And,
    Or,
}

impl Call for Search {
    const DESCRIPTION: Description = Description {
        name: "search",
        title: "Search memories",
        about: "Find memories by words and meaning. Search before working on something unfamiliar, \
                before deciding, and when an error looks known; brief gives an overview instead.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let now = Zoned::now();
        let asked = Asked {
            detail: self.detail(),
            explain: self.explain.0,
            limit: self.limit,
            request: self.request(caller, &now)?,
        };
        asked.answer(daemon, &now).await
    }
}

impl Search {
    fn detail(&self) -> Detail {
        match self.detail {
            None | Some(Choice(Level::Medium)) => Detail::Medium,
            Some(Choice(Level::Full)) => Detail::Full,
            Some(Choice(Level::Brief)) => Detail::Brief,
            Some(Choice(Level::Grouped)) => Detail::Grouped,
            Some(Choice(Level::Topics)) => Detail::Topics,
            Some(Choice(Level::Count)) => Detail::Count,
        }
    }

    fn request(self, caller: Caller, now: &Zoned) -> Result<SearchRequest, ArgumentError> {
        let (detail, limit) = (self.detail(), self.limit());
        let (after_us, before_us) = (self.after_us(now)?, self.before_us(now)?);
        let mode = self.mode.map(|mode| match mode.0 {
            Mode::And => MatchMode::All,
            Mode::Or => MatchMode::Any,
        });
        Ok(SearchRequest {
            caller: Some(caller),
            query: self.query.0,
            filter: Some(Filter {
                topics: self.topic.0,
                tags: self.tag.0,
                kinds: self.kind.0,
                scopes: self.scope.0,
                after_us,
                before_us,
                ..Filter::default()
            }),
            limit,
            mode: mode.unwrap_or_default().into(),
            // The full detail marks the lines with matched terms.
            explain: self.explain.0 || detail == Detail::Full,
            passive: detail.counts(),
            cursor: self.cursor.trimmed(),
            count_only: detail.counts(),
            shown: shown(detail).into(),
            moment: moment(&self.as_of, &self.valid_at, now)?,
            budget_tokens: self
                .budget_tokens
                .map(|tokens| tokens.0)
                .unwrap_or_default(),
            why_not: self.why_not.trimmed(),
            ..SearchRequest::default()
        })
    }

    /// How many hits; the budget bounds them where it is the only one given.
    fn limit(&self) -> u32 {
        match (self.limit, self.budget_tokens) {
            (Some(limit), _) => limit.0,
            (None, Some(_)) => 0,
            (None, None) => SEARCH_LIMIT_DEFAULT,
        }
    }

    /// The later of `after` and the start of the last `hours`, else `days`.
    fn after_us(&self, now: &Zoned) -> Result<Option<i64>, ArgumentError> {
        let from = day("after", &self.after, |text| dates::from(text, now))?;
        let days = self.days.map(|days| days.0 * 24);
        let hours = self.hours.map(|hours| hours.0).or(days);
        let recent = hours.and_then(|hours| dates::hours_ago(hours, now));
        Ok(from.max(recent.map(|at| at.timestamp().as_microsecond())))
    }

    fn before_us(&self, now: &Zoned) -> Result<Option<i64>, ArgumentError> {
        day("before", &self.before, |text| dates::up_to(text, now))
    }
}

/// A search as it goes to the daemon, and as its hits are shown.
pub(super) struct Asked {
    pub(super) request: SearchRequest,
    pub(super) detail: Detail,
    pub(super) explain: bool,
    /// Most hits, or most topics where those are counted.
    pub(super) limit: Option<Limit>,
}

impl Asked {
    /// Makes the search and shows what it found.
    pub(super) async fn answer(self, daemon: &Daemon, now: &Zoned) -> Result<String, Failure> {
        let request = self.request;
        let query = request.query.clone();
        let filter = request.filter.clone().unwrap_or_default();
        let then = then(request.moment.as_ref());
        let mut reply = daemon
            .call(async move |rpc| rpc.search(request.clone()).await)
            .await?;
        if let Some(outcome) = &reply.why_not {
            return Ok(why_not(outcome));
        }
        reply.notes = daemon.untold(reply.notes);
        if let (Detail::Topics, Some(limit)) = (self.detail, self.limit) {
            cut_topics(&mut reply, limit.0 as usize);
        }
        let found = Found {
            reply: &reply,
            query: &query,
            is_filtered: filter != Filter::default(),
            then,
            detail: self.detail,
            explain: self.explain,
        };
        let zone = now.time_zone().clone();
        Ok(render::found(&found, &View { zone }))
    }
}

/// Keeps the first topics and says how many more there are.
fn cut_topics(reply: &mut SearchReply, limit: usize) {
    let hidden = reply.topic_counts.len().saturating_sub(limit);
    if hidden > 0 {
        reply.topic_counts.truncate(limit);
        let note = format!("{hidden} more topics; a higher limit shows them");
        reply.notes.push(note);
    }
}

/// Searches, and packs the hits into a budget of tokens.
pub(super) async fn packed(
    daemon: &Daemon,
    request: SearchRequest,
    budget_tokens: Option<u32>,
) -> Result<String, Failure> {
    let mut reply = daemon
        .call(async move |rpc| rpc.search(request.clone()).await)
        .await?;
    reply.notes = daemon.untold(reply.notes);
    Ok(render::packed_hits(&reply, budget_tokens, &View::local()))
}

/// How much of the texts a level of detail shows.
pub(super) fn shown(detail: Detail) -> TextShown {
    match detail {
        Detail::Medium => TextShown::Opening,
        Detail::Full => TextShown::Body,
        Detail::Brief | Detail::Grouped | Detail::Topics | Detail::Count => TextShown::Unspecified,
    }
}

/// A time in microseconds, from a day that a model may write in several ways.
fn day(
    name: &str,
    text: &Text,
    read: impl FnOnce(&str) -> Option<Zoned>,
) -> Result<Option<i64>, ArgumentError> {
    let trimmed = text.trimmed();
    if trimmed.is_empty() {
        return Ok(None);
    }
    let Some(at) = read(&trimmed) else {
        let given = Value::from(text.0.as_str()).to_string();
        return Err(ArgumentError::wrong(name, DAY_SHAPE, &given));
    };
    Ok(Some(at.timestamp().as_microsecond()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::samples::read;
    use super::*;

    fn asked(given: &Value) -> Result<SearchRequest, ArgumentError> {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        read::<Search>(given)?.request(Caller::default(), &now)
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        insta::assert_debug_snapshot!(
            asked(&json!({
                "query": "linking arm64", "detail": "brief", "limit": "5", "after": "2026-11-01", "before": "2026-11-20",
                "tag": ["gotcha"], "topic": "build-gotchas", "kind": "gotcha,bug_fix", "scope": "all", "mode": "or",
                "explain": "true", "cursor": "abc", "budget_tokens": "600", "why_not": " build/arm64 ",
            }))
            .unwrap()
        );
    }

    #[test]
    fn hours_override_days_and_the_later_bound_counts() {
        let after = |given| asked(&given).unwrap().filter.unwrap().after_us.unwrap();
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
            assert_eq!((asked.count_only, asked.passive), (true, true));
        }
        let asked = asked(&json!({"query": "x"})).unwrap();
        assert_eq!((asked.count_only, asked.passive), (false, false));
    }

    #[test]
    fn a_wrong_day_is_explained() {
        let error = asked(&json!({"as_of": "soon"})).unwrap_err();
        insta::assert_snapshot!(
            error,
            @r#"as_of: expected a sequence, now, a day like 2026-11-21, today, yesterday or this-week, or a time like 2026-11-21T14:30, now or 2 days ago, got "soon""#
        );
        let error = asked(&json!({"after": "soon"})).unwrap_err();
        insta::assert_snapshot!(
            error,
            @r#"after: expected a day like 2026-11-21, today, yesterday or this-week, or a time like 2026-11-21T14:30, now or 2 days ago, got "soon""#
        );
    }
}
