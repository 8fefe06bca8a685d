//! `Consolidate`.

use helix_app::consolidate::{self, Run};
use helix_app::sweep::{self, Done};
use helix_app::{App, Asker, Refusal};
use helix_proto::v1;

use crate::wire;

/// Puts into the review what was told again, or says what would wait there.
#[expect(
    clippy::needless_pass_by_value,
    reason = "as every call has its request"
)]
pub(super) fn consolidate(
    app: &App,
    asker: &Asker,
    wire: v1::ConsolidateRequest,
) -> Result<v1::ConsolidateReply, Refusal> {
    let goes_on = || !app.life.is_ending();
    let run = Run {
        scopes: Some(asker.scopes()),
        actor: asker.actor.clone(),
        writes: !wire.dry_run,
        goes_on: &goes_on,
    };
    let proposals = consolidate::propose(app, &run)?;
    let swept = if wire.episodes {
        Done::default()
    } else {
        sweep::run(app, run.writes, goes_on)?
    };
    Ok(wire::consolidate::answer(&proposals, swept))
}
