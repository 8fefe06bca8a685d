//! First pass: identical content is shown once.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use helix_memory::WordSet;
use rustc_hash::FxHashMap;

/// Groups texts that are equal but for their white space. The first of each group is the one to
/// show, so texts come best first; the others follow it. Groups keep the order of their firsts.
pub(super) fn groups<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Vec<usize>> {
    let mut group_of: FxHashMap<Cow<'a, str>, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (position, text) in texts.enumerate() {
        match group_of.entry(WordSet::fold_white_space(text)) {
            Entry::Occupied(known) => groups
                .get_mut(*known.get())
                .into_iter()
                .for_each(|group| group.push(position)),
            Entry::Vacant(new) => {
                new.insert(groups.len());
                groups.push(vec![position]);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_does_not_tell_texts_apart() {
        assert_eq!(
            groups(["a b", "c", " a\n b ", "ab"].into_iter()),
            [vec![0, 2], vec![1], vec![3]]
        );
        assert!(groups([].into_iter()).is_empty());
    }

    proptest! {
        #[test]
        fn every_text_is_in_one_group(texts in prop::collection::vec("[ab ]{0,4}", 0..40)) {
            let groups = groups(texts.iter().map(String::as_str));
            let mut positions: Vec<usize> = groups.iter().flatten().copied().collect();
            positions.sort_unstable();
            prop_assert!(positions.into_iter().eq(0..texts.len()));
            prop_assert!(groups.iter().all(|group| group.is_sorted()));
        }
    }
}
