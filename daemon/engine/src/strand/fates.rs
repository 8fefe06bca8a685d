//! Which memories are to be archived, to expire or to be pruned.

use std::collections::HashMap;

use helix_memory::{Due, Fading, Kind, Life, MemoryNumber, Sequence, Status, Timestamp, lifecycle};

use super::Strand;
use crate::index::catalog::{Catalog, Row};
use crate::store::StoreError;

/// A memory whose next step is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fate {
    /// Which.
    pub number: MemoryNumber,
    /// The operation that changed it last when this was found out.
    pub sequence: Sequence,
    /// The step, and since when there is a reason for it.
    pub due: Due,
    /// Its confidence now, after fading.
    pub confidence: f32,
}

/// The half-life of a kind, and whether memories of it expire.
#[derive(Clone, Copy)]
struct Pace {
    half_life_days: Option<f64>,
    is_scratch: bool,
}

impl Strand {
    /// The memories whose next step is due by a time, those that waited longest first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn fates(&self, now: Timestamp) -> Result<Vec<Fate>, StoreError> {
        let lives = self.lives();
        let snapshot = self.snapshot()?;
        let mut fates = Vec::new();
        for (number, sequence, mut life) in lives {
            if life.status == Status::Archived {
                // What is not known to be old enough waits.
                life.changed_at = snapshot.time_of(sequence)?.unwrap_or(now);
            }
            if let Some(due) = lifecycle::due(&life, now) {
                fates.push(Fate {
                    number,
                    sequence,
                    due,
                    confidence: life.fading.confidence_at(now),
                });
            }
        }
        fates.sort_by_key(|fate| (fate.due.at, fate.number));
        Ok(fates)
    }

    /// The memories that have a next step at all. Of those that are archived it is not said when
    /// they were.
    fn lives(&self) -> Vec<(MemoryNumber, Sequence, Life)> {
        let catalog = self.catalog();
        let mut paces: HashMap<u32, Pace> = HashMap::new();
        let mut lives = Vec::new();
        for (number, row) in catalog.rows() {
            let pace = *paces
                .entry(row.kind)
                .or_insert_with(|| self.pace(&catalog, row));
            let life = life_of(row, pace, catalog.graph().centrality(number));
            if lifecycle::next(&life).is_some() && !catalog.is_scratch(number) {
                lives.push((number, row.sequence, life));
            }
        }
        lives
    }

    fn pace(&self, catalog: &Catalog, row: &Row) -> Pace {
        let kind = catalog.kind_of(row);
        let spec = self.kinds().spec(&Kind::from_stored(kind));
        Pace {
            half_life_days: spec.and_then(|spec| spec.half_life_days),
            is_scratch: lifecycle::expires(kind),
        }
    }
}

fn life_of(row: &Row, pace: Pace, centrality: f32) -> Life {
    Life {
        status: row.status,
        fading: Fading {
            confidence: row.confidence,
            half_life_days: pace.half_life_days,
            pinned: row.pinned,
            access_count: row.access_count,
            centrality,
            seen_at: row.last_seen_at.max(row.valid_from),
        },
        is_scratch: pace.is_scratch,
        changed_at: row.last_seen_at,
    }
}
