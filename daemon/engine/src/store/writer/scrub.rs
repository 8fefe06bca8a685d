//! Taking a purged memory's names and text out of everything that is kept beside it: states,
//! receipts and checkpoints.

use helix_memory::MemoryNumber;
use redb::ReadableTable;

use super::CommitError;
use super::group::Tables;
use crate::store::{States, checkpoint, seal, tables};

/// Shortest line of a text that is looked for: a shorter one stands in many places of its own right.
const LINE_MIN_BYTES: usize = 24;

/// The traces by which a purged memory is known.
#[derive(Debug, Default)]
pub(in crate::store) struct Traces(Vec<String>);

impl Traces {
    /// Adds a name of the memory.
    pub(super) fn add_handle(&mut self, handle: &str) {
        self.add(handle);
    }

    /// Adds a text that the memory had: whole, and each of its longer lines.
    pub(super) fn add_text(&mut self, text: &str) {
        self.add(text.trim());
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| line.len() >= LINE_MIN_BYTES) {
            self.add(line);
        }
    }

    fn add(&mut self, trace: &str) {
        if !trace.is_empty() && !self.0.iter().any(|known| known == trace) {
            self.0.push(trace.to_owned());
            // What contains another is taken out first.
            self.0.sort_by_key(|trace| std::cmp::Reverse(trace.len()));
        }
    }

    /// Returns whether bytes hold any of it.
    fn is_in(&self, bytes: &[u8]) -> bool {
        let mut traces = self.0.iter();
        traces.any(|trace| {
            let trace = trace.as_bytes();
            bytes.windows(trace.len()).any(|window| window == trace)
        })
    }

    /// Puts a mark in the place of each.
    pub(in crate::store) fn take_out(&self, text: &mut String) {
        for trace in &self.0 {
            if text.contains(trace.as_str()) {
                *text = text.replace(trace.as_str(), "[purged]");
            }
        }
    }
}

impl Tables<'_> {
    /// Every name that a memory ever had.
    pub(super) fn handles_of(&self, number: MemoryNumber) -> Result<Vec<String>, CommitError> {
        let mut handles = Vec::new();
        for entry in self.handles.iter()? {
            let (handle, holder) = entry?;
            if holder.value() == number.0 {
                handles.push(handle.value().to_owned());
            }
        }
        Ok(handles)
    }

    /// Removes states and receipts that hold any of it, and takes it out of checkpoints.
    pub(super) fn scrub(&mut self, traces: &Traces) -> Result<(), CommitError> {
        for states in States::ALL {
            let mut table = self.transaction.open_table(states.table())?;
            table.retain(|key, state| !traces.is_in(key.as_bytes()) && !traces.is_in(state))?;
        }
        let mut receipts = self.transaction.open_table(tables::RECEIPTS)?;
        receipts.retain(|_, receipt| !traces.is_in(receipt))?;
        self.scrub_checkpoints(traces)
    }

    fn scrub_checkpoints(&mut self, traces: &Traces) -> Result<(), CommitError> {
        let mut table = self.transaction.open_table(tables::CHECKPOINTS)?;
        let mut found = Vec::new();
        for entry in table.iter()? {
            let (key, record) = entry?;
            if traces.is_in(record.value()) {
                found.push((key.value().to_owned(), record.value().to_vec()));
            }
        }
        for (key, record) in found {
            match checkpoint::scrubbed(&key, &record, traces) {
                Some(body) => {
                    let record = seal::seal(&tables::CHECKPOINTS, key.as_str(), &body);
                    table.insert(key.as_str(), record.as_slice())?
                }
                // One that cannot be read cannot be shown either.
                None => table.remove(key.as_str())?,
            };
        }
        Ok(())
    }
}
