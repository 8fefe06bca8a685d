//! Secrets in the columns of tables whose heads tell of them: Markdown, CSV and what is between
//! tabs.

use super::rules::Found;

/// Most columns that are looked at.
const COLUMNS_MAX: usize = 64;

/// Characters between cells.
const SEPARATORS: [char; 4] = ['|', '\t', ',', ';'];

/// Finds the cells that are secrets by the head of their column and their value; `rule_of` says by
/// which rule.
pub(super) fn find(
    text: &str,
    rule_of: impl Fn(&str, &str) -> Option<&'static str>,
    found: &mut Vec<Found<'_>>,
) {
    for separator in SEPARATORS {
        // A row, a line between them or not, and a row.
        if text.contains(separator) && text.contains('\n') {
            rows(text, separator, &rule_of, found);
        }
    }
}

fn rows(
    text: &str,
    separator: char,
    rule_of: &impl Fn(&str, &str) -> Option<&'static str>,
    found: &mut Vec<Found<'_>>,
) {
    let mut head: Vec<&str> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let cells: Vec<&str> = line
            .trim_end_matches(['\r', '\n'])
            .split(separator)
            .take(COLUMNS_MAX)
            .collect();
        if cells.len() < 2 {
            head.clear();
        } else if head.len() != cells.len() {
            head = cells;
        } else {
            let mut from = at;
            for (name, cell) in head.iter().zip(&cells) {
                let value = cell.trim_matches([' ', '\t', '"', '\'', '`', '*']);
                let name = name.trim_matches([' ', '\t', '"', '\'', '`', '*']);
                let start = from + cell.find(value).unwrap_or(0);
                if !value.is_empty()
                    && !name.is_empty()
                    && let Some(rule) = rule_of(name, value)
                {
                    found.push(Found::new(start..start + value.len(), rule));
                }
                from += cell.len() + separator.len_utf8();
            }
        }
        at += line.len();
    }
}
