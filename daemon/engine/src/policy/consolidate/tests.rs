#![allow(clippy::unwrap_used)]
use super::*;

fn verdict(known: &str, new: &str) -> Verdict {
    relate(&Statement::of(known), &Statement::of(new))
}

#[test]
fn every_pattern_compiles() {
    Rules::read().unwrap();
}

#[test]
fn what_ended_is_superseded() {
    for (known, new) in [
        (
            "the build uses npm",
            "we switched from npm to pnpm for the build",
        ),
        (
            "Use npm for the web app",
            "The web app uses pnpm instead of npm",
        ),
        (
            "Deploy the billing web app with Capistrano",
            "Capistrano is gone: the billing web app is deployed with Kamal",
        ),
    ] {
        assert_eq!(
            verdict(known, new),
            Verdict::Supersedes(Why::Ended),
            "{new}"
        );
    }
    assert_eq!(
        verdict("api runs on port 3000", "api now runs on port 4000"),
        Verdict::Supersedes(Why::Number)
    );
}

#[test]
fn two_values_without_a_word_of_change_contradict() {
    assert_eq!(
        verdict("billing listens on 8081", "billing listens on 8082"),
        Verdict::Contradicts(Why::Number)
    );
    assert_eq!(
        verdict("payments is owned by Priya", "payments is owned by Omar"),
        Verdict::Contradicts(Why::Value)
    );
}

#[test]
fn other_subjects_stand_apart() {
    for (known, new) in [
        ("billing listens on 8081", "search listens on 8082"),
        (
            "The search web app is built with npm.",
            "We switched the billing web app from npm to pnpm.",
        ),
        (
            "The Tromsø rack's NTP source is 10.8.0.1.",
            "After the move of the Bergen rack the NTP source of the tide gauges is 10.9.0.1, not 10.8.0.1 anymore.",
        ),
        (
            "The invoice-renderer service listens on port 8301.",
            "The invoice-mailer service listens on port 8302.",
        ),
        (
            "We chose Flutter for the gym app.",
            "The gym app no longer collects the advertising id.",
        ),
    ] {
        assert_eq!(verdict(known, new), Verdict::Apart, "{new}");
    }
}

#[test]
fn a_text_with_more_extends() {
    assert_eq!(
        verdict(
            "Priya maintains the speech frontend",
            "Priya maintains the speech frontend since March, and Lorenzo is her stand-in"
        ),
        Verdict::Extends
    );
}
