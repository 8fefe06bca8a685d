//! `Export`: the memories of the caller's scopes in an exchange format, in pieces as they are made.
//!
//! A thread reads topic by topic from one snapshot of the store and writes into a bounded channel,
//! so that an export of any size takes little memory and goes no faster than its reader. A reader
//! who takes nothing for a while ends it: the snapshot keeps room in the store that is free
//! otherwise.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::mem;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use helix_app::{Refusal, scopes};
use helix_engine::exchange::{Portable, Report, amrl, json, markdown};
use helix_engine::model::{
    Memory, MemoryId, MemoryNumber, Scope, Status as Life, Topic, TopicPattern,
};
use helix_engine::store::Snapshot;
use helix_engine::strand::Strand;
use helix_proto::v1;
use tokio::sync::mpsc::{self, error::SendTimeoutError};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::call::begin_long;
use super::convert;
use crate::runtime::Runtime;
use crate::work::{Long, Work};

/// Bytes of a piece: many memories, and far below what a message may hold.
const PIECE_BYTES: usize = 256 * 1024;

/// Pieces that wait for the reader.
const PIECES_MAX: usize = 4;

/// How long the reader may take for one piece: somebody looks at a page meanwhile, and not for
/// long.
const READ_DEADLINE: Duration = Duration::from_mins(1);

/// Notes on what a format could not hold.
const NOTES_MAX: usize = 100;

/// What the log has no place for.
const WITHOUT_FIELDS: &str = "an AMRL log has no place for kind, importance, pin and project, which were left out; json keeps every field";

/// A piece, or why none comes any more.
type Piece = Result<v1::ExportPiece, Status>;

/// What the reader gets.
pub(super) type Pieces = ReceiverStream<Piece>;

/// Starts an export.
pub(super) fn export(
    runtime: &Arc<Runtime>,
    request: v1::ExportRequest,
) -> Result<Pieces, Refusal> {
    if request.format() == v1::ExchangeFormat::Unspecified {
        return Err(Refusal::invalid(
            "the export names no format; give json, markdown or amrl",
        ));
    }
    // One place more is kept for how it ended, which a reader that is slow must learn too.
    let (sender, pieces) = mpsc::channel(PIECES_MAX + 1);
    let last = sender
        .clone()
        .try_reserve_owned()
        .map_err(|error| Refusal::internal(error.to_string()))?;
    let (going, runtime) = (begin_long(runtime, Long::Export)?, Arc::clone(runtime));
    let handle = tokio::runtime::Handle::current();
    let exported = Arc::clone(&runtime).pools.long.submit(Box::new(move || {
        let _going = going;
        let work = Arc::clone(&runtime.work);
        let outgoing = Outgoing {
            sender,
            handle,
            work,
        };
        let mut outlet = Outlet {
            outgoing,
            file: String::new(),
            data: Vec::new(),
            written: Rc::default(),
            total: 0,
        };
        if let Err(cut) = run(&runtime, &request, &mut outlet) {
            // A reader that went away needs no reason.
            last.send(Err(if runtime.work.is_ending() {
                convert::refused(&ended())
            } else {
                cut.status()
            }));
        }
    }));
    exported.map_err(|error| Refusal::exhausted(error.to_string()))?;
    Ok(ReceiverStream::new(pieces))
}

fn run(runtime: &Runtime, request: &v1::ExportRequest, outlet: &mut Outlet) -> Result<(), Cut> {
    let asker = runtime.asker(request.caller.as_ref());
    let scopes = scopes::listed(&runtime.app, &asker, &request.scopes)?;
    let selection = Selection::new(runtime, &scopes, &request.topics)?;
    let snapshot = runtime
        .app
        .memory
        .strand
        .snapshot()
        .map_err(|error| Refusal::of(error.kind(), &error))?;
    outlet.total = selection
        .topics
        .iter()
        .map(|(_, members)| members.len() as u64)
        .sum();
    let lost_links = Cell::new(0);
    let report = match request.format() {
        v1::ExchangeFormat::Json => as_json(&selection, &snapshot, outlet)?,
        v1::ExchangeFormat::Markdown => as_markdown(&selection, &snapshot, outlet)?,
        v1::ExchangeFormat::Amrl => as_amrl(&selection, &snapshot, outlet, &lost_links)?,
        v1::ExchangeFormat::Unspecified => Report::default(),
    };
    let mut notes: Vec<String> = report
        .flaws
        .iter()
        .take(NOTES_MAX)
        .map(ToString::to_string)
        .collect();
    if request.format() == v1::ExchangeFormat::Amrl && outlet.total > 0 {
        notes.push(WITHOUT_FIELDS.to_owned());
    }
    notes.extend(without_links(lost_links.get()));
    notes.extend(replaced(runtime, &scopes, &request.topics));
    Ok(outlet.send(notes)?)
}

/// Says how many links lead to memories that are there and not exported. An AMRL log names a memory
/// by its place, which means another one elsewhere.
fn without_links(count: usize) -> Option<String> {
    let said = match count {
        0 => return None,
        1 => "1 link leads to a memory that is not exported; the log leaves it out".to_owned(),
        count => {
            format!("{count} links lead to memories that are not exported; the log leaves them out")
        }
    };
    Some(format!(
        "{said}: export their topics too, or json, which keeps them"
    ))
}

/// Says how many memories of the scopes and topics are not exported because others took their place
/// or they were put away.
fn replaced(runtime: &Runtime, scopes: &[Scope], patterns: &[String]) -> Option<String> {
    let patterns: Vec<TopicPattern> = patterns
        .iter()
        .filter_map(|pattern| TopicPattern::parse(pattern).ok())
        .collect();
    let catalog = runtime.app.memory.strand.catalog();
    let known = catalog.scope_numbers(scopes);
    let is_wanted =
        |topic: &str| patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(topic));
    let count = |status| {
        let rows = catalog
            .rows()
            .filter(|(_, row)| row.status == status && row.is_in(&known));
        rows.filter(|(_, row)| is_wanted(catalog.topic_of(row)))
            .count()
    };
    let (superseded, archived) = (count(Life::Superseded), count(Life::Archived));
    let parts = [(superseded, "superseded"), (archived, "archived")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "only active memories are exported: {} left out",
            parts.join(" and ")
        )
    })
}

/// What is exported: topics by name, their memories in the order in which `topic:index` counts
/// them.
struct Selection {
    topics: Vec<(Topic, Vec<MemoryNumber>)>,
    positions: HashMap<MemoryNumber, (usize, usize)>,
}

impl Selection {
    fn new(runtime: &Runtime, scopes: &[Scope], patterns: &[String]) -> Result<Self, Refusal> {
        let patterns = patterns
            .iter()
            .map(|pattern| TopicPattern::parse(pattern))
            .collect::<Result<Vec<_>, _>>();
        let patterns = patterns.map_err(|error| Refusal::invalid(error.to_string()))?;
        let names = runtime
            .app
            .memory
            .strand
            .catalog()
            .topic_summaries(scopes)
            .into_iter()
            .map(|summary| summary.name);
        let wanted = names
            .filter(|name| patterns.is_empty() || patterns.iter().any(|one| one.matches(name)));
        let mut topics = Vec::new();
        for name in wanted {
            if let Ok(topic) = Topic::parse(&name) {
                topics.push((
                    topic,
                    runtime.app.memory.strand.topic_members(&name, scopes),
                ));
            }
        }
        let mut positions = HashMap::new();
        for (at, (_, members)) in topics.iter().enumerate() {
            positions.extend(
                members
                    .iter()
                    .enumerate()
                    .map(|(index, &number)| (number, (at, index))),
            );
        }
        Ok(Self { topics, positions })
    }

    /// Names a memory as `topic:index`, if it is exported too; one that is there and is not adds to
    /// `lost`.
    fn position(&self, snapshot: &Snapshot, id: MemoryId, lost: &Cell<usize>) -> Option<String> {
        let living = Strand::living(snapshot, &id).ok()??;
        let Some((topic, index)) = self.positions.get(&living.number) else {
            lost.set(lost.get() + usize::from(living.status == Life::Active));
            return None;
        };
        Some(format!("{}:{index}", self.topics.get(*topic)?.0))
    }
}

fn handle_of(snapshot: &Snapshot, id: MemoryId) -> Option<String> {
    Some(
        Strand::living(snapshot, &id)
            .ok()??
            .handle
            .as_str()
            .to_owned(),
    )
}

fn read(snapshot: &Snapshot, number: MemoryNumber) -> Result<Option<Memory>, Refusal> {
    snapshot
        .memory(number)
        .map_err(|error| Refusal::of(error.kind(), &error))
}

fn as_json(selection: &Selection, snapshot: &Snapshot, outlet: &mut Outlet) -> Result<Report, Cut> {
    let written = Rc::clone(&outlet.written);
    let mut writer = json::Writer::new(outlet)?;
    for &number in selection.topics.iter().flat_map(|(_, members)| members) {
        if let Some(memory) = read(snapshot, number)? {
            let portable = Portable::from_memory(&memory, |id| handle_of(snapshot, id));
            writer.write(&portable)?;
            written.set(writer.written());
        }
    }
    writer.finish()?;
    Ok(Report::default())
}

fn as_markdown(
    selection: &Selection,
    snapshot: &Snapshot,
    outlet: &mut Outlet,
) -> Result<Report, Cut> {
    for (topic, members) in &selection.topics {
        outlet.begin(markdown::file_name(topic))?;
        let mut writer = markdown::Writer::new(&mut *outlet, topic, members.len() as u64)?;
        for &number in members {
            if let Some(memory) = read(snapshot, number)? {
                let portable = Portable::from_memory(&memory, |id| handle_of(snapshot, id));
                writer.write(&portable)?;
            }
        }
        let outlet = writer.finish()?;
        outlet
            .written
            .set(outlet.written.get() + members.len() as u64);
    }
    Ok(Report::default())
}

/// Adds the links that the log cannot name to `lost_links`.
fn as_amrl(
    selection: &Selection,
    snapshot: &Snapshot,
    outlet: &mut Outlet,
    lost_links: &Cell<usize>,
) -> Result<Report, Cut> {
    let failed = |error: amrl::WriteError| Refusal::internal(error.to_string());
    let written = Rc::clone(&outlet.written);
    let mut writer = amrl::Writer::new(&mut *outlet).map_err(failed)?;
    for &number in selection.topics.iter().flat_map(|(_, members)| members) {
        if let Some(memory) = read(snapshot, number)? {
            let portable =
                Portable::from_memory(&memory, |id| selection.position(snapshot, id, lost_links));
            writer.write(&portable).map_err(failed)?;
            written.set(writer.report().read);
        }
    }
    let (_, report) = writer.finish().map_err(failed)?;
    Ok(report)
}

fn ended() -> Refusal {
    Refusal::unavailable(
        "the export was ended because the daemon stops or hands over to another program; export again",
    )
}

/// Why an export did not come to its end.
enum Cut {
    Refused(Refusal),
    /// Its reader took no more, for which a refusal has no word.
    Unread(io::Error),
}

impl From<Refusal> for Cut {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for Cut {
    fn from(error: io::Error) -> Self {
        Self::Unread(error)
    }
}

impl Cut {
    fn status(&self) -> Status {
        match self {
            Self::Refused(refusal) => convert::refused(refusal),
            Self::Unread(error) => unread(error),
        }
    }
}

fn unread(error: &io::Error) -> Status {
    match error.kind() {
        io::ErrorKind::TimedOut => Status::deadline_exceeded(format!(
            "the export was ended because nothing of it was read for {} s; write it to a file, and read that",
            READ_DEADLINE.as_secs()
        )),
        _ => Status::cancelled(format!("the export was not read to its end: {error}")),
    }
}

/// Where pieces go, for as long as the daemon does not end.
struct Outgoing {
    sender: mpsc::Sender<Piece>,
    handle: tokio::runtime::Handle,
    work: Arc<Work>,
}

impl Outgoing {
    fn send(&self, piece: v1::ExportPiece) -> io::Result<()> {
        self.handle.block_on(async {
            tokio::select! {
                biased;
                () = self.work.ending() => Err(io::ErrorKind::ConnectionAborted.into()),
                sent = self.sender.send_timeout(Ok(piece), READ_DEADLINE) => sent.map_err(|error| match error {
                    SendTimeoutError::Timeout(_) => io::ErrorKind::TimedOut.into(),
                    SendTimeoutError::Closed(_) => io::ErrorKind::BrokenPipe.into(),
                }),
            }
        })
    }
}

/// Gathers bytes into pieces and hands them on.
struct Outlet {
    outgoing: Outgoing,
    file: String,
    data: Vec<u8>,
    /// Memories so far; the writers count while they hold the outlet.
    written: Rc<Cell<u64>>,
    total: u64,
}

impl Outlet {
    /// Starts another file.
    fn begin(&mut self, file: String) -> io::Result<()> {
        if !self.data.is_empty() {
            self.send(Vec::new())?;
        }
        self.file = file;
        Ok(())
    }

    fn send(&mut self, notes: Vec<String>) -> io::Result<()> {
        let piece = v1::ExportPiece {
            file: self.file.clone(),
            data: mem::take(&mut self.data),
            written: self.written.get(),
            total: self.total,
            notes,
        };
        self.outgoing.send(piece)
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.data.extend_from_slice(bytes);
        if self.data.len() >= PIECE_BYTES {
            self.send(Vec::new())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
