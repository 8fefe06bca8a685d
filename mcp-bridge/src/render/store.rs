//! Outcome of a store.

use helix_client::v1::{Memory, StoreOutcome, StoreReply};

use super::corrections::with_edit;
use super::memory::{nature, summary};
use crate::clean;

/// Text of a reply to `store`. `terse` leaves out everything but the outcome, the handle and the
/// notes: they say what was not taken, which nobody else would.
pub(crate) fn stored(reply: &StoreReply, terse: bool) -> String {
    let memory = reply.memory.clone().unwrap_or_default();
    let handle = clean::line(&memory.handle);
    let outcome = match reply.outcome() {
        StoreOutcome::Stored if terse => format!("stored {handle}"),
        StoreOutcome::Stored if !reply.inferred.is_empty() => format!(
            "stored {handle} ({}; {}; edit action=merge topic={handle} into=… moves it)",
            nature(&memory),
            clean::line(&reply.inferred)
        ),
        StoreOutcome::Stored => format!("stored {handle} ({})", nature(&memory)),
        StoreOutcome::Reinforced if terse => format!("known {handle}"),
        StoreOutcome::Reinforced => {
            format!("known already as {handle}: same text, reinforced, nothing new stored")
        }
        StoreOutcome::Extended if terse => format!("extended {handle}"),
        StoreOutcome::Extended => {
            format!("extended {handle}: it said the beginning of this, and has the whole text now")
        }
        StoreOutcome::Duplicate => duplicate(&memory, &handle, reply.similarity, terse),
        StoreOutcome::Unspecified => {
            "the daemon did not say what became of it; search for it before you store it again"
                .to_owned()
        }
    };
    let warnings = reply.warnings.iter().map(|warning| clean::line(warning));
    let notes = warnings.chain(with_edit(reply));
    let notes = notes.map(|note| format!("\nnote: {note}"));
    std::iter::once(outcome).chain(notes).collect()
}

fn duplicate(memory: &Memory, handle: &str, similarity: f32, terse: bool) -> String {
    let similarity = format!("{similarity:.2}");
    if terse {
        return format!(
            "not stored: {similarity} similar to {handle}; edit it, or force=true stores both"
        );
    }
    let summary = summary(memory);
    format!(
        "not stored: {similarity} similar to {handle}\n  {summary}\nIf that says it, nothing is left to do. If yours corrects or \
         completes it: edit action=revise topic={handle} text=… If both hold, store again with force=true."
    )
}

#[cfg(test)]
mod tests {
    use helix_client::v1::Correction;

    use super::super::samples::{arm64, reply_with};
    use super::*;

    #[test]
    fn outcomes_read_well() {
        let mut warned = reply_with(StoreOutcome::Stored, 0.0);
        warned.warnings = vec![
            "link c:3 names no memory".to_owned(),
            "topic was\nrenamed".to_owned(),
        ];
        let texts = [
            stored(&warned, false),
            stored(&reply_with(StoreOutcome::Reinforced, 1.0), false),
            stored(&reply_with(StoreOutcome::Duplicate, 0.834), false),
            stored(&StoreReply::default(), false),
        ];
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn corrections_name_the_call_that_settles_them() {
        let correction = |is_replaced| Correction {
            handle: "build/x86".to_owned(),
            is_replaced,
            why: "gives another value of the same".to_owned(),
            text: "Rust lib must use\n-arch x86_64.".to_owned(),
        };
        let mut reply = reply_with(StoreOutcome::Stored, 0.0);
        reply.corrections = vec![correction(false), correction(true)];
        insta::assert_snapshot!(stored(&reply, true));
    }

    #[test]
    fn terse_outcomes_are_one_short_line() {
        let texts = [
            StoreOutcome::Stored,
            StoreOutcome::Reinforced,
            StoreOutcome::Duplicate,
        ]
        .map(|outcome| stored(&reply_with(outcome, 0.834), true));
        insta::assert_snapshot!(texts.join("\n"));
    }

    #[test]
    fn what_was_not_taken_is_said_tersely_too() {
        let mut known = reply_with(StoreOutcome::Reinforced, 1.0);
        known.warnings = vec!["the tags newtag were not taken (`tag` adds them)".to_owned()];
        insta::assert_snapshot!(stored(&known, true), @r"
        known build-gotchas/arch-arm64-required
        note: the tags newtag were not taken (`tag` adds them)
        ");
    }

    #[test]
    fn scope_is_named_by_its_level() {
        let mut memory = arm64();
        memory.scope = "global".to_owned();
        assert_eq!(nature(&memory), "gotcha, global");
    }
}
