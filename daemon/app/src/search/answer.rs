//! What a search found, as it is told.

use std::time::Duration;

use helix_engine::{Evidence, Factors, Hit, LexicalQuery, WordsFound};
use helix_memory::MemoryNumber;
use helix_proto::limits::LINE_SHOWN_MAX_CHARS;
use helix_surface::snippet::{Snippet, snippet};

use super::{Found, Prepared};
use crate::shown::{self, TextShown};
use crate::told::Told;
use crate::{App, find};

/// Said where nothing has any of the words, and what is shown is not near in meaning either.
const NOTHING_NEAR: &str = "nothing matches: no memory has any of these words, and none is near in meaning; the least far are shown";

/// Copies of a hit that are named.
const ALSO_IN_MAX: usize = 3;

/// Said of a last page.
const ENDS_EARLY: &str =
    "pages end here, but more match: narrow the query, filter it, or count the matches";

/// What a hit has of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// Nothing was asked for that it could have.
    Unspecified,
    /// Nothing was found, and it is among the least far.
    Far,
    /// The words.
    Words,
    /// Some of the words.
    SomeWords,
    /// It is near in meaning.
    Meaning,
    /// It has the words and is near in meaning.
    Both,
    /// It is related to a hit that has some of it.
    Relation,
}

/// Why a hit is where it is.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What the lists said.
    pub evidence: Evidence,
    /// What moved the score.
    pub factors: Factors,
    /// The share that is left of it where it resembles a hit before it.
    pub likeness: f32,
    /// The share that is left of it where several hits before it are of its topic.
    pub of_topic: f32,
    /// The terms of the word index that it has.
    pub matched_terms: Vec<String>,
    /// The words of its text that these are.
    pub matched_words: Vec<String>,
    /// Where it came along with another hit: that one's handle, and how it is related to this one.
    pub related: Option<(String, &'static str)>,
}

/// A hit as it is told.
#[derive(Clone, Debug)]
pub struct ToldHit {
    /// The memory.
    pub told: Told,
    /// About 1 for the best possible.
    pub score: f32,
    /// Why it is there, where that was asked for.
    pub explanation: Option<Explanation>,
    /// What it has of what was asked for.
    pub found_by: FoundBy,
    /// True if only a part of its text is told.
    pub is_cut: bool,
    /// Handles of memories that say the same, for which it stands; some of them.
    pub also_in: Vec<String>,
    /// The number of those memories.
    pub copies: usize,
    /// The sentences around the words that were asked for, where what is shown of the text has none
    /// of them; empty where it has.
    pub passage: String,
}

/// The memories that were found.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Best first.
    pub hits: Vec<ToldHit>,
    /// True if no memory has all of the words, so that any was enough.
    pub fell_back_to_any: bool,
    /// Notes for the caller.
    pub notes: Vec<String>,
    /// Where the next page begins; empty where there is none.
    pub next_cursor: String,
    /// How long the vector of the query took.
    pub embedding: Duration,
}

/// Tells what was found.
pub(super) fn answer(app: &App, prepared: &Prepared, found: Found) -> Answer {
    let query = prepared.query();
    let positions = app
        .memory
        .strand
        .hit_positions(&found.hits, &prepared.asker.project.scopes());
    let is_listing = prepared.search.is_listing() || found.is_listed;
    // A snippet that fits a budget is such a part already.
    let has_passages = !is_listing && found.snippets.is_none();
    let explanation = |hit: &Hit| Explanation {
        evidence: hit.evidence,
        factors: hit.factors,
        likeness: hit.likeness,
        of_topic: hit.of_topic,
        matched_terms: app.memory.strand.matched_terms(&query, &hit.memory),
        matched_words: query.matched_words(&hit.memory.text),
        related: related(app, &found.hits, hit),
    };
    let told = |hit: &Hit| {
        let index = positions.get(&hit.memory.number).copied();
        ToldHit {
            told: Told {
                index,
                source: hit.source_state,
                ..Told::of(app, &hit.memory)
            },
            score: hit.score,
            explanation: prepared.explain.then(|| explanation(hit)),
            found_by: match (is_listing, found.is_far) {
                (true, _) => FoundBy::Unspecified,
                (false, true) => FoundBy::Far,
                (false, false) => found_by(hit),
            },
            is_cut: false,
            also_in: also_in(app, &hit.copies),
            copies: hit.copies.len(),
            passage: if has_passages {
                passage(&query, prepared.shown, &hit.memory.text)
            } else {
                String::new()
            },
        }
    };
    let mut hits: Vec<ToldHit> = found.hits.iter().map(told).collect();
    if let Some(snippets) = found.snippets {
        shorten(&mut hits, snippets, prepared.shown);
    }
    let ends = [
        found.ends_early.then_some(ENDS_EARLY),
        found.is_far.then_some(NOTHING_NEAR),
    ];
    Answer {
        hits,
        fell_back_to_any: found.words == WordsFound::OnlyAny,
        notes: found
            .notes
            .into_iter()
            .chain(ends.into_iter().flatten().map(str::to_owned))
            .collect(),
        next_cursor: found.next_cursor,
        ..Answer::default()
    }
}

/// The sentences of a text around the words of a query, where they have more of these than the part
/// that is shown.
fn passage(query: &LexicalQuery, shown: TextShown, text: &str) -> String {
    let Some(opening) = shown::opening(shown, text).filter(|opening| opening.len() < text.len())
    else {
        return String::new();
    };
    let around = snippet(text, Some(query), LINE_SHOWN_MAX_CHARS).text;
    let words_in = |part: &str| query.matched_words(part).len();
    if words_in(&around) > words_in(&opening) {
        around
    } else {
        String::new()
    }
}

/// The handles of the first copies; of none where they cannot be read.
fn also_in(app: &App, copies: &[MemoryNumber]) -> Vec<String> {
    if copies.is_empty() {
        return Vec::new();
    }
    let named = copies.get(..ALSO_IN_MAX).unwrap_or(copies);
    find::handles(app, named).unwrap_or_default()
}

/// Tells of each hit the part that has room, all of it also where only an opening is shown.
fn shorten(hits: &mut [ToldHit], snippets: Vec<Snippet>, shown: TextShown) {
    for (hit, snippet) in hits.iter_mut().zip(snippets) {
        hit.is_cut = !snippet.is_whole;
        let opening = shown::opening(shown, &snippet.text);
        let is_longer = opening.is_some_and(|opening| opening.len() < snippet.text.len());
        if shown == TextShown::Opening && is_longer {
            hit.passage.clone_from(&snippet.text);
        }
        hit.told.memory.text = snippet.text;
    }
}

/// From which memory, and by which relation, a hit came along.
fn related(app: &App, hits: &[Hit], hit: &Hit) -> Option<(String, &'static str)> {
    let expansion = hit.expansion?;
    let shown = hits.iter().find(|hit| hit.memory.number == expansion.from);
    let handle = match shown {
        Some(shown) => shown.memory.handle.as_str().to_owned(),
        // It stands on a page before.
        None => find::some_handles(app, [expansion.from].into_iter(), 1).ok()?,
    };
    Some((handle, expansion.relation()))
}

/// Returns what a hit has of what was asked for. Where all words were wanted and found, one that
/// lacks some has some of them, whether it is near in meaning or not; one that has none is no more
/// than near.
fn found_by(hit: &Hit) -> FoundBy {
    if hit.expansion.is_some() && !hit.has_some_words {
        return FoundBy::Relation;
    }
    match (hit.has_words, hit.evidence.is_near()) {
        (true, true) => FoundBy::Both,
        (true, false) => FoundBy::Words,
        (false, _) if hit.has_some_words => FoundBy::SomeWords,
        (false, _) => FoundBy::Meaning,
    }
}
