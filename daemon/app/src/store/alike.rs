//! Drafts of one batch that resemble an earlier one of it: they are treated as what resembles a
//! stored memory is.

use std::collections::HashMap;

pub(super) use helix_engine::AlikeText as Alike;
use helix_engine::{Admitted, Particulars};
use helix_engine::{Request, Texts, WordSet};

use super::prepare::Prepared;
use super::{Item, Stored};
use crate::Refusal;

/// Takes back what resembles an earlier draft that will be stored in the same scope. A batch has so
/// few drafts that even comparing each with each takes no longer than a commit.
pub(super) fn held_back(
    mut prepared: Vec<Result<Prepared, Refusal>>,
) -> Vec<Result<Prepared, Refusal>> {
    let mut groups: HashMap<String, u32> = HashMap::new();
    let mut texts = Texts::default();
    let mut hashes = Vec::new();
    let mut particulars = Vec::new();
    let mut places = Vec::new();
    for (place, (admitted, words)) in prepared
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((at, written(one)?)))
    {
        let next = u32::try_from(groups.len()).unwrap_or(u32::MAX);
        texts.push(
            *groups.entry(admitted.scope.to_string()).or_insert(next),
            words,
        );
        hashes.push(admitted.text_hash);
        particulars.push(Particulars::of(&admitted.text));
        places.push(place);
    }
    let are_apart = |one: usize, other: usize| {
        particulars
            .get(one)
            .zip(particulars.get(other))
            .is_some_and(|(one, other)| one.are_apart(other))
    };
    let found = texts.earlier(|one, other| hashes.get(one) == hashes.get(other), are_apart);
    for (&place, alike) in places.iter().zip(found) {
        let earlier = alike.and_then(|alike| Some((*places.get(alike.earlier)?, alike.similarity)));
        if let (Some((earlier, similarity)), Some(slot)) = (earlier, prepared.get_mut(place)) {
            *slot = Ok(Prepared::Alike(Alike {
                earlier,
                similarity,
            }));
        }
    }
    prepared
}

fn written(prepared: &Result<Prepared, Refusal>) -> Option<(&Admitted, &WordSet)> {
    match prepared {
        Ok(Prepared::Write {
            request: Request::Store { admitted, .. },
            words,
            ..
        }) => Some((admitted, words)),
        Ok(
            Prepared::Write { .. }
            | Prepared::Extend { .. }
            | Prepared::Duplicate { .. }
            | Prepared::Alike(_),
        )
        | Err(_) => None,
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
