//! The items of a model's answer: those that are well-formed are kept, the others dropped.

use std::collections::BTreeSet;

use helix_proto::provider::{FACT_KINDS, v1};
use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::prompt::{Prompt, VERDICTS, Wanted};
use crate::prose::sendable;

/// Items that are read, at most.
const ITEMS_MAX: usize = 64;

/// Shortest and longest fact, in characters.
const FACT_MIN_CHARS: usize = 16;
const FACT_MAX_CHARS: usize = 600;

#[derive(Deserialize)]
struct Judged {
    pair: u32,
    verdict: String,
    confidence: f64,
}

#[derive(Deserialize)]
struct Fact {
    turn: u32,
    kind: String,
    text: String,
    confidence: f64,
}

/// Reads a model's answer; `None` when it is no answer to the question.
pub(crate) fn read(prompt: &Prompt, said: &str) -> Option<v1::Answer> {
    let (items, is_whole) = items(said)?;
    let mut answer = v1::Answer {
        malformed: u32::from(!is_whole),
        ..v1::Answer::default()
    };
    let mut judged = BTreeSet::new();
    for item in items {
        let is_kept = match prompt.wanted {
            Wanted::Verdicts => match verdict(prompt, item) {
                Some(verdict) if judged.insert(verdict.pair) => {
                    answer.judged.push(verdict);
                    true
                }
                _ => false,
            },
            Wanted::Facts => match fact(prompt, item) {
                Some(fact) => {
                    answer.facts.push(fact);
                    true
                }
                None => false,
            },
        };
        answer.malformed += u32::from(!is_kept);
    }
    // A list of facts may be empty; verdicts were asked for.
    let is_answer = match prompt.wanted {
        Wanted::Verdicts => !answer.judged.is_empty(),
        Wanted::Facts => !answer.facts.is_empty() || answer.malformed == 0,
    };
    is_answer.then_some(answer)
}

/// The values of the list `items`, and whether it is whole. Text around the object and an end that
/// is cut off do no harm.
fn items(said: &str) -> Option<(Vec<Value>, bool)> {
    let (_, behind) = said.split_once("\"items\"")?;
    let (colon, mut rest) = behind.split_once('[')?;
    if colon.trim() != ":" {
        return None;
    }
    let mut items = Vec::new();
    while items.len() < ITEMS_MAX {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if rest.starts_with(']') {
            return Some((items, true));
        }
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            return Some((items, false));
        };
        rest = rest.get(values.byte_offset()..).unwrap_or_default();
        items.push(value);
    }
    Some((items, false))
}

fn verdict(prompt: &Prompt, item: Value) -> Option<v1::Judged> {
    let read: Judged = serde_json::from_value(item).ok()?;
    let is_good = is_place(prompt, read.pair)
        && VERDICTS.contains(&read.verdict.as_str())
        && is_share(read.confidence);
    is_good.then_some(v1::Judged {
        pair: read.pair,
        verdict: read.verdict,
        confidence: read.confidence,
    })
}

/// A model may repeat what it should not: its text is read as what is sent is.
fn fact(prompt: &Prompt, item: Value) -> Option<v1::Fact> {
    let read: Fact = serde_json::from_value(item).ok()?;
    let text = sendable(read.text.trim());
    let length = text.chars().count();
    let is_good = is_place(prompt, read.turn)
        && FACT_KINDS.contains(&read.kind.as_str())
        && is_share(read.confidence)
        && (FACT_MIN_CHARS..=FACT_MAX_CHARS).contains(&length);
    is_good.then_some(v1::Fact {
        slice: read.turn,
        kind: read.kind,
        text,
        confidence: read.confidence,
    })
}

fn is_place(prompt: &Prompt, place: u32) -> bool {
    usize::try_from(place).is_ok_and(|place| place < prompt.items)
}

fn is_share(confidence: f64) -> bool {
    (0.0..=1.0).contains(&confidence)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use v1::ask::Task;

    use super::*;

    fn two_pairs() -> Prompt {
        Prompt::of(Task::Pairs(v1::Pairs {
            pairs: vec![v1::Pair::default(); 2],
        }))
        .unwrap()
    }

    const GOOD: &str = r#"{"pair":1,"verdict":"same","confidence":0.9}"#;

    #[test]
    fn good_items_are_kept_and_bad_ones_dropped() {
        let bad = [
            r#"{"pair":0}"#,
            r#"{"pair":2,"verdict":"same","confidence":0.9}"#,
            r#"{"pair":0,"verdict":"maybe","confidence":0.9}"#,
            r#"{"pair":0,"verdict":"same","confidence":7}"#,
            r#"{"pair":-1,"verdict":"same","confidence":0.9}"#,
            "null",
            GOOD,
        ];
        let said = format!(r#"Here: {{"items":[{GOOD},{}]}} done"#, bad.join(","));
        let answer = read(&two_pairs(), &said).unwrap();
        assert_eq!(answer.judged.len(), 1);
        assert_eq!(answer.malformed, 7);
    }

    #[test]
    fn an_end_that_is_cut_off_costs_the_last_item() {
        let said = format!(r#"{{"items":[{GOOD},{{"pair":0,"ver"#);
        let answer = read(&two_pairs(), &said).unwrap();
        assert_eq!(answer.judged.len(), 1);
        assert_eq!(answer.malformed, 1);
    }

    #[test]
    fn nonsense_is_no_answer() {
        for said in [
            "",
            "I am sorry.",
            "{}",
            r#"{"items":[]}"#,
            r#"{"items":7}"#,
            r#"{"items":["#,
        ] {
            assert_eq!(read(&two_pairs(), said), None, "{said}");
        }
    }

    #[test]
    fn no_fact_is_an_answer_and_a_secret_in_one_is_taken_out() {
        let prompt = Prompt::of(Task::Slices(v1::Slices {
            slices: vec![v1::Slice::default()],
        }))
        .unwrap();
        assert_eq!(read(&prompt, r#"{"items":[]}"#).unwrap().facts.len(), 0);
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let said = format!(
            r#"{{"items":[{{"turn":0,"kind":"fact","text":"CI pushes with {token}.","confidence":1}}]}}"#
        );
        let answer = read(&prompt, &said).unwrap();
        assert!(!answer.facts[0].text.contains(&token));
    }
}
