//! `Search`: parse, embed, recall.

mod answer;
mod asked;
pub(crate) mod demands;
mod near;
pub(crate) mod slips;
mod tags;
mod topics;
mod why_not;

pub use self::answer::{Answer, Explanation, FoundBy, ToldHit};
pub use self::asked::FilterAsked;
pub(crate) use self::topics::resolve as resolve_topics;
pub use self::why_not::{WhyNot, why_not};

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{OptionFuture, try_join};
use helix_engine::{
    Calendar, Counted, Cursor, Filter, Hit, HitPlace as Place, LexicalQuery, Mode, ParsedQuery,
    Recalled, Retriever, Search, TextVectors, Vantage, Weigher, WordsFound, WordsMode as WordMode,
};
use helix_memory::{ErrorKind, MemoryNumber, Status};
use helix_proto::limits::{QUERY_MAX_BYTES, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX};
use helix_proto::standing::{BY_WORDS_ONLY, VECTORS_LACKING};
use helix_surface::budget::{Fitted, fit};
use helix_surface::snippet::Snippet;
use jiff::tz::TimeZone;

use crate::limit::Limit;
use crate::moment::{self, At};
use crate::ports::EmbedderState;
use crate::shown::{self, TextShown};
use crate::sources::{Look, SEARCH_READ_MAX_BYTES};
use crate::threads::off_thread;
use crate::{App, Asker, Refusal, context, lifecycle, scopes};

/// How long a search waits for its query's vector; the embedder finishes a background batch first.
const EMBED_DEADLINE: Duration = Duration::from_secs(2);

/// Said with a count where meaning, which has no end that could be counted, finds more.
const COUNTED_BY_WORDS: &str = "counted by words; more may be near in meaning";

/// Hits that are shown where nothing has any of the words and nothing is near in meaning either.
const FAR_SHOWN_MAX: usize = 3;

/// Said where a question's words find nothing, and what is shown is of the time that it names.
const OF_ITS_TIME: &str = "no memory has any of these words, and none is near in meaning; these are of the time asked for, newest first";

/// Said where a page cannot be sure of what the pages before showed.
const HAS_MOVED: &str = "memories changed since the page before: a hit may come twice or be missing; search anew to be sure";

/// Hits returned.
const LIMIT: Limit = Limit {
    default: SEARCH_LIMIT_DEFAULT,
    max: SEARCH_LIMIT_MAX,
};

/// What somebody searches for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Words, and filters among them.
    pub query: String,
    /// What is to be searched.
    pub filter: FilterAsked,
    /// Most hits; 0 for the usual number.
    pub limit: u32,
    /// How the words must match.
    pub mode: Mode,
    /// By what is searched.
    pub retriever: Retriever,
    /// True if each hit says why it is where it is.
    pub explain: bool,
    /// True if the hits do not count as recalled.
    pub passive: bool,
    /// Where this page begins; empty for the first.
    pub cursor: String,
    /// How much of the texts is shown to the session that asks.
    pub shown: TextShown,
    /// The moment that is looked at.
    pub at: At,
    /// How many tokens the answer may take; 0 for as many as the hits have.
    pub budget_tokens: u32,
}

/// How many match.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How many there are.
    pub total: u64,
    /// How many of each topic.
    pub topics: Vec<Counted>,
    /// True if no memory has all of the words, so that any was enough.
    pub fell_back_to_any: bool,
    /// Notes for the caller.
    pub notes: Vec<String>,
}

/// A request made ready.
pub(crate) struct Prepared {
    search: Search,
    cursor: Option<Cursor>,
    explain: bool,
    passive: bool,
    /// How much of the texts the asker is shown.
    shown: TextShown,
    /// How many tokens the answer may take, where that was said.
    budget_tokens: Option<usize>,
    /// Whose files are looked at, and in whose scopes the places in topics are counted.
    pub(crate) asker: Asker,
    /// What there is to say about the topics that it names, and about words that were meant
    /// otherwise.
    notes: Vec<String>,
}

/// What a request found, as the engine has it.
pub(crate) struct Found {
    /// Best first.
    pub(crate) hits: Vec<Hit>,
    /// The part of each hit's text that is shown, where the answer has a budget.
    pub(crate) snippets: Option<Vec<Snippet>>,
    /// Notes for the caller.
    pub(crate) notes: Vec<String>,
    /// Whether none of the hits has any of the words or is near in meaning, of which no note says
    /// anything yet.
    pub(crate) is_far: bool,
    /// True if they are listed by their time alone.
    is_listed: bool,
    /// True if no further page shows all that matches, of which no note says anything yet either.
    pub(crate) ends_early: bool,
    words: WordsFound,
    /// Where the next page begins; empty where there is none.
    pub(crate) next_cursor: String,
}

/// An answer, and how long its query's vector took.
pub(crate) struct Answered<T> {
    /// What was made of the hits.
    pub(crate) answer: T,
    embedding: Duration,
}

impl Prepared {
    /// Returns whether meaning is asked for, and was for the pages before.
    fn wants_meaning(&self) -> bool {
        let began_by_meaning = self.cursor.is_none_or(|cursor| cursor.by_meaning);
        self.search.retriever != Retriever::Words && !self.search.is_listing() && began_by_meaning
    }

    /// The words that were asked for.
    pub(crate) fn query(&self) -> LexicalQuery {
        self.search.query(WordMode::Any)
    }

    /// Returns whether the answer would be another one without meaning.
    fn needs_meaning(&self) -> bool {
        self.search.retriever == Retriever::Meaning
            || self.cursor.is_some_and(|cursor| cursor.by_meaning)
    }
}

/// A question as a vector, if it became one.
struct Embedded {
    words: String,
    vector: Option<TextVectors>,
    took: Duration,
}

/// Searches. The question is embedded while `asker` is found out.
///
/// # Errors
/// When it is not known who asks, the request cannot be read, meaning is demanded and not to be
/// had, or the disk fails.
pub async fn search(
    app: &Arc<App>,
    asker: impl Future<Output = Result<Asker, Refusal>> + Send,
    wanted: Wanted,
) -> Result<Answer, Refusal> {
    let Answered { answer, embedding } = answered(app, asker, wanted, answer::answer).await?;
    Ok(Answer {
        embedding,
        ..answer
    })
}

/// Searches, and makes an answer on the thread that found the hits.
///
/// # Errors
/// As [`search`].
pub(crate) async fn answered<T: Send + 'static>(
    app: &Arc<App>,
    asker: impl Future<Output = Result<Asker, Refusal>> + Send,
    wanted: Wanted,
    answer: impl FnOnce(&App, &Prepared, Found) -> T + Send + 'static,
) -> Result<Answered<T>, Refusal> {
    let ahead = ahead(app, &wanted).map(|words| embed(app, words));
    let ahead = async { Ok::<_, Refusal>(OptionFuture::from(ahead).await) };
    let ready = async {
        let asker = asker.await?;
        let at = wanted.at;
        let then = if at.is_now() {
            None
        } else {
            off_thread(app, move |app| moment::seen(app, at)).await?
        };
        let app = then.map_or_else(|| Arc::clone(app), Arc::new);
        let prepared = off_thread(&app, move |app| prepare(app, asker, &wanted)).await?;
        Ok((app, prepared))
    };
    let ((app, mut prepared), ahead) = try_join(ready, ahead).await?;
    let mut notes: Vec<String> = std::mem::take(&mut prepared.notes);
    let mut embedding = Duration::ZERO;
    if prepared.wants_meaning() {
        let words = prepared.search.words.trim();
        let embedded = match ahead.filter(|ahead| ahead.words == words) {
            Some(ahead) => ahead,
            None => embed(&app, words.to_owned()).await,
        };
        embedding = embedded.took;
        prepared.search.vector = embedded.vector;
        if prepared.search.vector.is_none() {
            if prepared.needs_meaning() {
                return Err(Refusal::unavailable(format!(
                    "cannot search by meaning: {}",
                    why_no_meaning(&app)
                )));
            }
            notes.push(format!("{BY_WORDS_ONLY}: {}", why_no_meaning(&app)));
        }
    }
    off_thread(&app, move |app| {
        let found = recall(app, &prepared, notes)?;
        Ok(Answered {
            answer: answer(app, &prepared, found),
            embedding,
        })
    })
    .await
}

/// The words that a first page will in all likelihood be searched for, before anything else is known
/// of it: a question's vector takes longer than the rest of its search.
fn ahead(app: &App, wanted: &Wanted) -> Option<String> {
    let is_first = wanted.cursor.is_empty() && wanted.query.len() <= QUERY_MAX_BYTES;
    if !is_first || wanted.retriever == Retriever::Words {
        return None;
    }
    // Which zone its days are of changes nothing about its words.
    let calendar = Calendar::new(TimeZone::UTC, app.memory.now());
    let words = ParsedQuery::parse(&wanted.query, &calendar).ok()?.words;
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

async fn embed(app: &App, words: String) -> Embedded {
    let started = Instant::now();
    let vector = app.memory.embedder.query(&words, EMBED_DEADLINE).await;
    Embedded {
        words,
        vector,
        took: started.elapsed(),
    }
}

/// Counts every match.
///
/// # Errors
/// When the request cannot be read, or the disk fails.
pub fn count(app: &App, asker: Asker, wanted: &Wanted) -> Result<Counts, Refusal> {
    if !wanted.cursor.is_empty() {
        return Err(Refusal::invalid(
            "a count is complete at once; give no cursor with it",
        ));
    }
    let then = moment::seen(app, wanted.at)?;
    let app = then.as_ref().unwrap_or(app);
    let Prepared { search, notes, .. } = prepare(app, asker, wanted)?;
    let counts = app.memory.strand.count(&search)?;
    let unknown = if counts.total == 0 {
        tags::unknown(app, &search.filter)
    } else {
        None
    };
    let by_words = finds_more_by_meaning(&search, &app.memory.embedder.state())
        .then(|| COUNTED_BY_WORDS.to_owned());
    Ok(Counts {
        total: counts.total,
        topics: counts.topics,
        fell_back_to_any: counts.fell_back_to_any,
        notes: notes.into_iter().chain(unknown).chain(by_words).collect(),
    })
}

/// Returns whether the search that is counted would find more than the words do.
fn finds_more_by_meaning(search: &Search, embedder: &EmbedderState) -> bool {
    let is_on = match embedder {
        EmbedderState::Ready(_) | EmbedderState::Loading => true,
        EmbedderState::Off | EmbedderState::Absent(_) | EmbedderState::Failed(_) => false,
    };
    is_on
        && !search.is_listing()
        && search.retriever != Retriever::Words
        && search.mode != Mode::All
}

fn prepare(app: &App, asker: Asker, wanted: &Wanted) -> Result<Prepared, Refusal> {
    if wanted.query.len() > QUERY_MAX_BYTES {
        let message = format!(
            "the query has {} bytes, the limit is {QUERY_MAX_BYTES}; shorten it",
            wanted.query.len()
        );
        return Err(Refusal::exhausted(message));
    }
    let budget_tokens = budget(wanted)?;
    let limit = match (wanted.limit, budget_tokens) {
        // The budget bounds the answer.
        (0, Some(_)) => SEARCH_LIMIT_MAX as usize,
        (limit, _) => LIMIT.read(limit)?,
    };
    let cursor = Some(&wanted.cursor)
        .filter(|cursor| !cursor.is_empty())
        .map(|text| Cursor::parse(text))
        .transpose()?;
    let now = cursor.map_or_else(|| app.memory.now(), |cursor| cursor.now);
    let calendar = Calendar::new(asker.zone.clone(), now);
    let parsed = ParsedQuery::parse(&wanted.query, &calendar)?;
    let mut filter = merge(wanted.filter.read()?, parsed.filter);
    check_kinds(app, &filter)?;
    let names: Vec<String> = wanted
        .filter
        .scopes
        .iter()
        .chain(&parsed.scopes)
        .cloned()
        .collect();
    filter.scopes = scopes::filtered(&asker, &names)?;
    filter.moment = app.memory.strand.moment();
    relative_to_project(&asker, &mut filter);
    let unknown = topics::resolve(app, &mut filter)?;
    let Wanted {
        mode,
        retriever,
        explain,
        passive,
        shown,
        ..
    } = *wanted;
    let mut notes: Vec<String> = unknown
        .into_iter()
        .chain(slips::of_keys(&parsed.words))
        .collect();
    notes.extend(demands::narrow(app, &mut filter, mode)?);
    let branch = asker.actor.git.branch.clone();
    let vantage = Vantage {
        period: parsed.period,
        ..Vantage::of(asker.project.names(), branch)
    };
    let mut search = Search {
        words: parsed.words,
        vector: None,
        filter,
        limit,
        mode,
        retriever,
        now,
        vantage,
    };
    if let Some(cursor) = cursor {
        cursor.resume(&mut search, app.memory.now())?;
    }
    Ok(Prepared {
        search,
        cursor,
        explain,
        passive,
        shown,
        budget_tokens,
        asker,
        notes,
    })
}

/// Reads how many tokens an answer may take.
fn budget(wanted: &Wanted) -> Result<Option<usize>, Refusal> {
    if wanted.budget_tokens == 0 {
        return Ok(None);
    }
    if !wanted.cursor.is_empty() {
        return Err(Refusal::invalid(
            "an answer in a budget has no pages; give a larger budget, or no budget with the cursor",
        ));
    }
    context::budget(wanted.budget_tokens).map(|tokens| Some(tokens as usize))
}

/// Makes an absolute path a relative one, as memories name files of their project.
fn relative_to_project(asker: &Asker, filter: &mut Filter) {
    let source = filter.source.as_deref().map(Path::new);
    let inside = source
        .and_then(|source| source.strip_prefix(&asker.project.root).ok())
        .filter(|_| !is_root(asker));
    if let Some(inside) = inside
        .and_then(Path::to_str)
        .filter(|inside| !inside.is_empty())
    {
        filter.source = Some(inside.to_owned());
    }
}

fn is_root(asker: &Asker) -> bool {
    asker.project.root.as_os_str().is_empty()
}

/// Refuses a kind that is neither registered nor any memory's: it would quietly find nothing.
fn check_kinds(app: &App, filter: &Filter) -> Result<(), Refusal> {
    for name in filter
        .kinds
        .iter()
        .filter(|name| !app.memory.strand.catalog().has_kind(name))
    {
        app.memory
            .strand
            .kinds()
            .resolve(name)
            .map_err(|error| Refusal::of(ErrorKind::Invalid, &error))?;
    }
    Ok(())
}

/// Both filters must hold.
fn merge(mut one: Filter, other: Filter) -> Filter {
    one.topics.extend(other.topics);
    one.tags.extend(other.tags);
    one.kinds.extend(other.kinds);
    one.statuses.extend(other.statuses);
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

fn recall(app: &App, prepared: &Prepared, mut notes: Vec<String>) -> Result<Found, Refusal> {
    let Prepared {
        search,
        cursor,
        passive,
        asker,
        ..
    } = prepared;
    let place = cursor.map_or_else(Place::default, |cursor| cursor.place);
    let is_first = place == Place::default();
    let look = app
        .memory
        .sources
        .look(&asker.project, SEARCH_READ_MAX_BYTES);
    let found = app.memory.strand.search_page(search, place, &look)?;
    let (mut found, nearness) = if is_first {
        or_of_its_time(app, search, found, &look)?
    } else {
        (found, Nearness::Meant)
    };
    let is_listed = nearness == Nearness::OfItsTime;
    let is_far = nearness == Nearness::Far;
    if is_listed {
        notes.push(OF_ITS_TIME.to_owned());
    }
    let matching = found.hits.len();
    let snippets = prepared
        .budget_tokens
        .map(|tokens| fitted(&mut found, &prepared.query(), tokens));
    if snippets.is_some() && !is_far {
        notes.extend(said_of_left_out(matching - found.hits.len()));
    }
    let numbers: Vec<MemoryNumber> = found.hits.iter().map(|hit| hit.memory.number).collect();
    // What was not meant does not count as recalled.
    if !passive && !is_far {
        app.memory.strand.catalog_touch(&numbers, app.memory.now());
        let recalled = lifecycle::recall(app, &asker.actor, &numbers)?;
        notes.extend(said_of_recalled(recalled.len()));
    }
    match &snippets {
        None => shown::note(app, asker, prepared.shown, &numbers),
        Some(snippets) => shown::note(app, asker, prepared.shown, &whole(&numbers, snippets)),
    }
    let (next_cursor, ends_early) = continuation(search, &found, is_first);
    if found.has_moved {
        notes.push(HAS_MOVED.to_owned());
    }
    if found.hits.is_empty() && is_first {
        notes.extend(tags::unknown(app, &search.filter));
        notes.extend(said_of_archived(app, search)?);
    }
    if found.words == WordsFound::Nothing && !found.hits.is_empty() && !is_far {
        notes.push("no memory has any of these words; these are near in meaning".to_owned());
    }
    if search.vector.is_some() && app.memory.strand.lacks_vectors() {
        notes.push(VECTORS_LACKING.to_owned());
    }
    Ok(Found {
        hits: found.hits,
        snippets,
        notes,
        is_far,
        is_listed,
        ends_early,
        words: found.words,
        next_cursor,
    })
}

/// The nearness of a first page to what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nearness {
    /// It answers, as far as a search can tell; or there is nothing.
    Meant,
    /// None of it has the words, and all is of the time that was named.
    OfItsTime,
    /// It has none of the words, and is not near in meaning.
    Far,
}

/// The first page as it was found; where that answers nothing, the memories of the time that a
/// question names, else the few that are least far.
fn or_of_its_time(
    app: &App,
    search: &Search,
    mut found: Recalled,
    look: &Look<'_>,
) -> Result<(Recalled, Nearness), Refusal> {
    let strand = &app.memory.strand;
    let is_far = found.words == WordsFound::Nothing && Weigher::is_noise(strand, &found.hits);
    if !is_far && !found.hits.is_empty() {
        return Ok((found, Nearness::Meant));
    }
    let is_question = search.mode == Mode::Auto && search.retriever == Retriever::Hybrid;
    if let Some(listing) = search.of_its_time().filter(|_| is_question) {
        let of_time = strand.search_page(&listing, Place::default(), look)?;
        if !of_time.hits.is_empty() {
            let whole = Recalled {
                has_more: false,
                ..of_time
            };
            return Ok((whole, Nearness::OfItsTime));
        }
    }
    if !is_far {
        return Ok((found, Nearness::Meant));
    }
    found.hits.truncate(FAR_SHOWN_MAX);
    (found.has_more, found.is_cut) = (false, false);
    Ok((found, Nearness::Far))
}

/// Keeps the hits that fit into a budget; returns the part of each that is shown. No page follows.
fn fitted(found: &mut Recalled, query: &LexicalQuery, budget_tokens: usize) -> Vec<Snippet> {
    (found.has_more, found.is_cut) = (false, false);
    let fitted = fit(&found.hits, query, budget_tokens);
    let mut snippets = Vec::with_capacity(fitted.len());
    let mut kept = Vec::with_capacity(fitted.len());
    let mut hits: Vec<Option<Hit>> = std::mem::take(&mut found.hits)
        .into_iter()
        .map(Some)
        .collect();
    for Fitted { at, snippet } in fitted {
        if let Some(hit) = hits.get_mut(at).and_then(Option::take) {
            kept.push(hit);
            snippets.push(snippet);
        }
    }
    found.hits = kept;
    snippets
}

/// The memories whose texts are shown to their ends.
fn whole(numbers: &[MemoryNumber], snippets: &[Snippet]) -> Vec<MemoryNumber> {
    let shown = numbers.iter().zip(snippets);
    shown
        .filter(|(_, snippet)| snippet.is_whole)
        .map(|(number, _)| *number)
        .collect()
}

/// Says how many hits a budget leaves out.
fn said_of_left_out(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 more was found: it is weaker or has no room".to_owned()),
        _ => Some(format!(
            "{count} more were found: they are weaker or have no room"
        )),
    }
}

/// Says that memories were archived until now.
fn said_of_recalled(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 of these was archived; it is active again".to_owned()),
        _ => Some(format!(
            "{count} of these were archived; they are active again"
        )),
    }
}

/// Says how many archived memories match where nothing else does.
fn said_of_archived(app: &App, search: &Search) -> Result<Option<String>, Refusal> {
    if !search.filter.statuses.is_empty() {
        return Ok(None);
    }
    let mut archived = search.clone();
    archived.filter.statuses = vec![Status::Archived];
    Ok(match app.memory.strand.count(&archived)?.total {
        0 => None,
        1 => Some("1 archived memory matches: search with status:archived".to_owned()),
        count => Some(format!(
            "{count} archived memories match: search with status:archived"
        )),
    })
}

/// Where to go on after these hits, and whether they end although more match.
fn continuation(search: &Search, found: &Recalled, is_first: bool) -> (String, bool) {
    if found.has_more && found.next.offset < search.depth_max() {
        return (Cursor::new(search, found.next).to_string(), false);
    }
    // Whoever turns pages or takes the largest wants to see everything; others see the best.
    let wants_all = !is_first || search.limit >= SEARCH_LIMIT_MAX as usize;
    (String::new(), found.has_more || (found.is_cut && wants_all))
}

fn why_no_meaning(app: &App) -> String {
    match app.memory.embedder.state() {
        EmbedderState::Off => "the embedder is switched off".to_owned(),
        EmbedderState::Absent(why) | EmbedderState::Failed(why) => why,
        EmbedderState::Loading => "the model is still loading".to_owned(),
        EmbedderState::Ready(_) => "the embedder is busy".to_owned(),
    }
}

#[cfg(test)]
mod tests;
