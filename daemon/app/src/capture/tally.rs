//! Counts of what was read and kept, and the words for them.

use std::collections::BTreeMap;

/// Kinds with the words for one and for several of them, in the order in which they are told.
const WORDS: [(&str, &str, &str); 8] = [
    ("decision", "decision", "decisions"),
    ("bug_fix", "fix", "fixes"),
    ("preference", "preference", "preferences"),
    ("convention", "convention", "conventions"),
    ("gotcha", "gotcha", "gotchas"),
    ("procedure", "procedure", "procedures"),
    ("pattern", "pattern", "patterns"),
    ("fact", "fact", "facts"),
];

/// Counts of one run, or of all runs of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Sessions of which anything was read; commits where a history was.
    pub sessions: u64,
    /// Facts that were kept, by kind.
    pub kept: BTreeMap<String, u64>,
    /// Facts that were known or wait in the review already.
    pub known: u64,
    /// Facts that somebody forgot or rejected before.
    pub forgotten: u64,
    /// Facts beyond the limit of a session, which were not kept.
    pub left_out: u64,
    /// Slices that were judged, and those of them that were dropped.
    pub slices: u64,
    /// See [`Self::slices`].
    pub dropped: u64,
    /// Records that could not be read.
    pub unreadable: u64,
}

impl Tally {
    /// Facts that were kept.
    #[must_use]
    pub fn kept_count(&self) -> u64 {
        self.kept.values().sum()
    }

    /// Counts one fact that was kept.
    pub fn keep(&mut self, kind: &str) {
        *self.kept.entry(kind.to_owned()).or_default() += 1;
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        for (kind, count) in &other.kept {
            *self.kept.entry(kind.clone()).or_default() += count;
        }
        self.sessions += other.sessions;
        self.known += other.known;
        self.forgotten += other.forgotten;
        self.left_out += other.left_out;
        self.slices += other.slices;
        self.dropped += other.dropped;
        self.unreadable += other.unreadable;
    }

    /// Returns what was kept, in words: `12 decisions, 9 fixes`. Empty where nothing was.
    #[must_use]
    pub fn words(&self) -> String {
        let known = WORDS.iter().filter_map(|(kind, one, several)| {
            let count = *self.kept.get(*kind)?;
            Some(format!(
                "{count} {}",
                if count == 1 { one } else { several }
            ))
        });
        let is_other = |kind: &&String| !WORDS.iter().any(|(known, ..)| known == kind);
        let others = self.kept.keys().filter(is_other).filter_map(|kind| {
            let count = self.kept.get(kind)?;
            Some(format!("{count} of kind {kind}"))
        });
        known.chain(others).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_said_in_words() {
        let mut tally = Tally::default();
        assert_eq!(tally.words(), "");
        for kind in ["bug_fix", "decision", "recipe", "decision"] {
            tally.keep(kind);
        }
        assert_eq!(tally.words(), "2 decisions, 1 fix, 1 of kind recipe");
        assert_eq!(tally.kept_count(), 4);
    }

    #[test]
    fn runs_add_up() {
        let mut one = Tally {
            sessions: 1,
            slices: 10,
            dropped: 9,
            ..Tally::default()
        };
        one.keep("fact");
        let mut sum = one.clone();
        sum.add(&one);
        assert_eq!((sum.sessions, sum.slices, sum.dropped), (2, 20, 18));
        assert_eq!(sum.words(), "2 facts");
    }
}
