//! `helixctl topics`: the topics of the caller's scopes.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Scopes;
use crate::context::Context;
use crate::document::TopicsDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `topics`.
#[derive(Debug, Args)]
pub(crate) struct Topics {
    /// Lists topics whose name fits, e.g. 'iris-*'
    #[arg(value_name = "GLOB")]
    pattern: Option<String>,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Topics {
    /// Prints the topics.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ListTopicsRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope,
            pattern: self.pattern.unwrap_or_default(),
        };
        let reply = context.ask(async |rpc| rpc.list_topics(request.clone()).await)?;
        if self.json {
            screen::json(&TopicsDocument::from(&reply))?;
        } else {
            screen::print(&render::topics(context.screen.look, &reply.topics))?;
            screen::remark_if(reply.topics.is_empty(), "no topic");
        }
        Ok(exit::OK)
    }
}
