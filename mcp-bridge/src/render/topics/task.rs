//! The session's changes and the project's checkpoint.

use helix_client::v1::{
    CheckpointReply, KnownSession, LoggedOperation, SessionLogReply, TaskCheckpoint,
};

use super::super::memory::{INDENT, count_of, cut, header};
use super::super::pack::{bounded, pack, packed};
use super::super::{LINE_MAX_CHARS, View};
use crate::server::CONNECTION;
use crate::{clean, dates};

/// Advice about a checkpoint that is too long.
const CHECKPOINT_REST: &str = "save a shorter one";

/// Text of a reply to `session`: the oldest first. What does not fit is the oldest, so that is
/// counted above the others.
pub(crate) fn session(reply: &SessionLogReply, view: &View) -> String {
    let name = match cut(&clean::line(&reply.session), LINE_MAX_CHARS) {
        // The client does not say which session this is.
        name if name.is_empty() => {
            format!(
                "all agents of this project in the last {} hours (this session has no id)",
                reply.recent_hours
            )
        }
        name if name.starts_with(CONNECTION) => {
            "this connection (the client names no session)".to_owned()
        }
        name => format!("session {name}"),
    };
    let lines = reply.activity.iter().flat_map(|activity| &activity.lines);
    let doing = lines.fold(String::new(), |doing, line| {
        doing + &clean::line(line) + "\n"
    });
    if reply.operations.is_empty() {
        return format!("{doing}{name} changed nothing yet");
    }
    let lines: Vec<String> = reply
        .operations
        .iter()
        .map(|one| operation(one, view))
        .collect();
    let total = usize::try_from(reply.total)
        .unwrap_or(usize::MAX)
        .max(lines.len());
    let earlier = match total - fitting(&lines) {
        0 => String::new(),
        earlier => {
            format!("… {earlier} earlier, not listed; recent hours=4 shows what was stored\n")
        }
    };
    let listed = lines
        .get(lines.len() - fitting(&lines)..)
        .unwrap_or_default()
        .join("\n");
    format!(
        "{doing}{name}: {}\n{earlier}{listed}",
        count_of(total, "change", "changes")
    )
}

/// Text of a reply to `session` with `list`: the last active first.
pub(crate) fn sessions(reply: &SessionLogReply, view: &View) -> String {
    if reply.sessions.is_empty() {
        return "no session was heard of in the last hours".to_owned();
    }
    let lines: Vec<String> = reply.sessions.iter().map(|one| known(one, view)).collect();
    let total = usize::try_from(reply.total).unwrap_or(usize::MAX);
    packed(&lines, "\n", total, |missing| {
        format!(
            "{} not listed",
            count_of(missing, "earlier session is", "earlier sessions are")
        )
    })
}

fn known(one: &KnownSession, view: &View) -> String {
    let minute = dates::minute_of(one.last_event_at_us, &view.zone);
    let given = format!(
        "{} given",
        count_of(one.injected as usize, "memory", "memories")
    );
    let project = if one.project_name.is_empty() {
        &one.project
    } else {
        &one.project_name
    };
    // A client may send none.
    let id = if one.session.is_empty() {
        "-".to_owned()
    } else {
        clean::line(&one.session)
    };
    header([
        id,
        minute,
        clean::line(&one.phase),
        given,
        clean::line(project),
    ])
}

/// How many lines from the end fit into an answer.
fn fitting(lines: &[String]) -> usize {
    let newest_first: Vec<String> = lines.iter().rev().cloned().collect();
    pack(&newest_first, "\n").1
}

fn operation(one: &LoggedOperation, view: &View) -> String {
    let minute = dates::minute_of(one.at_us, &view.zone);
    let summary = cut(&clean::line(&one.summary), LINE_MAX_CHARS);
    header([
        minute,
        clean::line(&one.kind),
        clean::line(&one.handle),
        summary,
    ])
}

/// Text of a reply to `checkpoint`.
pub(crate) fn checkpoint_saved(reply: &CheckpointReply) -> String {
    let Some(saved) = &reply.checkpoint else {
        return "the daemon did not say that it saved the checkpoint; action=resume shows whether it did".to_owned();
    };
    let counts = [
        (saved.done.len(), "done"),
        (saved.next.len(), "next"),
        (saved.hypotheses.len(), "hypotheses"),
        (saved.files.len(), "files"),
    ];
    let counts = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"));
    let counts: Vec<String> = counts
        .chain((!saved.blocked.is_empty()).then(|| "blocked".to_owned()))
        .collect();
    let counts = if counts.is_empty() {
        String::new()
    } else {
        format!(" ({})", counts.join(", "))
    };
    let replaced = match clean::line(&reply.replaced) {
        replaced if replaced.is_empty() => replaced,
        replaced => format!("\nit replaced {replaced}; action=resume index=1 shows that one"),
    };
    let saved = task(saved);
    let outcome = format!(
        "checkpoint saved: {saved}{counts}; action=resume loads it in any later session{replaced}"
    );
    let warnings = reply
        .warnings
        .iter()
        .map(|warning| format!("\nnote: {}", clean::line(warning)));
    std::iter::once(outcome).chain(warnings).collect()
}

/// Text of a reply to `resume`.
pub(crate) fn checkpoint_loaded(reply: &CheckpointReply, view: &View) -> String {
    let loaded = match &reply.checkpoint {
        None => {
            "no checkpoint is saved for this project; action=checkpoint task=… saves one".to_owned()
        }
        Some(_) => bounded(&clean::block(&reply.text), CHECKPOINT_REST),
    };
    let line = |(at, one): (usize, &TaskCheckpoint)| {
        format!(
            "\n{INDENT}{at}  {}  {}",
            dates::minute_of(one.saved_at_us, &view.zone),
            task(one)
        )
    };
    let earlier: String = (1..).zip(&reply.earlier).map(line).collect();
    if earlier.is_empty() {
        loaded
    } else {
        format!("{loaded}\n\nearlier ones, which resume index=N shows:{earlier}")
    }
}

/// Text of a reply to `clear_checkpoint`.
pub(crate) fn checkpoint_cleared(reply: &CheckpointReply) -> String {
    match &reply.checkpoint {
        Some(cleared) => format!("checkpoint cleared: {}", task(cleared)),
        None => "no checkpoint was saved for this project; nothing cleared".to_owned(),
    }
}

fn task(checkpoint: &TaskCheckpoint) -> String {
    cut(&clean::line(&checkpoint.task), LINE_MAX_CHARS)
}

#[cfg(test)]
mod tests {
    use helix_client::v1::SessionActivity;

    use super::super::super::samples::{RECORDED_AT_US, utc};
    use super::*;

    fn saved() -> CheckpointReply {
        let checkpoint = TaskCheckpoint {
            task: "Implement Metal attention kernel".to_owned(),
            done: vec![
                "Verified embeddings".to_owned(),
                "Built Q4K matvec".to_owned(),
            ],
            next: vec!["Debug RMSNorm".to_owned()],
            blocked: "Need reference output".to_owned(),
            ..TaskCheckpoint::default()
        };
        let text = "## Checkpoint: Implement Metal attention kernel\n_saved 2h 15m ago_\n\nDone:\n  [x] Verified embeddings\n";
        CheckpointReply {
            checkpoint: Some(checkpoint),
            text: text.to_owned(),
            ..CheckpointReply::default()
        }
    }

    #[test]
    fn a_checkpoint_is_saved_loaded_and_cleared() {
        let bare = CheckpointReply {
            checkpoint: Some(TaskCheckpoint {
                task: "a".to_owned(),
                ..TaskCheckpoint::default()
            }),
            ..CheckpointReply::default()
        };
        let texts = [
            checkpoint_saved(&saved()),
            checkpoint_saved(&bare),
            checkpoint_loaded(&saved(), &utc()),
            checkpoint_cleared(&saved()),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn what_was_replaced_is_told_and_listed() {
        let replaced = CheckpointReply {
            replaced: "Fix the tests (saved 2h ago)".to_owned(),
            ..saved()
        };
        let told = checkpoint_saved(&replaced);
        assert!(
            told.ends_with(
                "\nit replaced Fix the tests (saved 2h ago); action=resume index=1 shows that one"
            ),
            "{told}"
        );
        let earlier = |task: &str| TaskCheckpoint {
            task: task.to_owned(),
            saved_at_us: RECORDED_AT_US,
            ..TaskCheckpoint::default()
        };
        let reply = CheckpointReply {
            earlier: vec![earlier("Fix the tests"), earlier("a\nb")],
            ..saved()
        };
        let told = checkpoint_loaded(&reply, &utc());
        let listed = "earlier ones, which resume index=N shows:\n  1  2026-11-21 22:14  Fix the tests\n  2  2026-11-21 22:14  a b";
        assert!(told.ends_with(listed), "{told}");
    }

    #[test]
    fn no_checkpoint_says_so() {
        let none = CheckpointReply::default();
        let texts = [
            checkpoint_saved(&none),
            checkpoint_loaded(&none, &utc()),
            checkpoint_cleared(&none),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r"
        the daemon did not say that it saved the checkpoint; action=resume shows whether it did
        no checkpoint is saved for this project; action=checkpoint task=… saves one
        no checkpoint was saved for this project; nothing cleared
        ");
    }

    #[test]
    fn a_session_lists_its_changes() {
        let operation = |kind: &str, handle: &str| LoggedOperation {
            at_us: RECORDED_AT_US,
            kind: kind.to_owned(),
            handle: handle.to_owned(),
            summary: "Rust lib must use\u{2028}-arch arm64.".to_owned(),
            ..LoggedOperation::default()
        };
        let operations = vec![
            operation("store", "build/arch"),
            operation("revise", "build/arch"),
        ];
        let lines = vec![
            "Phase: debug".to_owned(),
            "Files: 2 touched, 1 edited".to_owned(),
        ];
        let activity = Some(SessionActivity {
            lines,
            ..SessionActivity::default()
        });
        let session_id = "s-1".to_owned();
        let reply = SessionLogReply {
            session: session_id,
            operations,
            total: 5,
            activity,
            ..SessionLogReply::default()
        };
        insta::assert_snapshot!(session(&reply, &utc()), @r"
        Phase: debug
        Files: 2 touched, 1 edited
        session s-1: 5 changes
        … 3 earlier, not listed; recent hours=4 shows what was stored
        2026-11-21 22:14  store  build/arch  Rust lib must use -arch arm64.
        2026-11-21 22:14  revise  build/arch  Rust lib must use -arch arm64.
        ");
        let of_connection = SessionLogReply {
            session: format!("{CONNECTION}7-1"),
            ..SessionLogReply::default()
        };
        let expected = "this connection (the client names no session) changed nothing yet";
        assert_eq!(session(&of_connection, &utc()), expected);
        let nameless = SessionLogReply {
            recent_hours: 4,
            ..SessionLogReply::default()
        };
        let expected = "all agents of this project in the last 4 hours (this session has no id) changed nothing yet";
        assert_eq!(session(&nameless, &utc()), expected);
    }

    #[test]
    fn sessions_are_listed() {
        let known = |session: &str, project: &str, phase: &str, injected| KnownSession {
            session: session.to_owned(),
            project: project.to_owned(),
            phase: phase.to_owned(),
            last_event_at_us: RECORDED_AT_US,
            injected,
            ..KnownSession::default()
        };
        let named = KnownSession {
            project_name: "billing".into(),
            ..known("s-0", "project:commit:12", "build", 1)
        };
        let all = vec![
            named,
            known("s-1", "project:example.org/helix", "debug", 3),
            known("s\n2", "", "", 0),
            known("", "", "", 0),
        ];
        let reply = SessionLogReply {
            sessions: all,
            total: 5,
            ..SessionLogReply::default()
        };
        insta::assert_snapshot!(sessions(&reply, &utc()), @r"
        s-0  2026-11-21 22:14  build  1 memory given  billing
        s-1  2026-11-21 22:14  debug  3 memories given  project:example.org/helix
        s 2  2026-11-21 22:14  0 memories given
        -  2026-11-21 22:14  0 memories given
        1 earlier session is not listed
        ");
    }
}
