//! A file in words, for whoever compares meanings: its path, what it says of itself, what it
//! declares.

use std::path::Path;

/// Characters of what a file says of itself; the embedder reads some 1,000 of all.
const ABOUT_MAX_CHARS: usize = 400;

/// Lines in which a file says what it is.
const ABOUT_LINES_MAX: usize = 40;

/// Declared names that are told.
const NAMES_MAX: usize = 12;

/// Beginnings of lines that are comments in some language, the longest first.
const COMMENTS: &[&str] = &[
    "//!", "///", "//", "/**", "/*", "*/", "*", "#!", "#", "--", "\"\"\"", "'''", ";;", ";",
];

/// Words by which a comment is known to be about rights and not about the file.
const LEGAL: &[&str] = &[
    "copyright",
    "license",
    "licence",
    "spdx",
    "all rights reserved",
];

/// Describes a file in words: the parts of its path, the comment that it begins with, the names
/// that it declares.
#[must_use]
pub fn summary(path: &Path, text: &str, names: &[String]) -> String {
    let mut words = path
        .to_string_lossy()
        .replace(['/', '\\', '_', '-', '.'], " ");
    let about = about(text);
    if !about.is_empty() {
        words.push_str(": ");
        words.push_str(&about);
    }
    for name in names.iter().take(NAMES_MAX) {
        words.push(' ');
        words.push_str(name);
    }
    words
}

/// The text of the comment that a file begins with, without its marks.
fn about(text: &str) -> String {
    let mut found = String::new();
    let mut quoted = false;
    for line in text.lines().take(ABOUT_LINES_MAX) {
        let line = line.trim();
        let mark = COMMENTS.iter().find(|mark| line.starts_with(**mark));
        let is_quote = mark.is_some_and(|mark| matches!(*mark, "\"\"\"" | "'''"));
        if mark.is_none() && !quoted && !line.is_empty() {
            break;
        }
        let said = mark
            .and_then(|mark| line.strip_prefix(mark))
            .unwrap_or(line);
        // A quotation that ends on its line is closed there.
        let closes = said.ends_with("\"\"\"") || said.ends_with("'''");
        quoted = (quoted != is_quote) && !(is_quote && closes);
        let said = said.trim_end_matches(['"', '\'', '/', '*']).trim();
        let is_legal = LEGAL.iter().any(|word| said.to_lowercase().contains(word));
        if !said.is_empty() && !is_legal && !line.starts_with("#!") {
            found.push_str(if found.is_empty() { "" } else { " " });
            found.push_str(said);
        }
        if found.chars().count() >= ABOUT_MAX_CHARS || (closes && !quoted && !found.is_empty()) {
            break;
        }
    }
    found.chars().take(ABOUT_MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is() {
        for (text, about_it) in [
            (
                "//! Reads stdin.\n//!\n//! Never blocks.\n\nuse std::io;\n",
                "Reads stdin. Never blocks.",
            ),
            (
                "#!/usr/bin/env python3\n\"\"\"Writes rows.\n\nIn order.\n\"\"\"\nimport os\n",
                "Writes rows. In order.",
            ),
            ("\"\"\"Writes rows.\"\"\"\nimport os\n", "Writes rows."),
            (
                "// Copyright 2024 Somebody\n// SPDX-License-Identifier: MIT\npackage main\n",
                "",
            ),
            (
                "/*\n * Licence: MIT\n */\n\n/** Sorts. */\nclass A {}\n",
                "Sorts.",
            ),
            ("let x = 1; // late\n", ""),
            ("", ""),
        ] {
            assert_eq!(about(text), about_it, "{text}");
        }
        let long = format!("// {}\n", "word ".repeat(500));
        assert!(about(&long).chars().count() <= ABOUT_MAX_CHARS);
    }

    #[test]
    fn summaries_are_words() {
        let names = ["load_rows".to_owned(), "RowSet".to_owned()];
        let words = summary(Path::new("src/row_store.rs"), "//! Rows on disk.\n", &names);
        assert_eq!(words, "src row store rs: Rows on disk. load_rows RowSet");
        assert_eq!(summary(Path::new("a.rs"), "fn x() {}", &[]), "a rs");
    }
}
