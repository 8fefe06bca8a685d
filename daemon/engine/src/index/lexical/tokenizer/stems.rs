//! Stems, remembered for all threads: the same words come again and again, and stemming was a fifth of the time of storing.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{LazyLock, PoisonError, RwLock};

use compact_str::CompactString;
use hashbrown::DefaultHashBuilder;
use rust_stemmers::{Algorithm, Stemmer};

/// Parts of the memory, each with a lock of its own, so that threads seldom meet.
const SHARDS: usize = 16;

/// Words that a shard remembers; beyond it they are forgotten together. Some three megabytes when all are full.
const REMEMBERED_MAX: usize = 2_048;

type Shard = RwLock<HashMap<CompactString, CompactString, DefaultHashBuilder>>;

struct Stems {
    hasher: DefaultHashBuilder,
    stemmer: Stemmer,
    shards: [Shard; SHARDS],
}

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems {
    hasher: DefaultHashBuilder::default(),
    stemmer: Stemmer::create(Algorithm::English),
    shards: std::array::from_fn(|_| RwLock::default()),
});

/// Returns the English stem of a lowercased word.
pub(super) fn stem(word: &str) -> CompactString {
    let stems = &*STEMS;
    let Some(shard) =
        usize::try_from(stems.hasher.hash_one(word) >> 32).ok().and_then(|hash| stems.shards.get(hash % SHARDS))
    else {
        return CompactString::from(stems.stemmer.stem(word));
    };
    if let Some(stem) = shard.read().unwrap_or_else(PoisonError::into_inner).get(word) {
        return stem.clone();
    }
    let stem = CompactString::from(stems.stemmer.stem(word));
    let mut known = shard.write().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= REMEMBERED_MAX {
        known.clear();
    }
    known.insert(CompactString::new(word), stem.clone());
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_stem_is_the_stem() {
        let words: Vec<String> = (0..SHARDS * REMEMBERED_MAX + 10).map(|n| format!("running{n}")).collect();
        for word in words.iter().chain(&words) {
            assert_eq!(&*stem(word), &*Stemmer::create(Algorithm::English).stem(word));
        }
        assert_eq!(&*stem("running"), "run");
        assert_eq!(&*stem("running"), "run");
    }
}
