//! Finding memories that help with what was said, or nothing.

use helix_engine::index::filter::Filter;
use helix_engine::model::{Memory, Status};
use helix_engine::recall::relevance::Weigher;
use helix_engine::recall::{Mode, Retriever, Search};
use helix_engine::strand::ReadError;
use tokio::runtime::Handle;

use super::Context;

/// Hits that are weighed.
const WEIGHED_MAX: usize = 12;

/// Who will read what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The session, which is not given again what it was given.
    Session,
    /// An agent that knows nothing yet.
    New,
}

/// Finds at most `limit` memories whose relevance to `words` is at least `threshold`, most relevant first. By words alone
/// when the embedder is not ready in time.
pub(super) fn find(
    context: &Context<'_>,
    words: &str,
    threshold: f32,
    limit: usize,
    reader: Reader,
) -> Result<Vec<Memory>, ReadError> {
    let runtime = context.runtime;
    // Half of what is left: the search needs some of it, and a late answer is none.
    let vector = Handle::current().block_on(runtime.embedder.embed(words, context.time_left() / 2));
    let weigher = Weigher::new(&runtime.strand, words, vector.is_some())?;
    let search = Search {
        words: words.to_owned(),
        vector,
        filter: Filter { scopes: context.project.scopes(), ..Filter::default() },
        limit: WEIGHED_MAX,
        mode: Mode::Any,
        retriever: Retriever::Hybrid,
        now: context.now,
    };
    let found = runtime.strand.search(&search)?;
    let mut helpful: Vec<(f32, Memory)> = Vec::new();
    for hit in found.hits {
        let signs = weigher.signs(&hit);
        let relevance = signs.relevance();
        tracing::debug!(
            event = context.request.event,
            handle = hit.memory.handle.as_str(),
            relevance,
            meaning = signs.meaning.unwrap_or(-1.0),
            coverage = signs.coverage,
            rarity = signs.rarity,
            "weighed"
        );
        if relevance >= threshold && is_showable(context, &hit.memory, reader) {
            helpful.push((relevance, hit.memory));
        }
    }
    helpful.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(helpful.into_iter().take(limit).map(|(_, memory)| memory).collect())
}

/// Whether a memory may be given unasked: active, somebody stands behind it, and not given yet.
fn is_showable(context: &Context<'_>, memory: &Memory, reader: Reader) -> bool {
    memory.status == Status::Active
        && memory.origin.is_shown_unasked()
        && (reader == Reader::New || !context.runtime.sessions.was_given(&context.key, memory.number))
}
