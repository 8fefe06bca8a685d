//! `helixctl receipts`: what hooks told agents, and whether it reached the model.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use super::session::unknown;
use crate::context::{Context, wait};
use crate::document::ReceiptsDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `receipts`.
#[derive(Debug, Args)]
pub(crate) struct Receipts {
    /// Shows those of this session only, by its id or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Prints at most so many
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Receipts {
    /// Prints receipts, newest first, and how many reached the model: of all, or of all of the
    /// session.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ReceiptsRequest {
            session: self.session.unwrap_or_default(),
            limit: self.limit.unwrap_or_default(),
        };
        let (whom, whose) = if request.session.is_empty() {
            ("", "in all")
        } else {
            (" to this session", "of this session")
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client
                .call(async |rpc| rpc.receipts(request.clone()).await)
                .await
                .map_err(unknown)?;
            if self.json {
                screen::json(&ReceiptsDocument::from(&reply))?;
            } else {
                screen::print(&render::receipts(context.screen.look, &reply.receipts))?;
                screen::remark_if(
                    reply.receipts.is_empty(),
                    &format!("no hook told anything{whom}"),
                );
                let withheld = if reply.withheld > 0 {
                    format!(", {} withheld", reply.withheld)
                } else {
                    String::new()
                };
                let (delivered, cut, unknown) = (reply.delivered, reply.cut, reply.unknown);
                screen::remark(&format!(
                    "{whose}: {delivered} delivered, {cut} cut{withheld}, {unknown} unknown"
                ));
            }
            Ok(exit::OK)
        })
    }
}
