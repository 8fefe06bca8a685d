//! Which sessions there are: those that hooks told of, and those that changed something without a hook.

use std::collections::HashMap;

use helix_app::Refusal;
use helix_engine::model::{MemoryNumber, Scope, Timestamp};
use helix_engine::store::{Operation, StoreError};
use helix_proto::v1;

use super::{LOOKED_AT_MAX, session_start};
use crate::runtime::Runtime;

/// Lists sessions, the last active first.
pub(super) fn list(runtime: &Runtime, limit: usize) -> Result<v1::SessionLogReply, Refusal> {
    let now = runtime.now();
    let changed =
        runtime.app.memory.strand.snapshot().and_then(|snapshot| changed(snapshot.operations_backwards()?, now));
    let mut sessions = changed.map_err(|error| Refusal::of(error.kind(), &error))?;
    for known in runtime.app.hooks.sessions.known(now) {
        let session = sessions.entry(known.key.clone()).or_insert_with(|| empty(&known.key));
        known.phase.name().clone_into(&mut session.phase);
        session.last_event_at_us = session.last_event_at_us.max(known.last_event_at.as_micros());
        session.injected = u32::try_from(known.given.len()).unwrap_or(u32::MAX);
        if let Some(place) = known.place {
            (session.project, session.project_name) = (place.scope, place.name);
        } else if session.project.is_empty() {
            session.project = project_of(runtime, &known.given);
        }
    }
    let mut sessions: Vec<v1::KnownSession> = sessions.into_values().collect();
    sessions.sort_by(|a, b| b.last_event_at_us.cmp(&a.last_event_at_us).then_with(|| a.session.cmp(&b.session)));
    let total = u32::try_from(sessions.len()).unwrap_or(u32::MAX);
    sessions.truncate(limit);
    Ok(v1::SessionLogReply { sessions, total, ..v1::SessionLogReply::default() })
}

/// Sessions by their changes since the earliest that a session may have begun to be idle.
fn changed(
    operations: impl Iterator<Item = Result<Operation, StoreError>>,
    now: Timestamp,
) -> Result<HashMap<String, v1::KnownSession>, StoreError> {
    let mut sessions: HashMap<String, v1::KnownSession> = HashMap::new();
    let since = session_start(now);
    for operation in operations.take(LOOKED_AT_MAX) {
        let operation = operation?;
        if operation.at < since {
            break;
        }
        let name = &operation.actor.session;
        if name.is_empty() {
            continue;
        }
        let session = sessions.entry(name.clone()).or_insert_with(|| empty(name));
        session.last_event_at_us = session.last_event_at_us.max(operation.at.as_micros());
        if session.project.is_empty()
            && let scope @ Scope::Project(_) = operation.memory()?.scope
        {
            session.project = scope.to_string();
        }
    }
    Ok(sessions)
}

fn empty(session: &str) -> v1::KnownSession {
    v1::KnownSession { session: session.to_owned(), ..v1::KnownSession::default() }
}

/// The project of the newest given memory that belongs to one.
fn project_of(runtime: &Runtime, given: &[MemoryNumber]) -> String {
    let catalog = runtime.app.memory.strand.catalog();
    let scopes = given.iter().filter_map(|number| catalog.row(*number)).map(|row| catalog.scope_of(row));
    scopes.into_iter().find(|scope| scope.starts_with("project:")).map(str::to_owned).unwrap_or_default()
}
