//! What comes again that somebody forgot: what is said of it, and what becomes of it.

use std::time::{Duration, Instant};

use helix_engine::{Request, Returned, Step, StepChange, Strand};
use helix_memory::{Edit, Origin, Scope, Status, Timestamp, Tombstone};

use crate::capture::BECAUSE;
use crate::ports::EmbedderState;
use crate::{App, Asker, Refusal};

/// How long a store waits for the vector that says whether its text was forgotten in other words:
/// it answers without that otherwise.
const STORE_PATIENCE: Duration = Duration::from_millis(250);

/// How long an event waits for it: it is compared later otherwise.
const EVENT_PATIENCE: Duration = Duration::from_secs(1);

/// Parts of a text that are compared before it is stored: itself, and its first sentences. The rest
/// is compared afterwards.
pub(crate) const PARTS_MAX: usize = 6;

/// A comparison by meaning with what was forgotten.
pub(crate) enum Compared {
    /// It says what this is for.
    Returns(Box<Tombstone>),
    /// It says none of it, or nothing is compared here.
    Differs,
    /// There was no vector in time.
    Unknown,
}

impl Compared {
    /// Whether it says what was forgotten.
    pub(crate) fn is_return(&self) -> bool {
        matches!(self, Self::Returns(_))
    }
}

/// How a text left, when, by whom, and what it was called: "forgotten on 2026-11-24 by the user".
#[derive(Debug)]
pub(crate) struct Departed {
    /// How, when and by whom.
    pub(crate) how: String,
    /// Its handle, behind words that lead to it; empty for what was purged.
    pub(crate) was: String,
}

impl Departed {
    pub(crate) fn of(stone: &Tombstone) -> Self {
        let day = jiff::Timestamp::from_microsecond(stone.at.as_micros()).unwrap_or_default();
        let day = day.strftime("%Y-%m-%d");
        let how = stone.departure.name();
        let who = match (stone.origin, stone.agent.as_str()) {
            (Origin::User, _) => "the user".to_owned(),
            (origin, "") => origin.name().to_owned(),
            (_, agent) => agent.to_owned(),
        };
        let was = match stone.handle.as_str() {
            "" => String::new(),
            handle => format!("; it was {handle}"),
        };
        Self {
            how: format!("{how} on {day} by {who}"),
            was,
        }
    }
}

/// Says that a text was forgotten before: whoever asks for it gets it back all the same.
///
/// # Errors
/// When a tool says it, which nobody asked.
pub(crate) fn returning(
    app: &App,
    asker: &Asker,
    text: &str,
    scope: &Scope,
) -> Result<Option<String>, Refusal> {
    let Some(stone) = app.memory.strand.forgotten(text, &scope.to_string()) else {
        return Ok(None);
    };
    let Departed { how, was } = Departed::of(&stone);
    if asker.actor.origin == Origin::Tool {
        return Err(Refusal::denied(format!(
            "this was {how}, and no tool brings it back{was}"
        )));
    }
    Ok(Some(format!(
        "this was {how} and is stored again because you asked for it{was}"
    )))
}

/// Says in whose words and when a text was forgotten that is stored in other words. A tool asks for
/// nothing: what it says is withheld once it is compared.
pub(crate) fn stored_again(stone: &Tombstone, by: Origin) -> String {
    let Departed { how, was } = Departed::of(stone);
    let stands = match by {
        Origin::Tool | Origin::Import => "waits in the review for that",
        Origin::User | Origin::Agent => "is stored because you asked for it",
    };
    format!("this says in other words what was {how}, and {stands}{was}")
}

/// Says why what an event says in other words is not stored.
pub(crate) fn not_reported(stone: &Tombstone) -> String {
    let Departed { how, was } = Departed::of(stone);
    format!("nothing was stored: it says what was {how}; store it by name if it holds again{was}")
}

/// Says why a sentence of what an import brings is left out.
pub(crate) fn left_out(stone: &Tombstone) -> String {
    let Departed { how, was } = Departed::of(stone);
    format!("was left out: it was {how}{was}")
}

/// Compares a text that somebody stores.
pub(crate) async fn compare_stored(app: &App, text: &str, scope: &str) -> Option<Box<Tombstone>> {
    match compare(app, text, scope, STORE_PATIENCE).await {
        Compared::Returns(stone) => Some(stone),
        Compared::Differs | Compared::Unknown => None,
    }
}

/// Compares a text that an event brings, and each of its first sentences.
pub(crate) async fn compare_reported(app: &App, text: &str, scope: &str) -> Compared {
    let by = Instant::now() + EVENT_PATIENCE;
    for said in Strand::said_in(text).into_iter().take(PARTS_MAX) {
        let left = by.saturating_duration_since(Instant::now());
        match compare(app, said, scope, left).await {
            Compared::Differs => {}
            found => return found,
        }
    }
    Compared::Differs
}

async fn compare(app: &App, text: &str, scope: &str, patience: Duration) -> Compared {
    let memory = &app.memory;
    if !memory.strand.may_return(text, scope) {
        return Compared::Differs;
    }
    if !matches!(
        memory.embedder.state(),
        EmbedderState::Ready(_) | EmbedderState::Loading
    ) {
        return Compared::Differs;
    }
    let Some(vector) = memory.embedder.passage(text, patience).await else {
        return Compared::Unknown;
    };
    match memory.strand.forgotten_in_other_words(text, &vector, scope) {
        Some(stone) => Compared::Returns(Box::new(stone)),
        None => Compared::Differs,
    }
}

/// The requests that keep away what came by itself and says what was forgotten. A proposal that
/// capture made is rejected, as it would not have been made if its vector had been there; anything
/// else waits in the review, with the reason.
#[must_use]
pub fn withheld(returned: Vec<Returned>, at: Timestamp) -> Vec<Request> {
    let request = |returned| kept_away(returned, at);
    returned.into_iter().map(request).collect()
}

fn kept_away(returned: Returned, at: Timestamp) -> Request {
    let Returned { memory, tombstone } = returned;
    let Departed { how, was } = Departed::of(&tombstone);
    let because = format!("it says in other words what was {how}{was}");
    let is_waiting = memory.status == Status::Quarantined;
    let is_proposal = is_waiting && memory.attributes.contains_key(BECAUSE);
    let edit = if is_proposal {
        Edit::Reject
    } else {
        Edit::Withhold {
            because: because.clone(),
        }
    };
    let change = StepChange::Edit {
        number: memory.number,
        edit,
        expected: Some(memory.sequence),
    };
    Request::suggestions(vec![Step::new(change, because)], at)
}

#[cfg(test)]
mod tests {
    use helix_memory::{Departure, Sketch};

    use super::*;

    #[test]
    fn only_who_asks_for_it_is_told_that_it_is_stored() {
        let stone = Tombstone {
            scope: "global".to_owned(),
            text_hash: 0,
            word_hashes: Vec::new(),
            sketch: Sketch::default(),
            code: Vec::new(),
            model: String::new(),
            departure: Departure::Forgotten,
            origin: Origin::User,
            agent: String::new(),
            at: Timestamp::from_micros(0),
            handle: "api/key".to_owned(),
        };
        for by in [Origin::User, Origin::Agent] {
            let said = stored_again(&stone, by);
            assert!(
                said.contains("is stored because you asked for it; it was api/key"),
                "{said}"
            );
        }
        let said = stored_again(&stone, Origin::Tool);
        assert!(
            said.contains("waits in the review for that; it was api/key"),
            "{said}"
        );
    }
}
