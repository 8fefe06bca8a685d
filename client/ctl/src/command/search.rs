//! `helixctl search`: ranked hits.

use clap::{Args, ValueEnum};
use helix_client::text::View;
use helix_client::text::hits::{self, Detail};
use helix_client::text::memory::count_of;
use helix_client::text::why_not::why_not;
use helix_client::v1;
use helix_proto::exit;
use helix_proto::limits::SEARCH_LIMIT_MAX;

use super::moment::Moment;
use crate::context::Context;
use crate::document::{SearchDocument, WhyNotDocument};
use crate::failure::{Failure, Outcome};
use crate::render;
use crate::screen;
use crate::text::one_line;
use crate::time::{DAY_US, HOUR_US, from, now_us, up_to};

/// Filters of which one alone is enough to search by.
const FILTERS: [&str; 12] = [
    "topic", "tag", "kind", "scope", "status", "source", "after", "before", "days", "hours",
    "as_of", "valid_at",
];

/// Arguments of `search`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Search {
    /// Words, and filters such as topic:build tag:ci kind:gotcha source:main.rs after:2026-01-31
    #[arg(value_name = "QUERY", required_unless_present_any = FILTERS)]
    query: Vec<String>,
    /// Prints at most so many hits
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(SEARCH_LIMIT_MAX)))]
    limit: Option<u32>,
    /// Shows so much of each hit, in place of a row
    #[arg(long, short, value_enum, value_name = "D", conflicts_with = "count")]
    detail: Option<Level>,
    /// Looks in these topics only, separated by commas; may be repeated, as may the next three
    #[arg(long, short, value_delimiter = ',', value_name = "T")]
    topic: Vec<String>,
    /// Looks for these tags only
    #[arg(long, value_delimiter = ',', value_name = "T")]
    tag: Vec<String>,
    /// Looks for these kinds only
    #[arg(long, short, value_delimiter = ',', value_name = "K")]
    kind: Vec<String>,
    /// Looks in these scopes instead of project and global: global, project:ID or all
    #[arg(long, value_delimiter = ',', value_name = "S")]
    scope: Vec<String>,
    /// Looks for memories with this status instead of active ones
    #[arg(long, value_enum, value_delimiter = ',', value_name = "S")]
    status: Vec<Searched>,
    /// Looks for memories about this file or directory: whole names of its path, e.g. src/parser.rs
    #[arg(long, value_name = "P")]
    source: Option<String>,
    /// Looks from this day or time on
    #[arg(long, visible_alias = "since", value_parser = from, value_name = "D")]
    after: Option<i64>,
    /// Looks up to the end of this day, or up to this time
    #[arg(long, visible_alias = "until", value_parser = up_to, value_name = "D")]
    before: Option<i64>,
    /// Looks at the last days only
    #[arg(long, value_name = "N", conflicts_with = "hours", value_parser = clap::value_parser!(u32).range(1..))]
    days: Option<u32>,
    /// Looks at the last hours only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hours: Option<u32>,
    /// Finds memories that have any of the words
    #[arg(long, conflicts_with = "all")]
    any: bool,
    /// Finds memories that have all of the words
    #[arg(long)]
    all: bool,
    /// Compares words only
    #[arg(long, conflicts_with = "meaning")]
    words: bool,
    /// Compares meaning only
    #[arg(long)]
    meaning: bool,
    /// Prints what fits into so many tokens: each text once, the sentences around the words where
    /// not all of it has room, and no hits that are far weaker than the best
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["count", "cursor", "why_not"], value_parser = clap::value_parser!(u32).range(50..=20_000))]
    budget: Option<u32>,
    /// Says why the search does not find this memory, in place of what it finds
    #[arg(long, value_name = "HANDLE", conflicts_with_all = ["count", "cursor", "detail"])]
    why_not: Option<String>,
    /// Says what made each score
    #[arg(long)]
    explain: bool,
    /// Counts every memory that fits, by topic, instead of printing some
    #[arg(long, conflicts_with_all = ["limit", "cursor", "explain"])]
    count: bool,
    /// Goes on after the hits that an earlier search ended with
    #[arg(long, value_name = "C")]
    cursor: Option<String>,
    #[command(flatten)]
    moment: Moment,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// A status that can be searched.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Searched {
    /// In use
    Active,
    /// Replaced by a newer memory
    Superseded,
    /// Faded; active again once it is found
    Archived,
}

fn statuses(searched: &[Searched]) -> Vec<String> {
    let name = |status: &Searched| match status {
        Searched::Active => "active",
        Searched::Superseded => "superseded",
        Searched::Archived => "archived",
    };
    searched.iter().map(name).map(str::to_owned).collect()
}

/// How much of each hit is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Level {
    /// One line
    Brief,
    /// Two lines of its text
    Medium,
    /// Text and metadata, lines with a word that was looked for marked
    Full,
    /// One line, by topic
    Grouped,
    /// The number of hits of each topic, as with --count
    Topics,
    /// The number of hits
    Count,
}

impl From<Level> for Detail {
    fn from(level: Level) -> Self {
        match level {
            Level::Brief => Self::Brief,
            Level::Medium => Self::Medium,
            Level::Full => Self::Full,
            Level::Grouped => Self::Grouped,
            Level::Topics => Self::Topics,
            Level::Count => Self::Count,
        }
    }
}

impl Search {
    /// Prints what is found.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (json, explain, detail) = (self.json, self.explain, self.detail());
        let request = self.request(context.caller());
        let then = hits::then(request.moment.as_ref());
        let reply = context.ask(async |rpc| rpc.search(request.clone()).await)?;
        if let Some(outcome) = &reply.why_not {
            tell_why_not(outcome, json)?;
        } else if json {
            screen::json(&SearchDocument::new(
                &reply,
                detail.is_some_and(Detail::counts),
            ))?;
        } else {
            tell(context, &reply, detail, explain, then)?;
        }
        Ok(exit::OK)
    }

    /// The level of detail; none for a table.
    fn detail(&self) -> Option<Detail> {
        if self.count {
            Some(Detail::Topics)
        } else {
            self.detail.map(Detail::from)
        }
    }

    /// The later of the day that was given and the start of the last days or hours.
    fn after_us(&self) -> Option<i64> {
        let hours = self
            .hours
            .map(|hours| i64::from(hours).saturating_mul(HOUR_US));
        let span_us = hours.or(self.days.map(|days| i64::from(days).saturating_mul(DAY_US)));
        self.after
            .max(span_us.map(|span_us| now_us().saturating_sub(span_us)))
    }

    fn request(self, caller: v1::Caller) -> v1::SearchRequest {
        let (detail, after_us) = (self.detail(), self.after_us());
        let counts = detail.is_some_and(Detail::counts);
        let mode = match (self.any, self.all) {
            (true, _) => v1::MatchMode::Any,
            (false, true) => v1::MatchMode::All,
            (false, false) => v1::MatchMode::Auto,
        };
        let retriever = match (self.words, self.meaning) {
            (true, _) => v1::Retriever::Words,
            (false, true) => v1::Retriever::Meaning,
            (false, false) => v1::Retriever::Hybrid,
        };
        let filter = v1::Filter {
            topics: self.topic,
            tags: self.tag,
            kinds: self.kind,
            scopes: self.scope,
            statuses: statuses(&self.status),
            source: self.source.unwrap_or_default(),
            after_us,
            before_us: self.before,
        };
        v1::SearchRequest {
            caller: Some(caller),
            query: self.query.join(" "),
            filter: Some(filter),
            limit: self.limit.unwrap_or_default(),
            mode: mode.into(),
            retriever: retriever.into(),
            // The full detail marks the lines with matched terms.
            explain: self.explain || (detail == Some(Detail::Full) && !self.json),
            passive: counts,
            shown: shown(detail).into(),
            cursor: self.cursor.unwrap_or_default(),
            count_only: counts,
            moment: self.moment.wire(),
            why_not: self.why_not.unwrap_or_default(),
            budget_tokens: self.budget.unwrap_or_default(),
        }
    }
}

/// The part of each text that a level of detail shows.
fn shown(detail: Option<Detail>) -> v1::TextShown {
    match detail {
        None | Some(Detail::Brief | Detail::Grouped) => v1::TextShown::Line,
        Some(Detail::Medium) => v1::TextShown::Opening,
        Some(Detail::Full) => v1::TextShown::Body,
        Some(Detail::Topics | Detail::Count) => v1::TextShown::Unspecified,
    }
}

fn tell_why_not(outcome: &v1::WhyNot, json: bool) -> Result<(), Failure> {
    if json {
        screen::json(&WhyNotDocument::from(outcome))
    } else {
        screen::print(&(why_not(outcome) + "\n"))
    }
}

fn tell(
    context: &Context,
    reply: &v1::SearchReply,
    detail: Option<Detail>,
    explain: bool,
    then: Option<&'static str>,
) -> Result<(), Failure> {
    match detail {
        None => screen::print(&render::search(context.screen.look, reply))?,
        Some(Detail::Count) => {
            screen::print(&(hits::count(reply.total) + "\n"))?;
            remark_notes(reply);
            return Ok(());
        }
        Some(Detail::Topics) => {
            screen::print(&render::matches(context.screen.look, reply))?;
            screen::remark(&format!(
                "helixctl: {}",
                count_of(reply.total, "memory fits", "memories fit")
            ));
            remark_notes(reply);
            return Ok(());
        }
        Some(detail) => screen::print(&render::blocks(
            context.screen.look,
            reply,
            detail,
            explain,
            &View::local(),
        ))?,
    }
    remark(reply, then);
    Ok(())
}

fn remark(reply: &v1::SearchReply, then: Option<&'static str>) {
    if let Some(then) = then.filter(|_| reply.hits.is_empty()) {
        screen::remark(&format!(
            "helixctl: nothing found {then}; without --as-of and --valid-at the search is of now"
        ));
    } else if reply.hits.is_empty() {
        screen::remark("helixctl: nothing found");
    } else if reply.fell_back_to_any {
        screen::remark("helixctl: no memory has all of the words; these have some");
    }
    let cursor = one_line(&reply.next_cursor);
    screen::remark_if(
        !cursor.is_empty(),
        &format!("there are more: --cursor {cursor}"),
    );
    remark_notes(reply);
}

fn remark_notes(reply: &v1::SearchReply) {
    for note in &reply.notes {
        screen::remark(&format!("helixctl: {}", one_line(note)));
    }
}
