//! `helixctl import`: memories read from an exchange format.
//!
//! A thread reads the files and hands pieces to the call; the call takes them as the daemon does. Reading that fails cancels
//! the call, since an end of the stream would tell the daemon that everything was sent.

mod source;

use std::error::Error;
use std::thread;
use std::time::Duration;

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::{Client, Start, is_lost_connection, v1};
use helix_proto::exit;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

use self::source::{Source, send};
use super::format::Format;
use crate::context::{Context, wait};
use crate::document::ImportDocument;
use crate::failure::{Failure, Outcome};
use crate::input::STREAM;
use crate::progress::Transfer;
use crate::{render, screen};

/// Pieces that wait for the daemon.
const PIECES_WAITING_MAX: usize = 4;

/// How long an import may go on as a whole: a million memories and the slowest disk, with room to spare.
const IMPORT_DEADLINE: Duration = Duration::from_hours(6);

/// Arguments of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A file, a directory of Markdown files, or `-` for stdin
    #[arg(value_name = "FILE|DIR|-")]
    input: String,
    /// Reads this format; decided from the first bytes and the name unless given
    #[arg(long, short, value_enum, value_name = "F")]
    format: Option<Format>,
    /// Says what would be done and does nothing
    #[arg(long)]
    dry_run: bool,
    /// Puts memories here that name no scope: global, project or project:ID
    #[arg(long, value_name = "S")]
    scope: Option<String>,
    /// Keeps the origins that the file names: for your own exports, so that what you stored is yours again and is shown
    /// unasked; else all of it counts as imported
    #[arg(long)]
    trust: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Sends the files and says what became of the memories.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let path = (self.input != STREAM).then(|| context.cwd.join(&self.input));
        let source = Source::open(path, self.format)?;
        let first = v1::ImportPiece {
            caller: Some(context.caller()),
            format: source.format.wire().into(),
            scope: self.scope.clone().unwrap_or_default(),
            dry_run: self.dry_run,
            trust: self.trust,
            ..v1::ImportPiece::default()
        };
        let result = wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let transfer = Transfer::new(context.screen, "importing", source.bytes);
            let imported = timeout(IMPORT_DEADLINE, import(&transfer, &mut client, source, first)).await;
            transfer.finish();
            imported
                .map_err(|_| Failure::Unavailable("the import did not end in time; see the daemon's log".to_owned()))?
        })?;
        if self.json {
            screen::json(&ImportDocument::new(&result, self.dry_run))?;
        } else {
            screen::print(&render::imported(context.screen.look, &result, self.dry_run))?;
        }
        // What could not be read or stored is the input's fault, whatever else was in it: who deletes it afterwards would lose that.
        let clean = result.refused == 0 && result.problems.is_empty();
        if !clean && !self.json {
            screen::remark("helixctl: a part of the input was not taken, as said above; the rest was");
        }
        Ok(if clean { exit::OK } else { exit::DATA })
    }
}

/// Reads and sends on a thread of its own while the daemon answers here.
async fn import(
    transfer: &Transfer,
    client: &mut Client,
    source: Source,
    first: v1::ImportPiece,
) -> Result<v1::ImportProgress, Failure> {
    let sending = transfer.clone();
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING_MAX);
    let (ended, mut end) = oneshot::channel();
    let reader = thread::Builder::new().name("import-reader".to_owned());
    // It ends with its input, or with the first piece that nobody takes any more.
    let reader = reader.spawn(move || {
        let result = send(source, first, &pieces, &sending);
        // The sender goes along, so that the stream does not end before it is known how reading ended.
        drop(ended.send((result, pieces)));
    });
    drop(reader.map_err(Failure::io("starting a thread"))?);
    let mut conversation = std::pin::pin!(converse(transfer, client, waiting));
    tokio::select! {
        result = &mut conversation => result,
        read = &mut end => {
            let (result, pieces) = read.map_err(|_| Failure::Unavailable("reading the input ended early".to_owned()))?;
            // Returning here drops the conversation, which cancels the call.
            result?;
            drop(pieces);
            conversation.await
        }
    }
}

async fn converse(
    transfer: &Transfer,
    client: &mut Client,
    pieces: mpsc::Receiver<v1::ImportPiece>,
) -> Result<v1::ImportProgress, Failure> {
    let stream = ReceiverStream::new(pieces);
    let mut replies = client.call_once(IMPORT_DEADLINE, async |rpc| rpc.import(stream).await).await?;
    let mut last = v1::ImportProgress::default();
    while let Some(progress) = replies.message().await.map_err(|status| ended(status, &last))? {
        transfer.counted(progress.read, progress.bytes_read, progress.bytes_whole);
        last = progress;
        if last.done {
            break;
        }
    }
    if last.done {
        return Ok(last);
    }
    Err(partly(Failure::Unavailable("the daemon ended the import early; see its log".to_owned()), &last))
}

/// Why the daemon sends no more. Only a lost connection leaves open how much of what was sent last is stored.
fn ended(status: Status, last: &v1::ImportProgress) -> Failure {
    if is_lost_connection(&status) || (status.code() == Code::Internal && status.source().is_some()) {
        let gone = "the daemon went away before the import had ended; more than the following may be stored".to_owned();
        return partly(Failure::Unavailable(gone), last);
    }
    partly(status.into(), last)
}

/// Known memories are not stored again, so the same input may be given again; but a file at fault has to be mended first.
fn partly(failure: Failure, last: &v1::ImportProgress) -> Failure {
    let is_input = matches!(&failure, Failure::Daemon(status) if status.code() == Code::InvalidArgument);
    let is_begun = last.stored + last.revised > 0;
    let failure = if is_input && is_begun { Failure::Data(failure.to_string()) } else { failure };
    let next = if is_input { "mend the file and import it again" } else { "import the same again" };
    let revised = if last.revised == 0 { String::new() } else { format!(" and {} revised", last.revised) };
    let what = match is_begun {
        false if is_input => "nothing was stored".to_owned(),
        false => format!("nothing was stored until then; {next}"),
        true => {
            let stored = count_of(last.stored, "memory was", "memories were");
            format!("{stored} stored{revised} until then; {next} to go on: what is stored is found known")
        }
    };
    Failure::Within { what, failure: Box::new(failure) }
}
