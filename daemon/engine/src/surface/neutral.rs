//! Neutralising stored text: what would steer a terminal, hide from a reader or break out of its frame.

/// Whether a character may be shown as it is.
fn is_harmless(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        c if c.is_control() => false,
        // Soft hyphen, Arabic letter mark, fillers, BOM.
        '\u{00AD}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
        // Zero-width characters, bidi marks, embeddings, overrides and isolates, invisible operators.
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        // Tag characters and variation selectors, which can carry a hidden message.
        | '\u{E0000}'..='\u{E0FFF}' | '\u{FFF9}'..='\u{FFFB}' => false,
        _ => true,
    }
}

/// Returns the text without control, bidi and zero-width characters; new lines and tabs stay.
#[must_use]
pub fn neutral(text: &str) -> String {
    text.chars().filter(|c| is_harmless(*c)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_go_and_text_stays() {
        assert_eq!(neutral("a\u{202E}b\u{200B}c\x1b[31md\u{E0041}é 漢\n\te"), "abc[31mdé 漢\n\te");
    }

    #[test]
    fn one_line_folds_and_cuts() {
        assert_eq!(one_line("a\n  b\tc", 10), "a b c");
        assert_eq!(one_line("alpha beta gamma", 11), "alpha beta…");
        assert_eq!(one_line("abcdefghij", 5), "abcd…");
        assert_eq!(one_line("", 5), "");
    }
}
