//! `helixctl export`: memories written in an exchange format. A file appears whole or not at all.

mod sink;

use std::io::{self, IsTerminal};
use std::path::Path;

use clap::Args;
use helix_client::limits::CALL_DEADLINE;
use helix_client::text::memory::count_of;
use helix_client::{Start, v1};
use helix_proto::exit;
use tokio::time::timeout;
use tonic::Streaming;

use self::sink::Sink;
use super::format::Format;
use crate::ask;
use crate::context::{Context, wait};
use crate::document::ExportDocument;
use crate::failure::{Failure, Outcome};
use crate::input::STREAM;
use crate::interrupt::{end_when_interrupted, unless_interrupted};
use crate::progress::Counter;
use crate::screen;
use crate::text::one_line;

/// Note about an export to stdout that is interrupted.
const INCOMPLETE: &str = "what was written to stdout is not the whole export";

/// The scope that stands for all.
const ALL: &str = "all";

/// The long help's account of what is written.
const WHAT: &str = "Without --topic, --scope and --all, every active memory of this project and every global one is written. \
Memories of other projects are left out, and so are those that are forgotten, archived or superseded. For a copy of all that \
Helix knows, of every project, say --all.";

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_long_help = WHAT)]
pub(crate) struct Export {
    /// Writes to this file, for markdown to this directory; `-` is stdout, as when none is given
    #[arg(value_name = "FILE|DIR|-", conflicts_with = "output")]
    file: Option<String>,
    /// Writes this format; decided from the name of the output unless given, else json
    #[arg(long, short, value_enum, value_name = "F")]
    format: Option<Format>,
    /// The same
    #[arg(long, short, value_name = "FILE|DIR|-")]
    output: Option<String>,
    /// Writes topics whose name fits only, e.g. 'iris-*'; separated by commas, or repeated
    #[arg(long, short, value_delimiter = ',', value_name = "GLOB")]
    topic: Vec<String>,
    /// Writes these scopes instead of project and global: global, project:ID or all; separated by
    /// commas, or repeated
    #[arg(long, value_delimiter = ',', value_name = "S")]
    scope: Vec<String>,
    /// Writes the memories of every project and the global ones, as --scope all does
    #[arg(long, conflicts_with = "scope")]
    all: bool,
    /// Replaces a file that is there, or files in a directory that has some
    #[arg(long, visible_alias = "overwrite")]
    force: bool,
    /// Prints JSON about what was written
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Debug, Default)]
struct Written {
    memories: u64,
    bytes: u64,
    notes: Vec<String>,
}

impl Export {
    /// Writes the memories.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let output = self
            .file
            .as_deref()
            .or(self.output.as_deref())
            .unwrap_or(STREAM);
        let format = self.checked_format(&context.cwd, output)?;
        let target = (output != STREAM).then(|| context.cwd.join(output));
        let replaces = match &target {
            Some(path) if format != Format::Markdown => self.may_replace(path)?,
            Some(_) | None => self.force,
        };
        let request = v1::ExportRequest {
            caller: Some(context.caller()),
            format: format.wire().into(),
            scopes: if self.all {
                vec![ALL.to_owned()]
            } else {
                self.scope
            },
            topics: self.topic,
        };
        let work = async {
            let mut sink = match &target {
                None => Sink::Stdout,
                Some(path) if format == Format::Markdown => Sink::directory(path, replaces)?,
                Some(path) => Sink::file(path, replaces)?,
            };
            let mut client = context.connect(Start::IfAbsent).await?;
            let pieces = client
                .call(async |rpc| rpc.export(request.clone()).await)
                .await?;
            let written = receive(context, pieces, &mut sink).await?;
            Ok((written, sink))
        };
        let done = if target.is_some() {
            wait(unless_interrupted(work))
        } else {
            // A reader of stdout may keep a write waiting, and there is nothing to take away.
            end_when_interrupted(INCOMPLETE).and_then(|()| wait(work))
        };
        let (written, sink) = done.map_err(interrupted)?;
        let files = sink.finish()?;
        for note in written.notes.iter().filter(|_| !self.json) {
            screen::remark(&format!("helixctl: {}", one_line(note)));
        }
        screen::remark_if(
            written.memories == 0 && !self.json,
            "nothing fits, so that the export holds no memory",
        );
        if let Some(path) = target {
            tell(&path.to_string_lossy(), format, files, &written, self.json)?;
        }
        Ok(exit::OK)
    }

    /// Returns whether a file may be replaced: one that is there only when the flag or a person
    /// says so.
    fn may_replace(&self, path: &Path) -> Result<bool, Failure> {
        // A directory is refused, whatever anybody says.
        if self.force || path.is_dir() || path.symlink_metadata().is_err() {
            return Ok(self.force);
        }
        let shown = one_line(&path.to_string_lossy());
        if !ask::is_there_somebody() {
            return Err(Failure::Usage(format!(
                "{shown} exists; name another file, or add --force to replace it"
            )));
        }
        if ask::confirmed(&format!("Replace {shown}?"), "--force")? {
            return Ok(true);
        }
        Err(Failure::Usage("nothing was exported".to_owned()))
    }

    fn checked_format(&self, cwd: &Path, output: &str) -> Result<Format, Failure> {
        let to_stdout = output == STREAM;
        let path = cwd.join(output);
        let named = if path.is_dir() {
            Some(Format::Markdown)
        } else {
            Format::of_name(&path)
        };
        let named = named.filter(|_| !to_stdout);
        let format = self.format.or(named).unwrap_or(Format::Json);
        let refused = |reason: &str| Err(Failure::Usage(reason.to_owned()));
        if to_stdout && format == Format::Markdown {
            return refused("markdown is one file a topic; name a directory: helixctl export DIR");
        }
        if format == Format::Markdown && Format::of_name(&path).is_some() && !path.is_dir() {
            let name = one_line(output);
            return Err(Failure::Usage(format!(
                "{name} looks like a file, but markdown is one file a topic; name a directory: helixctl export -f markdown DIR"
            )));
        }
        if to_stdout && self.json {
            return refused(
                "stdout cannot hold the export and --json; name a file: helixctl export FILE",
            );
        }
        if to_stdout && io::stdout().is_terminal() {
            return refused(
                "an export is not for a terminal; name a file: helixctl export FILE, or redirect stdout",
            );
        }
        Ok(format)
    }
}

/// Says what was written, and where.
fn tell(
    target: &str,
    format: Format,
    files: usize,
    written: &Written,
    json: bool,
) -> Result<(), Failure> {
    let Written {
        memories,
        bytes,
        notes,
    } = written;
    if json {
        let format = format.name();
        return screen::json(&ExportDocument {
            format,
            target,
            memories: *memories,
            bytes: *bytes,
            files,
            notes,
        });
    }
    let memories = count_of(*memories, "memory", "memories");
    let bytes = count_of(*bytes, "byte", "bytes");
    screen::print(&format!(
        "exported\t{memories}\t{bytes}\t{}\n",
        one_line(target)
    ))
}

/// Says what Ctrl-C left behind: nothing.
fn interrupted(failure: Failure) -> Failure {
    match failure {
        Failure::Interrupted => Failure::Within {
            what: "nothing was written".to_owned(),
            failure: Box::new(failure),
        },
        other => other,
    }
}

/// Writes the pieces as they come. Only a stream that ended well counts.
async fn receive(
    context: &Context,
    mut pieces: Streaming<v1::ExportPiece>,
    sink: &mut Sink,
) -> Result<Written, Failure> {
    let mut counter = Counter::new(context.screen, "exporting");
    let mut written = Written::default();
    loop {
        let next = timeout(CALL_DEADLINE, pieces.message()).await;
        let silent = |_| {
            Failure::Unavailable(
                "the daemon stopped sending; nothing was written; see its log".to_owned(),
            )
        };
        let Some(piece) = next.map_err(silent)?? else {
            break;
        };
        sink.write(&piece.file, &piece.data)?;
        written.bytes = written
            .bytes
            .saturating_add(u64::try_from(piece.data.len()).unwrap_or(u64::MAX));
        written.memories = piece.written.max(written.memories);
        written.notes.extend(piece.notes);
        counter.set(piece.written, Some(piece.total));
    }
    counter.finish();
    Ok(written)
}
