//! `helixctl edit`: a memory in the person's own editor.
//!
//! Nothing that was typed is lost: whatever fails after the editor ended, the file is kept and
//! named. Nothing is overwritten that changed meanwhile: the daemon is told the sequence that was
//! edited, and changes nothing when it is another by now.

mod sheet;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use helix_client::v1;
use helix_client::v1::edit_request::Action;
use helix_client::v1::{ChangeTags, EditReply, Memory, ReviseText};
use helix_proto::exit;

use self::sheet::{Changes, Sheet};
use super::apply;
use super::target::read_one;
use crate::context::Context;
use crate::document::{EditDocument, hyphenated};
use crate::editor::{self, Draft};
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{input, pick, render, screen};

/// Arguments of `edit`.
#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// Handle, id, the beginning of either, or topic:index; chosen from a list on a terminal
    /// unless given
    #[arg(value_name = "REF")]
    reference: Option<String>,
    /// Takes this edited file, which an earlier edit kept, instead of opening an editor
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    from: Option<PathBuf>,
    /// Takes this as its new text instead of opening an editor; `-` reads it from stdin
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Edit {
    /// Of one memory, in the editor unless its new text is given.
    pub(crate) fn of(reference: String, text: Option<String>) -> Self {
        Self {
            reference: Some(reference),
            from: None,
            text,
            json: false,
        }
    }

    /// Opens the editor on the memory and makes the changes.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let reference = self
            .reference
            .map_or_else(|| pick::memory(context, "edit"), Ok)?;
        if self.from.is_none() && self.text.is_none() {
            demand_terminal(&reference)?;
        }
        let text = self.text.map(input::text).transpose()?;
        let memory = read_one(context, &reference)?;
        if let Some(text) = text {
            return change_text(context, &memory, text, self.json);
        }
        match self.from {
            Some(file) => {
                let file = context.cwd.join(file);
                change(context, &memory, &editor::read(&file)?, self.json)
                    .map_err(|failure| kept(failure, &memory, &file))
            }
            None => in_editor(context, &memory, self.json),
        }
    }
}

/// An editor that nobody sees waits for ever, or writes into what should be an answer.
fn demand_terminal(reference: &str) -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    let reference = one_line(reference);
    Err(Failure::Usage(format!(
        "an editor needs a terminal; give the new text with helixctl edit {reference} --text TEXT, where - reads stdin"
    )))
}

/// Replaces the text and nothing else.
fn change_text(context: &Context, memory: &Memory, text: String, json: bool) -> Outcome {
    if text.trim().is_empty() {
        return Err(Failure::Usage(
            "the text is empty; nothing was changed".to_owned(),
        ));
    }
    if is_same(&text, memory) {
        return unchanged(memory, json);
    }
    make_and_tell(
        context,
        memory,
        Changes {
            text: Some(text),
            ..Changes::default()
        },
        json,
    )
}

fn in_editor(context: &Context, memory: &Memory, json: bool) -> Outcome {
    let written = Sheet::of(memory).written(memory);
    let draft = Draft::new(&file_name(memory), &written)?;
    let ended = draft.edit();
    if !draft.is_there() {
        ended?;
        return Err(Failure::Usage(
            "the editor removed the file that it was given; nothing was changed".to_owned(),
        ));
    }
    let edited = draft.text();
    if edited.as_ref().is_ok_and(|edited| *edited == written) {
        // There is nothing to keep, however the editor ended.
        return ended.and_then(|()| unchanged(memory, json));
    }
    match ended
        .and(edited)
        .and_then(|edited| change(context, memory, &edited, json))
    {
        Ok(code) => Ok(code),
        Err(Failure::ReaderGone) => Err(Failure::ReaderGone),
        Err(failure) => Err(kept(failure, memory, &draft.keep())),
    }
}

/// Makes the changes that an edited file asks for.
fn change(context: &Context, memory: &Memory, edited: &str, json: bool) -> Outcome {
    let Some(after) = Sheet::parse(edited).map_err(usage)? else {
        screen::remark("helixctl: the text is empty; nothing was changed");
        return Ok(exit::USAGE);
    };
    let mut changes = Sheet::of(memory).changes(&after).map_err(usage)?;
    changes.text = changes.text.filter(|text| !is_same(text, memory));
    if changes.is_empty() {
        return unchanged(memory, json);
    }
    make_and_tell(context, memory, changes, json)
}

/// Returns whether a text says what the memory says: white space at its end does not count.
fn is_same(text: &str, memory: &Memory) -> bool {
    text.trim_end() == memory.text.trim_end()
}

fn make_and_tell(context: &Context, memory: &Memory, changes: Changes, json: bool) -> Outcome {
    let reply = make(context, memory, changes)?;
    if json {
        screen::json(&EditDocument::from(&reply))?;
    } else {
        apply::warn(&reply);
        screen::print(&render::changed(context.screen.look, "edited", &reply))?;
    }
    Ok(exit::OK)
}

/// Fields and tags first: they are the likelier to be refused, and then the text is not changed
/// either.
fn make(context: &Context, memory: &Memory, changes: Changes) -> Result<EditReply, Failure> {
    let target = v1::Target {
        reference: hyphenated(&memory.id),
        ..v1::Target::default()
    };
    let target = || Some(target.clone());
    let set = changes.set.map(|set| {
        Action::Set(v1::SetFields {
            target: target(),
            ..set
        })
    });
    let tagged = !changes.add.is_empty() || !changes.remove.is_empty();
    let tag = tagged.then(|| {
        Action::Tag(ChangeTags {
            target: target(),
            add: changes.add,
            remove: changes.remove,
        })
    });
    let revise = changes.text.map(|text| {
        Action::Revise(ReviseText {
            target: target(),
            text,
        })
    });
    let mut last = EditReply {
        memories: vec![memory.clone()],
        ..EditReply::default()
    };
    let mut warnings = Vec::new();
    let mut done = Vec::new();
    for (name, action) in [("fields", set), ("tags", tag), ("text", revise)] {
        let Some(action) = action else { continue };
        let sequence = last.memories.first().map(|memory| memory.sequence);
        last = apply::send(context, action, sequence).map_err(|failure| partly(failure, &done))?;
        warnings.append(&mut last.warnings);
        done.push(name);
    }
    Ok(EditReply { warnings, ..last })
}

fn unchanged(memory: &Memory, json: bool) -> Outcome {
    if json {
        screen::json(&EditDocument::from(&EditReply {
            memories: vec![memory.clone()],
            ..EditReply::default()
        }))?;
    } else {
        screen::print(&format!("unchanged\t{}\n", one_line(&memory.handle)))?;
    }
    Ok(exit::OK)
}

/// Says what was changed already when a later change failed.
fn partly(failure: Failure, done: &[&str]) -> Failure {
    if done.is_empty() {
        return failure;
    }
    Failure::Within {
        what: format!("{} were changed, the rest was not", done.join(" and ")),
        failure: Box::new(failure),
    }
}

/// Says where the edited file is.
fn kept(failure: Failure, memory: &Memory, file: &Path) -> Failure {
    let (file, handle) = (file.display(), one_line(&memory.handle));
    let what = format!(
        "your edited text is in {file}; when this is solved: helixctl edit {handle} --from {file}"
    );
    Failure::Within {
        what,
        failure: Box::new(failure),
    }
}

fn usage(error: impl std::error::Error) -> Failure {
    Failure::Usage(error.to_string())
}

/// A name that tells editors what it is and people which memory.
fn file_name(memory: &Memory) -> String {
    /// Longest name, in characters.
    const NAME_CHARS_MAX: usize = 80;
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() {
            character
        } else {
            '-'
        }
    };
    let name: String = memory
        .handle
        .chars()
        .take(NAME_CHARS_MAX)
        .map(plain)
        .collect();
    name + ".md"
}
