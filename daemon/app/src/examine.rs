//! `Examine`: every memory is asked for by a question made from it, and those are listed that the
//! question does not find.

use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_engine::{
    Filter, HitFate as Fate, Mode, Retriever, Search, TextVectors, Vantage, WhyNot,
};
use helix_memory::{Memory, MemoryNumber, NoSources, Status};

use crate::ports::EmbedderState;
use crate::threads::off_thread;
use crate::{App, Refusal};

/// Hits among which a memory must be, as many as an ordinary search shows.
const FOUND_WITHIN: usize = 10;

/// How long one step takes: whoever asks sees how far it is, and others are not kept waiting.
const STEP: Duration = Duration::from_millis(500);

/// How long a question waits for its vector.
const EMBED_DEADLINE: Duration = Duration::from_secs(2);

/// A memory that its own question does not find.
#[derive(Clone, Debug)]
pub struct Lost {
    /// Its handle.
    pub handle: String,
    /// The question.
    pub question: String,
    /// Its place, from 1, behind the first page; `None` where no page has it.
    pub place: Option<usize>,
    /// Why it is not found.
    pub why: String,
}

/// One step of an examination, from the newest memory to the oldest.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Memories that were asked for.
    pub asked: u64,
    /// Memories with too few words of their own to make a question of.
    pub without_question: u64,
    /// Memories that were not found.
    pub lost: Vec<Lost>,
    /// Active memories that there are.
    pub total: u64,
    /// The memory that the next step begins below; `None` at the end.
    pub next: Option<u32>,
    /// True if meaning was compared, as in a search.
    pub by_meaning: bool,
}

/// Asks for the memories below one, as many as there is time for.
///
/// # Errors
/// When the disk or an index fails.
pub async fn examine(app: &Arc<App>, below: Option<u32>) -> Result<Step, Refusal> {
    let started = Instant::now();
    let mut step = Step {
        by_meaning: matches!(app.memory.embedder.state(), EmbedderState::Ready(_)),
        ..Step::default()
    };
    let (mut waiting, total) = off_thread(app, move |app| Ok(active_below(app, below))).await?;
    step.total = total;
    while let Some(number) = waiting.pop() {
        ask_for(app, number, &mut step).await?;
        if started.elapsed() >= STEP && !waiting.is_empty() {
            step.next = Some(number.0);
            break;
        }
    }
    Ok(step)
}

/// The active memories below one, the newest last, and how many there are in all.
fn active_below(app: &App, below: Option<u32>) -> (Vec<MemoryNumber>, u64) {
    let catalog = app.memory.strand.catalog();
    let filter = Filter::default().compile(&catalog);
    let mut active: Vec<MemoryNumber> = Vec::new();
    for (number, row) in catalog.rows() {
        if row.status == Status::Active && filter.keeps(row) {
            active.push(number);
        }
    }
    let total = active.len() as u64;
    active.retain(|number| below.is_none_or(|below| number.0 < below));
    active.sort_unstable();
    (active, total)
}

async fn ask_for(app: &Arc<App>, number: MemoryNumber, step: &mut Step) -> Result<(), Refusal> {
    let made = off_thread(app, move |app| question(app, number)).await?;
    let Some((memory, question)) = made else {
        step.without_question += 1;
        return Ok(());
    };
    let vector = if step.by_meaning {
        let embedder = &app.memory.embedder;
        embedder.query(&question, EMBED_DEADLINE).await
    } else {
        None
    };
    let words = question.clone();
    let outcome = off_thread(app, move |app| sought(app, number, words, vector)).await?;
    step.asked += 1;
    if let Some(outcome) = outcome {
        step.lost.push(Lost {
            handle: memory.handle.as_str().to_owned(),
            question,
            place: place(&outcome.fate),
            why: told(&outcome.fate),
        });
    }
    Ok(())
}

/// A memory and its question; nothing where it cannot be read or has none.
fn question(app: &App, number: MemoryNumber) -> Result<Option<(Memory, String)>, Refusal> {
    let Some(memory) = app.memory.strand.memories(&[number])?.pop() else {
        return Ok(None);
    };
    let question = app.memory.strand.question(&memory);
    let question = question.map_err(helix_engine::ReadError::from)?;
    Ok(question.map(|question| (memory, question)))
}

/// Returns what a search that should find a memory makes of it, where that is not finding it.
fn sought(
    app: &App,
    number: MemoryNumber,
    words: String,
    vector: Option<TextVectors>,
) -> Result<Option<WhyNot>, Refusal> {
    let search = Search {
        words,
        vector,
        filter: Filter::default(),
        limit: FOUND_WITHIN,
        mode: Mode::Auto,
        retriever: Retriever::Hybrid,
        now: app.memory.now(),
        vantage: Vantage::default(),
    };
    let found = app.memory.strand.search(&search)?;
    if found.hits.iter().any(|hit| hit.memory.number == number) {
        return Ok(None);
    }
    let outcome = app.memory.strand.why_not(&search, number, &NoSources)?;
    // A hit that says the same stands for it, and relations that lead to it do as in any search.
    let is_told = matches!(
        outcome.fate,
        Fate::Shown(place) | Fate::Copy(_, place) if place <= FOUND_WITHIN
    );
    Ok((!is_told).then_some(outcome))
}

/// The place of what is behind the first page.
fn place(fate: &Fate) -> Option<usize> {
    match fate {
        Fate::Shown(place) | Fate::Copy(_, place) => Some(*place),
        Fate::Behind(behind) => Some(behind.place),
        Fate::Filtered(_)
        | Fate::Far
        | Fate::LacksWords
        | Fate::Unrelated(_)
        | Fate::SomeWords
        | Fate::Deep => None,
    }
}

fn told(fate: &Fate) -> String {
    match fate {
        Fate::Copy(_, place) => format!("place {place}, by one that says the same"),
        Fate::Shown(place) => format!("place {place}"),
        Fate::Behind(behind) => format!("place {}", behind.place),
        Fate::Far => "not among the best of either list".to_owned(),
        Fate::Unrelated(_) => "none of the words, and not near in meaning".to_owned(),
        Fate::Filtered(_) | Fate::LacksWords | Fate::SomeWords | Fate::Deep => {
            "left out of the search".to_owned()
        }
    }
}
