//! `Search`: parse, embed, recall.

pub(super) mod demands;
mod near;
pub(super) mod slips;
mod tags;
mod topics;

pub(super) use self::topics::resolve as resolve_topics;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_app::limit::Limit;
use helix_app::shown::TextShown;
use helix_app::told::Told;
use helix_app::{Refusal, scopes, shown};
use helix_engine::index::lexical::Mode as WordMode;
use helix_engine::model::MemoryNumber;
use helix_engine::recall::parse::parse;
use helix_engine::recall::relevance::is_noise;
use helix_engine::recall::{Calendar, Cursor, Hit, Mode, Place, Recalled, Retriever, Search, WordsFound, depth_max};
use helix_engine::strand::Counted;
use helix_engine::{error::ErrorKind, index::filter::Filter};
use helix_proto::limits::{QUERY_MAX_BYTES, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX};
use helix_proto::standing::{BY_WORDS_ONLY, VECTORS_LACKING};
use helix_proto::v1;

use super::{convert, off_thread};
use crate::embedder::State;
use crate::runtime::{Asker, Runtime};
use helix_app::sources::SEARCH_READ_MAX_BYTES;

/// How long a search waits for its query's vector; the embedder finishes a background batch first.
const EMBED_DEADLINE: Duration = Duration::from_secs(2);

/// Said with a count where meaning, which has no end that could be counted, finds more.
const COUNTED_BY_WORDS: &str = "counted by words; more may be near in meaning";

/// Said where nothing has any of the words, and what is shown is not near in meaning either.
const NOTHING_NEAR: &str =
    "nothing matches: no memory has any of these words, and none is near in meaning; the least far are shown";

/// Said of a last page.
const ENDS_EARLY: &str = "pages end here, but more match: narrow the query, filter it, or count the matches";

/// Hits that are shown of those.
const FAR_SHOWN_MAX: usize = 3;

/// Said where a page cannot be sure of what the pages before showed.
const HAS_MOVED: &str =
    "memories changed since the page before: a hit may come twice or be missing; search anew to be sure";

/// Hits returned.
const LIMIT: Limit = Limit { default: SEARCH_LIMIT_DEFAULT, max: SEARCH_LIMIT_MAX };

/// A request made ready.
pub(super) struct Prepared {
    search: Search,
    cursor: Option<Cursor>,
    explain: bool,
    passive: bool,
    /// How much of the texts the asker is shown.
    shown: TextShown,
    /// Whose files are looked at, and in whose scopes the places in topics are counted.
    pub(super) asker: Asker,
    /// What there is to say about the topics that it names, and about words that were meant otherwise.
    notes: Vec<String>,
}

/// What a request found, as the engine has it.
pub(super) struct Found {
    /// Best first.
    pub(super) hits: Vec<Hit>,
    /// What whoever asked should know.
    pub(super) notes: Vec<String>,
    /// Whether none of the hits has any of the words or is near in meaning, of which no note says anything yet.
    pub(super) is_far: bool,
    /// Whether no further page shows all that matches, of which no note says anything yet either.
    pub(super) ends_early: bool,
    words: WordsFound,
    /// Where the next page begins; empty where there is none.
    pub(super) next_cursor: String,
    /// How many more match in topics that have as many hits as one may.
    pub(super) hidden: Vec<Counted>,
}

/// An answer, and how long its query's vector took.
pub(super) struct Answered<T> {
    /// What was made of the hits.
    pub(super) answer: T,
    embed_us: u64,
}

impl Prepared {
    /// Whether meaning is asked for, and was for the pages before.
    fn wants_meaning(&self) -> bool {
        let began_by_meaning = self.cursor.is_none_or(|cursor| cursor.by_meaning);
        self.search.retriever != Retriever::Words && !self.search.is_listing() && began_by_meaning
    }

    /// Whether the answer would be another one without meaning.
    fn needs_meaning(&self) -> bool {
        self.search.retriever == Retriever::Meaning || self.cursor.is_some_and(|cursor| cursor.by_meaning)
    }
}

/// Searches.
pub(super) async fn search(runtime: &Arc<Runtime>, request: v1::SearchRequest) -> Result<v1::SearchReply, Refusal> {
    let started = Instant::now();
    if request.count_only {
        let counted = off_thread(runtime, move |runtime| count(runtime, &request)).await?;
        return Ok(v1::SearchReply { search_us: micros(started.elapsed()), ..counted });
    }
    let Answered { answer, embed_us } = answered(runtime, request, reply).await?;
    Ok(v1::SearchReply { embed_us, search_us: micros(started.elapsed()).saturating_sub(embed_us), ..answer })
}

/// Searches, and makes an answer on the thread that found the hits.
pub(super) async fn answered<T: Send + 'static>(
    runtime: &Arc<Runtime>,
    request: v1::SearchRequest,
    answer: impl FnOnce(&Runtime, &Prepared, Found) -> T + Send + 'static,
) -> Result<Answered<T>, Refusal> {
    let mut prepared = off_thread(runtime, move |runtime| prepare(runtime, &request)).await?;
    let embed_started = Instant::now();
    let mut notes: Vec<String> = std::mem::take(&mut prepared.notes);
    if prepared.wants_meaning() {
        prepared.search.vector = runtime.app.memory.embedder.query(prepared.search.words.trim(), EMBED_DEADLINE).await;
        if prepared.search.vector.is_none() {
            if prepared.needs_meaning() {
                return Err(Refusal::unavailable(format!("cannot search by meaning: {}", why_no_meaning(runtime))));
            }
            notes.push(format!("{BY_WORDS_ONLY}: {}", why_no_meaning(runtime)));
        }
    }
    let embed_us = micros(embed_started.elapsed());
    off_thread(runtime, move |runtime| {
        let found = recall(runtime, &prepared, notes)?;
        Ok(Answered { answer: answer(runtime, &prepared, found), embed_us })
    })
    .await
}

/// Counts every match.
fn count(runtime: &Runtime, request: &v1::SearchRequest) -> Result<v1::SearchReply, Refusal> {
    if !request.cursor.is_empty() {
        return Err(Refusal::invalid("a count is complete at once; give no cursor with it"));
    }
    let Prepared { search, notes, .. } = prepare(runtime, request)?;
    let counts = runtime.app.memory.strand.count(&search).map_err(|error| Refusal::of(error.kind(), &error))?;
    let unknown = if counts.total == 0 { tags::unknown(runtime, &search.filter) } else { None };
    let by_words = finds_more_by_meaning(&search, &runtime.embedder.state()).then(|| COUNTED_BY_WORDS.to_owned());
    Ok(v1::SearchReply {
        total: counts.total,
        topic_counts: convert::counted(counts.topics),
        fell_back_to_any: counts.fell_back_to_any,
        notes: notes.into_iter().chain(unknown).chain(by_words).collect(),
        ..v1::SearchReply::default()
    })
}

/// Whether the search that is counted would find more than the words do.
fn finds_more_by_meaning(search: &Search, embedder: &State) -> bool {
    let is_on = match embedder {
        State::Ready(_) | State::Loading => true,
        State::Off | State::Absent(_) | State::Failed(_) => false,
    };
    is_on && !search.is_listing() && search.retriever != Retriever::Words && search.mode != Mode::All
}

fn prepare(runtime: &Runtime, request: &v1::SearchRequest) -> Result<Prepared, Refusal> {
    if request.query.len() > QUERY_MAX_BYTES {
        let message =
            format!("the query has {} bytes, the limit is {QUERY_MAX_BYTES}; shorten it", request.query.len());
        return Err(Refusal::exhausted(message));
    }
    let limit = LIMIT.read(request.limit)?;
    let asker = runtime.asker(request.caller.as_ref());
    let cursor = Some(&request.cursor).filter(|cursor| !cursor.is_empty()).map(|text| Cursor::parse(text)).transpose();
    let cursor = cursor.map_err(|error| Refusal::of(error.kind(), &error))?;
    let now = cursor.map_or_else(|| runtime.now(), |cursor| cursor.now);
    let calendar = Calendar::new(asker.zone.clone(), now);
    let parsed = parse(&request.query, &calendar).map_err(|error| Refusal::of(error.kind(), &error))?;
    let wire = request.filter.clone().unwrap_or_default();
    let mut filter = merge(convert::filter(&wire)?, parsed.filter);
    check_kinds(runtime, &filter)?;
    let names: Vec<String> = wire.scopes.iter().chain(&parsed.scopes).cloned().collect();
    filter.scopes = scopes::filtered(&asker, &names)?;
    relative_to_project(&asker, &mut filter);
    let unknown = topics::resolve(runtime, &mut filter)?;
    let mode = convert::mode(request.mode());
    let mut notes: Vec<String> = unknown.into_iter().chain(slips::of_keys(&parsed.words)).collect();
    notes.extend(demands::narrow(runtime, &mut filter, mode)?);
    let mut search = Search {
        words: parsed.words,
        vector: None,
        filter,
        limit,
        mode,
        retriever: convert::retriever(request.retriever()),
        now,
    };
    if let Some(cursor) = cursor {
        cursor.resume(&mut search, runtime.now()).map_err(|error| Refusal::of(error.kind(), &error))?;
    }
    let (explain, passive, shown) = (request.explain, request.passive, convert::text_shown(request.shown()));
    Ok(Prepared { search, cursor, explain, passive, shown, asker, notes })
}

/// Makes an absolute path a relative one, as memories name files of their project.
fn relative_to_project(asker: &Asker, filter: &mut Filter) {
    let source = filter.source.as_deref().map(Path::new);
    let inside = source.and_then(|source| source.strip_prefix(&asker.project.root).ok()).filter(|_| !is_root(asker));
    if let Some(inside) = inside.and_then(Path::to_str).filter(|inside| !inside.is_empty()) {
        filter.source = Some(inside.to_owned());
    }
}

fn is_root(asker: &Asker) -> bool {
    asker.project.root.as_os_str().is_empty()
}

/// Refuses a kind that is neither registered nor any memory's: it would quietly find nothing.
fn check_kinds(runtime: &Runtime, filter: &Filter) -> Result<(), Refusal> {
    for name in filter.kinds.iter().filter(|name| !runtime.app.memory.strand.catalog().has_kind(name)) {
        runtime.app.memory.strand.kinds().resolve(name).map_err(|error| Refusal::of(ErrorKind::Invalid, &error))?;
    }
    Ok(())
}

/// Both filters must hold.
fn merge(mut one: Filter, other: Filter) -> Filter {
    one.topics.extend(other.topics);
    one.tags.extend(other.tags);
    one.kinds.extend(other.kinds);
    if other.source.is_some() {
        (one.source, one.demands.source_line) = (other.source, other.demands.source_line);
    }
    one.demands.phrases.extend(other.demands.phrases);
    one.demands.excluded.extend(other.demands.excluded);
    one.after = one.after.max(other.after);
    one.before = match (one.before, other.before) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    one
}

fn recall(runtime: &Runtime, prepared: &Prepared, mut notes: Vec<String>) -> Result<Found, Refusal> {
    let Prepared { search, cursor, passive, asker, .. } = prepared;
    let place = cursor.map_or_else(Place::default, |cursor| cursor.place);
    let is_first = place == Place::default();
    let look = runtime.app.memory.sources.look(&asker.project, SEARCH_READ_MAX_BYTES);
    let found = runtime.app.memory.strand.search_page(search, place, &look);
    let mut found = found.map_err(|error| Refusal::of(error.kind(), &error))?;
    let is_far = found.words == WordsFound::Nothing && is_first && is_noise(&runtime.app.memory.strand, &found.hits);
    if is_far {
        found.hits.truncate(FAR_SHOWN_MAX);
        (found.has_more, found.is_cut) = (false, false);
    }
    let numbers: Vec<MemoryNumber> = found.hits.iter().map(|hit| hit.memory.number).collect();
    // What was not meant does not count as recalled.
    if !passive && !is_far {
        runtime.app.memory.strand.catalog_touch(&numbers, runtime.now());
    }
    shown::note(&runtime.app, asker, prepared.shown, &numbers);
    let (next_cursor, ends_early) = continuation(search, &found, is_first);
    if found.has_moved {
        notes.push(HAS_MOVED.to_owned());
    }
    if found.hits.is_empty() && is_first {
        notes.extend(tags::unknown(runtime, &search.filter));
    }
    if found.words == WordsFound::Nothing && !found.hits.is_empty() && !is_far {
        notes.push("no memory has any of these words; these are near in meaning".to_owned());
    }
    if search.vector.is_some() && runtime.app.memory.strand.lacks_vectors() {
        notes.push(VECTORS_LACKING.to_owned());
    }
    Ok(Found { hits: found.hits, notes, is_far, ends_early, words: found.words, next_cursor, hidden: found.hidden })
}

fn reply(runtime: &Runtime, prepared: &Prepared, found: Found) -> v1::SearchReply {
    let query = prepared.search.query(WordMode::Any);
    let positions = runtime.app.memory.strand.hit_positions(&found.hits, &prepared.asker.project.scopes());
    let matched = |hit: &Hit| runtime.app.memory.strand.matched_terms(&query, &hit.memory);
    // The least far are not near.
    let is_unmarked = prepared.search.is_listing() || found.is_far;
    let wire = |hit: &Hit| {
        let index = positions.get(&hit.memory.number).copied();
        let told = Told { index, source: hit.source_state, ..Told::of(&runtime.app, &hit.memory) };
        v1::Hit {
            memory: Some(convert::told(&told)),
            score: hit.score,
            explanation: prepared
                .explain
                .then(|| convert::explanation(hit, matched(hit), query.matched_words(&hit.memory.text))),
            found_by: found_by(hit, is_unmarked).into(),
        }
    };
    let ends = [found.ends_early.then_some(ENDS_EARLY), found.is_far.then_some(NOTHING_NEAR)];
    v1::SearchReply {
        hits: found.hits.iter().map(wire).collect(),
        fell_back_to_any: found.words == WordsFound::OnlyAny,
        notes: found.notes.into_iter().chain(ends.into_iter().flatten().map(str::to_owned)).collect(),
        next_cursor: found.next_cursor,
        hidden: convert::counted(found.hidden),
        ..v1::SearchReply::default()
    }
}

/// What a hit has of what was asked for. Where all words were wanted and found, one that lacks some has some of them, whether it
/// is near in meaning or not; one that has none is no more than near.
fn found_by(hit: &Hit, is_unmarked: bool) -> v1::FoundBy {
    match (is_unmarked, hit.has_words, hit.evidence.is_near()) {
        (true, ..) => v1::FoundBy::Unspecified,
        (false, true, true) => v1::FoundBy::Both,
        (false, true, false) => v1::FoundBy::Words,
        (false, false, _) if hit.has_some_words => v1::FoundBy::SomeWords,
        (false, false, _) => v1::FoundBy::Meaning,
    }
}

/// Where to go on after these hits, and whether they end although more match.
fn continuation(search: &Search, found: &Recalled, is_first: bool) -> (String, bool) {
    if found.has_more && found.next.offset < depth_max(search) {
        return (Cursor::new(search, found.next).to_string(), false);
    }
    // Whoever turns pages or takes the largest wants to see everything; others see the best.
    let wants_all = !is_first || search.limit >= SEARCH_LIMIT_MAX as usize;
    (String::new(), found.has_more || (found.is_cut && wants_all))
}

fn why_no_meaning(runtime: &Runtime) -> String {
    match runtime.embedder.state() {
        State::Off => "the embedder is switched off".to_owned(),
        State::Absent(why) | State::Failed(why) => why,
        State::Loading => "the model is still loading".to_owned(),
        State::Ready(_) => "the embedder is busy".to_owned(),
    }
}

fn micros(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_engine::model::{Actor, Origin, Scope, Timestamp};

    use super::*;
    use helix_app::project::Project;

    fn disk() -> Search {
        Search {
            words: "disk".to_owned(),
            vector: None,
            filter: Filter::default(),
            limit: 10,
            mode: Mode::Auto,
            retriever: Retriever::Hybrid,
            now: Timestamp::from_micros(1),
        }
    }

    fn prepared(cursor: Option<Cursor>) -> Prepared {
        let (name, root) = ("p".to_owned(), std::path::PathBuf::new());
        let asker = Asker {
            actor: Actor { origin: Origin::Agent, agent: String::new(), session: String::new() },
            project: Arc::new(Project { scope: Scope::Global, root, name, aliases: Vec::new() }),
            cwd: std::path::PathBuf::new(),
            zone: jiff::tz::TimeZone::UTC,
        };
        let (shown, notes) = (TextShown::Unspecified, Vec::new());
        Prepared { search: disk(), cursor, explain: false, passive: true, shown, asker, notes }
    }

    #[test]
    fn a_page_says_where_to_go_on() {
        let found =
            |has_more, is_cut, next| Recalled { has_more, is_cut, next: Place::at(next), ..Recalled::default() };
        let (cursor, ends_early) = continuation(&disk(), &found(true, true, 20), false);
        assert_eq!((Cursor::parse(&cursor).unwrap().place.offset, ends_early), (20, false));
        let largest = Search { limit: SEARCH_LIMIT_MAX as usize, ..disk() };
        assert_eq!(continuation(&disk(), &found(false, false, 20), false), (String::new(), false));
        assert_eq!(continuation(&largest, &found(false, false, 10), true), (String::new(), false));
        // The first page is not told that more match than pages reach, unless it is the largest; whoever turned pages is.
        assert_eq!(continuation(&disk(), &found(false, true, 10), true), (String::new(), false));
        let ends = [
            (disk(), found(false, true, 20), false),
            (disk(), found(true, false, depth_max(&disk())), false),
            (largest, found(false, true, 200), true),
        ];
        for (search, found, is_first) in ends {
            assert_eq!(continuation(&search, &found, is_first), (String::new(), true));
        }
    }

    #[test]
    fn a_count_says_that_meaning_finds_more() {
        let ready = State::Ready("m".to_owned());
        assert!(finds_more_by_meaning(&disk(), &ready));
        assert!(!finds_more_by_meaning(&disk(), &State::Off));
        for search in [
            Search { words: " ".to_owned(), ..disk() },
            Search { mode: Mode::All, ..disk() },
            Search { retriever: Retriever::Words, ..disk() },
        ] {
            assert!(!finds_more_by_meaning(&search, &ready), "{search:?}");
        }
    }

    #[test]
    fn further_pages_search_as_the_first_did() {
        let by_meaning = Search { vector: Some(vec![1.0]), ..disk() };
        assert!(prepared(None).wants_meaning() && !prepared(None).needs_meaning());
        let after_words = prepared(Some(Cursor::new(&disk(), Place::at(10))));
        assert!(!after_words.wants_meaning() && !after_words.needs_meaning());
        let after_meaning = prepared(Some(Cursor::new(&by_meaning, Place::at(10))));
        assert!(after_meaning.wants_meaning() && after_meaning.needs_meaning());
    }
}
