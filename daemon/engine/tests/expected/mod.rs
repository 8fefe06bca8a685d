//! The model's knowledge of a strand's memories, and the result that it expects of every write.

use std::collections::{BTreeMap, BTreeSet};

use helix_memory::Status;
use proptest::prelude::*;

/// Topics that the steps use; few, so that they meet.
pub(crate) const TOPICS: [&str; 3] = ["alpha", "beta", "beta-two"];

/// Words that each belong to one text.
pub(crate) const WORDS: [&str; 6] = [
    "walrus", "kestrel", "tamarin", "ocelot", "pangolin", "axolotl",
];

/// The tag that the steps add and remove.
pub(crate) const TAG: &str = "edited";

/// One write. A place is that of a memory, counted around.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Store {
        topic: usize,
        word: usize,
        force: bool,
    },
    Forget {
        place: usize,
    },
    Append {
        place: usize,
        word: usize,
    },
    Revise {
        place: usize,
        word: usize,
    },
    Tag {
        place: usize,
        removes: bool,
    },
    Move {
        place: usize,
        topic: usize,
    },
    Pin {
        place: usize,
        pinned: bool,
    },
    Restore {
        place: usize,
    },
    Supersede {
        place: usize,
        by: usize,
    },
    Rename {
        topic: usize,
        to: usize,
    },
    MergeTopics {
        topic: usize,
        into: usize,
    },
    ForgetTopic {
        topic: usize,
    },
    MergeDuplicates {
        kept: usize,
        duplicate: usize,
    },
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    let place = || 0..64_usize;
    let topic = || 0..TOPICS.len();
    let word = || 0..WORDS.len();
    prop_oneof![
        8 => (topic(), word(), prop::bool::weighted(0.3))
            .prop_map(|(topic, word, force)| Change::Store { topic, word, force }),
        2 => place().prop_map(|place| Change::Forget { place }),
        2 => (place(), word()).prop_map(|(place, word)| Change::Append { place, word }),
        2 => (place(), word()).prop_map(|(place, word)| Change::Revise { place, word }),
        1 => (place(), any::<bool>()).prop_map(|(place, removes)| Change::Tag { place, removes }),
        2 => (place(), topic()).prop_map(|(place, topic)| Change::Move { place, topic }),
        1 => (place(), any::<bool>()).prop_map(|(place, pinned)| Change::Pin { place, pinned }),
        2 => place().prop_map(|place| Change::Restore { place }),
        1 => (place(), place()).prop_map(|(place, by)| Change::Supersede { place, by }),
        1 => (topic(), topic()).prop_map(|(topic, to)| Change::Rename { topic, to }),
        1 => (topic(), topic()).prop_map(|(topic, into)| Change::MergeTopics { topic, into }),
        1 => topic().prop_map(|topic| Change::ForgetTopic { topic }),
        1 => (place(), place()).prop_map(|(kept, duplicate)| Change::MergeDuplicates { kept, duplicate }),
    ]
}

/// A change with its places counted around; `None` when there is no memory that it could mean.
pub(crate) fn placed(change: Change, seen: usize) -> Option<Change> {
    let at = |place: usize| place.checked_rem(seen);
    Some(match change {
        Change::Forget { place } => Change::Forget { place: at(place)? },
        Change::Append { place, word } => Change::Append {
            place: at(place)?,
            word,
        },
        Change::Revise { place, word } => Change::Revise {
            place: at(place)?,
            word,
        },
        Change::Tag { place, removes } => Change::Tag {
            place: at(place)?,
            removes,
        },
        Change::Move { place, topic } => Change::Move {
            place: at(place)?,
            topic,
        },
        Change::Pin { place, pinned } => Change::Pin {
            place: at(place)?,
            pinned,
        },
        Change::Restore { place } => Change::Restore { place: at(place)? },
        Change::Supersede { place, by } => Change::Supersede {
            place: at(place)?,
            by: at(by)?,
        },
        Change::MergeDuplicates { kept, duplicate } => Change::MergeDuplicates {
            kept: at(kept)?,
            duplicate: at(duplicate)?,
        },
        Change::Store { .. }
        | Change::Rename { .. }
        | Change::MergeTopics { .. }
        | Change::ForgetTopic { .. } => change,
    })
}

/// The model's knowledge of a memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) topic: usize,
    pub(crate) text: String,
    pub(crate) tagged: bool,
    pub(crate) pinned: bool,
    pub(crate) status: Status,
    pub(crate) access_count: u64,
    /// The `access_count` that a reopened strand will know.
    pub(crate) saved_count: u64,
    pub(crate) handle: String,
    /// Every handle that it has or had before it was moved.
    pub(crate) names: BTreeSet<String>,
    /// The text that its vector in the file was made from.
    pub(crate) embedded: Option<String>,
    pub(crate) has_vector: bool,
    /// The operation that last changed it, counted by the model.
    pub(crate) version: u64,
}

impl Known {
    pub(crate) fn is_in_use(&self) -> bool {
        self.status != Status::Forgotten
    }

    fn set_text(&mut self, text: String) {
        self.has_vector &= self.text == text;
        self.text = text;
    }

    fn set_status(&mut self, status: Status) {
        self.has_vector &= status != Status::Forgotten;
        self.status = status;
    }
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) memories: BTreeMap<u32, Known>,
    pub(crate) tick: u64,
}

/// The result that the model expects of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    Stored(u32),
    Reinforced(u32),
    /// These memories, in order, and how many changed.
    Edited(Vec<u32>, usize),
    Refused,
    Done,
}

impl Model {
    pub(crate) fn active(&self) -> impl Iterator<Item = (u32, &Known)> {
        self.memories
            .iter()
            .filter(|(_, known)| known.status == Status::Active)
            .map(|(number, known)| (*number, known))
    }

    fn with_text(&self, text: &str) -> Option<u32> {
        self.active()
            .find(|(_, known)| known.text == text)
            .map(|(number, _)| number)
    }

    fn members(&self, topic: usize, is_wanted: impl Fn(&Known) -> bool) -> Vec<u32> {
        let members = self
            .memories
            .iter()
            .filter(|(_, known)| known.topic == topic && is_wanted(known));
        members.map(|(number, _)| *number).collect()
    }

    /// `change` names memories by number here.
    pub(crate) fn apply(&mut self, change: Change) -> Expected {
        match change {
            Change::Store { topic, word, force } => self.store(topic, word, force),
            Change::Rename { topic, to } => {
                if self.members(topic, Known::is_in_use).is_empty()
                    || !self.members(to, Known::is_in_use).is_empty()
                {
                    return Expected::Refused;
                }
                self.edit_all(self.members(topic, |_| true), |known| known.topic = to)
            }
            Change::MergeTopics { topic, into } => {
                if self.members(topic, Known::is_in_use).is_empty() {
                    return Expected::Refused;
                }
                self.edit_all(self.members(topic, |_| true), |known| known.topic = into)
            }
            Change::ForgetTopic { topic } => {
                if self.members(topic, Known::is_in_use).is_empty() {
                    return Expected::Refused;
                }
                let active = self.members(topic, |known| known.status == Status::Active);
                self.edit_all(active, |known| known.set_status(Status::Forgotten))
            }
            Change::MergeDuplicates { kept, duplicate } => {
                self.merge(number(kept), number(duplicate))
            }
            Change::Supersede { place, by } if place == by => Expected::Refused,
            Change::Forget { place }
            | Change::Append { place, .. }
            | Change::Revise { place, .. }
            | Change::Tag { place, .. }
            | Change::Move { place, .. }
            | Change::Pin { place, .. }
            | Change::Restore { place }
            | Change::Supersede { place, .. } => self.edit(number(place), change),
        }
    }

    fn store(&mut self, topic: usize, word: usize, force: bool) -> Expected {
        if let (Some(number), false) = (self.with_text(&text(word)), force) {
            let known = self.memories.get_mut(&number).unwrap();
            known.access_count += 1;
            known.saved_count = known.access_count;
            known.version += 1;
            return Expected::Reinforced(number);
        }
        let number = number(self.memories.len());
        let known = Known {
            topic,
            text: text(word),
            tagged: false,
            pinned: false,
            status: Status::Active,
            access_count: 0,
            saved_count: 0,
            handle: String::new(),
            names: BTreeSet::new(),
            embedded: None,
            has_vector: false,
            version: 0,
        };
        self.memories.insert(number, known);
        Expected::Stored(number)
    }

    fn edit(&mut self, number: u32, change: Change) -> Expected {
        let known = self.memories.get_mut(&number).unwrap();
        let before = known.clone();
        let always = matches!(
            change,
            Change::Forget { .. } | Change::Move { .. } | Change::Restore { .. }
        );
        if !always && !known.is_in_use() {
            return Expected::Refused;
        }
        match change {
            Change::Forget { .. } => known.set_status(Status::Forgotten),
            Change::Append { word, .. } => {
                known.set_text(format!("{}\nand {}", known.text, WORDS[word]));
            }
            Change::Revise { word, .. } => known.set_text(text(word)),
            Change::Tag { removes, .. } => known.tagged = !removes,
            Change::Move { topic, .. } => known.topic = topic,
            Change::Pin { pinned, .. } => known.pinned = pinned,
            Change::Restore { .. } => known.set_status(Status::Active),
            Change::Supersede { .. } => known.set_status(Status::Superseded),
            _ => unreachable!("not an edit of one memory"),
        }
        let changed = usize::from(*known != before);
        known.version += changed as u64;
        Expected::Edited(vec![number], changed)
    }

    fn edit_all(&mut self, numbers: Vec<u32>, edit: impl Fn(&mut Known)) -> Expected {
        let mut changed = Vec::new();
        for number in numbers {
            let known = self.memories.get_mut(&number).unwrap();
            let before = known.clone();
            edit(known);
            let differs = *known != before;
            known.version += u64::from(differs);
            // What was forgotten follows its topic, unseen.
            if differs && before.is_in_use() {
                changed.push(number);
            }
        }
        let count = changed.len();
        Expected::Edited(changed, count)
    }

    fn merge(&mut self, kept: u32, duplicate: u32) -> Expected {
        let is_active = |number: &u32| self.memories[number].status == Status::Active;
        if kept == duplicate || !is_active(&kept) || !is_active(&duplicate) {
            return Expected::Edited(Vec::new(), 0);
        }
        let other = self.memories[&duplicate].clone();
        let known = self.memories.get_mut(&kept).unwrap();
        let before = known.clone();
        known.tagged |= other.tagged;
        known.pinned |= other.pinned;
        known.access_count += other.access_count;
        known.saved_count = known.access_count;
        known.version += u64::from(*known != before);
        let superseded = self.memories.get_mut(&duplicate).unwrap();
        superseded.set_status(Status::Superseded);
        superseded.version += 1;
        Expected::Edited(vec![duplicate], 1)
    }

    pub(crate) fn reopen(&mut self) {
        for known in self.memories.values_mut() {
            known.access_count = known.saved_count;
            known.has_vector = known.is_in_use() && known.embedded.as_ref() == Some(&known.text);
        }
    }
}

pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap()
}

pub(crate) fn text(word: usize) -> String {
    format!(
        "the {} keeps its own place among all these shared words",
        WORDS[word]
    )
}
