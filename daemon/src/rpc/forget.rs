//! `Forget`: finding what a reference means, and forgetting it.

use std::sync::Arc;

use helix_app::told::Told;
use helix_app::{Refusal, find};
use helix_engine::policy::edit::Edit;
use helix_engine::strand::Request;
use helix_proto::v1;

use super::{convert, edit, off_thread};
use crate::runtime::Runtime;

/// Forgets one memory, or returns candidates when it is not clear which.
pub(crate) async fn forget(
    runtime: &Arc<Runtime>,
    request: v1::ForgetRequest,
) -> Result<v1::ForgetReply, Refusal> {
    let target = off_thread(runtime, move |runtime| {
        let asker = runtime.asker(request.caller.as_ref());
        let target = find::target(&runtime.app, request.reference.trim(), &asker)?;
        if let find::Target::Memory(number) = target {
            let found = runtime.app.memory.strand.memories(&[number])?;
            found
                .iter()
                .try_for_each(|memory| edit::check_seen(memory, &asker))?;
        }
        Ok((target, asker))
    });
    let (target, asker) = target.await?;
    let number = match target {
        find::Target::Memory(number) => number,
        find::Target::Candidates(told) => {
            let candidates = told.iter().map(convert::told).collect();
            return Ok(v1::ForgetReply {
                candidates,
                ..v1::ForgetReply::default()
            });
        }
    };
    let write = Request::Edit {
        number,
        edit: Edit::Forget,
        expected: None,
        actor: asker.actor,
        at: runtime.now(),
    };
    let edited = edit::write(runtime, write).await?;
    off_thread(runtime, move |runtime| {
        let forgotten = edited
            .memories
            .first()
            .map(|memory| convert::told(&Told::of(&runtime.app, memory)));
        Ok(v1::ForgetReply {
            forgotten,
            candidates: Vec::new(),
            was_forgotten: edited.changed == 0,
        })
    })
    .await
}
