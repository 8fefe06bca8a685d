//! Finding memories that help with what was said, or nothing.

use helix_engine::{
    Filter, Hit, Mode, Occasion, ReadError, Retriever, Search, TextVectors, Vantage, Weigher,
};
use helix_memory::{Memory, Status};
use helix_neutral::one_line;

use super::Context;
use crate::git_head;

/// Hits that are weighed.
const WEIGHED_MAX: usize = 12;

/// Characters of what is looked for that a trace repeats.
const WORDS_SHOWN_MAX_CHARS: usize = 200;

/// Who will read what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The session, which is not given again what it was given.
    Session,
    /// An agent that knows nothing yet.
    New,
}

/// What is looked for.
pub(super) struct Wanted<'a> {
    /// In words.
    pub(super) words: &'a str,
    /// In meaning; `None` when the embedder is not ready in time.
    pub(super) vector: Option<TextVectors>,
    /// What for.
    pub(super) occasion: Occasion,
    pub(super) reader: Reader,
    /// Number of memories that are given before any of these.
    pub(super) behind: usize,
}

/// Finds at most `limit` memories that are relevant to what somebody asks, most relevant first;
/// those that rest as well, for who asks is answered. By words alone when the embedder is not ready
/// in time.
pub(super) fn find(
    context: &Context<'_>,
    words: &str,
    occasion: Occasion,
    limit: usize,
    reader: Reader,
) -> Result<Vec<Memory>, ReadError> {
    let mut found = all(context, words, occasion, reader)?;
    found.truncate(limit);
    Ok(found)
}

/// As [`find`], of any number. By words alone, too, while others wait for their turn: there is one
/// embedder, and they would wait for it one after the other.
pub(super) fn all(
    context: &Context<'_>,
    words: &str,
    occasion: Occasion,
    reader: Reader,
) -> Result<Vec<Memory>, ReadError> {
    let app = context.app;
    let may_wait = context.is_awaited() && !app.hooks.load.is_crowded();
    // Half of what is left: the search needs some of it, and a late answer is none.
    let patience = context.time_left() / 2;
    let vector = may_wait
        .then(|| app.memory.embedder.embed(words, patience))
        .flatten();
    weigh(
        context,
        Wanted {
            words,
            vector,
            occasion,
            reader,
            behind: 0,
        },
        Retriever::Hybrid,
    )
}

/// Finds the memories that are near in meaning, relevant, and do not rest, most relevant first.
pub(super) fn near(context: &Context<'_>, wanted: Wanted<'_>) -> Result<Vec<Memory>, ReadError> {
    Ok(context.awake(weigh(context, wanted, Retriever::Meaning)?))
}

fn weigh(
    context: &Context<'_>,
    wanted: Wanted<'_>,
    retriever: Retriever,
) -> Result<Vec<Memory>, ReadError> {
    let app = context.app;
    // What nobody reads only keeps others waiting.
    if !context.is_awaited() {
        context
            .trace
            .note("relevance", || "no time was left to look".to_owned());
        return Ok(Vec::new());
    }
    context.trace.note("relevance", || {
        let by = if wanted.vector.is_some() {
            "words and meaning"
        } else {
            "words alone"
        };
        format!("by {by}: {}", one_line(wanted.words, WORDS_SHOWN_MAX_CHARS))
    });
    let name = &context.project.name;
    let weigher = Weigher::new(
        &app.memory.strand,
        wanted.words,
        name,
        wanted.occasion,
        wanted.vector.is_some(),
    )?;
    let search = Search {
        words: wanted.words.to_owned(),
        vector: wanted.vector,
        filter: Filter {
            scopes: context.project.scopes(),
            ..Filter::default()
        },
        limit: WEIGHED_MAX,
        mode: Mode::Any,
        retriever,
        now: context.now,
        vantage: Vantage::of(context.project.names(), branch(context)),
    };
    let found = app.memory.strand.search(&search)?;
    let signs = weigher.signs(&found.hits);
    let likely = signs
        .into_iter()
        .map(|signs| (signs.relevance(wanted.occasion), signs));
    let mut ranked: Vec<_> = likely.zip(found.hits).collect();
    // The branch only orders: it makes nothing relevant.
    let weight = |relevance: f32, hit: &Hit| relevance * hit.factors.branch;
    ranked.sort_by(|((a, _), one), ((b, _), other)| weight(*b, other).total_cmp(&weight(*a, one)));
    let mut helpful = Vec::new();
    for (more_relevant, ((relevance, signs), hit)) in ranked.into_iter().enumerate() {
        let threshold = wanted
            .occasion
            .threshold(signs.cosine.is_some(), wanted.behind + more_relevant);
        tracing::debug!(
            session = context.input.session_id,
            handle = hit.memory.handle.as_str(),
            ?signs,
            "weighed for {:?}",
            wanted.occasion
        );
        let obstacle = if relevance < threshold {
            Some("not likely enough to help")
        } else {
            obstacle(context, &hit.memory, wanted.reader)
        };
        context.trace.note("relevance", || {
            let handle = hit.memory.handle.as_str();
            let why = signs.explained(wanted.occasion);
            let outcome = obstacle.unwrap_or("shown");
            format!("{handle}: {relevance:.2} of {threshold:.2}, {outcome} ({why})")
        });
        if obstacle.is_none() {
            helpful.push(hit.memory);
        }
    }
    Ok(helpful)
}

/// Why a memory may not be given unasked; `None` for one that is active, that somebody stands
/// behind, and that was not given yet.
fn obstacle(context: &Context<'_>, memory: &Memory, reader: Reader) -> Option<&'static str> {
    if memory.status != Status::Active {
        Some("not active")
    } else if !memory.is_shown_unasked() {
        Some("nobody stands behind it, so it is not shown unasked")
    } else if context
        .app
        .memory
        .strand
        .catalog()
        .is_uncompared(memory.number)
    {
        Some("it is not compared with what was forgotten yet, so it is not shown unasked")
    } else if context.dialect.shows_itself(memory) {
        Some("the client shows that file itself")
    } else if reader == Reader::Session
        && context
            .app
            .hooks
            .sessions
            .was_given(&context.key, memory.number)
    {
        Some("the session has it already")
    } else {
        None
    }
}

/// The branch of the project's work tree; empty when it does not say in time.
fn branch(context: &Context<'_>) -> String {
    let root = context.project.root.clone();
    if root.as_os_str().is_empty() {
        return String::new();
    }
    let head = context.ask_at(&context.project.root, move || git_head::read(&root));
    head.map(|head| head.branch).unwrap_or_default()
}
