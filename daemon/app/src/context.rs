//! `Context`: what matters now, or for a query, packed into a budget of tokens.

use std::collections::HashSet;
use std::future::ready;
use std::sync::Arc;

use helix_engine::{Hit, LexicalQuery, Mode};
use helix_memory::{Memory, MemoryNumber, Scope, Sources as _, WordSet};
use helix_neutral::{one_line, quoted};
use helix_proto::limits::{
    CHARS_PER_TOKEN, CONTEXT_BUDGET_DEFAULT_TOKENS, CONTEXT_REST_MAX_CHARS, SEARCH_LIMIT_MAX,
};
use helix_surface::budget::worthwhile;
use helix_surface::inject::doubt;
use helix_surface::pack::pack;
use helix_surface::session::{Reader, choose};

use crate::moment::{self, At};
use crate::search::{self, FilterAsked, Found, Prepared};
use crate::sources::SEARCH_READ_MAX_BYTES;
use crate::threads::off_thread;
use crate::{App, Asker, Refusal, disputes, scopes, shown};

/// Most tokens of a block: clients put larger results into a file.
const BUDGET_MAX_TOKENS: u32 = 20_000;

/// Fewest tokens that hold anything.
const BUDGET_MIN_TOKENS: u32 = 50;

/// Characters that hardly a memory takes less than in a block, so that as many are considered as a
/// full one holds.
const MEMORY_MIN_CHARS: usize = 50;

/// Fewest memories that are considered for a block.
const CONSIDERED_MIN: usize = 100;

/// Most characters of the query in the heading.
const QUERY_SHOWN_CHARS: usize = 120;

/// Behind the heading of what lacks the words, as a search marks it.
const NEAR: &str = " (near in meaning)";

/// What a client puts around a note: `note: ` and the line's end.
const NOTE_FRAME_CHARS: usize = 7;

/// What a block is wanted for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The task; empty for what matters now.
    pub query: String,
    /// The scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// How many tokens it may take; 0 for the usual number.
    pub budget_tokens: u32,
    /// The moment that is looked at.
    pub at: At,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The block; empty where there is nothing to say.
    pub text: String,
    /// The handles of the memories in it.
    pub handles: Vec<String>,
    /// How many tokens it takes.
    pub tokens: usize,
    /// How many memories matter and are not in it.
    pub left_out: usize,
    /// Whether there are further ones, which nobody counted.
    pub has_further: bool,
    /// What whoever asks should know.
    pub notes: Vec<String>,
}

/// Packs a block.
///
/// # Errors
/// When the budget cannot be kept, the request cannot be read, or the disk fails.
pub async fn context(app: &Arc<App>, asker: Asker, wanted: Wanted) -> Result<Block, Refusal> {
    let budget = budget(wanted.budget_tokens)?;
    let query = wanted.query.trim().to_owned();
    if query.is_empty() {
        return off_thread(app, move |app| {
            let then = moment::seen(app, wanted.at)?;
            let app = then.as_ref().unwrap_or(app);
            now(app, &asker, &wanted.scopes, budget)
        })
        .await;
    }
    let considered = u32::try_from(considered(budget)).unwrap_or(u32::MAX);
    let wanted = search::Wanted {
        query: as_words(&query),
        filter: FilterAsked {
            scopes: wanted.scopes,
            ..FilterAsked::default()
        },
        limit: considered.min(SEARCH_LIMIT_MAX),
        // A task is told in a sentence, whose every word no memory has; the budget bounds what any
        // of them brings.
        mode: Mode::Any,
        at: wanted.at,
        ..search::Wanted::default()
    };
    let heading = format!("For {}:", quoted(&one_line(&query, QUERY_SHOWN_CHARS)));
    let answer = move |app: &App, prepared: &Prepared, found| {
        let matter = Matter::found(&heading, prepared.query(), found);
        block(app, &prepared.asker, matter, budget)
    };
    let answered = search::answered(app, ready(Ok(asker)), wanted, answer);
    Ok(answered.await?.answer)
}

/// Reads how many tokens an answer may take.
///
/// # Errors
/// When so few hold nothing, or so many are no answer.
pub(crate) fn budget(given: u32) -> Result<u32, Refusal> {
    match given {
        0 => Ok(CONTEXT_BUDGET_DEFAULT_TOKENS),
        BUDGET_MIN_TOKENS..=BUDGET_MAX_TOKENS => Ok(given),
        _ => Err(Refusal::exhausted(format!(
            "a budget of {given} tokens cannot be kept; give {BUDGET_MIN_TOKENS} to {BUDGET_MAX_TOKENS}"
        ))),
    }
}

/// A task as words: its quotes and the dashes of its options demand nothing, as they do in a
/// search.
fn as_words(task: &str) -> String {
    let is_filter = |word: &str| word.contains(":\"");
    let plain = |word: &str| {
        if is_filter(word) {
            word.to_owned()
        } else {
            word.replace('"', " ")
        }
    };
    task.split_whitespace()
        .map(|word| plain(word.trim_start_matches('-')))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The project's most important memories.
fn now(app: &App, asker: &Asker, scopes: &[String], budget: u32) -> Result<Block, Refusal> {
    let scopes = scopes::listed(app, asker, scopes)?;
    let (catalog, kinds) = (app.memory.strand.catalog(), app.memory.strand.kinds());
    let chosen = choose(
        &catalog,
        kinds,
        &scopes,
        Reader::Asking,
        app.memory.now(),
        considered(budget),
        |_| false,
    );
    drop(catalog);
    let memories = app.memory.strand.memories(&chosen.numbers)?;
    let is_own = |memory: &Memory| memory.scope != Scope::Global;
    // What is everybody's says nothing of a directory that has nothing of its own.
    let heading = if memories.iter().any(is_own) {
        format!(
            "What matters now in {}:",
            one_line(&asker.project.name, QUERY_SHOWN_CHARS)
        )
    } else {
        "What matters in all projects:".to_owned()
    };
    let further = Further::Counted(chosen.total - chosen.numbers.len());
    let matter = Matter {
        heading: &heading,
        query: None,
        memories: distinct(memories),
        near: HashSet::new(),
        further,
        notes: Vec::new(),
    };
    Ok(block(app, asker, matter, budget))
}

/// How many memories are considered for a block of so many tokens.
fn considered(budget: u32) -> usize {
    (budget as usize * CHARS_PER_TOKEN / MEMORY_MIN_CHARS).max(CONSIDERED_MIN)
}

/// What a block is made of.
struct Matter<'a> {
    heading: &'a str,
    /// The words that were asked for.
    query: Option<LexicalQuery>,
    /// What is considered, best first, each text once.
    memories: Vec<Memory>,
    /// Those of them that have none of the words that were asked for.
    near: HashSet<MemoryNumber>,
    further: Further,
    notes: Vec<String>,
}

impl<'a> Matter<'a> {
    /// Returns what a search found for a task.
    fn found(heading: &'a str, query: LexicalQuery, found: Found) -> Self {
        let is_all = found.next_cursor.is_empty() && !found.ends_early;
        let further = if is_all {
            Further::Counted(0)
        } else {
            Further::Some
        };
        // Nobody could tell those from what bears on the task, so that nothing is shown and nothing
        // said of it.
        let hits = if found.is_far {
            Vec::new()
        } else {
            worth_their_room(found.hits)
        };
        let near = hits
            .iter()
            .filter(|hit| !hit.has_words && !hit.has_some_words)
            .map(|hit| hit.memory.number);
        let (near, memories) = (
            near.collect(),
            distinct(hits.into_iter().map(|hit| hit.memory).collect()),
        );
        Self {
            heading,
            query: Some(query),
            memories,
            near,
            further,
            notes: found.notes,
        }
    }
}

/// What matters beside what is considered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Further {
    Counted(usize),
    /// One at least; nobody counted them.
    Some,
}

/// Packs what fits. The budget is that of a client's whole answer, which tells the notes and how
/// much was left out as well.
fn block(app: &App, asker: &Asker, matter: Matter<'_>, budget: u32) -> Block {
    let Matter {
        heading,
        query,
        memories,
        near,
        further,
        notes,
    } = matter;
    let query = query.as_ref();
    let now = app.memory.now();
    let remark = |memory: &Memory| {
        let near = if near.contains(&memory.number) {
            NEAR
        } else {
            ""
        };
        let doubt = doubt(app.memory.strand.confidence_of(memory, now));
        doubt + &disputes::remark(app, memory) + near
    };
    let look = app
        .memory
        .sources
        .look(&asker.project, SEARCH_READ_MAX_BYTES);
    look.prepare(&mut memories.iter());
    let heading = if memories.is_empty() { "" } else { heading };
    let room = (budget as usize * CHARS_PER_TOKEN).saturating_sub(width(&notes));
    let mut packed = pack(heading, &memories, query, &remark, &look, room, &asker.zone);
    if packed.taken.len() < memories.len() || further != Further::Counted(0) {
        let room = room.saturating_sub(CONTEXT_REST_MAX_CHARS);
        packed = pack(heading, &memories, query, &remark, &look, room, &asker.zone);
    }
    let whole: Vec<MemoryNumber> = packed
        .whole
        .iter()
        .filter_map(|&at| memories.get(at))
        .map(|memory| memory.number)
        .collect();
    shown::note_known(app, asker, &whole);
    let beyond = match further {
        Further::Counted(count) => count,
        Further::Some => 1,
    };
    let taken = packed.taken.iter().filter_map(|&at| memories.get(at));
    Block {
        handles: taken
            .map(|memory| memory.handle.as_str().to_owned())
            .collect(),
        tokens: packed.tokens(),
        left_out: memories.len() - packed.taken.len() + beyond,
        has_further: further == Further::Some,
        text: if packed.taken.is_empty() {
            String::new()
        } else {
            packed.text
        },
        notes,
    }
}

/// The hits without those that repeat one, and without the poor ones at the end.
fn worth_their_room(hits: Vec<Hit>) -> Vec<Hit> {
    let worthwhile = worthwhile(&hits);
    let placed = hits.into_iter().enumerate();
    placed
        .filter(|(at, _)| worthwhile.binary_search(at).is_ok())
        .map(|(_, hit)| hit)
        .collect()
}

/// The room that notes take in a client's answer, in characters.
fn width(notes: &[String]) -> usize {
    notes
        .iter()
        .map(|note| note.chars().count() + NOTE_FRAME_CHARS)
        .sum()
}

/// Without those that say what a better one says in the same words: stored in several topics or
/// scopes, it is still one text.
fn distinct(mut memories: Vec<Memory>) -> Vec<Memory> {
    let mut seen = HashSet::new();
    memories.retain(|memory| seen.insert(WordSet::text_hash(&memory.text)));
    memories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_demands_no_phrase_and_leaves_nothing_out() {
        assert_eq!(
            as_words("go test -race says \"data race\" --lib"),
            "go test race says  data race  lib"
        );
        assert_eq!(as_words("fix it topic:\"ab\""), "fix it topic:\"ab\"");
    }
}
