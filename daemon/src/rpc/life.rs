//! The life of memories, backups and metrics: what each call does.

use std::path::Path;
use std::time::Instant;

use helix_app::jobs::{self, Run};
use helix_app::lifecycle::{self, Done};
use helix_app::{App, Asker, Refusal, backup, overseen};
use helix_proto::v1;
use v1::backup_request::Action;

use crate::wire;

/// Memories that are named where the caller does not say how many.
const FATES_DEFAULT: usize = 100;

/// Most memories that are named.
const FATES_MAX: usize = 1_000;

/// Days that are told where the caller does not say how many.
const DAYS_DEFAULT: usize = 7;

/// Lists what is due, and does it where that is asked for.
#[expect(
    clippy::needless_pass_by_value,
    reason = "as every call has its request"
)]
pub(super) fn lifecycle(
    app: &App,
    asker: &Asker,
    wire: v1::LifecycleRequest,
) -> Result<v1::LifecycleReply, Refusal> {
    let limit = match wire.limit as usize {
        0 => FATES_DEFAULT,
        limit => limit.min(FATES_MAX),
    };
    let plan = lifecycle::plan(app, limit)?;
    let done = if wire.apply {
        Some(applied(app, asker)?)
    } else {
        None
    };
    Ok(wire::lifecycle::answer(plan, done))
}

fn applied(app: &App, asker: &Asker) -> Result<Done, Refusal> {
    let (at, started) = (app.memory.now(), Instant::now());
    let run = lifecycle::Run {
        takes: &|_| true,
        actor: asker.actor.clone(),
        goes_on: &|| !app.life.is_ending(),
    };
    let done = lifecycle::take(app, &run)?;
    let run = Run {
        job: lifecycle::JOB.to_owned(),
        at,
        took: started.elapsed(),
        outcome: done.words(),
        has_failed: false,
    };
    jobs::keep(app, &run);
    Ok(done)
}

/// Makes, lists or verifies backups.
pub(super) fn backup(app: &App, action: Option<Action>) -> Result<v1::BackupReply, Refusal> {
    let backups = match action {
        Some(Action::Make(v1::MakeBackup { directory })) => {
            let directory = Some(Path::new(&directory)).filter(|_| !directory.is_empty());
            refuse_relative(directory)?;
            let made = backup::make(app, directory, backup::Reason::Asked)?;
            vec![wire::backup::whole(&made)]
        }
        Some(Action::Verify(v1::VerifyBackup { path })) => {
            let path = Path::new(&path);
            refuse_relative(Some(path))?;
            vec![wire::backup::whole(&backup::verify(app, path)?)]
        }
        Some(Action::List(v1::ListBackups {})) => {
            let listed = backup::list(app)?;
            listed.iter().map(wire::backup::listed).collect()
        }
        None => return Err(Refusal::invalid("say what is to be done with backups")),
    };
    Ok(v1::BackupReply { backups })
}

/// The daemon has another working directory than its callers.
fn refuse_relative(path: Option<&Path>) -> Result<(), Refusal> {
    match path {
        Some(path) if !path.is_absolute() => Err(Refusal::invalid(format!(
            "the path {} is not absolute; give the full path",
            path.display()
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Tells what was done on the last days, and how the parts fare now.
pub(super) fn metrics(app: &App, days: u32) -> Result<v1::MetricsReply, Refusal> {
    let days = match days as usize {
        0 => DAYS_DEFAULT,
        days => days,
    };
    Ok(wire::metrics::answer(overseen::overseen(app, days)?))
}
