//! `helixctl session`: what one session changed.

use std::env;

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use crate::context::{Context, wait};
use crate::document::SessionDocument;
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{render, screen};

/// Names the session of the agent whose shell this is, where Claude Code started it.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// Arguments of `session`.
#[derive(Debug, Args)]
pub(crate) struct Session {
    /// The session's id; the agent's whose shell this is unless given
    #[arg(value_name = "ID")]
    session: Option<String>,
    /// Prints at most so many operations
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Session {
    /// Prints the session's operations, oldest first.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let own = || env::var(SESSION_VARIABLE).ok().filter(|id| !id.is_empty());
        let session = self.session.or_else(own).ok_or_else(|| {
            Failure::Usage("this shell belongs to no agent's session; name one: helixctl session ID".to_owned())
        })?;
        let request =
            v1::SessionLogRequest { caller: Some(context.caller()), session, limit: self.limit.unwrap_or_default() };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.session_log(request.clone()).await).await?;
            if self.json {
                screen::json(&SessionDocument::from(&reply))?;
            } else {
                for line in reply.activity.iter().flat_map(|activity| &activity.lines) {
                    screen::print(&format!("{}\n", one_line(line)))?;
                }
                screen::print(&render::session(context.screen.look, &reply.operations))?;
                let name = one_line(&reply.session);
                let shown = reply.operations.len();
                let more = usize::try_from(reply.total).is_ok_and(|total| total > shown);
                screen::remark_if(shown == 0, &format!("session {name} changed nothing"));
                screen::remark_if(more, &format!("{shown} of {}; see more with --limit", reply.total));
            }
            Ok(exit::OK)
        })
    }
}
