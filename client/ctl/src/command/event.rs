//! `helixctl event`: what happened in a session, reported by a tool without hooks.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::EventDocument;
use crate::failure::Outcome;
use crate::text::neutral;
use crate::{input, screen};

/// Arguments of `event`.
#[derive(Debug, Args)]
#[expect(clippy::doc_markdown, reason = "the help shows it as it stands")]
pub(crate) struct Event {
    /// file_opened, command_executed, error_occurred, decision_made, pattern_detected,
    /// user_feedback, session_start or session_end
    #[arg(value_name = "TYPE")]
    sort: String,
    /// What happened, in words; `-` reads it from stdin
    #[arg(default_value = "")]
    text: String,
    /// Names the file that was opened, or that it is about
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Names the command that was run, or that failed
    #[arg(long, value_name = "LINE")]
    command: Option<String>,
    /// Names the session; that of the agent whose shell this is unless given
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Event {
    /// Reports it and says what became of it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let mut caller = context.caller();
        caller.session = self.session.unwrap_or(caller.session);
        let request = v1::EventRequest {
            caller: Some(caller),
            r#type: self.sort,
            text: input::text(self.text)?,
            file: self.file.unwrap_or_default(),
            command: self.command.unwrap_or_default(),
        };
        let reply = context.ask(async |rpc| rpc.event(request.clone()).await)?;
        if self.json {
            screen::json(&EventDocument::from(&reply))?;
        } else {
            screen::print(&format!("{}\n", neutral(&reply.outcome)))?;
        }
        Ok(exit::OK)
    }
}
