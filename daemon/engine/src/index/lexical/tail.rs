//! The tail: what was stored since the last commit, inverted in RAM and searched beside the
//! committed index.
//!
//! Invariants: a number has at most one living slot in a generation; every number the generation
//! touched is masked, so that older versions, committed or in an older generation, are hidden;
//! postings of dead slots stay until the flush.

mod linked;
mod postings;
mod prepared;

use std::sync::Arc;

use super::fields::{Document, SCORED_FIELDS};
use super::numbers::{NumberMap, NumberSet};
use super::query::{LexicalQuery, Mode};
use super::statistics::{Frequencies, Statistics, Totals, kept_length, saturation};
pub use linked::Linked;
use postings::{Posting, Postings};
use prepared::Kept;
pub use prepared::Prepared;

/// The memories stored between two flushes.
#[derive(Debug, Default)]
pub(super) struct Generation {
    /// By slot, in the order stored; dead slots are empty.
    slots: Vec<Option<(u32, Kept)>>,
    living: NumberMap<u32>,
    postings: Postings,
    masked: Arc<NumberSet>,
    totals: Totals,
    text_bytes: usize,
    last_sequence: u64,
}

impl Generation {
    pub(super) fn upsert(&mut self, sequence: u64, number: u32, prepared: Prepared) {
        let Prepared { kept, occurrences } = prepared;
        self.hide(sequence, number);
        // A generation is flushed at thousands of slots, so they always fit.
        let Ok(slot) = u32::try_from(self.slots.len()) else {
            return;
        };
        self.totals = self.totals.plus(totals_of(&kept));
        self.text_bytes += kept.text.len();
        self.postings.link(slot, &kept, &occurrences);
        self.living.insert(number, slot);
        self.slots.push(Some((number, kept)));
    }

    /// Takes in memories that were linked among themselves. `placed` says under which sequence and
    /// number each was stored; those that were not are left out.
    pub(super) fn absorb(&mut self, linked: Linked, placed: &[Option<(u64, u32)>]) {
        let Linked { kept, postings } = linked;
        // As above, they always fit.
        let Ok(first_slot) = u32::try_from(self.slots.len()) else {
            return;
        };
        self.postings.absorb(postings, first_slot);
        for (slot, (kept, placed)) in (first_slot..).zip(kept.into_iter().zip(placed)) {
            let Some((sequence, number)) = *placed else {
                self.slots.push(None);
                continue;
            };
            self.hide(sequence, number);
            self.totals = self.totals.plus(totals_of(&kept));
            self.text_bytes += kept.text.len();
            self.living.insert(number, slot);
            self.slots.push(Some((number, kept)));
        }
    }

    /// Hides every version of a number, older ones elsewhere and one in this generation.
    pub(super) fn hide(&mut self, sequence: u64, number: u32) {
        self.last_sequence = self.last_sequence.max(sequence);
        // Copies the set only when a search still looks at it.
        Arc::make_mut(&mut self.masked).insert(number);
        let slot = self
            .living
            .remove(&number)
            .and_then(|slot| self.slots.get_mut(slot as usize));
        if let Some((_, kept)) = slot.and_then(Option::take) {
            self.totals = self.totals.minus(totals_of(&kept));
        }
    }

    /// Tells whether nothing happened since the last flush.
    pub(super) fn is_empty(&self) -> bool {
        self.masked.is_empty()
    }

    /// How many memories live here.
    pub(super) fn len(&self) -> usize {
        self.living.len()
    }

    /// How many slots and masks there are to search and to commit, dead ones too.
    pub(super) fn weight(&self) -> usize {
        self.slots.len().max(self.masked.len())
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    pub(super) fn last_sequence(&self) -> u64 {
        self.last_sequence
    }

    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    pub(super) fn masked(&self) -> &Arc<NumberSet> {
        &self.masked
    }

    /// Tells whether a number lives here.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.living.contains_key(&number)
    }

    /// The living numbers, in no order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.living.keys().copied()
    }

    /// The living documents, in the order stored.
    pub(super) fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        self.slots.iter().flatten().map(|(number, kept)| Document {
            number: *number,
            text: &kept.text,
            topic: &kept.topic,
            tags: &kept.tags,
            source: kept.source.as_deref(),
        })
    }

    /// Counts in how many living memories a token occurs, for each field.
    pub(super) fn frequencies(&self, token: &str) -> Frequencies {
        // Without dead slots every posting counts.
        if self.living.len() == self.slots.len() {
            return self.counts(token);
        }
        let mut frequencies = [0; SCORED_FIELDS];
        for posting in self.alive(token) {
            if let Some(frequency) = frequencies.get_mut(usize::from(posting.place)) {
                *frequency += 1;
            }
        }
        frequencies
    }

    /// The same, with those that were replaced or removed.
    fn counts(&self, token: &str) -> Frequencies {
        self.postings.counts(token).map(u64::from)
    }

    fn alive(&self, token: &str) -> impl Iterator<Item = &Posting> {
        self.postings
            .of(token)
            .filter(|posting| matches!(self.slots.get(posting.slot as usize), Some(Some(_))))
    }

    /// Calls `found` with the number and the score of every living memory that the query finds.
    pub(super) fn search(
        &self,
        query: &LexicalQuery,
        statistics: &Statistics<'_>,
        mut found: impl FnMut(u32, f32),
    ) {
        if self.living.is_empty() {
            return;
        }
        let (scores, met) = self.score(query, statistics);
        let demanded = demand(query);
        for ((kept, score), met) in self.slots.iter().zip(scores).zip(met) {
            let Some((number, _)) = kept else { continue };
            let is_hit = match query.mode() {
                Mode::All => met == demanded,
                Mode::Any => score > 0.0,
            };
            if is_hit {
                found(*number, score);
            }
        }
    }

    /// Scores every slot, and notes in a bit each which required terms it meets.
    fn score(&self, query: &LexicalQuery, statistics: &Statistics<'_>) -> (Vec<f32>, Vec<u64>) {
        let averages = statistics.average_lengths();
        let mut scores = vec![0.0; self.slots.len()];
        let mut met = vec![0; self.slots.len()];
        let bits = bits(query);
        for ((term, weights), bit) in query.terms().iter().zip(statistics.weights()).zip(bits) {
            for posting in self.alive(&term.token) {
                let (slot, place) = (posting.slot as usize, usize::from(posting.place));
                scores[slot] += weights[place]
                    * saturation(posting.frequency, posting.length_id, averages[place]);
                met[slot] |= bit;
            }
        }
        (scores, met)
    }
}

/// One bit for each required term, in the query's order; nothing for the others. A query has at
/// most 64 terms.
fn bits(query: &LexicalQuery) -> impl Iterator<Item = u64> {
    query
        .terms()
        .iter()
        .enumerate()
        .map(|(at, term)| if term.required { 1 << at } else { 0 })
}

fn demand(query: &LexicalQuery) -> u64 {
    bits(query).fold(0, |all, bit| all | bit)
}

fn totals_of(kept: &Kept) -> Totals {
    Totals {
        documents: 1,
        tokens: kept.tokens.map(kept_length),
    }
}
