//! What agents and tools report of a session without a hook: noted where hooks note it.

use std::collections::HashSet;

use helix_engine::StoreError;
use helix_memory::Scope;
use helix_redact::redacted;
use helix_terminal::fault::sightings;
use jiff::tz::TimeZone;

use crate::App;
use crate::work::activity::Activity;
use crate::work::incident::Failure;

/// Something that happened in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reported<'r> {
    Begun,
    Opened(&'r str),
    Ran,
    Ended,
}

/// Notes it in the session's activity.
pub(crate) fn note(app: &App, session: &str, reported: Reported<'_>) {
    let (sessions, now) = (&app.hooks.sessions, app.memory.now());
    match reported {
        Reported::Begun => sessions.meet(session, now),
        Reported::Opened(file) => {
            let file = redacted(file);
            sessions.work(session, now, false, |activity| activity.read(&file));
        }
        Reported::Ran => sessions.work(session, now, false, Activity::command),
        Reported::Ended => sessions.heard(session, now),
    }
}

/// Returns what helped before against the mistakes that an output tells of: `fixed before by …`.
///
/// # Errors
/// When the disk fails.
pub(crate) fn remedy(
    app: &App,
    scope: &Scope,
    output: &str,
    tool: &str,
    zone: &TimeZone,
) -> Result<Option<String>, StoreError> {
    let seen = sightings(output);
    let lines: HashSet<u64> = seen.iter().flat_map(|seen| seen.said.clone()).collect();
    let failure = Failure {
        lines: &lines,
        output,
        tool,
        files: &[],
    };
    for sighting in &seen {
        let incidents = &app.hooks.incidents;
        let known = incidents.known(&app.memory.strand, scope, sighting)?;
        let told = known.as_ref().and_then(|incident| incident.remedy(failure));
        if let Some(told) = told {
            return Ok(Some(told.shown(zone)));
        }
    }
    Ok(None)
}
