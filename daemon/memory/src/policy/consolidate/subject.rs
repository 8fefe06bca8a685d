//! Whether two statements are about two things, by the words before their verbs.

use std::collections::BTreeSet;

use compact_str::CompactString;

use super::rules::Rules;
use super::statement::{Statement, is_number};

/// Returns whether each of two statements has a subject that the other does not speak of, as in
/// `uploads go to S3` and `thumbnails go to S3`.
pub(super) fn is_another(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let (one, other) = (own(known, new), own(new, known));
    let is_telling = |words: &BTreeSet<&str>| words.iter().any(|word| !rules.is_generic(word));
    !one.is_empty() && !other.is_empty() && (is_telling(&one) || is_telling(&other))
}

/// Returns whether one statement is about a part or sort of what the other is about, as in `the API
/// listens` and `the admin API listens`. In writing without blanks any character may make the sort.
pub(super) fn is_narrower(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    if known.is_unspaced && new.is_unspaced {
        let (mut one, mut other) = (known.words.iter(), new.words.iter());
        return one.any(|word| !new.has(word) && !is_number(word))
            && other.any(|word| !known.has(word) && !is_number(word));
    }
    if known.subject.is_empty() || new.subject.is_empty() {
        return false;
    }
    narrows(known, new, rules) || narrows(new, known, rules)
}

/// Returns whether the new statement is about a part or sort of what the known one is about. Words
/// for what has ended make it no other thing.
pub(super) fn narrows(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let has_ended = |word: &str| {
        let mut gone = new.departures.iter();
        !new.is_unspaced && gone.any(|gone| gone.words.contains(word))
    };
    let own = own(new, known);
    let mut telling = own.iter().filter(|word| !rules.is_generic(word));
    (!known.subject.is_empty() || known.is_general) && telling.any(|word| !has_ended(word))
}

/// Returns whether two statements end with different things that they hold for, as in `runs at 03:00
/// on weekdays` and `runs at 05:00 on weekends`.
pub(super) fn is_elsewhere(known: &Statement, new: &Statement) -> bool {
    own_ends(known, new).is_some_and(|ends| ends.iter().all(|(own, all)| own == all))
}

/// Returns whether each of two statements ends with something that it holds for, of which the other
/// has not all: `for unknown users` and `for deleted users`.
pub(super) fn ends_differ(known: &Statement, new: &Statement) -> bool {
    own_ends(known, new).is_some_and(|ends| ends.iter().all(|(own, _)| *own > 0))
}

/// How many words of what each of two statements ends with the other has nowhere, and how many
/// there are; `None` where they do not end alike, or with a value.
fn own_ends(known: &Statement, new: &Statement) -> Option<[(usize, usize); 2]> {
    let ((one, at), (other, there)) = (known.tail.as_ref()?, new.tail.as_ref()?);
    let is_value = known.claims.iter().any(|claim| claim.gives(at))
        || new.claims.iter().any(|claim| claim.gives(there));
    if one != other || is_value {
        return None;
    }
    let is_gone =
        |word: &CompactString| new.departures.iter().any(|gone| gone.words.contains(word));
    let own_at = at.iter().filter(|word| !new.has(word) && !is_gone(word));
    let own_there = there.iter().filter(|word| !known.has(word));
    Some([(own_at.count(), at.len()), (own_there.count(), there.len())])
}

/// The words of a statement's subject that another statement has nowhere.
fn own<'s>(statement: &'s Statement, other: &Statement) -> BTreeSet<&'s str> {
    let words = statement.subject.iter().map(CompactString::as_str);
    words.filter(|word| !other.has(word)).collect()
}
