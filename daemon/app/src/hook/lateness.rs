//! Answers that come too late.

use std::sync::{Mutex, PoisonError};

use super::watch::Watched;
use crate::App;

/// Where it is noted, once, that an event's answer comes too late.
#[derive(Debug, Default)]
pub struct Lateness(Mutex<Option<Late>>);

#[derive(Debug)]
struct Late {
    watched: Watched,
    /// True if nobody waited any more when the event was taken up.
    was_given_up: bool,
}

impl Lateness {
    /// Notes where it is to be noted if the answer comes too late.
    pub(super) fn is_of(&self, watched: Watched, was_given_up: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Late {
            watched,
            was_given_up,
        });
    }

    /// Notes that the answer comes too late.
    pub fn was_late(&self, app: &App, event: &str) {
        let Some(late) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        // Whoever changes the program knows that events go unanswered meanwhile.
        let is_excused =
            app.life.is_ending() || (late.was_given_up && app.life.has_just_taken_over());
        if !is_excused {
            let (hooks, now) = (&app.hooks, app.memory.now());
            hooks
                .watches
                .was_late(&app.memory.outbox, &late.watched, event, hooks.since, now);
        }
    }
}
