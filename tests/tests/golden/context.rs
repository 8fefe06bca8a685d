//! `context`: what matters now.

use serde_json::json;

use super::world::World;

#[test]
fn what_matters_now() {
    let mut world = World::with_corpus();
    world.say("context", json!({}));
    world.say("context", json!({"budget_tokens": "200"}));
    world.say(
        "context",
        json!({"query": "a daemon that does not start", "budget_tokens": 400}),
    );
    world.say("context", json!({"query": "zebra"}));
    world.say("context", json!({"scope": "global"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn the_whole_answer_stays_within_the_budget() {
    let mut world = World::with_corpus();
    for budget in [50, 75, 100, 150, 333, 1_000, 2_500, 5_000] {
        for query in ["", "a daemon that does not start", "zebra"] {
            let told =
                world.do_silently("context", &json!({"query": query, "budget_tokens": budget}));
            assert!(
                told.chars().count() <= 4 * budget,
                "{} characters for {budget} tokens: {told}",
                told.chars().count()
            );
        }
    }
    // A larger budget holds more.
    let [small, large] = [400, 2_000].map(|budget| {
        world
            .do_silently("context", &json!({"budget_tokens": budget}))
            .len()
    });
    assert!(small < large, "{small} {large}");
}

#[test]
fn one_text_is_packed_once() {
    let mut world = World::empty();
    let text = "Walrus caches are filled at the start.";
    for topic in ["cache", "start"] {
        world.say(
            "store",
            json!({"topic": topic, "text": text, "force": true, "terse": true}),
        );
    }
    for arguments in [json!({}), json!({"query": "walrus caches"})] {
        let told = world.say("context", arguments);
        assert_eq!(told.matches(text).count(), 1, "{told}");
    }
}

#[test]
fn everything_that_is_left_out_counts() {
    let mut world = World::empty();
    let entry = |number: usize| json!({"topic": "parts", "text": format!("part{number} fits")});
    let entries: Vec<_> = (0..500).map(entry).collect();
    world.do_silently("batch", &json!({"entries": entries, "force": true}));
    for budget in [200, 1_500, 5_000] {
        let told = world.do_silently("context", &json!({"budget_tokens": budget}));
        let shown = told.matches(" fits").count();
        assert!(
            told.contains(&format!("\n{} more did not fit; ", 500 - shown)),
            "{told}"
        );
        assert!(
            4 * budget - told.chars().count() < 250,
            "the budget is not used: {told}"
        );
    }
}

#[test]
fn nothing_is_known_yet() {
    let mut world = World::empty();
    world.say("context", json!({}));
    world.say("context", json!({"query": "a daemon that does not start"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn what_agents_stored_comes_unasked() {
    let mut world = World::empty();
    for (topic, text, importance) in [
        (
            "release",
            "decision: releases are cut from main on Mondays, because nobody is away then.",
            0.9,
        ),
        (
            "release",
            "gotcha: the signing key expires in March; renew it in February.",
            0.8,
        ),
        ("build", "convention: warnings are errors in CI.", 0.5),
        ("build", "fact: a clean build takes four minutes.", 0.2),
    ] {
        world.say(
            "store",
            json!({"topic": topic, "text": text, "importance": importance, "terse": true}),
        );
    }
    world.say("context", json!({}));
    world.say("context", json!({"budget_tokens": 50}));
    world.say("context", json!({"query": "signing a release"}));
    insta::assert_snapshot!(world.told());
}
