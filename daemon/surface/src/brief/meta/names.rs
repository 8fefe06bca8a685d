//! Names as small numbers, for rows that repeat few names many times.

use rustc_hash::FxHashMap;

/// Numbers names in the order in which they first come.
///
/// Rows borrow their names from one place each, so where a name stands is looked up before what it
/// says: that is a tenth of the time, and a name that stands in two places is still one.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    by_place: FxHashMap<(usize, usize), usize>,
    by_text: FxHashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// The number of a name; `None` for a new one when there are `max` already.
    pub(super) fn number(&mut self, name: &'a str, max: usize) -> Option<usize> {
        let place = (name.as_ptr().addr(), name.len());
        if let Some(&number) = self.by_place.get(&place) {
            return Some(number);
        }
        let next = self.by_text.len();
        let number = match self.by_text.get(name) {
            Some(&number) => number,
            None if next < max => *self.by_text.entry(name).or_insert(next),
            None => return None,
        };
        self.by_place.insert(place, number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_wherever_it_stands() {
        let (text, copy) = ("alpha-beta".to_owned(), "alpha".to_owned());
        let mut names = Names::default();
        let (alpha, beta) = text.split_once('-').unwrap_or_default();
        let numbers = [alpha, beta, &copy, &text, alpha, beta].map(|name| names.number(name, 2));
        assert_eq!(numbers, [Some(0), Some(1), Some(0), None, Some(0), Some(1)]);
    }
}
