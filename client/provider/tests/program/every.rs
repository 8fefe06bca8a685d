//! What holds for every protocol.

use helix_proto::provider::v1;
use helix_tests::played::{APIS, TOKENS, says};

use crate::harness::{KEY, Program, Reply, SAYS, backend, one_pair, openai, pairs, server};

/// Asks a server that speaks a protocol and answers so, and then one that answers well.
fn fallen_back(api: &str, bad: Reply, deadline_ms: u32) -> v1::Answer {
    let (first, second) = (server(vec![bad]), server(vec![openai(SAYS)]));
    let mut program = Program::start(vec![
        backend(api, "first", &first),
        backend("openai", "second", &second),
    ]);
    let answer = program.ask(v1::Ask {
        deadline_ms,
        ..one_pair()
    });
    assert_eq!(first.seen().len(), 1, "{api}");
    assert_eq!(answer.by, "openai/second", "{api}: {answer:?}");
    assert_eq!(answer.judged.len(), 1, "{api}");
    assert!(!format!("{answer:?}").contains(KEY), "{api}");
    answer
}

fn failure(api: &str, bad: Reply, deadline_ms: u32) -> String {
    let answer = fallen_back(api, bad, deadline_ms);
    answer.attempts[0].failure.clone()
}

#[test]
fn errors_have_the_next_one_asked() {
    let error = || format!("{{\"error\":{{\"message\":\"{KEY}\"}}}}");
    for api in APIS {
        for status in [429, 500, 502, 503, 529] {
            let failure = failure(api, Reply::Of(status, error()), 60_000);
            assert!(failure.contains(&status.to_string()), "{api}: {failure}");
        }
        for status in [400, 401, 404] {
            let failure = failure(api, Reply::Of(status, error()), 60_000);
            assert!(failure.contains("check its key"), "{api}: {failure}");
        }
    }
}

#[test]
fn slowness_has_the_next_one_asked() {
    for api in APIS {
        let answer = fallen_back(api, Reply::Hang, 3_000);
        let late = &answer.attempts[0];
        assert!(late.failure.contains("in time"), "{api}: {late:?}");
        assert_eq!(late.tokens_in + late.tokens_out, 0, "{api}: {late:?}");
    }
}

#[test]
fn nonsense_has_the_next_one_asked() {
    for api in APIS {
        let nonsense = [
            Reply::Of(200, "<html>".to_owned()),
            Reply::Of(200, "{}".to_owned()),
            Reply::Of(200, "[]".to_owned()),
            Reply::Of(200, "null".to_owned()),
            says(api, "\"I would rather not.\""),
            says(api, "{\"items\":7}"),
            says(api, "{\"items\":[{\"pair\":9}]}"),
            says(api, "{\"verdict\":\"same\"}"),
        ];
        for bad in nonsense {
            let shown = format!("{bad:?}");
            let failure = failure(api, bad, 60_000);
            assert!(failure.contains("no answer"), "{api}, {shown}: {failure}");
        }
        let failure = failure(api, Reply::CutOff, 60_000);
        assert!(failure.contains("reached"), "{api}: {failure}");
    }
}

#[test]
fn malformed_items_are_dropped_and_good_ones_kept() {
    let said = r#"{"items":[
        {"pair":0,"verdict":"same","confidence":0.8},
        {"pair":1,"verdict":"perhaps","confidence":0.8},
        {"pair":7,"verdict":"same","confidence":0.8},
        {"pair":1,"verdict":"replaces","confidence":"high"},
        "same"]}"#;
    for api in APIS {
        let server = server(vec![says(api, said)]);
        let mut program = Program::start(vec![backend(api, "m", &server)]);
        let answer = program.ask(pairs(&[("a", "b"), ("c", "d")]));
        assert_eq!(answer.error, "", "{api}");
        assert_eq!(answer.judged.len(), 1, "{api}");
        assert_eq!(answer.malformed, 4, "{api}");
        let attempt = &answer.attempts[0];
        assert_eq!((attempt.tokens_in, attempt.tokens_out), TOKENS, "{api}");
    }
}

#[test]
fn the_same_question_goes_out_once_and_none_goes_out_without_a_budget() {
    for api in APIS {
        let server = server(vec![says(api, SAYS)]);
        let mut program = Program::start(vec![backend(api, "m", &server)]);
        let refused = program.ask(v1::Ask {
            paid_tokens_left: 0,
            ..one_pair()
        });
        assert!(refused.error.contains("budget"), "{api}: {}", refused.error);
        assert!(server.seen().is_empty(), "{api}");
        let first = program.ask(one_pair());
        assert!(!first.cached, "{api}");
        // What is known costs nothing.
        let second = program.ask(v1::Ask {
            paid_tokens_left: 0,
            ..one_pair()
        });
        assert!(second.cached, "{api}");
        assert_eq!(second.judged, first.judged, "{api}");
        assert_eq!(server.seen().len(), 1, "{api}");
    }
}
