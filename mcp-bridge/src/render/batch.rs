//! Outcome of a batch.

use helix_client::v1::batch_item::Item;
use helix_client::v1::{BatchItem, StoreBatchReply, StoreOutcome};

use super::pack::packed;
use super::store::stored;
use crate::clean;

/// The answer to a batch.
pub(crate) struct Batched<'a> {
    /// How many entries were sent.
    pub(crate) sent: usize,
    /// Outcome of each entry, in order.
    pub(crate) reply: &'a StoreBatchReply,
    /// True if to list those that were stored too.
    pub(crate) verbose: bool,
}

/// Outcome of one entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stored,
    Known,
    Alike,
    Refused,
}

/// Text of a reply to `batch`: how many of each, and each that was not simply stored.
pub(crate) fn batched(batched: &Batched<'_>) -> String {
    let fates: Vec<(Fate, String)> = (0..batched.sent)
        .map(|at| answered(batched.reply.items.get(at)))
        .collect();
    let is_shown = |fate: Fate, text: &str| {
        batched.verbose || fate != Fate::Stored || text.contains("\nnote: ")
    };
    let lines: Vec<String> = fates
        .iter()
        .enumerate()
        .filter(|(_, (fate, text))| is_shown(*fate, text))
        .map(|(at, (_, text))| format!("[{at}] {text}"))
        .collect();
    let list = packed(&lines, "\n", lines.len(), |missing| {
        format!("{missing} more; search finds what was stored")
    });
    [totals(&fates), list, advice(&fates)]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn answered(item: Option<&BatchItem>) -> (Fate, String) {
    match item.and_then(|item| item.item.as_ref()) {
        Some(Item::Stored(reply)) => {
            let fate = match reply.outcome() {
                StoreOutcome::Stored => Fate::Stored,
                StoreOutcome::Reinforced | StoreOutcome::Extended => Fate::Known,
                StoreOutcome::Duplicate => Fate::Alike,
                StoreOutcome::Unspecified => Fate::Refused,
            };
            (fate, stored(reply, true))
        }
        Some(Item::Refused(why)) => (Fate::Refused, format!("refused: {}", clean::line(why))),
        None => (
            Fate::Refused,
            "the daemon did not say what became of it; search for it".to_owned(),
        ),
    }
}

fn totals(fates: &[(Fate, String)]) -> String {
    let count = |wanted: Fate| fates.iter().filter(|(fate, _)| *fate == wanted).count();
    let others = [
        (Fate::Known, "known already"),
        (Fate::Alike, "near-duplicates not stored"),
        (Fate::Refused, "refused"),
    ];
    let others = others
        .map(|(fate, name)| (count(fate), name))
        .into_iter()
        .filter(|(count, _)| *count > 0);
    let others = others.map(|(count, name)| format!(", {count} {name}"));
    std::iter::once(format!("{} stored", count(Fate::Stored)))
        .chain(others)
        .collect()
}

fn advice(fates: &[(Fate, String)]) -> String {
    if fates.iter().any(|(fate, _)| *fate == Fate::Alike) {
        "Where a near-duplicate corrects or completes the other: edit action=revise topic=its handle text=… If both hold, send \
         it again with force=true."
            .to_owned()
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
        let mut alike = reply_with(StoreOutcome::Duplicate, 0.75);
        alike.warnings = vec!["it resembles an earlier entry of this batch".to_owned()];
        let items = [
            Item::Stored(reply_with(StoreOutcome::Stored, 0.0)),
            Item::Stored(reply_with(StoreOutcome::Reinforced, 1.0)),
            Item::Stored(reply_with(StoreOutcome::Duplicate, 0.834)),
            Item::Stored(alike),
            Item::Refused("the text is 70000 bytes,\nthe limit is 65536; shorten it".to_owned()),
            Item::Stored(warned),
        ];
        StoreBatchReply {
            items: items.map(|item| BatchItem { item: Some(item) }).to_vec(),
        }
    }

    #[test]
    fn what_was_not_simply_stored_is_listed() {
        let texts = [false, true].map(|verbose| {
            super::batched(&Batched {
                sent: 7,
                reply: &reply(),
                verbose,
            })
        });
        insta::assert_snapshot!(texts.join("\n---\n"));
    }

    #[test]
    fn a_batch_without_surprises_is_one_line() {
        let items = vec![
            BatchItem {
                item: Some(Item::Stored(reply_with(StoreOutcome::Stored, 0.0)))
            };
            3
        ];
        let reply = StoreBatchReply { items };
        let text = super::batched(&Batched {
            sent: 3,
            reply: &reply,
            verbose: false,
        });
        assert_eq!(text, "3 stored");
    }
}
