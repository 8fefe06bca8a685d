//! Why a search does not find a memory, in words.

use std::future::ready;
use std::sync::Arc;

use helix_engine::{
    Behind, Filter, FilterCut as Cut, HitFate as Fate, HitStanding as Standing, Resolution,
    Retriever, Search,
};
use helix_memory::{Memory, MemoryNumber, Scope, Status};
use helix_neutral::quoted;
use helix_proto::ordinal::ordinal;

use super::{FAR_SHOWN_MAX, Found, Prepared, Wanted, answered};
use crate::sources::SEARCH_READ_MAX_BYTES;
use crate::told::Told;
use crate::{App, Asker, Refusal, find};

/// What a search makes of one memory.
#[derive(Clone, Debug)]
pub struct WhyNot {
    /// The memory.
    pub memory: Told,
    /// Its place in the answer from 1; 0 where the search does not show it.
    pub place: usize,
    /// The reason in one word, for programs.
    pub reason: &'static str,
    /// The reason in a sentence.
    pub why: String,
    /// How it is found after all; empty where nothing is to be done.
    pub advice: String,
    /// Its place by words.
    pub words: Option<Standing>,
    /// Its place by meaning.
    pub meaning: Option<Standing>,
}

/// A reason before it is told.
struct Reason {
    word: &'static str,
    why: String,
    advice: String,
}

impl Reason {
    fn new(word: &'static str, why: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            word,
            why: why.into(),
            advice: advice.into(),
        }
    }
}

/// Says why a search does not find a memory. It counts as no recall of anything.
///
/// # Errors
/// When the reference names no single memory, the request cannot be read, or the disk fails.
pub async fn why_not(
    app: &Arc<App>,
    asker: Asker,
    reference: String,
    wanted: Wanted,
) -> Result<WhyNot, Refusal> {
    if !wanted.cursor.is_empty() {
        return Err(Refusal::invalid(
            "a memory is looked for in the whole answer; give no cursor with it",
        ));
    }
    let wanted = Wanted {
        passive: true,
        ..wanted
    };
    let answer = move |app: &App, prepared: &Prepared, found: Found| {
        let number = named(app, &prepared.asker, &reference)?;
        explained(app, prepared, &found, number)
    };
    answered(app, ready(Ok(asker)), wanted, answer)
        .await?
        .answer
}

fn named(app: &App, asker: &Asker, reference: &str) -> Result<MemoryNumber, Refusal> {
    match find::resolve(app, reference, asker)? {
        Resolution::One(number) => Ok(number),
        Resolution::Several(numbers) => Err(find::ambiguous(app, reference, &numbers)?),
        Resolution::None => Err(Refusal::not_found(format!(
            "nothing is called {} here: it was never stored, or it was purged",
            quoted(reference)
        ))),
    }
}

fn explained(
    app: &App,
    prepared: &Prepared,
    found: &Found,
    number: MemoryNumber,
) -> Result<WhyNot, Refusal> {
    let mut search = prepared.search.clone();
    if found.is_far {
        search.limit = search.limit.min(FAR_SHOWN_MAX);
    }
    let told = app.memory.strand.memories(&[number])?.pop();
    let Some(memory) = told else {
        return Err(Refusal::not_found(
            "the memory cannot be read; run `helixctl doctor --deep`",
        ));
    };
    let look = app
        .memory
        .sources
        .look(&prepared.asker.project, SEARCH_READ_MAX_BYTES);
    let outcome = app.memory.strand.why_not(&search, number, &look)?;
    let place = if let Fate::Shown(place) = outcome.fate {
        place
    } else {
        0
    };
    let standing = standing(&search, &outcome);
    let reason = match outcome.fate {
        Fate::Shown(place) => shown(place),
        Fate::Filtered(Cut::Status) => of_status(&memory, &search.filter),
        Fate::Filtered(cut) => of_filter(cut, &memory, &search.filter),
        Fate::Far => far(&standing),
        Fate::LacksWords => lacks_words(),
        Fate::Unrelated(floor) => unrelated(floor, &standing),
        Fate::SomeWords => some_words(&standing),
        Fate::Behind(_) | Fate::Copy(..) if found.is_far => noise(),
        Fate::Copy(of, place) => copied(app, &search, of, place)?,
        Fate::Behind(behind) => self::behind(app, &search, &behind)?,
        Fate::Deep => deep(),
    };
    Ok(WhyNot {
        memory: Told::of(app, &memory),
        place,
        reason: reason.word,
        why: reason.why,
        advice: reason.advice,
        words: outcome.words,
        meaning: outcome.meaning,
    })
}

fn shown(place: usize) -> Reason {
    Reason::new("found", format!("it is found, in place {place}"), "")
}

/// A memory of another status than those that are searched.
fn of_status(memory: &Memory, filter: &Filter) -> Reason {
    let handle = memory.handle.as_str();
    let (why, advice) = match memory.status {
        Status::Active => {
            let asked: Vec<&str> = filter.statuses.iter().map(|one| one.name()).collect();
            let why = format!("it is active, and {} was asked for", asked.join(" or "));
            (why, "search without status:".to_owned())
        }
        Status::Superseded => (
            "a newer memory took its place, and only active ones are searched".to_owned(),
            "search with status:superseded to find the old one".to_owned(),
        ),
        Status::Archived => (
            "it faded and is archived, and only active memories are searched".to_owned(),
            format!("search with status:archived, or make it active: `helixctl restore {handle}`"),
        ),
        Status::Forgotten => (
            "it is forgotten".to_owned(),
            format!("bring it back: `helixctl restore {handle}`"),
        ),
        Status::Quarantined => (
            "it waits in the review until somebody approves it".to_owned(),
            "look at it: `helixctl review`".to_owned(),
        ),
        Status::Pruned => (
            "it was pruned: the history keeps it, and no search looks there".to_owned(),
            format!("bring it back: `helixctl restore {handle}`"),
        ),
    };
    Reason::new("status", why, advice)
}

/// A memory that another part of the filter leaves out.
fn of_filter(cut: Cut, memory: &Memory, filter: &Filter) -> Reason {
    let asked = |names: &[String]| names.join(" or ");
    match cut {
        Cut::Status => of_status(memory, filter),
        Cut::Scope => of_scope(memory, &filter.scopes),
        Cut::Scratch => Reason::new("scope", "it belongs to an examination of Helix itself", ""),
        Cut::Topic => Reason::new(
            "topic",
            format!(
                "its topic is {}, and only {} is searched",
                memory.topic.as_str(),
                asked(&filter.topics)
            ),
            "leave out topic:",
        ),
        Cut::Kind => Reason::new(
            "kind",
            format!(
                "it is a {}, and only {} is searched",
                memory.kind,
                asked(&filter.kinds)
            ),
            "leave out kind:",
        ),
        Cut::Tag => {
            let lacks = filter.tags.iter().filter(|tag| !memory.tags.contains(tag));
            let lacks: Vec<&str> = lacks.map(String::as_str).collect();
            Reason::new(
                "tag",
                format!("it lacks the tag {}", lacks.join(" and ")),
                "leave out tag:",
            )
        }
        Cut::Source => {
            let wanted = filter.source.as_deref().unwrap_or_default();
            let why = match &memory.source {
                Some(source) => format!("it is about {}, not about {wanted}", source.path),
                None => format!("it names no file, and only those about {wanted} are searched"),
            };
            Reason::new("source", why, "leave out source:")
        }
        Cut::After => Reason::new(
            "after",
            "it is older than the time that was asked for",
            "leave out after: or take an earlier day",
        ),
        Cut::Before => Reason::new(
            "before",
            "it is newer than the time that was asked for",
            "leave out before: or take a later day",
        ),
        Cut::Demands => Reason::new(
            "demand",
            "it lacks a phrase or the line that was demanded, or has a word that must not occur",
            "leave out the quotes, the words with a minus and the line",
        ),
    }
}

fn of_scope(memory: &Memory, searched: &[Scope]) -> Reason {
    let searched: Vec<String> = searched.iter().map(ToString::to_string).collect();
    let scope = memory.scope.to_string();
    Reason::new(
        "scope",
        format!(
            "it belongs to {scope}, and this search looks in {}",
            searched.join(", ")
        ),
        format!("search with scope:{scope} or scope:all"),
    )
}

fn far(standing: &str) -> Reason {
    Reason::new(
        "far",
        format!(
            "{standing}; only the best {fusion_depth} of each list are ranked",
            fusion_depth = Search::FUSION_DEPTH
        ),
        "use words that it has, or narrow the search by topic:, tag: or source:",
    )
}

fn lacks_words() -> Reason {
    Reason::new(
        "words",
        "it lacks some of the words, and all of them were demanded",
        "search without --all (mode=and)",
    )
}

fn unrelated(floor: f32, standing: &str) -> Reason {
    Reason::new(
        "unrelated",
        format!("{standing}; what has none of the words must be alike by {floor:.2}"),
        "use a word that it has",
    )
}

fn some_words(standing: &str) -> Reason {
    Reason::new(
        "some-words",
        format!(
            "other memories have all of the words, it has only some and is not near in meaning: {standing}"
        ),
        "ask with --any, or in a sentence",
    )
}

fn noise() -> Reason {
    Reason::new(
        "noise",
        format!(
            "nothing has any of the words and nothing is nearer in meaning than chance, so that only the {FAR_SHOWN_MAX} least far are shown"
        ),
        "use a word that it has",
    )
}

fn deep() -> Reason {
    Reason::new(
        "rank",
        "it passes, and stands behind everything that pages show",
        "narrow the search by topic:, tag: or source:",
    )
}

/// A memory for which a hit stands that says the same.
fn copied(app: &App, search: &Search, of: MemoryNumber, place: usize) -> Result<Reason, Refusal> {
    let other = find::some_handles(app, [of].into_iter(), 1)?;
    let shown = search.limit;
    let why = format!(
        "it says nearly the same as {other}, which stands for both in place {place}, \
         of which {shown} are shown"
    );
    let advice = "narrow the search to its topic, or compact what says the same";
    Ok(Reason::new("repeats", why, advice))
}

/// A hit that others stand before.
fn behind(app: &App, search: &Search, behind: &Behind) -> Result<Reason, Refusal> {
    let Behind {
        place,
        score,
        last,
        diversity,
    } = behind;
    let shown = search.limit;
    let order = if search.is_listing() {
        "; without words the newest come first"
    } else if last.is_some_and(|(_, its)| *score > its) {
        "; what has all of the words, or was found itself, comes before what scores more"
    } else {
        ""
    };
    let last = last.filter(|_| !search.is_listing());
    let advice = format!("ask for more: --limit {place}");
    let against = match last {
        Some((number, its)) => {
            let other = find::some_handles(app, [number].into_iter(), 1)?;
            format!("; its score is {score:.3}, that of the last one shown ({other}) {its:.3}")
        }
        None => String::new(),
    };
    let beside = if *diversity < 1.0 {
        format!(
            "; it counts {:.0}% beside the hits before it, which it resembles or shares its topic with",
            diversity * 100.0
        )
    } else {
        String::new()
    };
    let why = format!("it comes in place {place}, and {shown} are shown{against}{order}{beside}");
    Ok(Reason::new("rank", why, advice))
}

/// Where a memory stands in both lists, in words.
fn standing(search: &Search, outcome: &helix_engine::WhyNot) -> String {
    let words = match (search.retriever, outcome.words) {
        (Retriever::Meaning, _) => None,
        (_, Some(place)) => Some(format!("by words it is {}", ordinal(place.rank as u64))),
        (_, None) => Some("it has none of the words".to_owned()),
    };
    let meaning = match outcome.meaning {
        Some(place) => Some(format!(
            "by meaning it is {} ({:.2} alike)",
            ordinal(place.rank as u64),
            place.score
        )),
        None if outcome.lacks_vector => {
            Some("its vector is not made yet, so that its meaning was not compared".to_owned())
        }
        None if search.retriever == Retriever::Words => None,
        None => Some("meaning was not compared".to_owned()),
    };
    let parts: Vec<String> = words.into_iter().chain(meaning).collect();
    parts.join(", ")
}
