//! Makes output the same on every day and machine, for snapshots.

use jiff::civil::Date;

/// A day, in the language of [`length_of`].
const DAY: &str = "0000-00-00";

/// Replaces days by `[day]`.
#[must_use]
pub fn without_days(text: &str) -> String {
    let text = replaced(text, "0000-00-00T00:00:00+00:00", |_| "[time]".to_owned());
    with_days(&text, |_| "[day]".to_owned())
}

/// Replaces every day by what `shown` makes of it; what only looks like a day stays.
#[must_use]
pub fn with_days(text: &str, shown: impl Fn(Date) -> String) -> String {
    replaced(text, DAY, |day| {
        day.parse().map_or_else(|_| day.to_owned(), &shown)
    })
}

/// Replaces what differs from run to run: ids, times of day, how long something took, how few
/// seconds ago it was, sizes of files, cursors and hashes, which hold a time, and the scores of
/// hits, in which a memory's age shows.
#[must_use]
pub fn without_noise(text: &str) -> String {
    let text = replaced(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", |_| {
        "[id]".to_owned()
    });
    let text = replaced(&text, "0000-00-00T00:00:00.0*Z", |time| {
        day_and("T[time]Z", time)
    });
    let text = replaced(&text, "0000-00-00T00:00:00Z", |time| {
        day_and("T[time]Z", time)
    });
    let text = replaced(&text, "0000-00-00T00:00:00+00:00", |time| {
        day_and("T[time]", time)
    });
    let text = replaced(&text, "0000-00-00 00:00", |time| day_and(" [time]", time));
    let text = replaced(&text, "in 0*.00 s", |_| "in [time]".to_owned());
    let text = replaced(&text, " 0*s ago", |_| " [age] ago".to_owned());
    let text = replaced(&text, "0*.0 KiB", |_| "[size]".to_owned());
    let text = replaced(&text, "0*.0 MiB", |_| "[size]".to_owned());
    let text = replaced(&text, "cursor=w*", |_| "cursor=[cursor]".to_owned());
    let text = replaced(&text, "cursor=\"w*\"", |_| "cursor=[cursor]".to_owned());
    let text = replaced(&text, "\"rest_hash\":\"x*\"", |_| {
        "\"rest_hash\":\"[hash]\"".to_owned()
    });
    let text = replaced(&text, "at xxxxxxxxxx)", |_| "at [commit])".to_owned());
    let text = replaced(&text, " age 0.0*", |_| " age [factor]".to_owned());
    replaced(&text, "score 0.0* =", |_| "score [score] =".to_owned())
}

fn day_and(end: &str, time: &str) -> String {
    format!("{}{end}", time.chars().take(DAY.len()).collect::<String>())
}

/// Replaces all that has a shape.
fn replaced(text: &str, shape: &str, by: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (taken, behind) = rest.split_at(length_of(rest, shape).unwrap_or(first.len_utf8()));
        let is_shaped = length_of(taken, shape).is_some();
        out.push_str(&if is_shaped {
            by(taken)
        } else {
            taken.to_owned()
        });
        rest = behind;
    }
    out
}

/// How many bytes at a text's start have a shape, in which `0` stands for a digit, `0*` for one or
/// more, `x` for a hexadecimal digit, `w` for a letter, a digit, `-` or `_`, and all else for
/// itself.
fn length_of(text: &str, shape: &str) -> Option<usize> {
    let mut left = text;
    let mut shape = shape.chars().peekable();
    while let Some(wanted) = shape.next() {
        let fits = |c: char| match wanted {
            '0' => c.is_ascii_digit(),
            'x' => c.is_ascii_hexdigit(),
            'w' => c.is_ascii_alphanumeric() || matches!(c, '-' | '_'),
            other => c == other,
        };
        left = left.strip_prefix(fits)?;
        if shape.next_if_eq(&'*').is_some() {
            left = left.trim_start_matches(fits);
        }
    }
    Some(text.len() - left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_replaced() {
        assert_eq!(
            without_days("é 2026-11-21, 12026-11-2x"),
            "é [day], 12026-11-2x"
        );
        assert_eq!(without_days("2026-13-21"), "2026-13-21");
        assert_eq!(
            with_days("on 2026-11-21T", |day| day
                .tomorrow()
                .unwrap_or(day)
                .to_string()),
            "on 2026-11-22T"
        );
    }

    #[test]
    fn what_differs_from_run_to_run_is_replaced() {
        let noisy = "01935f3a-0000-7000-8000-00000000000a 2026-11-21 22:14 2026-11-21T22:14:05.123Z in 10.81 s; 11.5 MiB \
                     cursor=01ef score 1.034 = age 0.956, saved 12s ago";
        assert_eq!(
            without_noise(noisy),
            "[id] 2026-11-21 [time] 2026-11-21T[time]Z in [time]; [size] cursor=[cursor] score [score] = age [factor], saved [age] ago"
        );
    }

    #[test]
    fn ordinary_numbers_stay() {
        let text = "16 KiB for 3 memories at 22:14, 1.000, 12 s, 2m ago, build.rs:12:30";
        assert_eq!(without_noise(text), text);
    }
}
