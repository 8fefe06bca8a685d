//! A memory of a file, and what the file says of how it came about.

use helix_engine::WordSet;
use helix_exchange::{Base, Change, Portable, named_once};
use helix_redact::{Redact, Secrets};

use crate::exchange::Format;

/// A memory of the file.
pub(super) struct Incoming {
    /// As it travelled.
    pub(super) memory: Portable,
    /// Its exported version, where the file has it.
    pub(super) base: Base,
    /// The format that it travelled in.
    pub(super) format: Format,
    /// Hash of its text, as the catalog has it of what is known.
    pub(super) text_hash: u64,
    /// Secrets that were taken out of it.
    pub(super) secrets: Secrets,
}

impl Incoming {
    /// Describes a memory of a file.
    pub(super) fn new(mut memory: Portable, base: Base, format: Format) -> Self {
        memory.links = named_once(memory.links.into_iter());
        let mut secrets = Secrets::default();
        memory.redact(&mut secrets);
        let text_hash = WordSet::text_hash(&memory.text);
        Self {
            memory,
            base,
            format,
            text_hash,
            secrets,
        }
    }

    /// Returns whether it is a memory of its own whatever it says, as every entry of a log is.
    pub(super) fn is_record(&self) -> bool {
        self.format == Format::Amrl
    }
}

/// A file's claim about how a memory in it came about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Claim<'i> {
    /// Nothing.
    None,
    /// It is as it was exported.
    Untouched,
    /// The same, of a file that may come from another strand with the same memory.
    Exported,
    /// It was edited, and this is what the edit started from.
    Edited(&'i Base),
}

impl<'i> Claim<'i> {
    /// Compares what is read with what the file says it was.
    pub(super) fn of(
        Incoming {
            memory,
            base,
            format,
            ..
        }: &'i Incoming,
    ) -> Self {
        match base.change(memory) {
            Change::Revised => Self::Edited(base),
            Change::Untouched if *format == Format::Json => Self::Exported,
            Change::Untouched => Self::Untouched,
            Change::New => Self::None,
        }
    }
}
