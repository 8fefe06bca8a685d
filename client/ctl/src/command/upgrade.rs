//! `helixctl upgrade`: the running daemon hands over to another program file.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;
use tokio::time::{Instant, sleep};

use crate::context::{Context, wait};
use crate::document::UpgradeDocument;
use crate::failure::{Failure, Outcome};
use crate::progress::while_slow;
use crate::screen;
use crate::text::one_line;

/// How long the daemon may take to start the new one and hand over: it opens the store, which a crash may have left to repair.
const HANDOVER_DEADLINE: Duration = Duration::from_mins(2);

/// How long the new daemon may take to answer once it was handed the socket.
const ANSWER_DEADLINE: Duration = Duration::from_secs(30);

/// Pause between two looks at who answers.
const LOOK_PAUSE: Duration = Duration::from_millis(20);

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
        let program = self.program.map(|program| checked(context, program)).transpose()?.unwrap_or_default();
        wait(async {
            let mut client = context.connect(Start::Never).await?;
            let old_pid = client.greeting.pid;
            let handover =
                client.call_once(HANDOVER_DEADLINE, async |rpc| rpc.upgrade(v1::UpgradeRequest { program }).await);
            let reply = while_slow(context.screen, "handing over", handover).await?;
            while_slow(context.screen, "waiting for the new daemon", answered(context, &reply)).await?;
            if self.json {
                screen::json(&UpgradeDocument::new(&reply, old_pid))?;
                return Ok(exit::OK);
            }
            let (old, new, pid) = (one_line(&reply.old_version), one_line(&reply.new_version), reply.pid);
            screen::print(&format!("upgraded\t{old} → {new}\tpid {old_pid} → {pid}\n"))?;
            Ok(exit::OK)
        })
    }
}

/// The daemon's working directory is another one: it needs the whole path.
fn checked(context: &Context, program: PathBuf) -> Result<String, Failure> {
    let path = context.cwd.join(program);
    let shown = path.display();
    let path = path.canonicalize().map_err(|error| Failure::Usage(format!("no program at {shown}: {error}")))?;
    if !path.is_file() {
        return Err(Failure::Usage(format!("{shown} is no program file")));
    }
    path.into_os_string().into_string().map_err(|_| Failure::Usage("the path is not UTF-8; rename it".to_owned()))
}

/// Waits until the daemon that the reply names is the one that answers.
async fn answered(context: &Context, reply: &v1::UpgradeReply) -> Result<(), Failure> {
    let deadline = Instant::now() + ANSWER_DEADLINE;
    loop {
        let answer = context.connect(Start::Never).await.map(|client| client.greeting);
        if answer.as_ref().is_ok_and(|answer| answer.pid == reply.pid && answer.version == reply.new_version) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let who = match answer {
                Ok(answer) => format!("helixd {} (pid {}) answers", one_line(&answer.version), answer.pid),
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
