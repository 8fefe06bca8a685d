//! Drafts of one batch that resemble an earlier one of it: they are treated as what resembles a
//! stored memory is.

use std::collections::HashMap;

pub(super) use helix_memory::AlikeText as Alike;
use helix_memory::Texts;

use super::order::compared;
use super::prepare::Gathered;
use super::{How, Item, Stored};
use crate::Refusal;

/// The place of the earlier draft of the same scope that each one nearly repeats, by their words
/// alone.
pub(super) fn resembled(drafts: &[Result<Gathered, Refusal>]) -> Vec<Option<usize>> {
    let mut groups: HashMap<String, u32> = HashMap::new();
    let mut texts = Texts::default();
    let mut places = Vec::new();
    for (place, draft) in compared(drafts) {
        let next = u32::try_from(groups.len()).unwrap_or(u32::MAX);
        let scope = draft.admitted.scope.to_string();
        texts.push(*groups.entry(scope).or_insert(next), &draft.words);
        places.push(place);
    }
    let found = texts.earlier(|_, _| false, |_, _| false);
    let mut resembled = vec![None; drafts.len()];
    for (&place, alike) in places.iter().zip(found) {
        let earlier = alike.and_then(|alike| places.get(alike.earlier).copied());
        if let Some(slot) = resembled.get_mut(place) {
            *slot = earlier;
        }
    }
    resembled
}

/// The answer for a draft whose text an earlier one got.
pub(super) fn joined(earlier: usize, items: &[Item]) -> Item {
    match items.get(earlier) {
        Some(Item::Stored(stored)) => Item::Stored(Stored {
            how: How::Extended,
            warnings: vec!["it says all of an earlier entry of this batch, and more".to_owned()],
            ..Stored::duplicate(stored.memory.clone(), 1.0)
        }),
        Some(Item::Refused(_)) | None => Item::Refused(
            "it extends an earlier entry of this batch, which was refused; send it again"
                .to_owned(),
        ),
    }
}

/// The answer for a draft that was held back, from that of the draft it resembles.
pub(super) fn answer(alike: Alike, items: &[Item]) -> Item {
    let Alike {
        earlier,
        similarity,
    } = alike;
    match items.get(earlier) {
        Some(Item::Stored(stored)) => Item::Stored(Stored {
            warnings: vec!["it resembles an earlier entry of this batch".to_owned()],
            ..Stored::duplicate(stored.memory.clone(), similarity)
        }),
        Some(Item::Refused(_)) | None => Item::Refused(
            "it resembles an earlier entry of this batch, which was refused; send it again"
                .to_owned(),
        ),
    }
}
