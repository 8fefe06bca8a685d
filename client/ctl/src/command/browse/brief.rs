//! `helixctl brief`: a topic, several topics or the whole strand, compressed.

use clap::{Args, ValueEnum};
use helix_client::v1;
use helix_proto::exit;

use super::Scopes;
use crate::command::moment::Moment;
use crate::context::Context;
use crate::document::BriefDocument;
use crate::failure::Outcome;
use crate::screen;
use crate::text::neutral;

/// How much a brief says.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Detail {
    /// What matters, in some fifteen lines
    Summary,
    /// One line a category
    Scan,
    /// The memories themselves
    Full,
}

/// Arguments of `brief`.
#[derive(Debug, Args)]
pub(crate) struct Brief {
    /// Topic, glob over topics, or words; the whole strand unless given
    query: Vec<String>,
    /// Says how much to tell
    #[arg(long, value_enum, default_value_t = Detail::Summary, value_name = "D")]
    detail: Detail,
    /// Counts only memories of the last hours
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u32).range(1..))]
    since: Option<u32>,
    /// Tells these categories only, separated by commas: gotchas, decisions, …
    #[arg(long, value_delimiter = ',', value_name = "C,C")]
    focus: Vec<String>,
    /// Tells the five most important only
    #[arg(long)]
    compact: bool,
    #[command(flatten)]
    scopes: Scopes,
    #[command(flatten)]
    moment: Moment,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Brief {
    /// Prints the brief.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let detail = match self.detail {
            Detail::Summary => v1::BriefDetail::Summary,
            Detail::Scan => v1::BriefDetail::Scan,
            Detail::Full => v1::BriefDetail::Full,
        };
        let request = v1::BriefRequest {
            caller: Some(context.caller()),
            query: self.query.join(" "),
            detail: detail.into(),
            since_hours: self.since.unwrap_or_default(),
            focus: self.focus,
            compact: self.compact,
            scopes: self.scopes.scope,
            text_only: !self.json,
            moment: self.moment.wire(),
        };
        let reply = context.ask(async |rpc| rpc.brief(request.clone()).await)?;
        if self.json {
            screen::json(&BriefDocument::try_from(&reply)?)?;
        } else {
            let text = neutral(reply.text.trim_end());
            screen::print(&(context.screen.look.wrapped(&text) + "\n"))?;
        }
        Ok(exit::OK)
    }
}
