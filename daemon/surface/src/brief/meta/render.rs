//! A meta-brief as text.

use helix_neutral::{one_line, preview};
use jiff::tz::TimeZone;

use super::{ActiveTopic, Meta, Theme, Velocity};
use crate::brief::render::{dispute_mark, doubt_mark};
use crate::brief::{HOT_MAX, Selected};

/// Characters of a hot memory's preview.
const PREVIEW_MAX_CHARS: usize = 120;

/// Longest name.
const NAME_MAX_CHARS: usize = 255;

/// Longest handle.
const HANDLE_MAX_CHARS: usize = 320;

/// Renders a meta-brief; days are those of `zone`. `hot` are the memories that [`Meta::hot`] names,
/// as far as the caller read them. Every line ends with a line feed.
#[must_use]
pub fn render(meta: &Meta, hot: &[Selected<'_>], zone: &TimeZone) -> String {
    if meta.memories == 0 {
        return "Nothing is stored yet; store what the next session should know.\n".to_owned();
    }
    let counts = [
        (meta.memories, "MEMORY", "MEMORIES"),
        (meta.topics, "TOPIC", "TOPICS"),
    ];
    let counts =
        counts.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    let mut lines = vec![
        counts.join(" IN "),
        topics(meta),
        velocity(&meta.velocity, zone),
    ];
    if !meta.themes.is_empty() {
        let themes: Vec<String> = meta.themes.iter().map(theme).collect();
        lines.push(format!("THEMES: {}", themes.join(", ")));
    }
    if !hot.is_empty() {
        lines.push("HOT:".to_owned());
        lines.extend(hot.iter().take(HOT_MAX).map(
            |Selected {
                 memory,
                 is_stale,
                 confidence,
                 is_disputed,
                 ..
             }| {
                let handle = one_line(memory.handle.as_str(), HANDLE_MAX_CHARS);
                format!(
                    "- [{handle}]{} {}",
                    doubt_mark(*is_stale, *confidence) + dispute_mark(*is_disputed),
                    preview(&memory.text, PREVIEW_MAX_CHARS)
                )
            },
        ));
    }
    lines.join("\n") + "\n"
}

fn topics(meta: &Meta) -> String {
    let mut names: Vec<String> = meta.top_topics.iter().map(topic).collect();
    let hidden = meta.topics - meta.top_topics.len();
    if hidden > 0 {
        names.push(format!("+{hidden} more"));
    }
    format!("TOPICS: {}", names.join(", "))
}

/// `build-gotchas (12, 3 this week)`.
fn topic(topic: &ActiveTopic) -> String {
    let name = one_line(&topic.name, NAME_MAX_CHARS);
    match topic.recent {
        0 => format!("{name} ({})", topic.count),
        recent => format!("{name} ({}, {recent} this week)", topic.count),
    }
}

fn velocity(velocity: &Velocity, zone: &TimeZone) -> String {
    let Velocity {
        last_day,
        last_week,
        last_month,
        per_day,
        per_week,
        since,
    } = velocity;
    let rates = [(per_day, "day"), (per_week, "week")];
    let rates = rates
        .into_iter()
        .filter_map(|(rate, span)| rate.map(|rate| format!("{rate:.1} a {span}")));
    let rates = rates.collect::<Vec<_>>().join(", ");
    let since = since.map_or_else(String::new, |since| format!("since {}", since.day(zone)));
    let average = [rates, since]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    format!("VELOCITY: {last_day} in 24 h, {last_week} in 7 d, {last_month} in 30 d; {average}")
}

/// `hook 24 in 5 topics`.
fn theme(theme: &Theme) -> String {
    format!(
        "{} {} in {} topics",
        one_line(&theme.name, NAME_MAX_CHARS),
        theme.memories,
        theme.topics
    )
}
