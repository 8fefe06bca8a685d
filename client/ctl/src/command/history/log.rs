//! `helixctl log`: what was done, newest first.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::LogDocument;
use crate::failure::Outcome;
use crate::text::one_line;
use crate::time::from;
use crate::{render, screen};

/// Arguments of `log`.
#[derive(Debug, Args)]
pub(crate) struct Log {
    /// A memory, or a topic; everything that is seen from here unless given
    #[arg(value_name = "REF")]
    reference: Option<String>,
    /// Prints at most so many operations
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Prints what was done from this day or time on
    #[arg(long, value_parser = from, value_name = "D")]
    since: Option<i64>,
    /// Prints what was done before this operation
    #[arg(long, value_name = "SEQUENCE")]
    before: Option<u64>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Log {
    /// Prints the operations.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::LogRequest {
            caller: Some(context.caller()),
            reference: self.reference.unwrap_or_default(),
            limit: self.limit.unwrap_or_default(),
            since_us: self.since.unwrap_or(i64::MIN),
            before_sequence: self.before.unwrap_or_default(),
        };
        let reply = context.ask(async |rpc| rpc.log(request.clone()).await)?;
        if self.json {
            screen::json(&LogDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        screen::print(&render::log(context.screen.look, &reply.lines))?;
        screen::remark_if(reply.lines.is_empty(), "nothing was done");
        for note in &reply.notes {
            screen::remark(&format!("helixctl: {}", one_line(note)));
        }
        if let Some(last) = reply.lines.last().filter(|_| reply.has_more) {
            let more = format!("there are more: --before {}", last.sequence);
            screen::remark_if(true, &more);
        }
        Ok(exit::OK)
    }
}
