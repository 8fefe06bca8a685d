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

/// How long memories are asked for: some thousand questions.
const PATIENCE: Duration = Duration::from_mins(1);

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

/// Asks for the memories, the newest first, for as long as there is patience.
pub(super) async fn examine(context: &Context) -> (Finding, Option<Reach>) {
    let connected = context.connect(Start::IfAbsent).await;
    let asked = match connected {
        Ok(mut client) => ask(context, &mut client).await,
        Err(failure) => Err(failure),
    };
    match asked {
        Ok(reach) => (finding(&reach), Some(reach)),
        Err(failure) => (Finding::failure(NAME, failure.to_string()), None),
    }
}

async fn ask(context: &Context, client: &mut Client) -> Result<Reach, Failure> {
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
        if below == 0 || started.elapsed() >= PATIENCE {
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

fn finding(reach: &Reach) -> Finding {
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
        detail += &format!(
            "; {left} older ones were left out after {} s",
            PATIENCE.as_secs()
        );
    }
    if lost.is_empty() {
        return Finding::ok(NAME, detail);
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
        let whole = finding(&reach(29, &[]));
        assert_eq!(whole.level, Level::Ok);
        let expected = "29 of 29 memories are found among the first ten by a question of its own words; \
                        1 have too few words for one";
        assert_eq!(whole.detail, expected);
        let part = finding(&reach(20, &["ops/import", "far/off"]));
        assert_eq!(part.level, Level::Warning);
        let expected = "18 of 20 memories are found among the first ten by a question of its own \
                        words; \
                        1 have too few words for one; 9 older ones were left out after 60 s; \
                        1 on no page: far/off (\"nightly import\": too far); \
                        1 on a later page: ops/import (\"nightly import\": place 14); \
                        look with `helixctl search QUESTION --why-not HANDLE`, and compact what says the same";
        assert_eq!(part.detail, expected);
    }
}
