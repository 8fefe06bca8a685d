//! `helixctl review`: what waits for the person's word, listed, approved, rejected or edited; on a
//! terminal one key for each.

use clap::{Args, Subcommand};
use dialoguer::console::{Key, Term};
use helix_client::{Client, Start, v1};
use helix_proto::exit;

use super::change::Edit;
use crate::ask::{is_there_somebody, prompted};
use crate::context::{Context, wait};
use crate::document::{JudgeDocument, ReviewDocument, hyphenated};
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{render, screen};

/// The character that a terminal sends for Ctrl-D.
const END_OF_INPUT: char = '\u{4}';

/// Arguments of `review`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct Review {
    #[command(subcommand)]
    action: Option<Action>,
    /// Lists only what is of this topic
    #[arg(long, short, value_name = "T")]
    topic: Option<String>,
    /// Lists so many; 50 unless given
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<u32>,
    /// Lists what waits in all projects
    #[arg(long)]
    all: bool,
    /// Lists suggested relations as well
    #[arg(long)]
    relations: bool,
    /// Lists and asks nothing
    #[arg(long)]
    list: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Trusts memories, or lets what is suggested of them hold
    Approve(Which),
    /// Forgets memories for good, or refuses what is suggested of them
    Reject(Which),
    /// Opens a memory in your editor, and approves it
    Edit {
        /// Handle or id
        #[arg(value_name = "REF")]
        reference: String,
        /// Takes this as its new text instead of opening an editor; `-` reads it from stdin
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
}

/// What is settled.
#[derive(Debug, Args)]
struct Which {
    /// Handles or ids
    #[arg(value_name = "REF", required_unless_present_any = ["all", "topic"])]
    references: Vec<String>,
    /// Everything that waits
    #[arg(long, conflicts_with = "references")]
    all: bool,
    /// Everything of this topic that waits
    #[arg(long, short, value_name = "T", conflicts_with = "references")]
    topic: Option<String>,
    /// Suggested relations as well; else only those of what nothing else is suggested of
    #[arg(long, requires = "references")]
    relations: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Review {
    /// Lists what waits, asks about each on a terminal, or settles what is named.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        match self.action {
            Some(Action::Approve(which)) => settle_named(context, which, true),
            Some(Action::Reject(which)) => settle_named(context, which, false),
            Some(Action::Edit { reference, text }) => {
                Edit::of(reference.clone(), text).run(context)?;
                let which = Which {
                    references: vec![reference],
                    all: false,
                    topic: None,
                    relations: false,
                    json: self.json,
                };
                settle_named(context, which, true)
            }
            None => {
                let request = self.request(context);
                let reply = listed(context, &request)?;
                if self.json {
                    screen::json(&ReviewDocument::from(&reply))?;
                    return Ok(exit::OK);
                }
                let asks = !self.list && is_there_somebody() && !reply.items.is_empty();
                if asks {
                    return ask_about(context, &reply);
                }
                list(context, &reply)
            }
        }
    }
}

impl Review {
    fn request(&self, context: &Context) -> v1::ReviewRequest {
        let scopes: &[&str] = if self.all { &["all"] } else { &[] };
        v1::ReviewRequest {
            caller: Some(context.caller()),
            scopes: scopes.iter().map(ToString::to_string).collect(),
            topic: self.topic.clone().unwrap_or_default(),
            limit: self.limit.unwrap_or_default(),
            relations: self.relations,
        }
    }
}

fn listed(context: &Context, request: &v1::ReviewRequest) -> Result<v1::ReviewReply, Failure> {
    wait(async {
        let mut client = context.connect(Start::IfAbsent).await?;
        let reply = client.call(async |rpc| rpc.review(request.clone()).await);
        Ok(reply.await?)
    })
}

fn list(context: &Context, reply: &v1::ReviewReply) -> Outcome {
    screen::print(&render::review(context.screen.look, reply))?;
    screen::remark_if(reply.items.is_empty(), "nothing waits for your word");
    let shown = u32::try_from(reply.items.len()).unwrap_or(u32::MAX);
    let total = reply.total;
    screen::remark_if(
        total > shown,
        &format!("{shown} of {total} are shown; -n shows more"),
    );
    let elsewhere = reply.elsewhere;
    screen::remark_if(
        elsewhere > 0,
        &format!("{elsewhere} more in other projects; helixctl review --all lists them"),
    );
    Ok(exit::OK)
}

fn settle_named(context: &Context, which: Which, approve: bool) -> Outcome {
    let json = which.json;
    let request = v1::JudgeRequest {
        caller: Some(context.caller()),
        approve,
        references: which.references,
        all: which.all,
        topic: which.topic.unwrap_or_default(),
        relations: which.relations,
        ..v1::JudgeRequest::default()
    };
    wait(async {
        let mut client = context.connect(Start::IfAbsent).await?;
        let reply = settle(&mut client, request).await?;
        if json {
            screen::json(&JudgeDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        let done = if approve { "approved" } else { "rejected" };
        screen::print(&render::judged(context.screen.look, done, &reply))?;
        screen::remark_if(
            reply.memories.is_empty(),
            &format!("{} {done}", reply.settled),
        );
        Ok(exit::OK)
    })
}

async fn settle(client: &mut Client, request: v1::JudgeRequest) -> Result<v1::JudgeReply, Failure> {
    let reply = client
        .call_at_most_once(async |rpc| rpc.judge(request.clone()).await)
        .await?;
    for note in &reply.notes {
        screen::remark(&format!("helixctl: {}", one_line(note)));
    }
    Ok(reply)
}

/// What a key says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Approve,
    Reject,
    Edit,
    Skip,
    Quit,
}

fn answer(key: &Key) -> Option<Answer> {
    match key {
        Key::Char('a' | 'A') => Some(Answer::Approve),
        Key::Char('r' | 'R') => Some(Answer::Reject),
        Key::Char('e' | 'E') => Some(Answer::Edit),
        Key::Char('s' | 'S') | Key::Enter => Some(Answer::Skip),
        Key::Char('q' | 'Q' | END_OF_INPUT) | Key::Escape => Some(Answer::Quit),
        _ => None,
    }
}

/// Asks about each item in turn.
fn ask_about(context: &Context, reply: &v1::ReviewReply) -> Outcome {
    for (place, item) in reply.items.iter().enumerate() {
        let Some(memory) = &item.memory else { continue };
        let shown = render::review_item(context.screen.look, item);
        screen::print(&format!("[{} of {}] {shown}", place + 1, reply.total))?;
        loop {
            match ask()? {
                Answer::Approve => settle_item(context, item, true)?,
                Answer::Reject => settle_item(context, item, false)?,
                Answer::Edit => {
                    edit(context, &hyphenated(&memory.id))?;
                    continue;
                }
                Answer::Skip => {}
                Answer::Quit => return Ok(exit::OK),
            }
            break;
        }
    }
    Ok(exit::OK)
}

fn ask() -> Result<Answer, Failure> {
    prompted(|| {
        let term = Term::stderr();
        term.write_str("[a]pprove [r]eject [e]dit [s]kip [q]uit ")?;
        let said = loop {
            if let Some(answer) = answer(&term.read_key()?) {
                break answer;
            }
        };
        term.write_line(match said {
            Answer::Approve => "approve",
            Answer::Reject => "reject",
            Answer::Edit => "edit",
            Answer::Skip => "skip",
            Answer::Quit => "quit",
        })?;
        Ok(said)
    })
}

fn settle_item(context: &Context, item: &v1::ReviewItem, approve: bool) -> Result<(), Failure> {
    let id = |memory: &Option<v1::Memory>| {
        let memory = memory.as_ref();
        memory.map(|memory| hyphenated(&memory.id))
    };
    let request = v1::JudgeRequest {
        caller: Some(context.caller()),
        approve,
        references: id(&item.memory).into_iter().collect(),
        other: id(&item.other).unwrap_or_default(),
        ..v1::JudgeRequest::default()
    };
    wait(async {
        let mut client = context.connect(Start::IfAbsent).await?;
        settle(&mut client, request).await?;
        Ok(())
    })
}

fn edit(context: &Context, reference: &str) -> Result<(), Failure> {
    Edit::of(reference.to_owned(), None).run(context)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_answers_and_whoever_leaves_settles_nothing() {
        for (key, said) in [
            (Key::Char('a'), Answer::Approve),
            (Key::Char('r'), Answer::Reject),
            (Key::Char('e'), Answer::Edit),
            (Key::Char('s'), Answer::Skip),
            (Key::Enter, Answer::Skip),
            (Key::Escape, Answer::Quit),
            (Key::Char(END_OF_INPUT), Answer::Quit),
        ] {
            assert_eq!(answer(&key), Some(said), "{key:?}");
        }
        assert_eq!(answer(&Key::Char('x')), None);
    }
}
