//! `helixctl search`: ranked hits.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;
use helix_proto::limits::SEARCH_LIMIT_MAX;

use crate::context::{Context, wait};
use crate::document::SearchDocument;
use crate::failure::Outcome;
use crate::render;
use crate::screen;
use crate::text::one_line;
use crate::time::parse;

/// Arguments of `search`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Search {
    /// Words, and filters such as topic:build tag:ci kind:gotcha source:main.rs after:2026-01-31
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Prints at most so many hits
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(SEARCH_LIMIT_MAX)))]
    limit: Option<u32>,
    /// Looks in this topic only; may be repeated
    #[arg(long, short, value_name = "T")]
    topic: Vec<String>,
    /// Looks for this tag only; may be repeated
    #[arg(long, value_name = "T")]
    tag: Vec<String>,
    /// Looks for this kind only; may be repeated
    #[arg(long, short, value_name = "K")]
    kind: Vec<String>,
    /// Looks in this scope instead of project and global: global, project:ID or all; may be repeated
    #[arg(long, value_name = "S")]
    scope: Vec<String>,
    /// Looks for memories about files whose path contains this
    #[arg(long, value_name = "P")]
    source: Option<String>,
    /// Looks from this day or time on
    #[arg(long, value_parser = parse, value_name = "D")]
    after: Option<i64>,
    /// Looks up to this day or time
    #[arg(long, value_parser = parse, value_name = "D")]
    before: Option<i64>,
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
    /// Says what made each score
    #[arg(long)]
    explain: bool,
    /// Counts every memory that fits, by topic, instead of printing some
    #[arg(long, conflicts_with_all = ["limit", "cursor", "explain"])]
    count: bool,
    /// Goes on after the hits that an earlier search ended with
    #[arg(long, value_name = "C")]
    cursor: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Search {
    /// Prints what is found.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (json, count) = (self.json, self.count);
        let request = self.request(context.caller());
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.search(request.clone()).await).await?;
            if json {
                screen::json(&SearchDocument::new(&reply, count))?;
            } else if count {
                screen::print(&render::matches(context.screen.look, &reply))?;
                screen::remark(&format!("helixctl: {} memories fit", reply.total));
            } else {
                screen::print(&render::search(context.screen.look, &reply))?;
                remark(&reply);
            }
            Ok(exit::OK)
        })
    }

    fn request(self, caller: v1::Caller) -> v1::SearchRequest {
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
            statuses: Vec::new(),
            source: self.source.unwrap_or_default(),
            after_us: self.after,
            before_us: self.before,
        };
        v1::SearchRequest {
            caller: Some(caller),
            query: self.query.join(" "),
            filter: Some(filter),
            limit: self.limit.unwrap_or_default(),
            mode: mode.into(),
            retriever: retriever.into(),
            explain: self.explain,
            cursor: self.cursor.unwrap_or_default(),
            count_only: self.count,
            ..v1::SearchRequest::default()
        }
    }
}

fn remark(reply: &v1::SearchReply) {
    if reply.hits.is_empty() {
        screen::remark("helixctl: nothing found");
    } else if reply.fell_back_to_any {
        screen::remark("helixctl: no memory has all of the words; these have some");
    }
    let cursor = one_line(&reply.next_cursor);
    screen::remark_if(!cursor.is_empty(), &format!("there are more: --cursor {cursor}"));
    for note in &reply.notes {
        screen::remark(&format!("helixctl: {}", one_line(note)));
    }
}
