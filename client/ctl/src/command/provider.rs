//! `helixctl provider`: the language models that Helix may ask.

use clap::{Args, Subcommand};
use helix_client::v1;
use helix_proto::exit;
use v1::provider_request::Action;

use crate::context::Context;
use crate::document::ProviderDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Commands below `provider`.
#[derive(Debug, Subcommand)]
pub(crate) enum Provider {
    /// Lists the models, whether they can be asked, and what was spent this month
    Status(Plain),
    /// Asks a question whose answer is known
    Test(Asking),
    /// Asks about the pairs in the review that rules cannot decide, each once
    Run(Asking),
}

/// How to print.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Plain {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `provider test` and `provider run`.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// Prints what would be sent, to whom, and sends nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    plain: Plain,
}

impl Provider {
    /// Does it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (action, dry_run, plain) = match self {
            Self::Status(plain) => (Action::Status, false, plain),
            Self::Test(asking) => (Action::Test, asking.dry_run, asking.plain),
            Self::Run(asking) => (Action::Run, asking.dry_run, asking.plain),
        };
        let request = v1::ProviderRequest {
            caller: Some(context.caller()),
            action: action.into(),
            dry_run,
        };
        let reply = context.ask(async |rpc| rpc.provider(request.clone()).await)?;
        if plain.json {
            screen::json(&ProviderDocument::from(&reply))?;
        } else {
            screen::print(&render::provider(context.screen.look, action, &reply))?;
        }
        let has_failed = action != Action::Status && !reply.error.is_empty();
        Ok(if has_failed {
            exit::UNAVAILABLE
        } else {
            exit::OK
        })
    }
}
