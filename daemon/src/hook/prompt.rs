//! The `prompt` event: memories that bear on what the user says, and on the files that the prompt attaches.

use std::path::Path;

use helix_engine::model::Memory;
use helix_engine::recall::relevance::Occasion;
use helix_engine::strand::ReadError;
use helix_engine::surface::prompt::{attached, question};

use super::relevant::{self, Reader};
use super::{Context, Given, ambient};

/// Memories that one prompt gets, and with those about the files that it attaches.
const MEMORIES_MAX: usize = 3;
const WITH_FILES_MAX: usize = 5;

/// Attached files that are looked at.
const ATTACHED_MAX: usize = 4;

/// Gives the memories; `None` for small talk and when none is relevant.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let mut memories = match question(&context.input.prompt) {
        Some(question) => relevant::find(context, &question, Occasion::Prompt, MEMORIES_MAX, Reader::Session)?,
        None => Vec::new(),
    };
    add_about_attached(context, &mut memories)?;
    memories.truncate(WITH_FILES_MAX);
    let injection = context.frame("On what the user asks:", &[], &memories);
    Ok(Given::of(injection, &memories).if_any())
}

/// Adds what is known about the files that the prompt attaches: no other event tells of their being read.
fn add_about_attached(context: &Context<'_>, memories: &mut Vec<Memory>) -> Result<(), ReadError> {
    for name in attached(&context.input.prompt).iter().take(ATTACHED_MAX) {
        for memory in ambient::known_of(context, &Path::new(&context.input.cwd).join(name))? {
            if !memories.iter().any(|known| known.number == memory.number) {
                memories.push(memory);
            }
        }
    }
    Ok(())
}
