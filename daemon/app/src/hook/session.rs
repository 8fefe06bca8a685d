//! The `session` event: where the project's task stands, and a brief of its most important
//! memories. A session that lost its context gets back what it had.

use std::collections::HashSet;

use helix_engine::{Catalog, ReadError, Row, StoreError};
use helix_memory::{Memory, MemoryNumber, Scope, Status, Timestamp, WordSet};
use helix_surface::checkpoint;
use helix_surface::session::{Reader, Surface, choose, render};

use super::sessions::{GivenCheckpoint, Lost, Said, Start};
use super::trace::handles;
use super::{Context, Given};
use crate::capture::ledger;
use crate::ports::EmbedderState as State;
use crate::work::activity::Activity;
use crate::work::told as work;

/// Memories considered for a brief; its budget holds fewer.
const CANDIDATES_MAX: usize = 60;

/// Memories that a session had before it lost its context and that are considered again: as many
/// short ones fit into an event.
const LOST_MAX: usize = 100;

/// Kinds that say how to work.
const WAYS_OF_WORKING: [&str; 3] = ["identity", "preference", "convention"];

/// Told once a session when there should be an embedder and is none.
const NO_MEANING: &str =
    "Helix finds by words only here: `helixctl doctor` says why and what to do.";

/// Gives the brief; `None` when there is nothing new to say.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Context {
        app,
        project,
        input,
        key,
        now,
        ..
    } = context;
    let start = start(context);
    if input.is_fork() {
        context.trace.note("session", || {
            "a fork has all that its parent was told".to_owned()
        });
        // All that it would be told is replayed to it.
        return Ok(None);
    }
    let mut parts = Vec::new();
    let (task, given_checkpoint) = task(context)?.unzip();
    parts.extend(task);
    parts.extend(work(context, start));
    let scopes = project.scopes();
    let lost = if start == Start::LostContext {
        app.hooks.sessions.lost(key, &about_its_files(context))
    } else {
        Lost::default()
    };
    let (ignored, yielding) = (
        app.hooks.attention.resting(),
        app.hooks.attention.yielding(),
    );
    let catalog = app.memory.strand.catalog();
    // A session that goes on has what it was given: old context is replayed.
    let has_brief = start == Start::GoesOn && app.hooks.sessions.given_count(key) > 0;
    let candidates = if has_brief { 0 } else { CANDIDATES_MAX };
    let resting = Resting::of(&catalog, &scopes, &ignored, &yielding);
    let rests = |number| resting.all.contains(&number);
    let mut chosen = choose(
        &catalog,
        app.memory.strand.kinds(),
        &scopes,
        Reader::Unasked,
        *now,
        candidates,
        rests,
    )
    .numbers;
    let total = catalog.count(&scopes);
    // What is pinned comes first, then what the work needed before: it needs it first.
    let is_pinned = |number: &MemoryNumber| catalog.row(*number).is_some_and(|row| row.pinned);
    if !lost.is_empty() {
        // What it used comes back, and nothing that it has not had in its place.
        chosen.retain(is_pinned);
    }
    let mut new = in_order(&lost, &chosen, is_pinned);
    drop(catalog);
    new.retain(|&number| !app.hooks.sessions.was_given(key, number));
    let mut memories = app.memory.strand.memories(&new)?;
    context.trace.note("session", || {
        format!(
            "{start:?}; of {total} memories seen from here {} were chosen: {}",
            memories.len(),
            handles(&memories)
        )
    });
    memories.retain(|memory| memory.status == Status::Active && scopes.contains(&memory.scope));
    memories.retain(|memory| !context.dialect.shows_itself(memory));
    // What nobody heeds comes last: it is told where there is room.
    let is_needed = |memory: &Memory| memory.pinned || lost.needed.contains(&memory.number);
    let is_of_work = |memory: &Memory| is_needed(memory) || lost.at_work.contains(&memory.number);
    memories.sort_by_key(|memory| !is_of_work(memory) && rests(memory.number));
    let is_known = |memory: &Memory| is_of_work(memory) || lost.at_start.contains(&memory.number);
    let (restored, needed) = match start {
        Start::LostContext => {
            let needed = memories
                .iter()
                .take_while(|memory| is_needed(memory))
                .count();
            (
                memories
                    .iter()
                    .take_while(|memory| is_known(memory))
                    .count(),
                needed,
            )
        }
        Start::Anew | Start::GoesOn => (0, 0),
    };
    let says_so = start == Start::Anew && !memories.is_empty();
    let lacks_meaning = matches!(
        app.memory.embedder.state(),
        State::Absent(_) | State::Failed(_)
    );
    parts.extend((says_so && lacks_meaning).then(|| NO_MEANING.to_owned()));
    let announced = if context.is_real() && start == Start::Anew {
        let wiring = context
            .paths()
            .ask(&project.root, app.hooks.watches.wiring(&project.root));
        let started = |wiring| {
            app.hooks
                .watches
                .started(&app.memory.outbox, &context.watched(), wiring, *now)
        };
        wiring.map(started).unwrap_or_default()
    } else {
        Vec::new()
    };
    let kept = if context.is_real() && start == Start::Anew {
        ledger::take_untold(app, &project.scope)
    } else {
        None
    };
    let announced: Vec<String> = announced.into_iter().chain(kept).collect();
    let injection = render(&Surface {
        project: &project.name,
        total,
        memories: &memories,
        restored,
        needed,
        checkpoint: &parts.join("\n\n"),
        is_whole: input.resumes(),
        sources: &context.sources(),
    })
    .below(&announced.join("\n"));
    if context.is_real() && start == Start::Anew {
        let is_told = |number: &MemoryNumber| {
            memories
                .iter()
                .take(injection.taken)
                .any(|told| told.number == *number)
        };
        // All of them: others have the turns that they had, so that nothing shows whether these
        // would have one again.
        let left_out: Vec<MemoryNumber> = resting
            .at_start
            .iter()
            .copied()
            .filter(|number| !is_told(number))
            .collect();
        app.hooks.attention.yielded(&app.memory.outbox, &left_out);
    }
    Ok(Given {
        checkpoint: given_checkpoint,
        ..Given::of(injection, &memories)
    }
    .if_any())
}

/// The memories whose sources are files that the session worked with, and the files.
fn about_its_files(
    Context {
        app, input, now, ..
    }: &Context<'_>,
) -> Vec<(MemoryNumber, String)> {
    let Some(activity) = app.hooks.sessions.activity(&input.session_id, *now) else {
        return Vec::new();
    };
    let failing = activity.failing.iter().flat_map(|failing| &failing.files);
    let files: HashSet<&String> = activity
        .edited
        .iter()
        .chain(&activity.touched)
        .chain(failing)
        .collect();
    let catalog = app.memory.strand.catalog();
    let of = |file: &String| {
        catalog
            .of_source(file)
            .into_iter()
            .map(|number| (number, file.clone()))
            .collect::<Vec<_>>()
    };
    files.into_iter().flat_map(of).collect()
}

/// What nobody heeds of what a session sees: it leaves its place to others.
struct Resting {
    /// As sessions start.
    at_start: HashSet<MemoryNumber>,
    /// As sessions start, or as they work.
    all: HashSet<MemoryNumber>,
}

impl Resting {
    /// Of what was ignored as sessions worked, and of what yields as they start.
    fn of(
        catalog: &Catalog,
        scopes: &[Scope],
        ignored: &HashSet<MemoryNumber>,
        yielding: &HashSet<MemoryNumber>,
    ) -> Self {
        let visible = catalog.scope_numbers(scopes);
        let global = catalog.scope_numbers(&[Scope::Global]);
        // It keeps its place though nobody shows that it is heeded: it says how to work, which
        // shows in no edit and no word, or somebody wants it everywhere.
        let stays =
            |row: &Row| row.is_in(&global) || WAYS_OF_WORKING.contains(&catalog.kind_of(row));
        let rests = |row: &Row| row.status == Status::Active && row.is_in(&visible) && !row.pinned;
        let those = |numbers: &HashSet<MemoryNumber>,
                     is_one: &dyn Fn(&Row) -> bool|
         -> HashSet<MemoryNumber> {
            numbers
                .iter()
                .copied()
                .filter(|number| catalog.row(*number).is_some_and(is_one))
                .collect()
        };
        let at_start = those(yielding, &|row| rests(row) && !stays(row));
        let all = those(ignored, &rests).union(&at_start).copied().collect();
        Self { at_start, all }
    }
}

/// How the session starts, which is noted. A compaction whose answer came too late lost the context
/// as well.
fn start(context: &Context<'_>) -> Start {
    let Context {
        app,
        input,
        key,
        now,
        ..
    } = context;
    let start = match input.start() {
        Start::GoesOn if app.hooks.sessions.has_only_lost(key, *now) => Start::LostContext,
        start => start,
    };
    if context.is_real() {
        let verdicts = app.hooks.sessions.begin(key, start, *now);
        app.hooks.attention.judge(&app.memory.outbox, &verdicts);
        if input.is_fork() {
            app.hooks.sessions.begin_fork(key, *now);
            context.read_fork();
        }
    }
    start
}

/// Returns what to consider: what is pinned, what a session was given before, what it needs of that
/// and then the latest first, and what others start with.
fn in_order(
    lost: &Lost,
    chosen: &[MemoryNumber],
    is_pinned: impl Fn(&MemoryNumber) -> bool,
) -> Vec<MemoryNumber> {
    let before = lost
        .needed
        .iter()
        .chain(&lost.at_work)
        .chain(&lost.at_start);
    let pinned = chosen
        .iter()
        .chain(before.clone())
        .filter(|number| is_pinned(number));
    let mut order: Vec<MemoryNumber> = Vec::new();
    for number in pinned.chain(before.take(LOST_MAX)).chain(chosen) {
        if !order.contains(number) {
            order.push(*number);
        }
    }
    order
}

/// Returns what the session did so far: after it lost its context, and when it goes on with
/// something that it was not told.
fn work(context: &Context<'_>, start: Start) -> Option<String> {
    let Context {
        app,
        input,
        key,
        now,
        ..
    } = context;
    if start != Start::Anew {
        context.settle_edits(|_| true);
    }
    let activity = app.hooks.sessions.activity(key, *now)?;
    let is_wanted = match start {
        Start::LostContext => true,
        Start::GoesOn => input.resumes() && is_unfinished(&activity),
        Start::Anew => false,
    };
    // By the same clock for both, so that the ages in it do not make it another.
    let told =
        WordSet::text_hash(&work::resumed(&activity, Timestamp::default()).filter(|_| is_wanted)?);
    if context.tells_first(Said::Work(told)) || start == Start::LostContext {
        work::resumed(&activity, *now)
    } else {
        None
    }
}

/// Returns whether a session changed something, or something fails in it.
fn is_unfinished(activity: &Activity) -> bool {
    !activity.edited.is_empty() || !activity.failing.is_empty()
}

/// The project's checkpoint, whole for a session that takes a task up again; `None` when there is
/// none, the session knows it, or it looks like orders: then it waits until somebody loads it.
fn task(context: &Context<'_>) -> Result<Option<(String, GivenCheckpoint)>, StoreError> {
    let Context {
        app,
        project,
        input,
        key,
        now,
        ..
    } = context;
    let Some(saved) = app
        .memory
        .strand
        .snapshot()?
        .newest_checkpoint(project.names())?
    else {
        return Ok(None);
    };
    let given = GivenCheckpoint {
        saved_at: saved.saved_at,
        is_whole: input.resumes(),
    };
    if app.hooks.sessions.was_given_checkpoint(key, given) {
        return Ok(None);
    }
    if !saved.suspicions().is_empty() {
        return Ok(None);
    }
    let show = if given.is_whole {
        checkpoint::whole
    } else {
        checkpoint::short
    };
    Ok(Some((show(&saved, *now), given)))
}
