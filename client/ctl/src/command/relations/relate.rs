//! `helixctl relate`: a relation between two memories.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::RelateDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `relate`.
#[derive(Debug, Args)]
pub(crate) struct Relate {
    /// The memory where it begins: a handle, an id, a unique prefix of either or topic:index
    #[arg(value_name = "A")]
    from: String,
    /// How the two are related, e.g. `depends_on`, `has_decision`, `owns`, `uses`, `relates_to`
    relation: String,
    /// The memory to which it leads
    #[arg(value_name = "B")]
    to: String,
    /// How strong it is, 0 to 1
    #[arg(long, value_name = "X")]
    strength: Option<f32>,
    /// Leads both ways
    #[arg(long, conflicts_with = "one_way")]
    both_ways: bool,
    /// Leads from A to B only
    #[arg(long)]
    one_way: bool,
    /// Says why
    #[arg(long, default_value = "", value_name = "TEXT")]
    reason: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Relate {
    /// Makes the relation.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let bidirectional = (self.both_ways || self.one_way).then_some(self.both_ways);
        let request = v1::RelateRequest {
            caller: Some(context.caller()),
            from: self.from,
            relation: self.relation,
            to: self.to,
            strength: self.strength,
            bidirectional,
            reason: self.reason,
            ..v1::RelateRequest::default()
        };
        let reply = context.ask(async |rpc| rpc.relate(request.clone()).await)?;
        if self.json {
            screen::json(&RelateDocument::from(&reply))?;
        } else {
            screen::print(&render::related(&reply))?;
            for note in &reply.notes {
                screen::remark(note);
            }
            if let Some(hint) = render::hint_of_supersession(&reply) {
                screen::remark(&hint);
            }
        }
        Ok(exit::OK)
    }
}
