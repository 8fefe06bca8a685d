//! Sessions that end or rest are put into the queue of those that are distilled, where somebody
//! switched that on. Nothing is read here.

use std::path::Path;
use std::time::Instant;

use helix_capture::read::Format;

use super::Context;
use super::dialect::Dialect;
use crate::capture::ended::{Ended, standing};

/// Puts the event's session into the queue. `is_over` says that no turn follows soon.
pub(super) fn queue(context: &Context<'_>, is_over: bool) {
    let (app, input) = (context.app, context.input);
    let Some(transcript) = context.transcript() else {
        return;
    };
    // A subagent's work is told in its session.
    if !context.is_real() || !input.agent_id.is_empty() {
        return;
    }
    let directory = input.directory(&context.request.project_dir);
    let (home, session) = (&context.home, &input.session_id);
    if !standing(app, home, &directory, session).is_on {
        return;
    }
    let Some(format) = format(context, transcript) else {
        return;
    };
    app.hooks.captures.put(Ended {
        session: session.clone(),
        transcript: transcript.to_owned(),
        format,
        directory,
        since: Instant::now(),
        is_over,
    });
}

/// How the client writes its transcripts.
fn format(context: &Context<'_>, transcript: &Path) -> Option<Format> {
    let is_lines = transcript.extension().is_some_and(|end| end == "jsonl");
    match context.dialect {
        Dialect::Claude => Some(Format::ClaudeCode),
        Dialect::Codex => Some(Format::Codex),
        Dialect::Cursor => Some(Format::Cursor),
        Dialect::Gemini if is_lines => Some(Format::Gemini),
        Dialect::Gemini => Some(Format::GeminiDocument),
    }
}
