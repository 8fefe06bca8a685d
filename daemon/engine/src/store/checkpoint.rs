//! Checkpoints on disk: one for each scope, in a table of their own, each record with its version;
//! and those that were there before it, the last ten, in one record beside it.

use std::ops::Range;

use helix_memory::{Checkpoint, Scope, Timestamp};
use prost::Message;
use redb::{ReadableTable, ReadableTableMetadata};

use super::codec::{CodecError, damaged, versioned, with_version};
use super::guard::guarded;
use super::read::Snapshot;
use super::writer::{CommitError, Traces};
use super::{StoreError, seal, tables};

const WHAT: &str = "a checkpoint";

/// Checkpoints of a scope that are kept after they were replaced or cleared: several agents of one
/// project save over each other, and nobody goes back further.
const EARLIER_MAX: usize = 10;

/// Begins the key of a scope's earlier checkpoints; no scope begins so.
const EARLIER: &str = "earlier ";

/// The keys of all scopes' earlier checkpoints.
pub(super) const EARLIER_KEYS: Range<&str> = EARLIER.."earlier!";

/// A checkpoint on disk, version 1.
#[derive(Clone, PartialEq, Message)]
struct CheckpointV1 {
    #[prost(string, tag = "1")]
    task: String,
    #[prost(string, repeated, tag = "2")]
    done: Vec<String>,
    #[prost(string, repeated, tag = "3")]
    next: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    hypotheses: Vec<String>,
    #[prost(string, tag = "5")]
    blocked: String,
    #[prost(string, repeated, tag = "6")]
    files: Vec<String>,
    #[prost(sint64, tag = "7")]
    saved_at_us: i64,
    #[prost(string, tag = "8")]
    agent: String,
    #[prost(string, tag = "9")]
    session: String,
}

/// A scope's earlier checkpoints on disk, version 1.
#[derive(Clone, PartialEq, Message)]
struct EarlierV1 {
    /// Newest first.
    #[prost(message, repeated, tag = "1")]
    checkpoints: Vec<CheckpointV1>,
}

impl From<&Checkpoint> for CheckpointV1 {
    fn from(checkpoint: &Checkpoint) -> Self {
        Self {
            task: checkpoint.task.clone(),
            done: checkpoint.done.clone(),
            next: checkpoint.next.clone(),
            hypotheses: checkpoint.hypotheses.clone(),
            blocked: checkpoint.blocked.clone(),
            files: checkpoint.files.clone(),
            saved_at_us: checkpoint.saved_at.as_micros(),
            agent: checkpoint.agent.clone(),
            session: checkpoint.session.clone(),
        }
    }
}

impl From<CheckpointV1> for Checkpoint {
    fn from(record: CheckpointV1) -> Self {
        Self {
            task: record.task,
            done: record.done,
            next: record.next,
            hypotheses: record.hypotheses,
            blocked: record.blocked,
            files: record.files,
            saved_at: Timestamp::from_micros(record.saved_at_us),
            agent: record.agent,
            session: record.session,
        }
    }
}

/// Encodes a checkpoint.
fn encode(checkpoint: &Checkpoint) -> Vec<u8> {
    with_version(&CheckpointV1::from(checkpoint))
}

/// Decodes a checkpoint.
fn decode(bytes: &[u8]) -> Result<Checkpoint, CodecError> {
    let record =
        CheckpointV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))?;
    Ok(record.into())
}

fn decode_earlier(bytes: &[u8]) -> Result<EarlierV1, CodecError> {
    EarlierV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))
}

/// A record without what a purged memory is known by; `None` for one that cannot be read.
pub(super) fn scrubbed(key: &str, record: &[u8], traces: &Traces) -> Option<Vec<u8>> {
    let mut row = row(key, record)?;
    for checkpoint in &mut row {
        checkpoint.scrub(traces);
    }
    written(key, row)
}

impl CheckpointV1 {
    fn scrub(&mut self, traces: &Traces) {
        let lists = [
            &mut self.done,
            &mut self.next,
            &mut self.hypotheses,
            &mut self.files,
        ];
        let lines = lists.into_iter().flatten();
        for text in lines.chain([&mut self.task, &mut self.blocked]) {
            traces.take_out(text);
        }
    }
}

/// The table inside a write transaction.
pub(super) type Table<'t> = redb::Table<'t, &'static str, &'static [u8]>;

/// Replaces a scope's checkpoint; `None` removes it. The one that was there goes to the earlier
/// ones. What of those cannot be read is let go: it must not keep a task from being saved.
pub(super) fn put(
    table: &mut Table<'_>,
    scope: &Scope,
    checkpoint: Option<&Checkpoint>,
) -> Result<(), redb::StorageError> {
    let key = scope.to_string();
    let replaced = table
        .get(key.as_str())?
        .and_then(|found| decode(opened(&key, found.value())?).ok());
    if let Some(replaced) = replaced {
        let earlier_key = format!("{EARLIER}{key}");
        let found = table.get(earlier_key.as_str())?;
        let kept =
            found.and_then(|found| decode_earlier(opened(&earlier_key, found.value())?).ok());
        let mut earlier = kept.unwrap_or_default();
        earlier.checkpoints.insert(0, CheckpointV1::from(&replaced));
        earlier.checkpoints.truncate(EARLIER_MAX);
        let record = seal::seal(
            &tables::CHECKPOINTS,
            earlier_key.as_str(),
            &with_version(&earlier),
        );
        table.insert(earlier_key.as_str(), record.as_slice())?;
    }
    match checkpoint {
        Some(checkpoint) => {
            let record = seal::seal(&tables::CHECKPOINTS, key.as_str(), &encode(checkpoint));
            table.insert(key.as_str(), record.as_slice())?
        }
        None => table.remove(key.as_str())?,
    };
    Ok(())
}

/// Removes every checkpoint that a session saved. One that cannot be read stays: nobody is shown
/// it.
pub(super) fn remove_of(table: &mut Table<'_>, session: &str) -> Result<(), CommitError> {
    let mut changed = Vec::new();
    for entry in table.iter()? {
        let (key, record) = entry?;
        let key = key.value();
        let Some(mut kept) = row(key, record.value()) else {
            continue;
        };
        let before = kept.len();
        kept.retain(|checkpoint| checkpoint.session != session);
        if kept.len() < before {
            changed.push((key.to_owned(), kept));
        }
    }
    for (key, kept) in changed {
        match written(&key, kept) {
            Some(body) => {
                let record = seal::seal(&tables::CHECKPOINTS, key.as_str(), &body);
                table.insert(key.as_str(), record.as_slice())?
            }
            None => table.remove(key.as_str())?,
        };
    }
    Ok(())
}

/// Reads the checkpoints of a row: the present one of a scope, or its earlier ones; `None` where it
/// cannot be read.
fn row(key: &str, record: &[u8]) -> Option<Vec<CheckpointV1>> {
    let body = opened(key, record)?;
    if key.starts_with(EARLIER) {
        return Some(decode_earlier(body).ok()?.checkpoints);
    }
    let present = decode(body).ok()?;
    Some(vec![CheckpointV1::from(&present)])
}

/// Writes the checkpoints of a row; `None` where a scope has no present one.
fn written(key: &str, checkpoints: Vec<CheckpointV1>) -> Option<Vec<u8>> {
    if key.starts_with(EARLIER) {
        let is_any = !checkpoints.is_empty();
        return is_any.then(|| with_version(&EarlierV1 { checkpoints }));
    }
    checkpoints.first().map(with_version)
}

/// Counts the scopes that have earlier checkpoints.
pub(super) fn count_earlier(table: &Table<'_>) -> Result<u64, redb::StorageError> {
    Ok(table.range(EARLIER_KEYS)?.count() as u64)
}

/// Counts the scopes that have a checkpoint now.
pub(super) fn count_saved(table: &Table<'_>) -> Result<u64, redb::StorageError> {
    Ok(table.len()?.saturating_sub(count_earlier(table)?))
}

/// Returns when the latest of a scope's earlier checkpoints was saved, in microseconds; one that
/// cannot be read is the oldest.
pub(super) fn age_of_earlier(key: &str, record: &[u8]) -> i64 {
    let earlier = opened(key, record).and_then(|body| decode_earlier(body).ok());
    let latest = earlier.and_then(|earlier| earlier.checkpoints.into_iter().next());
    latest.map_or(i64::MIN, |checkpoint| checkpoint.saved_at_us)
}

/// Takes a record out of its envelope; one that is damaged counts as absent.
fn opened<'r>(key: &str, record: &'r [u8]) -> Option<&'r [u8]> {
    let opened = seal::open(WHAT, &tables::CHECKPOINTS, key, record);
    if let Err(error) = &opened {
        tracing::error!(%error, "a checkpoint is not shown");
    }
    opened.ok()
}

impl Snapshot {
    /// Reads a scope's checkpoint. One that is damaged counts as absent.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn checkpoint(&self, scope: &Scope) -> Result<Option<Checkpoint>, StoreError> {
        guarded(|| {
            let table = self.transaction.open_table(tables::CHECKPOINTS)?;
            let key = scope.to_string();
            let Some(found) = table.get(key.as_str())? else {
                return Ok(None);
            };
            Ok(opened(&key, found.value()).map(decode).transpose()?)
        })
    }

    /// Reads the checkpoints that were replaced or cleared under any of these scopes, newest first,
    /// at most ten.
    ///
    /// # Errors
    /// When the disk fails or a record is damaged.
    pub fn earlier_checkpoints<'s>(
        &self,
        scopes: impl IntoIterator<Item = &'s Scope>,
    ) -> Result<Vec<Checkpoint>, StoreError> {
        guarded(|| {
            let table = self.transaction.open_table(tables::CHECKPOINTS)?;
            let mut earlier: Vec<Checkpoint> = Vec::new();
            for scope in scopes {
                let key = format!("{EARLIER}{scope}");
                let found = table.get(key.as_str())?;
                if let Some(body) = found.as_ref().and_then(|found| opened(&key, found.value())) {
                    earlier.extend(
                        decode_earlier(body)?
                            .checkpoints
                            .into_iter()
                            .map(Checkpoint::from),
                    );
                }
            }
            // Those of one scope are in order already, also where clocks were not.
            earlier.sort_by_key(|checkpoint| std::cmp::Reverse(checkpoint.saved_at));
            earlier.truncate(EARLIER_MAX);
            Ok(earlier)
        })
    }

    /// Reads the checkpoints that a session saved, whatever their scope and whether they were
    /// replaced since, newest first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn checkpoints_of(&self, session: &str) -> Result<Vec<Checkpoint>, StoreError> {
        guarded(|| {
            let table = self.transaction.open_table(tables::CHECKPOINTS)?;
            let mut saved: Vec<Checkpoint> = Vec::new();
            for entry in table.iter()? {
                let (key, record) = entry?;
                let key = key.value();
                let row = row(key, record.value()).into_iter().flatten();
                let own = row.filter(|checkpoint| checkpoint.session == session);
                saved.extend(own.map(Checkpoint::from));
            }
            saved.sort_by_key(|checkpoint| std::cmp::Reverse(checkpoint.saved_at));
            Ok(saved)
        })
    }

    /// Reads the checkpoint that was saved last under any of these scopes.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn newest_checkpoint<'s>(
        &self,
        scopes: impl IntoIterator<Item = &'s Scope>,
    ) -> Result<Option<Checkpoint>, StoreError> {
        let mut newest: Option<Checkpoint> = None;
        for scope in scopes {
            let saved = self.checkpoint(scope)?;
            // Of equals the first one stays.
            newest = match (newest, saved) {
                (Some(one), Some(other)) if other.saved_at > one.saved_at => Some(other),
                (one, other) => one.or(other),
            };
        }
        Ok(newest)
    }

    /// Returns whether a checkpoint is saved under a scope that is wanted.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn has_checkpoint(&self, is_wanted: impl Fn(&str) -> bool) -> Result<bool, StoreError> {
        guarded(|| {
            let table = self.transaction.open_table(tables::CHECKPOINTS)?;
            for entry in table.range::<&str>(..)? {
                let entry = entry?;
                if !entry.0.value().starts_with(EARLIER) && is_wanted(entry.0.value()) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::store::codec::RECORD_VERSION;
    use helix_memory::ErrorKind;

    fn list() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("\\PC{0,20}", 0..4)
    }

    proptest! {
        #[test]
        fn records_round_trip(
            (task, blocked) in ("\\PC{0,40}", "\\PC{0,40}"),
            (agent, session) in ("[a-z-]{0,9}", "[a-z-]{0,9}"),
            (done, next, hypotheses, files) in (list(), list(), list(), list()),
            saved_at in any::<i64>(),
        ) {
            let saved_at = Timestamp::from_micros(saved_at);
            let checkpoint = Checkpoint {
                task, done, next, hypotheses, blocked, files, saved_at, agent, session,
            };
            prop_assert_eq!(decode(&encode(&checkpoint)).unwrap(), checkpoint);
        }

        #[test]
        fn garbage_is_an_error_not_a_crash(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(checkpoint) = decode(&bytes) {
                prop_assert_eq!(decode(&encode(&checkpoint)).unwrap(), checkpoint);
            }
        }
    }

    #[test]
    fn newer_versions_are_refused() {
        assert_eq!(
            decode(&[RECORD_VERSION + 1, 0]).unwrap_err().kind(),
            ErrorKind::Newer
        );
    }

    /// The bytes of version 1, so that a change of the format cannot pass unnoticed.
    #[test]
    fn version_one_is_golden() {
        let golden = include_bytes!("checkpoint_golden_v1.bin");
        let checkpoint = decode(golden).unwrap();
        assert_eq!(checkpoint.task, "Implement Metal attention kernel");
        assert_eq!(
            checkpoint.next,
            ["Debug RMSNorm output", "Compare against llama.cpp"]
        );
        assert_eq!(
            checkpoint.saved_at,
            Timestamp::from_micros(1_790_000_000_000_000)
        );
        assert_eq!(encode(&checkpoint), golden);
    }
}
