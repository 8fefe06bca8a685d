use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::super::samples::{NOW, days_ago, memory};
use super::super::{HOT_MAX, Selected};
use super::*;

fn row<'a>(number: u32, topic: &'a str, tags: &[&'a str], days: i64) -> MetaRow<'a, Vec<&'a str>> {
    let mut standing = Standing::of(&memory("any", "text"), 1.0, false);
    standing.valid_from = days_ago(days);
    MetaRow {
        number: MemoryNumber(number),
        topic,
        tags: tags.to_vec(),
        text_hash: number.into(),
        standing,
    }
}

#[test]
fn topics_are_ranked_by_activity_not_by_size() {
    let mut rows: Vec<_> = (0..5)
        .map(|number| row(number, "old-large", &[], 300))
        .collect();
    rows.extend((5..7).map(|number| row(number, "new-small", &[], 1)));
    let meta = compose(rows, false, NOW);
    let names: Vec<&str> = meta
        .top_topics
        .iter()
        .map(|topic| topic.name.as_str())
        .collect();
    assert_eq!(names, ["new-small", "old-large"]);
    assert_eq!((meta.memories, meta.topics), (7, 2));
    assert_eq!(
        meta.hot.first_chunk(),
        Some(&[MemoryNumber(6), MemoryNumber(5)]),
        "of equals the newest first"
    );
    assert_eq!(meta.top_topics.first().map(|topic| topic.recent), Some(2));
}

#[test]
fn velocity_counts_days_weeks_and_the_average() {
    let rows = [0, 1, 3, 7, 8, 29, 40]
        .into_iter()
        .map(|days| row(0, "a", &[], days));
    let Velocity {
        last_day,
        last_week,
        last_month,
        per_day,
        per_week,
        since,
    } = compose(rows, false, NOW).velocity;
    assert_eq!((last_day, last_week, last_month), (2, 4, 6));
    let near =
        |rate: Option<f64>, expected: f64| rate.is_some_and(|rate| (rate - expected).abs() < 1e-9);
    assert!(near(per_day, 7.0 / 40.0) && near(per_week, 7.0 * 7.0 / 40.0));
    assert_eq!(since, Some(days_ago(40)));
}

#[test]
fn no_rate_is_made_of_less_than_its_time() {
    let told = |oldest: i64| {
        let meta = compose([0, oldest].map(|days| row(0, "a", &[], days)), false, NOW);
        render(&meta, &[], &TimeZone::UTC)
            .lines()
            .nth(2)
            .map(str::to_owned)
    };
    let day = |days| days_ago(days).day(&TimeZone::UTC);
    let expected = [
        (
            0,
            format!("VELOCITY: 2 in 24 h, 2 in 7 d, 2 in 30 d; since {}", day(0)),
        ),
        (
            4,
            format!(
                "VELOCITY: 1 in 24 h, 2 in 7 d, 2 in 30 d; 0.5 a day since {}",
                day(4)
            ),
        ),
        (
            7,
            format!(
                "VELOCITY: 1 in 24 h, 2 in 7 d, 2 in 30 d; 0.3 a day, 2.0 a week since {}",
                day(7)
            ),
        ),
    ];
    for (oldest, expected) in expected {
        assert_eq!(told(oldest), Some(expected));
    }
}

#[test]
fn themes_go_through_several_topics_and_are_no_categories() {
    let rows = [
        row(0, "hook-shim", &["gotcha", "startup"], 1),
        row(1, "hook-events", &["gotcha", "startup"], 1),
        row(2, "writer", &["gotcha", "commit"], 1),
        row(3, "writer", &["commit"], 1),
        row(4, "hook-hook", &["hook"], 1),
    ];
    let themes = compose(rows, false, NOW).themes;
    let found: Vec<(&str, usize, usize)> = themes
        .iter()
        .map(|theme| (theme.name.as_str(), theme.memories, theme.topics))
        .collect();
    assert_eq!(found, [("hook", 3, 3), ("startup", 2, 2)]);
}

#[test]
fn an_ordinary_subject_is_a_theme() {
    let rows = (0..45).map(|number| {
        row(
            number,
            if number % 2 == 0 { "billing" } else { "web" },
            &["api", "config"],
            1,
        )
    });
    let themes = compose(rows, false, NOW).themes;
    let names: Vec<&str> = themes.iter().map(|theme| theme.name.as_str()).collect();
    assert_eq!(names, ["api", "config"]);
}

#[test]
fn a_compact_overview_shows_the_five_hottest() {
    let memories: Vec<_> = (0..9_u32)
        .map(|number| memory("web", &format!("note {number}")))
        .collect();
    let selected: Vec<Selected<'_>> = memories.iter().take(HOT_MAX).map(Selected::of).collect();
    let meta = compose((0..9).map(|number| row(number, "web", &[], 1)), true, NOW);
    assert_eq!(meta.hot.len(), HOT_MAX);
    let text = render(&meta, &selected, &TimeZone::UTC);
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("- [web/"))
            .count(),
        HOT_MAX,
        "{text}"
    );
}

#[test]
fn an_empty_base_says_what_to_do() {
    let meta = compose(std::iter::empty::<MetaRow<'_, Vec<&str>>>(), false, NOW);
    assert!(render(&meta, &[], &TimeZone::UTC).contains("store what the next session should know"));
}

proptest! {
    #[test]
    fn lists_are_bounded_and_counts_add_up(
        rows in prop::collection::vec(("[a-z]{1,2}-[a-z]{1,2}", prop::collection::vec("[a-z]{3}", 0..4), 0_i64..100), 0..200),
        is_compact in any::<bool>(),
    ) {
        let borrowed = (0..).zip(&rows).map(|(number, (topic, tags, days))| {
            let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
            row(number, topic, &tags, *days)
        });
        let meta = compose(borrowed, is_compact, NOW);
        let (topics, themes) = if is_compact { (COMPACT_MAX, COMPACT_MAX) } else { (TOPICS_MAX, THEMES_MAX) };
        prop_assert_eq!(meta.memories, rows.len());
        prop_assert!(meta.top_topics.len() <= topics && meta.themes.len() <= themes && meta.hot.len() <= HOT_MAX);
        prop_assert!(meta.topics > TOPICS_MAX || is_compact
            || meta.top_topics.iter().map(|topic| topic.count).sum::<usize>() == rows.len());
        prop_assert!(render(&meta, &[], &TimeZone::UTC).lines().count() <= 4);
        let Velocity { last_day, last_week, last_month, .. } = meta.velocity;
        prop_assert!(last_day <= last_week && last_week <= last_month && last_month <= rows.len());
    }
}
