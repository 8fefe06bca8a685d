//! Shared parts of exports and imports: the formats, and the ports for pieces and reports.

use std::io;

/// How memories travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One file with every field.
    Json,
    /// A file for each topic, for people to read and edit.
    Markdown,
    /// The log of an earlier system.
    Amrl,
}

/// A piece of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The name of the file that it is a part of; empty for the only one.
    pub file: String,
    /// Its bytes.
    pub data: Vec<u8>,
    /// Memories so far.
    pub written: u64,
    /// Memories there are.
    pub total: u64,
    /// With the last piece, what whoever exports should know.
    pub notes: Vec<String>,
}

/// Takes the pieces of an export.
pub trait Pieces {
    /// Takes the next one, and blocks until there is room for it.
    ///
    /// # Errors
    /// When nobody takes any more.
    fn take(&mut self, piece: Piece) -> io::Result<()>;
}

/// How far an import is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Memories read.
    pub read: u64,
    /// Memories stored anew.
    pub stored: u64,
    /// How many of these wait in the review.
    pub quarantined: u64,
    /// Memories known before.
    pub known: u64,
    /// Memories changed.
    pub revised: u64,
    /// Memories refused.
    pub refused: u64,
    /// Memories left as they are, because they were changed here too, and contradictions between
    /// what was stored and what is known.
    pub conflicts: u64,
    /// Known memories that are forgotten and stay so.
    pub forgotten: u64,
    /// The handles of some of these.
    pub forgotten_handles: Vec<String>,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes there are.
    pub bytes_whole: u64,
    /// Entries that could not be read or stored, with their places.
    pub problems: Vec<String>,
    /// Problems beyond these.
    pub problems_untold: u64,
    /// Problems that cost nothing.
    pub problems_harmless: u64,
    /// Memories stored anew that nearly repeat another.
    pub repeats: u64,
    /// Some of these.
    pub repeated: Vec<Repeat>,
    /// True if not all were compared.
    pub is_repeats_cut: bool,
}

/// Two memories that say nearly the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// The handle of the imported one.
    pub handle: String,
    /// The handle of the other.
    pub of: String,
    /// How similar they are.
    pub similarity: f32,
}

/// Is told how far an import is.
pub trait Reports: Sync {
    /// Returns whether nobody waits any more.
    fn is_gone(&self) -> bool;

    /// Says how far it is. Who is slow may miss it.
    fn progress(&self, progress: Progress);

    /// Says how far it came before it ended early, and waits a while until that is taken.
    fn cut_short(&self, progress: Progress);
}
