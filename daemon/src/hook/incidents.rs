//! What is known of the mistakes that builds and tests made: kept in the store, changed in order.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use helix_engine::model::{Scope, Timestamp};
use helix_engine::policy::work::fault::Fault;
use helix_engine::policy::work::incident::{Incident, Remedy};
use helix_engine::store::StoreError;
use helix_engine::strand::{Request, Strand};
use prost::Message;

use crate::writer::WriterHandle;

/// Mistakes whose newest state is kept in RAM until the store has it.
const RECENT_MAX: usize = 1_024;

/// The mistakes that were changed lately: the store may not have them yet.
#[derive(Debug, Default)]
pub(crate) struct Incidents {
    recent: Mutex<HashMap<String, Incident>>,
}

impl Incidents {
    /// Notes that mistakes were made, and returns what is known of each.
    pub(super) fn occurred<'f>(
        &self,
        strand: &Strand,
        writer: &WriterHandle,
        scope: &Scope,
        faults: impl IntoIterator<Item = (&'f Fault, bool)>,
        tool: &str,
        at: Timestamp,
    ) -> Result<Vec<Incident>, StoreError> {
        let change = |known: Option<Incident>, (fault, is_back): (&Fault, bool)| {
            Some(Incident::occurred(known, fault, tool, at, is_back))
        };
        let faults = faults.into_iter().map(|fault| (fault.0.fingerprint(), fault));
        self.change(strand, writer, scope, faults, change)
    }

    /// Notes that mistakes are gone after this was done.
    pub(super) fn mended(
        &self,
        strand: &Strand,
        writer: &WriterHandle,
        scope: &Scope,
        fingerprints: &[String],
        remedy: Remedy<'_>,
        at: Timestamp,
    ) -> Result<Vec<Incident>, StoreError> {
        let change = |known: Option<Incident>, ()| {
            let mut incident = known?;
            incident.mended(remedy, at);
            Some(incident)
        };
        let fingerprints = fingerprints.iter().map(|fingerprint| (fingerprint.clone(), ()));
        self.change(strand, writer, scope, fingerprints, change)
    }

    /// What is known of a mistake, without changing it.
    pub(super) fn known(&self, strand: &Strand, scope: &Scope, fault: &Fault) -> Result<Option<Incident>, StoreError> {
        let key = key(scope, &fault.fingerprint());
        if let Some(recent) = self.recent.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Some(recent.clone()));
        }
        Ok(strand.snapshot()?.incident(&key)?.as_deref().and_then(Incident::read))
    }

    fn change<T>(
        &self,
        strand: &Strand,
        writer: &WriterHandle,
        scope: &Scope,
        which: impl IntoIterator<Item = (String, T)>,
        change: impl Fn(Option<Incident>, T) -> Option<Incident>,
    ) -> Result<Vec<Incident>, StoreError> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = strand.snapshot()?;
        let mut known_now = Vec::new();
        let mut changes = Vec::new();
        for (fingerprint, news) in which {
            let key = key(scope, &fingerprint);
            let before = match recent.get(&key) {
                Some(known) => Some(known.clone()),
                None => snapshot.incident(&key)?.as_deref().and_then(Incident::read),
            };
            let Some(incident) = change(before, news) else { continue };
            changes.push((key.clone(), incident.encode_to_vec()));
            if recent.len() >= RECENT_MAX {
                recent.clear();
            }
            recent.insert(key, incident.clone());
            known_now.push(incident);
        }
        if !changes.is_empty() {
            // Under the lock, so that the store sees the changes in their order.
            writer.write_later(Request::Incidents(changes));
        }
        Ok(known_now)
    }
}

fn key(scope: &Scope, fingerprint: &str) -> String {
    format!("{scope} {fingerprint}")
}
