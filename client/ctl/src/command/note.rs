//! `helixctl note`: a sentence remembered, without a word about where it belongs.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::StoreDocument;
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::screen;
use crate::text::one_line;

/// Arguments of `note`.
#[derive(Debug, Args)]
pub(crate) struct Note {
    /// What to remember; `-` reads it from stdin
    text: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Note {
    /// Stores the text, and says under which handle and how its topic was found.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let json = self.json;
        let request = v1::StoreRequest {
            caller: Some(context.caller()),
            draft: Some(v1::Draft {
                text: input::text(self.text)?,
                ..v1::Draft::default()
            }),
            force: false,
        };
        let reply = context.ask(async |rpc| rpc.store(request.clone()).await)?;
        if json {
            screen::json(&StoreDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        for warning in &reply.warnings {
            screen::remark(&format!("helixctl: {}", one_line(warning)));
        }
        screen::print(&told(&reply)?)?;
        Ok(exit::OK)
    }
}

/// Says where a note went, and how to correct that.
fn told(reply: &v1::StoreReply) -> Result<String, Failure> {
    let memory = reply.memory.clone().unwrap_or_default();
    let (handle, kind) = (one_line(&memory.handle), one_line(&memory.kind));
    Ok(match reply.outcome() {
        v1::StoreOutcome::Stored => {
            let inferred = one_line(&reply.inferred);
            format!(
                "noted as {handle} ({kind}; {inferred}; change: helixctl edit {handle}; move: helixctl merge {handle} TOPIC)\n"
            )
        }
        v1::StoreOutcome::Reinforced => format!("known already as {handle}\n"),
        v1::StoreOutcome::Extended => format!("{handle} said part of it and says all of it now\n"),
        v1::StoreOutcome::Duplicate => format!(
            "nothing was stored: {handle} says nearly the same; correct it with `helixctl revise {handle}`\n"
        ),
        v1::StoreOutcome::Unspecified => {
            return Err(Failure::Unavailable(
                "the daemon did not say what became of the note; run `helixctl doctor`".to_owned(),
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn reply(outcome: v1::StoreOutcome) -> v1::StoreReply {
        v1::StoreReply {
            outcome: outcome.into(),
            memory: Some(v1::Memory {
                handle: "build-gotchas/arch-arm64-required".to_owned(),
                kind: "gotcha".to_owned(),
                ..v1::Memory::default()
            }),
            inferred: "topic from the nearest memory".to_owned(),
            ..v1::StoreReply::default()
        }
    }

    #[test]
    fn a_note_says_where_it_went_and_how_to_correct_that() {
        let outcomes = [
            v1::StoreOutcome::Stored,
            v1::StoreOutcome::Reinforced,
            v1::StoreOutcome::Extended,
            v1::StoreOutcome::Duplicate,
        ];
        let texts = outcomes.map(|outcome| told(&reply(outcome)).unwrap());
        insta::assert_snapshot!(texts.concat(), @r"
        noted as build-gotchas/arch-arm64-required (gotcha; topic from the nearest memory; change: helixctl edit build-gotchas/arch-arm64-required; move: helixctl merge build-gotchas/arch-arm64-required TOPIC)
        known already as build-gotchas/arch-arm64-required
        build-gotchas/arch-arm64-required said part of it and says all of it now
        nothing was stored: build-gotchas/arch-arm64-required says nearly the same; correct it with `helixctl revise build-gotchas/arch-arm64-required`
        ");
    }
}
