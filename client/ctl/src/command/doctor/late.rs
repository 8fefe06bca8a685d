//! Hooks whose answers came too late for the agent.

use helix_client::text::memory::count_of;
use helix_client::v1::LateHook;

use crate::finding::Finding;
use crate::time::minute;

/// How the finding is called.
const NAME: &str = "late hooks";

/// Late answers in a week from which on something may be wrong: a busy machine has some.
const LATE_MIN: u64 = 5;

/// Says which events of the last week got no answer in time, and what to do about it.
pub(super) fn examine(late: &[LateHook]) -> Finding {
    let times: u64 = late.iter().map(|late| late.times).sum();
    if times == 0 {
        return Finding::ok(NAME, "every event of the last week was answered in time");
    }
    let shown: Vec<String> = late.iter().map(shown).collect();
    let events = count_of(times, "event", "events");
    let detail = format!(
        "{events} of the last week got no answer in time: {}",
        shown.join(", ")
    );
    let after_start: u64 = late.iter().map(|late| late.after_start).sum();
    let others = times.saturating_sub(after_start);
    if others == 0 {
        Finding::ok(
            NAME,
            format!("{detail}; all right after a start of the daemon, so there is nothing to do"),
        )
    } else if others < LATE_MIN {
        Finding::ok(
            NAME,
            format!("{detail}; a busy machine has some, so there is nothing to do"),
        )
    } else {
        let advice = "look at the machine's load and at its disk, and report it when they are fine";
        Finding::warning(
            NAME,
            format!("{detail}; {after_start} of them right after a start of the daemon; {advice}"),
        )
    }
}

fn shown(late: &LateHook) -> String {
    format!(
        "{} {} (last {})",
        late.times,
        late.event,
        minute(late.last_at_us)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;

    fn late(event: &str, times: u64, after_start: u64) -> LateHook {
        LateHook {
            event: event.to_owned(),
            times,
            after_start,
            last_at_us: 1_793_000_000_000_000,
        }
    }

    #[test]
    fn what_is_late_is_told_with_what_to_do() {
        assert_eq!(examine(&[]).level, Level::Ok);
        let starting = examine(&[late("ambient", 7, 7), late("prompt", 1, 1)]);
        assert!(
            starting.level == Level::Ok && starting.detail.starts_with("8 events of the last week"),
            "{starting:?}"
        );
        assert!(
            starting.detail.contains("7 ambient (last 20")
                && starting.detail.contains("nothing to do"),
            "{starting:?}"
        );
        let busy = examine(&[late("ambient", 7, 3)]);
        assert!(
            busy.level == Level::Ok && busy.detail.contains("busy"),
            "{busy:?}"
        );
        let slow = examine(&[late("ambient", 7, 2)]);
        assert!(
            slow.level == Level::Warning && slow.detail.contains("2 of them right after a start"),
            "{slow:?}"
        );
    }
}
