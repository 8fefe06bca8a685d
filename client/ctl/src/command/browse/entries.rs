//! `helixctl entries`: a topic's memories with the names `topic:index` that commands take.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use crate::context::{Context, wait};
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
            ..v1::ReadRequest::default()
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.read(request.clone()).await).await?;
            if self.json {
                screen::json(&ReadDocument::from(&reply))?;
            } else {
                screen::print(&render::entries(context.screen.look, &reply.memories))?;
                let (shown, filtered) = (reply.memories.len(), !request.match_text.is_empty());
                let has_more = |all: u32| usize::try_from(all).is_ok_and(|all| all > shown);
                screen::remark_if(shown == 0, "no memory of that topic fits");
                screen::remark_if(
                    request.index.is_none() && !filtered && has_more(reply.total),
                    &format!("{shown} of {}; see others with --index", reply.total),
                );
                screen::remark_if(
                    has_more(reply.matching),
                    &format!("{shown} of {} that have it; a longer --match finds fewer", reply.matching),
                );
            }
            Ok(exit::OK)
        })
    }
}
