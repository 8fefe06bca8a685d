//! `helixctl add`: a memory stored.

use clap::Args;
use helix_client::{Rpc, v1};
use helix_proto::exit;

use crate::context::Context;
use crate::document::StoreDocument;
use crate::failure::{Failure, Outcome};
use crate::input::{self, fraction};
use crate::render::corrections;
use crate::screen;
use crate::text::one_line;

/// Arguments of `add`.
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// What to remember; `-` reads it from stdin
    text: String,
    /// Files it under this topic
    #[arg(long, short, value_name = "T")]
    topic: String,
    /// Says what it is: decision, gotcha, convention, …; decided from tags and text unless given
    #[arg(long, short, value_name = "K")]
    kind: Option<String>,
    /// Adds tags, separated by commas
    #[arg(long, visible_alias = "tag", value_delimiter = ',', value_name = "A,B")]
    tags: Vec<String>,
    /// Names the file that it is about
    #[arg(long, value_name = "PATH[:LINE]")]
    source: Option<String>,
    /// Says who it applies to: global, project or project:ID; this project unless given
    #[arg(long, value_name = "S")]
    scope: Option<String>,
    /// Links it to other memories: handles or ids, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "REF,REF")]
    links: Vec<String>,
    /// Says how much it matters, from 0 to 1
    #[arg(long, value_parser = fraction, value_name = "F")]
    importance: Option<f32>,
    /// Says how much it matters, from 1 to 10, in place of --importance
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "importance",
        allow_negative_numbers = true
    )]
    priority: Option<i64>,
    /// Says how much it matters, from 1 to 5, in place of --importance
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["importance", "priority"],
        allow_negative_numbers = true
    )]
    weight: Option<i64>,
    /// Says in one line of at most 200 characters what it is about, for lists
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Says how sure it is, from 0 to 1
    #[arg(long, value_parser = fraction, value_name = "F")]
    confidence: Option<f32>,
    /// Never lets it fade
    #[arg(long)]
    pinned: bool,
    /// Stores it even when a similar memory exists
    #[arg(long)]
    force: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Add {
    /// Stores the text and says under which handle.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (force, json) = (self.force, self.json);
        let request = v1::StoreRequest {
            caller: Some(context.caller()),
            draft: Some(self.draft()?),
            force,
        };
        let call = async |rpc: &mut Rpc| rpc.store(request.clone()).await;
        let reply = if force {
            context.ask_at_most_once(call)?
        } else {
            context.ask(call)?
        };
        if json {
            screen::json(&StoreDocument::from(&reply))?;
        }
        for warning in reply.warnings.iter().filter(|_| !json) {
            screen::remark(&format!("helixctl: {}", one_line(warning)));
        }
        for told in corrections(&reply).iter().filter(|_| !json) {
            screen::remark(&format!("helixctl: {told}"));
        }
        tell(&reply, json)
    }

    fn draft(self) -> Result<v1::Draft, Failure> {
        Ok(v1::Draft {
            topic: self.topic,
            text: input::text(self.text)?,
            kind: self.kind.unwrap_or_default(),
            tags: self.tags,
            scope: self.scope.unwrap_or_default(),
            source: self.source.unwrap_or_default(),
            links: self.links,
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            priority: self.priority,
            weight: self.weight,
            summary: self.summary.unwrap_or_default(),
            ..v1::Draft::default()
        })
    }
}

fn tell(reply: &v1::StoreReply, json: bool) -> Outcome {
    let handle = one_line(reply.memory.as_ref().map_or("", |memory| &memory.handle));
    let say = |text: String| if json { Ok(()) } else { screen::print(&text) };
    match reply.outcome() {
        v1::StoreOutcome::Stored => say(format!("stored\t{handle}\n"))?,
        v1::StoreOutcome::Reinforced => say(format!("reinforced\t{handle}\n"))?,
        v1::StoreOutcome::Extended => say(format!("extended\t{handle}\n"))?,
        v1::StoreOutcome::Duplicate => {
            let alike = reply.similarity;
            return Err(Failure::Usage(format!(
                "nothing was stored: {handle} says nearly the same ({alike:.2} alike); correct it with `helixctl revise {handle}`, or add --force when both hold"
            )));
        }
        v1::StoreOutcome::Unspecified => {
            return Err(Failure::Unavailable(
                "the daemon did not say what became of the text; run `helixctl doctor`".to_owned(),
            ));
        }
    }
    Ok(exit::OK)
}
