//! One way of writing JSON's strings: what one client escapes another writes out, and both mean the
//! same.

use std::borrow::Cow;
use std::str::Chars;

use memchr::memmem;

/// A text of JSON with its strings escaped no more than they must be, as our own writer does.
pub(super) fn plain(written: &str) -> Cow<'_, str> {
    let bytes = written.as_bytes();
    if memmem::find(bytes, br"\u").is_none() && memmem::find(bytes, br"\/").is_none() {
        return Cow::Borrowed(written);
    }
    let mut plain = String::with_capacity(written.len());
    let mut rest = written.chars();
    while let Some(next) = rest.next() {
        if next == '\\' {
            escape(&mut rest, &mut plain);
        } else {
            plain.push(next);
        }
    }
    Cow::Owned(plain)
}

/// Takes one escape, whose backslash was taken.
fn escape(rest: &mut Chars<'_>, plain: &mut String) {
    match rest.next() {
        Some('/') => plain.push('/'),
        Some('u') => match code_point(rest) {
            Some(meant) => push(meant, plain),
            // No JSON, so it stays as it is.
            None => plain.push_str(r"\u"),
        },
        Some(other) => plain.extend(['\\', other]),
        None => plain.push('\\'),
    }
}

/// Reads four digits, or eight where two halves make one character; takes nothing where there are
/// none.
fn code_point(rest: &mut Chars<'_>) -> Option<char> {
    let mut ahead = rest.clone();
    let first = unit(&mut ahead)?;
    let meant = if let Some(meant) = char::from_u32(first.into()) {
        meant
    } else {
        let is_next = ahead.next() == Some('\\') && ahead.next() == Some('u');
        let second = unit(&mut ahead).filter(|_| is_next)?;
        char::decode_utf16([first, second]).next()?.ok()?
    };
    *rest = ahead;
    Some(meant)
}

fn unit(rest: &mut Chars<'_>) -> Option<u16> {
    let digits = rest
        .as_str()
        .get(..4)
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    rest.nth(3)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Writes a character as it must stand in a string.
fn push(meant: char, plain: &mut String) {
    if meant.is_ascii_control() || matches!(meant, '"' | '\\') {
        let quoted = serde_json::Value::from(meant.to_string()).to_string();
        plain.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
    } else {
        plain.push(meant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_written_as_our_own_writer_does() {
        for (written, expected) in [
            (
                r#"{"a":"\u003cb\u003e \/ \u00e4\ud83e\udD80"}"#,
                r#"{"a":"<b> / ä🦀"}"#,
            ),
            (
                r#""\u0022\u005c\u000a\u001f\u007f""#,
                "\"\\\"\\\\\\n\\u001f\u{7f}\"",
            ),
            (r#""\\u003c \n \" \\\u003c""#, r#""\\u003c \n \" \\<""#),
            (r#""\ud83e \ud83e\u0041 \u12""#, r#""\ud83e \ud83eA \u12""#),
            (r"\u00", r"\u00"),
            (r"\/\", r"/\"),
        ] {
            assert_eq!(plain(written), expected, "{written}");
        }
        assert!(matches!(plain(r#""\n ä""#), Cow::Borrowed(_)));
    }
}
