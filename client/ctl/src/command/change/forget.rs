//! `helixctl forget`: one memory forgotten, never a guess; or a whole topic, after a question.

use clap::Args;
use helix_client::v1::{DeleteMemories, edit_request::Action};
use helix_client::{Start, v1};
use helix_proto::exit;

use super::apply;
use crate::context::{Context, wait};
use crate::document::ForgetDocument;
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{ask, pick, render, screen};

/// Arguments of `forget`.
#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// Handle, id, the beginning of either, or topic:index; words that match several memories forget none. Chosen from a list
    /// on a terminal unless given
    #[arg(value_name = "REF", conflicts_with_all = ["topic", "all"])]
    reference: Option<String>,
    /// Forgets memories of this topic; needs --all
    #[arg(long, short, value_name = "T", requires = "all")]
    topic: Option<String>,
    /// Forgets every memory of the topic
    #[arg(long, requires = "topic")]
    all: bool,
    /// Does not ask
    #[arg(long, short, requires = "all")]
    yes: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Forget {
    /// Forgets what is named, or lists what it could mean.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        match (self.topic, self.reference) {
            (Some(topic), _) => forget_topic(context, topic, self.yes, self.json),
            (None, Some(reference)) => forget_one(context, reference, self.json),
            (None, None) => forget_one(context, pick::memory(context, "forget")?, self.json),
        }
    }
}

fn forget_topic(context: &Context, topic: String, yes: bool, json: bool) -> Outcome {
    let question = format!("Forget every memory of topic {}?", one_line(&topic));
    if !yes && !ask::confirmed(&question, "--yes")? {
        return Err(Failure::Usage("nothing was forgotten".to_owned()));
    }
    let target = v1::Target { reference: topic, ..v1::Target::default() };
    apply::run(context, json, "forgot", Action::Delete(DeleteMemories { target: Some(target), all: true }))
}

fn forget_one(context: &Context, reference: String, json: bool) -> Outcome {
    let request = v1::ForgetRequest { caller: Some(context.caller()), reference };
    wait(async {
        let mut client = context.connect(Start::IfAbsent).await?;
        let reply = client.call(async |rpc| rpc.forget(request.clone()).await).await?;
        if json {
            screen::json(&ForgetDocument::from(&reply))?;
        }
        if let Some(forgotten) = &reply.forgotten {
            if !json {
                screen::print(&format!("forgot\t{}\n", one_line(&forgotten.handle)))?;
            }
            return Ok(exit::OK);
        }
        if !json {
            screen::print(&render::candidates(context.screen.look, &reply.candidates))?;
        }
        Err(Failure::Usage(match reply.candidates.len() {
            0 => format!("no memory matches {:?}; nothing was forgotten", request.reference),
            1 => format!(
                "one memory matches {:?}; nothing was forgotten; name it by its handle: {}",
                request.reference,
                one_line(reply.candidates.first().map_or("", |memory| &memory.handle))
            ),
            count => {
                format!("{count} memories match {:?}; nothing was forgotten; name one by its handle", request.reference)
            }
        }))
    })
}
