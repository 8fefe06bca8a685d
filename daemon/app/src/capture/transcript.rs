//! Reading one transcript on, and keeping what it says.
//!
//! Invariants: a step reads at most `MAX_STEP_BYTES` unless one record is longer; what is held in
//! RAM is bounded by `WINDOW_MAX_BYTES`; facts and the cursor behind them are submitted together,
//! the cursor last, so that a crash at any place costs nothing and brings nothing twice.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use helix_capture::read::{Cursor, Format, Reader, State, assemble};
use helix_capture::{Candidate, Gate, Options, Rules, Slice, SliceKind};
use helix_engine::{Outcome, Request};

use super::cursor::Place;
use super::foreseen::{Foreseen, Part};
use super::import::disk::Disk;
use super::keep::{self, EXTRACTOR, Found};
use super::known::{Stored, Waiting};
use super::{Settings, Tally};
use crate::language::facts::{self, Asked, Model};
use crate::project::Project;
use crate::reach::Reach;
use crate::threads::wait;
use crate::{App, Refusal, plain_file};

/// Bytes of slices that are held before what they say is kept: a long session is kept in parts.
const WINDOW_MAX_BYTES: usize = 4 * 1024 * 1024;

/// Slices of the part before that explain what is meant by those that follow.
const CONTEXT_SLICES: usize = 40;

/// Facts of a part of a session where somebody asked for all of them.
const ALL_MAX: usize = 200;

/// How long the file system may take for one read.
const READ_PATIENCE: Duration = Duration::from_secs(10);

/// How long the project of a session's directory is looked for.
const PROJECT_PATIENCE: Duration = Duration::from_secs(3);

/// A transcript on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transcript {
    pub(super) path: PathBuf,
    pub(super) format: Format,
    /// The session, where the file's name tells it.
    pub(super) session: String,
    /// The directory that it began in, where a file beside it tells.
    pub(super) directory: Option<String>,
    /// It lies in several files, of which `path` is the first.
    pub(super) is_spread: bool,
}

/// Whether and how transcripts are read.
pub(super) struct Pass<'a> {
    pub(super) app: &'a App,
    pub(super) settings: Settings,
    /// Nothing is kept.
    pub(super) is_dry: bool,
    /// Transcripts of which facts were left out are read anew, without the limit of a session;
    /// others are passed over.
    pub(super) takes_all: bool,
    /// Whether a language model is asked as well, where one is configured.
    pub(super) asks_model: bool,
    /// What asking it came to so far.
    pub(super) asked: Asked,
    /// What waits in the review, or was found in this pass.
    pub(super) waiting: Waiting,
    /// Whether to go on; asked between two steps.
    pub(super) goes_on: &'a dyn Fn() -> bool,
    /// Whether a project is wanted.
    pub(super) wants: &'a dyn Fn(&Project) -> bool,
    /// Told how many bytes were read.
    pub(super) progress: &'a mut dyn FnMut(u64),
}

/// What one transcript came to.
pub(super) struct Read {
    /// Its project; `None` where nothing was ever read.
    pub(super) project: Option<Arc<Project>>,
    pub(super) tally: Tally,
    pub(super) bytes: u64,
    /// Shapes and versions that the reader does not know.
    pub(super) unknown: Vec<String>,
    /// What to keep of it, where nothing was kept.
    pub(super) foreseen: Option<Foreseen>,
    /// Facts that were left out before, and were looked at now.
    pub(super) looked_at: usize,
}

/// A transcript as it is being read.
struct Reading {
    transcript: Transcript,
    reader: Reader,
    place: Place,
    /// Where reading began.
    from: Cursor,
    size_and_time: Option<(u64, i64)>,
    /// Facts that were left out of it before.
    left_out_before: usize,
    window: Window,
    project: Option<Arc<Project>>,
    tally: Tally,
    bytes: u64,
    /// What was found, where nothing is kept.
    parts: Vec<Part>,
    /// It was read to its end for now.
    is_whole: bool,
    /// A document that is as it was when it was read.
    is_done: bool,
    /// The document, where it lies in several files.
    spread: Option<Vec<u8>>,
}

/// Slices that were read and not kept yet, behind some that explain them.
#[derive(Default)]
struct Window {
    slices: Vec<Slice>,
    /// Those before were kept.
    from: usize,
    bytes: usize,
}

impl Window {
    fn push(&mut self, slices: Vec<Slice>) {
        self.bytes += slices.iter().map(weight).sum::<usize>();
        self.slices.extend(slices);
    }

    fn is_full(&self) -> bool {
        self.bytes >= WINDOW_MAX_BYTES
    }

    fn has_news(&self) -> bool {
        self.from < self.slices.len()
    }

    /// Keeps the last slices as context.
    fn turn(&mut self) {
        let old = self.slices.len().saturating_sub(CONTEXT_SLICES);
        self.slices.drain(..old);
        self.from = self.slices.len();
        self.bytes = 0;
    }
}

/// Bytes of a slice in RAM, about.
fn weight(slice: &Slice) -> usize {
    size_of::<Slice>() + slice.text.len() * if slice.kind == SliceKind::Deed { 3 } else { 1 }
}

impl Pass<'_> {
    /// Reads a transcript on to its end for now, or takes what was foreseen of it.
    ///
    /// # Errors
    /// When the store fails. A transcript that cannot be read is counted.
    pub(super) fn read(
        &mut self,
        transcript: &Transcript,
        foreseen: Option<Foreseen>,
    ) -> Result<Read, Refusal> {
        let mut reading = self.begin(transcript)?;
        if let Some(foreseen) = foreseen
            && foreseen.is_of(&reading.place, reading.size_and_time)
        {
            return self.take(&reading, foreseen);
        }
        while !reading.is_done && (self.goes_on)() {
            match self.step(&mut reading) {
                Ok(true) if reading.window.is_full() => self.settle(&mut reading)?,
                Ok(true) => {}
                Ok(false) => {
                    reading.is_whole = true;
                    break;
                }
                Err(error) => {
                    tracing::debug!(%error, "a transcript was not read to its end");
                    reading.tally.unreadable += 1;
                    break;
                }
            }
        }
        self.settle(&mut reading)?;
        reading.tally.sessions = u64::from(reading.bytes > 0);
        if self.is_own(&reading) {
            // Of no project that anybody knows.
            reading.project = None;
        }
        let looked_at = self.looked_at(&reading);
        Ok(Read {
            looked_at,
            ..reading.ended(self.is_dry)
        })
    }

    /// Facts that were left out of a transcript before, where all of them are taken now.
    fn looked_at(&self, reading: &Reading) -> usize {
        if self.takes_all {
            reading.left_out_before
        } else {
            0
        }
    }

    /// Keeps what was foreseen of a transcript instead of reading it.
    fn take(&mut self, reading: &Reading, foreseen: Foreseen) -> Result<Read, Refusal> {
        (self.progress)(foreseen.bytes);
        let mut tally = foreseen.tally;
        let project = foreseen.project;
        let mut place = foreseen.place;
        if (self.wants)(&project) {
            let mut requests = Vec::new();
            for part in foreseen.parts {
                requests.extend(self.kept(&project, part, &mut tally)?);
            }
            place.kept = reading.place.kept + requests.len();
            requests.push(place.request(self.app, &reading.transcript.path));
            write(self.app, requests)?;
            self.waiting.are_kept();
        }
        Ok(Read {
            project: Some(project),
            tally,
            bytes: foreseen.bytes,
            unknown: foreseen.unknown,
            foreseen: None,
            looked_at: self.looked_at(reading),
        })
    }

    fn begin(&self, transcript: &Transcript) -> Result<Reading, Refusal> {
        let path = &transcript.path;
        let mut place = Place::read(self.app, path)?;
        let found = size_and_time(&self.app.memory.reach, path);
        let (bytes, changed_us) = found.unwrap_or_default();
        let is_document = transcript.format.is_document();
        let left_out_before = place.left_out;
        let is_passed_over = self.takes_all && left_out_before == 0;
        let is_known = place.cursor != Cursor::default();
        let is_other = !is_document && bytes < place.cursor.offset;
        let is_anew = self.takes_all && !is_passed_over;
        if !is_known || is_other || is_anew {
            // Where another file stands now, it is read from its beginning.
            place = Place {
                state: State::starting(&transcript.session, transcript.directory.as_deref()),
                ..Place::default()
            };
        }
        let is_as_it_was = is_document && is_known && place.changed_us == changed_us;
        let is_done = is_passed_over || (is_as_it_was && !is_anew);
        place.changed_us = changed_us;
        let source = path.to_string_lossy();
        let disk = Disk {
            reach: &self.app.memory.reach,
        };
        let spread = transcript
            .is_spread
            .then(|| assemble(&disk, path).unwrap_or_default());
        Ok(Reading {
            reader: Reader::new(transcript.format, source),
            transcript: transcript.clone(),
            from: place.cursor,
            size_and_time: found,
            left_out_before,
            place,
            window: Window::default(),
            project: None,
            tally: Tally::default(),
            bytes: 0,
            parts: Vec::new(),
            is_whole: false,
            is_done,
            spread,
        })
    }

    /// Reads one step; returns whether there may be more.
    fn step(&mut self, reading: &mut Reading) -> io::Result<bool> {
        let reach = &self.app.memory.reach;
        let path = &reading.transcript.path;
        let spread = reading.spread.as_deref();
        let mut bytes_at = |offset, most| match spread {
            Some(document) => Ok(part(document, offset, most)),
            None => bytes_of(reach, path, offset, most),
        };
        let before = reading.place.cursor;
        let state = reading.place.state.clone();
        let Some(step) = reading.reader.advance(&mut bytes_at, before, state)? else {
            return Ok(false);
        };
        let read = step.cursor.offset.saturating_sub(before.offset);
        let bytes = if reading.transcript.format.is_document() {
            reading.unread_document()
        } else {
            read
        };
        reading.bytes += bytes;
        (self.progress)(bytes);
        reading.place.cursor = step.cursor;
        reading.place.state = step.state;
        reading.window.push(step.slices);
        Ok(true)
    }

    /// Keeps what the slices say that were read, and how far they were.
    fn settle(&mut self, reading: &mut Reading) -> Result<(), Refusal> {
        let Some(project) = self.project_of(reading) else {
            return Ok(());
        };
        if self.is_own(reading) || !(self.wants)(&project) {
            reading.window.turn();
            return Ok(());
        }
        let mut requests = Vec::new();
        if reading.window.has_news() {
            let part = self.facts(reading, &project);
            if self.is_dry {
                reading.parts.push(part.clone());
            }
            requests = self.kept(&project, part, &mut reading.tally)?;
        }
        reading.place.kept += requests.len();
        reading.window.turn();
        if self.is_dry || reading.bytes == 0 {
            return Ok(());
        }
        requests.push(reading.place.request(self.app, &reading.transcript.path));
        write(self.app, requests)?;
        self.waiting.are_kept();
        Ok(())
    }

    /// The facts of the slices that were read, and counts these.
    fn facts(&self, reading: &mut Reading, project: &Project) -> Part {
        let usual = Options::default();
        let options = Options {
            cutoff: self.settings.cutoff.unwrap_or(usual.cutoff),
            at_most: if self.takes_all {
                ALL_MAX
            } else {
                usual.at_most.saturating_sub(reading.place.kept)
            },
            ..usual
        };
        let (app, window) = (self.app, &reading.window);
        let scope = &project.scope;
        let known = Stored { app, scope };
        let extraction = Rules::new(options).extract_from(&window.slices, window.from, &known);
        reading.tally.slices += extraction.slices as u64;
        reading.tally.dropped += extraction.dropped as u64;
        reading.tally.left_out += extraction.left_out as u64;
        reading.place.left_out += extraction.left_out;
        let room = options.at_most.saturating_sub(extraction.candidates.len());
        let turns = self.turns(window, &options, &known, room);
        let newest = window.slices.last();
        let branch = newest.and_then(|slice| slice.branch.clone());
        Part {
            agent: newest.map_or_else(String::new, |slice| slice.agent.clone()),
            session: newest.map_or_else(String::new, |slice| slice.session.clone()),
            branch: branch.unwrap_or_default(),
            candidates: extraction.candidates,
            turns,
            room,
        }
    }

    /// The requests that keep the facts of a part.
    fn kept(
        &mut self,
        project: &Project,
        part: Part,
        tally: &mut Tally,
    ) -> Result<Vec<Request>, Refusal> {
        let by_model = self.by_model(project, &part);
        let found = Found {
            project,
            agent: &part.agent,
            session: &part.session,
            branch: &part.branch,
            extractor: EXTRACTOR,
        };
        let waiting = &mut self.waiting;
        let mut requests = keep::requests(self.app, &found, part.candidates, waiting, tally)?;
        let found = Found {
            extractor: facts::EXTRACTOR,
            ..found
        };
        requests.extend(keep::requests(self.app, &found, by_model, waiting, tally)?);
        Ok(requests)
    }

    /// The slices that the gate keeps and that a language model is asked about; none where none is
    /// asked.
    fn turns(
        &self,
        window: &Window,
        options: &Options,
        known: &Stored<'_>,
        room: usize,
    ) -> Vec<Slice> {
        let language = &self.app.language;
        let is_asked = self.asks_model && language.model.is_some() && language.settings.capture;
        if !is_asked || room == 0 {
            return Vec::new();
        }
        let gate = Gate::new(options.cutoff);
        let news = window.slices.iter().skip(window.from);
        let kept = news.filter(|slice| gate.judge(slice, known).is_kept);
        facts::turns(kept.cloned())
    }

    /// What a language model finds in the turns of a part; nothing where none answers.
    fn by_model(&mut self, project: &Project, part: &Part) -> Vec<Candidate> {
        let mut model = Model {
            app: self.app,
            at_most: part.room,
            is_dry: self.is_dry,
            asked: &mut self.asked,
        };
        let (app, scope) = (self.app, &project.scope);
        model.find(&part.turns, &Stored { app, scope })
    }

    /// Whether Helix itself began the session, to ask the user's agent program something: it runs in
    /// Helix's home.
    fn is_own(&self, reading: &Reading) -> bool {
        let home = &self.app.layout.paths.home;
        let directory = Path::new(&reading.place.directory);
        directory == home || fs::canonicalize(home).is_ok_and(|real| directory == real)
    }

    /// The project that the session began in: what is global where nothing answers there. `None`
    /// until anything was read.
    fn project_of(&self, reading: &mut Reading) -> Option<Arc<Project>> {
        if let Some(project) = &reading.project {
            return Some(Arc::clone(project));
        }
        if reading.place.directory.is_empty() {
            let mut slices = reading.window.slices.iter();
            let directory = slices.find_map(|slice| slice.directory.clone());
            reading.place.directory = directory.unwrap_or_default();
        }
        let is_untold = reading.place.directory.is_empty() && reading.window.slices.is_empty();
        if reading.bytes == 0 && is_untold {
            return None;
        }
        let directory = Path::new(&reading.place.directory);
        let found = Some(directory).filter(|directory| directory.is_absolute());
        let project = found
            .and_then(|directory| self.app.memory.project(directory, PROJECT_PATIENCE))
            .unwrap_or_else(|| Arc::new(Project::outside(directory)));
        reading.project = Some(Arc::clone(&project));
        Some(project)
    }
}

impl Reading {
    /// Bytes of a document: it is read whole, in its first step, whatever was read of it before.
    fn unread_document(&self) -> u64 {
        let size = self.size_and_time.map_or(1, |(bytes, _)| bytes.max(1));
        if self.bytes == 0 { size } else { 0 }
    }

    /// What it came to, with what to keep of it where nothing was.
    fn ended(self, is_dry: bool) -> Read {
        let counts = self.place.state.counts();
        let unknown: Vec<String> = counts.unknown.keys().cloned().collect();
        let is_foreseen = is_dry && self.is_whole && self.bytes > 0;
        let tally = Tally {
            sessions: self.tally.sessions,
            slices: self.tally.slices,
            dropped: self.tally.dropped,
            unreadable: self.tally.unreadable,
            left_out: self.tally.left_out,
            ..Tally::default()
        };
        let known = self.project.clone().zip(self.size_and_time);
        let foreseen = known.filter(|_| is_foreseen);
        Read {
            foreseen: foreseen.map(|(project, size_and_time)| Foreseen {
                from: self.from,
                place: self.place,
                size_and_time,
                project,
                parts: self.parts,
                tally,
                bytes: self.bytes,
                unknown: unknown.clone(),
            }),
            project: self.project,
            tally: self.tally,
            bytes: self.bytes,
            unknown,
            looked_at: 0,
        }
    }
}

/// Writes requests and waits until they are durable.
pub(super) fn write(app: &App, requests: Vec<Request>) -> Result<(), Refusal> {
    for outcome in wait(app.writer.submit_when_free(requests)?)? {
        if let Outcome::Stored(memory) = outcome? {
            tracing::debug!(handle = memory.handle.as_str(), "kept for the review");
        }
    }
    Ok(())
}

/// Bytes of a file and when it changed; `None` where nothing answers or no regular file stands.
pub(super) fn size_and_time(reach: &Reach, path: &Path) -> Option<(u64, i64)> {
    let asked = path.to_owned();
    let look = move || {
        let (_, found) = plain_file::open(&asked).ok()?;
        let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((found.len(), i64::try_from(since.as_micros()).ok()?))
    };
    reach.ask(path, READ_PATIENCE, look).flatten()
}

fn bytes_of(reach: &Reach, path: &Path, offset: u64, most: usize) -> io::Result<Vec<u8>> {
    let asked = path.to_owned();
    let read = move || {
        let (mut file, found) = plain_file::open(&asked)?;
        let left = found.len().saturating_sub(offset);
        let room = most.min(usize::try_from(left).unwrap_or(most));
        file.seek(SeekFrom::Start(offset))?;
        filled(&file, room)
    };
    let read = reach.ask(path, READ_PATIENCE, read);
    read.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
}

/// A part of a document.
fn part(document: &[u8], offset: u64, most: usize) -> Vec<u8> {
    let from = usize::try_from(offset).unwrap_or(usize::MAX);
    let rest = document.get(from..).unwrap_or_default();
    rest.iter().copied().take(most).collect()
}

/// Reads so many bytes, or up to the end.
fn filled(file: &File, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most);
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
