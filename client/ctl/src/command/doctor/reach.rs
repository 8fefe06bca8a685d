//! Whether every memory is found by a question made from it.

use std::time::{Duration, Instant};

use helix_client::text::memory::count_of;
use helix_client::{Client, Start, v1};
use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::progress::Counter;
use crate::text::one_line;

/// How the finding is called.
const NAME: &str = "findable";

/// Seconds for which memories are asked for, unless told: some thousand questions.
pub(super) const PATIENCE_S: u64 = 60;

/// Memories that the finding names; JSON has them all.
const SHOWN_MAX: usize = 10;

/// Every memory that was asked for, and those that were not found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Reach {
    asked: u64,
    without_question: u64,
    total: u64,
    by_meaning: bool,
    lost: Vec<Lost>,
}

#[derive(Debug, Serialize)]
struct Lost {
    handle: String,
    question: String,
    /// Its place behind the first ten; `null` when no page has it.
    place: Option<u32>,
    why: String,
}

/// Asks for the memories, the newest first, for so many seconds at most.
pub(super) async fn examine(context: &Context, patience_s: u64) -> (Finding, Option<Reach>) {
    let connected = context.connect(Start::IfAbsent).await;
    let asked = match connected {
        Ok(mut client) => ask(context, &mut client, patience_s).await,
        Err(failure) => Err(failure),
    };
    match asked {
        Ok(reach) => (finding(&reach, patience_s), Some(reach)),
        Err(failure) => (Finding::failure(NAME, failure.to_string()), None),
    }
}

async fn ask(context: &Context, client: &mut Client, patience_s: u64) -> Result<Reach, Failure> {
    let started = Instant::now();
    let mut progress = Counter::new(context.screen, "asking for");
    let mut reach = Reach::default();
    let mut below = 0;
    loop {
        let request = v1::ExamineRequest { below };
        let step = client.call(async |rpc| rpc.examine(request).await).await?;
        reach.add(&step);
        below = step.next;
        progress.set(reach.asked + reach.without_question, Some(reach.total));
        if below == 0 || started.elapsed() >= Duration::from_secs(patience_s) {
            break;
        }
    }
    progress.finish();
    Ok(reach)
}

impl Reach {
    fn add(&mut self, step: &v1::ExamineReply) {
        self.asked += step.asked;
        self.without_question += step.without_question;
        self.total = step.total;
        self.by_meaning = step.by_meaning;
        self.lost.extend(step.lost.iter().map(|lost| Lost {
            handle: lost.handle.clone(),
            question: lost.question.clone(),
            place: (lost.place > 0).then_some(lost.place),
            why: lost.why.clone(),
        }));
    }
}

fn finding(reach: &Reach, patience_s: u64) -> Finding {
    let Reach {
        asked,
        without_question,
        total,
        by_meaning,
        lost,
    } = reach;
    let mut detail = format!(
        "{} of {} found among the first ten by a question of its own words",
        *asked - lost.len() as u64,
        count_of(*asked, "memory is", "memories are")
    );
    if !by_meaning {
        detail += ", without meaning";
    }
    if *without_question > 0 {
        detail += &format!("; {without_question} have too few words for one");
    }
    let left = total.saturating_sub(asked + without_question);
    if left > 0 {
        let all_s = seconds_for_all(reach, patience_s);
        detail += &format!(
            "; {left} older ones were left out after {patience_s} s, \
             `helixctl doctor --deep --seconds {all_s}` asks for all"
        );
    }
    if lost.is_empty() && left == 0 {
        return Finding::ok(NAME, detail);
    }
    if lost.is_empty() {
        return Finding::warning(NAME, detail);
    }
    let (further, unreachable): (Vec<&Lost>, Vec<&Lost>) =
        lost.iter().partition(|lost| lost.place.is_some());
    for (what, lost) in [("on no page", unreachable), ("on a later page", further)] {
        if !lost.is_empty() {
            detail += &format!("; {} {what}: {}", lost.len(), some(&lost));
        }
    }
    let advice =
        "look with `helixctl search QUESTION --why-not HANDLE`, and compact what says the same";
    Finding::warning(NAME, format!("{detail}; {advice}"))
}

/// Seconds that suffice for all memories at the pace so far, and half as many again.
fn seconds_for_all(reach: &Reach, patience_s: u64) -> u64 {
    let done = (reach.asked + reach.without_question).max(1);
    (patience_s.max(1) * reach.total * 3).div_ceil(done * 2)
}

/// The first of them.
fn some(lost: &[&Lost]) -> String {
    let shown: Vec<String> = lost.iter().take(SHOWN_MAX).map(|lost| told(lost)).collect();
    let more = if lost.len() > SHOWN_MAX { ", …" } else { "" };
    shown.join(", ") + more
}

fn told(lost: &Lost) -> String {
    format!(
        "{} (\"{}\": {})",
        one_line(&lost.handle),
        one_line(&lost.question),
        one_line(&lost.why)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;

    fn reach(asked: u64, handles: &[&str]) -> Reach {
        let lost = handles.iter().map(|handle| v1::LostMemory {
            handle: (*handle).to_owned(),
            question: "nightly import".to_owned(),
            why: if handle.starts_with("far") {
                "too far"
            } else {
                "place 14"
            }
            .to_owned(),
            place: if handle.starts_with("far") { 0 } else { 14 },
        });
        let mut reach = Reach::default();
        reach.add(&v1::ExamineReply {
            asked,
            without_question: 1,
            lost: lost.collect(),
            total: 30,
            next: 0,
            by_meaning: true,
        });
        reach
    }

    #[test]
    fn what_is_not_found_is_named_with_its_question() {
        let whole = finding(&reach(29, &[]), PATIENCE_S);
        assert_eq!(whole.level, Level::Ok);
        let expected = "29 of 29 memories are found among the first ten by a question of its own words; \
                        1 have too few words for one";
        assert_eq!(whole.detail, expected);
        let part = finding(&reach(20, &["ops/import", "far/off"]), PATIENCE_S);
        assert_eq!(part.level, Level::Warning);
        let expected = "18 of 20 memories are found among the first ten by a question of its own \
                        words; \
                        1 have too few words for one; 9 older ones were left out after 60 s, \
                        `helixctl doctor --deep --seconds 129` asks for all; \
                        1 on no page: far/off (\"nightly import\": too far); \
                        1 on a later page: ops/import (\"nightly import\": place 14); \
                        look with `helixctl search QUESTION --why-not HANDLE`, and compact what says the same";
        assert_eq!(part.detail, expected);
        let found = finding(&reach(20, &[]), PATIENCE_S);
        assert_eq!(found.level, Level::Warning, "not all were asked for");
    }
}
