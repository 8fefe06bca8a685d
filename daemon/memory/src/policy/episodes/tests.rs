#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    group: Vec<LabelledGroup>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelledGroup {
    is_repeated: bool,
    texts: Vec<String>,
}

fn labelled() -> Vec<LabelledGroup> {
    let labelled: Labelled = toml::from_str(include_str!("groups.toml")).unwrap();
    labelled.group
}

fn once(texts: &[String]) -> Vec<Episode> {
    texts.iter().map(|text| Episode::of(text, 1)).collect()
}

fn by_words(episodes: &[Episode]) -> Vec<Group> {
    repeated(episodes, |_, _| None)
}

#[test]
fn every_labelled_group_is_decided_as_its_label_says() {
    let wrong: Vec<_> = labelled()
        .into_iter()
        .filter(|group| {
            let found = by_words(&once(&group.texts));
            let is_whole =
                matches!(found.as_slice(), [one] if one.members.len() == group.texts.len());
            is_whole != group.is_repeated || (!group.is_repeated && !found.is_empty())
        })
        .map(|group| group.texts)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn groups_are_found_among_each_other() {
    let groups = labelled();
    let texts: Vec<String> = groups
        .iter()
        .flat_map(|group| group.texts.clone())
        .collect();
    let found = by_words(&once(&texts));
    let repeated = groups.iter().filter(|group| group.is_repeated);
    // One denies another group's event, and two of the same sort say the same as that group.
    let sizes: usize = repeated.clone().map(|group| group.texts.len()).sum();
    let members: usize = found.iter().map(|group| group.members.len()).sum();
    assert_eq!(found.len(), repeated.count());
    assert!(members >= sizes, "{found:?}");
}

#[test]
fn meaning_counts_only_where_nothing_sets_the_texts_apart() {
    let texts = [
        "The queue of the mailer fills up whenever the relay is slow.",
        "Whenever the relay is slow it fills up the queue that the mailer has.",
        "It is the slow relay which fills up the mailer queue every time.",
        "Whenever Postfix is slow it fills up the queue that the mailer has.",
    ]
    .map(str::to_owned);
    let episodes = once(&texts);
    assert!(by_words(&episodes).is_empty());
    let found = repeated(&episodes, |_, _| Some(MEANING_ALIKE));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].members, [0, 1, 2]);
    assert!(repeated(&episodes, |_, _| Some(MEANING_ALIKE - 0.01)).is_empty());
}

#[test]
fn one_text_that_was_told_often_is_a_group() {
    let text = "Had to activate the venv first, before pytest found the package.";
    let group = Group {
        centre: 0,
        members: vec![0],
        occasions: OCCASIONS_MIN,
    };
    assert_eq!(by_words(&[Episode::of(text, OCCASIONS_MIN)]), [group]);
    assert!(by_words(&[Episode::of(text, OCCASIONS_MIN - 1)]).is_empty());
}

proptest! {
    #[test]
    fn no_episode_is_in_two_groups(
        texts in prop::collection::vec("(a |b |c |d |e |f |g |h ){6,9}", 0..14),
    ) {
        let found = by_words(&once(&texts));
        let mut members: Vec<usize> = found.iter().flat_map(|group| group.members.clone()).collect();
        let count = members.len();
        members.sort_unstable();
        members.dedup();
        prop_assert_eq!(members.len(), count);
        for group in found {
            prop_assert!(group.members.contains(&group.centre));
            prop_assert!(group.occasions >= OCCASIONS_MIN);
        }
    }
}
