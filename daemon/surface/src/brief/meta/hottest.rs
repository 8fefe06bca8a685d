//! The hottest of many memories: each text once, and not all of one topic.

use helix_engine::Search;
use helix_memory::MemoryNumber;

use crate::brief::HOT_MAX;

/// Memories that are kept of a topic: enough when each of the others that are shown is a copy of
/// one of them.
const KEPT_PER_TOPIC: usize = Search::PER_TOPIC_FREE + HOT_MAX;

/// A memory that may be among them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hot {
    pub(super) heat: f32,
    pub(super) number: MemoryNumber,
    pub(super) text_hash: u64,
}

impl Hot {
    /// Returns whether it stands before another; of equals the one recorded later does.
    fn is_before(&self, other: &Self) -> bool {
        self.heat > other.heat || (self.heat >= other.heat && self.number > other.number)
    }
}

/// The hottest of each topic, without sorting them all.
#[derive(Default)]
pub(super) struct Hottest(Vec<Vec<Hot>>);

impl Hottest {
    /// Adds a memory of the topic with this number.
    pub(super) fn add(&mut self, topic: usize, hot: Hot) {
        if self.0.len() <= topic {
            self.0.resize_with(topic + 1, Vec::new);
        }
        let Some(kept) = self.0.get_mut(topic) else {
            return;
        };
        let at = kept.partition_point(|other| other.is_before(&hot));
        if at >= KEPT_PER_TOPIC
            || kept
                .iter()
                .take(at)
                .any(|before| before.text_hash == hot.text_hash)
        {
            return;
        }
        kept.insert(at, hot);
        let mut seen = 0;
        kept.retain(|one| {
            seen += usize::from(one.text_hash == hot.text_hash);
            one.text_hash != hot.text_hash || seen == 1
        });
        kept.truncate(KEPT_PER_TOPIC);
    }

    /// The hottest of all. Where the topics are few, the places that they leave are filled with
    /// what else is hot.
    pub(super) fn finish(self) -> Vec<MemoryNumber> {
        let topics = self.0.into_iter().enumerate();
        let mut all: Vec<(usize, Hot)> = topics
            .flat_map(|(topic, kept)| kept.into_iter().map(move |hot| (topic, hot)))
            .collect();
        all.sort_unstable_by(|(_, a), (_, b)| {
            b.heat.total_cmp(&a.heat).then(b.number.cmp(&a.number))
        });
        let mut chosen: Vec<(usize, usize, Hot)> = Vec::with_capacity(HOT_MAX);
        for most in [Search::PER_TOPIC_FREE, usize::MAX] {
            for (at, &(topic, hot)) in all.iter().enumerate() {
                if chosen.len() == HOT_MAX {
                    break;
                }
                let is_copy = chosen
                    .iter()
                    .any(|(_, _, one)| one.text_hash == hot.text_hash);
                if !is_copy && chosen.iter().filter(|(_, own, _)| *own == topic).count() < most {
                    chosen.push((at, topic, hot));
                }
            }
        }
        chosen.sort_unstable_by_key(|(at, ..)| *at);
        chosen.into_iter().map(|(.., hot)| hot.number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memories by topic, text and heat, numbered in their order.
    fn hottest(memories: &[(usize, u64, f32)]) -> Vec<u32> {
        let mut hottest = Hottest::default();
        for (number, &(topic, text_hash, heat)) in (0..).zip(memories) {
            hottest.add(
                topic,
                Hot {
                    heat,
                    number: MemoryNumber(number),
                    text_hash,
                },
            );
        }
        hottest
            .finish()
            .into_iter()
            .map(|number| number.0)
            .collect()
    }

    #[test]
    fn a_topic_leaves_room_for_others() {
        let of_one: Vec<(usize, u64, f32)> = (0..9_u8)
            .map(|at| (0, at.into(), 1.0 - f32::from(at) / 10.0))
            .collect();
        assert_eq!(hottest(&of_one), [0, 1, 2, 3, 4]);
        let others = [of_one.as_slice(), &[(1, 90, 0.1), (2, 91, 0.05)]].concat();
        assert_eq!(hottest(&others), [0, 1, 2, 9, 10]);
        let one_other = [of_one.as_slice(), &[(1, 90, 0.1)]].concat();
        assert_eq!(hottest(&one_other), [0, 1, 2, 3, 9]);
    }

    #[test]
    fn a_text_is_there_once() {
        // The hottest copy stands for all, wherever it is and whenever it comes.
        let copies = [
            (0, 7, 0.2),
            (0, 7, 0.9),
            (1, 7, 1.0),
            (1, 8, 0.5),
            (0, 9, 0.4),
            (0, 9, 0.4),
        ];
        assert_eq!(hottest(&copies), [2, 3, 5]);
        assert!(hottest(&[]).is_empty());
    }
}
