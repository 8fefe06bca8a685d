//! `SessionLog`: what one session changed, from the history read backwards; or which sessions there are.

mod list;

use helix_app::Refusal;
use helix_app::limit::Limit;
use helix_engine::model::{Memory, Origin, Scope, Timestamp};
use helix_engine::neutral::one_line;
use helix_engine::store::{Operation, StoreError};
use helix_engine::surface::work;
use helix_proto::v1;
use helix_redact::redacted;

use super::session_id::{self, LOOKED_AT_MAX, SECONDS_OF_HOUR, SESSION_MAX};
use crate::runtime::{Asker, Runtime};

/// Operations or sessions shown.
const LIMIT: Limit = Limit { default: 100, max: 1_000 };

/// Characters of a memory's first line.
const SUMMARY_MAX_CHARS: usize = 120;

/// Lists the operations of a session, oldest first; the newest ones when there are more than the limit.
pub(super) fn session_log(runtime: &Runtime, request: &v1::SessionLogRequest) -> Result<v1::SessionLogReply, Refusal> {
    let limit = LIMIT.read(request.limit)?;
    if request.list {
        return list::list(runtime, limit);
    }
    let asker = runtime.asker(request.caller.as_ref());
    let session = match request.session.as_str() {
        // It may have done nothing yet; one that somebody names is there or not.
        "" => asker.actor.session.clone(),
        given => session_id::resolve(runtime, given, [])?,
    };
    let wanted = Wanted::new(session, &asker, runtime.now());
    let read = runtime.app.memory.strand.snapshot().and_then(|snapshot| {
        let operations = snapshot.operations_backwards()?;
        collect(operations, &wanted, limit)
    });
    let (operations, total) = read.map_err(|error| Refusal::of(error.kind(), &error))?;
    let recent_hours = wanted.recent_hours();
    let session = wanted.into_session();
    let activity = activity(runtime, &session);
    let sessions = Vec::new();
    Ok(v1::SessionLogReply { session, operations, total, activity, sessions, recent_hours })
}

/// What a session is doing, where its hooks told.
fn activity(runtime: &Runtime, session: &str) -> Option<v1::SessionActivity> {
    let known = runtime.app.hooks.sessions.activity(session, runtime.now())?;
    let injected = u32::try_from(runtime.app.hooks.sessions.given_count(session)).unwrap_or(u32::MAX);
    let mut lines = work::described(&known, runtime.now());
    lines.push(format!("Injected: {injected} {}", if injected == 1 { "memory" } else { "memories" }));
    let last = known.last_run.clone().unwrap_or_default();
    Some(v1::SessionActivity {
        last_run: known.last_run.as_ref().map(|last| last.tool.clone()),
        has_last_run_succeeded: last.has_succeeded,
        last_run_at_us: last.at_us,
        phase: known.current_phase().name().to_owned(),
        injected,
        focus: known.focus().into_iter().map(str::to_owned).collect(),
        failing: known.failing.iter().map(|failing| redacted(&failing.line()).into_owned()).collect(),
        mended: known.mended,
        touched: known.touched,
        edited: known.edited,
        lines,
    })
}

/// Whose operations are looked for.
enum Wanted {
    /// Those of this session.
    Session(String),
    /// Those of any agent in the caller's project, since a time; to a person, everybody's.
    Recent { asker: Asker, scopes: Vec<Scope>, since: Timestamp },
}

impl Wanted {
    fn new(session: String, asker: &Asker, now: Timestamp) -> Self {
        if !session.is_empty() {
            return Self::Session(session);
        }
        Self::Recent { scopes: asker.scopes(), asker: asker.clone(), since: session_start(now) }
    }

    /// How far back is looked where no session bounds it.
    fn recent_hours(&self) -> u32 {
        match self {
            Self::Session(_) => 0,
            Self::Recent { .. } => u32::try_from(SESSION_MAX.as_secs() / SECONDS_OF_HOUR).unwrap_or(u32::MAX),
        }
    }

    /// Whether this and every earlier operation is too old.
    fn ends_at(&self, operation: &Operation) -> bool {
        match self {
            Self::Session(_) => false,
            Self::Recent { since, .. } => operation.at < *since,
        }
    }

    fn is_by(&self, operation: &Operation) -> bool {
        match self {
            Self::Session(session) => operation.actor.session == *session,
            Self::Recent { asker, .. } => {
                let asker = asker.actor.origin;
                asker == Origin::User || operation.actor.origin == asker
            }
        }
    }

    fn is_about(&self, memory: &Memory) -> bool {
        match self {
            Self::Session(_) => true,
            Self::Recent { scopes, .. } => scopes.contains(&memory.scope),
        }
    }

    fn into_session(self) -> String {
        match self {
            Self::Session(session) => session,
            Self::Recent { .. } => String::new(),
        }
    }
}

/// The earliest that a session which is not over was heard of last: without a session's id, what was done before is another's.
fn session_start(now: Timestamp) -> Timestamp {
    let idle_us = i64::try_from(SESSION_MAX.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(idle_us))
}

/// Gathers the newest `limit` wanted operations, oldest first, and counts all of them.
fn collect(
    operations: impl Iterator<Item = Result<Operation, StoreError>>,
    wanted: &Wanted,
    limit: usize,
) -> Result<(Vec<v1::LoggedOperation>, u32), StoreError> {
    let mut logged = Vec::new();
    let mut total = 0;
    for operation in operations.take(LOOKED_AT_MAX) {
        let operation = operation?;
        if wanted.ends_at(&operation) {
            break;
        }
        if !wanted.is_by(&operation) {
            continue;
        }
        let memory = operation.memory()?;
        if !wanted.is_about(&memory) {
            continue;
        }
        total += 1;
        if logged.len() < limit {
            logged.push(to_wire(operation, &memory));
        }
    }
    logged.reverse();
    Ok((logged, total))
}

fn to_wire(operation: Operation, memory: &Memory) -> v1::LoggedOperation {
    let first_line = memory.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    v1::LoggedOperation {
        sequence: operation.sequence.0,
        at_us: operation.at.as_micros(),
        kind: operation.kind.name().to_owned(),
        handle: memory.handle.as_str().to_owned(),
        summary: one_line(first_line, SUMMARY_MAX_CHARS),
        agent: operation.actor.agent,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;
    use std::sync::Arc;

    use helix_engine::model::{Actor, Draft, Kinds};
    use helix_engine::policy::admit::admit;
    use helix_engine::store::MemoryStorage;
    use helix_engine::strand::{Request, Strand};

    use super::*;
    use helix_app::project::Project;

    const HOUR_US: i64 = 3_600_000_000;

    fn actor(origin: Origin, session: &str) -> Actor {
        Actor { origin, agent: "tests".into(), session: session.into() }
    }

    fn store(text: &str, actor: Actor, project: &str, hours: i64) -> Request {
        let draft = Draft { topic: "log".into(), text: text.into(), ..Draft::default() };
        let admitted = Box::new(admit(draft, &Scope::Project(project.into()), &Kinds::default()).unwrap());
        Request::Store {
            words: Box::new(Strand::read_words(&admitted)),
            admitted,
            links: Vec::new(),
            stamps: None,
            force: true,
            entropy: [7; 10],
            actor,
            at: Timestamp::from_micros(hours * HOUR_US),
        }
    }

    #[test]
    fn without_a_session_the_last_hours_of_the_project_count() {
        let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
        for (text, origin, session, project, hours) in [
            ("too old", Origin::Agent, "", "here", 5),
            ("oldest", Origin::Agent, "s", "here", 6),
            ("by a person", Origin::User, "s", "here", 7),
            ("elsewhere", Origin::Agent, "s", "there", 8),
            ("newest", Origin::Agent, "", "here", 9),
        ] {
            writer.commit(vec![store(text, actor(origin, session), project, hours)]).unwrap();
        }
        let project = Project {
            scope: Scope::Project("here".into()),
            root: PathBuf::new(),
            name: "here".into(),
            aliases: Vec::new(),
        };
        let project = Arc::new(project);
        let asker = |origin| Asker {
            actor: actor(origin, ""),
            project: Arc::clone(&project),
            cwd: PathBuf::new(),
            zone: jiff::tz::TimeZone::UTC,
        };
        let snapshot = strand.snapshot().unwrap();
        let log_of = |origin, session: &str, limit| {
            let wanted = Wanted::new(session.to_owned(), &asker(origin), Timestamp::from_micros(10 * HOUR_US));
            let (found, total) = collect(snapshot.operations_backwards().unwrap(), &wanted, limit).unwrap();
            (found.into_iter().map(|operation| operation.summary).collect::<Vec<_>>(), total)
        };
        let log = |session: &str, limit| log_of(Origin::Agent, session, limit);
        assert_eq!(log("", 10), (vec!["oldest".to_owned(), "newest".to_owned()], 2));
        let of_all = ["oldest", "by a person", "newest"].map(str::to_owned).to_vec();
        assert_eq!(log_of(Origin::User, "", 10), (of_all, 3));
        assert_eq!(log("", 1), (vec!["newest".to_owned()], 2));
        let of_session = ["oldest", "by a person", "elsewhere"].map(str::to_owned).to_vec();
        assert_eq!(log("s", 10), (of_session, 3));
        assert_eq!(log("unknown", 10), (Vec::new(), 0));
    }
}
