//! Which subagent a prompt went to. Clients tell of the call that spawns one and of its start, and
//! not that the two belong together.

use std::time::Duration;

use helix_engine::model::{MemoryNumber, Timestamp};

use super::session::elapsed;

/// How long after its call a subagent may start: the user may be asked first.
const START_MAX: Duration = Duration::from_mins(5);

/// Calls of one session that are remembered: more agents than start at once.
const SPAWNS_MAX: usize = 64;

/// The calls of one session whose subagents have not started yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Spawns(Vec<Spawn>);

#[derive(Clone, Debug)]
struct Spawn {
    /// The type that was asked for; empty where none was named.
    agent_type: String,
    /// The memories behind the prompt.
    given: Vec<MemoryNumber>,
    at: Timestamp,
    /// Subagents that started since and may be this one's.
    starts: usize,
}

impl Spawn {
    fn is_for(&self, agent_type: &str) -> bool {
        self.agent_type.is_empty() || self.agent_type.eq_ignore_ascii_case(agent_type)
    }
}

impl Spawns {
    /// Notes a call, and which memories stand behind its prompt.
    pub(super) fn called(&mut self, agent_type: &str, given: &[MemoryNumber], at: Timestamp) {
        self.forget(at);
        if self.0.len() >= SPAWNS_MAX {
            self.0.remove(0);
        }
        self.0.push(Spawn {
            agent_type: agent_type.to_owned(),
            given: given.to_vec(),
            at,
            starts: 0,
        });
    }

    /// The memories that a subagent that starts was given in its prompt. Of several calls that it
    /// may come from it has those of all, and they are forgotten once as many started.
    pub(super) fn started(&mut self, agent_type: &str, now: Timestamp) -> Vec<MemoryNumber> {
        self.forget(now);
        let mut given = Vec::new();
        let (mut count, mut starts) = (0, 0);
        for spawn in self.0.iter_mut().filter(|spawn| spawn.is_for(agent_type)) {
            spawn.starts += 1;
            (count, starts) = (count + 1, starts.max(spawn.starts));
            given.extend_from_slice(&spawn.given);
        }
        if starts >= count {
            self.0.retain(|spawn| !spawn.is_for(agent_type));
        }
        given
    }

    fn forget(&mut self, now: Timestamp) {
        self.0.retain(|spawn| elapsed(spawn.at, now) < START_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000);

    fn numbers(numbers: &[u32]) -> Vec<MemoryNumber> {
        numbers.iter().copied().map(MemoryNumber).collect()
    }

    #[test]
    fn a_subagent_has_what_its_call_was_given() {
        let mut spawns = Spawns::default();
        spawns.called("Explore", &numbers(&[1]), NOW);
        spawns.called("", &numbers(&[2, 3]), NOW);
        assert_eq!(
            spawns.started("explore", NOW),
            numbers(&[1, 2, 3]),
            "the other call names no type"
        );
        assert_eq!(spawns.started("general-purpose", NOW), numbers(&[2, 3]));
        spawns.called("Plan", &[], NOW);
        assert_eq!(spawns.started("other", NOW), []);
        spawns.called("Plan", &numbers(&[4]), NOW);
        assert_eq!(
            spawns.started("Plan", NOW),
            numbers(&[4]),
            "one of the two was given nothing"
        );
        assert_eq!(spawns.started("Plan", NOW), numbers(&[4]));
        assert_eq!(spawns.started("Plan", NOW), [], "both have started");
    }

    #[test]
    fn a_call_that_never_starts_is_forgotten() {
        let mut spawns = Spawns::default();
        spawns.called("Plan", &numbers(&[1]), NOW);
        let later = Timestamp::from_micros(NOW.as_micros() + 300_000_000);
        assert_eq!(spawns.started("Plan", later), []);
        for n in 0..100 {
            spawns.called("Plan", &numbers(&[n]), later);
        }
        assert_eq!(spawns.0.len(), SPAWNS_MAX);
    }
}
