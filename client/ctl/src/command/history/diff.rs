//! `helixctl diff`: what is different between two places in the history.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Place;
use crate::context::Context;
use crate::document::DiffDocument;
use crate::failure::Outcome;
use crate::text::one_line;
use crate::{render, screen};

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// Where it begins: a sequence of `log`, a day or a time; before the last session unless given
    #[arg(value_name = "FROM", value_parser = Place::from)]
    from: Option<Place>,
    /// Where it ends: a sequence, a day, a time or now
    #[arg(value_name = "TO", value_parser = Place::up_to)]
    to: Option<Place>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Diff {
    /// Prints what is different.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let end = v1::HistoryPoint {
            point: Some(v1::history_point::Point::AtUs(i64::MAX)),
        };
        let request = v1::DiffRequest {
            caller: Some(context.caller()),
            from: self.from.map(|from| from.point().unwrap_or(end)),
            to: self.to.and_then(Place::point),
        };
        let reply = context.ask(async |rpc| rpc.diff(request.clone()).await)?;
        if self.json {
            screen::json(&DiffDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        let look = context.screen.look;
        screen::print(&render::changes(look, &reply.memories, &reply.edges))?;
        for note in &reply.notes {
            screen::remark(&format!("helixctl: {}", one_line(note)));
        }
        let total = reply.memories_total + reply.edges_total;
        let span = format!("from {} to {}", reply.from_sequence, reply.to_sequence);
        screen::remark_if(total == 0, &format!("nothing is different {span}"));
        let shown = reply.memories.len() + reply.edges.len();
        let more = usize::try_from(total).is_ok_and(|total| total > shown);
        screen::remark_if(more, &format!("{shown} of {total} changes {span}"));
        Ok(exit::OK)
    }
}
