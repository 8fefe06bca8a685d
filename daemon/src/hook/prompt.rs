//! The `prompt` event: memories that bear on what the user says.

use helix_engine::strand::ReadError;
use helix_engine::surface::inject::{Content, INJECTION_MAX_TOKENS, frame};
use helix_engine::surface::prompt::question;

use super::relevant::{self, Reader};
use super::{Context, Given};
use crate::sources::HOOK_READ_MAX_BYTES;

/// Memories that one prompt gets.
const MEMORIES_MAX: usize = 3;

/// Least relevance of a memory for a prompt.
const RELEVANCE_MIN: f32 = 0.5;

/// Gives the memories; `None` for small talk and when none is relevant.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Some(question) = question(&context.input.prompt) else { return Ok(None) };
    let memories = relevant::find(context, &question, RELEVANCE_MIN, MEMORIES_MAX, Reader::Session)?;
    let injection = frame(
        &Content {
            heading: "On what the user asks:",
            notes: &[],
            memories: &memories,
            sources: &context.runtime.sources.look(&context.project, HOOK_READ_MAX_BYTES),
        },
        INJECTION_MAX_TOKENS,
    );
    Ok(Given::of(injection, &memories).if_any())
}
