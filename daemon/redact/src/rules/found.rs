//! Secrets that rules found in a text.

use std::ops::Range;

/// A secret's place in a text, and the rule that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found<'r> {
    pub(crate) range: Range<usize>,
    pub(crate) rule: &'r str,
}

impl<'r> Found<'r> {
    pub(crate) fn new(range: Range<usize>, rule: &'r str) -> Self {
        Self { range, rule }
    }
}

/// Puts secrets in order and joins those that overlap. A joined one has the name of the rule that
/// found its part first: shapes say more than places, and places more than names.
pub(super) fn merged(found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    let mut ranked: Vec<(usize, Found<'_>)> = found.into_iter().enumerate().collect();
    ranked.retain(|(_, found)| !found.range.is_empty());
    ranked.sort_by_key(|(_, found)| found.range.start);
    let mut merged: Vec<(usize, Found<'_>)> = Vec::with_capacity(ranked.len());
    for (rank, next) in ranked {
        match merged.last_mut() {
            Some((first, last)) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                if rank < *first {
                    *first = rank;
                    last.rule = next.rule;
                }
            }
            _ => merged.push((rank, next)),
        }
    }
    merged.into_iter().map(|(_, found)| found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_that_overlap_are_one() {
        let of = |range, rule| Found::new(range, rule);
        let found = vec![
            of(7..12, "b"),
            of(0..3, "a"),
            of(5..9, "c"),
            of(3..3, "d"),
            of(12..14, "e"),
        ];
        let expected = [of(0..3, "a"), of(5..12, "b"), of(12..14, "e")];
        assert_eq!(merged(found), expected);
    }
}
