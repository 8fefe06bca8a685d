//! `helixctl upgrade`: the running daemon hands over to another program file.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use helix_client::{Client, Holder, Start, v1};
use helix_proto::exit;
use tokio::time::{Instant, sleep};

use crate::context::{Context, wait};
use crate::document::UpgradeDocument;
use crate::failure::{Failure, Outcome};
use crate::progress::while_slow;
use crate::screen;
use crate::text::one_line;

/// How long the daemon may take to start the new one and hand over: it opens the store, which a
/// crash may have left to repair.
const HANDOVER_DEADLINE: Duration = Duration::from_mins(2);

/// How long the new daemon may take to answer: the old one may wait a minute for imports and the
/// like, and has to finish its writes, and the new one opens the store.
const ANSWER_DEADLINE: Duration = Duration::from_mins(3);

/// Pause between two looks at who answers.
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// Arguments of `upgrade`.
#[derive(Debug, Args)]
pub(crate) struct Upgrade {
    /// The new program; the file that the daemon was started from unless given
    program: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Upgrade {
    /// Asks for the handover and waits until the new daemon answers.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let program = self
            .program
            .map(|program| checked(context, program))
            .transpose()?
            .unwrap_or_default();
        wait(async {
            let mut client = context.connect(Start::Never).await?;
            let old_pid = client.greeting.pid;
            let started_at = started_at(&mut client).await;
            let handover = client.call_once(HANDOVER_DEADLINE, async |rpc| {
                rpc.upgrade(v1::UpgradeRequest { program }).await
            });
            let reply = while_slow(context.screen, "handing over", handover).await?;
            let what = waiting(&reply);
            if !reply.waits_for.is_empty() {
                screen::remark(&format!("helixctl: {what}, a minute at most"));
            }
            let before = Before {
                pid: old_pid,
                started_at,
            };
            while_slow(context.screen, &what, answered(context, &reply, before)).await?;
            if self.json {
                screen::json(&UpgradeDocument::new(&reply, old_pid))?;
                return Ok(exit::OK);
            }
            let (old, new, pid) = (
                one_line(&reply.old_version),
                one_line(&reply.new_version),
                reply.pid,
            );
            screen::print(&format!("upgraded\t{old} → {new}\tpid {old_pid} → {pid}\n"))?;
            Ok(exit::OK)
        })
    }
}

/// Describes the hand-over until it is done.
fn waiting(reply: &v1::UpgradeReply) -> String {
    match reply.waits_for.as_slice() {
        [] => "waiting for the new daemon".to_owned(),
        running => format!(
            "helixd hands over when this has ended: {}",
            one_line(&running.join(", "))
        ),
    }
}

/// The daemon's working directory is another one: it needs the whole path.
fn checked(context: &Context, program: PathBuf) -> Result<String, Failure> {
    let path = context.cwd.join(program);
    let shown = path.display();
    let path = path
        .canonicalize()
        .map_err(|error| Failure::Usage(format!("no program at {shown}: {error}")))?;
    if !path.is_file() {
        return Err(Failure::Usage(format!("{shown} is no program file")));
    }
    path.into_os_string()
        .into_string()
        .map_err(|_| Failure::Usage("the path is not UTF-8; rename it".to_owned()))
}

/// When a daemon began to serve: the old and the new one may be of one version, and are one
/// process. `None` for one that goes away just now.
async fn started_at(client: &mut Client) -> Option<i64> {
    let status = client
        .call(async |rpc| rpc.status(v1::StatusRequest {}).await)
        .await;
    status.ok().map(|status| status.started_at_us)
}

/// The daemon that hands over.
#[derive(Clone, Copy)]
struct Before {
    pid: u32,
    started_at: Option<i64>,
}

/// Waits until the daemon that the reply names is the one that answers. One that died is not waited
/// for: it holds the home's lock from before the hand-over for as long as it lives.
async fn answered(
    context: &Context,
    reply: &v1::UpgradeReply,
    before: Before,
) -> Result<(), Failure> {
    let deadline = Instant::now() + ANSWER_DEADLINE;
    loop {
        let mut answer = context.connect(Start::Never).await;
        if let Ok(client) = &mut answer {
            let is_it =
                client.greeting.pid == reply.pid && client.greeting.version == reply.new_version;
            if is_it
                && (reply.new_version != reply.old_version
                    || started_at(client).await > before.started_at)
            {
                return Ok(());
            }
        }
        let answer = answer.map(|client| client.greeting);
        let is_replaced =
            |greeting: &v1::HelloReply| ![reply.pid, before.pid].contains(&greeting.pid);
        let is_gone = || Holder::read(&context.paths).is_none();
        if answer.as_ref().map_or_else(|_| is_gone(), is_replaced) {
            let (version, pid) = (one_line(&reply.new_version), reply.pid);
            return Err(Failure::Unavailable(format!(
                "helixd {version} (pid {pid}) took over and ended; see its log, and start the one before with `helixctl up`"
            )));
        }
        if Instant::now() >= deadline {
            let who = match answer {
                Ok(answer) => format!(
                    "helixd {} (pid {}) answers",
                    one_line(&answer.version),
                    answer.pid
                ),
                Err(failure) => failure.to_string(),
            };
            let (version, pid) = (one_line(&reply.new_version), reply.pid);
            return Err(Failure::Unavailable(format!(
                "helixd {version} (pid {pid}) does not answer after {} s: {who}; see its log",
                ANSWER_DEADLINE.as_secs()
            )));
        }
        sleep(LOOK_PAUSE).await;
    }
}
