//! `helixctl doctor`: every part examined, and what to do about what is wrong.

mod late;
mod model;
mod places;
mod reach;
mod round_trip;
mod shim;
mod wired;

pub(crate) use reach::Reach;
pub(super) use wired::wired_twice;

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::{Client, Start, v1};
use helix_proto::SCRATCH_SESSION;

use crate::context::{Context, wait};
use crate::document::embedder_state;
use crate::failure::{Failure, Outcome};
use crate::finding::{Finding, Findings, extend};
use crate::progress::while_slow;
use crate::render;
use crate::screen;
use crate::time::now_us;

/// How the finding about the embedder is called.
const EMBEDDER: &str = "embedder";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also walks the whole history, compares every memory with the indexes and asks for each memory
    /// by a question made from it
    #[arg(long)]
    deep: bool,
    /// Asks for memories for so many seconds at most
    #[arg(long, value_name = "N", requires = "deep", default_value_t = reach::PATIENCE_S)]
    seconds: u64,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Examines everything; starts the daemon when there is none, as any command would.
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        wait(async {
            let mut results = while_slow(
                context.screen,
                "examining",
                Box::pin(examine(context, self.deep)),
            )
            .await;
            let mut reach = None;
            if self.deep {
                let (finding, examined) = reach::examine(context, self.seconds).await;
                results.push(finding);
                reach = examined;
            }
            let findings = Findings {
                reach,
                ..Findings::new(results)
            };
            if self.json {
                screen::json(&findings)?;
            } else {
                screen::print(&render::findings(context.screen.look, &findings))?;
            }
            Ok(findings.exit_code())
        })
    }
}

async fn examine(context: &Context, deep: bool) -> Vec<Finding> {
    let connected = context.connect(Start::IfAbsent).await;
    // Only now: the first start makes the places.
    let mut results = places::examine(&context.paths);
    match connected {
        Ok(mut client) => extend(
            &mut results,
            examine_daemon(context, &mut client, deep).await,
        ),
        Err(failure) => results.push(Finding::failure("daemon", failure.to_string())),
    }
    results.push(model::examine(&context.paths.models).await);
    results.extend(wired::examine(context));
    results.extend(wired_twice(context));
    results
}

async fn examine_daemon(context: &Context, client: &mut Client, deep: bool) -> Vec<Finding> {
    // Ties what this run leaves in logs together, and keeps two runs apart.
    let label = format!("{SCRATCH_SESSION}{}-{}", std::process::id(), now_us());
    let mut results = vec![version(&client.greeting)];
    results.extend(own_checks(client, deep).await);
    results.push(round_trip::examine(context, client, &label).await);
    results.extend(described(client).await);
    results.push(shim::examine(&context.paths, &label).await);
    results
}

fn version(greeting: &v1::HelloReply) -> Finding {
    let (theirs, ours) = (&greeting.version, env!("CARGO_PKG_VERSION"));
    if theirs == ours {
        Finding::ok("daemon", format!("version {theirs}, pid {}", greeting.pid))
    } else {
        let advice = "run `helixctl down` and `helixctl up`";
        Finding::warning(
            "daemon",
            format!("version {theirs} runs, but {ours} is installed; {advice}"),
        )
    }
}

async fn own_checks(client: &mut Client, deep: bool) -> Vec<Finding> {
    match client
        .call(async |rpc| rpc.check(v1::CheckRequest { deep }).await)
        .await
    {
        Ok(reply) => reply.results.iter().map(Finding::from).collect(),
        Err(status) => vec![Finding::failure(
            "checks",
            Failure::from(status).to_string(),
        )],
    }
}

/// Returns the daemon's description of itself.
async fn described(client: &mut Client) -> Vec<Finding> {
    match client
        .call(async |rpc| rpc.status(v1::StatusRequest {}).await)
        .await
    {
        Ok(reply) => vec![embedder(reply.embedder), late::examine(&reply.late_hooks)],
        Err(status) => vec![Finding::failure(
            EMBEDDER,
            Failure::from(status).to_string(),
        )],
    }
}

fn embedder(embedder: Option<v1::EmbedderStatus>) -> Finding {
    let Some(embedder) = embedder else {
        return Finding::warning(EMBEDDER, "the daemon does not know its state");
    };
    let said = [&embedder.model, &embedder.detail]
        .into_iter()
        .filter(|text| !text.is_empty());
    let waiting = count_of(
        embedder.pending,
        "memory waits for its vector",
        "memories wait for their vectors",
    );
    let waiting = (embedder.pending > 0).then_some(waiting);
    let parts = [embedder_state(embedder.state()).to_owned()]
        .into_iter()
        .chain(said.cloned())
        .chain(waiting);
    let detail = parts.collect::<Vec<_>>().join(", ");
    match embedder.state() {
        v1::EmbedderState::Ready | v1::EmbedderState::Off | v1::EmbedderState::Loading => {
            Finding::ok(EMBEDDER, detail)
        }
        v1::EmbedderState::Unspecified | v1::EmbedderState::Absent => {
            Finding::warning(EMBEDDER, detail)
        }
        v1::EmbedderState::Failed => Finding::failure(EMBEDDER, detail),
    }
}
