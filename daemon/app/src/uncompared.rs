//! Where the next search for duplicates goes on, because the last one did not get to the end: kept
//! in the store, or a strand so large that a search takes several runs would begin anew with every
//! start of the daemon.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use helix_engine::{LatestTexts as Latest, Request, States};
use helix_memory::Scope;
use helix_redact::State;

/// The store's key for it, before the scopes.
const KEY: &str = "compact.rest:";

/// Choices of scopes of which it is known: more than anybody compacts. A further one begins with
/// the newest each time.
const PLACES_MAX: usize = 256;

/// The places, by the scopes that were searched.
#[derive(Debug, Default)]
pub struct Uncompared(Mutex<BTreeMap<String, Latest>>);

impl Uncompared {
    /// Takes up what an earlier daemon left.
    #[must_use]
    pub fn restore(observations: &[(String, Vec<u8>)]) -> Self {
        let read = |(key, bytes): &(String, Vec<u8>)| {
            key.starts_with(KEY)
                .then(|| Latest::from_bytes(bytes))
                .flatten()
                .map(|latest| (key.clone(), latest))
        };
        Self(Mutex::new(observations.iter().filter_map(read).collect()))
    }

    /// Where a search of these scopes goes on.
    pub(crate) fn of(&self, scopes: &[Scope]) -> Option<Latest> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key(scopes))
            .copied()
    }

    /// Notes where it does. Returns what to write, where that is news.
    pub(crate) fn set(&self, scopes: &[Scope], rest: Option<Latest>) -> Option<Request> {
        let key = key(scopes);
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match rest {
            Some(_) if places.len() >= PLACES_MAX && !places.contains_key(&key) => return None,
            Some(latest) => places.insert(key.clone(), latest),
            None => places.remove(&key),
        };
        let written = rest
            .map(|latest| State::of_numbers(latest.to_bytes()))
            .unwrap_or_default();
        (before != rest).then(|| Request::States(States::Observations, vec![(key, written)]))
    }
}

/// The same scopes in another order are the same.
fn key(scopes: &[Scope]) -> String {
    let mut names: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    names.sort_unstable();
    format!("{KEY}{}", names.join(" "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_place_outlives_the_daemon_until_it_is_passed() {
        let place = Latest::from_bytes(&[7; 12]).unwrap();
        let (all, some) = (
            Vec::new(),
            vec![Scope::Project("p".to_owned()), Scope::Global],
        );
        let before = Uncompared::default();
        let Some(Request::States(States::Observations, written)) = before.set(&some, Some(place))
        else {
            unreachable!("not news")
        };
        assert!(before.set(&some, Some(place)).is_none() && before.set(&all, None).is_none());
        let read: Vec<_> = written
            .iter()
            .map(|(key, state)| (key.clone(), state.to_vec()))
            .collect();
        let after = Uncompared::restore(&read);
        let turned: Vec<Scope> = some.iter().rev().cloned().collect();
        assert_eq!(
            (after.of(&some), after.of(&turned), after.of(&all)),
            (Some(place), Some(place), None)
        );
        let Some(Request::States(States::Observations, removed)) = after.set(&some, None) else {
            unreachable!("not news")
        };
        assert_eq!(removed, [(written[0].0.clone(), State::default())]);
        assert_eq!(after.of(&some), None);
    }
}
