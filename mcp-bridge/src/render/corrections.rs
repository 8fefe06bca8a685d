//! What a new memory did to those that were known, with the call that settles it or takes it back.

use helix_client::text::corrections::sentence;
use helix_client::v1::{Correction, StoreReply};

use crate::clean;

/// Notes for whoever has the tool `edit`.
pub(super) fn with_edit(reply: &StoreReply) -> Vec<String> {
    notes(reply, |correction, new, known| {
        if correction.is_replaced {
            return format!(
                "; if both hold: edit action=settle topic={known} other={new} how=both; \
                 if that one alone: how=keep"
            );
        }
        format!(
            ". Settle it: edit action=settle topic={new} other={known} how=keep if yours holds, topic={known} other={new} \
             how=keep if the known one does, how=both if both do"
        )
    })
}

/// Notes for whoever can only forget.
pub(super) fn with_forget(reply: &StoreReply) -> Vec<String> {
    notes(reply, |correction, new, known| {
        if correction.is_replaced {
            return String::new();
        }
        format!(". If one is wrong: memory.forget id={known}, or id={new}")
    })
}

fn notes(reply: &StoreReply, call: impl Fn(&Correction, &str, &str) -> String) -> Vec<String> {
    let new = reply.memory.as_ref().map_or("", |memory| &memory.handle);
    let new = clean::line(new);
    let note = |correction: &Correction| {
        let known = clean::line(&correction.handle);
        format!("{}{}", sentence(correction), call(correction, &new, &known))
    };
    reply.corrections.iter().map(note).collect()
}
