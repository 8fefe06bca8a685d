//! `helixctl split`: several memories made of one.

use clap::Args;
use helix_client::v1;
use helix_client::v1::{SplitMemory, edit_request::Action};
use helix_proto::exit;

use super::apply;
use super::target::TargetArgs;
use crate::ask::confirmed;
use crate::context::Context;
use crate::document::EditDocument;
use crate::failure::Outcome;
use crate::text::neutral;
use crate::{render, screen};

/// Arguments of `split`.
#[derive(Debug, Args)]
pub(crate) struct SplitUp {
    #[command(flatten)]
    target: TargetArgs,
    /// The text of one part; may be repeated. Without it the text is split at its blank lines and
    /// lists, which is shown first
    #[arg(long, value_name = "TEXT")]
    into: Vec<String>,
    /// Does it without asking
    #[arg(long, short)]
    yes: bool,
    /// Shows the parts, and changes nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl SplitUp {
    /// Shows the parts unless they are given, asks, and does it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let sequence = self.target.sequence;
        let split = SplitMemory {
            target: Some(self.target.target()),
            into: self.into,
            preview: false,
        };
        let is_shown_first = self.dry_run || (split.into.is_empty() && !self.yes);
        let (json, dry_run) = (self.json, self.dry_run);
        if is_shown_first {
            let preview = SplitMemory {
                preview: true,
                ..split.clone()
            };
            let planned = apply::send(context, Action::Split(preview), sequence)?;
            apply::refuse_several(context, &planned, json)?;
            show(&planned, json)?;
            if dry_run {
                return Ok(exit::OK);
            }
            let question = format!("Split it into these {}?", planned.parts.len());
            if !confirmed(&question, "--yes")? {
                screen::remark_if(true, "nothing was changed");
                return Ok(exit::OK);
            }
        }
        let reply = apply::send(context, Action::Split(split), sequence)?;
        apply::refuse_several(context, &reply, json)?;
        if json {
            screen::json(&EditDocument::from(&reply))?;
        } else {
            apply::warn(&reply);
            screen::print(&render::changed(context.screen.look, "split", &reply))?;
        }
        Ok(exit::OK)
    }
}

fn show(planned: &v1::EditReply, json: bool) -> Result<(), crate::failure::Failure> {
    if json {
        return screen::json(&serde_json::json!({ "parts": planned.parts }));
    }
    for (place, part) in (1..).zip(&planned.parts) {
        screen::print(&format!("{place}\t{}\n", neutral(part)))?;
    }
    Ok(())
}
