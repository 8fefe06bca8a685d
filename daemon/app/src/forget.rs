//! Forgetting: finding what a reference means, and forgetting it.

use std::sync::Arc;

use helix_engine::Request;
use helix_memory::{Edit, MemoryNumber, Relation, Status};

use crate::threads::off_thread;
use crate::told::Told;
use crate::{App, Asker, Refusal, edit, find, scopes};

/// The result of forgetting.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This memory is forgotten.
    Forgotten {
        /// The memory; `None` where it is gone.
        memory: Option<Box<Told>>,
        /// True if it was forgotten before, so that nothing changed.
        was_forgotten: bool,
        /// Notes on the memories that it had taken the place of, which stay out of use.
        notes: Vec<String>,
    },
    /// One of these could be meant, and nothing was done.
    Candidates(Vec<Told>),
}

/// Forgets one memory, or returns candidates when it is not clear which. `who` says who asks, and
/// may look at the disk for it.
///
/// # Errors
/// When nothing is meant, the asker may not, or it is not written.
pub async fn forget(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    reference: String,
) -> Result<Answer, Refusal> {
    let found = off_thread(app, move |app| {
        let asker = who();
        Ok((target(app, &asker, &reference)?, asker))
    });
    let (number, asker) = match found.await? {
        (find::Target::Memory(number), asker) => (number, asker),
        (find::Target::Candidates(told), _) => return Ok(Answer::Candidates(told)),
    };
    let write = Request::Edit {
        number,
        edit: Edit::Forget,
        expected: None,
        actor: asker.actor,
        at: app.memory.now(),
    };
    let edited = edit::write(app, write).await?;
    off_thread(app, move |app| {
        let memory = edited.memories.first();
        let notes = match edited.changed {
            0 => Vec::new(),
            _ => left_out_of_use(app, number)?,
        };
        Ok(Answer::Forgotten {
            notes,
            memory: memory.map(|memory| Box::new(Told::of(app, memory))),
            was_forgotten: edited.changed == 0,
        })
    })
    .await
}

/// Says which memories a forgotten one had taken the place of: nobody asked to have them back, and
/// nothing holds in their place.
fn left_out_of_use(app: &App, forgotten: MemoryNumber) -> Result<Vec<String>, Refusal> {
    let replaced: Vec<MemoryNumber> = {
        let catalog = app.memory.strand.catalog();
        let edges = catalog.graph().outgoing(forgotten);
        let replaced = edges.filter(|edge| edge.key.relation == Relation::Supersedes);
        replaced.map(|edge| edge.key.to).collect()
    };
    let memories = app.memory.strand.memories(&replaced)?;
    let left = memories
        .iter()
        .filter(|memory| memory.status == Status::Superseded);
    Ok(left
        .map(|memory| {
            let handle = memory.handle.as_str();
            format!(
                "it had taken the place of {handle}, which stays out of use; \
                 restore {handle} if that holds again"
            )
        })
        .collect())
}

fn target(app: &App, asker: &Asker, reference: &str) -> Result<find::Target, Refusal> {
    let target = find::target(app, reference.trim(), asker)?;
    if let find::Target::Memory(number) = target {
        check_seen(app, asker, number)?;
    }
    Ok(target)
}

fn check_seen(app: &App, asker: &Asker, number: MemoryNumber) -> Result<(), Refusal> {
    for memory in app.memory.strand.memories(&[number])? {
        scopes::check_seen(&memory, asker)?;
    }
    Ok(())
}
