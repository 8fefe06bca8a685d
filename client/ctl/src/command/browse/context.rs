//! `helixctl context`: what matters now, packed into a budget.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use super::Scopes;
use crate::context::{Context, wait};
use crate::document::ContextDocument;
use crate::failure::Outcome;
use crate::screen;
use crate::text::{neutral, one_line};

/// Arguments of `context`.
#[derive(Debug, Args)]
pub(crate) struct Pack {
    /// Words; what matters now unless given
    query: Vec<String>,
    /// Packs at most so many tokens
    #[arg(long, visible_alias = "budget-tokens", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Pack {
    /// Prints the packed block.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ContextRequest {
            caller: Some(context.caller()),
            query: self.query.join(" "),
            scopes: self.scopes.scope,
            budget_tokens: self.budget.unwrap_or_default(),
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.context(request.clone()).await).await?;
            if self.json {
                screen::json(&ContextDocument::from(&reply))?;
                return Ok(exit::OK);
            }
            let text = neutral(reply.text.trim_end());
            if !text.is_empty() {
                screen::print(&(context.screen.look.wrapped(&text) + "\n"))?;
            }
            let (tokens, left_out) = (reply.tokens, reply.left_out);
            screen::remark_if(reply.handles.is_empty(), "no memory matters here");
            screen::remark_if(left_out > 0, &format!("{tokens} tokens; {left_out} more did not fit, see --budget"));
            for note in &reply.notes {
                screen::remark(&format!("helixctl: {}", one_line(note)));
            }
            Ok(exit::OK)
        })
    }
}
