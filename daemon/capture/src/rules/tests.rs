use super::*;
use crate::KnownTexts;
use crate::testing::{command, edit, turn};

fn facts(slices: &[Slice]) -> Vec<String> {
    let found = Rules::default().extract(slices, &KnownTexts::default());
    found.into_iter().map(|candidate| candidate.text).collect()
}

#[test]
fn a_statement_names_its_slice() {
    let mut slice = turn(Speaker::User, "we never squash merges in this repo");
    slice.place.line = 7;
    slice.at = Some(1);
    let found = Rules::default().extract(&[slice], &KnownTexts::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, "convention");
    assert_eq!(found[0].text, "We never squash merges in this repo.");
    assert_eq!(found[0].evidence[0].place.line, 7);
    assert_eq!(found[0].evidence[0].at, Some(1));
    assert!(found[0].is_said_by_user);
}

#[test]
fn a_correction_of_a_command_is_a_convention() {
    let slices = [
        command("npm install", "added 3 packages", 0),
        turn(Speaker::User, "no, use pnpm"),
    ];
    assert_eq!(facts(&slices), ["Use pnpm (instead of `npm install`)."]);
}

#[test]
fn one_fact_is_kept_once() {
    let slices = [
        turn(Speaker::User, "never log the IBAN of a customer"),
        turn(Speaker::User, "as I said: never log the IBAN of a customer"),
    ];
    assert_eq!(facts(&slices).len(), 1);
}

#[test]
fn what_is_known_is_not_kept() {
    let slices = [turn(Speaker::User, "never log the IBAN of a customer")];
    let known = KnownTexts::new(["Never log the IBAN of a customer."]);
    assert_eq!(Rules::default().extract(&slices, &known), []);
}

#[test]
fn a_session_has_few_facts_and_a_long_one_more() {
    let rules = [
        "never log the IBAN of a customer",
        "always run `make lint` before a push",
        "we decided to keep Postgres for the ledger",
        "from now on name branches after their ticket",
        "don't ever write to the replica by hand",
        "the importer must never hold two locks",
        "I prefer short answers without a summary",
    ];
    let said = |rule: &&str| turn(Speaker::User, rule);
    let mut slices: Vec<Slice> = rules.iter().map(said).collect();
    assert_eq!(facts(&slices).len(), 5);
    let extraction = Rules::default().extract_from(&slices, 0, &KnownTexts::default());
    assert_eq!(extraction.left_out, 2);
    slices.extend((0..40).map(|_| turn(Speaker::Assistant, "ok")));
    assert_eq!(facts(&slices).len(), 6);
}

#[test]
fn what_was_read_earlier_only_explains() {
    let slices = [
        turn(
            Speaker::User,
            "never log the IBAN of a customer, see `audit.rs`",
        ),
        turn(Speaker::User, "it must always stay append-only"),
    ];
    let extraction = Rules::default().extract_from(&slices, 1, &KnownTexts::default());
    assert_eq!(extraction.slices, 1);
    assert_eq!(extraction.dropped, 0);
    assert_eq!(extraction.candidates.len(), 1);
    assert_eq!(
        extraction.candidates[0].text,
        "`audit.rs` must always stay append-only."
    );
}

#[test]
fn a_fix_and_what_was_found_out_are_two_facts() {
    let failed = "FAILED tests/test_money.py::test_total - AssertionError: assert 12.35 == 12.34\n1 failed, 8 passed in 0.31s";
    let slices = [
        turn(Speaker::User, "the money test is red, please fix it"),
        command("pytest tests/test_money.py", failed, 1),
        turn(
            Speaker::Assistant,
            "Turns out `quantize` rounds half to even by default, so totals differ by a cent.",
        ),
        edit(
            "src/money.py",
            "-    total.quantize(CENT)\n+    total.quantize(CENT, rounding=ROUND_HALF_UP)",
        ),
        command("pytest tests/test_money.py", "9 passed in 0.28s", 0),
        turn(Speaker::Assistant, "All tests pass now."),
    ];
    let facts = facts(&slices);
    assert!(
        facts
            .iter()
            .any(|fact| fact.contains("rounds half to even")),
        "{facts:?}"
    );
    assert!(
        facts.iter().any(|fact| fact.contains("fixed by changing")),
        "{facts:?}"
    );
}
