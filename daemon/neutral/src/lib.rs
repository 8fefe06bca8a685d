//! Text that is safe to show: without characters that steer a terminal, hide from a reader or
//! break out of a frame. Every program that shows stored text asks here.
//!
//! ```
//! assert_eq!(helix_neutral::one_line("a\u{200b}b\n c", 10), "ab c");
//! ```

mod hidden;

pub use hidden::{is_active, is_invisible};

/// Returns whether a character may be shown as it is.
fn is_harmless(c: char) -> bool {
    // All of ASCII at a glance: this looks at every character of every text that is shown.
    match c {
        '\n' | '\t' | ' '..='~' => true,
        _ => !is_active(c),
    }
}

/// Returns the text without control, bidi and zero-width characters; new lines and tabs stay.
#[must_use]
pub fn neutral(text: &str) -> String {
    text.chars().filter(|c| is_harmless(*c)).collect()
}

/// Most characters of what somebody gave that a message repeats.
const QUOTED_MAX_CHARS: usize = 200;

/// Returns what somebody gave as a message repeats it: on one line, neutral, in quotation marks,
/// with backslashes as they are.
#[must_use]
pub fn quoted(given: &str) -> String {
    format!("\"{}\"", one_line(given, QUOTED_MAX_CHARS))
}

/// Returns the text on one line, neutral, cut to `max_chars` with an ellipsis.
#[must_use]
pub fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        let word = neutral(word);
        if word.is_empty() {
            continue;
        }
        let width = word.chars().count() + usize::from(!line.is_empty());
        if chars + width > max_chars {
            let room = max_chars.saturating_sub(chars + 1 + usize::from(!line.is_empty()));
            if line.is_empty() {
                line.extend(word.chars().take(room));
            }
            line.push('…');
            return line;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
        chars += width;
    }
    line
}

/// Between lines that are put on one.
const LINE_BREAK: &str = " / ";

/// Ends of a line that show where it ends.
const LINE_ENDS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '…', '—', '。', '、', '，', '：', '；', '！', '？',
];

/// Beginnings of a heading, an item, a quotation or a row.
const LINE_STARTS: &[char] = &['#', '-', '*', '•', '>', '|'];

/// Characters of the shortest line that goes on in the next one because it is full.
const WRAPPED_MIN_CHARS: usize = 50;

/// Bytes of a text that are looked at for each character that is shown: lines may be indented
/// deeply.
const LOOKED_AT_MAX_BYTES_PER_CHAR: usize = 16;

/// Returns the beginning of a text as [`one_line`] does, with a mark where a line ended that
/// nothing else ends. A line that goes on in the next one, as in wrapped prose, gets none.
#[must_use]
pub fn preview(text: &str, max_chars: usize) -> String {
    let looked_at = max_chars.saturating_mul(LOOKED_AT_MAX_BYTES_PER_CHAR);
    let mut joined = String::new();
    let (mut is_behind_blank, mut is_behind_short) = (false, false);
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            is_behind_blank = true;
            continue;
        }
        let begins = is_behind_blank
            || is_behind_short
            || line.starts_with(|c: char| c.is_uppercase() || LINE_STARTS.contains(&c));
        if !joined.is_empty() {
            joined.push_str(if begins && !joined.ends_with(LINE_ENDS) {
                LINE_BREAK
            } else {
                " "
            });
        }
        joined.push_str(line);
        (is_behind_blank, is_behind_short) = (false, line.chars().count() < WRAPPED_MIN_CHARS);
        if joined.len() > looked_at {
            break;
        }
    }
    one_line(&joined, max_chars)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_go_and_text_stays() {
        assert_eq!(
            neutral("a\u{202E}b\u{200B}c\x1b[31md\u{E0041}é 漢\n\te"),
            "abc[31mdé 漢\n\te"
        );
    }

    #[test]
    fn what_was_given_is_repeated_as_it_was() {
        assert_eq!(quoted("C:\\foo\\bar.rs"), "\"C:\\foo\\bar.rs\"");
        assert_eq!(quoted(" a\n\u{1b}[31mb"), "\"a [31mb\"");
        assert!(quoted(&"x".repeat(500)).chars().count() <= QUOTED_MAX_CHARS + 2);
    }

    #[test]
    fn a_preview_shows_where_lines_end() {
        for (text, expected) in [
            (
                "gotcha: clean removes bin\nSo the daemon goes",
                "gotcha: clean removes bin / So the daemon goes",
            ),
            (
                "It ends.\nSo it does:\n- one\n- two",
                "It ends. So it does: - one / - two",
            ),
            ("# Title\n\nits text", "# Title / its text"),
            (
                "do not log secrets\nlog request ids",
                "do not log secrets / log request ids",
            ),
            (" one ", "one"),
            ("", ""),
        ] {
            assert_eq!(preview(text, 60), expected);
        }
        let wrapped = "prose that is wrapped where its lines are as long as here";
        assert_eq!(
            preview(&format!("{wrapped}\n  goes on"), 90),
            format!("{wrapped} goes on")
        );
        assert_eq!(preview("alpha\nBeta gamma", 12), "alpha / Beta…");
        assert_eq!(preview(&"x y\n".repeat(9_000), 9), "x y / x y…");
    }

    #[test]
    fn one_line_folds_and_cuts() {
        assert_eq!(one_line("a\n  b\tc", 10), "a b c");
        assert_eq!(one_line("alpha beta gamma", 11), "alpha beta…");
        assert_eq!(one_line("abcdefghij", 5), "abcd…");
        assert_eq!(one_line("", 5), "");
    }
}
