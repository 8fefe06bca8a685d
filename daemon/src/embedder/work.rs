//! Texts that wait for their vectors, and how far each of them is.

use helix_engine::{PendingVectors as Pending, TextVectors};
use helix_memory::MemoryNumber;

use super::passage::{joined, parts};

/// The vectors of a text with what it is of: its number and its hash.
pub(super) type Made = (MemoryNumber, u64, TextVectors);

/// Texts that were read and are not done with yet.
#[derive(Default)]
pub(super) struct Work {
    /// Not begun, the shortest last.
    waiting: Vec<Pending>,
    /// Some of its parts may be embedded.
    begun: Option<Begun>,
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
}

impl Work {
    /// Whether no text waits and none is begun.
    pub(super) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.begun.is_none()
    }

    pub(super) fn take_on(&mut self, pending: Vec<Pending>) {
        self.waiting = pending;
        self.waiting
            .sort_by_key(|waiting| std::cmp::Reverse(waiting.text.len()));
    }

    /// The next part to embed, of the shortest text where none is begun.
    pub(super) fn next_part(&mut self) -> Option<&str> {
        if self.begun.is_none() {
            self.begun = self.waiting.pop().as_ref().map(Begun::new);
        }
        let begun = self.begun.as_ref()?;
        begun.parts.get(begun.vectors.len()).map(String::as_str)
    }

    /// Takes the vectors of the next part.
    pub(super) fn note(&mut self, vectors: TextVectors) {
        let Some(mut begun) = self.begun.take() else {
            return;
        };
        begun.vectors.push(vectors);
        if begun.vectors.len() < begun.parts.len() {
            self.begun = Some(begun);
            return;
        }
        let whole = joined(begun.vectors.into_iter());
        self.made.push((begun.number, begun.text_hash, whole));
    }

    /// Lets go of what is begun, and names it.
    pub(super) fn give_up(&mut self) -> Option<MemoryNumber> {
        self.begun.take().map(|begun| begun.number)
    }
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

    #[test]
    fn texts_are_worked_off_part_by_part_the_shortest_first() {
        let mut work = Work::default();
        let long = "The exporter waits for its turn. ".repeat(200);
        work.take_on(vec![
            pending(1, long.clone()),
            pending(2, "short".to_owned()),
        ]);
        let mut parts = 0;
        while work.next_part().is_some() {
            work.note(vec![1.0, 0.0].into());
            parts += 1;
        }
        assert!(parts > 3, "{parts} parts of {} bytes", long.len());
        let made: Vec<u32> = work.made.iter().map(|(number, ..)| number.0).collect();
        assert_eq!(made, [2, 1]);
        assert!(work.is_done());
    }

    #[test]
    fn what_fails_is_let_go_of() {
        let mut work = Work::default();
        work.take_on(vec![pending(1, "one".to_owned())]);
        assert_eq!(work.next_part(), Some("one"));
        assert_eq!(work.give_up(), Some(MemoryNumber(1)));
        assert!(work.is_done() && work.made.is_empty());
    }
}
