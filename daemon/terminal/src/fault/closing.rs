//! A tool's closing line: what it names is its command, counts and exit codes, and so it is the
//! same after every failure.

use super::words::WORDS;

/// What begins a count; elsewhere it is what something was not.
const FOUND: &str = "found";

/// What names are quoted with.
const QUOTES: [(char, char); 5] = [('`', '`'), ('\'', '\''), ('"', '"'), ('‘', '’'), ('“', '”')];

/// Returns whether a line only says that something failed: all its words but names, options and
/// numbers are of that.
pub(super) fn is_closing(line: &str) -> bool {
    if helix_ablation::is_off("sighting/closing") {
        return false;
    }
    let plain = unquoted(line);
    let words = plain.split(|c: char| c.is_whitespace() || "()[]{},;!".contains(c));
    let mut ends = false;
    let (mut is_label, mut is_named) = (true, false);
    let is_of_ending = |(at, written): (usize, &str)| {
        is_label &= written.ends_with(':') || written.is_empty();
        let is_name = std::mem::replace(&mut is_named, false);
        let word = written
            .trim_matches(|c: char| !c.is_alphanumeric() && c != '-')
            .to_lowercase();
        // Options, paths, times and counts are of the command, whose name may stand first.
        let is_given = word.starts_with('-')
            || word.contains(['/', '.', '_', '=', ':', '#', '@'])
            || written.starts_with('<')
            || word.starts_with(|c: char| c.is_ascii_digit())
            || !word.chars().any(char::is_alphabetic);
        let is_first = is_label || at == 0 && word == FOUND;
        let is_outcome = WORDS.outcomes.contains(&word);
        ends |= is_outcome;
        is_named = WORDS.before_names.contains(&word);
        is_outcome || is_given || is_first || is_name || WORDS.fillers.contains(&word)
    };
    words.enumerate().all(is_of_ending) && ends
}

/// A line without what it quotes.
fn unquoted(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| QUOTES.iter().any(|(opening, _)| *opening == c)) {
        let (before, quoted) = rest.split_at(start);
        plain.push_str(before);
        let mut inner = quoted.chars();
        let opening = inner.next();
        let closing = QUOTES
            .iter()
            .find(|(known, _)| Some(*known) == opening)
            .map(|(_, closing)| *closing);
        let is_word = before.ends_with(char::is_alphanumeric);
        let quoted = closing
            .filter(|_| !is_word)
            .and_then(|closing| inner.as_str().split_once(closing));
        if let Some((_, behind)) = quoted {
            plain.push(' ');
            rest = behind;
        } else {
            plain.extend(opening);
            rest = inner.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_known_by_their_words() {
        for line in [
            "error: test run failed",
            "error: recipe `test` failed on line 11 with exit code 101",
            "make: *** [Makefile:13: test] Error 1",
            "make[2]: *** [<builtin>: src/rope.o] Error 1",
            "ERROR  run failed: command  exited (1)",
            "BUILD FAILED in 3s",
            "FAILED (failures=1)",
            "error: could not document `brambles`",
            "errno 1",
            "Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12, Duration: 48 ms - Bindery.Tests.dll (net8.0)",
            "error: could not compile `stamp` (lib) due to 1 previous error; 2 warnings emitted",
            "error: test failed, to rerun pass `--lib`",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "check finished: 1 problem(s), see docs/cases.md",
            "evaluation failed :( (0.45 seconds)",
            "Found 2 errors in 1 file (checked 3 source files)",
            "4 tests, 1 failure",
            "error: script \"build\" exited with code 2",
            "Error: Process completed with exit code 1.",
            "signal-box: 3 of 3 cases failed",
            "Errors while running CTest",
            "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project api: There are test failures.",
            "Error: cabal: Tests failed for test:unit from pay-0.1.",
            "error: builder for '/nix/store/abc-pay.drv' failed with exit code 2",
            "error: Failed to spawn: `pytest`",
        ] {
            assert!(is_closing(line), "{line}");
        }
    }

    #[test]
    fn what_says_more_is_no_closing_line() {
        for line in [
            "error: cannot find function `emboss` in this scope",
            "Failed: DID NOT RAISE ValueError",
            "zsh: command not found: protoc",
            "`protoc` could not be found",
            "- [1, 2, 3]",
            "FAIL layers round up: got 2, want 3",
            "connection refused",
            "assertion `left == right` failed: cents were lost in the split",
            "it's not what wasn't there",
        ] {
            assert!(!is_closing(line), "{line}");
        }
    }
}
