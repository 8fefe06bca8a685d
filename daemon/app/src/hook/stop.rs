//! The `stop` event: a reminder to store what a session found out the hard way. It makes the
//! conversation go on, so it comes once a session at most, and only where there is something to
//! store and nothing was.

use std::time::Duration;

use helix_engine::ReadError;
use helix_memory::Origin;
use helix_surface::inject::Injection;

use super::{Context, Given};

/// Failed commands that a session mended before its work counts as a find.
const MENDED_MIN: u32 = 1;

/// Files that a session changed, or failures in a row of what it mended, before its work counts as
/// a find.
const EFFORT_MIN: usize = 3;

/// Operations of the history that are looked through for one by this session, from the newest.
const LOOKED_AT_MAX: usize = 2_000;

/// How long ago another agent session may have stored what is this one's to count.
const STORED_LATELY: Duration = Duration::from_hours(1);

/// Gives the reminder; `None` where it is not worth a turn.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let input = context.input;
    // A conversation that goes on because of a hook must be able to end, and a subagent reports to
    // its caller.
    if !context.app.hooks.options.stop_reminder
        || input.stop_hook_active
        || !input.agent_id.is_empty()
    {
        return Ok(None);
    }
    let Some(activity) = context
        .app
        .hooks
        .sessions
        .activity(&input.session_id, context.now)
    else {
        return Ok(None);
    };
    let was_hard =
        activity.edited.len() >= EFFORT_MIN || activity.most_failures as usize >= EFFORT_MIN;
    let is_find = activity.mended >= MENDED_MIN && was_hard;
    context.trace.note("stop", || {
        format!(
            "{} files changed, {} failures mended: {} to store",
            activity.edited.len(),
            activity.mended,
            if is_find { "something" } else { "nothing" }
        )
    });
    if activity.is_reminded || !is_find || has_stored(context)? {
        return Ok(None);
    }
    context.work_and_keep(true, |activity| activity.is_reminded = true);
    let note = format!(
        "Helix: this session mended what failed and changed {} {}, and stored nothing. If something of it would save time next \
         time (a gotcha, a decision, a fix), store it now with the Helix tool `store`, in one or two sentences; if not, just end.",
        activity.edited.len(),
        if activity.edited.len() == 1 {
            "file"
        } else {
            "files"
        }
    );
    // Helix says it itself, so it stands outside of the frame for stored notes.
    Ok(Given::of(Injection::own(&note), &[]).if_any())
}

/// Returns whether the session changed any memory. A client's tools may be started with the id of a
/// session that is over, or with none: what such a session stored in the project lately is this
/// one's too.
fn has_stored(context: &Context<'_>) -> Result<bool, ReadError> {
    let session = &context.input.session_id;
    let lately = context
        .now
        .as_micros()
        .saturating_sub(i64::try_from(STORED_LATELY.as_micros()).unwrap_or(i64::MAX));
    for operation in context
        .app
        .memory
        .strand
        .snapshot()?
        .operations_backwards()?
        .take(LOOKED_AT_MAX)
    {
        let operation = operation?;
        let actor = &operation.actor;
        if actor.session == *session {
            return Ok(true);
        }
        let is_stray = actor.origin == Origin::Agent
            && operation.at.as_micros() >= lately
            && !context
                .app
                .hooks
                .sessions
                .goes_on_after(&actor.session, operation.at);
        if is_stray
            && operation.memory().is_ok_and(|memory| {
                memory.is_some_and(|memory| memory.scope == context.project.scope)
            })
        {
            return Ok(true);
        }
    }
    Ok(false)
}
