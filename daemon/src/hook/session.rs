//! The `session` event: where the project's task stands, and a brief of its most important memories.

use helix_engine::model::MemoryNumber;
use helix_engine::store::StoreError;
use helix_engine::surface::checkpoint;
use helix_engine::surface::session::{Reader, Surface, choose, render};

use super::Given;
use super::event::Input;
use super::sessions::GivenCheckpoint;
use crate::project::Project;
use crate::runtime::Runtime;
use crate::sources::HOOK_READ_MAX_BYTES;

/// Memories considered for a brief; its budget holds fewer.
const CANDIDATES_MAX: usize = 60;

/// Gives the brief; `None` when there is nothing new to say.
pub(super) fn give(
    runtime: &Runtime,
    project: &Project,
    input: &Input,
    key: &str,
) -> Result<Option<Given>, StoreError> {
    let (task, given_checkpoint) = task(runtime, project, input.resumes(), key)?.unzip();
    let scopes = project.scopes();
    let catalog = runtime.strand.catalog();
    let chosen = choose(&catalog, runtime.strand.kinds(), &scopes, Reader::Unasked, runtime.now(), CANDIDATES_MAX);
    let total = catalog.topic_summaries(&scopes).iter().map(|topic| topic.count).sum();
    drop(catalog);
    let new: Vec<MemoryNumber> =
        chosen.into_iter().filter(|&number| !runtime.sessions.was_given(key, number)).collect();
    let memories = runtime.strand.memories(&new)?;
    let injection = render(&Surface {
        project: &project.name,
        total,
        memories: &memories,
        checkpoint: task.as_deref().unwrap_or_default(),
        is_whole: given_checkpoint.is_some_and(|given| given.is_whole),
        sources: &runtime.sources.look(project, HOOK_READ_MAX_BYTES),
    });
    let memories = memories.iter().map(|memory| memory.number).collect();
    Ok((!injection.text.is_empty()).then_some(Given { injection, memories, checkpoint: given_checkpoint }))
}

/// The project's checkpoint, whole for a session that takes a task up again; `None` when there is none or the session
/// knows it.
fn task(
    runtime: &Runtime,
    project: &Project,
    is_whole: bool,
    key: &str,
) -> Result<Option<(String, GivenCheckpoint)>, StoreError> {
    let Some(saved) = runtime.strand.snapshot()?.checkpoint(&project.scope)? else { return Ok(None) };
    let given = GivenCheckpoint { saved_at: saved.saved_at, is_whole };
    if runtime.sessions.was_given_checkpoint(key, given) {
        return Ok(None);
    }
    let show = if is_whole { checkpoint::whole } else { checkpoint::short };
    Ok(Some((show(&saved, runtime.now()), given)))
}
