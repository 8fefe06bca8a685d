//! Texts that wait for their vectors, and how far each of them is.

use std::collections::VecDeque;

use helix_engine::{PendingVectors as Pending, TextVectors};
use helix_memory::MemoryNumber;

use super::passage::{joined, parts};

/// Tokens of a part that are counted for the size of a run, at most: most models read no more.
const TOKENS_MAX: usize = 256;

/// Texts that are begun together.
const TEXTS_MAX: usize = 8;

/// Tokens embedded at once in the background, those that fill short parts up among them: as many as
/// the longest part has, which cannot be divided. Two cores take some 20 ms for them, and what a
/// query interrupts is done again.
pub(super) const RUN_TOKENS_MAX: usize = TOKENS_MAX;

/// Bytes of a token, at least: a run is rather smaller than larger.
pub(super) const TOKEN_BYTES: usize = 3;

/// The vectors of a text with what it is of: its number and its hash.
pub(super) type Made = (MemoryNumber, u64, TextVectors);

/// Texts that were read and are not done with yet.
#[derive(Default)]
pub(super) struct Work {
    /// Not begun, the shortest last.
    waiting: Vec<Pending>,
    /// Some of their parts may be embedded.
    begun: VecDeque<Begun>,
    /// Embedded and not durable.
    pub(super) made: Vec<Made>,
    /// Whether the last run was.
    pub(super) was_interrupted: bool,
}

/// A text of which so many parts are embedded.
struct Begun {
    number: MemoryNumber,
    text_hash: u64,
    parts: Vec<String>,
    vectors: Vec<TextVectors>,
}

impl Begun {
    fn new(pending: &Pending) -> Self {
        Self {
            number: pending.number,
            text_hash: pending.text_hash,
            parts: parts(&pending.text),
            vectors: Vec::new(),
        }
    }

    fn parts_left(&self) -> &[String] {
        self.parts.get(self.vectors.len()..).unwrap_or_default()
    }
}

impl Work {
    /// Whether no text waits and none is begun.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.begun.is_empty()
    }

    pub(super) fn take_on(&mut self, pending: Vec<Pending>) {
        self.waiting = pending;
        self.waiting
            .sort_by_key(|waiting| std::cmp::Reverse(waiting.text.len()));
    }

    /// Begins the shortest texts where none is begun.
    pub(super) fn begin(&mut self) {
        if self.begun.is_empty() {
            let kept = self.waiting.len().saturating_sub(TEXTS_MAX);
            let shortest = self.waiting.split_off(kept).into_iter().rev();
            self.begun = shortest.map(|pending| Begun::new(&pending)).collect();
        }
    }

    /// The next parts, as many as may be embedded at once; the first of them whatever its length.
    pub(super) fn next_run(&self) -> Vec<&str> {
        let mut run = Vec::new();
        let mut widest = 0;
        for part in self.begun.iter().flat_map(Begun::parts_left) {
            // All are filled up to the longest.
            widest = widest.max(tokens(part));
            if !run.is_empty() && widest * (run.len() + 1) > RUN_TOKENS_MAX {
                break;
            }
            run.push(part.as_str());
        }
        run
    }

    /// Takes the vectors of the next run's parts.
    pub(super) fn note(&mut self, vectors: Vec<TextVectors>) {
        let mut vectors = vectors.into_iter();
        while let Some(begun) = self.begun.front_mut() {
            let left = begun.parts_left().len();
            begun.vectors.extend(vectors.by_ref().take(left));
            if !begun.parts_left().is_empty() {
                break;
            }
            if let Some(begun) = self.begun.pop_front() {
                let whole = joined(begun.vectors.into_iter());
                self.made.push((begun.number, begun.text_hash, whole));
            }
        }
    }

    /// Lets go of what is begun, and names it.
    pub(super) fn give_up(&mut self) -> Vec<MemoryNumber> {
        self.begun.drain(..).map(|begun| begun.number).collect()
    }
}

/// Tokens of a part, estimated.
fn tokens(part: &str) -> usize {
    (part.len() / TOKEN_BYTES + 2).min(TOKENS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(number: u32, text: String) -> Pending {
        Pending {
            number: MemoryNumber(number),
            text_hash: u64::from(number),
            text,
        }
    }

    /// One vector for each part of the next run.
    fn embedded(work: &Work) -> Vec<TextVectors> {
        let run = work.next_run();
        run.iter().map(|_| vec![1.0, 0.0].into()).collect()
    }

    #[test]
    fn texts_are_worked_off_part_by_part_the_shortest_first() {
        let mut work = Work::default();
        let long = "The exporter waits for its turn. ".repeat(200);
        work.take_on(vec![
            pending(1, long.clone()),
            pending(2, "short".to_owned()),
        ]);
        work.begin();
        let mut runs = 0;
        while !work.begun.is_empty() {
            let run = work.next_run();
            let widest = run
                .iter()
                .map(|part| tokens(part))
                .max()
                .unwrap_or_default();
            assert!(
                run.len() == 1 || run.len() * widest <= RUN_TOKENS_MAX,
                "{run:?}"
            );
            let vectors = embedded(&work);
            work.note(vectors);
            runs += 1;
        }
        assert!(runs > 3, "{runs} runs for {} bytes", long.len());
        let made: Vec<u32> = work.made.iter().map(|(number, ..)| number.0).collect();
        assert_eq!(made, [2, 1]);
        assert!(work.is_done());
    }

    #[test]
    fn what_fails_is_let_go_of() {
        let mut work = Work::default();
        work.take_on(vec![
            pending(1, "one".to_owned()),
            pending(2, "two".to_owned()),
        ]);
        work.begin();
        assert_eq!(work.give_up().len(), 2);
        assert!(work.is_done() && work.made.is_empty());
    }
}
