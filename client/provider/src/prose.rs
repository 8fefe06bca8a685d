//! Text that may leave the machine: without secrets and without code.

use helix_redact::redact_prose;

/// Stands for a block of code.
const CODE: &str = "[code]";

/// Longest text that is sent, in characters: a turn that says more buries what it says.
const TEXT_MAX_CHARS: usize = 4_000;

/// Makes a text fit to be sent.
pub(crate) fn sendable(text: &str) -> String {
    let mut text = without_code(text);
    redact_prose(&mut text);
    text.chars().take(TEXT_MAX_CHARS).collect()
}

/// Replaces fenced blocks; one that is not closed reaches to the end.
fn without_code(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        match (fence, mark(line)) {
            (None, Some(mark)) => {
                lines.push(CODE);
                fence = Some(mark);
            }
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => lines.push(line),
        }
    }
    lines.join("\n")
}

/// The fence that a line begins with, in a quotation or a list as well.
fn mark(line: &str) -> Option<&'static str> {
    let is_before = |c: char| c.is_whitespace() || c.is_ascii_digit() || ">-*+.)".contains(c);
    let line = line.trim_start_matches(is_before);
    ["```", "~~~"]
        .into_iter()
        .find(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_not_sent() {
        let text = "We use tabs:\n```rust\nfn secret() {}\n```\nand no spaces.\n~~~\nlet a = 1;\n```\nlet b;";
        assert_eq!(
            sendable(text),
            "We use tabs:\n[code]\nand no spaces.\n[code]"
        );
    }

    #[test]
    fn code_in_a_quotation_or_a_list_is_not_sent() {
        let text = "> ```rust\n> fn secret() {}\n> ```\nWe agreed.\n1. ```\nlet a = 1;\n```\nDone.";
        assert_eq!(sendable(text), "[code]\nWe agreed.\n[code]\nDone.");
    }

    #[test]
    fn secrets_are_not_sent() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let sent = sendable(&format!(
            "CI pushes with {token}. <private>Mary left.</private>"
        ));
        assert!(!sent.contains(&token), "{sent}");
        assert!(!sent.contains("Mary"), "{sent}");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(sendable(&"ä".repeat(9_000)).chars().count(), TEXT_MAX_CHARS);
    }
}
