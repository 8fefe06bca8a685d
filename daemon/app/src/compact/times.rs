//! Times that cannot be, put right.

use std::sync::Arc;

use helix_engine::{Outcome, Request, WriteError};
use helix_memory::{Edit, MemoryNumber, Scope};

use super::Answer;
use crate::ports::Hold;
use crate::threads::long_off_thread;
use crate::{App, Asker, Refusal, find};

/// Memories repaired in one group of requests.
const REPAIR_MAX: usize = 10_000;

/// Memories with impossible times that an answer names.
const REPAIR_NAMED_MAX: usize = 10;

/// Finds times that lie in the future or are missing, and puts them right when told to.
pub(super) async fn repair(
    app: &Arc<App>,
    going: &Hold,
    asker: &Asker,
    scopes: Vec<Scope>,
    apply: bool,
) -> Result<Answer, Refusal> {
    let found = long_off_thread(app, going, move |app| {
        let strand = &app.memory.strand;
        let found = strand.impossible_times(&scopes, app.memory.now())?;
        let note = impossible_note(app, &found)?;
        Ok((found, note))
    });
    let (found, note): (Vec<(MemoryNumber, Edit)>, _) = found.await?;
    let repaired = if apply {
        write(app, asker, &found).await?
    } else {
        found.len()
    };
    Ok(Answer {
        repaired,
        notes: note.into_iter().collect(),
        ..Answer::default()
    })
}

/// Writes repairs, and returns how many memories they changed.
async fn write(
    app: &App,
    asker: &Asker,
    repairs: &[(MemoryNumber, Edit)],
) -> Result<usize, Refusal> {
    let mut repaired = 0;
    for part in repairs.chunks(REPAIR_MAX) {
        let request = |(number, edit): &(MemoryNumber, Edit)| Request::Edit {
            number: *number,
            edit: edit.clone(),
            expected: None,
            actor: asker.actor.clone(),
            at: app.memory.now(),
        };
        let requests = part.iter().map(request).collect();
        let outcomes = app.writer.submit(requests)?.await?;
        repaired += outcomes.iter().map(changed).sum::<usize>();
    }
    Ok(repaired)
}

/// Names the memories whose times cannot be; some of them, when there are many.
fn impossible_note(app: &App, found: &[(MemoryNumber, Edit)]) -> Result<Option<String>, Refusal> {
    if found.is_empty() {
        return Ok(None);
    }
    let handles = find::some_handles(
        app,
        found.iter().map(|(number, _)| *number),
        REPAIR_NAMED_MAX,
    )?;
    Ok(Some(format!(
        "times that lie in the future or are missing: {handles}"
    )))
}

fn changed(outcome: &Result<Outcome, WriteError>) -> usize {
    match outcome {
        Ok(Outcome::Edited(edited)) => edited.changed,
        Ok(Outcome::Stored(_) | Outcome::Reinforced(_) | Outcome::Done) | Err(_) => 0,
    }
}
