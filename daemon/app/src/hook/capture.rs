//! Sessions that end or rest are put into the queue of those that are distilled, where somebody
//! switched that on. Nothing is read here.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use helix_capture::read::Format;

use super::Context;
use super::dialect::Dialect;
use crate::capture::ended::{Ended, Remedy, standing};
use crate::work::incident::Incident;

/// How often a remedy has to have helped: once may be chance.
const HELPED_MIN: u32 = 2;

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
    app.hooks.captures.put(Ended {
        session: session.clone(),
        transcript: transcript.to_owned(),
        format: format(context, transcript),
        directory,
        since: Instant::now(),
        is_over,
    });
}

/// Puts a remedy into the queue that helped often enough to be worth a memory. Mistakes that one
/// success mended are what one output told in several lines: the line that tells most stands for
/// all.
pub(super) fn propose(context: &Context<'_>, mended: &[Incident]) {
    let root = context.project.root.to_string_lossy();
    let proven = mended
        .iter()
        .filter_map(|incident| incident.proven(HELPED_MIN, &root));
    let Some(statement) = proven.max_by_key(|statement| statement.chars().count()) else {
        return;
    };
    context.app.hooks.captures.propose(Remedy {
        statement,
        project: Arc::clone(&context.project),
        session: context.input.session_id.clone(),
    });
}

/// How the client writes its transcripts.
fn format(context: &Context<'_>, transcript: &Path) -> Format {
    let is_lines = transcript.extension().is_some_and(|end| end == "jsonl");
    match context.dialect {
        Dialect::Claude => Format::ClaudeCode,
        Dialect::Codex => Format::Codex,
        Dialect::Cursor => Format::Cursor,
        Dialect::Gemini if is_lines => Format::Gemini,
        Dialect::Gemini => Format::GeminiDocument,
    }
}
