//! Changes taken back, and what is said of it.

use helix_client::text::memory::count_of;
use helix_client::v1;

use crate::context::Context;
use crate::document::RevertDocument;
use crate::failure::Failure;
use crate::text::one_line;
use crate::{render, screen};

/// Asks what would change.
pub(super) fn preview(
    context: &Context,
    request: &v1::RevertRequest,
) -> Result<v1::RevertReply, Failure> {
    let request = v1::RevertRequest {
        preview: true,
        ..request.clone()
    };
    context.ask(async |rpc| rpc.revert(request.clone()).await)
}

/// Has it done, once: what was done although its answer got lost must not be done again.
pub(super) fn take_back(
    context: &Context,
    request: &v1::RevertRequest,
) -> Result<v1::RevertReply, Failure> {
    context.ask_at_most_once(async |rpc| rpc.revert(request.clone()).await)
}

/// Prints what was, or would be, changed.
pub(super) fn show(context: &Context, reply: &v1::RevertReply, json: bool) -> Result<(), Failure> {
    if json {
        return screen::json(&RevertDocument::from(reply));
    }
    let look = context.screen.look;
    screen::print(&render::log(look, &reply.reverted))?;
    screen::print(&render::changes(look, &reply.memories, &reply.edges))?;
    for note in &reply.notes {
        screen::remark(&format!("helixctl: {}", one_line(note)));
    }
    Ok(())
}

/// How much changes.
pub(super) fn extent(reply: &v1::RevertReply) -> String {
    let memories = count_of(reply.memories_total, "memory", "memories");
    match reply.edges_total {
        0 => memories,
        edges => format!("{memories} and {}", count_of(edges, "edge", "edges")),
    }
}

/// How to undo what was done.
pub(super) fn remark_done(reply: &v1::RevertReply, done: &str) {
    let how = match reply.sequence {
        0 => String::new(),
        sequence => format!("; take it back with: helixctl undo {sequence}"),
    };
    screen::remark(&format!("helixctl: {done}{how}"));
}
