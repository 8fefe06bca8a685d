//! `helixctl forget`: one memory forgotten, never a guess; or a whole topic, after a question.
//!
//! Only a whole handle or id names a memory for good. A place in a topic, a topic with one memory
//! and the beginning of a name mean another memory once something was forgotten or stored. So it is
//! said first which memory that is, and the person or a flag has to confirm it; the same command
//! line twice then forgets no second memory unseen.

use clap::Args;
use helix_client::v1;
use helix_client::v1::{DeleteMemories, Memory, edit_request::Action};
use helix_proto::exit;

use super::apply;
use super::target::{is_place, is_whole_name, read_one, read_one_with};
use crate::context::Context;
use crate::document::{ForgetDocument, hyphenated};
use crate::failure::{Failure, Outcome};
use crate::text::{one_line, shorten};
use crate::{ask, pick, render, screen};

/// Arguments of `forget`.
#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// Handle or id; what else means one memory, such as topic:index, a topic or the beginning of
    /// a name, has to be confirmed. Words that match memories forget none. Chosen from a list
    /// on a terminal unless given
    #[arg(value_name = "REF", conflicts_with_all = ["topic", "all"])]
    reference: Option<String>,
    /// Means the memory at this position in the topic, counted from 0, which has to be confirmed
    #[arg(
        long,
        short,
        value_name = "N",
        requires = "reference",
        conflicts_with = "match_text"
    )]
    index: Option<u32>,
    /// Means the one memory of the topic whose text contains this, which has to be confirmed
    #[arg(
        long = "match",
        id = "match_text",
        value_name = "TEXT",
        requires = "reference"
    )]
    match_text: Option<String>,
    /// Forgets memories of this topic; needs --all
    #[arg(long, short, value_name = "T", requires = "all")]
    topic: Option<String>,
    /// Forgets every memory of the topic that is of this project
    #[arg(long, requires = "topic")]
    all: bool,
    /// With --all, forgets those of these scopes instead: project, global or all, which is both;
    /// separated by commas
    #[arg(long, value_delimiter = ',', value_name = "S", requires = "all")]
    scope: Vec<String>,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Forget {
    /// Forgets what is named, or lists what it could mean.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        if let (Some(topic), Some(index)) = (&self.reference, self.index) {
            return forget_at(
                context,
                &format!("{}:{index}", topic.trim()),
                self.yes,
                self.json,
            );
        }
        match (self.topic, self.reference) {
            (Some(topic), _) => forget_topic(context, topic, self.scope, self.yes, self.json),
            (None, Some(topic)) if self.match_text.is_some() => forget_with(
                context,
                &topic,
                &self.match_text.unwrap_or_default(),
                self.yes,
                self.json,
            ),
            (None, Some(reference)) if is_place(&reference) => {
                forget_at(context, &reference, self.yes, self.json)
            }
            (None, Some(reference)) => forget_named(context, reference, self.yes, self.json),
            (None, None) => forget_one(context, pick::memory(context, "forget")?, self.json),
        }
    }
}

fn forget_topic(
    context: &Context,
    topic: String,
    scopes: Vec<String>,
    yes: bool,
    json: bool,
) -> Outcome {
    let of = match scopes.as_slice() {
        [] => String::new(),
        named => format!(" in scope {}", one_line(&named.join(", "))),
    };
    let question = format!("Forget every memory of topic {}{of}?", one_line(&topic));
    if !yes && !ask::confirmed(&question, "--yes")? {
        return Err(Failure::Usage("nothing was forgotten".to_owned()));
    }
    let target = v1::Target {
        reference: topic,
        ..v1::Target::default()
    };
    apply::run(
        context,
        json,
        "forgot",
        Action::Delete(DeleteMemories {
            target: Some(target),
            all: true,
            scopes,
        }),
    )
}

/// Forgets the one memory of a topic that has a text.
fn forget_with(context: &Context, topic: &str, text: &str, yes: bool, json: bool) -> Outcome {
    let memory = read_one_with(context, topic, text)?;
    let said = format!(
        "the memory of {} with {:?}",
        one_line(topic.trim()),
        one_line(text)
    );
    confirm(&said, "another one may have it next time", &memory, yes)?;
    forget_one(context, hyphenated(&memory.id), json)
}

/// Forgets the memory at a place in a topic, once it is clear that this one is meant.
fn forget_at(context: &Context, place: &str, yes: bool, json: bool) -> Outcome {
    let memory = read_one(context, place)?;
    let place = one_line(place.trim());
    confirm(&place, "places move", &memory, yes)?;
    let code = forget_one(context, hyphenated(&memory.id), json)?;
    screen::remark(&format!(
        "helixctl: what came after {place} in its topic is one place further up now"
    ));
    Ok(code)
}

/// Forgets what is named; a name that is not whole means a memory only for now.
fn forget_named(context: &Context, reference: String, yes: bool, json: bool) -> Outcome {
    let request = v1::ReadRequest {
        caller: Some(context.caller()),
        reference: reference.clone(),
        ..v1::ReadRequest::default()
    };
    let read = context.ask(async |rpc| rpc.read(request.clone()).await);
    match read.map(|reply| reply.memories) {
        Ok(memories) => match memories.as_slice() {
            [memory] => {
                if !is_whole_name(&reference, memory) {
                    confirm(
                        &one_line(reference.trim()),
                        "that is not its whole name",
                        memory,
                        yes,
                    )?;
                }
                forget_one(context, hyphenated(&memory.id), json)
            }
            _ => forget_one(context, reference, json),
        },
        // It means several, or nothing but what has these words: the daemon lists them and forgets
        // none.
        Err(_) => forget_one(context, reference, json),
    }
}

/// Says which memory is meant, and has it confirmed.
fn confirm(said: &str, why: &str, memory: &Memory, yes: bool) -> Result<(), Failure> {
    /// Longest text that is shown of it, in characters.
    const SHOWN_CHARS_MAX: usize = 120;
    let handle = one_line(&memory.handle);
    let first_line = memory
        .text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let meant = format!(
        "{said} is {handle}: {}",
        shorten(&one_line(first_line), SHOWN_CHARS_MAX)
    );
    if !yes && !ask::is_there_somebody() {
        return Err(Failure::Usage(format!(
            "{meant}; nothing was forgotten, because {why}; say helixctl forget {handle}, or --yes"
        )));
    }
    screen::remark(&format!("helixctl: {meant}"));
    if yes || ask::confirmed(&format!("Forget {handle}?"), "--yes")? {
        return Ok(());
    }
    Err(Failure::Usage("nothing was forgotten".to_owned()))
}

fn forget_one(context: &Context, reference: String, json: bool) -> Outcome {
    let request = v1::ForgetRequest {
        caller: Some(context.caller()),
        reference,
    };
    let reply = context.ask(async |rpc| rpc.forget(request.clone()).await)?;
    if json {
        screen::json(&ForgetDocument::from(&reply))?;
    }
    if let Some(forgotten) = &reply.forgotten {
        if !json {
            let done = if reply.was_forgotten {
                "forgotten before"
            } else {
                "forgot"
            };
            screen::print(&format!("{done}\t{}\n", one_line(&forgotten.handle)))?;
            for note in &reply.notes {
                screen::remark(&format!("helixctl: {}", one_line(note)));
            }
        }
        return Ok(exit::OK);
    }
    if !json {
        screen::print(&render::candidates(context.screen.look, &reply.candidates))?;
    }
    Err(Failure::Usage(match reply.candidates.len() {
        0 => format!(
            "no memory matches {:?}; nothing was forgotten",
            request.reference
        ),
        1 => format!(
            "one memory matches {:?}; nothing was forgotten; name it by its handle: {}",
            request.reference,
            one_line(reply.candidates.first().map_or("", |memory| &memory.handle))
        ),
        count => {
            format!(
                "{count} memories match {:?}; nothing was forgotten; name one by its handle",
                request.reference
            )
        }
    }))
}
