//! `helixctl purge`: memories removed with every trace of their text, after what goes was shown and
//! confirmed by typing it.

use std::io::{self, BufRead};

use clap::Args;
use helix_client::{Client, Start, v1};
use helix_proto::exit;

use crate::ask::is_there_somebody;
use crate::context::{Context, wait};
use crate::document::PurgeDocument;
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{render, screen, time};

/// Arguments of `purge`.
#[derive(Debug, Args)]
pub(crate) struct Purge {
    /// Handles or ids
    #[arg(
        value_name = "REF",
        required_unless_present_any = ["session", "origin", "since"]
    )]
    references: Vec<String>,
    /// Purges what this session stored, its checkpoints with it
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Purges what came from here: user, agent, tool or import
    #[arg(long, value_name = "O")]
    origin: Option<String>,
    /// Purges what was recorded since then
    #[arg(long, value_parser = time::from, value_name = "D")]
    since: Option<i64>,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Purge {
    /// Shows what goes, has it confirmed, and purges it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (yes, json) = (self.yes, self.json);
        let mut request = v1::PurgeRequest {
            caller: Some(context.caller()),
            references: self.references,
            session: self.session.unwrap_or_default(),
            origin: self.origin.unwrap_or_default(),
            since_us: self.since,
            ..v1::PurgeRequest::default()
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let shown = send(&mut client, &request).await?;
            if !yes {
                screen::print(&render::purged(context.screen.look, &shown))?;
                remark(&shown.notes);
                confirm(&shown)?;
            }
            request.confirmed = ids(&shown);
            let checkpoints = shown.checkpoints.iter();
            request.confirmed_checkpoints_us = checkpoints.map(|saved| saved.saved_at_us).collect();
            let reply = send(&mut client, &request).await?;
            if json {
                screen::json(&PurgeDocument::from(&reply))?;
            } else {
                screen::print(&render::purged(context.screen.look, &reply))?;
                remark(&reply.notes);
            }
            Ok(exit::OK)
        })
    }
}

fn remark(notes: &[String]) {
    for note in notes {
        screen::remark(&format!("helixctl: {}", one_line(note)));
    }
}

async fn send(client: &mut Client, request: &v1::PurgeRequest) -> Result<v1::PurgeReply, Failure> {
    let call = async |rpc: &mut helix_client::Rpc| rpc.purge(request.clone()).await;
    Ok(client
        .call_once(helix_client::limits::MAINTENANCE_DEADLINE, call)
        .await?)
}

fn ids(shown: &v1::PurgeReply) -> Vec<Vec<u8>> {
    let memories = shown.memories.iter();
    memories
        .filter_map(|going| Some(going.memory.as_ref()?.id.clone()))
        .collect()
}

/// Returns the word that has to be typed: the handle of the one memory, or how many things go.
fn password(shown: &v1::PurgeReply) -> String {
    match (shown.memories.as_slice(), shown.checkpoints.as_slice()) {
        ([only], []) => {
            let memory = only.memory.as_ref();
            memory.map_or_else(String::new, |memory| one_line(&memory.handle))
        }
        (memories, checkpoints) => (memories.len() + checkpoints.len()).to_string(),
    }
}

fn confirm(shown: &v1::PurgeReply) -> Result<(), Failure> {
    let password = password(shown);
    if !is_there_somebody() {
        return Err(Failure::Usage(
            "nobody is there to confirm; nothing was purged; say --yes".to_owned(),
        ));
    }
    screen::remark(&format!(
        "This cannot be taken back. Type {password} to purge:"
    ));
    let mut typed = String::new();
    let read = io::stdin().lock().read_line(&mut typed);
    read.map_err(Failure::io("reading what was typed"))?;
    if typed.trim() == password {
        return Ok(());
    }
    Err(Failure::Usage(
        "something else was typed; nothing was purged".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn going(handles: &[&str]) -> v1::PurgeReply {
        let memory = |handle: &&str| v1::PurgedMemory {
            memory: Some(v1::Memory {
                handle: (*handle).to_owned(),
                ..v1::Memory::default()
            }),
            ..v1::PurgedMemory::default()
        };
        v1::PurgeReply {
            memories: handles.iter().map(memory).collect(),
            ..v1::PurgeReply::default()
        }
    }

    #[test]
    fn one_memory_is_confirmed_by_its_handle_and_several_by_their_number() {
        assert_eq!(password(&going(&["build/use-arm64"])), "build/use-arm64");
        assert_eq!(password(&going(&["build/a", "build/b", "build/c"])), "3");
    }
}
