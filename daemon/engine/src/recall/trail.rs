//! The trail of one memory through a search: each stage that leaves memories out is asked whether
//! it is still there, so that the search itself says why a memory is not found.

use helix_memory::MemoryNumber;

use crate::index::filter::Cut;

/// A stage of a search that leaves memories out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    /// The filter, by this part of it.
    Filter(Cut),
    /// The lists by words and by meaning, which hold the best of what passes.
    Lists,
    /// Only what has all of the words was wanted.
    AllWords,
    /// What has none of the words needs this cosine.
    Floor(f32),
    /// Others have all of the words, and what has some and is not near is left out.
    SomeWords,
}

/// Follows one memory, or none.
pub(super) struct Trail {
    followed: Option<MemoryNumber>,
    lost: Option<Stage>,
}

impl Trail {
    /// Follows no memory, as every ordinary search.
    pub(super) const fn of_nobody() -> Self {
        Self {
            followed: None,
            lost: None,
        }
    }

    /// Follows a memory.
    pub(super) const fn of(number: MemoryNumber) -> Self {
        Self {
            followed: Some(number),
            lost: None,
        }
    }

    /// The stage that left the memory out first.
    pub(super) const fn lost(&self) -> Option<Stage> {
        self.lost
    }

    /// Learns which part of the filter leaves the memory out.
    pub(super) fn filter(&mut self, cut: impl FnOnce(MemoryNumber) -> Option<Cut>) {
        if let Some(number) = self.followed {
            self.lost = cut(number).map(Stage::Filter);
        }
    }

    /// Learns whether the memory is still there behind a stage.
    pub(super) fn stays(&mut self, stage: Stage, is_there: impl FnOnce(MemoryNumber) -> bool) {
        if let (Some(number), None) = (self.followed, self.lost)
            && !is_there(number)
        {
            self.lost = Some(stage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stage_that_loses_a_memory_is_named() {
        let mut trail = Trail::of(MemoryNumber(1));
        trail.filter(|_| None);
        trail.stays(Stage::Lists, |number| number == MemoryNumber(1));
        assert_eq!(trail.lost(), None);
        trail.stays(Stage::AllWords, |_| false);
        trail.stays(Stage::SomeWords, |_| false);
        assert_eq!(trail.lost(), Some(Stage::AllWords));
    }

    #[test]
    fn nobody_is_never_lost() {
        let mut trail = Trail::of_nobody();
        trail.filter(|_| Some(Cut::Topic));
        trail.stays(Stage::Lists, |_| false);
        assert_eq!(trail.lost(), None);
    }
}
