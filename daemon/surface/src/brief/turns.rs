//! Which memories a list shows that has no room for all: topics take turns, so that the newest does
//! not fill it alone.

use rustc_hash::FxHashMap;

use super::Mention;

/// Share of the list's greatest heat from which a memory is hot enough to take its topic's turn:
/// what is a year old does not displace what is of today for the sake of another topic.
const HOT_FROM: f32 = 0.25;

/// The positions that get a place where there is room for `room`, hottest first; the hottest alone
/// where topics take no turns.
pub(super) fn places(mentions: &[Mention<'_>], takes_turns: bool, room: usize) -> Vec<usize> {
    let mut places = if takes_turns {
        by_turns(mentions)
    } else {
        (0..mentions.len()).collect()
    };
    places.truncate(room);
    places.sort_unstable();
    places
}

/// The positions of a list, hottest first, in the order in which they get a place: round by round
/// every topic's hottest that is left, then what is not hot, then what is superseded.
pub(super) fn by_turns(mentions: &[Mention<'_>]) -> Vec<usize> {
    let hottest = mentions
        .iter()
        .map(|mention| mention.heat)
        .fold(0.0, f32::max);
    let mut rounds: FxHashMap<&str, usize> = FxHashMap::default();
    let mut places: Vec<(bool, bool, usize, usize)> = Vec::with_capacity(mentions.len());
    for (at, mention) in mentions.iter().enumerate() {
        let is_hot = mention.heat >= hottest * HOT_FROM;
        if mention.is_superseded || !is_hot {
            places.push((mention.is_superseded, !is_hot, 0, at));
            continue;
        }
        let round = rounds.entry(mention.memory.topic.as_str()).or_default();
        *round += 1;
        places.push((false, false, *round, at));
    }
    places.sort_unstable();
    places.into_iter().map(|(.., at)| at).collect()
}

#[cfg(test)]
mod tests {
    use helix_memory::Memory;

    use super::super::samples::{aged, input, selected};
    use super::super::{Brief, Category, Detail, HOT_MAX, Input, compose, render};
    use super::*;

    /// Topics with so many memories each, the first one's the newest, no two alike.
    fn topics(sizes: &[(&str, i64, i64)]) -> Vec<Memory> {
        let memory = |topic: &str, number: i64, days: i64| {
            aged(topic, &format!("{topic}{number} w{number}"), days)
        };
        let of = |&(topic, size, days): &(&str, i64, i64)| {
            (0..size)
                .map(|number| memory(topic, number, days + number % 3))
                .collect::<Vec<_>>()
        };
        sizes.iter().flat_map(of).collect()
    }

    fn hot<'b>(brief: &'b Brief<'_>) -> Vec<&'b str> {
        brief
            .hot
            .iter()
            .map(|mention| mention.memory.topic.as_str())
            .collect()
    }

    fn count(text: &str, topic: &str) -> usize {
        text.matches(&format!("- [{topic}/")).count()
    }

    #[test]
    fn no_topic_takes_the_places_of_others() {
        let memories = topics(&[
            ("newest", 40, 0),
            ("newer", 40, 10),
            ("old", 40, 20),
            ("ancient", 40, 900),
        ]);
        let selected = selected(&memories);
        let brief = compose(&input(&selected));
        assert_eq!(hot(&brief), ["newest", "newest", "newer", "newer", "old"]);
        assert!(brief.hot.is_sorted_by(|a, b| a.heat >= b.heat));
        // In full, a category has fourteen lines and one that names the others.
        let full = render(&brief, Detail::Full, &jiff::tz::TimeZone::UTC);
        let shares = ["newest", "newer", "old", "ancient"].map(|topic| count(&full, topic));
        assert_eq!(shares, [5, 5, 4, 0], "{full}");
        let places = ["[newest/", "[newer/", "[old/"].map(|name| full.find(name));
        assert!(places.is_sorted(), "hottest first: {full}");
    }

    #[test]
    fn one_topic_or_a_querys_words_keep_the_hottest() {
        let memories = topics(&[("newest", 9, 0), ("newer", 9, 10)]);
        let all = selected(&memories);
        let brief = compose(&Input {
            query: "w1",
            ..input(&all)
        });
        let alone = selected(&memories[..9]);
        let one = compose(&input(&alone));
        for brief in [&brief, &one] {
            assert_eq!(brief.hot.len(), HOT_MAX);
            let hottest: Vec<_> = brief.sections[0]
                .items
                .iter()
                .take(HOT_MAX)
                .map(|item| item.mention.memory.id)
                .collect();
            assert_eq!(
                brief
                    .hot
                    .iter()
                    .map(|mention| mention.memory.id)
                    .collect::<Vec<_>>(),
                hottest
            );
        }
    }

    #[test]
    fn what_is_superseded_or_cold_waits() {
        let memories = topics(&[("a", 2, 0), ("b", 1, 0)]);
        let mention = |at: usize, heat: f32, is_superseded: bool| Mention {
            memory: &memories[at],
            category: Category::Untagged,
            heat,
            is_stale: false,
            moved_to: None,
            is_superseded,
            faded: 1.0,
            is_disputed: false,
        };
        let list = [
            mention(0, 1.0, true),
            mention(0, 0.9, false),
            mention(1, 0.8, false),
            mention(2, 0.1, false),
        ];
        assert_eq!(by_turns(&list), [1, 2, 3, 0]);
        let list = [
            mention(0, 1.0, false),
            mention(1, 0.8, false),
            mention(2, 0.5, false),
        ];
        assert_eq!(
            (by_turns(&list), places(&list, true, 2)),
            (vec![0, 2, 1], vec![0, 2])
        );
        assert!(by_turns(&[]).is_empty());
    }
}
