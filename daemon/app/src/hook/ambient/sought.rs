//! What a search is for: the texts that its matches have, as far as its expression says so.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Longest expression that is looked into, in bytes.
const EXPRESSION_MAX_BYTES: usize = 1_024;

/// Alternatives of an expression that are looked at, and texts that are looked for.
const ALTERNATIVES_MAX: usize = 16;
const TEXTS_MAX: usize = 8;

/// Shortest text that says anything.
const TEXT_MIN_CHARS: usize = 4;

/// Stands for anything at all.
const GAP: char = '\n';

/// Stands for letters that go on a word.
const LETTERS: char = '\0';

/// The words and phrases that every match of an expression has, or every match of one of its
/// alternatives.
pub(super) fn texts(expression: &str) -> Vec<String> {
    if is_plain(expression) {
        return vec![expression.trim().to_owned()];
    }
    let bare = expression.strip_prefix("(?i)").unwrap_or(expression);
    let parsed = Some(bare)
        .filter(|bare| bare.len() <= EXPRESSION_MAX_BYTES)
        .map(regex_syntax::parse);
    // What is no expression here may be one to another program, or words.
    let Some(Ok(parsed)) = parsed else {
        return vec![bare.to_owned()];
    };
    let mut texts: Vec<String> = Vec::new();
    for alternative in with(vec![String::new()], &parsed) {
        for part in alternative.split(GAP).flat_map(whole_words) {
            let is_telling = part.chars().count() >= TEXT_MIN_CHARS;
            if is_telling && texts.len() < TEXTS_MAX && !texts.contains(&part) {
                texts.push(part);
            }
        }
    }
    texts
}

/// Returns whether somebody wrote words and no expression.
fn is_plain(pattern: &str) -> bool {
    pattern
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
}

/// Goes on each of these texts with what an expression matches.
fn with(mut before: Vec<String>, expression: &Hir) -> Vec<String> {
    let go_on = |before: &mut Vec<String>, more: &str| {
        for text in before.iter_mut() {
            text.push_str(more);
        }
    };
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => before,
        HirKind::Literal(literal) => {
            go_on(&mut before, std::str::from_utf8(&literal.0).unwrap_or("\n"));
            before
        }
        HirKind::Class(class) => {
            go_on(&mut before, shown(class).encode_utf8(&mut [0; 4]));
            before
        }
        HirKind::Repetition(repetition) if repetition.min == 0 => {
            go_on(&mut before, GAP.encode_utf8(&mut [0; 4]));
            before
        }
        HirKind::Repetition(repetition) => with(before, &repetition.sub),
        HirKind::Capture(capture) => with(before, &capture.sub),
        HirKind::Concat(parts) => parts.iter().fold(before, with),
        HirKind::Alternation(parts) => {
            let mut all: Vec<String> = parts
                .iter()
                .flat_map(|part| with(before.clone(), part))
                .collect();
            all.truncate(ALTERNATIVES_MAX);
            all
        }
    }
}

/// Returns what stands for one of several characters: a blank, a letter or anything.
fn shown(class: &Class) -> char {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
        Class::Bytes(class) => class
            .iter()
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
    };
    let ascii = || {
        ranges
            .iter()
            .flat_map(|&(start, end)| start..=end.min(0x7F))
            .filter_map(char::from_u32)
    };
    if ascii().next().is_none() {
        GAP
    } else if ascii().all(char::is_whitespace) {
        ' '
    } else if ascii().all(is_of_word) {
        LETTERS
    } else {
        GAP
    }
}

/// The parts of a text between words that go on unknown, without what stands around them.
fn whole_words(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| is_of_word(c) || c == LETTERS;
        let end = rest
            .find(|c| is_word(c) != is_word(first))
            .unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        if piece.contains(LETTERS) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(piece);
        }
    }
    let bare = parts
        .into_iter()
        .map(|part| part.trim_matches(|c| !is_of_word(c)).to_owned());
    bare.filter(|part| !part.is_empty()).collect()
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_says_what_its_matches_have() {
        for (expression, expected) in [
            ("parse_header", "parse_header"),
            ("stack weight", "stack weight"),
            (r"fn\s+parse_header", "fn parse_header"),
            (r"\bparse_header\b", "parse_header"),
            (r"parse_header\(", "parse_header"),
            (r"^pub fn parse_header\($", "pub fn parse_header"),
            ("\"exact phrase\"", "exact phrase"),
            ("parse_header|read_rows", "parse_header / read_rows"),
            (
                r"(async )?fn (parse_header|read_rows)\(",
                "fn parse_header / fn read_rows",
            ),
            (r"class (Ledger|Journal)\b", "class Ledger / class Journal"),
            ("foobar|foobaz", "foobar / foobaz"),
            ("parse_header.*read_rows", "parse_header / read_rows"),
            ("(?i)parse_header", "parse_header"),
            (r"ledger::\w+::post_entry", "ledger / post_entry"),
            (r"(?:parse_header){2,}", "parse_header"),
            ("foo(parse_header", "foo(parse_header"),
        ] {
            assert_eq!(texts(expression).join(" / "), expected, "{expression}");
        }
    }

    #[test]
    fn what_is_only_a_part_of_a_word_says_nothing() {
        for expression in [
            r"parse_\w+",
            "[Pp]arse_header",
            "[a-z]+_header",
            r"\d+",
            ".*",
            r"a|b|fn\b",
            r"x\.y",
            "",
            "[^,]+",
            "(?:)",
        ] {
            let found: Vec<String> = texts(expression)
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect();
            assert_eq!(found, Vec::<String>::new(), "{expression}");
        }
    }

    #[test]
    fn what_is_looked_for_is_bounded() {
        let many: Vec<String> = (0..100).map(|n| format!("name_{n}")).collect();
        assert_eq!(texts(&many.join("|")).len(), TEXTS_MAX);
        let product = "(aaaa|bbbb)".repeat(60);
        assert!(texts(&product).len() <= TEXTS_MAX);
    }
}
