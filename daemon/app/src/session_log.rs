//! `SessionLog`: what one session changed, from the history read backwards; or which sessions there
//! are.

mod list;

use helix_engine::{Operation, OperationKind, StoreError};
use helix_memory::{Memory, Origin, Scope, Sequence, Timestamp};
use helix_redact::redacted;

pub use self::list::{KnownSession, list};

use crate::limit::Limit;
use crate::session_id::{self, LOOKED_AT_MAX, SECONDS_OF_HOUR, SESSION_MAX};
use crate::work::activity::Activity;
use crate::work::told as work;
use crate::{App, Asker, Refusal, history};

/// Operations or sessions shown.
const LIMIT: Limit = Limit {
    default: 100,
    max: 1_000,
};

/// An operation of a session.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Its place in the history.
    pub sequence: Sequence,
    /// When it was committed.
    pub at: Timestamp,
    /// Its effect.
    pub kind: OperationKind,
    /// The handle of the memory that it changed.
    pub handle: String,
    /// The first line of that memory.
    pub summary: String,
    /// Who did it.
    pub agent: String,
}

/// A session's present activity.
#[derive(Clone, Debug)]
pub struct Doing {
    /// Its activity, as its hooks told.
    pub activity: Activity,
    /// Failing commands and tests, in a line each.
    pub failing: Vec<String>,
    /// How many memories it has in its context.
    pub injected: usize,
    /// All of it for people, one line for each thing.
    pub lines: Vec<String>,
}

/// A session's past work.
#[derive(Clone, Debug)]
pub struct Log {
    /// The session; empty where none is meant.
    pub session: String,
    /// Its operations, oldest first.
    pub operations: Vec<Logged>,
    /// How many operations there are.
    pub total: usize,
    /// Its present activity, where its hooks told.
    pub doing: Option<Doing>,
    /// How many hours back was looked where no session bounds it, else 0.
    pub recent_hours: u64,
}

/// Lists the operations of a session, oldest first; the newest ones when there are more than the
/// limit.
///
/// `given` is its id or the beginning of one; empty for the asker's. A `limit` of 0 is the usual
/// one.
///
/// # Errors
/// When the limit is too large, no session or several are meant, or the disk fails.
pub fn session_log(app: &App, asker: &Asker, given: &str, limit: u32) -> Result<Log, Refusal> {
    let limit = LIMIT.read(limit)?;
    let session = match given {
        // It may have done nothing yet; one that somebody names is there or not.
        "" => asker.actor.session.clone(),
        given => session_id::resolve(app, given, [])?,
    };
    let wanted = Wanted::new(session, asker, app.memory.now());
    let snapshot = app.memory.strand.snapshot()?;
    let line = |memory: &Memory| history::seen_line(app, memory);
    let (operations, total) = collect(snapshot.operations_backwards()?, &wanted, limit, line)?;
    let recent_hours = wanted.recent_hours();
    let session = wanted.into_session();
    let doing = doing(app, &session);
    Ok(Log {
        session,
        operations,
        total,
        doing,
        recent_hours,
    })
}

/// Returns a session's activity, where its hooks told.
fn doing(app: &App, session: &str) -> Option<Doing> {
    let activity = app.hooks.sessions.activity(session, app.memory.now())?;
    let injected = app.hooks.sessions.given_count(session);
    let mut lines = work::described(&activity, app.memory.now());
    lines.push(format!(
        "Injected: {injected} {}",
        if injected == 1 { "memory" } else { "memories" }
    ));
    let failing = activity
        .failing
        .iter()
        .map(|failing| redacted(&failing.line()).into_owned())
        .collect();
    Some(Doing {
        activity,
        failing,
        injected,
        lines,
    })
}

/// Whose operations are looked for.
enum Wanted {
    /// Those of this session.
    Session(String),
    /// Those of any agent in the caller's project, since a time; to a person, everybody's.
    Recent {
        asker: Asker,
        scopes: Vec<Scope>,
        since: Timestamp,
    },
}

impl Wanted {
    fn new(session: String, asker: &Asker, now: Timestamp) -> Self {
        if !session.is_empty() {
            return Self::Session(session);
        }
        Self::Recent {
            scopes: asker.scopes(),
            asker: asker.clone(),
            since: session_start(now),
        }
    }

    /// How far back is looked where no session bounds it.
    fn recent_hours(&self) -> u64 {
        match self {
            Self::Session(_) => 0,
            Self::Recent { .. } => SESSION_MAX.as_secs() / SECONDS_OF_HOUR,
        }
    }

    /// Returns whether this and every earlier operation is too old.
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

/// The earliest that a session which is not over was heard of last: without a session's id, what
/// was done before is another's.
fn session_start(now: Timestamp) -> Timestamp {
    let idle_us = i64::try_from(SESSION_MAX.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(idle_us))
}

/// Gathers the newest `limit` wanted operations, oldest first, and counts all of them.
fn collect(
    operations: impl Iterator<Item = Result<Operation, StoreError>>,
    wanted: &Wanted,
    limit: usize,
    line: impl Fn(&Memory) -> String,
) -> Result<(Vec<Logged>, usize), StoreError> {
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
        let Some(memory) = operation.memory()? else {
            continue;
        };
        if !wanted.is_about(&memory) {
            continue;
        }
        total += 1;
        if logged.len() < limit {
            logged.push(logged_of(operation, &memory, line(&memory)));
        }
    }
    logged.reverse();
    Ok((logged, total))
}

fn logged_of(operation: Operation, memory: &Memory, summary: String) -> Logged {
    Logged {
        sequence: operation.sequence,
        at: operation.at,
        kind: operation.kind,
        handle: memory.handle.as_str().to_owned(),
        summary,
        agent: operation.actor.agent,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;
    use std::sync::Arc;

    use helix_engine::{MemoryStorage, Request, Strand};
    use helix_memory::{Actor, Draft, Kinds};

    use super::*;
    use crate::project::Project;
    use helix_memory::Admitted;

    const HOUR_US: i64 = 3_600_000_000;

    fn actor(origin: Origin, session: &str) -> Actor {
        Actor {
            origin,
            agent: "tests".into(),
            session: session.into(),
            ..Actor::default()
        }
    }

    fn store(text: &str, actor: Actor, project: &str, hours: i64) -> Request {
        let draft = Draft {
            topic: "log".into(),
            text: text.into(),
            ..Draft::default()
        };
        let admitted = Box::new(
            Admitted::of(draft, &Scope::Project(project.into()), &Kinds::default()).unwrap(),
        );
        Request::Store {
            words: Box::new(Strand::read_words(&admitted)),
            admitted,
            links: Vec::new(),
            stamps: None,
            force: true,
            corrects: Vec::new(),
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
            writer
                .commit(vec![store(text, actor(origin, session), project, hours)])
                .unwrap();
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
            let wanted = Wanted::new(
                session.to_owned(),
                &asker(origin),
                Timestamp::from_micros(10 * HOUR_US),
            );
            let (found, total) = collect(
                snapshot.operations_backwards().unwrap(),
                &wanted,
                limit,
                |memory| memory.text.clone(),
            )
            .unwrap();
            (
                found
                    .into_iter()
                    .map(|operation| operation.summary)
                    .collect::<Vec<_>>(),
                total,
            )
        };
        let log = |session: &str, limit| log_of(Origin::Agent, session, limit);
        assert_eq!(
            log("", 10),
            (vec!["oldest".to_owned(), "newest".to_owned()], 2)
        );
        let of_all = ["oldest", "by a person", "newest"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(log_of(Origin::User, "", 10), (of_all, 3));
        assert_eq!(log("", 1), (vec!["newest".to_owned()], 2));
        let of_session = ["oldest", "by a person", "elsewhere"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(log("s", 10), (of_session, 3));
        assert_eq!(log("unknown", 10), (Vec::new(), 0));
    }
}
