//! `helixctl add`: a memory stored.

use std::io::{self, Read};

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;
use helix_proto::limits::MEMORY_TEXT_MAX_BYTES;

use crate::context::{Context, wait};
use crate::document::StoreDocument;
use crate::failure::{Failure, Outcome};
use crate::screen;
use crate::text::one_line;

/// The text that stands for stdin.
const STDIN: &str = "-";

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
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
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
        let request = v1::StoreRequest { caller: Some(context.caller()), draft: Some(self.draft()?), force };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.store(request.clone()).await).await?;
            if json {
                screen::json(&StoreDocument::from(&reply))?;
            }
            for warning in reply.warnings.iter().filter(|_| !json) {
                screen::remark(&format!("helixctl: {}", one_line(warning)));
            }
            tell(&reply, json)
        })
    }

    fn draft(self) -> Result<v1::Draft, Failure> {
        let text = if self.text == STDIN { from_stdin(io::stdin().lock())? } else { self.text };
        Ok(v1::Draft {
            topic: self.topic,
            text,
            kind: self.kind.unwrap_or_default(),
            tags: self.tags,
            scope: self.scope.unwrap_or_default(),
            source: self.source.unwrap_or_default(),
            links: self.links,
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
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
        v1::StoreOutcome::Duplicate => {
            let alike = reply.similarity;
            return Err(Failure::Usage(format!(
                "nothing was stored: {handle} says nearly the same ({alike:.2} alike); read it, or add --force to store this as well"
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

/// Reads a text whole, without its last line end.
fn from_stdin(stdin: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MEMORY_TEXT_MAX_BYTES).unwrap_or(u64::MAX).saturating_add(2);
    stdin.take(limit).read_to_end(&mut bytes).map_err(Failure::io("reading stdin"))?;
    let text =
        String::from_utf8(bytes).map_err(|_| Failure::Usage("stdin is not UTF-8; convert it first".to_owned()))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.len() > MEMORY_TEXT_MAX_BYTES {
        return Err(Failure::Usage(format!("stdin holds more than {MEMORY_TEXT_MAX_BYTES} bytes; store it in parts")));
    }
    Ok(text.to_owned())
}

/// Reads a number from 0 to 1.
fn fraction(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 1".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stdin_is_taken_whole_but_for_the_last_line_end() {
        assert_eq!(from_stdin(&b"a\n\nb\r\n"[..]).unwrap(), "a\n\nb");
        let longest = "x".repeat(MEMORY_TEXT_MAX_BYTES) + "\n";
        assert_eq!(from_stdin(longest.as_bytes()).unwrap().len(), MEMORY_TEXT_MAX_BYTES);
    }

    #[test]
    fn stdin_that_cannot_be_stored_is_refused() {
        let too_long = "é".repeat(MEMORY_TEXT_MAX_BYTES);
        for wrong in [&b"\xff"[..], "x".repeat(MEMORY_TEXT_MAX_BYTES + 1).as_bytes(), too_long.as_bytes()] {
            assert_eq!(from_stdin(wrong).unwrap_err().exit_code(), exit::USAGE);
        }
    }

    #[test]
    fn fractions_are_from_0_to_1() {
        assert!(["0", "1", "0.5"].into_iter().all(|text| fraction(text).is_ok()));
        assert!(["-0.1", "1.01", "NaN", "inf", "half"].into_iter().all(|text| fraction(text).is_err()));
    }
}
