//! Memories that fade, backups, and what was done day by day.

use helix_client::v1::{Backup, Fate, JobRun, MetricsDay, MetricsReply};

use super::capture::percent;
use super::status::{index_header, index_row, size};
use super::table::{Field, rows};
use crate::screen::{Look, Paint};
use crate::text::one_line;
use crate::time::{day, minute, span};

/// Writes what is due for which memory.
pub(crate) fn fates(look: Look, fates: &[Fate]) -> String {
    let row = |fate: &Fate| {
        vec![
            Field::from(one_line(&fate.step)),
            Field::painted(Paint::Name, one_line(&fate.handle)),
            one_line(&fate.kind).into(),
            one_line(&fate.scope).into(),
            day(fate.due_us).into(),
            format!("{}, since {}", one_line(&fate.reason), day(fate.since_us)).into(),
        ]
    };
    let header: &[&str] = &["step", "memory", "kind", "scope", "due", "why"];
    let header = if look.table_width.is_some() {
        header
    } else {
        &[]
    };
    rows(look, header, fates.iter().map(row).collect())
}

/// Writes backups.
pub(crate) fn backups(look: Look, backups: &[Backup]) -> String {
    let row = |backup: &Backup| {
        vec![
            Field::painted(Paint::Name, one_line(&backup.path)),
            minute(backup.made_at_us).into(),
            size(backup.bytes).into(),
            kept(backup).into(),
        ]
    };
    let header: &[&str] = &["backup", "made", "size", "holds"];
    let header = if look.table_width.is_some() {
        header
    } else {
        &[]
    };
    rows(look, header, backups.iter().map(row).collect())
}

/// Describes a backup's content.
fn kept(backup: &Backup) -> String {
    if backup.sequence == 0 {
        let daily = if backup.is_daily { "daily" } else { "" };
        return daily.to_owned();
    }
    let newer = match backup.newer_operations {
        Some(0) => "nothing newer".to_owned(),
        Some(newer) => format!("{newer} newer since"),
        None => "another store".to_owned(),
    };
    format!(
        "{} memories, sequence {}, {newer}",
        backup.memories, backup.sequence
    )
}

/// One job and its last run.
pub(super) fn job_row(look: Look, job: &JobRun, now_us: i64) -> Vec<Field> {
    let ago = span(now_us.saturating_sub(job.at_us));
    let outcome = one_line(&job.outcome);
    let outcome = if job.has_failed {
        Field::painted(Paint::Bad, outcome)
    } else {
        outcome.into()
    };
    let fields = vec![
        one_line(&job.job).into(),
        format!("{ago} ago").into(),
        format!("{} ms", job.took_us.div_ceil(1_000)).into(),
        outcome,
    ];
    if look.table_width.is_some() {
        fields
    } else {
        [Field::from("job")].into_iter().chain(fields).collect()
    }
}

/// The columns of [`job_row`].
pub(super) fn job_header(look: Look) -> &'static [&'static str] {
    if look.table_width.is_some() {
        &["job", "last run", "took", "outcome"]
    } else {
        &[]
    }
}

/// Writes what was done on the last days, and how the parts fare.
pub(crate) fn metrics(look: Look, reply: &MetricsReply, now_us: i64) -> String {
    let header: &[&str] = &["day", "recalls", "p50", "p95", "p99", "counted"];
    let header = if look.table_width.is_some() {
        header
    } else {
        &[]
    };
    let days = rows(look, header, reply.days.iter().map(day_row).collect());
    let pending = reply.embedder.as_ref().map_or(0, |one| one.pending);
    let fact = |name: &str, value: String| vec![Field::painted(Paint::Faint, name), value.into()];
    let (judged, dropped) = (
        total(reply, "slices-judged"),
        total(reply, "slices-dropped"),
    );
    let gate = (judged > 0).then(|| {
        let share = percent(dropped, judged);
        fact(
            "capture gate",
            format!("dropped {share} of {judged} slices"),
        )
    });
    let facts = vec![
        fact("conflicts open", reply.conflicts_open.to_string()),
        fact("embedding queue", pending.to_string()),
        fact(
            "store",
            format!("{}, sequence {}", size(reply.store_bytes), reply.sequence),
        ),
    ];
    let indexes = reply.indexes.iter().map(|index| index_row(look, index));
    let jobs = reply.jobs.iter().map(|job| job_row(look, job, now_us));
    days + &rows(look, &[], facts.into_iter().chain(gate).collect())
        + &rows(look, index_header(look), indexes.collect())
        + &rows(look, job_header(look), jobs.collect())
}

/// A count of all days that are told.
fn total(reply: &MetricsReply, name: &str) -> u64 {
    let counts = reply.days.iter().flat_map(|day| &day.counts);
    counts
        .filter(|count| count.name == name)
        .map(|count| count.count)
        .sum()
}

fn day_row(day: &MetricsDay) -> Vec<Field> {
    let counts: Vec<String> = day
        .counts
        .iter()
        .map(|count| format!("{} {}", one_line(&count.name), count.count))
        .collect();
    vec![
        one_line(&day.date).into(),
        day.recalls.to_string().into(),
        within(day.recall_p50_us),
        within(day.recall_p95_us),
        within(day.recall_p99_us),
        counts.join(", ").into(),
    ]
}

/// The end of a bar of the histogram.
fn within(us: u64) -> Field {
    if us == 0 {
        return "".into();
    }
    format!("{}.{:03} ms", us / 1_000, us % 1_000).into()
}
