//! Which sessions there are: those that hooks told of, and those that changed something without a
//! hook.

use std::collections::HashMap;

use helix_engine::{Operation, StoreError};
use helix_memory::{MemoryNumber, Scope, Timestamp};

use super::{LIMIT, LOOKED_AT_MAX, session_start};
use crate::work::activity::Phase;
use crate::{App, Refusal};

/// A session that is not over, as far as anybody knows.
#[derive(Clone, Debug)]
pub struct KnownSession {
    /// Its id.
    pub session: String,
    /// The scope of its project; empty when unknown.
    pub project: String,
    /// The name of its project; empty when unknown.
    pub project_name: String,
    /// Its phase, where its hooks told.
    pub phase: Option<Phase>,
    /// When it was heard of last.
    pub last_event_at: Timestamp,
    /// How many memories it has in its context.
    pub injected: usize,
}

/// Lists sessions, the last active first.
///
/// Returns them and how many there are; a `limit` of 0 is the usual one.
///
/// # Errors
/// When the limit is too large, or the disk fails.
pub fn list(app: &App, limit: u32) -> Result<(Vec<KnownSession>, usize), Refusal> {
    let limit = LIMIT.read(limit)?;
    let now = app.memory.now();
    let mut sessions = changed(app.memory.strand.snapshot()?.operations_backwards()?, now)?;
    for known in app.hooks.sessions.known(now) {
        let session = sessions
            .entry(known.key.clone())
            .or_insert_with(|| empty(&known.key));
        session.phase = Some(known.phase);
        session.last_event_at = session.last_event_at.max(known.last_event_at);
        session.injected = known.given.len();
        if let Some(place) = known.place {
            (session.project, session.project_name) = (place.scope, place.name);
        } else if session.project.is_empty() {
            session.project = project_of(app, &known.given);
        }
    }
    let mut sessions: Vec<KnownSession> = sessions.into_values().collect();
    sessions.sort_by(|a, b| {
        b.last_event_at
            .cmp(&a.last_event_at)
            .then_with(|| a.session.cmp(&b.session))
    });
    let total = sessions.len();
    sessions.truncate(limit);
    Ok((sessions, total))
}

/// Sessions by their changes since the earliest that a session may have begun to be idle.
fn changed(
    operations: impl Iterator<Item = Result<Operation, StoreError>>,
    now: Timestamp,
) -> Result<HashMap<String, KnownSession>, StoreError> {
    let mut sessions: HashMap<String, KnownSession> = HashMap::new();
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
        session.last_event_at = session.last_event_at.max(operation.at);
        if session.project.is_empty()
            && let Some(memory) = operation.memory()?
            && matches!(memory.scope, Scope::Project(_))
        {
            session.project = memory.scope.to_string();
        }
    }
    Ok(sessions)
}

fn empty(session: &str) -> KnownSession {
    KnownSession {
        session: session.to_owned(),
        project: String::new(),
        project_name: String::new(),
        phase: None,
        last_event_at: Timestamp::from_micros(0),
        injected: 0,
    }
}

/// The project of the newest given memory that belongs to one.
fn project_of(app: &App, given: &[MemoryNumber]) -> String {
    let catalog = app.memory.strand.catalog();
    let scopes = given
        .iter()
        .filter_map(|number| catalog.row(*number))
        .map(|row| catalog.scope_of(row));
    scopes
        .into_iter()
        .find(|scope| scope.starts_with("project:"))
        .map(str::to_owned)
        .unwrap_or_default()
}
