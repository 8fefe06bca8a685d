//! `helixctl checkpoint`: where a task stands, saved for whoever goes on.

use clap::{Args, Subcommand};
use helix_client::v1;
use helix_client::v1::checkpoint_request::Action;
use helix_proto::exit;

use crate::context::Context;
use crate::document::CheckpointDocument;
use crate::failure::Outcome;
use crate::screen;
use crate::text::{neutral, one_line};
use crate::time::minute;

/// Said when there is nothing to show.
const NONE_SAVED: &str =
    "no checkpoint is saved here; helixctl checkpoint save --task \"what the task is\" saves one";

/// Commands below `checkpoint`.
#[derive(Debug, Subcommand)]
pub(crate) enum Checkpoint {
    /// Saves where the task stands, in place of what was saved before
    Save(Save),
    /// Prints what was saved, and how long ago
    #[command(visible_alias = "resume")]
    Show(Show),
    /// Saves one of the earlier ones again
    Restore(Restore),
    /// Forgets what was saved
    Clear(Plain),
}

/// Arguments of `checkpoint save`.
#[derive(Debug, Args)]
pub(crate) struct Save {
    /// Says what the task is
    #[arg(long, value_name = "TEXT")]
    task: String,
    /// Says what is done: steps separated by `;`, or repeated, as the next two; files are
    /// separated by commas
    #[arg(long, value_name = "STEP", value_delimiter = ';')]
    done: Vec<String>,
    /// Says what comes next
    #[arg(long, value_name = "STEP", value_delimiter = ';')]
    next: Vec<String>,
    /// Says what is suspected
    #[arg(long, value_name = "TEXT", value_delimiter = ';', alias = "hypotheses")]
    hypothesis: Vec<String>,
    /// Names a file that matters
    #[arg(long, value_name = "PATH", value_delimiter = ',', alias = "files")]
    file: Vec<String>,
    /// Says what is in the way
    #[arg(long, value_name = "TEXT")]
    blocked: Option<String>,
    #[command(flatten)]
    plain: Plain,
}

/// Arguments of `checkpoint show`.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Prints the one that was replaced or cleared so many ago, in place of the present one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    earlier: Option<u32>,
    #[command(flatten)]
    plain: Plain,
}

/// Arguments of `checkpoint restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Which one, as `show` numbers them
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    earlier: u32,
    #[command(flatten)]
    plain: Plain,
}

/// Arguments of the others.
#[derive(Debug, Args)]
pub(crate) struct Plain {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Checkpoint {
    /// Saves, prints or clears the project's checkpoint.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (action, json, absent) = match self {
            Self::Save(save) => (Action::Save(save.checkpoint()), save.plain.json, ""),
            Self::Show(Show { earlier, plain }) => {
                let earlier = earlier.unwrap_or_default();
                (
                    Action::Load(v1::LoadCheckpoint { earlier }),
                    plain.json,
                    NONE_SAVED,
                )
            }
            Self::Restore(Restore { earlier, plain }) => (
                Action::Restore(v1::RestoreCheckpoint { earlier }),
                plain.json,
                "",
            ),
            Self::Clear(plain) => (
                Action::Clear(v1::ClearCheckpoint {}),
                plain.json,
                "there was no checkpoint",
            ),
        };
        let request = v1::CheckpointRequest {
            caller: Some(context.caller()),
            action: Some(action),
        };
        let reply = context.ask(async |rpc| rpc.checkpoint(request.clone()).await)?;
        if json {
            screen::json(&CheckpointDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        if reply.checkpoint.is_none() {
            // The daemon's words are for an agent.
            screen::remark(&format!("helixctl: {absent}"));
        } else {
            screen::print(&(neutral(reply.text.trim_end()) + "\n"))?;
            for warning in &reply.warnings {
                screen::remark(&format!("helixctl: {}", one_line(warning)));
            }
        }
        for (at, earlier) in (1..).zip(&reply.earlier) {
            let (at_time, task) = (minute(earlier.saved_at_us), one_line(&earlier.task));
            screen::remark(&format!("helixctl: earlier {at}: {at_time}  {task}"));
        }
        Ok(exit::OK)
    }
}

impl Save {
    fn checkpoint(&self) -> v1::TaskCheckpoint {
        v1::TaskCheckpoint {
            task: self.task.clone(),
            done: self.done.clone(),
            next: self.next.clone(),
            hypotheses: self.hypothesis.clone(),
            blocked: self.blocked.clone().unwrap_or_default(),
            files: self.file.clone(),
            ..v1::TaskCheckpoint::default()
        }
    }
}
