//! `helixctl entries`: a topic's memories with the names `topic:index` that commands take.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::command::read::remark;
use crate::context::Context;
use crate::document::ReadDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `entries`.
#[derive(Debug, Args)]
pub(crate) struct Entries {
    /// The topic
    topic: String,
    /// Lists memories whose text contains this, whatever its case
    #[arg(long = "match", value_name = "TEXT")]
    match_text: Option<String>,
    /// Lists the memory at this position only, counted from 0
    #[arg(long, short, value_name = "N")]
    index: Option<u32>,
    /// Lists at most so many
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u32>,
    /// Goes on after the memories that an earlier listing ended with
    #[arg(long, value_name = "C")]
    cursor: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Entries {
    /// Prints the topic's memories in rows.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ReadRequest {
            caller: Some(context.caller()),
            reference: self.topic,
            index: self.index,
            match_text: self.match_text.unwrap_or_default(),
            limit: self.limit.unwrap_or_default(),
            cursor: self.cursor.unwrap_or_default(),
            ..v1::ReadRequest::default()
        };
        let reply = context.ask(async |rpc| rpc.read(request.clone()).await)?;
        if self.json {
            screen::json(&ReadDocument::from(&reply))?;
        } else {
            screen::print(&render::entries(context.screen.look, &reply.memories))?;
            screen::remark_if(reply.memories.is_empty(), "no memory of that topic fits");
            remark(&reply);
        }
        Ok(exit::OK)
    }
}
