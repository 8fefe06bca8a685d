//! What stands around the words of a message, line by line: the sides of a box, and the names of
//! those who speak.
//!
//! A message means the same inside a box as outside. What is drawn within a line, and the bars
//! beside the source that a compiler shows, belong to the message.

use super::patterns::PATTERNS;
use crate::pattern::Pattern;

/// An output without what is drawn around its lines.
pub(super) fn unframed(output: &str) -> String {
    if helix_ablation::is_off("fault/frames") {
        return output.to_owned();
    }
    let mut bare = String::with_capacity(output.len());
    for line in output.split('\n') {
        let line = said(&PATTERNS.speaker, line);
        match boxed(line) {
            Some((said, is_title)) => {
                bare.push_str(said);
                bare.push_str(if is_title { ":" } else { "" });
            }
            None if line.contains('|') => bare.push_str(said(&PATTERNS.barred, line)),
            None => bare.push_str(line),
        }
        bare.push('\n');
    }
    bare
}

fn said<'l>(pattern: &Pattern, line: &'l str) -> &'l str {
    if helix_ablation::is_off("fault/speakers") {
        return line;
    }
    let found = pattern
        .captures(line)
        .and_then(|captures| captures.name("said"));
    found.map_or(line, |said| said.as_str())
}

/// Returns what stands in a line that begins with the side of a box, and whether it is the title,
/// written into its upper side.
fn boxed(line: &str) -> Option<(&str, bool)> {
    if helix_ablation::is_off("fault/boxes") {
        return None;
    }
    let drawn = line.trim_start();
    let inner = drawn.trim_start_matches(is_side);
    if inner.len() == drawn.len() {
        return None;
    }
    let said = inner.trim_end().trim_end_matches(is_side).trim_end();
    let is_upper = drawn.starts_with(['╭', '┌', '┏', '╔']) && drawn.ends_with(['╮', '┐', '┓', '╗']);
    let is_title = is_upper && !said.is_empty();
    Some((
        if is_title {
            said.trim_start()
        } else {
            said.strip_prefix(' ').unwrap_or(said)
        },
        is_title,
    ))
}

/// Returns whether a box or an arrow is drawn with it.
fn is_side(drawn: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&drawn) || drawn == '▶'
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Fault, faults};
    use super::*;

    fn first(output: &str) -> Fault {
        faults(output).into_iter().next().unwrap()
    }

    #[test]
    fn a_message_in_a_box_is_the_message() {
        let plain = "\nError: Error acquiring the state lock\n\nError message: operation error\nLock Info:\n  ID:   8d1f\n";
        let boxed = "╷\n│ Error: Error acquiring the state lock\n│ \n│ Error message: operation error\n│ Lock Info:\n\
                     │   ID:   8d1f\n╵\n";
        assert_eq!(faults(boxed), faults(plain));
        assert_eq!(first(boxed).message, "Error acquiring the state lock");
        let titled =
            "╭─ Error ───────────────╮\n│ No such option: --foo │\n╰───────────────────────╯\n";
        assert_eq!(first(titled).message, "No such option: --foo");
        let rich = "╭──── Traceback (most recent call last) ────╮\n│ /home/a/app/main.py:12 in main            │\n\
                    │ ❱ 12     raise ValueError(\"no\")           │\n╰───────────────────────────────────────────╯\n\
                    ValueError: rows are missing\n";
        let found = first(rich);
        assert_eq!(
            (found.file.as_str(), found.symbol.as_str()),
            ("/home/a/app/main.py", "main")
        );
    }

    #[test]
    fn who_speaks_is_no_part_of_a_message() {
        let plain = "src/a.ts(3,7): error TS2304: Cannot find name 'fetchAll'.\n";
        for before in [
            "web:build: ",
            "@app/web:build: ",
            "packages/web build: ",
            "#9 2.310 ",
            "2.310 ",
            "api-1  | ",
            "api_1  | ",
        ] {
            assert_eq!(
                faults(&format!("{before}{plain}")),
                faults(plain),
                "{before}"
            );
        }
        let compose = "api-1  | Traceback (most recent call last):\napi-1  |   File \"/app/main.py\", line 3, in load\n\
                       api-1  |     import yaml\napi-1  | ModuleNotFoundError: No module named 'yaml'\n";
        assert_eq!(first(compose).file, "/app/main.py");
    }

    #[test]
    fn a_traceback_behind_bars_is_one() {
        let group = "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+------ 1 ------\n    \
                     | Traceback (most recent call last):\n    |   File \"/a/fetch.py\", line 9, in fetch\n    \
                     |     raise\n    | ValueError: no rows\n    +------------------\n";
        let found = first(group);
        assert_eq!(
            (
                found.code.as_str(),
                found.symbol.as_str(),
                found.file.as_str()
            ),
            ("ValueError", "fetch", "/a/fetch.py")
        );
        let table = "dags/calls.py  | File \"dags/calls.py\", line 9\n               |     @dag(\n               \
                     |         ^\n               | SyntaxError: '(' was never closed\n";
        let found = first(table);
        assert_eq!(
            (found.code.as_str(), found.file.as_str()),
            ("SyntaxError", "dags/calls.py")
        );
    }

    #[test]
    fn what_belongs_to_a_message_stays() {
        for line in [
            "3  |  let x: y = z;",
            "   |         -   ^ expected `i64`, found `&str`",
            "dist/a.js  41.20 kB │ gzip: 9.11 kB",
            "  1) [chromium] › tests/a.spec.ts:3:1 › logs in ─────",
            "src/a.ts:3:7 - error TS2304: Cannot find name 'a'.",
            "error: a test failed",
        ] {
            assert_eq!(unframed(line), format!("{line}\n"));
        }
    }
}
