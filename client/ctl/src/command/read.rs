//! `helixctl read`: one memory, or a topic's.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use crate::context::{Context, wait};
use crate::document::ReadDocument;
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{pick, render, screen};

/// Arguments of `read`.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Handle, id, the beginning of either, topic:index, or a topic; several memories may be named; chosen from a list
    /// on a terminal unless given
    #[arg(value_name = "REF")]
    references: Vec<String>,
    /// Reads the memory at this position in the topic, counted from 0
    #[arg(long, short, value_name = "N")]
    index: Option<u32>,
    /// Reads the memories of the topic whose text contains this
    #[arg(long = "match", value_name = "TEXT")]
    match_text: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Read {
    /// Prints what the reference names.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let mut named = self.references;
        let (reference, references) = match named.len() {
            0 => (pick::memory(context, "read")?, Vec::new()),
            1 => (named.remove(0), Vec::new()),
            _ => (String::new(), named),
        };
        let request = v1::ReadRequest {
            caller: Some(context.caller()),
            reference,
            references,
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
                let whole_topic = request.index.is_none() && !reply.topic.is_empty();
                tell(context, &reply, whole_topic)?;
            }
            for note in &reply.notes {
                screen::remark(&format!("helixctl: {}", one_line(note)));
            }
            Ok(if reply.notes.is_empty() { exit::OK } else { exit::USAGE })
        })
    }
}

fn tell(context: &Context, reply: &v1::ReadReply, whole_topic: bool) -> Result<(), Failure> {
    let (look, memories) = (context.screen.look, &reply.memories);
    if !whole_topic {
        return screen::print(&render::in_full(look, memories));
    }
    screen::print(&render::topic(look, memories))?;
    let shown = memories.len();
    let has_more = |all: u32| usize::try_from(all).is_ok_and(|all| all > shown);
    if has_more(reply.matching) {
        screen::remark(&format!("helixctl: {shown} of {} that have it; a longer --match finds fewer", reply.matching));
    } else if reply.matching == 0 && has_more(reply.total) {
        let (total, topic) = (reply.total, one_line(&reply.topic));
        screen::remark(&format!(
            "helixctl: {shown} of {total} memories; helixctl read {topic}:{shown} {topic}:{} … reads others, and \
             helixctl export {topic}.json --topic {topic} writes all",
            shown.saturating_add(1)
        ));
    }
    Ok(())
}
