//! What a preview of an import found, kept until somebody agrees to it: no transcript is read twice.
//!
//! It is in RAM alone, for a while and within a bound. What does not fit, and a transcript that
//! changed meanwhile, is read again. Facts that come from here are weighed against what is known as
//! all others are: somebody may have forgotten one of them in between.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_capture::read::Cursor;
use helix_capture::{Candidate, Slice};

use super::Tally;
use super::cursor::Place;
use super::import::Wanted;
use crate::project::Project;

/// How long somebody may think about what they were shown.
const THOUGHT_MAX: Duration = Duration::from_mins(10);

/// Bytes of a preview: the facts of some ten thousand sessions.
const PREVIEW_MAX_BYTES: usize = 16 << 20;

/// Bytes of a fact, or of a transcript's place, beside its texts; about.
const OVERHEAD_BYTES: usize = 512;

/// What the transcripts of one preview came to.
#[derive(Debug)]
pub(super) struct Preview {
    wanted: Wanted,
    since: Instant,
    transcripts: HashMap<PathBuf, Foreseen>,
    bytes: usize,
}

/// What one transcript came to.
#[derive(Debug)]
pub(super) struct Foreseen {
    /// Where reading began.
    pub(super) from: Cursor,
    /// Where it ended, with what the reader remembers.
    pub(super) place: Place,
    /// Bytes of the file and when it changed last.
    pub(super) size_and_time: (u64, i64),
    pub(super) project: Arc<Project>,
    pub(super) parts: Vec<Part>,
    /// Without what became of the facts.
    pub(super) tally: Tally,
    pub(super) bytes: u64,
    pub(super) unknown: Vec<String>,
}

/// Facts that were found together.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) agent: String,
    pub(super) session: String,
    pub(super) branch: String,
    pub(super) candidates: Vec<Candidate>,
    /// Turns that a language model is asked about, and facts that it may find.
    pub(super) turns: Vec<Slice>,
    pub(super) room: usize,
}

impl Preview {
    pub(super) fn new(wanted: &Wanted) -> Self {
        Self {
            wanted: wanted.clone(),
            since: Instant::now(),
            transcripts: HashMap::new(),
            bytes: 0,
        }
    }

    /// Whether it is of the same import, and young enough.
    pub(super) fn is_of(&self, wanted: &Wanted) -> bool {
        let same = Wanted {
            is_dry: self.wanted.is_dry,
            shows_sent: self.wanted.shows_sent,
            ..wanted.clone()
        };
        self.wanted == same && !self.is_over()
    }

    /// Whether nobody answers any more.
    pub(super) fn is_over(&self) -> bool {
        self.since.elapsed() > THOUGHT_MAX
    }

    /// Keeps what a transcript came to, if it fits.
    pub(super) fn keep(&mut self, transcript: &Path, foreseen: Foreseen) {
        let bytes = self.bytes + foreseen.weight();
        if bytes <= PREVIEW_MAX_BYTES {
            self.bytes = bytes;
            self.transcripts.insert(transcript.to_owned(), foreseen);
        }
    }

    /// Takes what a transcript came to.
    pub(super) fn take(&mut self, transcript: &Path) -> Option<Foreseen> {
        self.transcripts.remove(transcript)
    }
}

impl Foreseen {
    /// Whether a transcript is as it was: it is read on from the same place, and nothing came to
    /// it.
    pub(super) fn is_of(&self, place: &Place, size_and_time: Option<(u64, i64)>) -> bool {
        self.from == place.cursor && Some(self.size_and_time) == size_and_time
    }

    fn weight(&self) -> usize {
        let candidates = self.parts.iter().flat_map(|part| &part.candidates);
        let turns = self.parts.iter().flat_map(|part| &part.turns);
        let said = turns.map(|turn| OVERHEAD_BYTES + turn.text.len());
        OVERHEAD_BYTES
            + self.place.weight()
            + candidates.map(weight).sum::<usize>()
            + said.sum::<usize>()
    }
}

/// Bytes of a fact in RAM, about.
fn weight(candidate: &Candidate) -> usize {
    let attributes = candidate.attributes.iter();
    let evidence = candidate.evidence.iter();
    OVERHEAD_BYTES
        + candidate.text.len()
        + candidate.reason.len()
        + candidate.entities.iter().map(String::len).sum::<usize>()
        + attributes
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>()
        + evidence
            .map(|one| OVERHEAD_BYTES + one.place.source.len())
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn foreseen(text: &str) -> Foreseen {
        let candidate = Candidate {
            kind: "fact",
            text: text.to_owned(),
            entities: Vec::new(),
            attributes: Vec::new(),
            confidence: 1.0,
            is_said_by_user: true,
            evidence: Vec::new(),
            reason: String::new(),
        };
        Foreseen {
            from: Cursor::default(),
            place: Place::default(),
            size_and_time: (4, 5),
            project: Arc::new(Project::outside(Path::new("/p"))),
            parts: vec![Part {
                agent: String::new(),
                session: String::new(),
                branch: String::new(),
                candidates: vec![candidate],
                turns: Vec::new(),
                room: 0,
            }],
            tally: Tally::default(),
            bytes: 4,
            unknown: Vec::new(),
        }
    }

    #[test]
    fn a_preview_serves_the_import_that_it_showed() {
        let wanted = Wanted {
            is_dry: true,
            project: "iris".to_owned(),
            ..Wanted::default()
        };
        let mut preview = Preview::new(&wanted);
        preview.keep(Path::new("/t"), foreseen("a"));
        let agreed = Wanted {
            is_dry: false,
            ..wanted.clone()
        };
        assert!(preview.is_of(&agreed));
        let other = Wanted {
            project: String::new(),
            ..agreed
        };
        assert!(!preview.is_of(&other));
        assert!(preview.take(Path::new("/t")).is_some());
        assert!(preview.take(Path::new("/t")).is_none());
    }

    #[test]
    fn a_transcript_that_changed_is_not_as_it_was() {
        let known = foreseen("a");
        let place = Place::default();
        assert!(known.is_of(&place, Some((4, 5))));
        assert!(!known.is_of(&place, Some((4, 6))));
        assert!(!known.is_of(&place, None));
        let read_on = Place {
            cursor: Cursor {
                offset: 4,
                ..Cursor::default()
            },
            ..Place::default()
        };
        assert!(!known.is_of(&read_on, Some((4, 5))));
    }

    #[test]
    fn a_preview_holds_no_more_than_its_bound() {
        let mut preview = Preview::new(&Wanted::default());
        let text = "x".repeat(PREVIEW_MAX_BYTES / 2);
        for name in ["/a", "/b", "/c"] {
            preview.keep(Path::new(name), foreseen(&text));
        }
        assert_eq!(preview.transcripts.len(), 1);
        preview.keep(Path::new("/d"), foreseen("short"));
        assert_eq!(preview.transcripts.len(), 2);
    }
}
