//! `helixctl status`: the running daemon.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use super::doctor::wired_twice;
use crate::context::{Context, wait};
use crate::document::StatusDocument;
use crate::failure::Outcome;
use crate::render;
use crate::screen;
use crate::time::now_us;

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    /// Prints what the daemon says of itself. Starts none.
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        wait(async {
            let mut client = context.connect(Start::Never).await?;
            let reply = client
                .call(async |rpc| rpc.status(v1::StatusRequest {}).await)
                .await?;
            if self.json {
                screen::json(&StatusDocument::new(&reply, now_us()))?;
            } else {
                screen::print(&render::status(context.screen.look, &reply, now_us()))?;
                for finding in wired_twice(context) {
                    screen::remark(&format!("{}: {}", finding.name, finding.detail));
                }
            }
            Ok(exit::OK)
        })
    }
}
