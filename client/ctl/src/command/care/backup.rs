//! `helixctl backup`: copies of the store, made, listed, verified and restored.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, Subcommand};
use helix_client::text::memory::count_of;
use helix_client::{ConnectError, Start, daemon_program, v1};
use helix_proto::exit;
use v1::backup_request::Action;

use super::EVERYTHING_DEADLINE;
use crate::command::down::stop;
use crate::context::{Context, variables, wait};
use crate::document::BackupsDocument;
use crate::failure::{Failure, Outcome};
use crate::progress::while_slow;
use crate::text::one_line;
use crate::{render, screen};

/// Arguments of `backup`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Backup {
    #[command(subcommand)]
    what: Option<What>,
    /// Makes it in this directory, in place of the home's own
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// What is done with backups beside making one.
#[derive(Debug, Subcommand)]
enum What {
    /// Lists the backups in the home
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Opens a backup, reads all of it and compares it with the present store
    Verify {
        /// The file
        path: PathBuf,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Puts a backup in the place of the present store, which is kept beside it
    Restore {
        /// The file
        path: PathBuf,
        /// Restores it although the present store has newer writes
        #[arg(long, short)]
        yes: bool,
    },
}

impl Backup {
    /// Makes, lists, verifies or restores.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (action, json) = match self.what {
            None => {
                let directory = self.to.map(|directory| absolute(context, &directory));
                let directory = directory.transpose()?.unwrap_or_default();
                (Action::Make(v1::MakeBackup { directory }), self.json)
            }
            Some(What::List { json }) => (Action::List(v1::ListBackups {}), json),
            Some(What::Verify { path, json }) => {
                let path = absolute(context, &path)?;
                (Action::Verify(v1::VerifyBackup { path }), json)
            }
            Some(What::Restore { path, yes }) => return restore(context, &path, yes),
        };
        wait(async {
            let reply = ask(context, action).await?;
            if json {
                screen::json(&BackupsDocument::from(&reply))?;
                return Ok(exit::OK);
            }
            screen::print(&render::backups(context.screen.look, &reply.backups))?;
            screen::remark_if(reply.backups.is_empty(), "helixctl: there are no backups");
            Ok(exit::OK)
        })
    }
}

async fn ask(context: &Context, action: Action) -> Result<v1::BackupReply, Failure> {
    let request = v1::BackupRequest {
        action: Some(action),
    };
    let mut client = context.connect(Start::IfAbsent).await?;
    let asking = client.call_once(EVERYTHING_DEADLINE, async |rpc| rpc.backup(request).await);
    Ok(while_slow(context.screen, "reading the store", asking).await?)
}

/// The daemon has another working directory.
fn absolute(context: &Context, path: &Path) -> Result<String, Failure> {
    let path = context.cwd.join(path).into_os_string().into_string();
    path.map_err(|_| Failure::Usage("the path is not UTF-8; rename it".to_owned()))
}

/// Stops the daemon, has the daemon's program put the backup in place, and starts it again.
fn restore(context: &Context, path: &Path, yes: bool) -> Outcome {
    let path = absolute(context, path)?;
    wait(async {
        let verify = Action::Verify(v1::VerifyBackup { path: path.clone() });
        match ask(context, verify).await {
            Ok(reply) => refuse_newer(&reply, yes)?,
            // Where the store is what keeps it from starting, only the user can say so.
            Err(Failure::Connect(error @ ConnectError::Start(_))) if !yes => {
                return Err(Failure::Unavailable(format!(
                    "{error}; to restore the backup without looking at the present store, say --yes"
                )));
            }
            Err(Failure::Connect(ConnectError::Start(_))) => {}
            Err(failure) => return Err(failure),
        }
        stop(context).await?;
        screen::print(&put_in_place(context, &path)?)?;
        let start = context.connect(Start::IfAbsent);
        while_slow(context.screen, "waiting for helixd to start", start).await?;
        Ok(exit::OK)
    })
}

/// Refuses a backup that lacks what was written since.
fn refuse_newer(reply: &v1::BackupReply, yes: bool) -> Result<(), Failure> {
    let newer = reply
        .backups
        .first()
        .and_then(|backup| backup.newer_operations);
    let lost = match newer {
        Some(0) => return Ok(()),
        Some(newer) => format!(
            "the present store has {} that the backup lacks",
            count_of(newer, "newer operation", "newer operations")
        ),
        None => "the backup is of another store than the present one".to_owned(),
    };
    if yes {
        screen::remark(&format!("helixctl: {lost}"));
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{lost}; to restore it all the same, say --yes: the present store is kept beside it"
    )))
}

/// Returns what the daemon's program says of it.
fn put_in_place(context: &Context, path: &str) -> Result<String, Failure> {
    let program = daemon_program().map_err(|error| Failure::Unavailable(error.to_string()))?;
    let ran = Command::new(&program)
        .arg("--restore")
        .arg(path)
        .envs(variables(&context.paths))
        .stdin(Stdio::null())
        .output()
        .map_err(Failure::io(format!("running {}", program.display())))?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    let said = said.lines().last().unwrap_or("helixd said nothing");
    let said = said.strip_prefix("helixd: ").unwrap_or(said);
    Err(Failure::Data(one_line(said)))
}
