//! Finds known memories that a new text corrects: by words in common, decided by
//! `policy::consolidate`.

use helix_memory::{
    Memory, MemoryId, MemoryNumber, Particulars, Scope, Sequence, Statement, Status,
    TextStanding as Standing, Verdict, VerdictReason as Why, WordSet, consolidate, is_unspaced,
};

use super::statements::Compared;
use super::{RESEMBLE_CANDIDATES, ReadError, Strand, prefix_length};
use crate::index::catalog::{Catalog, Row};

/// Pairs of characters of writing without blanks that are looked up, at most.
const UNSPACED_MAX: usize = 40;

/// Words of a text, the rarest that any memory has, each of which makes a memory worth comparing
/// by itself, and how many memories it does that for.
const TELLING_WORDS: usize = 3;
const TELLING_CANDIDATES: usize = 4;

/// A memory that a new text corrects, or cannot stand beside.
#[derive(Clone, Debug)]
pub struct Correction {
    /// The memory as it was when this was decided.
    pub memory: Memory,
    /// The meaning of the new text for it.
    pub verdict: Verdict,
}

/// A memory that a new one takes the place of, or cannot stand beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrects {
    /// Its id: one that is stored by the same batch has no number yet.
    pub known: MemoryId,
    /// Hash of its text.
    pub text_hash: u64,
    /// The operation that changed it last when this was decided: it is not replaced if another one
    /// did meanwhile. `None` for one that is stored by the same batch.
    pub sequence: Option<Sequence>,
    /// Whether the new one takes its place; else both stand until somebody settles it.
    pub is_replaced: bool,
    /// Why.
    pub why: Why,
}

impl Strand {
    /// The active memories of the same scope that share a new text's rarest words, at most a few.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn neighbours(
        &self,
        text: &str,
        scope: &Scope,
        words: &WordSet,
    ) -> Result<Vec<MemoryNumber>, ReadError> {
        self.neighbours_among(text, scope, words, Status::Active)
    }

    /// The same among the memories of another status.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn neighbours_among(
        &self,
        text: &str,
        scope: &Scope,
        words: &WordSet,
        status: Status,
    ) -> Result<Vec<MemoryNumber>, ReadError> {
        self.candidates(text, scope, words, |_, row| row.status == status)
    }

    /// The same of certain statuses, of those that are wanted.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn neighbours_where(
        &self,
        text: &str,
        scope: &Scope,
        statuses: &[Status],
        is_wanted: impl Fn(MemoryNumber) -> bool,
    ) -> Result<Vec<MemoryNumber>, ReadError> {
        let words = WordSet::of(text);
        let is_wanted = |number, row: &Row| statuses.contains(&row.status) && is_wanted(number);
        self.candidates(text, scope, &words, is_wanted)
    }

    /// Reads of a new text's neighbours those that it may repeat, correct or extend: the others,
    /// nearly all, are told by what was read of their texts before. `words` are the new text's.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn concerned(
        &self,
        neighbours: &[MemoryNumber],
        new: &Statement,
        words: &WordSet,
    ) -> Result<Vec<Memory>, ReadError> {
        let compared = Compared::new(new, words);
        let hashed: Vec<(MemoryNumber, u64)> = {
            let catalog = self.catalog();
            let hashed = |&number: &MemoryNumber| Some((number, catalog.row(number)?.text_hash));
            neighbours.iter().filter_map(hashed).collect()
        };
        let may_concern = |(number, hash)| {
            let known = self.statements.known(hash);
            let is_of_none = known.is_some_and(|known| known.is_of_no_concern(&compared));
            (!is_of_none).then_some(number)
        };
        let wanted: Vec<MemoryNumber> = hashed.into_iter().filter_map(may_concern).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.memories(&wanted)?)
    }

    /// The memories that share most of a text's rarest words, and those that share one of its most
    /// telling words. The first alone would miss a statement about the same service among many of
    /// the same form about other services, which share more of the form.
    fn candidates(
        &self,
        text: &str,
        scope: &Scope,
        words: &WordSet,
        is_wanted: impl Fn(MemoryNumber, &Row) -> bool,
    ) -> Result<Vec<MemoryNumber>, ReadError> {
        let rare = self.lexical.rare_words(text)?;
        let alike = rare.rarest(looked_up(text, words));
        let wanted = |_: &Catalog, number, row: &Row| is_wanted(number, row);
        let mut found = self.similar_where(&alike, scope, RESEMBLE_CANDIDATES, wanted)?;
        for word in rare.rarest_known(TELLING_WORDS) {
            for number in self.similar_where(&word, scope, TELLING_CANDIDATES, wanted)? {
                if !found.contains(&number) {
                    found.push(number);
                }
            }
        }
        Ok(found)
    }

    /// Finds among a text's neighbours the one that it resembles most and that is about the same
    /// things, with its Jaccard similarity. `words` are the text's.
    #[must_use]
    pub fn near_duplicate<'m>(
        &self,
        text: &str,
        words: &WordSet,
        neighbours: impl IntoIterator<Item = &'m Memory> + Clone,
    ) -> Option<(Memory, f32)> {
        let is_same = |memory: &&Memory| WordSet::is_same_but_for_form(text, &memory.text);
        if let Some(same) = neighbours.clone().into_iter().find(is_same) {
            return Some((same.clone(), 1.0));
        }
        if words.len() < WordSet::TOKENS_MIN {
            return None;
        }
        let particulars = Particulars::of(text);
        let alike = |memory: &Memory| words.jaccard(&self.reading(&memory.text).words);
        neighbours
            .into_iter()
            .map(|memory| (memory, alike(memory)))
            .filter(|(_, similarity)| *similarity > WordSet::NEAR_DUPLICATE)
            .filter(|(memory, _)| {
                let known = Particulars::of(&memory.text);
                particulars.may_be_the_same(&known) && !particulars.is_turned_round(&known)
            })
            .max_by(|(_, one), (_, other)| one.total_cmp(other))
            .map(|(memory, similarity)| (memory.clone(), similarity))
    }

    /// Decides what a new text, read as a statement, means to known memories. `words` are the
    /// text's.
    #[must_use]
    pub fn corrections(
        &self,
        new: &Statement,
        standing: Standing,
        words: &WordSet,
        neighbours: &[Memory],
    ) -> Vec<Correction> {
        if neighbours.is_empty() {
            return Vec::new();
        }
        let compared = Compared::new(new, words);
        let mut corrections = Vec::new();
        for memory in neighbours {
            let known = self.reading(&memory.text);
            if known.may_be_corrected(&memory.text, &compared) {
                let known = known.statement(&memory.text);
                corrections.extend(Correction::of(known, new, memory, standing));
            }
        }
        corrections
    }
}

/// Rarest words of a text that are looked up. Writing without blanks is split into pairs of
/// characters, most of which a rewording changes.
fn looked_up(text: &str, words: &WordSet) -> usize {
    let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
    prefix_length(words.len()) + unspaced.min(UNSPACED_MAX)
}

impl Correction {
    /// Whether the new text takes the memory's place.
    #[must_use]
    pub fn replaces(&self) -> bool {
        matches!(self.verdict, Verdict::Supersedes(_))
    }

    /// The same correction as one that waits for somebody: none of the two takes the other's place.
    /// `None` where it corrects nothing.
    #[must_use]
    pub fn noted(self) -> Option<Self> {
        match self.verdict {
            Verdict::Supersedes(why) | Verdict::Contradicts(why) => Some(Self {
                verdict: Verdict::Contradicts(why),
                ..self
            }),
            Verdict::Apart | Verdict::Extends => None,
        }
    }

    /// Decides what a new statement means to a known memory; `None` where both stand.
    #[must_use]
    pub fn of(
        known: &Statement,
        new: &Statement,
        memory: &Memory,
        standing: Standing,
    ) -> Option<Self> {
        let verdict = consolidate::relate(known, new);
        let verdict = consolidate::allowed(verdict, memory, standing);
        let is_decided = verdict != Verdict::Apart;
        is_decided.then(|| Self {
            memory: memory.clone(),
            verdict,
        })
    }
}
