//! Knowledge of the mistakes that builds and tests made: kept in the store, changed in order.

use std::sync::{Mutex, PoisonError};

use helix_engine::{States, StoreError, Strand};
use helix_memory::{Scope, Timestamp};
use helix_redact::State;
use helix_terminal::fault::Sighting;

use crate::outbox::{Outbox, Row};
use crate::work::incident::{Incident, Remedy, Visit};

/// Knowledge of mistakes. The latest state of each is in the outbox or, where that has none, in
/// the store.
#[derive(Debug, Default)]
pub struct Incidents {
    /// Held from reading a state until the one that follows it is in the outbox.
    changing: Mutex<()>,
    outbox: Outbox,
}

impl Incidents {
    /// Returns those of which the latest states wait in this outbox.
    #[must_use]
    pub fn new(outbox: Outbox) -> Self {
        Self {
            changing: Mutex::default(),
            outbox,
        }
    }

    /// Notes that mistakes were made, and returns what is known of each.
    pub(super) fn occurred<'s>(
        &self,
        strand: &Strand,
        outbox: &Outbox,
        scope: &Scope,
        visits: impl IntoIterator<Item = (&'s Sighting, Visit<'s>)>,
    ) -> Result<Vec<Incident>, StoreError> {
        let change = |known: Option<Incident>, (seen, visit): (&Sighting, Visit<'_>)| {
            Some(Incident::occurred(known, seen, visit))
        };
        let visits = visits
            .into_iter()
            .map(|visit| (visit.0.fault.fingerprint(), visit));
        self.change(strand, outbox, scope, visits, change)
    }

    /// Notes that mistakes are gone after this was done.
    pub(super) fn mended(
        &self,
        strand: &Strand,
        outbox: &Outbox,
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
        let fingerprints = fingerprints
            .iter()
            .map(|fingerprint| (fingerprint.clone(), ()));
        self.change(strand, outbox, scope, fingerprints, change)
    }

    /// Returns what is known of a mistake, without changing it.
    pub(super) fn known(
        &self,
        strand: &Strand,
        scope: &Scope,
        seen: &Sighting,
    ) -> Result<Option<Incident>, StoreError> {
        self.latest(strand, &key(scope, &seen.fault.fingerprint()))
    }

    fn change<T>(
        &self,
        strand: &Strand,
        outbox: &Outbox,
        scope: &Scope,
        which: impl IntoIterator<Item = (String, T)>,
        change: impl Fn(Option<Incident>, T) -> Option<Incident>,
    ) -> Result<Vec<Incident>, StoreError> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known_now = Vec::new();
        for (fingerprint, news) in which {
            let key = key(scope, &fingerprint);
            let Some(incident) = change(self.latest(strand, &key)?, news) else {
                continue;
            };
            outbox.put(Row::Incident(key), State::of_message(incident.clone()));
            known_now.push(incident);
        }
        Ok(known_now)
    }

    /// The latest state of a mistake. The outbox is asked first: what it no longer has is in the
    /// store by then.
    fn latest(&self, strand: &Strand, key: &str) -> Result<Option<Incident>, StoreError> {
        let state = match self.outbox.get(&Row::Incident(key.to_owned())) {
            Some(state) => Some(state),
            None => strand.snapshot()?.state(States::Incidents, key)?,
        };
        Ok(state.as_deref().and_then(Incident::read))
    }
}

fn key(scope: &Scope, fingerprint: &str) -> String {
    format!("{scope} {fingerprint}")
}
