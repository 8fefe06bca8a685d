//! The `session` event: a brief of the project's most important memories.

use helix_engine::model::MemoryNumber;
use helix_engine::store::StoreError;
use helix_engine::surface::session::{choose, render};

use super::Given;
use crate::project::Project;
use crate::runtime::Runtime;

/// Memories considered for a brief; its budget holds fewer.
const CANDIDATES_MAX: usize = 60;

/// Gives the brief; `None` when there is nothing new to say.
pub(super) fn give(runtime: &Runtime, project: &Project, key: &str) -> Result<Option<Given>, StoreError> {
    let scopes = project.scopes();
    let catalog = runtime.strand.catalog();
    let chosen = choose(&catalog, runtime.strand.kinds(), &scopes, runtime.now(), CANDIDATES_MAX);
    let total = catalog.topic_summaries(&scopes).iter().map(|topic| topic.count).sum();
    drop(catalog);
    let new: Vec<MemoryNumber> =
        chosen.into_iter().filter(|&number| !runtime.sessions.was_given(key, number)).collect();
    let memories = runtime.strand.memories(&new)?;
    let injection = render(&project.name, total, &memories);
    let memories = memories.iter().map(|memory| memory.number).collect();
    Ok((injection.taken > 0).then_some(Given { injection, memories }))
}
