//! `Provider`: how language models stand, and asking them.

use helix_app::language::{corrections, status};
use helix_app::{App, Asker, Refusal};
use helix_memory::Origin;
use helix_proto::v1;
use v1::provider_request::Action;

use crate::wire;

/// Does what is asked for. Only a person has models asked: it costs.
#[expect(
    clippy::needless_pass_by_value,
    reason = "as every call has its request"
)]
pub(super) fn provider(
    app: &App,
    asker: &Asker,
    wire: v1::ProviderRequest,
) -> Result<v1::ProviderReply, Refusal> {
    let action = wire.action();
    let asks = matches!(action, Action::Test | Action::Run);
    if asks && asker.actor.origin != Origin::User {
        return Err(Refusal::denied(
            "only a person at a shell has language models asked: it may cost; run `helixctl provider`",
        ));
    }
    let answer = match action {
        Action::Unspecified | Action::Status => v1::ProviderReply::default(),
        Action::Test => wire::provider::answer(status::test(app, wire.dry_run)?),
        Action::Run => {
            let goes_on = || !app.life.is_ending();
            wire::provider::done(corrections::run(app, wire.dry_run, &goes_on)?)
        }
    };
    Ok(wire::provider::status(status::status(app)?, answer))
}
