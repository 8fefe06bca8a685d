//! The write of an edit, and what sessions that know the memory learn of it.

use helix_engine::{Edited, Outcome, Request};
use helix_memory::Edit;

use crate::{App, Refusal};

/// Writes one request that edits, and returns what it changed.
pub(crate) async fn write(app: &App, request: Request) -> Result<Edited, Refusal> {
    let reworded = match &request {
        Request::Edit {
            number,
            edit: Edit::Append { .. } | Edit::Revise { .. },
            actor,
            ..
        } => Some((*number, actor.session.clone())),
        _ => None,
    };
    let outcomes = app.writer.submit(vec![request])?.await?;
    match outcomes.into_iter().next() {
        Some(Ok(Outcome::Edited(edited))) => {
            if let Some((number, session)) = reworded.filter(|_| edited.changed > 0) {
                app.hooks.sessions.reworded(number, &session);
            }
            Ok(edited)
        }
        Some(Err(error)) => Err(error.into()),
        Some(Ok(_)) | None => Err(Refusal::internal("the writer gave no answer")),
    }
}
