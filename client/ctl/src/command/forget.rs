//! `helixctl forget`: one memory forgotten, never a guess.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use crate::context::{Context, wait};
use crate::document::ForgetDocument;
use crate::failure::{Failure, Outcome};
use crate::render;
use crate::screen;
use crate::text::one_line;

/// Arguments of `forget`.
#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// Handle, id, the beginning of either, or topic:index; words that match several memories forget none
    #[arg(value_name = "REF")]
    reference: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Forget {
    /// Forgets what the reference names, or lists what it could mean.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ForgetRequest { caller: Some(context.caller()), reference: self.reference };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.forget(request.clone()).await).await?;
            if self.json {
                screen::json(&ForgetDocument::from(&reply))?;
            }
            if let Some(forgotten) = &reply.forgotten {
                if !self.json {
                    screen::print(&format!("forgot\t{}\n", one_line(&forgotten.handle)))?;
                }
                return Ok(exit::OK);
            }
            if !self.json {
                screen::print(&render::candidates(context.screen.look, &reply.candidates))?;
            }
            Err(Failure::Usage(match reply.candidates.len() {
                0 => format!("no memory matches {:?}; nothing was forgotten", request.reference),
                1 => format!(
                    "one memory matches {:?}; nothing was forgotten; name it by its handle: {}",
                    request.reference,
                    one_line(reply.candidates.first().map_or("", |memory| &memory.handle))
                ),
                count => format!(
                    "{count} memories match {:?}; nothing was forgotten; name one by its handle",
                    request.reference
                ),
            }))
        })
    }
}
