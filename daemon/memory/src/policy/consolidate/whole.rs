//! Wholeness of a supersession: the new statement takes the place of all that the known one says. A
//! change of one part of a list, one clause, or one sort of a thing leaves the rest as true as it
//! was.

use std::collections::BTreeSet;

use compact_str::CompactString;

use super::Why;
use super::rules::Rules;
use super::statement::{Part, Statement, is_number, part, specific};
use super::subject;
use crate::policy::resemble::is_unspaced;

/// The words of each part of a list and of each clause of a text; none where there is only one.
pub(super) fn pieces(text: &str, rules: &Rules) -> Vec<BTreeSet<CompactString>> {
    let mut ends = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        let behind = text.get(at + mark.len_utf8()..).unwrap_or_default();
        let is_end = match mark {
            '、' | '，' | '；' | '。' | '\n' => true,
            ',' | ';' | '.' | ':' => behind.starts_with(char::is_whitespace),
            mark if mark.is_whitespace() => {
                let next = behind.split_whitespace().next().unwrap_or_default();
                rules.joins(next)
            }
            mark => is_unspaced(mark) && rules.joins(mark.encode_utf8(&mut [0; 4])),
        };
        if is_end {
            ends.push(start..at);
            start = at;
        }
    }
    if ends.is_empty() {
        return Vec::new();
    }
    ends.push(start..text.len());
    let piece = |range| {
        let text = rules.before_occasion(text.get(range).unwrap_or_default());
        specific(&part(text, rules).words, rules)
    };
    let mut pieces: Vec<_> = ends.into_iter().map(piece).collect();
    pieces.retain(|words| !words.is_empty());
    if pieces.len() < 2 {
        return Vec::new();
    }
    pieces
}

/// Returns whether the new statement, which ends or changes something of the known one, speaks of
/// all that this one says, and of nothing more special.
pub(super) fn is_whole(known: &Statement, new: &Statement, why: Why, rules: &Rules) -> bool {
    let is_special = match why {
        Why::Ended => names_a_sort(known, new, rules),
        Why::Number => changes_many_numbers(known, new) || adds_an_end(known, new),
        Why::Value | Why::Negation | Why::Again => false,
    };
    let is_narrower = why != Why::Ended && subject::narrows(known, new, rules);
    let is_partial = subject::ends_differ(known, new) || leaves_pieces(known, new, why, rules);
    !(is_special || is_narrower || is_partial)
}

/// Returns whether the known text says more than what ended or changed: the part with that may have
/// words that the new text does not repeat, all others not.
fn leaves_pieces(known: &Statement, new: &Statement, why: Why, rules: &Rules) -> bool {
    let is_left = |piece: &&BTreeSet<CompactString>| {
        piece
            .iter()
            .any(|word| !new.has(word) && !known.verbs.contains(word))
    };
    let is_gone = |piece: &&BTreeSet<CompactString>| {
        let is_in_piece = |word: &CompactString| piece.contains(word) || rules.is_generic(word);
        let mut gone = new.departures.iter();
        why == Why::Ended && gone.any(|gone| gone.words.iter().all(is_in_piece))
    };
    let others = known.pieces.iter().filter(|piece| !is_gone(piece));
    let changed = usize::from(why != Why::Ended);
    others.filter(is_left).count() > changed
}

/// Returns whether what ended is a sort of what the known text names: `German dialects` of
/// `German`, but not `the Pillow library` of `Pillow`.
fn names_a_sort(known: &Statement, new: &Statement, rules: &Rules) -> bool {
    let is_of_known = |gone: &&Part| gone.words().any(|word| known.has(word));
    let mut gone = new.departures.iter().filter(is_of_known).peekable();
    let is_telling = |word: &str| !is_number(word) && !rules.is_generic(word);
    let is_sort = |gone: &Part| {
        gone.words()
            .any(|word| !known.has(word) && is_telling(word) && !new.verbs.contains(word))
    };
    !new.is_unspaced && gone.peek().is_some() && gone.all(is_sort)
}

/// Returns whether more than one number changed, so that one of them may tell which thing it is.
fn changes_many_numbers(known: &Statement, new: &Statement) -> bool {
    let own = known.names.iter();
    own.filter(|name| is_number(name) && !new.has(name)).count() > 1
}

/// Returns whether the new text says for or where it holds, which the known one does not.
fn adds_an_end(known: &Statement, new: &Statement) -> bool {
    let Some((_, there)) = &new.tail else {
        return false;
    };
    !new.claims.iter().any(|claim| claim.gives(there)) && there.iter().all(|word| !known.has(word))
}
