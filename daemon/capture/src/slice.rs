//! A slice: a piece of what was said or done, with who said it and where it stands.

/// The nature of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceKind {
    /// One message of a conversation.
    Turn,
    /// What an agent did with a tool, and what came of it; see [`Slice::deed`].
    Deed,
    /// A text that a person handed over to be kept.
    Note,
    /// A change of files.
    Diff,
    /// A commit: its message.
    Commit,
    /// Lines of a log.
    Log,
    /// Part of a document.
    Document,
}

/// Who speaks in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// A person.
    User,
    /// The coding assistant.
    Assistant,
    /// A program: the output of a command, the text of a page.
    Tool,
}

/// Where a slice stands in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file or commit it was read from, as its reader names it.
    pub source: String,
    /// Bytes before it in that source; the start of its line in a transcript.
    pub offset: u64,
    /// The first line of it in that source, counted from 1; 0 where lines mean nothing.
    pub line: u64,
}

/// Something an agent did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A command was run.
    Command {
        line: String,
        /// Absolute path of the directory it ran in, where known.
        directory: Option<String>,
        output: String,
        /// The status it ended with; `None` where the source does not say.
        exit: Option<i32>,
        /// Whether the source says that it failed, with or without a status.
        is_failed: bool,
    },
    /// Files were changed.
    Edit {
        /// Paths as the source has them.
        files: Vec<String>,
        /// The change in short: removed and added lines, or what the source keeps of it.
        change: String,
        is_failed: bool,
    },
}

/// A piece of what was said or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    pub kind: SliceKind,
    pub speaker: Speaker,
    /// What was said. For a deed a line that says what was done.
    pub text: String,
    /// What was done, for [`SliceKind::Deed`].
    pub deed: Option<Deed>,
    /// The client, such as `claude-code`.
    pub agent: String,
    /// The client's id of the session; empty where there is none.
    pub session: String,
    /// Absolute path of the directory the work went on in, where known.
    pub directory: Option<String>,
    /// Git branch at that time, where known.
    pub branch: Option<String>,
    /// Microseconds since 1970 in UTC, where known.
    pub at: Option<i64>,
    pub place: Place,
}
