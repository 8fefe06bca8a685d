//! How far each transcript was read: a row of the store that moves with the facts found before it.

use std::path::Path;

use helix_capture::read::{Cursor, State};
use helix_engine::{Request, States};
use helix_redact::{Redact, Secrets};
use prost::Message;

use crate::{App, Refusal};

/// Where a transcript is read on.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) cursor: Cursor,
    pub(super) state: State,
    /// Facts of it that were kept.
    pub(super) kept: usize,
    /// Facts of it beyond the limit of a session, which were not kept.
    pub(super) left_out: usize,
    /// Directory that its session began in; empty where that is not known yet.
    pub(super) directory: String,
    /// Time of change of the file as it was read last, for transcripts that are one document.
    pub(super) changed_us: i64,
}

/// The row. What the reader remembers is JSON, of which a field that is not known costs nothing.
#[derive(Clone, PartialEq, Message)]
struct PlaceV1 {
    /// When it moved last; the store keeps the latest rows by it.
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(string, tag = "2")]
    cursor: String,
    #[prost(string, tag = "3")]
    state: String,
    #[prost(uint64, tag = "4")]
    kept: u64,
    #[prost(string, tag = "5")]
    directory: String,
    #[prost(sint64, tag = "6")]
    changed_us: i64,
    #[prost(uint64, tag = "7")]
    left_out: u64,
}

impl Redact for PlaceV1 {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            at_us: _,
            cursor: _,
            state,
            kept: _,
            directory,
            changed_us: _,
            left_out: _,
        } = self;
        secrets.said(state);
        secrets.said(directory);
    }
}

impl Place {
    /// Where a transcript is read on; its beginning if it never was.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn read(app: &App, transcript: &Path) -> Result<Self, Refusal> {
        let key = transcript.to_string_lossy();
        let row = app.memory.strand.snapshot()?.state(States::Cursors, &key)?;
        Ok(row.and_then(|row| Self::decode(&row)).unwrap_or_default())
    }

    fn decode(row: &[u8]) -> Option<Self> {
        let row = PlaceV1::decode(row).ok()?;
        Some(Self {
            cursor: serde_json::from_str(&row.cursor).ok()?,
            // Where the redaction took more than a value, calls that wait for an outcome are lost.
            state: serde_json::from_str(&row.state).unwrap_or_default(),
            kept: usize::try_from(row.kept).unwrap_or_default(),
            left_out: usize::try_from(row.left_out).unwrap_or_default(),
            directory: row.directory,
            changed_us: row.changed_us,
        })
    }

    /// Bytes of it in RAM, about.
    pub(super) fn weight(&self) -> usize {
        self.directory.len() + serde_json::to_string(&self.state).map_or(0, |state| state.len())
    }

    /// The request that keeps it.
    pub(super) fn request(&self, app: &App, transcript: &Path) -> Request {
        let row = PlaceV1 {
            at_us: app.memory.now().as_micros(),
            cursor: serde_json::to_string(&self.cursor).unwrap_or_default(),
            state: serde_json::to_string(&self.state).unwrap_or_default(),
            kept: self.kept as u64,
            left_out: self.left_out as u64,
            directory: self.directory.clone(),
            changed_us: self.changed_us,
        };
        let key = transcript.to_string_lossy().into_owned();
        let row = (key, helix_redact::State::of_message(row));
        Request::States(States::Cursors, vec![row])
    }
}
