//! One change asked for, and what became of it.

use helix_client::v1;
use helix_client::v1::edit_request::Action;
use helix_proto::exit;

use crate::context::Context;
use crate::document::EditDocument;
use crate::failure::{Failure, Outcome};
use crate::text::one_line;
use crate::{render, screen};

/// Asks for a change and says what changed, with a word for what was done.
pub(super) fn run(context: &Context, json: bool, done: &str, action: Action) -> Outcome {
    run_on(context, json, done, action, None)
}

/// The same, while the one memory that is meant has this sequence.
pub(super) fn run_on(
    context: &Context,
    json: bool,
    done: &str,
    action: Action,
    sequence: Option<u64>,
) -> Outcome {
    let reply = send(context, action, sequence)?;
    if json {
        screen::json(&EditDocument::from(&reply))?;
    } else {
        warn(&reply);
    }
    refuse_several(context, &reply, json)?;
    if !json {
        screen::print(&render::changed(context.screen.look, done, &reply))?;
    }
    Ok(exit::OK)
}

/// Sends one change, once: a change that was made although its answer got lost must not be made
/// again.
pub(super) fn send(
    context: &Context,
    action: Action,
    expected_sequence: Option<u64>,
) -> Result<v1::EditReply, Failure> {
    let request = v1::EditRequest {
        caller: Some(context.caller()),
        action: Some(action),
        expected_sequence,
    };
    context.ask_at_most_once(async |rpc| rpc.edit(request.clone()).await)
}

/// Fails when the target meant several memories, after listing them.
pub(super) fn refuse_several(
    context: &Context,
    reply: &v1::EditReply,
    json: bool,
) -> Result<(), Failure> {
    let several = reply.candidates.len();
    if several == 0 {
        return Ok(());
    }
    if !json {
        screen::print(&render::candidates(context.screen.look, &reply.candidates))?;
    }
    let fit = match reply.candidates_total {
        0 => format!("{several} memories fit"),
        total => format!("{total} memories fit, of which {several} are shown"),
    };
    Err(Failure::Usage(format!(
        "{fit}; nothing was changed; name one by its handle"
    )))
}

/// Passes on what the daemon wants known.
pub(super) fn warn(reply: &v1::EditReply) {
    for warning in &reply.warnings {
        screen::remark(&format!("helixctl: {}", one_line(warning)));
    }
}
