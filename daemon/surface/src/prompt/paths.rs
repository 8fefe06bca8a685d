//! Paths of files in what people write: `src/main.rs`, `./a.py:12`, in quotes or at the end of a
//! sentence.

use super::ATTACHING;

/// Longest ending of a file's name, in bytes: `.properties`.
const ENDING_MAX_BYTES: usize = 10;

/// Characters that people put around a path.
const QUOTES: [char; 3] = ['`', '"', '\''];

/// The paths that a text names, as far as their looks tell; also those of directories, and words
/// with a slash between.
pub(super) fn named(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|c: char| !is_of_path(c)).map(as_path);
    pieces.filter(|path| is_path(path))
}

/// A text without the paths of files that are known, and without the directories of what can only
/// be a file.
pub(super) fn without_paths(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (between, behind) = split(rest, is_of_path);
        left.push_str(between);
        let (piece, behind) = split(behind, |c| !is_of_path(c));
        let path = as_path(piece);
        rest = behind;
        if is_path(path) && is_known(path) {
            rest = behind_line(rest);
            let quote = left
                .chars()
                .next_back()
                .filter(|quote| QUOTES.contains(quote));
            if let Some(closed) = quote.and_then(|quote| rest.strip_prefix(quote)) {
                left.pop();
                rest = closed;
            }
        } else if is_path(path) && is_file(path) {
            left.push_str(piece.rsplit('/').next().unwrap_or(piece));
            rest = behind_line(rest);
        } else {
            left.push_str(piece);
        }
    }
    left
}

/// Splits a text before the first character that is so.
fn split(text: &str, is_so: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at_checked(text.find(is_so).unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '~' | ATTACHING)
}

/// A piece of a text without the stop behind it.
fn as_path(piece: &str) -> &str {
    piece.trim_end_matches(['.', '-'])
}

/// Returns whether a piece of a text may be a path: no address, and nothing that is attached.
fn is_path(piece: &str) -> bool {
    !piece.starts_with(ATTACHING)
        && !piece.starts_with("//")
        && !piece.ends_with('/')
        && piece.contains('/')
}

/// Returns whether a path has the looks of a file's. Where all of its parts have, they are several
/// names: `main.rs/lib.rs`.
fn is_file(path: &str) -> bool {
    let has_ending = |part: &str| {
        let (stem, ending) = part.rsplit_once('.').unwrap_or_default();
        let is_ending =
            ending.starts_with(char::is_alphabetic) && ending.chars().all(char::is_alphanumeric);
        !stem.is_empty() && is_ending && ending.len() <= ENDING_MAX_BYTES
    };
    path.rsplit('/').next().is_some_and(has_ending) && !path.split('/').all(has_ending)
}

/// Returns what stands behind a line that is named after a path: `:12`, `:12:5`, `:12-15`,
/// `#L12-L15`.
fn behind_line(text: &str) -> &str {
    let mut rest = text;
    while let Some(line) = rest.strip_prefix(':').or_else(|| rest.strip_prefix("#L")) {
        if !line.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        rest = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | 'L'));
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_in_many_ways() {
        for text in [
            "open src/sync/lock.rs",
            "src/sync/lock.rs",
            "what does `src/sync/lock.rs` do?",
            "see src/sync/lock.rs.",
            "in src/sync/lock.rs:12, is that right?",
            "(\"src/sync/lock.rs\")",
            "'src/sync/lock.rs:12:5' fails",
            "src/sync/lock.rs#L4-L9",
            "https://host.example/a.html src/sync/lock.rs me@host.example",
        ] {
            assert_eq!(
                named(text).collect::<Vec<_>>(),
                ["src/sync/lock.rs"],
                "{text}"
            );
        }
        let text = "./a.py,/p/b.py ../c.py @src/d.py src/ x and/or y";
        assert_eq!(
            named(text).collect::<Vec<_>>(),
            ["./a.py", "/p/b.py", "../c.py", "and/or"]
        );
    }

    #[test]
    fn what_is_left_is_what_is_asked() {
        for (text, known, other) in [
            ("open src/sync/lock.rs", "open ", "open lock.rs"),
            (
                "what does `src/sync/lock.rs` do?",
                "what does  do?",
                "what does `lock.rs` do?",
            ),
            ("see src/sync/lock.rs.", "see ", "see lock.rs."),
            (
                "in src/sync/lock.rs:12:5, is it",
                "in , is it",
                "in lock.rs, is it",
            ),
            (
                "`src/sync/lock.rs:12-15` leaks",
                " leaks",
                "`lock.rs` leaks",
            ),
            ("src/sync/lock.rs#L4-L9", "", "lock.rs"),
            (
                "tests/a.py::test_rows fails",
                "::test_rows fails",
                "a.py::test_rows fails",
            ),
            ("bin/deploy fails", " fails", "bin/deploy fails"),
            (
                "is it TCP/IP, 24/7 and/or a.rs/b.rs",
                "is it ,   ",
                "is it TCP/IP, 24/7 and/or a.rs/b.rs",
            ),
        ] {
            let left = without_paths(text, |_| true);
            assert_eq!(
                (left.as_str(), without_paths(text, |_| false).as_str()),
                (known, other),
                "{text}"
            );
        }
        for text in [
            "",
            "/compact now",
            "see https://host.example/a/b.html",
            "@src/a.rs and src/",
            "größer/kleiner ist 1/2.",
        ] {
            assert_eq!(without_paths(text, |_| false), text);
        }
    }
}
