//! The same searches through the MCP bridge, as a model makes them: with the question's embedding.

use std::time::Instant;

use anyhow::{Result, ensure};
use helix_tests::Bridge;
use serde_json::json;

use super::{LIMIT, WARM_UP_QUESTIONS};
use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::Loaded;
use crate::report::{Table, Target, micros};
use crate::stats::Samples;

/// Number of memories at which the bridge is measured.
pub(super) const MEMORIES: usize = 10_000;

/// Time from a question on the bridge's stdin to the answer on its stdout, in microseconds; about
/// four fifths of it are the model's.
const ANSWER_P50_MAX_US: f64 = 5_000.0;

/// Questions that no other run has asked, so that no vector is kept from before.
const FIRST_QUESTION: usize = 5_000;

pub(super) fn measure(
    loaded: &Loaded,
    corpus: &Corpus,
    effort: Effort,
    table: &mut Table,
) -> Result<()> {
    let mut bridge = Bridge::greeted(&loaded.home, loaded.home.scratch())?;
    let mut answers = Samples::default();
    for asked in 0..WARM_UP_QUESTIONS + effort.pick(300, 100) {
        let question = corpus.question((FIRST_QUESTION + asked) * 7_919 % MEMORIES, MEMORIES);
        let arguments = json!({"query": question, "scope": "all", "limit": LIMIT});
        let started = Instant::now();
        let text = bridge.text("search", &arguments)?;
        let elapsed = started.elapsed();
        ensure!(!text.is_empty(), "nothing answers {question}");
        if asked >= WARM_UP_QUESTIONS {
            answers.push(elapsed);
        }
    }
    bridge.finish_cleanly()?;
    let name = format!("{MEMORIES}, words and meaning, through MCP");
    let target = Target::AtMost(ANSWER_P50_MAX_US);
    let verdict = table.judge(
        &format!("{name} round trip p50"),
        answers.p50(),
        "µs",
        target,
    );
    table.row([
        name,
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        micros(answers.p50()),
        micros(answers.p99()),
        format!("round trip ≤ {}", micros(ANSWER_P50_MAX_US)),
        verdict,
    ]);
    Ok(())
}
