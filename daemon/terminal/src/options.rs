//! Options with which a run does as much as without them: it is the same command then. All others
//! may narrow it, so that its success says nothing. They are in `tools.toml`.

use std::ops::Range;

use super::command::{PLACE, Run, has, options};

/// What an option changes of a run that does as much with it as without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// What is told, in which order it is done, and whether it ends with the first failure.
    Report,
    /// How it is done, and how much goes on at once.
    Way,
}

/// An option among the words of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Free {
    /// Its places, with its value.
    pub(crate) at: Range<usize>,
    pub(crate) effect: Effect,
}

/// Values of options that say how much, beside numbers.
const AMOUNTS: &[&str] = &["auto", "logical", "max"];

/// Values that may stand behind an option that needs none.
const SWITCHED: &[&str] = &["true", "false", "always", "never"];

/// Finds the options of a run with which it does as much as without them.
pub(crate) fn free(run: &Run) -> Vec<Free> {
    if helix_ablation::is_off("command/options") {
        return Vec::new();
    }
    let words = run.own_words();
    let mut found = Vec::new();
    let mut at = 1;
    while at < words.len() {
        let free = free_at(words, at);
        at = free.as_ref().map_or(at + 1, |free| free.at.end);
        found.extend(free);
    }
    found
}

/// Returns whether two runs do the same, but for what they tell.
#[must_use]
pub fn does_alike(one: &Run, other: &Run) -> bool {
    let done = |run: &Run| {
        let mut free = free(run);
        free.retain(|free| free.effect == Effect::Report);
        let is_done = |(at, word): &(usize, &String)| {
            *word != "--" && !free.iter().any(|free| free.at.contains(at))
        };
        run.words
            .iter()
            .enumerate()
            .filter(is_done)
            .map(|(_, word)| word.clone())
            .collect::<Vec<_>>()
    };
    one.words.first() == other.words.first() && done(one) == done(other)
}

/// The option at a place, if it is a free one.
fn free_at(words: &[String], at: usize) -> Option<Free> {
    let known = options();
    let word = words.get(at)?;
    let (name, value) = parts(word);
    let next = words
        .get(at + 1)
        .map(String::as_str)
        .filter(|_| value.is_none());
    let is_in = |known: &[String]| has(known, name) || has(known, word);
    let (effect, value_behind) = if is_in(&known.report) {
        (Effect::Report, next.filter(|next| SWITCHED.contains(next)))
    } else if is_in(&known.report_value) {
        (Effect::Report, next.filter(|next| is_value(next)))
    } else if is_in(&known.pace) {
        (Effect::Way, next.filter(|next| is_amount(next)))
    } else if is_in(&known.way) {
        (Effect::Way, None)
    } else if is_in(&known.way_value) {
        (Effect::Way, next.filter(|next| is_value(next)))
    } else {
        return None;
    };
    Some(Free {
        at: at..at + 1 + usize::from(value_behind.is_some()),
        effect,
    })
}

/// The name of an option, and the value in the same word: `--jobs=8`, `-j8`.
fn parts(word: &str) -> (&str, Option<&str>) {
    if let Some((name, value)) = word.split_once('=') {
        return (name, Some(value));
    }
    let is_number = |value: &str| !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    match word.split_at_checked(2) {
        Some((name, value)) if name.starts_with('-') && is_number(value) => (name, Some(value)),
        _ => (word, None),
    }
}

/// Returns whether a word may be an option's value. That of a run's place is none of its own.
fn is_value(word: &str) -> bool {
    !word.starts_with('-') && !word.starts_with(PLACE)
}

/// Returns whether a word says how much.
fn is_amount(word: &str) -> bool {
    AMOUNTS.contains(&word) || word.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::command::run_of;
    use super::*;

    /// The words that are free, and what each changes.
    fn of(line: &str) -> Vec<(String, Effect)> {
        let run = run_of(line).unwrap();
        free(&run)
            .into_iter()
            .map(|free| (run.words[free.at].join(" "), free.effect))
            .collect()
    }

    fn all(effect: Effect, table: &[(&str, &[&str])]) {
        for (line, words) in table {
            let expected: Vec<_> = words
                .iter()
                .map(|word| ((*word).to_owned(), effect))
                .collect();
            assert_eq!(of(line), expected, "{line}");
        }
    }

    #[test]
    fn what_only_changes_what_is_told_is_known() {
        all(
            Effect::Report,
            &[
                ("pytest -v --tb short tests", &["-v", "--tb short"]),
                ("pytest --maxfail=1 tests", &["--maxfail=1"]),
                (
                    "cargo test -vv a --color always -- --nocapture -q",
                    &["-vv", "--color always", "--nocapture", "-q"],
                ),
                ("cargo run -q --bin app -- -v", &["-q"]),
                (
                    "npm test -- --verbose --watch=false a",
                    &["--verbose", "--watch=false"],
                ),
                ("npx jest --bail --coverage a", &["--bail", "--coverage"]),
                ("npx tsc --pretty false a.ts", &["--pretty false"]),
                ("npx tsc --pretty a.ts", &["--pretty"]),
            ],
        );
    }

    #[test]
    fn what_changes_the_way_is_known() {
        all(
            Effect::Way,
            &[
                (
                    "cargo test --features a --release",
                    &["--features a", "--release"],
                ),
                ("make -j all", &["-j"]),
                ("make -j8 all", &["-j8"]),
                ("make -j 1", &["-j 1"]),
                ("cargo test -- --test-threads=1", &["--test-threads=1"]),
                ("npx jest --runInBand", &["--runInBand"]),
            ],
        );
    }

    #[test]
    fn what_may_narrow_a_run_is_none_of_it() {
        for line in [
            "pytest -k a -m slow tests --deselect b",
            "cargo test -p a --lib b",
            "cargo run -- -q -v",
            "go run ./cmd -v",
            "npm test -- -t a",
            "go test -run a -short ./...",
            "npx vitest -t a",
        ] {
            assert_eq!(of(line), [], "{line}");
        }
    }
}
