//! Where a search goes on: the text that one page hands to the next.

use std::fmt;

use helix_memory::{ErrorKind, MemoryNumber, Timestamp};

use super::opaque::{In, Out};
use super::place::Place;
use super::search::{Mode, Retriever, SEARCH_DEPTH_MAX, Search};
use crate::index::filter::Filter;

/// Version of the text; another one is refused like any other damage.
const VERSION: u8 = 3;

/// Bits of the byte behind the version: what the text tells.
const BY_MEANING: u8 = 1;
const HAS_LAST: u8 = 2;
const HAS_AFTER: u8 = 4;

/// How much later than its bound a first page may have been asked for, in microseconds: a call's
/// deadline.
const BOUND_SLACK_MICROS: i64 = 30 * 1_000_000;

/// Deepest place of a listing without words.
pub const LISTING_DEPTH_MAX: usize = 10_000;

/// Where a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Behind which hits.
    pub place: Place,
    /// When the first page was asked for: ages are seen from there on every page, or hits would
    /// change places.
    pub now: Timestamp,
    /// The lower bound of the first page: "the last seven days" mean the same on every page.
    pub after: Option<Timestamp>,
    /// Whether the pages before were found by meaning too.
    pub by_meaning: bool,
    fingerprint: [u8; 4],
}

/// Why a search cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CursorError {
    /// No cursor of this Helix.
    #[error(
        "the cursor is damaged; give it as the last answer has it, or none to start at the best hit"
    )]
    Damaged,
    /// Of another search.
    #[error(
        "the cursor belongs to another query or filter; repeat both as they were, or give no cursor to start anew"
    )]
    OtherSearch,
    /// Deeper than pages go.
    #[error("continuing after {offset} hits, the most is {most}; narrow the query or filter it")]
    TooDeep {
        /// Hits before it.
        offset: usize,
        /// The limit.
        most: usize,
    },
}

impl CursorError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Damaged | Self::OtherSearch => ErrorKind::Invalid,
            Self::TooDeep { .. } => ErrorKind::Exhausted,
        }
    }
}

impl Search {
    /// How many hits deep the pages of a search go.
    #[must_use]
    pub fn depth_max(&self) -> usize {
        if self.is_listing() {
            LISTING_DEPTH_MAX
        } else {
            SEARCH_DEPTH_MAX
        }
    }
}

impl Cursor {
    /// A place in a search.
    #[must_use]
    pub fn new(search: &Search, place: Place) -> Self {
        let by_meaning = search.vector.is_some();
        Self {
            place,
            now: search.now,
            after: search.filter.after,
            by_meaning,
            fingerprint: fingerprint(search),
        }
    }

    /// Reads a cursor.
    ///
    /// # Errors
    /// `CursorError::Damaged`.
    pub fn parse(text: &str) -> Result<Self, CursorError> {
        let text = text.trim();
        // One text for each place: another spelling of it is none of ours.
        read(text)
            .filter(|cursor| cursor.to_string() == text)
            .ok_or(CursorError::Damaged)
    }

    /// Makes a search asked for at `now` go on from here: it is seen from when the first page was
    /// asked for.
    ///
    /// # Errors
    /// `CursorError::OtherSearch` and `CursorError::TooDeep`.
    pub fn resume(&self, search: &mut Search, now: Timestamp) -> Result<(), CursorError> {
        let most = search.depth_max();
        if self.fingerprint != fingerprint(search) || !self.has_same_bound(search, now) {
            return Err(CursorError::OtherSearch);
        }
        if self.place.offset >= most {
            return Err(CursorError::TooDeep {
                offset: self.place.offset,
                most,
            });
        }
        search.filter.after = self.after;
        search.now = self.now;
        Ok(())
    }

    /// Returns whether the lower bound is the first page's, or has moved with the clock since then.
    fn has_same_bound(&self, search: &Search, now: Timestamp) -> bool {
        let (Some(first), Some(bound)) = (self.after, search.filter.after) else {
            return self.after == search.filter.after;
        };
        let passed = now
            .as_micros()
            .saturating_sub(self.now.as_micros())
            .max(0)
            .saturating_add(BOUND_SLACK_MICROS);
        (0..=passed).contains(&bound.as_micros().saturating_sub(first.as_micros()))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            offset,
            extent,
            shown,
        } = self.place;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let mut out = Out::default();
        out.byte(VERSION);
        out.byte(
            flag(self.by_meaning, BY_MEANING)
                | flag(shown.is_some(), HAS_LAST)
                | flag(self.after.is_some(), HAS_AFTER),
        );
        out.number(offset as u64);
        // Mostly small, and none is the largest.
        out.number(extent.wrapping_add(1).into());
        if let Some((last, digest)) = shown {
            out.number(last.0.into());
            out.bytes(&digest.to_le_bytes());
        }
        out.number(self.now.as_micros().cast_unsigned());
        if let Some(after) = self.after {
            // Not long before, mostly.
            out.number(
                self.now
                    .as_micros()
                    .wrapping_sub(after.as_micros())
                    .cast_unsigned(),
            );
        }
        out.bytes(&self.fingerprint);
        f.write_str(&out.text())
    }
}

fn read(text: &str) -> Option<Cursor> {
    let mut bytes = In::of(text)?;
    (bytes.byte()? == VERSION).then_some(())?;
    let flags = bytes.byte()?;
    let offset = usize::try_from(bytes.number()?).ok()?;
    let extent = bytes.small()?.wrapping_sub(1);
    let shown = if flags & HAS_LAST == 0 {
        None
    } else {
        Some((
            MemoryNumber(bytes.small()?),
            u32::from_le_bytes(bytes.four()?),
        ))
    };
    let now = bytes.number()?.cast_signed();
    let after = if flags & HAS_AFTER == 0 {
        None
    } else {
        Some(now.wrapping_sub(bytes.number()?.cast_signed()))
    };
    let fingerprint = bytes.four()?;
    let cursor = Cursor {
        place: Place {
            offset,
            extent,
            shown,
        },
        now: Timestamp::from_micros(now),
        after: after.map(Timestamp::from_micros),
        by_meaning: flags & BY_MEANING != 0,
        fingerprint,
    };
    bytes.is_at_end().then_some(cursor)
}

/// A hash of everything that decides what a search finds in which order, except how much of it is
/// asked for and what moves with the clock.
fn fingerprint(search: &Search) -> [u8; 4] {
    let mut parts: Vec<String> = vec![search.words.trim().to_owned()];
    let filter = &search.filter;
    let mut list = |name: &str, values: Vec<String>| {
        parts.push(format!("{name} {}", values.len()));
        parts.extend(values);
    };
    list("topics", asked(filter));
    list("tags", filter.tags.clone());
    list("kinds", filter.kinds.clone());
    list(
        "scopes",
        filter.scopes.iter().map(ToString::to_string).collect(),
    );
    list(
        "statuses",
        filter
            .statuses
            .iter()
            .map(|status| status.name().to_owned())
            .collect(),
    );
    list("source", filter.source.iter().cloned().collect());
    list(
        "line",
        filter
            .demands
            .source_line
            .iter()
            .map(ToString::to_string)
            .collect(),
    );
    list("phrases", filter.demands.phrases.clone());
    list("excluded", filter.demands.excluded.clone());
    list(
        "before",
        filter.before.iter().map(ToString::to_string).collect(),
    );
    if !filter.moment.is_now() {
        parts.push(format!("{:?}", filter.moment));
    }
    parts.push(mode_name(search.mode).to_owned());
    parts.push(retriever_name(search.retriever).to_owned());
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher
        .finalize()
        .as_bytes()
        .first_chunk()
        .copied()
        .unwrap_or_default()
}

/// The topics as they were asked for: each once, in whatever order.
fn asked(filter: &Filter) -> Vec<String> {
    let mut topics = if filter.topics_asked.is_empty() {
        &filter.topics
    } else {
        &filter.topics_asked
    }
    .clone();
    topics.sort_unstable();
    topics.dedup();
    topics
}

const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Auto => "auto",
        Mode::AllFirst => "all-first",
        Mode::All => "all",
        Mode::Any => "any",
    }
}

const fn retriever_name(retriever: Retriever) -> &'static str {
    match retriever {
        Retriever::Hybrid => "hybrid",
        Retriever::Words => "words",
        Retriever::Meaning => "meaning",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::recall::Vantage;

    fn search(words: &str) -> Search {
        Search {
            words: words.to_owned(),
            vector: None,
            filter: Filter::default(),
            limit: 10,
            mode: Mode::Auto,
            retriever: Retriever::Hybrid,
            now: Timestamp::from_micros(-7),
            vantage: Vantage::default(),
        }
    }

    fn resumed(cursor: Cursor, mut search: Search, now: i64) -> Result<Search, CursorError> {
        cursor
            .resume(&mut search, Timestamp::from_micros(now))
            .map(|()| search)
    }

    #[test]
    fn a_cursor_belongs_to_its_search() {
        let cursor =
            Cursor::parse(&Cursor::new(&search("disk"), Place::at(10)).to_string()).unwrap();
        assert_eq!(cursor, Cursor::new(&search("disk"), Place::at(10)));
        let years_later = Search {
            now: Timestamp::from_micros(1_900_000_000_000_000),
            ..search("disk")
        };
        let text = Cursor::new(
            &years_later,
            Place::behind(&[MemoryNumber(99_999)], 100_000),
        )
        .to_string();
        assert!(text.len() <= 36, "{text} is long");
        let later = Search {
            limit: 3,
            now: Timestamp::from_micros(99),
            ..search("disk")
        };
        assert_eq!(
            resumed(cursor, later, 99).unwrap().now,
            Timestamp::from_micros(-7)
        );
        assert!(matches!(
            resumed(cursor, search("disc"), 0),
            Err(CursorError::OtherSearch)
        ));
        let filter = Filter {
            tags: vec!["disk".to_owned()],
            ..Filter::default()
        };
        assert!(matches!(
            resumed(
                cursor,
                Search {
                    filter,
                    ..search("disk")
                },
                0
            ),
            Err(CursorError::OtherSearch)
        ));
        let deep = Cursor::new(&search("disk"), Place::at(SEARCH_DEPTH_MAX));
        assert!(matches!(
            resumed(deep, search("disk"), 0),
            Err(CursorError::TooDeep { .. })
        ));
        resumed(
            Cursor::new(&search(""), Place::at(SEARCH_DEPTH_MAX)),
            search(""),
            0,
        )
        .unwrap();
    }

    #[test]
    fn the_last_days_stay_the_same_days() {
        let after = |micros: i64| {
            let filter = Filter {
                after: Some(Timestamp::from_micros(micros)),
                ..Filter::default()
            };
            Search {
                filter,
                now: Timestamp::from_micros(1_000),
                ..search("disk")
            }
        };
        let cursor = Cursor::new(&after(10), Place::at(5));
        let hour = 3_600_000_000;
        let second = resumed(cursor, after(10 + hour), 1_000 + hour).unwrap();
        assert_eq!(second.filter.after, Some(Timestamp::from_micros(10)));
        for other in [after(9), after(10 + 2 * hour), search("disk")] {
            assert!(matches!(
                resumed(cursor, other, 1_000 + hour),
                Err(CursorError::OtherSearch)
            ));
        }
    }

    #[test]
    fn a_pattern_may_fit_more_topics_later() {
        let asked = |topics: &[&str], asked: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let filter = Filter {
                topics: owned(topics),
                topics_asked: owned(asked),
                ..Filter::default()
            };
            Search {
                filter,
                ..search("disk")
            }
        };
        let cursor = Cursor::new(&asked(&["zone-a"], &["zone-*", "yard"]), Place::at(5));
        let grown = resumed(cursor, asked(&["zone-a", "zone-b"], &["yard", "zone-*"]), 0).unwrap();
        assert_eq!(grown.filter.topics, ["zone-a", "zone-b"]);
        let other = resumed(cursor, asked(&["zone-a"], &["zone-a"]), 0);
        assert!(matches!(other, Err(CursorError::OtherSearch)));
    }

    proptest! {
        #[test]
        fn cursors_round_trip(offset in 0_usize..1_000_000, now in any::<i64>()) {
            let filter = Filter { after: (now % 2 == 0).then_some(Timestamp::from_micros(now / 2)), ..Filter::default() };
            let search = Search { now: Timestamp::from_micros(now), filter, ..search("x") };
            let hits: Vec<_> = (0..u32::try_from(offset % 7).unwrap()).map(MemoryNumber).collect();
            let place = if hits.is_empty() { Place::at(offset) } else { Place::behind(&hits, u32::MAX - 1) };
            let cursor = Cursor::new(&search, place);
            prop_assert_eq!(Cursor::parse(&cursor.to_string()).unwrap(), cursor);
        }

        #[test]
        fn other_texts_are_damaged(text in "A[A-Za-z0-9_-]{20,40}|\\PC{0,40}") {
            if let Ok(cursor) = Cursor::parse(&text) {
                prop_assert_eq!(cursor.to_string(), text.trim());
            }
        }
    }
}
