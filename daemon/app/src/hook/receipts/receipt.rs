//! One injection and what became of it, as they are persisted.

use helix_redact::{Redact, Secrets};
use prost::Message;

use super::VERSION;
use super::mark::Mark;

/// Outcome of an injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Fate {
    /// Nobody said.
    Unknown = 0,
    /// The transcript has all of it.
    Delivered = 1,
    /// The transcript has its beginning only.
    Cut = 2,
    /// The transcript went on without it.
    Withheld = 3,
    /// Another hook blocked the prompt that it was for.
    Blocked = 4,
}

impl Fate {
    /// Its name for readers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Delivered => "delivered",
            Self::Cut => "cut",
            Self::Withheld | Self::Blocked => "withheld",
        }
    }

    /// Returns what is known of a text after another place was looked at: what is whole anywhere
    /// was delivered.
    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::Delivered || other == Self::Unknown {
            self
        } else {
            other
        }
    }
}

/// One injection, as it is persisted.
#[derive(Clone, PartialEq, Message)]
pub struct Receipt {
    #[prost(uint32, tag = "1")]
    pub(in super::super) version: u32,
    /// The session that it was given.
    #[prost(string, tag = "2")]
    pub session: String,
    /// The event that it answered.
    #[prost(string, tag = "3")]
    pub event: String,
    /// The memories in it.
    #[prost(string, repeated, tag = "4")]
    pub handles: Vec<String>,
    /// Its size, in tokens.
    #[prost(uint32, tag = "5")]
    pub tokens: u32,
    /// How long the answer took, in microseconds.
    #[prost(uint64, tag = "6")]
    pub latency_us: u64,
    #[prost(enumeration = "Fate", tag = "7")]
    pub(in super::super) fate: i32,
    /// By which its text is known; none in older receipts.
    #[prost(message, optional, tag = "8")]
    pub(in super::super) mark: Option<Mark>,
    /// Where the session writes its transcript, absolute; empty where its client did not say.
    #[prost(string, tag = "9")]
    pub(in super::super) transcript: String,
    /// The memories that a prompt got, by their numbers: not given where it was blocked.
    #[prost(uint32, repeated, tag = "10")]
    pub(in super::super) prompted: Vec<u32>,
}

impl Redact for Receipt {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            version: _,
            session,
            event,
            handles,
            tokens: _,
            latency_us: _,
            fate: _,
            mark,
            transcript,
            prompted: _,
        } = self;
        secrets.all_said([session, event, transcript]);
        secrets.all_said(handles);
        mark.redact(secrets);
    }
}

impl Receipt {
    /// Reads what was persisted; `None` when it is of another version or damaged.
    #[must_use]
    pub fn read(state: &[u8]) -> Option<Self> {
        Self::decode(state)
            .ok()
            .filter(|receipt| receipt.version == VERSION)
    }

    /// Reads nothing but what became of it, which takes no memory: for counting thousands.
    #[must_use]
    pub fn read_fate(state: &[u8]) -> Option<Fate> {
        Outcome::decode(state)
            .ok()
            .filter(|outcome| outcome.version == VERSION)
            .map(|outcome| outcome.fate())
    }
}

/// The part of a [`Receipt`] that is counted.
#[derive(Clone, PartialEq, Message)]
struct Outcome {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(enumeration = "Fate", tag = "7")]
    fate: i32,
}
