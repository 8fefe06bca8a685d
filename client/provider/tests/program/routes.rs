//! Fallback, budget, cache and dry runs.

use std::io::Read;

use helix_proto::provider::v1;
use v1::order::What;

use helix_tests::played::TOKENS;

use crate::harness::{KEY, Program, Reply, SAYS, backend, one_pair, openai, pairs, server};

fn busy(status: u16) -> Reply {
    Reply::Of(status, format!("{{\"error\":\"{KEY}\"}}"))
}

/// Asks a server that answers so, and then one that answers well.
fn fallen_back(bad: Reply, deadline_ms: u32) -> v1::Answer {
    let first = server(vec![bad]);
    let second = server(vec![openai(SAYS)]);
    let mut program = Program::start(vec![
        backend("openai", "first", &first),
        backend("openai", "second", &second),
    ]);
    let answer = program.ask(v1::Ask {
        deadline_ms,
        ..one_pair()
    });
    assert_eq!(first.seen().len(), 1);
    assert_eq!(answer.by, "openai/second", "{answer:?}");
    assert_eq!(answer.judged.len(), 1);
    assert_eq!(answer.attempts.len(), 2);
    assert!(!format!("{answer:?}").contains(KEY));
    answer
}

#[test]
fn the_next_one_is_asked_where_one_does_not_answer() {
    for (bad, says) in [
        (busy(429), "429"),
        (busy(500), "500"),
        (busy(503), "503"),
        (busy(401), "check its key"),
        (Reply::CutOff, "reached"),
        (Reply::Of(200, "{\"choices\":[".to_owned()), "no answer"),
        (Reply::Of(200, "<html>".to_owned()), "no answer"),
        (openai("I would rather not."), "no answer"),
        (openai("{\"items\":[{\"pair\":9}]}"), "no answer"),
        (openai("{\"verdict\":\"same\"}"), "no answer"),
    ] {
        let answer = fallen_back(bad, 60_000);
        let failure = &answer.attempts[0].failure;
        assert!(failure.contains(says), "{says}: {failure}");
    }
}

#[test]
fn one_that_hangs_leaves_the_next_its_time() {
    let answer = fallen_back(Reply::Hang, 4_000);
    let late = &answer.attempts[0];
    assert!(late.failure.contains("in time"), "{late:?}");
    assert_eq!(late.tokens_in + late.tokens_out, 0, "{late:?}");
}

#[test]
fn what_is_no_answer_counts_by_what_it_took() {
    let silent = r#"{"choices":[{"message":{"content":null}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#;
    for (bad, tokens) in [
        (busy(429), 0),
        (busy(502), 0),
        (busy(400), 0),
        (Reply::CutOff, 0),
        (Reply::Of(200, "<html>".to_owned()), 0),
        (Reply::Of(200, "{\"choices\":[]}".to_owned()), 0),
        (Reply::Of(200, silent.to_owned()), 11),
        (openai("I would rather not."), TOKENS.0 + TOKENS.1),
    ] {
        let said = format!("{bad:?}");
        let attempt = fallen_back(bad, 60_000).attempts.remove(0);
        assert_eq!(attempt.tokens_in + attempt.tokens_out, tokens, "{said}");
    }
}

#[test]
fn a_model_at_two_addresses_is_asked_at_both() {
    let first = server(vec![busy(429)]);
    let second = server(vec![openai(SAYS)]);
    let mut program = Program::start(vec![
        backend("openai", "m", &first),
        backend("openai", "m", &second),
    ]);
    assert_eq!(program.ask(one_pair()).by, "openai/m (2)");
}

#[test]
fn a_budget_of_nothing_is_named() {
    let server = server(vec![openai(SAYS)]);
    let mut program = Program::start(vec![backend("openai", "m", &server)]);
    let unpaid = |dry_run| v1::Ask {
        paid_tokens_left: 0,
        paid_calls_off: true,
        dry_run,
        ..one_pair()
    };
    for dry_run in [false, true] {
        let answer = program.ask(unpaid(dry_run));
        assert!(answer.error.contains("budget is 0"), "{answer:?}");
        assert!(answer.would_send.is_empty(), "{answer:?}");
    }
    assert!(server.seen().is_empty());
}

#[test]
fn one_that_asks_to_be_left_alone_is() {
    let first = server(vec![busy(429)]);
    let second = server(vec![openai(SAYS)]);
    let mut program = Program::start(vec![
        backend("openai", "first", &first),
        backend("openai", "second", &second),
    ]);
    program.ask(one_pair());
    let other = pairs(&[("a listens on 1", "a listens on 2")]);
    assert_eq!(program.ask(other).by, "openai/second");
    assert_eq!(first.seen().len(), 1);
    assert_eq!(second.seen().len(), 2);
}

#[test]
fn a_truncated_answer_costs_its_last_item_alone() {
    let said = "{\"items\":[{\"pair\":0,\"verdict\":\"same\",\"confidence\":1},{\"pair\":1,\"ver";
    let server = server(vec![openai(said)]);
    let mut program = Program::start(vec![backend("openai", "m", &server)]);
    let answer = program.ask(pairs(&[("a", "b"), ("c", "d")]));
    assert_eq!(answer.judged.len(), 1);
    assert_eq!(answer.malformed, 1);
}

#[test]
fn without_a_budget_nobody_is_paid_and_free_ones_are_asked() {
    let paid = server(vec![openai(SAYS)]);
    let free = server(vec![openai(SAYS)]);
    let own = v1::Backend {
        key_variable: String::new(),
        ..backend("openai", "own", &free)
    };
    let mut program = Program::start(vec![backend("openai", "gpt-4o-mini", &paid), own]);
    let answer = program.ask(v1::Ask {
        paid_tokens_left: 0,
        paid_calls_off: true,
        ..one_pair()
    });
    assert_eq!(answer.by, "openai/own");
    assert!(paid.seen().is_empty());
    assert!(!free.seen()[0].contains(KEY));
    assert_eq!(answer.attempts[0].cost_micro_usd, 0);
}

#[test]
fn the_same_question_is_paid_for_once() {
    let server = server(vec![openai(SAYS)]);
    let mut program = Program::start(vec![backend("openai", "gpt-4o-mini", &server)]);
    let first = program.ask(one_pair());
    assert_eq!(first.attempts[0].cost_micro_usd, 48);
    let second = program.ask(one_pair());
    assert!(second.cached && second.attempts.is_empty());
    assert_eq!(second.judged, first.judged);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_dry_run_tells_all_and_asks_nobody() {
    let server = server(vec![openai(SAYS)]);
    let mut program = Program::start(vec![backend("openai", "m", &server)]);
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let answer = program.ask(v1::Ask {
        dry_run: true,
        ..pairs(&[(&secret, "billing listens on 8082")])
    });
    let sent = &answer.would_send[0];
    assert!(
        sent.body.contains("billing listens on 8082"),
        "{}",
        sent.body
    );
    assert!(!sent.body.contains(&secret) && !sent.body.contains(KEY));
    assert!(server.seen().is_empty());
}

#[test]
fn the_end_of_the_input_ends_the_program_in_the_middle_of_a_call() {
    let server = server(vec![Reply::Hang]);
    let mut program = Program::start(vec![backend("openai", "m", &server)]);
    program.send(What::Ask(one_pair()));
    drop(program.child.stdin.take());
    let mut rest = Vec::new();
    let mut output = program.child.stdout.take().unwrap();
    output.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
    assert!(program.child.wait().unwrap().success());
}
