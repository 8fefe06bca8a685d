//! Answers that are known already: the same question is not paid for twice.
//!
//! In RAM alone. On disk it would be one more place that a purge has to reach; what was decided of
//! a pair or a transcript the daemon keeps itself.

use std::num::NonZeroUsize;

use helix_proto::provider::v1;
use lru::LruCache;

use crate::prompt::Prompt;

/// Answers that are kept: about 1 MB.
const ANSWERS_MAX: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The last answers.
#[derive(Debug)]
pub(crate) struct Cache(LruCache<blake3::Hash, v1::Answer>);

impl Default for Cache {
    fn default() -> Self {
        Self(LruCache::new(ANSWERS_MAX))
    }
}

impl Cache {
    /// Returns what was answered before.
    pub(crate) fn find(&mut self, prompt: &Prompt) -> Option<v1::Answer> {
        let known = self.0.get(&prompt.hash())?;
        Some(v1::Answer {
            cached: true,
            attempts: Vec::new(),
            ..known.clone()
        })
    }

    /// Keeps an answer.
    pub(crate) fn keep(&mut self, prompt: &Prompt, answer: &v1::Answer) {
        self.0.put(prompt.hash(), answer.clone());
    }
}
