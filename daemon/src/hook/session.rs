//! The `session` event: where the project's task stands, and a brief of its most important memories. A session that lost its
//! context gets back what it had.

use helix_engine::model::{MemoryNumber, Status};
use helix_engine::store::StoreError;
use helix_engine::strand::{ReadError, Request};
use helix_engine::surface::checkpoint;
use helix_engine::surface::session::{Reader, Surface, choose, render};
use helix_engine::surface::work;

use super::sessions::{GivenCheckpoint, Start};
use super::{Context, Given};
use crate::embedder::State;
use crate::sources::HOOK_READ_MAX_BYTES;

/// Memories considered for a brief; its budget holds fewer.
const CANDIDATES_MAX: usize = 60;

/// Memories that a session had before it lost its context and that are considered again.
const LOST_MAX: usize = 20;

/// What is said once a session when there should be an embedder and is none.
const NO_MEANING: &str = "Helix finds by words only here: `helixctl doctor` says why and what to do.";

/// Gives the brief; `None` when there is nothing new to say.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let Context { runtime, project, input, key, now, .. } = context;
    if context.is_real() {
        let ended = runtime.sessions.begin(key, input.start(), *now);
        runtime.attention.judge(&runtime.writer, &ended.verdicts);
        for key in ended.keys {
            runtime.writer.write_later(Request::Session { key, state: Vec::new() });
        }
    }
    let troubles = if context.is_real() && input.start() == Start::Anew {
        runtime.watches.started(&runtime.writer, &project.scope, &project.root, *now)
    } else {
        Vec::new()
    };
    let (task, given_checkpoint) = task(context)?.unzip();
    let was_interrupted = input.start() == Start::LostContext;
    let work = runtime.sessions.activity(key, *now).filter(|_| was_interrupted);
    let work = work.and_then(|activity| work::resumed(&activity, *now));
    let scopes = project.scopes();
    let catalog = runtime.strand.catalog();
    // A session that goes on has what it was given: old context is replayed.
    let has_brief = input.start() == Start::GoesOn && runtime.sessions.given_count(key) > 0;
    let candidates = if has_brief { 0 } else { CANDIDATES_MAX };
    let chosen = choose(&catalog, runtime.strand.kinds(), &scopes, Reader::Unasked, *now, candidates);
    let total = catalog.count(&scopes);
    drop(catalog);
    // What the work needed before it needs first.
    let lost = if was_interrupted { runtime.sessions.lost(key) } else { Vec::new() };
    let mut new: Vec<MemoryNumber> = lost.into_iter().take(LOST_MAX).collect();
    new.extend(chosen.into_iter().filter(|number| !new.contains(number)).collect::<Vec<_>>());
    new.retain(|&number| !runtime.sessions.was_given(key, number));
    let mut memories = runtime.strand.memories(&new)?;
    memories.retain(|memory| memory.status == Status::Active && scopes.contains(&memory.scope));
    // What nobody heeds comes last: it is told where there is room.
    memories.sort_by_key(|memory| !memory.pinned && runtime.attention.is_resting(memory.number));
    let says_so = input.start() == Start::Anew && !memories.is_empty();
    let lacks_meaning =
        matches!(runtime.embedder.state(), State::Absent(_) | State::Failed(_)).then(|| NO_MEANING.to_owned());
    let lacks_meaning = lacks_meaning.filter(|_| says_so);
    let parts: Vec<String> = task.into_iter().chain(work).chain(lacks_meaning).chain(troubles).collect();
    let injection = render(&Surface {
        project: &project.name,
        total,
        memories: &memories,
        checkpoint: &parts.join("\n\n"),
        is_whole: was_interrupted || given_checkpoint.is_some_and(|given| given.is_whole),
        sources: &runtime.sources.look(project, HOOK_READ_MAX_BYTES),
    });
    Ok(Given { checkpoint: given_checkpoint, ..Given::of(injection, &memories) }.if_any())
}

/// The project's checkpoint, whole for a session that takes a task up again; `None` when there is none or the session
/// knows it.
fn task(context: &Context<'_>) -> Result<Option<(String, GivenCheckpoint)>, StoreError> {
    let Context { runtime, project, input, key, now, .. } = context;
    let Some(saved) = runtime.strand.snapshot()?.checkpoint(&project.scope)? else { return Ok(None) };
    let given = GivenCheckpoint { saved_at: saved.saved_at, is_whole: input.resumes() };
    if runtime.sessions.was_given_checkpoint(key, given) {
        return Ok(None);
    }
    let show = if given.is_whole { checkpoint::whole } else { checkpoint::short };
    Ok(Some((show(&saved, *now), given)))
}
