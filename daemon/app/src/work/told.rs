//! A session's activity in words: for the session itself after a compaction, and for people.

use helix_memory::Timestamp;
use helix_neutral::one_line;
use helix_redact::redacted;
use helix_surface::checkpoint::age;

use crate::work::activity::Activity;
use crate::work::failing::Failing;

/// Files that are named.
const FILES_MAX: usize = 8;

/// Characters of a path or a command.
const NAME_MAX_CHARS: usize = 160;

/// Characters of what a session did, for itself: a quarter of what it gets after a compaction, the
/// rest is its memories'.
const RESUMED_MAX_CHARS: usize = 550;

/// Characters of one line of it.
const RESUMED_LINE_MAX_CHARS: usize = 240;

/// Describes a session's work so that it can go on after it lost its context; `None` when it did
/// nothing yet.
#[must_use]
pub fn resumed(activity: &Activity, now: Timestamp) -> Option<String> {
    let mut lines = Vec::new();
    if !activity.edited.is_empty() {
        lines.push(format!(
            "Changed in this session: {}",
            newest(&activity.edited)
        ));
    }
    lines.extend(build(activity, now));
    lines.extend(activity.failing.iter().rev().map(failing));
    let focus = activity.focus();
    if !focus.is_empty() {
        lines.push(format!("Focus: {}", focus.join(", ")));
    }
    if lines.is_empty() {
        return None;
    }
    let mut text = format!("This session so far ({}):", activity.current_phase().name());
    let mut room = RESUMED_MAX_CHARS.saturating_sub(text.chars().count());
    for line in lines {
        let line = one_line(&line, RESUMED_LINE_MAX_CHARS);
        let Some(left) = room.checked_sub(line.chars().count() + 1) else {
            break;
        };
        room = left;
        text.push('\n');
        text.push_str(&line);
    }
    Some(text)
}

/// Describes a session's activity, for people: one line for each thing.
#[must_use]
pub fn described(activity: &Activity, now: Timestamp) -> Vec<String> {
    let mut lines = vec![format!("Phase: {}", activity.current_phase().name())];
    lines.extend(build(activity, now));
    lines.extend(activity.failing.iter().rev().map(failing));
    let focus = activity.focus();
    if !focus.is_empty() {
        lines.push(format!("Focus: {}", focus.join(", ")));
    }
    lines.push(format!(
        "Files: {} touched, {} edited",
        activity.touched.len(),
        activity.edited.len()
    ));
    if activity.mended > 0 {
        lines.push(format!(
            "Mended: {} failed {}",
            activity.mended,
            if activity.mended == 1 {
                "command"
            } else {
                "commands"
            }
        ));
    }
    lines
}

fn build(activity: &Activity, now: Timestamp) -> Option<String> {
    let last = activity.last_run.as_ref()?;
    let outcome = if last.has_succeeded {
        "succeeded"
    } else {
        "failed"
    };
    let ago = age(Timestamp::from_micros(last.at_us), now);
    Some(format!(
        "Build: `{}` {outcome} {ago} ago",
        one_line(&last.tool, NAME_MAX_CHARS)
    ))
}

fn failing(failing: &Failing) -> String {
    let times = if failing.times == 1 {
        "once".to_owned()
    } else {
        format!("{} times", failing.times)
    };
    // What was kept before secrets were taken out is shown without them as well.
    let command = one_line(&redacted(&failing.command()), NAME_MAX_CHARS);
    let place = failing
        .place()
        .map(|place| format!(" in {}", one_line(place, NAME_MAX_CHARS)))
        .unwrap_or_default();
    format!("Failing: `{command}`{place} ({times})")
}

/// The newest of some files, newest first.
fn newest(files: &[String]) -> String {
    let mut named: Vec<String> = files
        .iter()
        .rev()
        .take(FILES_MAX)
        .map(|file| one_line(file, NAME_MAX_CHARS))
        .collect();
    let more = files.len().saturating_sub(FILES_MAX);
    named.extend((more > 0).then(|| format!("and {more} more")));
    named.join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_terminal::command::run_of;

    use super::*;

    #[test]
    fn a_session_is_described() {
        let mut activity = Activity::default();
        assert_eq!(resumed(&activity, Timestamp::default()), None);
        activity.read("src/b.rs");
        activity.edit("src/a.rs");
        activity.failed(
            &run_of("cargo test -p engine").unwrap(),
            vec!["x".into()],
            Timestamp::default(),
        );
        (0..3).for_each(|_| activity.use_topic("store"));
        let now = Timestamp::from_micros(120_000_000);
        assert_eq!(
            resumed(&activity, now).unwrap(),
            "This session so far (debug):\nChanged in this session: src/a.rs\nBuild: `cargo test` failed 2m ago\n\
             Failing: `cargo test -p engine` (once)\nFocus: store"
        );
        assert_eq!(
            described(&activity, now).last().unwrap(),
            "Files: 2 touched, 1 edited"
        );
        let mut run = run_of("./gradlew test --tests 'a b'").unwrap();
        run.words.push("in web".to_owned());
        activity.failed(&run, vec!["y".into()], now);
        let lines = resumed(&activity, now).unwrap();
        assert!(
            lines.contains("\nBuild: `./gradlew test` failed"),
            "{lines}"
        );
        assert!(
            lines.contains("\nFailing: `./gradlew test --tests 'a b'` in web (once)\n"),
            "{lines}"
        );
    }
}
