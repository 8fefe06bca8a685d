//! `helixctl context`: what matters now, packed into a budget.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Scopes;
use crate::command::moment::Moment;
use crate::context::Context;
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
    #[command(flatten)]
    moment: Moment,
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
            moment: self.moment.wire(),
        };
        let reply = context.ask(async |rpc| rpc.context(request.clone()).await)?;
        if self.json {
            screen::json(&ContextDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        let text = neutral(reply.text.trim_end());
        if !text.is_empty() {
            screen::print(&(context.screen.look.wrapped(&text) + "\n"))?;
        }
        if let Some(rest) = rest(&reply) {
            screen::remark(&rest);
        }
        for note in &reply.notes {
            screen::remark(&format!("helixctl: {}", one_line(note)));
        }
        Ok(exit::OK)
    }
}

/// Returns what there is to say of what is not printed.
fn rest(reply: &v1::ContextReply) -> Option<String> {
    let (tokens, left_out) = (reply.tokens, reply.left_out);
    let at_least = if reply.has_further { "at least " } else { "" };
    match (reply.handles.is_empty(), left_out) {
        (true, 0) => Some("no memory matters here".to_owned()),
        (true, 1) => {
            Some("1 memory would matter and does not fit; give a larger --budget".to_owned())
        }
        (true, _) => Some(format!(
            "{at_least}{left_out} memories would matter, none of which fits; give a larger --budget"
        )),
        (false, 0) => None,
        (false, _) => Some(format!(
            "{tokens} tokens; {at_least}{left_out} more did not fit, see --budget"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_printed_is_told_in_one_line() {
        let told = |handles: &[&str], left_out| {
            let handles = handles.iter().map(|handle| (*handle).to_owned()).collect();
            rest(&v1::ContextReply {
                handles,
                left_out,
                tokens: 40,
                ..v1::ContextReply::default()
            })
        };
        assert_eq!(told(&[], 0).as_deref(), Some("no memory matters here"));
        let none = "33 memories would matter, none of which fits; give a larger --budget";
        assert_eq!(told(&[], 33).as_deref(), Some(none));
        assert_eq!(told(&["a/b"], 0), None);
        assert_eq!(
            told(&["a/b"], 2).as_deref(),
            Some("40 tokens; 2 more did not fit, see --budget")
        );
    }
}
