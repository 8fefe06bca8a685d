//! Memories that fade, backups, and what was done day by day.

use helix_client::text::memory::count_of;
use helix_client::v1::{Backup, Fate, JobRun, MetricsDay, MetricsReply, NamedCount};

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
    let recalls = reply.days.iter().filter(|day| day.recalls > 0);
    let recalls = recalls.map(|day| recall_row(look, day)).collect();
    let counts = reply
        .days
        .iter()
        .flat_map(|day| count_rows(look, day))
        .collect();
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
        fact(
            "conflicts open",
            format!("{} in all projects", reply.conflicts_open),
        ),
        fact("embedding queue", count_of(pending, "text", "texts")),
        fact(
            "store",
            format!("{}, sequence {}", size(reply.store_bytes), reply.sequence),
        ),
    ];
    let indexes = reply.indexes.iter().map(|index| index_row(look, index));
    let jobs = reply.jobs.iter().map(|job| job_row(look, job, now_us));
    let parts = [
        ("recalls", rows(look, recall_header(look), recalls)),
        ("done", rows(look, count_header(look), counts)),
        (
            "now",
            rows(look, &[], facts.into_iter().chain(gate).collect()),
        ),
        ("indexes", rows(look, index_header(look), indexes.collect())),
        ("jobs", rows(look, job_header(look), jobs.collect())),
    ];
    parts
        .map(|(name, table)| section(look, name, table))
        .concat()
}

/// A part under its name; outside of a terminal each line names itself.
fn section(look: Look, name: &str, table: String) -> String {
    if table.is_empty() || look.table_width.is_none() {
        return table;
    }
    format!("{}\n{table}", look.paint(Paint::Name, name))
}

/// A count of all days that are told.
fn total(reply: &MetricsReply, name: &str) -> u64 {
    let counts = reply.days.iter().flat_map(|day| &day.counts);
    counts
        .filter(|count| count.name == name)
        .map(|count| count.count)
        .sum()
}

/// The columns of [`recall_row`].
fn recall_header(look: Look) -> &'static [&'static str] {
    if look.table_width.is_some() {
        &[
            "day (UTC)",
            "recalls",
            "half within",
            "95 % within",
            "99 % within",
        ]
    } else {
        &[]
    }
}

/// How many searches, briefs and contexts there were on a day, and how long they took.
fn recall_row(look: Look, day: &MetricsDay) -> Vec<Field> {
    let date = Field::from(one_line(&day.date));
    let [half, most, nearly_all] =
        [day.recall_p50_us, day.recall_p95_us, day.recall_p99_us].map(milliseconds);
    if look.table_width.is_some() {
        let recalls = day.recalls.to_string();
        return vec![
            date,
            recalls.into(),
            half.into(),
            most.into(),
            nearly_all.into(),
        ];
    }
    vec![
        "recalls".into(),
        date,
        day.recalls.to_string().into(),
        format!("half within {half}, 95 % within {most}, 99 % within {nearly_all}").into(),
    ]
}

/// The columns of [`count_rows`].
fn count_header(look: Look) -> &'static [&'static str] {
    if look.table_width.is_some() {
        &["day (UTC)", "what", "times"]
    } else {
        &[]
    }
}

/// Rows of a day: each action and its count.
fn count_rows(look: Look, day: &MetricsDay) -> Vec<Vec<Field>> {
    let row = |count: &NamedCount| {
        let what = one_line(&count.name).replace('-', " ");
        let fields = [one_line(&day.date), what, count.count.to_string()];
        let label = look.table_width.is_none().then(|| Field::from("done"));
        label.into_iter().chain(fields.map(Field::from)).collect()
    };
    day.counts.iter().map(row).collect()
}

/// The end of a bar of the histogram.
fn milliseconds(us: u64) -> String {
    format!("{}.{:03} ms", us / 1_000, us % 1_000)
}
