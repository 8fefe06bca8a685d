//! `helixctl import`: memories read from an exchange format.
//!
//! A thread reads the files and hands pieces to the call; the call takes them as the daemon does.
//! Reading that fails cancels the call, since an end of the stream would tell the daemon that
//! everything was sent.

mod source;

use std::cell::RefCell;
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
use crate::ask::{confirmed, is_there_somebody};
use crate::context::{Context, wait};
use crate::document::ImportDocument;
use crate::failure::{Failure, Outcome};
use crate::input::STREAM;
use crate::interrupt::unless_interrupted;
use crate::progress::Transfer;
use crate::{render, screen};

/// Pieces that wait for the daemon.
const PIECES_WAITING_MAX: usize = 4;

/// How long an import may go on as a whole: a million memories and the slowest disk, with room to
/// spare.
const IMPORT_DEADLINE: Duration = Duration::from_hours(6);

/// Arguments of `import`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
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
    /// Vouches for the file: keeps the origins that it names and takes what names none as yours,
    /// so that it is shown unasked, also where it was imported before; else all of it counts
    /// as imported
    #[arg(long)]
    trust: bool,
    /// Takes what was edited in an export of this home without asking; else the edited texts wait in
    /// the review
    #[arg(long, short)]
    yes: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Sends the files and says what became of the memories.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let takes_edits = self.trust || self.yes || self.is_agreed(context)?;
        let result = self.sent(context, self.dry_run, takes_edits || self.dry_run)?;
        if self.json {
            screen::json(&ImportDocument::new(&result, self.dry_run))?;
        } else {
            screen::print(&render::imported(
                context.screen.look,
                &result,
                self.dry_run,
            ))?;
        }
        let is_foreign = !self.trust && !self.dry_run && !self.json;
        screen::remark_if(
            is_foreign && result.stored > result.quarantined,
            "agents find what was stored when they search, and are not shown it unasked; import what is your own again with --trust",
        );
        // What could not be read or stored is the input's fault, whatever else was in it: who
        // deletes it afterwards would lose that.
        let problems = u64::try_from(result.problems.len())
            .unwrap_or(u64::MAX)
            .saturating_add(result.problems_untold);
        let clean = result.refused == 0 && problems <= result.problems_harmless;
        if !clean && !self.json {
            screen::remark(
                "helixctl: a part of the input was not taken, as said above; the rest was",
            );
        }
        Ok(if clean { exit::OK } else { exit::DATA })
    }

    /// Asks whether memories of this home become what the file was edited to say. Nobody is asked
    /// where it has no edits, or where nobody is there.
    fn is_agreed(&self, context: &Context) -> Result<bool, Failure> {
        let can_ask = self.input != STREAM && !self.json && is_there_somebody();
        if self.dry_run || !can_ask {
            return Ok(false);
        }
        let foreseen = self.sent(context, true, true)?;
        if foreseen.revised == 0 {
            return Ok(false);
        }
        screen::print(&render::imported(context.screen.look, &foreseen, true))?;
        let memories = count_of(foreseen.revised, "memory", "memories");
        let question = format!(
            "Change {memories} of this home as the file says? Else that waits in the review."
        );
        confirmed(&question, "--yes")
    }

    /// Sends the files, and returns what the daemon said last.
    fn sent(
        &self,
        context: &Context,
        dry_run: bool,
        takes_edits: bool,
    ) -> Result<v1::ImportProgress, Failure> {
        let path = (self.input != STREAM).then(|| context.cwd.join(&self.input));
        let source = Source::open(path, self.format)?;
        let first = v1::ImportPiece {
            caller: Some(context.caller()),
            format: source.format.wire().into(),
            scope: self.scope.clone().unwrap_or_default(),
            dry_run,
            trust: self.trust,
            takes_edits,
            ..v1::ImportPiece::default()
        };
        let course = Course::new(
            Transfer::new(context.screen, "importing", source.bytes),
            dry_run,
        );
        let work = unless_interrupted(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let imported =
                timeout(IMPORT_DEADLINE, import(&course, &mut client, source, first)).await;
            imported.map_err(|_| {
                Failure::Unavailable(
                    "the import did not end in time; see the daemon's log".to_owned(),
                )
            })?
        });
        let result = wait(work);
        course.transfer.finish();
        result.map_err(|failure| match failure {
            Failure::Interrupted => course.partly(failure),
            other => other,
        })
    }
}

/// How far an import is.
struct Course {
    transfer: Transfer,
    /// What the daemon said last.
    last: RefCell<v1::ImportProgress>,
    dry_run: bool,
}

/// Reads and sends on a thread of its own while the daemon answers here.
async fn import(
    course: &Course,
    client: &mut Client,
    source: Source,
    first: v1::ImportPiece,
) -> Result<v1::ImportProgress, Failure> {
    let sending = course.transfer.clone();
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING_MAX);
    let (ended, mut end) = oneshot::channel();
    let reader = thread::Builder::new().name("import-reader".to_owned());
    // It ends with its input, or with the first piece that nobody takes any more.
    let reader = reader.spawn(move || {
        let result = send(source, first, &pieces, &sending);
        // The sender goes along, so that the stream does not end before it is known how reading
        // ended.
        drop(ended.send((result, pieces)));
    });
    drop(reader.map_err(Failure::io("starting a thread"))?);
    let mut conversation = std::pin::pin!(converse(course, client, waiting));
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
    course: &Course,
    client: &mut Client,
    pieces: mpsc::Receiver<v1::ImportPiece>,
) -> Result<v1::ImportProgress, Failure> {
    let stream = ReceiverStream::new(pieces);
    let mut replies = client
        .call_once(IMPORT_DEADLINE, async |rpc| rpc.import(stream).await)
        .await?;
    while let Some(progress) = replies
        .message()
        .await
        .map_err(|status| course.ended(status))?
    {
        if progress.done {
            return Ok(progress);
        }
        course.reached(progress);
    }
    Err(course.partly(Failure::Unavailable(
        "the daemon ended the import early; see its log".to_owned(),
    )))
}

impl Course {
    fn new(transfer: Transfer, dry_run: bool) -> Self {
        Self {
            transfer,
            last: RefCell::default(),
            dry_run,
        }
    }

    fn reached(&self, progress: v1::ImportProgress) {
        self.transfer
            .counted(progress.read, progress.bytes_read, progress.bytes_whole);
        *self.last.borrow_mut() = progress;
    }

    /// Why the daemon sends no more. Only a lost connection leaves open how much of what was sent
    /// last is stored.
    fn ended(&self, status: Status) -> Failure {
        if is_lost_connection(&status)
            || (status.code() == Code::Internal && status.source().is_some())
        {
            let gone =
                "the daemon went away before the import had ended; more than the following may be stored".to_owned();
            return self.partly(Failure::Unavailable(gone));
        }
        self.partly(status.into())
    }

    /// Says what is stored all the same.
    fn partly(&self, failure: Failure) -> Failure {
        partly(failure, &self.last.borrow(), self.dry_run)
    }
}

/// Known memories are not stored again, so the same input may be given again; but a file at fault
/// has to be mended first.
fn partly(failure: Failure, last: &v1::ImportProgress, dry_run: bool) -> Failure {
    let is_input =
        matches!(&failure, Failure::Daemon(status) if status.code() == Code::InvalidArgument);
    let is_begun = last.stored + last.revised > 0 && !dry_run;
    let failure = if is_input && is_begun {
        Failure::Data(failure.to_string())
    } else {
        failure
    };
    let next = if is_input {
        "mend the file and import it again"
    } else {
        "import the same again"
    };
    let revised = if last.revised == 0 {
        String::new()
    } else {
        format!(" and {} revised", last.revised)
    };
    // The daemon ends at its next batch, and nobody is there any more to be told of those before.
    let is_open = matches!(failure, Failure::Interrupted) && last.bytes_whole > 0 && !dry_run;
    let open = if is_open {
        "; what was on its way may be stored as well"
    } else {
        ""
    };
    let what = if is_begun {
        let stored = count_of(last.stored, "memory was", "memories were");
        format!(
            "{stored} stored{revised} until then{open}; {next} to go on: what is stored is found known"
        )
    } else if is_input || dry_run {
        "nothing was stored".to_owned()
    } else {
        format!("nothing was stored until then{open}; {next}")
    };
    Failure::Within {
        what,
        failure: Box::new(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(failure: Failure, stored: u64, bytes_whole: u64, dry_run: bool) -> (String, u8) {
        let last = v1::ImportProgress {
            stored,
            bytes_whole,
            ..v1::ImportProgress::default()
        };
        let told = partly(failure, &last, dry_run);
        (told.to_string(), told.exit_code())
    }

    #[test]
    fn an_import_that_was_interrupted_says_what_is_stored() {
        let begun = "interrupted; 1 memory was stored until then; what was on its way may be stored as well; import the same \
                     again to go on: what is stored is found known";
        assert_eq!(
            said(Failure::Interrupted, 1, 9, false),
            (begun.to_owned(), exit::INTERRUPTED)
        );
        let read = "interrupted; nothing was stored until then; what was on its way may be stored as well; import the same again";
        assert_eq!(said(Failure::Interrupted, 0, 9, false).0, read);
        assert_eq!(
            said(Failure::Interrupted, 0, 0, false).0,
            "interrupted; nothing was stored until then; import the same again"
        );
        assert_eq!(
            said(Failure::Interrupted, 1, 9, true).0,
            "interrupted; nothing was stored"
        );
    }

    #[test]
    fn a_file_at_fault_was_taken_in_part_or_not_at_all() {
        let cut = || Failure::from(Status::invalid_argument("it is cut"));
        let begun = "it is cut; 1 memory was stored until then; mend the file and import it again to go on: what is stored is \
                     found known";
        assert_eq!(said(cut(), 1, 9, false), (begun.to_owned(), exit::DATA));
        assert_eq!(
            said(cut(), 0, 9, false),
            ("it is cut; nothing was stored".to_owned(), exit::USAGE)
        );
    }
}
