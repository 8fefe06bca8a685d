//! Programs of the user's as backends.

use helix_proto::provider::v1;
use helix_tests::process::await_end;

use crate::harness::{KEY_VARIABLE, Program, Reply, backend, one_pair, server};

/// A shell line as an agent program.
fn agent(line: &str) -> v1::Backend {
    v1::Backend {
        api: "command".to_owned(),
        command: vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()],
        ..v1::Backend::default()
    }
}

/// Takes its question, and answers where Helix's hooks are off.
const ANSWERS: &str = r#"input=$(cat); test "$HELIX_HOOKS" = off || exit 3
case "$input" in *8082*) echo 'Sure: {"items":[{"pair":0,"verdict":"same","confidence":0.5}]}';; *) exit 4;; esac"#;

#[test]
fn an_agent_is_asked_with_its_hooks_off() {
    let mut program = Program::start(vec![agent(ANSWERS)]);
    let answer = program.ask(one_pair());
    assert_eq!(answer.error, "");
    assert_eq!(answer.by, "command/sh");
    assert!(answer.attempts[0].command && !answer.attempts[0].paid);
}

#[test]
fn without_runs_left_it_is_not_started() {
    let mut program = Program::start(vec![agent(ANSWERS)]);
    let answer = program.ask(v1::Ask {
        command_calls_left: 0,
        ..one_pair()
    });
    assert!(answer.error.contains("runs of today"), "{}", answer.error);
    assert!(answer.attempts.is_empty());
}

#[test]
fn one_that_hangs_is_ended_with_all_that_it_started() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pids");
    let line = format!(
        "sleep 600 & echo $! > {0}; echo $$ >> {0}; wait",
        file.display()
    );
    let mut program = Program::start(vec![agent(&line)]);
    let answer = program.ask(v1::Ask {
        deadline_ms: 3_000,
        ..one_pair()
    });
    assert!(answer.error.contains("in time"), "{}", answer.error);
    let pids = std::fs::read_to_string(&file).unwrap();
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        // It was killed and may be about to end.
        await_end(pid.parse().unwrap()).unwrap();
    }
}

#[test]
fn what_fails_or_is_not_there_is_told() {
    for line in ["exit 1", "exec /nowhere/agent"] {
        let mut program = Program::start(vec![agent(line)]);
        let answer = program.ask(one_pair());
        assert!(answer.error.contains("cannot be used"), "{}", answer.error);
    }
}

/// Answers where it finds a key of Helix's.
const NEEDS_KEY: &str = r#"cat > /dev/null; test -n "$HELIX_TEST_PROVIDER_KEY" || exit 3
echo '{"items":[{"pair":0,"verdict":"same","confidence":0.5}]}'"#;

#[test]
fn a_program_is_given_the_key_that_its_section_names_and_no_other() {
    let busy = server(vec![Reply::Of(503, String::new())]);
    let other = backend("openai", "m", &busy);
    let ask = |own: v1::Backend| {
        let mut program = Program::start(vec![other.clone(), own]);
        program.ask(one_pair())
    };
    let mut alone = Program::start(vec![agent(NEEDS_KEY)]);
    let answer = alone.ask(one_pair());
    assert!(answer.error.contains("command/sh"), "{}", answer.error);
    let answer = ask(agent(NEEDS_KEY));
    assert!(answer.error.contains("command/sh"), "{}", answer.error);
    let answer = ask(v1::Backend {
        key_variable: KEY_VARIABLE.to_owned(),
        ..agent(NEEDS_KEY)
    });
    assert_eq!(answer.by, "command/sh", "{}", answer.error);
    assert!(!answer.attempts.iter().any(|one| one.command && one.paid));
}
