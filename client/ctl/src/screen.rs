//! The one way out: everything that a command prints passes here.
//!
//! Answers go to stdout, remarks and errors to stderr. A reader that goes away ends the program
//! quietly.

use std::env;
use std::io::{self, ErrorKind, IsTerminal, Write};

use serde::Serialize;

use crate::failure::Failure;
use crate::text::{neutral_json, wrapped, wrapped_prose};

/// Width of a table when the terminal does not tell its own, in columns.
const DEFAULT_WIDTH: u16 = 80;

/// The narrowest and the widest table that can be read with ease, in columns.
const WIDTH_RANGE: (u16, u16) = (40, 140);

/// How an answer is written for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Tables of this width; lines of fields separated by tabs when there is no terminal.
    pub(crate) table_width: Option<u16>,
    /// True if colours may be used.
    pub(crate) color: bool,
}

/// The two output streams and what is known about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// How to write to stdout.
    pub(crate) look: Look,
    /// True if somebody watches stderr, so that progress may be shown there.
    pub(crate) watched: bool,
}

impl Screen {
    /// Looks at the streams and at `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`.
    pub(crate) fn from_environment() -> Self {
        let terminal = io::stdout().is_terminal();
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let dumb = set("TERM").is_some_and(|value| value == "dumb");
        let color = set("NO_COLOR").is_none() && (forced || (terminal && !dumb));
        let look = Look {
            table_width: terminal.then(terminal_width),
            color,
        };
        Self {
            look,
            watched: io::stderr().is_terminal(),
        }
    }
}

/// Writes an answer to stdout as it is.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::io("writing to stdout")(error),
        })
}

/// Writes an answer to stdout.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(text.as_bytes())
}

/// Writes an answer to stdout as one JSON document. Readers get every text exactly; terminals get
/// nothing to act on.
pub(crate) fn json(document: &impl Serialize) -> Result<(), Failure> {
    print(&(neutral_json(&serde_json::to_string_pretty(document)?) + "\n"))
}

/// Writes a part of an answer to stdout as JSON on one line.
pub(crate) fn json_line(document: &impl Serialize) -> Result<(), Failure> {
    print(&(neutral_json(&serde_json::to_string(document)?) + "\n"))
}

/// Writes a remark to stderr, on a line of its own. Nobody may be there to read it, which changes
/// nothing.
pub(crate) fn remark(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// Writes a remark of ours to stderr when there is reason to.
pub(crate) fn remark_if(reason: bool, text: &str) {
    if reason {
        remark(&format!("helixctl: {text}"));
    }
}

impl Look {
    /// Sets a text in a colour, or leaves it.
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        if self.color {
            format!("\u{1b}[{}m{text}\u{1b}[0m", paint.code())
        } else {
            text.to_owned()
        }
    }

    /// Breaks running text to a terminal's width; a reader that is none gets it as it is.
    pub(crate) fn wrapped(self, text: &str) -> String {
        self.table_width.map_or_else(
            || text.to_owned(),
            |width| wrapped(text, usize::from(width)),
        )
    }

    /// The same for a text that somebody wrote: its code and tables stay as they are.
    pub(crate) fn wrapped_prose(self, text: &str) -> String {
        self.table_width.map_or_else(
            || text.to_owned(),
            |width| wrapped_prose(text, usize::from(width)),
        )
    }
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// As it should be.
    Good,
    /// Worth knowing.
    Warning,
    /// Wrong.
    Bad,
    /// A name to look for.
    Name,
    /// Less important than what is around it.
    Faint,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Self::Good => "32",
            Self::Warning => "33",
            Self::Bad => "1;31",
            Self::Name => "1",
            Self::Faint => "2",
        }
    }
}

fn terminal_width() -> u16 {
    // One without a window says that it has none.
    let told = comfy_table::Table::new().width().filter(|width| *width > 0);
    let width = told.unwrap_or(DEFAULT_WIDTH);
    width.clamp(WIDTH_RANGE.0, WIDTH_RANGE.1)
}
