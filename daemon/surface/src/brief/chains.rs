//! Third pass: how a concept evolved. Within a topic, memories that share a dominant keyword,
//! oldest first.

use std::collections::BTreeMap;

use helix_memory::{Timestamp, Topic, WordSet};

use super::vocabulary::{Vocabulary, Words};

/// Fewest memories of a chain.
const MEMBERS_MIN: usize = 3;

/// Chains of one topic: the next ones would share ever less.
const CHAINS_PER_TOPIC_MAX: usize = 3;

/// Days that have to lie between a chain's first and its last memory.
const EVOLVES_DAYS: f64 = 1.0;

/// Size of a topic from which a word that most of its memories have names the topic and not one
/// thread in it.
const LARGE_TOPIC: usize = 12;

/// The pass's view of a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    pub(super) topic: &'a Topic,
    pub(super) words: &'a Words,
    pub(super) valid_from: Timestamp,
}

/// A thread in a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    /// The word that the members have in common.
    pub(super) keyword: String,
    /// Their positions, oldest first.
    pub(super) members: Vec<usize>,
}

/// Finds the threads of every topic, in the order of the topics' names; a memory is in one at most.
pub(super) fn threads(members: &[Member<'_>], vocabulary: &Vocabulary) -> Vec<Thread> {
    let mut topics: BTreeMap<&Topic, Vec<usize>> = BTreeMap::new();
    for (position, member) in members.iter().enumerate() {
        topics.entry(member.topic).or_default().push(position);
    }
    let mut threads = Vec::new();
    let mut counts = Counts {
        of_keyword: vec![(0, 0); vocabulary.len()],
        touched: Vec::new(),
    };
    for (topic, mut positions) in topics {
        positions.sort_by_key(|&at| members.get(at).map(|member| member.valid_from));
        threads.extend(threads_of_topic(
            topic,
            &positions,
            members,
            vocabulary,
            &mut counts,
        ));
    }
    threads
}

fn threads_of_topic(
    topic: &Topic,
    positions: &[usize],
    members: &[Member<'_>],
    vocabulary: &Vocabulary,
    counts: &mut Counts,
) -> Vec<Thread> {
    let most = if positions.len() < LARGE_TOPIC {
        positions.len()
    } else {
        positions.len() / 2
    };
    let own: Vec<u32> = WordSet::words(topic.as_str())
        .filter_map(|word| vocabulary.find(word))
        .collect();
    let mut free = positions.to_vec();
    let mut threads = Vec::new();
    while threads.len() < CHAINS_PER_TOPIC_MAX && free.len() >= MEMBERS_MIN {
        for member in free.iter().filter_map(|&at| members.get(at)) {
            counts.add(member.words);
        }
        let Some(keyword) = counts.take_dominant(&own, most, vocabulary) else {
            break;
        };
        let has_it = |&at: &usize| {
            members
                .get(at)
                .is_some_and(|member| has(member.words, keyword))
        };
        let (chained, rest): (Vec<usize>, Vec<usize>) = free.into_iter().partition(has_it);
        if has_evolved(&chained, members) {
            threads.push(Thread {
                keyword: vocabulary.keyword(keyword).to_owned(),
                members: chained,
            });
        }
        free = rest;
    }
    threads
}

/// Returns whether memories, the oldest first, may tell of one thing that changed: those of one go
/// tell of many things that are so.
fn has_evolved(chained: &[usize], members: &[Member<'_>]) -> bool {
    let mut members = chained.iter().filter_map(|&at| members.get(at));
    let ends = members.next().zip(members.next_back());
    ends.is_some_and(|(first, last)| first.valid_from.age_days(last.valid_from) >= EVOLVES_DAYS)
}

fn has(words: &Words, keyword: u32) -> bool {
    words
        .keywords
        .binary_search_by_key(&keyword, |(word, _)| *word)
        .is_ok()
}

/// How many members share each keyword, and with what weight. Room for all keywords, since a map of
/// them took as long as reading their texts.
struct Counts {
    of_keyword: Vec<(usize, usize)>,
    /// Those that are not zero.
    touched: Vec<u32>,
}

impl Counts {
    fn add(&mut self, words: &Words) {
        for &(keyword, in_headline) in &words.keywords {
            let Some((shared_by, weight)) = self.of_keyword.get_mut(keyword as usize) else {
                continue;
            };
            if *shared_by == 0 {
                self.touched.push(keyword);
            }
            *shared_by += 1;
            *weight += if in_headline { 2 } else { 1 };
        }
    }

    /// The keyword that most members share; one in a headline counts twice. Of equals the longest,
    /// then the first by letters. All counts are zero afterwards.
    fn take_dominant(&mut self, own: &[u32], most: usize, vocabulary: &Vocabulary) -> Option<u32> {
        let Self {
            of_keyword,
            touched,
        } = self;
        let counted = touched.drain(..).filter_map(|keyword| {
            let (shared_by, weight) = of_keyword.get_mut(keyword as usize).map(std::mem::take)?;
            let may_lead = (MEMBERS_MIN..=most).contains(&shared_by) && !own.contains(&keyword);
            may_lead.then_some((weight, keyword))
        });
        let text = |keyword| vocabulary.keyword(keyword);
        counted
            .max_by(|a, b| {
                a.0.cmp(&b.0)
                    .then_with(|| text(a.1).len().cmp(&text(b.1).len()))
                    .then_with(|| text(b.1).cmp(text(a.1)))
            })
            .map(|(_, keyword)| keyword)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::super::samples::days_ago;
    use super::*;

    fn threads_of(notes: &[(&str, &str, i64)]) -> Vec<(String, Vec<usize>)> {
        let (vocabulary, words) = Vocabulary::read(notes.iter().map(|(_, text, _)| *text));
        let topics: Vec<Topic> = notes
            .iter()
            .map(|(topic, _, _)| Topic::parse(topic).unwrap())
            .collect();
        let members: Vec<Member<'_>> = notes
            .iter()
            .zip(&topics)
            .zip(&words)
            .map(|(((_, _, days), topic), words)| Member {
                topic,
                words,
                valid_from: days_ago(*days),
            })
            .collect();
        threads(&members, &vocabulary)
            .into_iter()
            .map(|thread| (thread.keyword, thread.members))
            .collect()
    }

    #[test]
    fn three_memories_that_share_a_word_are_chained_by_time() {
        let notes = [
            ("index", "the tokenizer got stemming", 3),
            ("index", "a tokenizer splits camel case", 9),
            ("index", "CJK bigrams in the tokenizer", 6),
            ("index", "merging is off", 1),
        ];
        assert_eq!(
            threads_of(&notes),
            [("tokenizer".to_owned(), vec![1, 2, 0])]
        );
    }

    #[test]
    fn ordinary_subjects_chain_too() {
        for shared in ["api", "schema", "config", "security", "test"] {
            let texts = [
                format!("{shared} alpha"),
                format!("{shared}: beta"),
                format!("the {shared} of gamma"),
            ];
            let notes: Vec<(&str, &str, i64)> = texts
                .iter()
                .zip([3, 2, 1])
                .map(|(text, days)| ("web", text.as_str(), days))
                .collect();
            assert_eq!(threads_of(&notes), [(shared.to_owned(), vec![0, 1, 2])]);
        }
    }

    #[test]
    fn two_are_no_chain_and_topics_do_not_mix() {
        assert!(
            threads_of(&[
                ("a", "tokenizer one", 3),
                ("a", "tokenizer two", 2),
                ("b", "tokenizer three", 1)
            ])
            .is_empty()
        );
    }

    #[test]
    fn stop_words_short_words_and_the_topics_own_name_chain_nothing() {
        for shared in ["these", "io", "index", "42", "gotcha", "never"] {
            let texts = [
                format!("{shared} alpha"),
                format!("{shared} beta"),
                format!("{shared} gamma"),
            ];
            let notes: Vec<(&str, &str, i64)> = texts
                .iter()
                .zip(1..)
                .map(|(text, days)| ("index", text.as_str(), days))
                .collect();
            assert!(threads_of(&notes).is_empty(), "{shared}");
        }
    }

    #[test]
    fn what_was_said_on_one_day_is_no_chain() {
        let said = |days: [i64; 3]| {
            let texts = [
                "billing listens on 1",
                "search listens on 2",
                "mail listens on 3",
            ];
            let notes = texts
                .iter()
                .zip(days)
                .map(|(text, days)| ("ports", *text, days));
            threads_of(&notes.collect::<Vec<_>>()).len()
        };
        assert_eq!((said([5, 5, 5]), said([5, 5, 4])), (0, 1));
    }

    proptest! {
        #[test]
        fn chains_are_chronological_disjoint_and_long_enough(
            notes in prop::collection::vec(("[xy]", "((cat|dog|fox|owl|bee) ){0,4}", 0_i64..9), 0..30),
        ) {
            let borrowed: Vec<(&str, &str, i64)> =
                notes.iter().map(|(topic, text, days)| (topic.as_str(), text.as_str(), *days)).collect();
            let mut seen = std::collections::BTreeSet::new();
            for (keyword, members) in threads_of(&borrowed) {
                prop_assert!(members.len() >= MEMBERS_MIN);
                prop_assert!(members.is_sorted_by_key(|&at| -borrowed[at].2));
                prop_assert!(members.iter().all(|&at| borrowed[at].1.contains(&keyword)));
                prop_assert!(members.iter().all(|&at| borrowed[at].0 == borrowed[members[0]].0));
                prop_assert!(members.into_iter().all(|at| seen.insert(at)));
            }
        }
    }
}
