//! What became of a batch.

use helix_client::v1::batch_item::Item;
use helix_client::v1::{BatchItem, StoreBatchReply, StoreOutcome};

use super::pack::packed;
use super::store::stored;
use crate::clean;

/// What is known of an entry besides the daemon's answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// It went to the daemon.
    Sent,
    /// It resembles an earlier entry and did not.
    HeldBack {
        /// Position of the earlier one.
        earlier: usize,
        /// How alike they are.
        similarity: f32,
    },
}

/// A batch and its answer.
pub(crate) struct Batched<'a> {
    /// All entries, in order.
    pub(crate) entries: &'a [Entry],
    /// The answer for those that were sent, in order.
    pub(crate) reply: &'a StoreBatchReply,
    /// Whether to list those that were stored too.
    pub(crate) verbose: bool,
}

/// What became of one entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stored,
    Known,
    Alike,
    Refused,
}

/// Text of a reply to `batch`: how many of each, and each that was not simply stored.
pub(crate) fn batched(batched: &Batched<'_>) -> String {
    let mut answers = batched.reply.items.iter();
    let fates: Vec<(Fate, String)> = batched
        .entries
        .iter()
        .map(|entry| match entry {
            Entry::Sent => answered(answers.next()),
            Entry::HeldBack { earlier, similarity } => {
                (Fate::Alike, format!("not stored: {similarity:.2} similar to [{earlier}] of this batch"))
            }
        })
        .collect();
    let is_shown = |fate: Fate, text: &str| batched.verbose || fate != Fate::Stored || text.contains("\nnote: ");
    let lines: Vec<String> = fates
        .iter()
        .enumerate()
        .filter(|(_, (fate, text))| is_shown(*fate, text))
        .map(|(at, (_, text))| format!("[{at}] {text}"))
        .collect();
    let list = packed(&lines, "\n", lines.len(), |missing| format!("{missing} more; search finds what was stored"));
    [totals(&fates), list, advice(&fates)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn answered(item: Option<&BatchItem>) -> (Fate, String) {
    match item.and_then(|item| item.item.as_ref()) {
        Some(Item::Stored(reply)) => {
            let fate = match reply.outcome() {
                StoreOutcome::Stored => Fate::Stored,
                StoreOutcome::Reinforced => Fate::Known,
                StoreOutcome::Duplicate => Fate::Alike,
                StoreOutcome::Unspecified => Fate::Refused,
            };
            let notes = reply.warnings.iter().map(|warning| format!("\nnote: {}", clean::line(warning)));
            (fate, std::iter::once(stored(reply, true)).chain(notes).collect())
        }
        Some(Item::Refused(why)) => (Fate::Refused, format!("refused: {}", clean::line(why))),
        None => (Fate::Refused, "the daemon did not say what became of it; search for it".to_owned()),
    }
}

fn totals(fates: &[(Fate, String)]) -> String {
    let count = |wanted: Fate| fates.iter().filter(|(fate, _)| *fate == wanted).count();
    let others =
        [(Fate::Known, "known already"), (Fate::Alike, "near-duplicates not stored"), (Fate::Refused, "refused")];
    let others = others.map(|(fate, name)| (count(fate), name)).into_iter().filter(|(count, _)| *count > 0);
    let others = others.map(|(count, name)| format!(", {count} {name}"));
    std::iter::once(format!("{} stored", count(Fate::Stored))).chain(others).collect()
}

fn advice(fates: &[(Fate, String)]) -> String {
    if fates.iter().any(|(fate, _)| *fate == Fate::Alike) {
        "Where a near-duplicate differs or corrects the other, send it again with force=true.".to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::reply_with;
    use super::*;

    fn reply() -> StoreBatchReply {
        let mut warned = reply_with(StoreOutcome::Stored, 0.0);
        warned.warnings = vec!["link c:3 names no memory".to_owned()];
        let items = [
            Item::Stored(reply_with(StoreOutcome::Stored, 0.0)),
            Item::Stored(reply_with(StoreOutcome::Reinforced, 1.0)),
            Item::Stored(reply_with(StoreOutcome::Duplicate, 0.834)),
            Item::Refused("the text is 70000 bytes,\nthe limit is 65536; shorten it".to_owned()),
            Item::Stored(warned),
        ];
        StoreBatchReply { items: items.map(|item| BatchItem { item: Some(item) }).to_vec() }
    }

    #[test]
    fn what_was_not_simply_stored_is_listed() {
        let held = Entry::HeldBack { earlier: 0, similarity: 0.75 };
        let entries = [Entry::Sent, held, Entry::Sent, Entry::Sent, Entry::Sent, Entry::Sent, Entry::Sent];
        let texts =
            [false, true].map(|verbose| super::batched(&Batched { entries: &entries, reply: &reply(), verbose }));
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn a_batch_without_surprises_is_one_line() {
        let items = vec![BatchItem { item: Some(Item::Stored(reply_with(StoreOutcome::Stored, 0.0))) }; 3];
        let reply = StoreBatchReply { items };
        let text = super::batched(&Batched { entries: &[Entry::Sent; 3], reply: &reply, verbose: false });
        assert_eq!(text, "3 stored");
    }
}
