//! `Upgrade`: names the program that takes over, once it was found fit to.

use std::path::PathBuf;
use std::process;
use std::sync::PoisonError;

use helix_app::Refusal;
use helix_engine::Store;
use helix_proto::v1;

use crate::runtime::Runtime;
use crate::successor::examine;

/// Examines the program, then makes the daemon stop in its favour. The reply is one of the requests
/// that are drained, and says what else is waited for.
pub(super) fn upgrade(
    runtime: &Runtime,
    request: &v1::UpgradeRequest,
) -> Result<v1::UpgradeReply, Refusal> {
    let program = if request.program.is_empty() {
        runtime.program.clone()
    } else {
        PathBuf::from(&request.program)
    };
    let successor =
        examine(&program, Store::FORMAT).map_err(|error| Refusal::of(error.kind(), &error))?;
    let new_version = successor.version.clone();
    tracing::info!(program = %program.display(), version = new_version, "handing over");
    let waits_for = runtime.work.long().into_iter().map(str::to_owned).collect();
    *runtime
        .successor
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = Some(successor);
    runtime.stop.notify_one();
    Ok(v1::UpgradeReply {
        pid: process::id(),
        old_version: env!("CARGO_PKG_VERSION").to_owned(),
        new_version,
        waits_for,
    })
}
