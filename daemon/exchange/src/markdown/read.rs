//! Reading a topic's file.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

use helix_memory::{Admitted, ErrorKind};
use serde_json::{Map, Value};

use super::front_matter::{self, FrontMatter};
use super::lines::{Lines, TextLine};
use super::marker::{self, Mark};
use super::{RULE, SECTION_MAX_BYTES, VERSION};
use crate::amrl::Body;
use crate::{Base, Place, Portable, Problem, Report, entry};

/// Lines of front matter; more is not front matter.
const FRONT_MATTER_MAX_LINES: usize = 64;

/// One memory of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The 1-based line where it starts.
    pub line: u64,
    /// Its exported version; nothing for one that was added.
    pub base: Base,
    /// The memory, with the file's topic.
    pub memory: Portable,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A later version.
    #[error(
        "could not read the Markdown export: it has version {0}, this Helix reads up to {VERSION}; install the newer Helix"
    )]
    Version(u64),
    /// The stream failed.
    #[error("could not read the Markdown export behind line {line}: {error}")]
    Io {
        /// 1-based.
        line: u64,
        /// The system's error.
        error: io::Error,
    },
}

impl ReadError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Version(_) => ErrorKind::Newer,
            Self::Io { .. } => ErrorKind::Unavailable,
        }
    }
}

/// Hands over the memories of one file, in its order, one at a time.
pub struct Reader<R> {
    lines: Lines<R>,
    topic: String,
    /// The front matter's fields for every memory that does not have its own.
    shared: Portable,
    /// How many memories an export says there are.
    stated: Option<u64>,
    is_cut: bool,
    /// Lines that were looked at and not used.
    unread: VecDeque<(u64, TextLine)>,
    report: Report,
    ended: bool,
}

/// Text that grows line by line, up to a limit.
#[derive(Default)]
struct Gathered {
    text: String,
    bytes: u64,
    has_line: bool,
    is_lossy: bool,
}

impl Gathered {
    fn push(&mut self, line: &TextLine, text: &str) {
        self.is_lossy |= line.is_lossy;
        self.bytes += line.bytes;
        if self.bytes <= SECTION_MAX_BYTES as u64 {
            self.text.push_str(if self.has_line { "\n" } else { "" });
            self.text.push_str(text);
        }
        self.has_line = true;
    }

    /// How long the text is, when it is too long for a memory.
    fn oversized(&self) -> Option<u64> {
        let bytes = if self.bytes > SECTION_MAX_BYTES as u64 {
            self.bytes
        } else {
            self.text.len() as u64
        };
        (bytes > Admitted::TEXT_MAX_BYTES as u64).then_some(bytes)
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the front matter. `fallback_topic` is the topic of a file that names none, such as its
    /// name.
    ///
    /// # Errors
    /// [`ReadError`] when the file is of a later version or cannot be read.
    pub fn new(file: R, fallback_topic: &str) -> Result<Self, ReadError> {
        let (lines, unread, report) = (Lines::new(file), VecDeque::new(), Report::default());
        let (topic, shared) = (fallback_topic.to_owned(), Portable::default());
        let mut reader = Self {
            lines,
            topic,
            shared,
            stated: None,
            is_cut: false,
            unread,
            report,
            ended: false,
        };
        reader.front_matter()?;
        Ok(reader)
    }

    /// The topic of the file.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Returns the report so far; complete once the iterator has ended.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn line(&mut self) -> Result<Option<(u64, TextLine)>, ReadError> {
        if let Some(line) = self.unread.pop_front() {
            return Ok(Some(line));
        }
        let line = self.lines.next().map_err(|error| ReadError::Io {
            line: self.lines.number(),
            error,
        })?;
        Ok(line.map(|line| (self.lines.number(), line)))
    }

    /// Reads lines up to the rule; what turns out not to be front matter stays to be read.
    fn front_matter(&mut self) -> Result<(), ReadError> {
        let (mut seen, mut matter, mut is_closed) = (Vec::new(), FrontMatter::default(), false);
        while seen.len() < FRONT_MATTER_MAX_LINES {
            let Some((number, line)) = self.line()? else {
                break;
            };
            let is_rule = line.text.trim_end() == RULE;
            is_closed = is_rule && !seen.is_empty();
            let is_none = seen.is_empty() && !is_rule;
            if !is_rule {
                matter.take(number, &line.text);
            }
            seen.push((number, line));
            if is_closed || is_none {
                break;
            }
        }
        if !is_closed {
            self.unread.extend(seen);
            return Ok(());
        }
        let is_ours = matter.is_ours();
        if let Some(version) = matter
            .number("version")
            .filter(|version| is_ours && *version > VERSION)
        {
            return Err(ReadError::Version(version));
        }
        self.topic = matter
            .topic()
            .map_or_else(|| std::mem::take(&mut self.topic), str::to_owned);
        self.stated = matter.number("count").filter(|_| is_ours);
        self.shared = matter.shared(&mut self.report);
        Ok(())
    }

    /// Reads what comes next, which may be no memory; breaks at the end.
    fn section(&mut self) -> Result<ControlFlow<(), Option<Section>>, ReadError> {
        let Some((number, line)) = self.line()? else {
            self.end();
            return Ok(ControlFlow::Break(()));
        };
        let section = match marker::read(&line.text) {
            Some(Mark::Open(metadata)) => self.marked(number, metadata)?,
            // A closing marker without an opening one: somebody deleted that.
            Some(Mark::Close) => None,
            Some(Mark::Cut) => {
                self.left_out(number)?;
                None
            }
            None => {
                self.unread.push_front((number, line));
                self.unmarked(number)?
            }
        };
        Ok(ControlFlow::Continue(section))
    }

    /// Passes over what stands behind a marker without an end: nobody knows which memory it is.
    fn left_out(&mut self, number: u64) -> Result<(), ReadError> {
        self.report.note(Place::Line(number), Problem::Marker);
        loop {
            let Some((number, line)) = self.line()? else {
                self.is_cut = true;
                return Ok(());
            };
            match marker::read(&line.text) {
                Some(Mark::Close) => return Ok(()),
                Some(Mark::Open(_) | Mark::Cut) => {
                    self.unread.push_front((number, line));
                    return Ok(());
                }
                None => {}
            }
        }
    }

    /// Says what a file that was cut has lost. People take whole memories out, so fewer than it
    /// says are no flaw by themselves.
    fn end(&mut self) {
        let present = self.report.read;
        if let Some(stated) = self
            .stated
            .filter(|stated| self.is_cut && *stated > present)
        {
            self.report.note(
                Place::Line(self.lines.number()),
                Problem::Missing { stated, present },
            );
        }
    }

    /// Reads the text behind an opening marker.
    fn marked(
        &mut self,
        number: u64,
        metadata: Option<Map<String, Value>>,
    ) -> Result<Option<Section>, ReadError> {
        let mut gathered = Gathered::default();
        let (mut is_closed, mut has_ended) = (false, true);
        while let Some((number, line)) = self.line()? {
            match marker::read(&line.text) {
                Some(Mark::Close) => (is_closed, has_ended) = (true, false),
                Some(Mark::Open(_) | Mark::Cut) => {
                    self.unread.push_front((number, line));
                    has_ended = false;
                }
                None => {
                    gathered.push(&line, marker::unescape(&line.text));
                    continue;
                }
            }
            break;
        }
        if !is_closed {
            // Without its end, the blank lines before the next marker are nobody's.
            gathered.text.truncate(gathered.text.trim_end().len());
        }
        let at = Place::Line(number);
        let object = metadata.unwrap_or_else(|| {
            self.report.note(at, Problem::Metadata);
            Map::new()
        });
        for name in object
            .keys()
            .filter(|name| !entry::is_known(name) && *name != "topic")
        {
            self.report.note_unknown_field(at, name);
        }
        let mut memory = entry::read(&object, at, &mut self.report);
        let topic = object
            .get("topic")
            .and_then(Value::as_str)
            .filter(|topic| !topic.is_empty());
        topic.unwrap_or(&self.topic).clone_into(&mut memory.topic);
        let base = Base::of(&object);
        let has_text = base.has_text(&gathered.text);
        if has_ended && !has_text && base.is_known() {
            self.is_cut = true;
            self.report.note(at, Problem::Cut);
            return Ok(None);
        }
        if !has_text {
            gathered.text.truncate(gathered.text.trim_end().len());
        }
        Ok(self.finish(number, base, memory, gathered))
    }

    /// Reads text outside of markers, up to whatever starts the next memory.
    fn unmarked(&mut self, number: u64) -> Result<Option<Section>, ReadError> {
        let (mut gathered, mut is_code, mut first, mut last) =
            (Gathered::default(), false, number, String::new());
        while let Some((number, line)) = self.line()? {
            let is_rule = !is_code && line.text.trim_end() == RULE;
            let is_heading = !is_code && line.text.starts_with("## ");
            let is_empty = !gathered.has_line;
            if marker::read(&line.text).is_some() || (is_heading && !is_empty) {
                self.unread.push_front((number, line));
                break;
            }
            if is_rule {
                break;
            }
            if is_empty && line.text.trim().is_empty() {
                continue;
            }
            if is_empty {
                first = number;
            }
            is_code ^= line.text.trim_start().starts_with("```");
            gathered.push(&line, &line.text);
            last = line.text;
        }
        if self.stated.is_some() && marker::is_begun(&last) {
            self.report
                .note(Place::Line(self.lines.number()), Problem::Marker);
            self.is_cut = true;
            let kept = gathered
                .text
                .strip_suffix(last.as_str())
                .map_or(gathered.text.len(), str::len);
            gathered.text.truncate(kept);
        }
        gathered.text.truncate(gathered.text.trim_end().len());
        let is_title = gathered.text.starts_with("# ") && !gathered.text.contains('\n');
        let is_empty = gathered.text.is_empty() && gathered.oversized().is_none();
        if is_empty || is_title {
            return Ok(None);
        }
        let text = std::mem::take(&mut gathered.text);
        let mut memory = Portable::default();
        Body::parse(&text).apply(&mut memory);
        gathered.text = std::mem::take(&mut memory.text);
        memory.topic.clone_from(&self.topic);
        front_matter::fill(&mut memory, &self.shared);
        Ok(self.finish(first, Base::default(), memory, gathered))
    }

    /// Completes a memory, unless its text is too long.
    fn finish(
        &mut self,
        line: u64,
        base: Base,
        memory: Portable,
        gathered: Gathered,
    ) -> Option<Section> {
        let at = Place::Line(line);
        if gathered.is_lossy {
            self.report.note(at, Problem::NotUtf8);
        }
        if let Some(bytes) = gathered.oversized() {
            self.report.note(at, Problem::Oversized { bytes });
            return None;
        }
        self.report.read += 1;
        let memory = Portable {
            text: gathered.text,
            ..memory
        };
        Some(Section { line, base, memory })
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Section, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.section() {
                Ok(ControlFlow::Continue(Some(section))) => return Some(Ok(section)),
                Ok(ControlFlow::Continue(None)) => {}
                Ok(ControlFlow::Break(())) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
