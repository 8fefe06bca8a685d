//! Compares new statements with known ones on the labelled pairs: a supersession takes a memory out
//! of use, so hardly any may be wrong.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::{Statement, Verdict, relate};

#[derive(Deserialize)]
struct Pair {
    old: String,
    new: String,
    label: String,
}

/// Precision of supersessions, at least.
const PRECISION_MIN: f64 = 0.97;

/// Share of the supersessions that must be found.
const RECALL_MIN: f64 = 0.45;

/// Share of the contradictions that must be right.
const CONTRADICTION_PRECISION_MIN: f64 = 0.9;

/// Share of the pairs of changes of which somebody is told.
const CHANGES_TOLD_MIN: f64 = 0.9;

fn pairs() -> Vec<Pair> {
    let mut pairs = read("memory-pairs.json");
    pairs.extend(read("memory-pairs-changes.json"));
    pairs.extend(read("memory-pairs-amended.json"));
    pairs.extend(read("memory-pairs-objects.json"));
    pairs
}

fn read(file: &str) -> Vec<Pair> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let text = fs::read_to_string(fixtures.join(file)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn verdict(pair: &Pair) -> Verdict {
    relate(&Statement::of(&pair.old), &Statement::of(&pair.new))
}

#[test]
fn supersessions_are_certain() {
    let pairs = pairs();
    let is_said = |pair: &&Pair| matches!(verdict(pair), Verdict::Supersedes(_));
    let said: Vec<&Pair> = pairs.iter().filter(is_said).collect();
    let wrong: Vec<String> = said
        .iter()
        .filter(|pair| pair.label != "supersedes")
        .map(|pair| format!("{} | {} | {}", pair.label, pair.old, pair.new))
        .collect();
    let all = pairs
        .iter()
        .filter(|pair| pair.label == "supersedes")
        .count();
    let right = said.len() - wrong.len();
    #[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
    let (precision, recall) = (right as f64 / said.len() as f64, right as f64 / all as f64);
    assert!(precision >= PRECISION_MIN, "{precision} {wrong:#?}");
    assert!(recall >= RECALL_MIN, "{recall}");
}

#[test]
fn contradictions_are_rarely_wrong() {
    let pairs = pairs();
    let is_said = |pair: &&Pair| matches!(verdict(pair), Verdict::Contradicts(_));
    let said: Vec<&Pair> = pairs.iter().filter(is_said).collect();
    let is_right = |pair: &&&Pair| ["contradicts", "supersedes"].contains(&pair.label.as_str());
    let right = said.iter().filter(is_right).count();
    let wrong: Vec<String> = said
        .iter()
        .filter(|pair| !is_right(pair))
        .map(|pair| {
            format!(
                "{:?} {} | {} | {}",
                verdict(pair),
                pair.label,
                pair.old,
                pair.new
            )
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
    let precision = right as f64 / said.len() as f64;
    assert!(precision >= CONTRADICTION_PRECISION_MIN, "{wrong:#?}");
}

#[test]
fn changes_are_told() {
    let is_due = |pair: &Pair| ["contradicts", "supersedes"].contains(&pair.label.as_str());
    let is_told = |pair: &Pair| {
        matches!(
            verdict(pair),
            Verdict::Supersedes(_) | Verdict::Contradicts(_)
        )
    };
    let mut told = read("memory-pairs-changes.json");
    told.extend(read("memory-pairs-amended.json"));
    let due: Vec<Pair> = told.into_iter().filter(is_due).collect();
    let missed: Vec<String> = due
        .iter()
        .filter(|pair| !is_told(pair))
        .map(|pair| format!("{} | {}", pair.old, pair.new))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
    let share = 1.0 - missed.len() as f64 / due.len() as f64;
    assert!(share >= CHANGES_TOLD_MIN, "{missed:#?}");
}

/// Shares of the pairs of advice, of things that have many values and of parts that ended that are
/// told where they contradict, and where they do not.
const FAVOURED_TOLD_MIN: f64 = 0.5;
const FAVOURED_FALSE_MAX: f64 = 0.1;

#[test]
fn advice_values_of_many_and_parts_are_told_apart() {
    let is_due = |pair: &Pair| ["contradicts", "supersedes"].contains(&pair.label.as_str());
    let is_told = |pair: &&Pair| {
        matches!(
            verdict(pair),
            Verdict::Supersedes(_) | Verdict::Contradicts(_)
        )
    };
    let (due, stand): (Vec<Pair>, Vec<Pair>) = read("memory-pairs-favoured.json")
        .into_iter()
        .partition(is_due);
    let wrong = |pairs: &[Pair], told: bool| -> Vec<String> {
        let wrong = pairs.iter().filter(|pair| is_told(pair) == told);
        wrong
            .map(|pair| format!("{} | {}", pair.old, pair.new))
            .collect()
    };
    let (missed, untrue) = (wrong(&due, false), wrong(&stand, true));
    #[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
    let share = |part: &[String], whole: &[Pair]| part.len() as f64 / whole.len() as f64;
    assert!(
        1.0 - share(&missed, &due) >= FAVOURED_TOLD_MIN,
        "{missed:#?}"
    );
    assert!(share(&untrue, &stand) <= FAVOURED_FALSE_MAX, "{untrue:#?}");
}

/// Share of the supersessions of whole notes, of parts of notes and of sorts of things that are
/// right, and of those that are due and found.
const WHOLE_PRECISION_MIN: f64 = 0.7;
const WHOLE_RECALL_MIN: f64 = 0.35;

#[test]
fn what_ends_in_part_takes_no_place() {
    let pairs = read("memory-pairs-whole.json");
    let is_superseded = |pair: &&Pair| matches!(verdict(pair), Verdict::Supersedes(_));
    let (right, wrong): (Vec<&Pair>, Vec<&Pair>) = pairs
        .iter()
        .filter(is_superseded)
        .partition(|pair| pair.label == "supersedes");
    let due = pairs.iter().filter(|pair| pair.label == "supersedes");
    #[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    let untrue: Vec<String> = wrong
        .iter()
        .map(|pair| format!("{} | {}", pair.old, pair.new))
        .collect();
    assert!(
        share(right.len(), right.len() + wrong.len()) >= WHOLE_PRECISION_MIN,
        "{untrue:#?}"
    );
    assert!(share(right.len(), due.count()) >= WHOLE_RECALL_MIN);
}

/// Share of the pairs of questions, conditions, hearsay and other subjects that supersede all the
/// same, at most.
const MOODS_FALSE_MAX: f64 = 0.03;

/// Share of the changes that are told in like words of which somebody hears, and of which it takes
/// the place.
const MOODS_TOLD_MIN: f64 = 0.65;
const MOODS_SUPERSEDED_MIN: f64 = 0.4;

#[test]
fn what_is_asked_or_supposed_or_said_of_another_ends_nothing() {
    let is_due = |pair: &Pair| pair.label == "supersedes";
    let (due, stand): (Vec<Pair>, Vec<Pair>) = read("memory-pairs-moods.json")
        .into_iter()
        .partition(is_due);
    let is_superseded = |pair: &&Pair| matches!(verdict(pair), Verdict::Supersedes(_));
    let untrue: Vec<String> = stand
        .iter()
        .filter(is_superseded)
        .map(|pair| format!("{} | {}", pair.old, pair.new))
        .collect();
    let superseded = due.iter().filter(is_superseded).count();
    let told = due.iter().filter(|pair| verdict(pair) != Verdict::Apart);
    #[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
    let share = |part: usize, whole: &[Pair]| part as f64 / whole.len() as f64;
    assert!(
        share(untrue.len(), &stand) <= MOODS_FALSE_MAX,
        "{untrue:#?}"
    );
    assert!(share(told.count(), &due) >= MOODS_TOLD_MIN);
    assert!(
        share(superseded, &due) >= MOODS_SUPERSEDED_MIN,
        "{superseded}"
    );
}
