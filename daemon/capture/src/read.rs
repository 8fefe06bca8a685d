//! Readers: the transcripts of five clients, and the log of git, as slices.
//!
//! A transcript is read in steps. Whoever reads holds a [`Cursor`] and a [`State`], gives the bytes
//! that stand behind the cursor, and gets slices, the next cursor and the next state. Both are
//! small and can be kept in a table, so that reading goes on after a restart where it stopped.
//!
//! Always true:
//! - However a transcript is cut into steps, the slices are the same, each once.
//! - A record that is not complete yet is left for a later step, and nothing complete is lost.
//! - No bytes make a reader panic. A record that cannot be read is counted and passed over.
//! - Shapes and versions that the reader does not know are counted by name and never guessed.
//! - No slice holds a `<private>` block, text that Helix gave to the client, a reminder of the
//!   client's, a summary of a compaction or a message of a subagent.
//!
//! The formats are those of Claude Code 2.1, Codex 0.169, `OpenCode` 1.18 and Gemini CLI 0.61 as they
//! write them, and those of Cursor's transcripts as public readers of them say.

mod bounds;
mod claude;
mod clean;
mod codex;
mod cursor;
mod deed;
pub mod directories;
mod document;
mod formats;
mod gemini;
pub mod git;
mod lines;
mod opencode;
pub mod places;
mod scene;
mod state;
mod time;
mod tools;
mod value;

pub use opencode::assemble;
pub use state::{Counts, Cursor, State};

use std::io;

use crate::Slice;

/// Bytes of a transcript that one step reads. A longer record is read in a step of its own.
pub const MAX_STEP_BYTES: usize = 100 * 1024;

/// Bytes of a record that is read; clients write their requests and pasted images on one line. A
/// longer one is counted and passed over.
pub const MAX_RECORD_BYTES: usize = 4 << 20;

/// Bytes of a transcript that is one JSON document, all of which is held while it is read.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// How a transcript is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Lines of `~/.claude/projects/*/*.jsonl`.
    ClaudeCode,
    /// Lines of `~/.codex/sessions/**/rollout-*.jsonl`.
    Codex,
    /// The document that `opencode export` prints and [`assemble`] makes.
    OpenCode,
    /// Lines of `~/.gemini/tmp/*/chats/session-*.jsonl`.
    Gemini,
    /// The document that Gemini CLI wrote before it wrote lines.
    GeminiDocument,
    /// Lines of `~/.cursor/projects/*/agent-transcripts/*/*.jsonl`.
    Cursor,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::OpenCode,
        Self::Gemini,
        Self::GeminiDocument,
        Self::Cursor,
    ];

    /// The client's name, as in [`Slice::agent`].
    #[must_use]
    pub fn agent(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini | Self::GeminiDocument => "gemini-cli",
            Self::Cursor => "cursor",
        }
    }

    /// Whether a transcript tells the directory that its session worked in.
    #[must_use]
    pub fn tells_directory(self) -> bool {
        match self {
            Self::ClaudeCode | Self::Codex | Self::OpenCode => true,
            Self::Gemini | Self::GeminiDocument | Self::Cursor => false,
        }
    }

    /// Whether a step needs the whole transcript instead of the bytes behind the cursor.
    #[must_use]
    pub fn is_document(self) -> bool {
        match self {
            Self::OpenCode | Self::GeminiDocument => true,
            Self::ClaudeCode | Self::Codex | Self::Gemini | Self::Cursor => false,
        }
    }
}

/// The result of one step.
#[derive(Clone, Debug)]
pub struct Step {
    /// In the order of the session.
    pub slices: Vec<Slice>,
    /// Where the next step reads on.
    pub cursor: Cursor,
    /// What the next step has to know.
    pub state: State,
    /// Bytes that the next step wants: more than [`MAX_STEP_BYTES`] within a long record.
    pub wants: usize,
}

/// Reads one transcript.
#[derive(Clone, Debug)]
pub struct Reader {
    format: Format,
    source: String,
}

impl Reader {
    /// Reads a transcript that slices name `source`.
    #[must_use]
    pub fn new(format: Format, source: impl Into<String>) -> Self {
        let source = source.into();
        Self { format, source }
    }

    /// Reads on. `bytes` are the next ones behind `cursor.offset`, at most `wants` of them, or the
    /// whole transcript when its format [is a document](Format::is_document).
    #[must_use]
    pub fn step(&self, bytes: &[u8], cursor: Cursor, state: State) -> Step {
        match self.format {
            Format::ClaudeCode => lines::step(self, claude::read, bytes, cursor, state),
            Format::Codex => lines::step(self, codex::read, bytes, cursor, state),
            Format::Gemini => lines::step(self, gemini::read, bytes, cursor, state),
            Format::Cursor => lines::step(self, cursor::read, bytes, cursor, state),
            Format::OpenCode => document::step(self, &opencode::SHAPE, bytes, cursor, state),
            Format::GeminiDocument => document::step(self, &gemini::SHAPE, bytes, cursor, state),
        }
    }

    /// Reads on with one step, and asks for the bytes: `bytes_at(offset, most_bytes)`, which gives
    /// fewer only where the transcript ends. `None` at its end for now.
    ///
    /// # Errors
    ///
    /// Those of `bytes_at`.
    pub fn advance(
        &self,
        bytes_at: &mut dyn FnMut(u64, usize) -> io::Result<Vec<u8>>,
        cursor: Cursor,
        mut state: State,
    ) -> io::Result<Option<Step>> {
        let is_document = self.format.is_document();
        let offset = if is_document { 0 } else { cursor.offset };
        let mut asked = if is_document {
            MAX_DOCUMENT_BYTES + 1
        } else {
            MAX_STEP_BYTES
        };
        loop {
            let bytes = bytes_at(offset, asked)?;
            let step = self.step(&bytes, cursor, state);
            if step.cursor != cursor || !step.slices.is_empty() {
                return Ok(Some(step));
            }
            if bytes.len() < asked || step.wants <= asked {
                return Ok(None);
            }
            asked = step.wants;
            state = step.state;
        }
    }
}
