//! The `prompt` event: memories that bear on what the user says.

use helix_engine::recall::relevance::Occasion;
use helix_engine::strand::ReadError;
use helix_engine::surface::prompt::question;

use super::relevant::{self, Reader};
use super::{Context, Given};

/// Memories that one prompt gets.
const MEMORIES_MAX: usize = 3;

/// Gives the memories; `None` for small talk and when none is relevant.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Some(question) = question(&context.input.prompt) else { return Ok(None) };
    let memories = relevant::find(context, &question, Occasion::Prompt, MEMORIES_MAX, Reader::Session)?;
    let injection = context.frame("On what the user asks:", &[], &memories);
    Ok(Given::of(injection, &memories).if_any())
}
