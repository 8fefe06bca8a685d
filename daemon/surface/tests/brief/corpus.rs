//! The fixture corpus as memories: admitted, named and linked as a store would do it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use helix_memory::{
    Admitted, Draft, Handle, Kinds, Memory, MemoryId, MemoryNumber, Scope, Sequence, SourceRef,
    Timestamp,
};

/// When the corpus is read: a day after its last memory's week.
pub(crate) const NOW: Timestamp = Timestamp::from_micros(1_795_251_600_000_000);

/// A memory as the file has it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) topic: String,
    pub(crate) text: String,
    kind: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    pub(crate) source: Option<String>,
    confidence: Option<f32>,
    importance: Option<f32>,
    #[serde(default)]
    pub(crate) links: Vec<String>,
    pub(crate) at: String,
}

pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

pub(crate) fn entries() -> Vec<Entry> {
    let text =
        std::fs::read_to_string(repository().join("tests/fixtures/corpus/helix.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn time(at: &str) -> Timestamp {
    Timestamp::from_micros(at.parse::<jiff::Timestamp>().unwrap().as_microsecond())
}

pub(crate) fn memories() -> Vec<Memory> {
    let entries = entries();
    let mut handles = BTreeSet::new();
    let mut memories: Vec<Memory> = (0..)
        .zip(&entries)
        .map(|(at, entry)| memory(at, entry, &mut handles))
        .collect();
    let mut of_topic: BTreeMap<&str, Vec<MemoryId>> = BTreeMap::new();
    for (entry, memory) in entries.iter().zip(&memories) {
        of_topic.entry(&entry.topic).or_default().push(memory.id);
    }
    for (entry, memory) in entries.iter().zip(&mut memories) {
        memory.links = entry
            .links
            .iter()
            .map(|link| resolve(link, &of_topic))
            .collect();
    }
    memories
}

/// `topic:index`.
fn resolve(link: &str, of_topic: &BTreeMap<&str, Vec<MemoryId>>) -> MemoryId {
    let (topic, index) = link.rsplit_once(':').unwrap();
    of_topic[topic][index.parse::<usize>().unwrap()]
}

fn memory(number: u32, entry: &Entry, handles: &mut BTreeSet<Handle>) -> Memory {
    let draft = Draft {
        topic: entry.topic.clone(),
        text: entry.text.clone(),
        kind: entry.kind.clone(),
        tags: entry.tags.clone(),
        source: entry.source.as_deref().map(SourceRef::parse),
        importance: entry.importance,
        confidence: entry.confidence,
        ..Draft::default()
    };
    let admitted = Admitted::of(
        draft,
        &Scope::Project("helix".to_owned()),
        &Kinds::default(),
    )
    .unwrap();
    let propose = |attempt| Handle::propose(&admitted.topic, &admitted.text).numbered(attempt);
    let handle = (0..1_000)
        .map(propose)
        .find(|handle| !handles.contains(handle))
        .unwrap();
    handles.insert(handle.clone());
    let at = time(&entry.at);
    let mut entropy = [0; 10];
    entropy[..4].copy_from_slice(&number.to_be_bytes());
    let id = MemoryId::new(at, &entropy);
    Memory {
        sequence: Sequence(u64::from(number) + 1),
        ..admitted.into_memory(id, MemoryNumber(number), handle, at)
    }
}
