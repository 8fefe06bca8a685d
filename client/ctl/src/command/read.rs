//! `helixctl read`: one memory, or a topic's.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::moment::Moment;
use crate::context::Context;
use crate::document::ReadDocument;
use crate::failure::Outcome;
use crate::text::one_line;
use crate::{pick, render, screen};

/// Arguments of `read`.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Handle, id, the beginning of either, topic:index, or a topic; several memories may be
    /// named; chosen from a list on a terminal unless given
    #[arg(value_name = "REF")]
    references: Vec<String>,
    /// Reads the memory at this position in the topic, counted from 0
    #[arg(long, short, value_name = "N")]
    index: Option<u32>,
    /// Reads the memories of the topic whose text contains this
    #[arg(long = "match", value_name = "TEXT")]
    match_text: Option<String>,
    /// Prints at most so many memories of the topic
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u32>,
    /// Goes on after the memories that an earlier read ended with
    #[arg(long, value_name = "C")]
    cursor: Option<String>,
    #[command(flatten)]
    moment: Moment,
    /// Prints the texts alone, byte for byte, each on a line of its own
    #[arg(long, conflicts_with = "json")]
    raw: bool,
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
            limit: self.limit.unwrap_or_default(),
            cursor: self.cursor.unwrap_or_default(),
            moment: self.moment.wire(),
            ..v1::ReadRequest::default()
        };
        let reply = context.ask(async |rpc| rpc.read(request.clone()).await)?;
        if self.json {
            screen::json(&ReadDocument::from(&reply))?;
        } else if self.raw {
            screen::print(&raw(&reply.memories))?;
        } else {
            screen::print(&render::in_full(context.screen.look, &reply.memories))?;
        }
        if !self.json {
            remark(&reply);
        }
        for note in &reply.notes {
            screen::remark(&format!("helixctl: {}", one_line(note)));
        }
        // Of several names each note is of one that means nothing.
        Ok(if reply.notes.is_empty() || request.references.is_empty() {
            exit::OK
        } else {
            exit::USAGE
        })
    }
}

/// The texts byte for byte; of several each begins on a line of its own.
fn raw(memories: &[v1::Memory]) -> String {
    let mut whole = String::new();
    for memory in memories {
        if !whole.is_empty() && !whole.ends_with('\n') {
            whole.push('\n');
        }
        whole.push_str(&memory.text);
    }
    whole
}

/// How much of a topic this is, and how to see the rest.
pub(super) fn remark(reply: &v1::ReadReply) {
    let shown = reply.memories.len();
    let whole = if reply.matching > 0 {
        reply.matching
    } else {
        reply.total
    };
    let has_more = usize::try_from(whole).is_ok_and(|whole| whole > shown);
    let cursor = one_line(&reply.next_cursor);
    screen::remark_if(
        has_more && !reply.topic.is_empty(),
        &format!("{shown} of {whole} memories"),
    );
    screen::remark_if(
        !cursor.is_empty(),
        &format!("there are more: --cursor {cursor}"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_texts_begins_a_line() {
        let shown = |texts: &[&str]| {
            let memory = |text: &&str| v1::Memory {
                text: (*text).to_owned(),
                ..v1::Memory::default()
            };
            raw(&texts.iter().map(memory).collect::<Vec<_>>())
        };
        assert_eq!(shown(&["one"]), "one");
        assert_eq!(shown(&["one", "two\n", "three"]), "one\ntwo\nthree");
    }
}
