//! `Metrics` as the wire has it.

use helix_app::metrics::Day;
use helix_app::overseen::Overseen;
use helix_proto::v1;

use super::health::{embedder, index, job};

/// Writes what was done, and how the parts fare.
pub(crate) fn answer(overseen: Overseen) -> v1::MetricsReply {
    let Overseen {
        days,
        conflicts_open,
        indexes,
        embedder: embedding,
        jobs,
        store_bytes,
        sequence,
    } = overseen;
    v1::MetricsReply {
        days: days.into_iter().map(day).collect(),
        conflicts_open: conflicts_open as u64,
        indexes: indexes.into_iter().map(index).collect(),
        embedder: Some(embedder(embedding)),
        jobs: jobs.into_iter().map(job).collect(),
        store_bytes,
        sequence: sequence.0,
    }
}

fn day(day: Day) -> v1::MetricsDay {
    v1::MetricsDay {
        recalls: day.recall_count(),
        recall_bars: day.recalls.to_vec(),
        recall_p50_us: day.quantile_us(500),
        recall_p95_us: day.quantile_us(950),
        recall_p99_us: day.quantile_us(990),
        date: day.date,
        counts: day
            .counts
            .into_iter()
            .map(|(name, count)| v1::NamedCount { name, count })
            .collect(),
    }
}
